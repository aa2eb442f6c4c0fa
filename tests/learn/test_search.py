"""Searching settings whose losses are known: both ways, on smooth losses and on stairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.known_losses import BOX, KNOWN, START

from asof.errors import UsageError
from asof.learn.box import Box
from asof.learn.loss import ideal, ndcg_many
from asof.learn.search import by_coordinates, by_lcb

pytestmark = pytest.mark.slow

SEARCHES = [by_lcb, by_coordinates]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", ["inside", "face", "ridge"])
def test_the_best_setting_is_found(search, name):
    found = search(KNOWN[name].losses, BOX, START)
    assert KNOWN[name].closed(found.x) >= 0.98
    assert BOX.contains(found.x)


@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_found_is_the_best_of_what_was_evaluated(search):
    known = KNOWN["valley"]
    found = search(known.losses, BOX, START, evaluations=60)
    assert found.evaluations == len(found.history) == 60
    assert found.why_stopped == "all 60 evaluations were made"
    assert found.loss == min(loss for _, loss in found.history) == pytest.approx(known.loss(found.x))
    assert (found.history[0][0] == START).all()
    assert all(BOX.contains(x) for x, _ in found.history)
    assert found.history[0][1] >= found.loss


@pytest.mark.parametrize("search", SEARCHES)
def test_stairs_do_not_stop_a_search(search):
    """Losses in steps of a twelfth, flat around the start."""
    known = KNOWN["inside"]
    found = search(lambda x: np.ceil(known.losses(x) * 12) / 12, BOX, START)
    assert known.loss(START) > 5 / 12
    assert found.loss <= 1 / 12


@pytest.mark.parametrize("search", SEARCHES)
def test_weights_that_order_candidates(search):
    """40 questions of 12 candidates with four signals; the judged one is the first by hidden weights."""
    rng = np.random.default_rng(10)
    signals = rng.random((40, 12, 4))
    weights = Box(tuple("abcd"), BOX.low[:4], BOX.high[:4], (0, 1, 2, 3), 1.0)
    gain = np.zeros((40, 12))
    gain[np.arange(40), (signals @ weights.project([0.1, 0.45, 0.15, 0.3])).argmax(axis=1)] = 1
    best = np.array([ideal(row, 10) for row in gain])

    def losses(x):
        return 1 - ndcg_many(np.einsum("qnf,mf->mqn", signals, x), gain, best, 10).mean(axis=1)

    found = search(losses, weights, START[:4])
    assert losses(START[None, :4])[0] > 0.15
    assert found.loss < 0.04


@pytest.mark.parametrize("search", SEARCHES)
def test_equal_losses_end_it_and_the_start_stays(search):
    found = search(lambda x: np.ones(len(x)), BOX, START)
    assert (found.x == START).all()
    assert "nothing better" in found.why_stopped


@pytest.mark.parametrize(
    ("search", "d", "evaluations"),
    [(by_lcb, 1, 60), (by_coordinates, 1, 60), (by_lcb, 12, 80), (by_coordinates, 12, 200)],
)
def test_one_number_and_twelve(search, d, evaluations):
    box = Box(tuple(f"n{each}" for each in range(d)), np.zeros(d), np.ones(d))
    goal = np.linspace(0.2, 0.8, d)
    found = search(lambda x: np.square(x - goal).sum(axis=1), box, np.full(d, 0.95), evaluations=evaluations)
    assert found.loss < 0.02 * np.square(0.95 - goal).sum()


@pytest.mark.parametrize("search", SEARCHES)
def test_a_box_of_one_point(search):
    box = Box(("a", "b"), np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    found = search(lambda x: x.sum(axis=1), box, [0.0, 0.0], evaluations=50)
    assert found.x.tolist() == [1.0, 2.0]


def test_the_same_seed_finds_the_same():
    one, other, third = (by_lcb(KNOWN["face"].losses, BOX, START, evaluations=40, seed=s) for s in (1, 1, 2))
    assert (one.x == other.x).all()
    assert one.loss != third.loss


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_coordinates_stay_in_the_box_and_within_their_number(seed, evaluations):
    """Losses without any shape."""
    rng = np.random.default_rng(seed)
    batches = []

    def losses(x):
        batches.append(len(x))
        assert all(BOX.contains(each) for each in x)
        return rng.random(len(x))

    found = by_coordinates(losses, BOX, START, evaluations=evaluations)
    assert sum(batches) == found.evaluations <= evaluations


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    "losses",
    [lambda x: np.full(len(x), np.nan), lambda x: np.zeros(len(x) + 1), lambda x: np.zeros((len(x), 1))],
)
def test_what_are_no_losses_is_refused(search, losses):
    with pytest.raises(UsageError, match="as many losses"):
        search(losses, BOX, START)


@pytest.mark.parametrize("search", SEARCHES)
def test_no_evaluations_find_nothing(search):
    with pytest.raises(UsageError, match="0 evaluations"):
        search(KNOWN["face"].losses, BOX, START, evaluations=0)
