"""Writes the answers that the description of the API shows: python docs/reference/examples.py

They are those of the example notes to the example of each verb, with lists of at most two.
"""

from __future__ import annotations

import json
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import asof
from asof.verbs import all_verbs

TARGET = Path(asof.__file__).parent / "extensions" / "server" / "examples.json"
MOST = 2
"""Values of a list."""


def short(value: Any) -> Any:
    """A value with the first of each list; no duration."""
    if isinstance(value, dict):
        return {key: 0.0 if key == "took_ms" else short(each) for key, each in value.items()}
    return [short(each) for each in value[:MOST]] if isinstance(value, list) else value


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as root,
        as_file(files("asof") / "example" / "notes") as notes,
        asof.open(root) as corpus,
    ):
        corpus.add(notes)
        answers = {
            name: short(json.loads(json.dumps(verb.answer(corpus, verb.read(verb.example)))))
            for name, verb in all_verbs().items()
        }
    TARGET.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
