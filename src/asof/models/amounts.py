"""Amounts of money and tokens, and budgets of them, as they are shown."""

from __future__ import annotations

import math

USD, TOKENS = "USD", "tokens"

OF_TOKENS = "a budget is of tokens where [model] has no prices"
"""What a message on a budget of tokens says, for who meant dollars."""

_DECIMALS, _DIGITS = 4, 3


def number(value: float, unit: str) -> str:
    """An amount without its unit. Dollars have four decimals, small ones more, so that three digits tell.

    >>> number(0.0256, USD), number(0.00005, USD), number(1.5, USD), number(0.0, USD)
    ('0.0256', '0.00005', '1.5', '0')
    >>> number(1234567, TOKENS), number(0.05, TOKENS)
    ('1,234,567', '0.05')
    """
    if unit == TOKENS:
        return f"{value:,.15g}"
    if 0 < abs(value) < 1e-12:
        return f"{value:.{_DIGITS}g}"
    small = 0 if not value else _DIGITS - 1 - math.floor(math.log10(abs(value)))
    digits = f"{value:,.{max(_DECIMALS, small)}f}"
    return digits.rstrip("0").rstrip(".")


def amount(value: float, unit: str) -> str:
    """`0.0256 USD`, `1,234,567 tokens`."""
    return f"{number(value, unit)} {unit}"


def budget_text(value: float, unit: str) -> str:
    """A budget; one of tokens says why it is one."""
    return f"{amount(value, unit)}{f' ({OF_TOKENS})' if unit == TOKENS else ''}"
