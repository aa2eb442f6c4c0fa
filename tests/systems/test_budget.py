"""Re-ranking on a budget: the table of TWE-RAG, and batches before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.ranking import Columns

from asof import engine
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.systems.budget import BudgetedRerank, Uncertainty
from asof.extensions.systems.recipes import TWE
from asof.extensions.systems.stages import Centrality, Decay
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import Everything, Lexical, Pool, TopK
from asof.rank.rerank import Batches, batched
from asof.rank.stage import Ranking, Recipe, Traits
from asof.recipes import by_document
from asof.wire import encode, replace

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


# -- stages before a budget see the candidates that entered ----------------------------------------


FERRY = "the ferry to the mainland leaves at seven"
OTHERS = ["goats", "rope", "kale", "fog", "bread", "nets", "oats", "rye", "salt", "tar", "wool", "bells"]


@pytest.fixture(scope="module")
def harbour(fresh: Make, document: Make) -> Iterator[Corpus]:
    """Five documents that corroborate each other, and twelve others that name the ferry."""
    same = [document(f"same {at}", f"{FERRY} says note {at}", f"200{at}") for at in range(5)]
    apart = [
        document(f"other {at}", f"the ferry and {word} {'and more ' * at}", f"{1985 + at}")
        for at, word in enumerate(OTHERS)
    ]
    with fresh(*same, *apart) as corpus:
        yield corpus


@dataclass(frozen=True)
class Counted:
    """Notes which candidates it is given; changes nothing."""

    seen: list[int] = field(default_factory=list, compare=False)
    traits: ClassVar = Traits(alone=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        self.seen.append(ranking.count)
        return ranking


CENTRALITY = Centrality()


def recipe(counted: Counted, **budget: Any) -> Recipe:
    stages = (
        Lexical(), MaxNormalize("lexical"), Pool(100), CENTRALITY, Decay(), counted,
        Combine((("normalized", 1.0), ("centrality", 0.5), ("decay", 1.0)), "unified"),
        BudgetedRerank(by="normalized", **{"first": 2, **budget}), TopK(),
    )  # fmt: skip
    return Recipe("counted", "counted", stages)


def one_by_one(query: Query, view: View, recipe: Recipe) -> Ranking:
    """What is defined: every stage over all candidates."""
    ranking = Ranking(view.window(query.filters))
    for _, stage, own in recipe.steps(query):
        ranking = stage(own, ranking, view)
    return ranking


def ferries_asked(k: int = 99) -> Query:
    return Query("the ferry", "the ferry", k=k, stop_words=True)


@pytest.mark.parametrize(
    ("margin", "sizes", "seen"),
    [
        (0.0, (5, 10), [5]),  # certain at once: the five agree, and 1.5 > 0
        (9.0, (5, 9, 17), [5, 4, 8]),  # never certain: 17 in all, and none twice
        (9.0, (5, 9), [5, 4]),
        (9.0, (4, 4, 30), [4, 13]),  # a size that brings nobody new
    ],
)
def test_later_stages_see_later_candidates(
    harbour: Corpus, margin: float, sizes: tuple[int, ...], seen: list[int]
) -> None:
    counted = Counted()
    results = engine.search(ferries_asked(), harbour.at().view(), recipe(counted, margin=margin, sizes=sizes))
    assert counted.seen == seen
    halting = results.halting
    assert halting is not None
    assert (halting.scored, halting.examined) == (sum(seen), sum(seen))
    assert halting.candidates == 17
    assert halting.budget == min(17, sizes[-1])
    assert halting.saved == pytest.approx(1 - sum(seen) / halting.budget)
    assert halting.halted is (margin == 0.0)
    assert results.notes[-1] == halting.reason
    if sizes == (5, 10):  # 1 - 5 / 10 of the budget
        assert halting.reason.startswith("halted at 5 of 17 candidates: margin ")
        assert halting.reason.endswith(" are above 0 and 0.8; 50% of the budget of 10 was saved")


@given(
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4).map(sorted), margin=st.floats(0.0, 3.0),
    agreement=st.floats(0.0, 1.0), first=st.integers(2, 6), year=st.integers(1995, 2006),
    documents=st.booleans(), k=st.integers(1, 17),
)  # fmt: skip
def test_batches_find_what_ranking_all_finds(
    harbour: Corpus, sizes: list[int], margin: float, agreement: float, first: int, year: int,
    documents: bool, k: int,
) -> None:  # fmt: skip
    """The same candidates with the same scores, trees and halting, whatever the budget, as of any time; the
    first do not depend on k."""
    view = harbour.at(str(year)).view()
    budget = {"sizes": tuple(sizes), "margin": margin, "agreement": agreement, "first": first}
    chosen = recipe(Counted(), **budget)
    chosen = by_document(chosen) if documents else chosen
    expected, found = one_by_one(ferries_asked(), view, chosen), engine.search(ferries_asked(), view, chosen)
    assert found.rows == tuple(expected.rows.tolist())
    assert [hit.score for hit in found] == expected.score.tolist()
    trees = [encode(expected.scores.why(at)) for at in range(expected.count)]
    assert [encode(hit.why) for hit in found] == trees
    few = engine.search(ferries_asked(k), view, chosen)
    assert [(hit.id, hit.score, hit.why) for hit in few] == [
        (hit.id, hit.score, hit.why) for hit in list(found)[:k]
    ]
    assert few.notes == found.notes
    assert (found.halting is None) is (expected.halting is None)
    if found.halting is not None and expected.halting is not None:
        assert found.halting.examined == expected.halting.examined
        assert expected.halting.scored == expected.halting.candidates, "all were ranked"
        assert expected.halting.saved == 0.0
        assert replace(found.halting, scored=0, reason="") == replace(expected.halting, scored=0, reason="")


def test_twe_ranks_in_batches() -> None:
    """Centrality, decay and the sum are left to the budget; the parts before it look at all passages."""
    steps = [stage for stage, _ in batched(TWE, ferries_asked())]
    batches = [each for each in steps if isinstance(each, Batches)]
    assert len(batches) == 1
    assert [type(stage).__name__ for stage, _ in batches[0].steps] == ["Centrality", "Decay", "Combine"]
    assert [type(stage).__name__ for stage in steps[:5]] == [
        "Lexical", "MaxNormalize", "Latent", "Combine", "Pool",
    ]  # fmt: skip


COUNTED = Counted()
BATCHED = recipe(COUNTED, margin=0.0, sizes=(5, 9)).stages


@pytest.mark.parametrize(
    "stages",
    [
        # a sum after the budget reads `decay`, which candidates that never entered would not have
        (*BATCHED[:-1], Combine((("decay", 1.0),), "age"), TopK()),
        # `normalized` is there before, and again after: what counts is the later one
        (*BATCHED[:5], Combine((("decay", 1.0),), "normalized"), *BATCHED[5:]),
    ],
)
def test_a_later_stage_that_looks_for_a_column_gets_all_of_it(harbour: Corpus, stages: Any) -> None:
    chosen, view = Recipe("later", "", stages), harbour.at().view()
    COUNTED.seen.clear()
    found = engine.search(ferries_asked(), view, chosen)
    assert COUNTED.seen[-1] == 17
    assert found.halting is not None
    assert (found.halting.scored, found.halting.saved) == (17, 0.0)
    assert found.rows == tuple(one_by_one(ferries_asked(), view, chosen).rows.tolist())


def test_a_stage_that_drops_candidates_is_not_alone(harbour: Corpus) -> None:
    """It leaves the first five, and of the next four three."""

    @dataclass(frozen=True)
    class Drops:
        traits: ClassVar = Traits(alone=True)

        def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
            return ranking.keep(np.arange(3)) if ranking.count == 4 else ranking

    stages = recipe(Counted(), margin=9.0, sizes=(5, 9)).stages
    with pytest.raises(ValueError, match="4 candidates went in, 3 came out"):
        engine.search(
            ferries_asked(), harbour.at().view(), Recipe("drops", "", (*stages[:4], Drops(), *stages[4:]))
        )
