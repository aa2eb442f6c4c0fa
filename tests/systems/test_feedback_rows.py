"""Rows of feedback: one transaction each, later than all before, and gone with their passages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.corpus.corpus import Corpus
from asof.errors import CorpusError
from asof.extensions.systems import feedback
from asof.extensions.systems.feedback import AskedRow, JudgementRow, ShownRow
from asof.values import Document


@pytest.fixture
def corpus(memory_folder: Path) -> Iterator[Corpus]:
    """Three documents of a passage each: their passages are 1, 2 and 3."""
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.session.clock = lambda: 1_000
        corpus.add([Document(name, f"The {name} keeps the light.") for name in ("ann", "ben", "cid")])
        yield corpus


def question(id_: str, added: int = 0) -> AskedRow:
    return AskedRow(id_, "who", 5, 5, "papers", "{}", "{}", "passage", added)


def hit(rank: int, passage: int) -> ShownRow:
    return ShownRow(rank, passage, f"d#{passage}", "d", 0.5, b"tree")


def add(corpus: Corpus, id_: str, *passages: int) -> int:
    with feedback.write_feedback(corpus.store, corpus.session.clock) as (db, added):
        feedback.insert_question(
            db, question(id_, added), [hit(n, each) for n, each in enumerate(passages, 1)]
        )
    return added


def say(corpus: Corpus, *said: tuple[str, int, str, float | None]) -> int:
    with feedback.write_feedback(corpus.store, corpus.session.clock) as (db, added):
        return feedback.insert_judgements(db, [JudgementRow(*each, added) for each in said])


def read(corpus: Corpus, query: str) -> list[Any]:
    db = corpus.store.reader()
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def test_every_write_is_later_than_all_before(corpus: Corpus) -> None:
    """The corpus was written at 1000, and the clock stands still."""
    assert add(corpus, "a", 1, 2) == 1_001
    assert say(corpus, ("a", 1, "grade", 3.0)) == 1
    assert read(corpus, "SELECT added FROM judgements") == [(1_002,)]
    assert add(corpus, "b", 1) == 1_003
    with feedback.write_feedback(corpus.store, corpus.session.clock) as (db, added):
        feedback.insert_learned(db, "papers", "x", added)
    assert add(corpus, "c", 1) == 1_005
    corpus.session.clock = lambda: 9_000
    assert add(corpus, "d", 1) == 9_000
    assert read(corpus, "SELECT count(*) FROM transactions") == [(1,)], "nothing that a search sees"


def test_an_error_leaves_nothing(corpus: Corpus) -> None:
    def fail() -> None:
        with feedback.write_feedback(corpus.store, corpus.session.clock) as (db, added):
            feedback.insert_question(db, question("a", added), [hit(1, 1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert read(corpus, "SELECT * FROM asked") == read(corpus, "SELECT * FROM shown") == []
    with (
        pytest.raises(CorpusError, match="no such table"),
        feedback.write_feedback(corpus.store, lambda: 1) as (db, _),
    ):
        db.execute("INSERT INTO nowhere VALUES (1)")
    assert add(corpus, "a", 1)


def test_only_news_is_entered(corpus: Corpus) -> None:
    add(corpus, "a", 1, 2)
    assert say(corpus, ("a", 1, "grade", 3.0), ("a", 1, "grade", 3.0), ("a", 2, "grade", None)) == 1
    assert say(corpus, ("a", 1, "model", 3.0), ("a", 9, "grade", 1.0), ("b", 1, "grade", 1.0)) == 1
    assert say(corpus, ("a", 1, "grade", None), ("a", 1, "grade", None), ("a", 1, "grade", 3.0)) == 2
