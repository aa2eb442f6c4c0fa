"""The exponential fit, with its arithmetic shown."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.tuning.survival import HalfLife, Lifetimes, apart, half_life, still_current


def lives(*of: tuple[float, bool], documents: list[int] | None = None) -> Lifetimes:
    numbers = list(range(len(of))) if documents is None else documents
    return Lifetimes(np.array([days for days, _ in of], float), np.array([end for _, end in of], bool),
                     np.array(numbers, np.int64))  # fmt: skip


def test_two_of_four_ended() -> None:
    """2 ends in 10 + 20 + 30 + 40 = 100 days: a rate of 1/50, a half-life of 50 ln 2 = 34.66 days. The error
    of its logarithm: 1/sqrt(2) = .707; by documents sqrt((1 - .2)² + (1 - .4)² + .6² + .8²)/2 = sqrt(2)/2."""
    found = half_life(lives((10, True), (20, True), (30, False), (40, False)))
    assert found is not None
    assert (found.passages, found.ends, found.exposure) == (4, 2, 100.0)
    assert found.days == pytest.approx(50 * math.log(2))
    assert found.error == pytest.approx(1 / math.sqrt(2))
    assert found.low == pytest.approx(found.days / math.exp(1.959964 / math.sqrt(2)))
    assert found.high == pytest.approx(found.days * math.exp(1.959964 / math.sqrt(2)))


def test_passages_of_one_document_are_one_observation() -> None:
    """Four passages that end together after 10 days, and four that do not in 40: 4 ends in 200 days, 1/50 a
    day. By passages 1/sqrt(4) = .5; by documents (4 - 40/50, 0 - 160/50) = (3.2, -3.2): sqrt(2) · 3.2 / 4."""
    found = half_life(lives(*[(10, True)] * 4, *[(40, False)] * 4, documents=[0] * 4 + [1] * 4))
    assert found is not None
    assert found.error == pytest.approx(math.sqrt(2) * 3.2 / 4)


def test_without_an_end_half_of_one_counts() -> None:
    """0 ends in 100 days: 1/200 a day, and an error of sqrt(2)."""
    found = half_life(lives((40, False), (60, False)))
    assert found is not None
    assert found.ends == 0
    assert found.days == pytest.approx(200 * math.log(2))
    assert found.error == pytest.approx(math.sqrt(2))
    assert found.current is None, "nothing was followed for 139 days"
    assert half_life(lives()) is None is half_life(lives((0, False)))


def test_kaplan_and_meier() -> None:
    """Ends at 10 (of 4), 20 (of 3), none at 30, one at 40 (of 1): 3/4, 3/4 · 2/3 = 1/2, 1/2, 0. Of an end and
    a removal on one day the end comes first."""
    of = lives((10, True), (20, True), (30, False), (40, True))
    assert [still_current(of, days) for days in (5, 10, 25, 35, 40, 41)] == [1.0, 0.75, 0.5, 0.5, 0.0, None]
    assert still_current(lives((10, False), (10, True)), 10) == 0.5


def test_apart() -> None:
    """Rates of 1 and 4 to 1, errors of .3 and .4: ln 4 / .5."""

    def known(days: float, error: float) -> HalfLife:
        factor = math.exp(1.959963984540054 * error)
        return HalfLife(days, days / factor, days * factor, 1, 1, 1.0, None)

    assert apart(known(10, 0.3), known(40, 0.4)) == pytest.approx(math.log(4) / 0.5)


some = st.lists(st.tuples(st.floats(0.1, 1e4), st.booleans(), st.integers(0, 4)), min_size=1, max_size=30)


@given(some, st.randoms(use_true_random=False), st.floats(0.01, 100))
def test_order_and_unit_do_not_matter(of: list[tuple[float, bool, int]], random, unit: float) -> None:
    mixed = list(of)
    random.shuffle(mixed)
    one, other = (
        half_life(lives(*[(days * by, end) for days, end, _ in each], documents=[at for *_, at in each]))
        for each, by in ((of, 1.0), (mixed, unit))
    )
    assert one is not None
    assert other is not None
    assert other.days == pytest.approx(one.days * unit)
    assert (other.low, other.high) == pytest.approx((one.low * unit, one.high * unit))
    assert one.low < one.days < one.high


@given(some, st.floats(1, 1e4))
def test_a_passage_that_stays_current_makes_it_longer(of: list[tuple[float, bool, int]], days: float) -> None:
    """Censored observations count: they are evidence of staying."""
    before = half_life(lives(*[(each, end) for each, end, _ in of]))
    after = half_life(lives(*[(each, end) for each, end, _ in of], (days, False)))
    assert before is not None
    assert after is not None
    assert after.days > before.days
