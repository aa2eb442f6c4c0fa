"""Boxes: what lies in them, the nearest point, samples, and the box of a recipe."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.learning import Box
from asof.extensions.systems.recipes import PAPERS
from asof.rank.gather import TopK
from asof.rank.stage import Range, Recipe

WEIGHTS = [f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume")]
FOUR = Box(tuple("abcd"), np.array([0.1, 0.1, 0.1, 0.05]), np.array([0.6, 0.5, 0.5, 0.3]), (0, 1, 2, 3), 1.0)
ROOM = Box(("x", "y", "z"), np.array([0.0, -2.0, 5.0]), np.array([1.0, 2.0, 5.0]))


def test_the_box_of_papers():
    box = Box.of(PAPERS)
    assert box.names == (*WEIGHTS, "coverage.above", "freshness.rate")
    assert box.low.tolist() == [0.1, 0.1, 0.1, 0.05, 0.3, 0.01]
    assert box.high.tolist() == [0.6, 0.5, 0.5, 0.3, 0.7, 0.1]
    assert box.simplex == (0, 1, 2, 3)
    assert box.total == pytest.approx(1.0)
    assert box.contains([0.4, 0.25, 0.25, 0.1, 0.5, 0.05])


def test_some_fields_keep_the_sum_that_they_have():
    box = Box.of(PAPERS, ["freshness.rate", WEIGHTS[1], WEIGHTS[3]])
    assert box.simplex == (1, 2)
    assert box.total == pytest.approx(0.25 + 0.1)
    assert Box.of(PAPERS, ["freshness.rate"]).simplex == ()


def test_a_range_brings_its_own_bounds():
    box = Box.of(PAPERS, [Range("freshness.rate", 0.02, 0.03)])
    assert (box.low[0], box.high[0]) == (0.02, 0.03)


@pytest.mark.parametrize(
    ("recipe", "fields", "said"),
    [
        (PAPERS, ["freshness.rat"], "did you mean freshness.rate"),
        (PAPERS, [WEIGHTS[0]], "cannot move alone"),
        (PAPERS, ["freshness.rate", "freshness.rate"], "own name"),
        (Recipe("bare", "nothing to learn", (TopK(),)), None, "does not say"),
        (PAPERS, [Range(WEIGHTS[0], 0.0, 0.1), Range(WEIGHTS[1], 0.0, 0.1)], "cannot have the sum 0.65"),
    ],
)
def test_what_leaves_nothing_to_learn_is_refused(recipe, fields, said):
    with pytest.raises(UsageError, match=said):
        Box.of(recipe, fields)


@pytest.mark.parametrize(
    ("names", "low", "high", "simplex", "total"),
    [
        ((), [], [], (), 0.0),
        (("a",), [0, 0], [1, 1], (), 0.0),
        (("a",), [1], [0], (), 0.0),
        (("a",), [0], [np.inf], (), 0.0),
        (("a", "b"), [0, 0], [1, 1], (0, 0), 1.0),
        (("a", "b"), [0, 0], [1, 1], (0, 2), 1.0),
        (("a", "b"), [0.6, 0.6], [1, 1], (0, 1), 1.0),
        (("a", "b"), [0, 0], [0.4, 0.4], (0, 1), 1.0),
    ],
)
def test_boxes_without_a_point_are_refused(names, low, high, simplex, total):
    with pytest.raises(UsageError):
        Box(names, np.array(low, dtype=float), np.array(high, dtype=float), simplex, total)


def test_boxes_are_values():
    assert Box.of(PAPERS) == Box.of(PAPERS)
    assert hash(Box.of(PAPERS)) == hash(Box.of(PAPERS))
    assert Box.of(PAPERS) != Box.of(PAPERS, ["freshness.rate"])


def test_a_sum_above_the_total_is_shared():
    """1.2 is .2 too much, .05 for each; nothing leaves its bounds."""
    assert FOUR.project([0.5, 0.3, 0.3, 0.1]) == pytest.approx([0.45, 0.25, 0.25, 0.05])


def test_where_clipping_and_scaling_leave_the_box():
    """Normalise, clip and normalise gives .706 to a, above its .6. Nearest is a = .6, and the others get the
    same more each of what is left of .4 besides .05, .05 and .02."""
    more = (1 - 0.6 - 0.05 - 0.05 - 0.02) / 3
    expected = [0.6, 0.05 + more, 0.05 + more, 0.02 + more]
    assert FOUR.project([0.9, 0.05, 0.05, 0.02]) == pytest.approx(expected)


def test_without_a_sum_each_number_goes_to_its_bounds():
    assert ROOM.project([3.0, -1.0, 0.0]).tolist() == [1.0, -1.0, 5.0]


def test_what_is_no_setting_is_refused():
    with pytest.raises(UsageError, match="finite"):
        ROOM.project([np.nan, 0.0, 5.0])
    with pytest.raises(UsageError, match="3 finite numbers"):
        ROOM.project([1.0, 2.0])


@st.composite
def boxes(draw):
    """Boxes with a sum over some numbers, and a total that their bounds allow."""
    d = draw(st.integers(1, 7))
    number = st.floats(-3, 3)
    low = np.array(draw(st.lists(number, min_size=d, max_size=d)))
    span = np.array(draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 4)), min_size=d, max_size=d)))
    simplex = tuple(draw(st.sets(st.integers(0, d - 1))))
    at = list(simplex)
    total = low[at].sum() + draw(st.floats(0, 1)) * span[at].sum()
    return Box(tuple(f"n{each}" for each in range(d)), low, low + span, simplex, float(total))


@given(boxes(), st.data())
def test_the_projection_is_inside_itself_again_and_nearest(box, data):
    x = np.array(data.draw(st.lists(st.floats(-9, 9), min_size=len(box), max_size=len(box))))
    nearest = box.project(x)
    assert box.contains(nearest)
    assert (box.project(nearest) == nearest).all()
    others = box.sample(np.random.default_rng(1), 40)
    distances = np.square(others - x).sum(axis=1)
    assert (np.square(nearest - x).sum() <= distances + 1e-9).all()


@given(boxes(), st.floats(1e3, 1e300), st.integers(0, 2**32 - 1))
def test_far_away_points_are_projected_too(box, far, seed):
    rows = np.random.default_rng(seed).choice([-far, 0.0, far], (3, len(box)))
    assert all(box.contains(each) for each in box.project(rows))


@given(boxes(), st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_samples_are_inside(box, n, seed):
    points = box.sample(np.random.default_rng(seed), n)
    assert points.shape == (n, len(box))
    assert all(box.contains(each) for each in points)


def test_samples_are_spread_over_the_volume_and_not_at_corners():
    """Shares of a triangle, a + b + c = 1, drawn evenly: each has the mean 1/3 and is at most 1/10 with the
    chance 1 - (9/10)²; nothing lies on a bound."""
    box = Box(tuple("abc"), np.zeros(3), np.ones(3), (0, 1, 2), 1.0)
    points = box.sample(np.random.default_rng(5), 4000)
    assert points.mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.02)
    assert (points <= 0.1).mean(axis=0) == pytest.approx([1 - 0.9**2] * 3, abs=0.03)
    assert (points > 0).all()


def test_a_free_number_has_a_sample_in_each_part_of_its_range():
    points = ROOM.sample(np.random.default_rng(6), 10)
    assert sorted(np.floor(points[:, 0] * 10)) == list(range(10))


@given(boxes(), st.integers(0, 2**32 - 1))
def test_units_and_back(box, seed):
    points = box.sample(np.random.default_rng(seed), 3)
    unit = box.unit(points)
    assert (unit >= -1e-12).all()
    assert (unit <= 1 + 1e-12).all()
    assert box.back(unit) == pytest.approx(points)


def test_what_a_box_contains():
    assert FOUR.contains([0.4, 0.25, 0.25, 0.1])
    assert not FOUR.contains([0.4, 0.25, 0.25, 0.2])
    assert FOUR.contains([0.4, 0.25, 0.25, 0.2], tolerance=0.11)
    assert not FOUR.contains([0.7, 0.1, 0.1, 0.1])
    assert not FOUR.contains([0.4, 0.25, np.nan, 0.1])
    assert not FOUR.contains([1.0])


def test_the_numbers_of_a_point_have_names():
    assert ROOM.named([1.0, 2.0, 5.0]) == {"x": 1.0, "y": 2.0, "z": 5.0}
