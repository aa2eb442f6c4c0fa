"""Moments as instants, at the ends of the calendar."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from asof.errors import BadTime
from asof.time.moment import first_instant, last_instant
from asof.time.span import FIRST, LAST, NEVER, Span, instant, moment

NOW = instant(datetime(2024, 3, 5, tzinfo=UTC))


@pytest.mark.parametrize(
    "when", ["9999", "9999-12-31", "9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)]
)  # fmt: skip
def test_no_moment_is_after_the_last(when: str | datetime) -> None:
    assert last_instant(when, NOW) == LAST < NEVER


@pytest.mark.parametrize("when", ["0001", "0001-01-01", datetime.min.replace(tzinfo=UTC)])
def test_no_moment_is_before_the_first(when: str | datetime) -> None:
    assert first_instant(when, NOW) == FIRST


@pytest.mark.parametrize(
    "when", ["in 9000 years", "9000 years ago", "in 99999999999 years", "10000000 days ago"]
)
def test_what_is_outside_the_calendar_is_no_time(when: str) -> None:
    with pytest.raises(BadTime):
        last_instant(when, NOW)


def test_the_last_instant_is_a_span() -> None:
    assert Span.at(moment(LAST)) == Span(moment(LAST), None)
    assert (Span.at(moment(NOW)).first, Span.at(moment(NOW)).last) == (NOW, NOW)
