"""Passages by id as a view sees them."""

from __future__ import annotations

import pytest
from tests.support.fact_lines import add, corpus_of, note

from asof.store.reader import visible_passages
from asof.time.moment import read
from asof.time.span import NEVER


@pytest.fixture
def fees():
    """Three versions; the first was corrected for its own date in 2023."""
    with corpus_of(now="2021-06") as corpus:
        add(
            corpus,
            note("fees", "2021-01-01", "Quay | fee | 2 euros", uri="file:fees", title="Fees"),
            at="2021-06",
        )
        add(corpus, note("fees", "2022-01-01", "Quay | fee | 3 euros", title="Fees"), at="2022-06")
        add(corpus, note("fees", "2021-01-01", "Quay | fee | 20 euros", title="Fees"), at="2023-06")
        add(corpus, note("undated", None, "Nobody knows when.", title="Old"))
        yield corpus


def texts(corpus, as_of="2025", known_at=None, **options) -> dict[str, int | None]:
    db = corpus.store.writer()
    every = [passage for (passage,) in db.execute("SELECT id FROM passages ORDER BY id")]
    known = NEVER if known_at is None else read(known_at).last
    found = visible_passages(db, every, read(as_of).last, known, **options)
    db.close()
    assert all(found[passage].passage == passage for passage in found)
    return {each.text: each.ended for each in found.values()}


TWO, THREE, TWENTY = (f"Quay | fee | {n} euros" for n in (2, 3, 20))
END = read("2022-01-01").last


def test_what_was_known_by_then(fees):
    assert texts(fees, "2021-06", "2021-12") == {TWO: None}
    assert texts(fees, "2025", "2021-12") == {TWO: None}  # its end was not known yet
    assert texts(fees, "2025", "2022-12") == {THREE: None}
    assert texts(fees, "2025", "2020") == {}


def test_what_is_over_but_never_what_was_wrong(fees):
    assert texts(fees, ended=True) == {TWENTY: END, THREE: None, "Nobody knows when.": None}
    assert texts(fees, "2025", "2022-12", ended=True) == {TWO: END, THREE: None}
    assert texts(fees, "2021-06", ended=True) == {TWENTY: None, "Nobody knows when.": None}
