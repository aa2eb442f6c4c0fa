"""Other values of fields: one recipe for each combination."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.evaluate.overrides import Setting, changed, in_words, with_settings
from asof.rank.recipe import value_of
from asof.recipes import named
from asof.recipes.asof import ASOF
from asof.recipes.tempralm import TEMPRALM
from asof.recipes.twe import TWE


def read(*texts):
    return [Setting.read(text) for text in texts]


def test_one_value_changes_the_recipe_itself_and_its_name_says_so():
    (variant,) = with_settings([TWE], read("decay.delta=1", "combine-2.weights.centrality=.3"))
    assert variant.base == ""
    assert variant.recipe.name == "twe delta=1 centrality=0.3"
    assert value_of(variant.recipe, "decay.delta") == 1.0
    assert value_of(variant.recipe, "combine-2.weights.centrality") == 0.3


def test_its_own_value_leaves_the_name():
    (variant,) = with_settings([TWE], read("decay.delta=2.5"))
    assert variant.recipe == TWE


def test_a_field_is_set_once():
    with pytest.raises(UsageError, match=r"--set decay.delta is given twice for twe; name all .*=A,B"):
        with_settings([TWE], read("decay.delta=0", "decay.delta=1"))


def test_one_value_and_several():
    variants = with_settings([TWE], read("decay.delta=0", "decay.tau_min=90,365"))
    assert [(each.recipe.name, each.base) for each in variants] == [
        ("twe delta=0", ""), ("twe delta=0 tau_min=365", "twe delta=0"),
    ]  # fmt: skip


def test_every_combination_but_that_of_the_recipe_itself():
    # twe has delta 2.5, tau_min 90: 2 x 2 combinations, of which one is the recipe
    variants = with_settings([TWE], read("decay.delta=0,2.5", "decay.tau_min=90,365"))
    assert [each.recipe.name for each in variants] == [
        "twe", "twe delta=0 tau_min=90", "twe delta=0 tau_min=365", "twe delta=2.5 tau_min=365",
    ]  # fmt: skip
    assert {each.base for each in variants[1:]} == {"twe"}
    assert variants[3].values == {"decay.delta": 2.5, "decay.tau_min": 365}


@given(
    st.lists(st.floats(0, 10), min_size=2, max_size=4, unique=True),
    st.lists(st.integers(1, 3650), min_size=2, max_size=4, unique=True),
)
def test_each_variant_has_the_values_that_it_says(deltas, days):
    texts = (f"decay.delta={','.join(map(repr, deltas))}", f"decay.tau_max={','.join(map(str, days))}")
    first, *variants = with_settings([TWE], read(*texts))
    assert first.recipe == TWE
    own = {(value_of(TWE, "decay.delta"), value_of(TWE, "decay.tau_max"))}
    seen = {tuple(value_of(each.recipe, name) for name in each.values) for each in variants}
    assert seen == set(product(deltas, map(float, days))) - own


def test_a_setting_is_of_the_recipes_that_have_the_field_or_of_the_one_that_it_names():
    twe, ralm = with_settings([TWE, TEMPRALM], read("gap.floor=2", "twe:pool.n=50"))
    assert value_of(ralm.recipe, "gap.floor") == 2.0
    assert (value_of(twe.recipe, "pool.n"), value_of(ralm.recipe, "pool.n")) == (50, 100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("decay.dleta=1", r"recipe twe has no field decay\.dleta; did you mean decay\.delta"),
        ("vault:backlinks.weight=1", "vault is not evaluated; twe is"),
        ("decay.delta=99", r"decay\.delta = 99"),
        ("combine-2.weights.centrality=many", "a number is expected"),
        ("combine-2.weights.centrality=true", "a number is expected"),
        (f"decay.delta={','.join(f'{n / 500}' for n in range(1_500))}", "1,500 combinations; at most 1,000"),
        (":decay.delta=1", "a recipe is expected before the colon"),
    ],
)
def test_what_cannot_be_set(text, message):
    with pytest.raises(UsageError, match=message):
        with_settings([TWE], read(text))


def test_names_that_would_be_the_same_are_whole():
    assert in_words({"a.k": 1, "b.k": [1, 2]}) == "a.k=1 b.k=[1,2]"


def test_nothing_to_change_is_the_same_recipe():
    for name in ("asof", "twe", "vault", "tempralm"):
        recipe = named(name)
        assert changed(recipe, {}) == recipe
    assert changed(ASOF, {"typed": True}).typed
