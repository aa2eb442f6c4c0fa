"""A time as it is shown."""

from __future__ import annotations

import pytest

from asof.time.moment import read
from asof.values import SourcedTime


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-11-25T16:39:10-06:00", "2025-11-25"), ("2025-11-25 16:39", "2025-11-25"),
        ("2025-11-25", "2025-11-25"), ("2025", "2025"), ("5 March 2024", "5 March 2024"),
    ],
)  # fmt: skip
def test_the_day_of_a_time_with_an_hour(text: str, day: str) -> None:
    assert SourcedTime(read(text), text, "metadata").day == day
