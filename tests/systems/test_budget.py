"""Re-ranking on a budget: the table of TWE-RAG."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.ranking import Columns

from asof.errors import UsageError
from asof.extensions.systems.budget import BudgetedRerank, Uncertainty
from asof.extensions.systems.stages import Centrality
from asof.rank.gather import Everything, TopK
from asof.rank.stage import Recipe
from asof.wire import replace

# -- halting on a budget: the table of TWE-RAG, and what is looked at over a corpus ----------------


Make = Callable[..., Any]

SURE = [3.0, 2.4, 2.3, 2.2, 2.1]

# scores, who corroborates the first, margin, agreement, halts
TABLE = {
    "confident": (SURE, [1, 1, 1, 1, 1], 3.0 - 2.1, 5 / 5, True),
    "margin only": (SURE, [1, 0, 0, 1, 0], 3.0 - 2.1, 2 / 5, False),
    "agreement only": ([3.0, 2.95, 2.9, 2.85, 2.8], [1, 1, 1, 1, 1], 3.0 - 2.8, 5 / 5, False),
    "agreement of exactly .8": (SURE, [1, 1, 1, 1, 0], 3.0 - 2.1, 4 / 5, False),
    "margin of exactly .5": ([2.5, 2.4, 2.3, 2.2, 2.0], [1, 1, 1, 1, 1], 2.5 - 2.0, 5 / 5, False),
    "neither": ([3.0, 2.99, 2.9, 2.9, 2.9], [1, 0, 0, 0, 0], 3.0 - 2.9, 1 / 5, False),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_table_of_decisions(case: str) -> None:
    """Both comparisons are strict; the first candidate corroborates itself."""
    scores, agrees, margin, agreement, halts = TABLE[case]
    doubt = Uncertainty.of(scores, [bool(each) for each in agrees])
    assert doubt == (margin, agreement)
    assert doubt.settled(0.5, 0.8) is halts


REPORT = "the ferry to the mainland will stop for the winter on monday"
ALONE = [
    "bread is baked at four",
    "a fog bank lay over us",
    "rope prices rose again",
    "goats ate all the kale",
]

ENTRY = {"a": 2.0, "b": 1.9, "c": 1.8, "d": 1.7, "e": 1.6, "f": 1.5}
"""Candidates enter in this order; some of them report the same thing, the others each something else."""


SIZES = BudgetedRerank(by="entry", sizes=(2, 4, 5), first=2)
ALL = BudgetedRerank(by="entry")
LOWER = replace(SIZES, margin=0.499)
TWO_THIRDS = BudgetedRerank(by="entry", sizes=(3, 6), first=3, margin=0.0, agreement=2 / 3)
OTHER_GRAPH = replace(SIZES, graph=Centrality(threshold=0.99))
"""Without edges."""


@pytest.mark.parametrize(
    ("same", "stage", "score", "note", "order"),
    [
        # the 9 of what was not looked at counts for nothing
        ("ab", SIZES, (3, 2, 9, 9, 9, 9),
         "halted at 2 of 6 candidates: margin 1.000, agreement 1.00 are above 0.5 and 0.8", "abcdef"),
        # of the first two none vouches for the other; c is better, and d says what c says
        ("cd", SIZES, (3, 2, 9, 8, 9.5, 9),
         "halted at 4 of 6 candidates: margin 1.000, agreement 1.00 are above 0.5 and 0.8", "cdabef"),
        ("", SIZES, (3, 2, 9, 8, 9.5, 99),
         "the budget of 5 of 6 candidates examined: margin 0.500, agreement 0.50 are not both above 0.5 and",
         "ecdabf"),
        # all entered: the scores are those of before
        ("", ALL, (1, 1.25, 1, 1, 1, 1),
         "all of 6 candidates examined: margin 0.250, agreement 0.20 are not both above 0.5 and 0.8", "b"),
        ("ab", SIZES, (2.5, 2, 1, 1, 1, 1), "the budget of 5", "ab"),  # a margin of .5 does not exceed .5
        ("ab", LOWER, (2.5, 2, 1, 1, 1, 1), "halted at 2", "ab"),
        ("ab", TWO_THIRDS, (2.5, 2, 1, 1, 1, 1), "all of 6", "ab"),
        ("ab", OTHER_GRAPH, (3, 2, 1, 1, 1, 1), "the budget of 5", "ab"),
    ],
)  # fmt: skip
def test_how_many_are_examined(
    fresh: Make, run: Make, document: Make, same: str, stage: BudgetedRerank, score: tuple[float, ...],
    note: str, order: str,
) -> None:  # fmt: skip
    """Who was not examined is below the lowest of the others, as far as the column of entry tells."""
    given = dict(zip(ENTRY, map(float, score), strict=True))
    told = Columns(("score", "entry"), {name: (given[name], ENTRY[name]) for name in ENTRY})
    others = iter(ALONE + [f"{each} and then some more" for each in ALONE])
    texts = {name: f"{REPORT} says {name}" if name in same else next(others) for name in ENTRY}
    with fresh(*(document(name, text, "2001") for name, text in texts.items())) as corpus:
        results = run(corpus, "x", Everything(), told, stage, TopK())
        shown = {hit.document: hit.score for hit in results.hits}
        assert results.notes[-1].startswith(note)
        assert "".join(shown).startswith(order)
        examined = "abcdef"[: results.halting.examined]
        below = [given[name] for name in examined]
        assert shown == {
            name: given[name] if name in examined else min(below) + (ENTRY[name] - ENTRY[examined[-1]])
            for name in ENTRY
        }


def test_sizes_that_are_refused() -> None:
    recipe = Recipe("test", "", (BudgetedRerank(),))
    for sizes in ([1, 2, 3], [9, 9, 9]):
        found = recipe.replaced({"budgeted_rerank.sizes": sizes}).stages
        assert found == (BudgetedRerank(sizes=tuple(sizes)),)
    for sizes in ([0, 60, 100], [30, 29, 100], [100, 60, 30], [-1, 0, 1]):
        with pytest.raises(UsageError, match="sizes are 1 or more and never fall"):
            recipe.replaced({"budgeted_rerank.sizes": sizes})
    for wrong in ([30, 60], [30, 60.5, 100], 30):
        with pytest.raises(UsageError, match=r"recipe test: budgeted_rerank\.sizes"):
            recipe.replaced({"budgeted_rerank.sizes": wrong})
