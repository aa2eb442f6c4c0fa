"""The index is compared with the store: what was made up is found, and made anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.index.made import document, fresh
from tests.support.rows import db_of

from asof.index.segment import Segment, SegmentWriter


def answers(corpus: Any) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in corpus.at("2030").search("mill boat", 50).hits]


def filled(corpus: Any) -> list[tuple[str, float]]:
    corpus.add([document("a", "mill", "2001"), document("b", "boat", "2002")])
    corpus.add([document("a", "mill boat", "2003"), document("c", "mill", "2004")])
    return answers(corpus)


def altered(corpus: Any, at: int, name: str, change: Callable[[Any], Any]) -> None:
    """Another number in a segment, under right checksums, in the list too."""
    entry = corpus.manifest.entries(db_of(corpus))[at]
    path: Path = corpus.manifest.folder / entry.file
    segment = Segment(path)
    arrays = {each: segment[each].copy() for each in segment.facts["arrays"]}
    arrays[name] = change(arrays[name])
    with SegmentWriter(path) as writer:
        for each, array in arrays.items():
            writer.add(each, array)
        size = writer.close(first=segment.facts["first"], encoder=segment.facts["encoder"])
    change_list(corpus, "UPDATE segments SET checksum = ?, bytes = ? WHERE file = ?",
                (writer.checksum, size, entry.file))  # fmt: skip


def change_list(corpus: Any, statement: str, values: tuple[Any, ...] = ()) -> None:
    with closing(sqlite3.connect(corpus.store.database)) as db:
        db.execute(statement, values)
        db.commit()


@pytest.mark.parametrize("name", ["visible", "added", "document", "said", "run", "number", "digest", "dated"])
def test_a_column_that_differs_from_the_store(name: str) -> None:
    with fresh() as corpus:
        before = filled(corpus)
        altered(corpus, 0, name, lambda array: array[::-1].copy() if name == "dated" else array + 1)
        if name == "dated":
            altered(corpus, 0, name, lambda array: 1 - array)
        lines = corpus.check()
        assert len(lines) == 1
        assert "does not hold what the store holds; rebuilt its 2 passages" in lines[0]
        assert (answers(corpus), corpus.check()) == (before, [])


@pytest.mark.parametrize("name", ["end_passage", "end_at", "end_added"])
def test_an_end_that_differs_from_the_store(name: str) -> None:
    with fresh() as corpus:
        before = filled(corpus)
        altered(corpus, 1, name, lambda array: array + 1)
        assert "does not hold what the store holds" in corpus.check()[0]
        assert answers(corpus) == before


@pytest.mark.parametrize("change", [lambda rows: rows[::-1].copy(), lambda rows: rows - 1])
def test_passages_that_lead_to_other_rows(change: Callable[[Any], Any]) -> None:
    with fresh() as corpus:
        before = filled(corpus)
        altered(corpus, 0, "row_of", change)
        (line,) = corpus.check()
        assert "row_of does not fit the passages; rebuilt its 2 passages" in line
        assert answers(corpus) == before


def test_a_passage_that_the_store_does_not_have_is_no_error() -> None:
    """The question itself finds it out, and is answered."""
    with fresh() as corpus:
        before = filled(corpus)
        altered(corpus, 0, "passage", lambda array: array[::-1].copy())
        altered(corpus, 0, "row_of", lambda array: array[::-1].copy())
        change_list(corpus, "UPDATE passages SET id = id + 100 WHERE id = 2")
        change_list(corpus, "UPDATE passages SET id = 2 WHERE id = 102")
        corpus.check()
        assert answers(corpus) == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE segments SET file = '/etc/passwd' WHERE first = 1", "which is no segment's name"),
        ("UPDATE segments SET file = '../../x.seg' WHERE first = 1", "which is no segment's name"),
        ("UPDATE segments SET file = x'00' WHERE first = 1", "values of other types"),
        ("UPDATE segments SET last = 'x' WHERE first = 1", "values of other types"),
        ("UPDATE segments SET first = -5, last = 1 WHERE first = 1", "values of other types"),
        ("UPDATE segments SET last = 3 WHERE first = 1", "names some passages twice"),
        ("DELETE FROM segments WHERE first = 1", "lacks some passages"),
        ("UPDATE segments SET ends_last = 0, ends_first = 1", "lacks some ends"),
        ("UPDATE segments SET rows = 7", "does not hold what the store holds"),
    ],
)
def test_a_list_of_segments_that_was_made_up(statement: str, said: str) -> None:
    with fresh() as corpus:
        before = filled(corpus)
        change_list(corpus, statement)
        corpus.session.forget()
        lines = corpus.check()
        assert said in lines[0]
        assert (answers(corpus), corpus.check()) == (before, [])
        corpus.add([document("d", "boat", "2005")])
        assert any(hit.startswith("d#") for hit, _ in answers(corpus))


def test_a_search_mends_the_list() -> None:
    with fresh() as corpus:
        before = filled(corpus)
        change_list(corpus, "UPDATE segments SET file = '/etc/passwd' WHERE first = 1")
        corpus.session.forget()
        assert answers(corpus) == before
        assert corpus.check() == []
