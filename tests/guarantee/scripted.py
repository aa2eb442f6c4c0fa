"""A language model whose replies follow from the prompt alone, and change with every character of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.guarantee.texts import later

from asof.models.ports import Prompt


def script(prompt: Prompt) -> str:
    """What a model says: a function of the prompt alone, that changes with every character of it."""
    digest = hashlib.sha256(later(prompt.system + prompt.user).encode()).hexdigest()
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", prompt.user, re.MULTILINE)]
    wanted = "" if prompt.schema is None else prompt.schema.__name__
    if wanted == "RepliedFacts":
        return json.dumps({"facts": list(picked(prompt.user))})
    if wanted == "WrittenReport":
        finding = {"statement": f"Told {digest}.", "facts": numbers}
        return json.dumps({"title": digest[:8], "summary": "Told.", "findings": [finding]})
    if wanted == "ExtractedPoints":
        point = {"description": f"Found {digest}.", "importance": 50, "confidence": 0.5, "sources": numbers}
        return json.dumps({"points": [point]})
    if wanted == "MergedPoints":
        return json.dumps({"statements": [{"statement": f"Merged {digest}.", "points": numbers}]})
    return f"Written {digest} {''.join(f'[{each}]' for each in numbers)}."


def picked(passage: str) -> Iterator[dict[str, Any]]:
    """Capitalised names of each sentence: the first is with the second."""
    for number, sentence in re.findall(r"^\[(\d+)\] (.*)$", passage, re.MULTILINE):
        names = re.findall(r"[A-Z][A-Za-z]+(?: [A-Z][a-z]+)*", sentence)
        times = re.findall(r"\d{4}(?:-\d\d)*|yesterday", sentence)
        if len(names) > 1:
            yield {
                "subject": names[0], "relation": "is with", "object": names[1], "time": (times or [None])[-1],
                "sentence": int(number), "kind": "name" if "(" in sentence or "formerly" in sentence
                else "event", "value": None, "unit": "", "basis": "", "confidence": 0.5,
            }  # fmt: skip
