"""The example notes as a dataset: ten questions, whose notes are there, with links."""

from __future__ import annotations

import json

from bench.datasets import QUESTIONS, vault

from asof.extensions.lab.datasets import load


def test_ten_questions_on_linked_notes(tmp_path):
    vault().write(tmp_path)
    found = load(tmp_path)
    assert not found.problems
    assert len(found.questions) == len(QUESTIONS) == 10
    assert {document for grades in found.relevance.values() for document in grades} <= set(found.dates)
    notes = [
        json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert sum(bool(note["links"]) for note in notes) > 50
    assert all(note["timestamp"] for note in notes if note["id"].startswith("bollard/"))
    # notes without a date of their own: that of the file is another one on each machine
    assert not any(note["timestamp"] for note in notes if note["id"].startswith("kitchen/"))
