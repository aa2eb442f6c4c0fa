"""The space of settings: a box, with a fixed sum for some of its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.errors import UsageError
from asof.rank.recipe import Range, Recipe, ranges, value_of

EXACT = 1e-12
"""The share of the total that a sum may be off by: rounding takes as much."""

SWEEPS = 20
"""So often each number of a simplex is drawn anew, on average, for a sample that forgot where it began."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """d numbers, their names, and the bounds `low` and `high` (d,), both included.

    Those at the places `simplex` have the sum `total`. Whole numbers are floats here. Raises UsageError for
    bounds that leave no point, or are not numbers.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    simplex: tuple[int, ...] = ()
    total: float = 0.0

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "simplex", tuple(int(place) for place in self.simplex))
        self._check()

    @classmethod
    def of(cls, recipe: Recipe, fields: Sequence[str | Range] | None = None) -> Self:
        """The box of some numbers of a recipe, of those that it declares as tunable if none are named.

        A `Range` brings bounds of its own. Those whose sum stays (`Tunable.simplex`) keep the sum that they
        have in the recipe. Raises UsageError for a field without bounds, and for one that cannot move because
        no other of its sum is named.
        """
        chosen = [_range(recipe, each) for each in (recipe.tunable.ranges if fields is None else fields)]
        if not chosen:
            raise UsageError(
                f"recipe {recipe.name} does not say which of its numbers can be learned; name some of "
                + ", ".join(ranges(recipe))
            )
        names = tuple(each.field for each in chosen)
        simplex = tuple(place for place, name in enumerate(names) if name in recipe.tunable.simplex)
        if len(simplex) == 1:
            others = [name for name in recipe.tunable.simplex if name not in names]
            raise UsageError(
                f"{names[simplex[0]]} cannot move alone, its sum with others stays; add {' or '.join(others)}"
            )
        total = math.fsum(value_of(recipe, names[place]) for place in simplex)
        low, high = ([getattr(each, end) for each in chosen] for end in ("low", "high"))
        return cls(names, np.array(low), np.array(high), simplex, total)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __len__(self) -> int:
        return len(self.names)

    def project(self, x: ArrayLike) -> Floats:
        """The nearest point of the box, by Euclidean distance, for a point (d,) or each row of (m, d).

        The nearest point with the sum is clip(x - c), where the sum falls as c grows, in straight pieces with
        ends at x - low and x - high (Held, Wolfe and Crowder 1974). Raises UsageError for what is not finite.
        """
        points = np.array(x, dtype=np.float64)
        if points.shape[-1:] != (len(self),) or not np.isfinite(points).all():
            raise UsageError(f"a setting has {len(self)} finite numbers: {', '.join(self.names)}")
        rows = np.atleast_2d(points)
        if self.simplex:
            at, low, high = self._simplex()
            # a second time, because the first is as exact as the numbers are large
            for _ in range(2):
                off = ~self._inside(rows)
                rows[np.ix_(off, np.array(at))] = _to_sum(
                    rows[np.ix_(off, np.array(at))], low, high, self.total
                )
        return np.clip(rows, self.low, self.high).reshape(points.shape)

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """`n` points (n, d), spread evenly over the volume.

        Free numbers have one value in each n-th part of their range (a Latin hypercube); those of the simplex
        are drawn in pairs, each evenly over what its sum allows, until the beginning is forgotten.
        """
        parts = rng.permuted(np.tile(np.arange(n), (len(self), 1)), axis=1).T
        points = self.back((parts + rng.random((n, len(self)))) / max(1, n))
        if not self.simplex:
            return points
        points = self.project(points)
        at, low, high = self._simplex()
        for _ in range(SWEEPS * len(at) // 2 if len(at) > 1 else 0):
            one, other = rng.permutation(len(at))[:2]
            both = points[:, at[one]] + points[:, at[other]]
            least = np.maximum(low[one], both - high[other])
            most = np.minimum(high[one], both - low[other])
            points[:, at[one]] = least + rng.random(n) * (most - least)
            points[:, at[other]] = both - points[:, at[one]]
        return self.project(points)

    def contains(self, x: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether a point satisfies all bounds and the sum, up to `tolerance`."""
        point = np.asarray(x, dtype=np.float64)
        if point.shape != (len(self),) or not np.isfinite(point).all():
            return False
        within = bool((point >= self.low - tolerance).all() and (point <= self.high + tolerance).all())
        return within and (
            not self.simplex or abs(math.fsum(point[list(self.simplex)]) - self.total) <= tolerance
        )

    def unit(self, x: ArrayLike) -> Floats:
        """Points with each range as 0 to 1; 0 for a range of one value."""
        span = self.high - self.low
        return np.asarray((np.asarray(x, dtype=np.float64) - self.low) / np.where(span > 0, span, 1.0))

    def back(self, u: ArrayLike) -> Floats:
        """Points from 0 to 1 with each range as it is; they are not projected."""
        return np.asarray(self.low + np.asarray(u, dtype=np.float64) * (self.high - self.low))

    def named(self, x: ArrayLike) -> dict[str, float]:
        """The numbers of a point by name, as `rank.recipe.with_values` takes them."""
        return dict(zip(self.names, np.asarray(x, dtype=np.float64).tolist(), strict=True))

    def _simplex(self) -> tuple[list[int], Floats, Floats]:
        at = list(self.simplex)
        return at, self.low[at], self.high[at]

    def _inside(self, rows: Floats) -> NDArray[np.bool_]:
        """Which rows are feasible already, so that projecting them changes nothing at all."""
        at, low, high = self._simplex()
        own = rows[:, at]
        summed = np.abs(own.sum(axis=1) - self.total) <= EXACT * max(1.0, abs(self.total))
        return np.asarray(summed & (own >= low).all(axis=1) & (own <= high).all(axis=1))

    def _key(self) -> tuple[object, ...]:
        return (self.names, tuple(self.low), tuple(self.high), self.simplex, self.total)

    def _check(self) -> None:
        d = len(self.names)
        if not d or len(set(self.names)) != d or self.low.shape != (d,) or self.high.shape != (d,):
            raise UsageError("a box has at least one number, each with its own name and two bounds")
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not (math.isfinite(low) and math.isfinite(high) and low <= high):
                raise UsageError(f"{name} from {low:g} to {high:g}: bounds are finite, the lower first")
        if not self.simplex:
            return
        if len(set(self.simplex)) != len(self.simplex) or not set(self.simplex) <= set(range(d)):
            raise UsageError(f"the places {self.simplex} of a sum are different ones from 0 to {d - 1}")
        at, least, most = self._simplex()
        slack = EXACT * max(1.0, abs(self.total))
        if not least.sum() - slack <= self.total <= most.sum() + slack:
            raise UsageError(
                f"{', '.join(self.names[place] for place in at)} cannot have the sum {self.total:g}: "
                f"their bounds allow {least.sum():g} to {most.sum():g}"
            )


def _range(recipe: Recipe, field: str | Range) -> Range:
    known = ranges(recipe)
    name = field if isinstance(field, str) else field.field
    if name not in known:
        near = get_close_matches(name, known, 1, 0.4)
        suggestion = f"did you mean {near[0]}?" if near else "accepted: " + (", ".join(known) or "none")
        raise UsageError(f"recipe {recipe.name} has no number {name} with bounds; {suggestion}")
    return known[name] if isinstance(field, str) else field


def _to_sum(rows: Floats, low: Floats, high: Floats, total: float) -> Floats:
    """clip(row - c) for each row, with the c that gives it the sum."""
    ends = np.sort(np.concatenate([rows - high, rows - low], axis=1), axis=1)
    sums = np.clip(rows[:, None, :] - ends[:, :, None], low, high).sum(axis=2)
    # the sums fall from that of high to that of low: the last end at which there is still enough
    enough = np.maximum(np.count_nonzero(sums >= total, axis=1) - 1, 0)
    left, right = enough, np.minimum(enough + 1, ends.shape[1] - 1)
    each = np.arange(len(rows))
    over, drop = sums[each, left] - total, sums[each, left] - sums[each, right]
    share = np.divide(over, drop, out=np.zeros(len(rows)), where=drop > 0)
    c = ends[each, left] + share * (ends[each, right] - ends[each, left])
    return np.asarray(np.clip(rows - c[:, None], low, high))
