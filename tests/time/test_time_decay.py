from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from asof.time.decay import (
    DAY,
    Ages,
    Exponential,
    GaussianDecay,
    LinearDecay,
    LogarithmicDecay,
    TieredDecay,
    ages,
)
from asof.time.span import NEVER

DECAYS: list[Callable[[Ages], Ages]] = [
    Exponential(30),
    LinearDecay(30),
    GaussianDecay(30),
    LogarithmicDecay(),
    LogarithmicDecay(90),
]
LATER: list[Callable[[Ages], Ages]] = [
    Exponential(30, 7),
    LinearDecay(30, offset=7),
    GaussianDecay(30, offset=7),
    LogarithmicDecay(90, 7),
]


def at(decay: Callable[[Ages], Ages], *days: float) -> list[float]:
    return [float(value) for value in decay(np.array(days, dtype=np.float64))]


def test_exponential() -> None:
    assert at(Exponential(30), 0, 30, 60) == pytest.approx([1, math.e**-1, math.e**-2])
    assert at(Exponential(30, offset=5), 3, 5, 35) == pytest.approx([1, 1, math.e**-1])


def test_half_lives() -> None:
    assert at(Exponential.from_half_life(10), 10, 20) == pytest.approx([1 / 2, 1 / 4])
    assert Exponential(1 / 0.05).half_life == pytest.approx(math.log(2) / 0.05)  # lambda .05
    assert Exponential(1 / 0.05).half_life == pytest.approx(13.863, abs=5e-4)
    assert Exponential(538).half_life == pytest.approx(372.9, abs=0.05)
    assert Exponential.from_half_life(10, 3).offset == 3


def test_linear() -> None:
    # from 1 through 1/2 at 10 days to 0 at 20
    assert at(LinearDecay(10), 0, 5, 10, 20, 30) == pytest.approx([1, 3 / 4, 1 / 2, 0, 0])
    # from 1 through .2 at 8 days: .1 a day, 0 at 10; two days do not count
    assert at(LinearDecay(8, decay=0.2, offset=2), 1, 2, 7, 10, 12) == pytest.approx(
        [1, 1, 1 - 0.1 * 5, 0.2, 0]
    )


def test_gaussian() -> None:
    assert at(GaussianDecay(10), 0, 10, 20) == pytest.approx([1, 1 / 2, (1 / 2) ** 4])
    sigma2 = -(10**2) / (2 * math.log(0.3))  # Elasticsearch's form
    assert at(GaussianDecay(10, 0.3, 2), 9) == pytest.approx([math.exp(-((9 - 2) ** 2) / (2 * sigma2))])


def test_logarithmic() -> None:
    assert at(LogarithmicDecay(99), 0, 9, 99, 1000) == pytest.approx(
        [1, 1 - 1 / 2, 0, 0]
    )  # log10 of 10 and 100
    assert at(LogarithmicDecay(), 100) == pytest.approx([1 - math.log10(101) / math.log10(10_001)])


def test_tiers() -> None:
    days = [-3, 0, 13, 13.999, 14, 59, 60, 179.9, 180, 10_000]
    assert at(TieredDecay(), *days) == [1.20, 1.20, 1.20, 1.20, 1.10, 1.10, 1.00, 1.00, 0.95, 0.95]
    assert at(TieredDecay((), (2.0,)), 0, 5) == [2.0, 2.0]
    assert at(TieredDecay((0.5,), (2.0, 1.0)), 0.9) == [2.0]  # 0.9 is day 0


@pytest.mark.parametrize("decay", [*DECAYS, *LATER, TieredDecay()], ids=repr)
def test_future_undated_and_nothing(decay: Callable[[Ages], Ages]) -> None:
    future, now, undated = at(decay, -1000, 0, math.nan)
    assert future == now
    assert math.isnan(undated)
    assert decay(np.array([], dtype=np.float64)).shape == (0,)


@pytest.mark.parametrize("decay", LATER, ids=repr)
def test_an_offset_counts_as_none(decay: Callable[[Ages], Ages]) -> None:
    assert at(decay, 0, 6, 7) == [1, 1, 1]
    assert at(decay, 8)[0] < 1


@given(st.lists(st.floats(-1e6, 1e8), max_size=20), st.sampled_from([*DECAYS, *LATER]))
def test_weights_are_fractions_that_fall(days: list[float], decay: Callable[[Ages], Ages]) -> None:
    weights = decay(np.sort(np.array(days, dtype=np.float64)))
    assert weights.dtype == np.float64
    assert np.all((weights >= 0) & (weights <= 1))
    assert np.all(np.diff(weights) <= 0)


def test_the_ages_given_are_not_changed() -> None:
    given_ages = np.array([-1.0, 5.0])
    for decay in DECAYS:
        decay(given_ages)
    TieredDecay()(given_ages)
    assert_array_equal(given_ages, [-1.0, 5.0])


def test_ages() -> None:
    origin = 20_000 * DAY
    instants = np.array([origin, origin - 14 * DAY, origin - DAY // 2, origin + DAY], dtype=np.int64)
    assert_array_equal(ages(instants, origin), [0.0, 14.0, 0.5, -1.0])
    assert ages(np.array([], dtype=np.int64), origin).shape == (0,)


@given(st.integers(-700_000, 2_900_000), st.integers(-(2**50), 2**50))
def test_whole_days_are_whole(days: int, origin: int) -> None:
    instants = np.array([origin - days * DAY], dtype=np.int64)
    assert_allclose(ages(instants, origin), [days], rtol=0, atol=0)


def test_ages_from_the_end_of_time() -> None:
    with pytest.raises(ValueError, match="from a moment"):
        ages(np.array([0], dtype=np.int64), NEVER)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Exponential(0),
        lambda: Exponential(math.inf),
        lambda: Exponential(30, -1),
        lambda: Exponential(30, math.nan),
        lambda: Exponential.from_half_life(0),
        lambda: LinearDecay(0),
        lambda: LinearDecay(10, 0),
        lambda: LinearDecay(10, 1),
        lambda: LinearDecay(10, 0.5, -1),
        lambda: GaussianDecay(math.nan),
        lambda: GaussianDecay(10, math.nan),
        lambda: LogarithmicDecay(-1),
        lambda: LogarithmicDecay(1e-300),
        lambda: TieredDecay((1, 2), (1, 2)),
        lambda: TieredDecay((2, 2), (1, 2, 3)),
        lambda: TieredDecay((0,), (1, 2)),
        lambda: TieredDecay((1,), (1, math.nan)),
        lambda: TieredDecay((1,), (1, -1)),
    ],
)
def test_parameters_that_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"not|small|rise"):
        make()


def test_decays_are_values() -> None:
    assert LinearDecay(10) == LinearDecay(10.0, decay=0.5, offset=0)
    assert len({TieredDecay(), TieredDecay()}) == 1
    assert eval(repr(GaussianDecay(10, 0.3))) == GaussianDecay(10, 0.3)  # noqa: S307
    with pytest.raises(FrozenInstanceError):
        Exponential(30).tau = 3  # type: ignore[misc]


def test_reading_dates_needs_no_numpy() -> None:
    code = "import sys, asof.time.moment, asof.time.span; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
