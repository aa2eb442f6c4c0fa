"""What is stale as of an earlier moment is the same in a corpus that ends there, and a leak is seen."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evaluate.staleness.conftest import DOCUMENTS, Lines
from tests.evaluate.staleness.flags import flag

from asof.corpus.snapshot import Snapshot
from asof.evaluate.staleness.cases import load_cases
from asof.evaluate.staleness.corpora import read_documents
from asof.evaluate.staleness.evaluation import evaluate
from asof.evaluate.staleness.leakage import earlier_moments, first_difference, flag_parts
from asof.time.span import NEVER

LATER: list[dict[str, Any]] = [
    *DOCUMENTS,
    {
        "id": "ferry.md",
        "published": "2022-04-01",
        "text": "# Ferry\n\nThe ferry to the island leaves from the east landing at one.",
    },
    {
        "id": "crane.md",
        "published": "2022-05-01",
        "text": "# Crane\n\nThe old crane lifts barrels, and cars, too.",
    },
]


def test_nothing_leaks(lines: Lines) -> None:
    leakage = evaluate(lines(documents=LATER), leakage=7).leakage
    assert leakage is not None
    assert (leakage.moments, leakage.clean) == (7, True)
    assert leakage.flags >= 2  # that of the pier, as of its edit and as of that of the ferry


def test_there_are_no_more_moments_than_versions_before_the_last(lines: Lines) -> None:
    result = evaluate(lines(), leakage=9)
    assert result.leakage is not None
    assert result.leakage.moments == 5
    assert result.notes[0].startswith("leakage: 5 of 9 moments")


def test_a_leak_is_seen(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Snapshot.stale

    def leaking(self: Snapshot, **options: Any) -> Any:
        return right(Snapshot(self.session, self.models, self.fact_indexer, NEVER - 1, None), **options)

    monkeypatch.setattr(Snapshot, "stale", leaking)
    leakage = evaluate(lines(), leakage=1).leakage
    assert leakage is not None
    assert not leakage.clean
    (difference,) = leakage.differences
    assert (difference.case, difference.rank, difference.what, difference.cut) == ("pier", 1, "id", None)
    assert difference.whole is not None
    assert "visit.md" in difference.whole


def test_moments_are_chosen_by_a_hash_before_the_last_version(lines: Lines) -> None:
    (case,) = load_cases(lines(documents=LATER), [])
    documents = read_documents(case.documents)
    every = earlier_moments(case, documents, 99, 0)
    assert every == list(documents.instants[:-1])
    chosen = earlier_moments(case, documents, 2, 0)
    assert len(chosen) == 2
    assert set(chosen) < set(every)
    assert chosen == earlier_moments(case, documents, 2, 0)


def test_the_first_difference() -> None:
    one, other = flag_parts(flag("a.md", "A.", 0.5)), flag_parts(flag("b.md", "B.", 0.25))
    lower = one | {"score": "0.4", "why": "{}"}
    assert list(first_difference("c", 1, [one, other], [one, other])) == []
    (score,) = first_difference("c", 1, [other, one], [other, lower])
    assert (score.rank, score.what, score.whole, score.cut) == (2, "score", "0.5", "0.4")
    (swapped,) = first_difference("c", 1, [one, other], [other, one])
    assert (swapped.rank, swapped.what) == (1, "id")
    (fewer,) = first_difference("c", 1, [one], [one, other])
    assert (fewer.rank, fewer.whole) == (2, None)
