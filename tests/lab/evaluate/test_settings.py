"""Recipes with other values of their fields, and values on a command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.lab.experiments import changed, parsed, split
from asof.extensions.systems.recipes import TWE
from asof.rank.stage import value_of
from asof.recipes import ASOF, named


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


@given(st.one_of(st.integers(-(2**60), 2**60), st.floats(-1e9, 1e9), st.booleans()))
def test_a_number_comes_back_as_it_was_written(value):
    assert parsed(str(value).lower() if isinstance(value, bool) else repr(value)) == value


def test_a_value_cannot_hold_further_keys():
    assert parsed("1\nother = 2") == "1\nother = 2"
    assert parsed("2024-01-01") == "2024-01-01"


def test_name_and_value():
    assert split(" decay.delta = 1 ") == ("decay.delta", "1")
    for text in ("decay.delta", "=1", "decay.delta="):
        with pytest.raises(UsageError, match="name=value is expected"):
            split(text)
