"""Stages before a budget see the candidates that entered; what is found is that of ranking all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import engine
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.extensions.systems.budget import BudgetedRerank
from asof.extensions.systems.recipes import TWE
from asof.extensions.systems.stages import Centrality, Decay
from asof.index.view import View
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.gather import Lexical, Pool, TopK
from asof.rank.rerank import Batches, batched
from asof.rank.stage import Ranking, Recipe, Traits
from asof.recipes import by_document
from asof.values import Query
from asof.wire import encode

Make = Callable[..., Any]

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


def asked(k: int = 99) -> Query:
    return Query("the ferry", "the ferry", k=k, stop_words=True)


@pytest.mark.parametrize(
    ("margin", "sizes", "seen"),
    [
        (0.0, (5, 9, 17), [5]),  # certain at once: the five agree, and 1.5 > 0
        (9.0, (5, 9, 17), [5, 4, 8]),  # never certain: 17 in all, and none twice
        (9.0, (5, 9), [5, 4]),
        (9.0, (4, 4, 30), [4, 13]),  # a size that brings nobody new
    ],
)
def test_later_stages_see_later_candidates(
    harbour: Corpus, margin: float, sizes: tuple[int, ...], seen: list[int]
) -> None:
    counted = Counted()
    results = engine.search(asked(), harbour.at().view(), recipe(counted, margin=margin, sizes=sizes))
    assert counted.seen == seen
    halting = results.halting
    assert halting is not None
    assert (halting.scored, halting.examined) == (sum(seen), sum(seen))
    assert halting.candidates == 17
    assert halting.budget == min(17, sizes[-1])
    assert halting.saved == pytest.approx(1 - sum(seen) / halting.budget)
    assert halting.halted is (margin == 0.0)
    assert results.notes[-1] == halting.reason


def test_the_note_names_what_was_saved(harbour: Corpus) -> None:
    """1 - 5 / 10 of the budget."""
    found = engine.search(asked(), harbour.at().view(), recipe(Counted(), margin=0.0, sizes=(5, 10)))
    assert found.notes[-1].startswith("halted at 5 of 17 candidates: margin ")
    assert found.notes[-1].endswith(" are above 0 and 0.8; 50% of the budget of 10 was saved")


@given(
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=4).map(sorted), margin=st.floats(0.0, 3.0),
    agreement=st.floats(0.0, 1.0), first=st.integers(2, 6), year=st.integers(1995, 2006),
    documents=st.booleans(),
)  # fmt: skip
def test_batches_find_what_ranking_all_finds(
    harbour: Corpus, sizes: list[int], margin: float, agreement: float, first: int, year: int, documents: bool
) -> None:
    """The same candidates with the same scores, trees and halting, whatever the budget, as of any time."""
    view = harbour.at(str(year)).view()
    budget = {"sizes": tuple(sizes), "margin": margin, "agreement": agreement, "first": first}
    chosen = recipe(Counted(), **budget)
    chosen = by_document(chosen) if documents else chosen
    expected, found = one_by_one(asked(), view, chosen), engine.search(asked(), view, chosen)
    assert found.rows == tuple(expected.rows.tolist())
    assert [hit.score for hit in found] == expected.score.tolist()
    trees = [encode(expected.scores.why(at)) for at in range(expected.count)]
    assert [encode(hit.why) for hit in found] == trees
    assert (found.halting is None) is (expected.halting is None)
    if found.halting is not None and expected.halting is not None:
        assert found.halting.examined == expected.halting.examined
        assert expected.halting.scored == expected.halting.candidates, "all were ranked"
        assert expected.halting.saved == 0.0
        assert replace(found.halting, scored=0, reason="") == replace(expected.halting, scored=0, reason="")


def test_twe_ranks_in_batches() -> None:
    """Centrality, decay and the sum are left to the budget; the parts before it look at all passages."""
    steps = [stage for stage, _ in batched(TWE, asked())]
    batches = [each for each in steps if isinstance(each, Batches)]
    assert len(batches) == 1
    assert [type(stage).__name__ for stage, _ in batches[0].steps] == ["Centrality", "Decay", "Combine"]
    assert [type(stage).__name__ for stage in steps[:5]] == [
        "Lexical", "MaxNormalize", "Latent", "Combine", "Pool",
    ]  # fmt: skip


def test_a_later_stage_that_looks_for_a_column_gets_all_of_it(harbour: Corpus) -> None:
    """A sum after the budget reads `decay`, which candidates that never entered would not have."""
    counted = Counted()
    chosen = recipe(counted, margin=0.0, sizes=(5, 9))
    after = replace(chosen, stages=(*chosen.stages[:-1], Combine((("decay", 1.0),), "age"), TopK()))
    found = engine.search(asked(), harbour.at().view(), after)
    assert counted.seen == [17]
    assert found.halting is not None
    assert (found.halting.examined, found.halting.scored, found.halting.saved) == (5, 17, 0.0)
    assert found.rows == tuple(one_by_one(asked(), harbour.at().view(), after).rows.tolist())


@pytest.mark.parametrize("by", ["unified", "decay"])
def test_candidates_that_enter_by_what_the_stages_make(harbour: Corpus, by: str) -> None:
    """The column of entry is made by the stages themselves: all go through them first."""
    counted = Counted()
    stages = recipe(counted, margin=0.0, sizes=(5, 9)).stages
    stages = (*stages[:-2], BudgetedRerank(by=by, sizes=(5, 9), first=2, margin=0.0), stages[-1])
    chosen = Recipe("late", "late", stages)
    found = engine.search(asked(), harbour.at().view(), chosen)
    assert counted.seen == [17]
    assert found.rows == tuple(one_by_one(asked(), harbour.at().view(), chosen).rows.tolist())


def test_a_stage_that_makes_the_column_of_entry_anew(harbour: Corpus) -> None:
    """`normalized` is there before, and again after: what counts is the later one."""
    counted = Counted()
    stages = recipe(counted, margin=0.0, sizes=(5, 9)).stages
    again = Combine((("decay", 1.0),), "normalized")
    chosen = Recipe("anew", "anew", (*stages[:5], again, *stages[5:]))
    found = engine.search(asked(), harbour.at().view(), chosen)
    assert counted.seen[-1] == 17
    assert found.rows == tuple(one_by_one(asked(), harbour.at().view(), chosen).rows.tolist())


def test_a_stage_that_drops_candidates_is_not_alone(harbour: Corpus) -> None:
    """It leaves the first five, and of the next four three."""

    @dataclass(frozen=True)
    class Drops:
        traits: ClassVar = Traits(alone=True)

        def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
            return ranking.keep(np.arange(3)) if ranking.count == 4 else ranking

    stages = recipe(Counted(), margin=9.0, sizes=(5, 9)).stages
    with pytest.raises(ValueError, match="4 candidates went in, 3 came out"):
        engine.search(asked(), harbour.at().view(), Recipe("drops", "", (*stages[:4], Drops(), *stages[4:])))


def test_no_candidates(harbour: Corpus) -> None:
    found = engine.search(Query("penguin", "penguin"), harbour.at().view(), recipe(Counted(), sizes=(5, 9)))
    assert (len(found), found.halting) == (0, None)


def test_an_unknown_column_is_named(harbour: Corpus) -> None:
    stages = recipe(Counted()).stages
    stages = (*stages[:-2], BudgetedRerank(by="nobody"), stages[-1])
    with pytest.raises(UsageError, match="no column 'nobody'"):
        engine.search(asked(), harbour.at().view(), Recipe("unknown", "", stages))
