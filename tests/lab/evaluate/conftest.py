"""Tiny datasets, written where a test wants them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Path]

MAYORS: list[dict[str, Any]] = [
    {
        "id": "m1",
        "title": "Mayor",
        "text": "Ann is mayor of Brill.",
        "timestamp": "2001-05-01",
        "town": "Brill",
    },
    {
        "id": "m2",
        "title": "Mayor",
        "text": "Bob is mayor of Brill.",
        "timestamp": "2005-05-01",
        "town": "Brill",
    },
    {
        "id": "m3",
        "title": "Mayor",
        "text": "Cid is mayor of Thame.",
        "timestamp": "2003-05-01",
        "town": "Thame",
    },
    {"id": "m4", "title": "Fair", "text": "The fair of Thame sells geese.", "timestamp": "2004-09-01"},
    {"id": "u1", "title": "Undated", "text": "A mayor of any town wears a chain.", "timestamp": None},
]
ASKED: list[dict[str, Any]] = [
    {"id": "q1", "text": "mayor of Brill", "asked_at": "2002", "type": "early", "town": "Brill"},
    {"id": "q2", "text": "mayor of Brill", "asked_at": "2006-01-01", "type": "late", "town": "Brill"},
    {"id": "q3", "text": "geese at the fair", "asked_at": None, "type": "late"},
    {"id": "q4", "text": "who knows", "asked_at": "2006-01-01", "type": "late"},
]
JUDGED = [("q1", "m1", 1), ("q2", "m1", 1), ("q3", "m4", 2)]
"""Ann is right for both questions about Brill, so that one answer of the two is only second."""


@pytest.fixture
def dataset(tmp_path: Path) -> Make:
    """Writes a dataset of some documents, questions, judgements and sentences; the defaults are mayors."""

    def make(
        documents: Iterable[dict[str, Any]] = MAYORS, questions: Iterable[dict[str, Any]] = ASKED,
        judged: Iterable[tuple[str, str, int]] = JUDGED, evidence: Iterable[dict[str, Any]] = (),
        name: str = "mayors",
    ) -> Path:  # fmt: skip
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        write_lines(folder / "corpus.jsonl", documents)
        write_lines(folder / "queries.jsonl", questions)
        (folder / "qrels.tsv").write_text("".join("\t".join(map(str, each)) + "\n" for each in judged))
        if evidence:
            write_lines(folder / "evidence.jsonl", evidence)
        return folder

    return make


def write_lines(path: Path, values: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
