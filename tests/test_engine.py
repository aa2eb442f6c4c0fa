"""A source says where what it stated can be committed; what was known at K is shown as K."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

import asof
from asof.documents import Document, Problem, SafeToCommit
from asof.engine import batches
from asof.errors import SourceError
from asof.extensions.facts.indexer import facts as known_facts
from asof.store.run import IndexReport
from asof.time.moment import read
from asof.time.span import iso


class Slow:
    """Two documents a page, then the network is gone."""

    name, kind, complete = "slow", "slow", False

    def __init__(self, document) -> None:
        self.document = document
        self.closed = False

    def documents(self) -> Iterator[Document | SafeToCommit]:
        try:
            for page in range(2):
                yield self.document(f"{page}-a", "a ferry", "2024-01-01")
                yield self.document(f"{page}-b", "a lake", "2024-01-01")
                yield SafeToCommit()
            yield self.document("lost", "a mole", "2024-01-01")
            raise SourceError("the network is gone")
        finally:
            self.closed = True


def test_what_was_stated_before_a_commit_stays(memory_folder, document):
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        told: list[int] = []
        with pytest.raises(SourceError):
            corpus.add(Slow(document), progress=lambda report: told.append(report.added))
        assert told == [2, 4]
        assert sorted(hit.document for hit in corpus.search("ferry").hits) == ["0-a", "1-a"]
        assert corpus.search("mole").hits == ()


def test_a_source_is_let_go_of_when_the_store_fails(memory_folder, document):
    with asof.open(memory_folder) as corpus:
        source = Slow(document)

        def fail(report: IndexReport) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError) as kept:
            corpus.add(source, progress=fail)
        assert source.closed
        assert kept.value.__traceback__ is not None  # which holds the frames


def test_a_commit_ends_a_batch_and_is_none_itself(document):
    one, problem, commit = document("a", "x"), Problem("p"), SafeToCommit()
    found = list(batches([commit, one, commit, commit, problem, one, one, commit], 2, 1_000))
    assert found == [[one, commit], [problem, one], [one, commit]]


K, ITS_LAST = "2025-03-01", "2025-03-01T23:59:59.999999Z"


def test_an_answer_says_the_moment_that_was_asked_for(memory_folder, document) -> None:
    """The last write before it would tell whether anything was learned in between."""
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.session.clock = itertools.count(read("2025-01").first).__next__
        corpus.add([document("a", "the ferry", "2024")])
        before = shown(corpus.at("2024", K))
        corpus.session.clock = itertools.count(read("2025-05").first).__next__
        corpus.add([document("b", "another ferry", "2024")])
        assert before == shown(corpus.at("2024", K)) == [ITS_LAST] * 3


def shown(then: asof.Snapshot) -> list[str]:
    found = (then.search("ferry").view, then.timeline("ferry"), known_facts(then, "ferry"))
    return [iso(each.known_at) for each in found]
