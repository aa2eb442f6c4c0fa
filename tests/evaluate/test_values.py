"""Values on a command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.evaluate.values import listed, parsed, split


@given(st.lists(st.one_of(st.integers(-(2**60), 2**60), st.floats(-1e9, 1e9), st.booleans()), min_size=1))
def test_numbers_come_back_as_they_were_written(values):
    text = ",".join(str(value).lower() if isinstance(value, bool) else repr(value) for value in values)
    assert listed(text) == values


def test_commas_inside_of_brackets_and_quotes_do_not_part():
    assert listed("[30, 60, 100],[10,20]") == [[30, 60, 100], [10, 20]]
    assert listed('{lexical = 1, latent = 2},"a,b",c') == [{"lexical": 1, "latent": 2}, "a,b", "c"]


@pytest.mark.parametrize("text", ["1,", "", ",1", "[1,2", '"a'])
def test_what_is_no_list_of_values_is_refused(text):
    with pytest.raises(UsageError):
        listed(text)


def test_a_value_cannot_hold_further_keys():
    assert parsed("1\nother = 2") == "1\nother = 2"
    assert parsed("2024-01-01") == "2024-01-01"


def test_name_and_value():
    assert split(" decay.delta = 1 ") == ("decay.delta", "1")
    for text in ("decay.delta", "=1", "decay.delta="):
        with pytest.raises(UsageError, match="name=value is expected"):
            split(text)
