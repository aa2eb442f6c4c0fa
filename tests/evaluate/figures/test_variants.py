"""Recipes without a part, and with other numbers."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.data import Query
from asof.evaluate.components import without
from asof.evaluate.figures.variants import (
    CANDIDATES,
    ablations,
    budgets,
    limit,
    sensitivities,
    values_around,
)
from asof.index.view import View
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import Pool, TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.combine.weighted_sum import Combine
from asof.rank.features.backlinks import Backlinks
from asof.rank.features.gap import Gap
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback
from asof.rank.features.tiers import RecencyTiers
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import BudgetedRerank
from asof.rank.rerank.round_robin import RoundRobinByDocument
from asof.rank.rerank.time_preference import TimePreference
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.recipes import NAMES, named
from asof.schema import within

TWE, ASOF = named("twe"), named("asof")


def stages(recipe: Recipe) -> dict[str, Any]:
    """The stages by name, whatever fields they have."""
    return recipe.stages_by_name()


def kinds(recipe):
    return [type(stage) for stage in recipe.stages]


def test_each_weight_of_a_sum_is_put_to_0_alone():
    found = ablations(TWE)
    own = stages(TWE)["combine-2"].weights
    assert own == (("hybrid", 1.0), ("centrality", 0.5), ("decay", 1.0))
    for column, called in (
        ("hybrid", "without words and latent semantics"),
        ("centrality", "without centrality"),
        ("decay", "without decay"),
    ):
        expected = tuple((name, 0.0 if name == column else weight) for name, weight in own)
        variant = found[called]
        assert stages(variant)["combine-2"].weights == expected
        assert {**variant.stages_by_name(), "combine-2": None} == {**TWE.stages_by_name(), "combine-2": None}
    assert stages(found["without words"])["combine"].weights == (("normalized", 0.0), ("latent", 1.0))
    assert stages(found["without latent semantics"])["combine"].weights == (
        ("normalized", 1.0),
        ("latent", 0.0),
    )


@pytest.mark.parametrize(
    ("recipe", "called", "stage"),
    [
        ("twe", "without pool", Pool),
        ("twe", "without budget", BudgetedRerank),
        ("vault", "without backlinks", Backlinks),
        ("vault", "without steps of age", RecencyTiers),
        ("tempralm", "without closeness in time", Gap),
        ("asof", "without feedback", PseudoRelevanceFeedback),
        ("asof", "without time", TimePreference),
        ("asof", "without turns", RoundRobinByDocument),
    ],
)
def test_a_stage_is_left_out_and_all_others_stay(recipe, called, stage):
    whole = named(recipe)
    assert kinds(ablations(whole)[called]) == [kind for kind in kinds(whole) if kind is not stage]


def test_what_knew_a_stage_that_is_left_out_knows_the_next_one():
    lexical, _, feedback, *rest = ASOF.stages
    assert stages(ASOF)["early_termination"].then == feedback
    assert ablations(ASOF)["without feedback"].stages == (
        lexical, dataclasses.replace(stages(ASOF)["early_termination"], then=None), *rest,
    )  # fmt: skip
    first: Any = EarlyTermination(dense=0.1)
    second: Any = EarlyTermination(dense=0.2)
    third: Any = EarlyTermination(dense=0.3)
    second = dataclasses.replace(second, then=third)
    first = dataclasses.replace(first, then=second)
    chain = Recipe("chain", "", (lexical, first, second, third, TopK()))
    knowing = dataclasses.replace(first, then=third)
    assert without(chain, second).stages == (lexical, knowing, third, TopK())
    alone = dataclasses.replace(second, then=None)
    last = dataclasses.replace(first, then=alone)
    assert without(chain, third).stages == (lexical, last, alone, TopK())


def test_the_last_summand_is_no_part_and_neither_are_vectors_that_are_not_there():
    assert "without vectors" in ablations(ASOF)
    assert list(ablations(ASOF, vectors=False)) == [
        "without feedback", "without words", "without query coverage", "without title",
        "without neighbouring text", "without just published",
        "without named times", "without time", "without turns", "without names",
    ]  # fmt: skip
    alone = Recipe("one", "", (Lexical(), Combine((("lexical", 1.0), ("dense", 0.0))), TopK()))
    assert ablations(alone) == {}


def test_what_is_off_already_is_no_part():
    off = Recipe("off", "", (Lexical(), Backlinks(0.0), RecencyTiers(values=(1.0,) * 4), TopK()))
    assert ablations(off) == {}


@pytest.mark.parametrize("fusion", [Combine, ReciprocalRank])
def test_every_kind_of_sum_has_parts(fusion):
    pairs = (("lexical", 1.0), ("dense", 0.5))
    found = ablations(Recipe("two", "", (Lexical(), Dense(), fusion(pairs), TopK())))
    assert [variant.stages[2] for variant in found.values()] == [
        fusion((("lexical", 0.0), ("dense", 0.5))),
        fusion((("lexical", 1.0), ("dense", 0.0))),
    ]
    assert list(found) == ["without words", "without vectors"]


def test_names_are_not_given_twice():
    twice = Combine((("lexical", 1.0), ("dense", 0.5)), "first"), Combine((("lexical", 1.0), ("first", 0.5)))
    found = ablations(Recipe("two", "", (Lexical(), Dense(), *twice, TopK())))
    assert list(found) == [
        "without words",
        "without vectors",
        "without words (combine-2)",
        "without words and vectors",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_number_takes_five_to_seven_values_and_its_own(name):
    recipe = named(name)
    fields = dict(recipe.fields())
    also = {each.field: each.also for each in recipe.tunable.ranges}
    for key, settings in sensitivities(recipe).items():
        values = [value for value, _ in settings]
        assert values == sorted(set(values))
        assert 5 <= len(values) <= 7
        stage, _, field = key.partition(".")
        field, _, column = field.partition(".")
        for value, variant in settings:
            own = getattr(stages(variant)[stage], field)
            assert (dict(own)[column] if column else own) == value
            changed = {at for at, old in fields.items() if dict(variant.fields())[at] != old}
            assert changed == (set() if variant == recipe else {f"{stage}.{field}", *also.get(key, ())})
        assert [variant for _, variant in settings].count(recipe) == 1


def test_which_numbers_are_varied():
    assert list(sensitivities(TWE)) == [
        "decay.delta",
        "decay.tau_min",
        "decay.tau_max",
        "decay.general",
        "combine-2.weights.centrality",
    ]
    assert list(sensitivities(ASOF)) == [
        "combine.weights.just_published",
        "requested_time.time_weight",
        "time_preference.recency_weight",
        "time_preference.tie_margin",
        "time_preference.termination_penalty",
        "time_preference.cautious_margin",
    ]
    assert list(sensitivities(named("papers"))) == ["freshness.rate", "combine.weights.freshness"]
    assert sensitivities(Recipe("words", "", (Lexical(), TopK()))) == {}
    # a stage that knows the changed one gets to know it
    tiers: Any = RecencyTiers()
    knowing = Recipe("knowing", "", (Lexical(), EarlyTermination(then=tiers), tiers, TopK()))
    changed = knowing.replaced({"recency_tiers.values": [1, 1, 1, 1]})
    assert stages(changed)["early_termination"].then == stages(changed)["recency_tiers"] != tiers


def test_values_rise_by_factors_of_three_in_a_wide_range():
    assert sorted(values_around(90.0, 0.1, 100_000.0)) == [3.33, 10, 30, 90, 270, 810, 2430]
    assert sorted(values_around(0.1, 0.1, 100_000.0)) == pytest.approx([0.1 * 3**n for n in range(7)])
    assert sorted(values_around(2.5, 0.0, 10.0)) == [0, 0.625, 1.25, 2.5, 3.75, 5, 10]
    assert sorted(values_around(0.0, 0.0, 1.0)) == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert all(isinstance(value, int) for value in values_around(60, 1, 1_000))


@given(st.data())
def test_values_are_within_their_range(data):
    low = data.draw(st.sampled_from([0.0, 0.0001, 0.1, 1.0]))
    high = low + data.draw(st.floats(0.5, 1e6))
    present = data.draw(st.floats(low, high))
    found = values_around(present, low, high)
    assert present in found
    assert len(found) == len(set(found)) <= 7
    assert all(low <= value <= high for value in found)


def test_as_many_candidates_as_are_wanted():
    assert limit(TWE) == ("budgeted_rerank.sizes", (30, 60, 100))
    assert {n: stages(each)["budgeted_rerank"].sizes for n, each in budgets(TWE).items()} == {
        n: (n, n, n) for n in CANDIDATES
    }
    assert [stages(each)["pool"].n for each in budgets(named("tempralm")).values()] == list(CANDIDATES)
    assert [stages(each)["reciprocal_rank"].depth for each in budgets(named("vault")).values()] == list(
        CANDIDATES
    )
    assert budgets(ASOF) == {}
    assert limit(ASOF) is None


@dataclasses.dataclass(frozen=True, slots=True)
class NoWordsAgain:
    """A signal as somebody adds it."""

    near: float = within(2.0, 0.0, 8.0)
    traits: ClassVar = Traits(part="nearness", varied=("near", "weights"))

    @property
    def off(self) -> bool:
        return self.near == 0.0

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking


def test_a_new_signal_says_itself_what_it_is():
    weighed = Combine((("lexical", 1.0), ("no_words_again", 0.5)))
    recipe = Recipe("new", "", (Lexical(), NoWordsAgain(), weighed, TopK()))
    assert list(ablations(recipe)) == ["without nearness", "without words", "without no_words_again"]
    assert list(sensitivities(recipe)) == ["no_words_again.near", "combine.weights.no_words_again"]
    off = dataclasses.replace(recipe, stages=(Lexical(), NoWordsAgain(0.0), TopK()))
    assert ablations(off) == {}
