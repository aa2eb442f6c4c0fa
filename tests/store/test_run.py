"""A pass over a source: what is written, what is ended, what is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.store.made import document, fresh, said

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Ended, Problem, SourcedTime
from asof.errors import SourceShrunk
from asof.time.moment import read


def texts(corpus: Corpus, *ids: str, as_of: str | None = None) -> list[str | None]:
    return [corpus.at(as_of).text(id_) for id_ in ids]


def transactions(corpus: Corpus) -> int:
    return corpus.status().transactions


# -- idempotence ------------------------------------------------------------------------------------


def test_a_second_run_writes_nothing() -> None:
    source = said(
        document("dated", "alpha", "2020"), document("undated", "beta"),
        document("series", "one", "2001"), document("series", "two", "2002"),
        document("series", "one", "2003"),
        document("touched", "gamma", "2021", by="mtime"), document("over", "delta", "2019"),
        Ended("over", SourcedTime(read("2020"), "2020", "git")), Problem("unreadable", "x.txt", document="x"),
    )  # fmt: skip
    with fresh() as corpus:
        root: Path = corpus.root
        first = corpus.add(source)
        assert (first.added, first.changed, first.ended, first.failed) == (5, 2, 1, 1)
        before = transactions(corpus)
        corpus.close()
        database = (root / ".asof" / "corpus.db").read_bytes()
        files = sorted(path.name for path in (root / ".asof" / "segments").iterdir())
        with open_corpus(root) as again:
            report = again.add(source)
            assert (report.written, report.unchanged, report.passages) == (0, 8, 0)
            assert transactions(again) == before
        assert (root / ".asof" / "corpus.db").read_bytes() == database
        assert sorted(path.name for path in (root / ".asof" / "segments").iterdir()) == files


# -- edits, reverts, deletions ----------------------------------------------------------------------


def test_documents_that_could_not_be_read_are_kept() -> None:
    with fresh() as corpus:
        corpus.add(said(document("d", "one"), document("e", "two"), document("f", "three")))
        known = corpus.add(said(document("e", "two"), document("f", "three"), Problem("no", document="d")))
        assert (known.ended, known.failed) == (0, 1)
        lost = said(document("e", "two"), document("f", "three"), Problem("no", "x", 3))
        unknown = corpus.add(lost, allow_shrinking=True)
        assert unknown.ended == 0
        assert "none of them was removed" in unknown.problems[-1].message
        harmless = Problem("a date that is none", document="e", lost=False)
        assert corpus.add(said(document("e", "two"), document("f", "three"), harmless)).ended == 1
        assert texts(corpus, "d", "e") == [None, "two"]


def test_a_source_that_shrinks_too_much_ends_nothing() -> None:
    documents = [document(f"d{at}", f"text {at}") for at in range(10)]
    with fresh() as corpus:
        corpus.add(said(*documents))
        with pytest.raises(SourceShrunk, match="4 of the 10 documents"):
            corpus.add(said(*documents[4:]))
        with pytest.raises(SourceShrunk):
            corpus.add(said())
        assert None not in texts(corpus, *(f"d{at}" for at in range(10)))
        assert corpus.add(said(*documents[3:])).ended == 3
        assert corpus.add(said(), allow_shrinking=True).ended == 7


def test_documents_given_as_they_are_end_nothing() -> None:
    with fresh() as corpus:
        corpus.add([document("d", "one")])
        corpus.add([document("e", "two")])
        assert texts(corpus, "d", "e") == ["one", "two"]


# -- two sources ------------------------------------------------------------------------------------


def test_a_document_belongs_to_the_source_that_stated_its_last_version() -> None:
    first = said(document("d", "one", "2020"), document("e", "other"), name="first")
    second = said(document("d", "two", "2020"), document("f", "more"), name="second")
    with fresh("2021") as corpus:
        corpus.add(first)
        corpus.session.clock.to("2022")
        corpus.add(second)
        assert texts(corpus, "d") == ["two"]
        assert corpus.add(first).written == 0, "no ping-pong"
        first.items.pop(0)
        assert corpus.add(first).ended == 0, "it is not the first one's to end"
        second.items.pop(0)
        assert corpus.add(second).ended == 1
        assert texts(corpus, "d", "e", "f") == [None, "other", "more"]


# -- visible from -----------------------------------------------------------------------------------


def shown(corpus: Corpus, moments: Sequence[str]) -> list[str | None]:
    return [corpus.at(moment).text("d") for moment in moments]


def test_what_ends_before_its_date_is_never_seen() -> None:
    others = [document(each, "text", "2020") for each in "abc"]
    with fresh("2024") as corpus:
        corpus.add(said(*others, document("d", "text", "2030")))
        assert corpus.add(said(*others)).ended == 1
        assert corpus.add(said(*others)).ended == 0
        assert shown(corpus, ["2024", "2030", "9999"]) == [None] * 3
        assert corpus.at("2031", known_at="2024-01-01T00:00:01Z").text("d") == "text", "as was known before"
