"""Windows: what is covered, what is left, and how a stretch is searched."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.arxiv_harvest import DAY, MINUTE, days, halves, joined, minutes, without
from asof.time.moment import read
from asof.time.span import LAST

POINTS = st.integers(0, 30)
STRETCHES = st.lists(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), max_size=5)


@given(st.tuples(POINTS, POINTS).map(lambda ends: (min(ends), max(ends))), STRETCHES)
def test_what_is_left_of_a_window(window, covered):
    inside = {n for n in range(window[0], window[1] + 1) if not any(a <= n <= b for a, b in covered)}
    left = without(window, covered)
    assert [n for a, b in left for n in range(a, b + 1)] == sorted(
        inside, key=lambda n: (next(-a for a, b in left if a <= n <= b), n)
    )
    assert left == sorted(left, reverse=True)


@given(STRETCHES)
def test_joined_stretches_hold_the_same(stretches):
    made = joined(stretches)
    assert {n for a, b in made for n in range(a, b + 1)} == {n for a, b in stretches for n in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in pairwise(made))


@given(st.integers(0, 10**16), st.integers(0, 10 * DAY))
def test_days_and_halves_tile_a_stretch(first, length):
    stretch = (first, first + length)
    for parts in (days(stretch)[::-1], halves(stretch) or [stretch]):
        assert (parts[0][0], parts[-1][1]) == stretch
        assert all(left[1] + 1 == right[0] for left, right in pairwise(parts))
        assert all(a <= b for a, b in parts)
    if length >= 2 * MINUTE:
        assert len(halves(stretch)) == 2


def test_as_the_api_searches_it():
    first, last = read("2024-01-03T05:06:07Z").first, read("2024-01-04T00:00:00Z").last
    # widened to full minutes: seconds cannot be said
    assert minutes((first, last)) == "[202401030506 TO 202401040001]"


def test_the_last_minute_that_there_is():
    assert minutes((LAST - MINUTE, LAST)) == "[999912312358 TO 999912312359]"
