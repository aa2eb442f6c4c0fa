"""When a batch stops: failures in a row, a refusal, a deadline; and what is raised at its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import ModelError
from asof.http import CircuitBreaker, NotSent


def stopped(breaker: CircuitBreaker) -> bool:
    try:
        breaker.left()
    except NotSent:
        return True
    return False


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 5))
def test_it_stops_at_the_first_row_of_failures(replied: list[bool], most: int) -> None:
    breaker, row, due = CircuitBreaker(most), 0, False
    for good in replied:
        if good:
            breaker.succeeded()
        else:
            breaker.failed("no flour")
        row = 0 if good else row + 1
        due = due or row >= most  # once stopped it stays so
        assert stopped(breaker) == due


def test_it_says_why() -> None:
    breaker = CircuitBreaker(2)
    breaker.failed("first")
    assert breaker.left() == float("inf")
    breaker.failed("second")
    breaker.failed("third")
    with pytest.raises(
        NotSent, match=r"^not sent: 2 prompts in a row got no reply, the last one because second$"
    ):
        breaker.left()


def test_a_refusal_is_raised_at_the_end_the_first_one() -> None:
    breaker = CircuitBreaker(5)
    first = ModelError("wrong key")
    breaker.refused(first)
    breaker.refused(ModelError("other"))
    with pytest.raises(NotSent, match=r"^not sent: wrong key$"):
        breaker.left()
    with pytest.raises(ModelError) as raised:
        breaker.settle()
    assert raised.value is first


def test_nobody_there_is_an_error_only_if_nobody_ever_was() -> None:
    alone = CircuitBreaker(5)
    alone.failed("refused", absent=True)
    with pytest.raises(ModelError, match=r"^refused$"):
        alone.settle()
    for seen in (CircuitBreaker.succeeded, lambda breaker: breaker.failed("status 500")):
        breaker = CircuitBreaker(5)
        breaker.failed("refused", absent=True)
        seen(breaker)
        breaker.settle()


def test_without_trouble() -> None:
    breaker = CircuitBreaker(1, deadline=100.0)
    assert 0 < breaker.left() <= 100.0
    breaker.settle()
