"""Documents as units: the best passage, or the sum of the best few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.rank.gather import ByDocument, Lexical, TopK
from asof.rank.rerank import RerankWindow
from asof.recipes import ASOF

Make = Callable[..., Any]

LONG = "{} alpha beta gamma delta epsilon zeta eta theta iota.\n\n"


@pytest.fixture
def texts(document: Make) -> list[Any]:
    two = LONG.format("mill mill") + LONG.format("mill") + LONG.format("bread")
    return [document("two", two, "2001"), document("one", LONG.format("mill mill mill"), "2002"),
            document("none", LONG.format("bread"), "2003")]  # fmt: skip


def test_a_document_is_its_best_passages(fresh: Make, run: Make, texts: list[Any]) -> None:
    with fresh(*texts, chunking="10w") as corpus:
        passages = run(corpus, "mill", Lexical(), TopK()).hits
        assert [hit.document for hit in passages] == ["one", "two", "two"]
        one, first, second = (hit.score for hit in passages)
        by_best = run(corpus, "mill", Lexical(), ByDocument(), TopK())
        assert [(hit.document, hit.score, hit.id) for hit in by_best.hits] == [
            ("one", one, passages[0].id), ("two", first, passages[1].id),
        ]  # fmt: skip
        assert by_best.notes == ("3 matching passages of 2 documents; each document is shown by its best",)
        for most in (2, 3, 9):
            by_sum = run(corpus, "mill", Lexical(), ByDocument(most), TopK())
            assert [(hit.document, hit.score, hit.id) for hit in by_sum.hits] == [
                ("two", first + second, passages[1].id), ("one", one, passages[0].id),
            ]  # fmt: skip


@pytest.mark.parametrize("passages", [1, 2])
def test_trees_after_grouping(fresh: Make, run: Make, texts: list[Any], passages: int) -> None:
    with fresh(*texts, chunking="10w") as corpus:
        closer = ASOF.stages[ASOF.stages.index(RerankWindow()) :]
        results = run(corpus, "mill alpha", Lexical(), ByDocument(passages), *closer, recency=1.0)
        assert len(results.hits) == 3


def test_no_match_no_document(fresh: Make, run: Make, texts: list[Any]) -> None:
    with fresh(*texts) as corpus:
        assert run(corpus, "nowhere", Lexical(), ByDocument(2), TopK()).hits == ()
    with fresh() as corpus:
        assert run(corpus, "nowhere", Lexical(), ByDocument(2), TopK()).hits == ()
