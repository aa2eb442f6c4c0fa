"""Values on a command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.evaluate.values import parsed, split


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
