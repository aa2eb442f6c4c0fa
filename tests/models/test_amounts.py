"""Amounts and budgets in words: no power of ten, no zeros where something is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.models.metered import TOKENS, USD, amount, budget_text, number


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00005, USD, "0.00005 USD"),
        (0.000051239, USD, "0.0000512 USD"),
        (0.0, USD, "0 USD"),
        (0.02, USD, "0.02 USD"),
        (1234.5, USD, "1,234.5 USD"),
        (1_234_567, TOKENS, "1,234,567 tokens"),
        (1_234_567.0, TOKENS, "1,234,567 tokens"),
        (1e9, TOKENS, "1,000,000,000 tokens"),
        (0.05, TOKENS, "0.05 tokens"),
    ],
)
def test_amounts(value, unit, text):
    assert amount(value, unit) == text


def test_a_budget_of_tokens_says_why_it_is_one():
    assert budget_text(0.05, TOKENS) == "0.05 tokens (a budget is of tokens where [model] has no prices)"
    assert budget_text(0.05, USD) == "0.05 USD"


@given(st.floats(1e-12, 1e9))
def test_at_least_two_digits_tell(value):
    text = number(value, USD).replace(",", "")
    assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)
    assert float(text) == pytest.approx(value, rel=0.005)
