"""Writes the example notes of asof as a dataset with ten questions: python bench/example_vault.py OUT

RAGtriever's design is evaluated with ten questions on a test vault, which is not published; these are ten on
linked notes that everybody has who has asof. `asof experiment ragtriever/components OUT` runs it.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path

import asof
from asof.data import Document
from asof.rank.features.just_published import CHANGES
from asof.sources.open import open_source

NOTES = Path(asof.__file__).parent / "example" / "notes"

QUESTIONS = {
    "what is the mole": ["harbour/The Mole.md"],
    "which ship is the ferry": ["ferry/Second Opinion.md", "ferry/Prudence.md"],
    "seed cake": ["kitchen/Seed cake.md"],
    "how is a bowline bun baked": ["kitchen/Bowline bun.md"],
    "rules of the kitchen": ["kitchen/House rules.md"],
    "paying in cash on board": ["ferry/Cash again.md", "ferry/Card only.md"],
    "what do words of the harbour mean": ["kitchen/Glossary.md"],
    "current in the churn": ["harbour/The Churn.md"],
    "a turbine for the ferry": ["cooperative/Renewable power for the ferry.md"],
    "wrong reading of the gauge": ["harbour/Gauge reading corrected.md"],
}
"""Each with the notes that are right."""


def write(out: Path) -> None:
    """The folder of a dataset as `asof evaluate` reads it. Raises LookupError for a missing note."""
    notes = [note for note in open_source(NOTES, root=NOTES).documents() if isinstance(note, Document)]
    lines = [_line(note) for note in notes]
    known = {line["id"] for line in lines}
    questions, judged = [], []
    for number, (text, right) in enumerate(QUESTIONS.items(), 1):
        if missing := set(right) - known:
            raise LookupError(f"{', '.join(sorted(missing))}: no such note of the example")
        questions.append({"id": f"q{number}", "text": text})
        judged += [f"q{number}\t{note}\t1\n" for note in right]
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in (("corpus.jsonl", lines), ("queries.jsonl", questions)):
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (out / name).write_text(text, encoding="utf-8")
    (out / "qrels.tsv").write_text("".join(judged), encoding="utf-8")


def _line(note: Document) -> dict[str, object]:
    """A note with the date that it states itself: when its file changed differs from machine to machine, and
    from a checkout to an installation."""
    published = None if note.published is None or note.published.by in CHANGES else note.published
    return {
        "id": note.id, "title": note.title, "text": note.text,
        "timestamp": None if published is None else published.text,
        "tags": list(note.tags), "links": [link.target for link in note.links],
    }  # fmt: skip


def main() -> None:
    parser = ArgumentParser(description="Write the example notes as a dataset with ten questions.")
    parser.add_argument("out", type=Path)
    write(parser.parse_args().out)


if __name__ == "__main__":
    main()
