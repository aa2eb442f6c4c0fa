"""Recipes with other values of their fields."""

from __future__ import annotations

import pytest

from asof.errors import UsageError
from asof.evaluate.overrides import changed
from asof.rank.recipe import value_of
from asof.recipes import named
from asof.recipes.asof import ASOF
from asof.recipes.twe import TWE


def test_fields_and_numbers_of_their_tables():
    made = changed(TWE, {"decay.delta": 1, "combine-2.weights.centrality": 0.3})
    assert value_of(made, "decay.delta") == 1.0
    assert value_of(made, "combine-2.weights.centrality") == 0.3


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("decay.dleta", 1, r"recipe twe has no field decay\.dleta; did you mean decay\.delta"),
        ("decay.delta", 99, r"decay\.delta = 99"),
        ("combine-2.weights.centrality", "many", "a number is expected"),
        ("combine-2.weights.centrality", True, "a number is expected"),
    ],
)
def test_what_cannot_be_set(name, value, message):
    with pytest.raises(UsageError, match=message):
        changed(TWE, {name: value})


def test_nothing_to_change_is_the_same_recipe():
    for name in ("asof", "twe", "vault", "tempralm"):
        recipe = named(name)
        assert changed(recipe, {}) == recipe
    assert changed(ASOF, {"typed": True}).typed
