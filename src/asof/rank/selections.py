"""Nodes of score expressions about some of the candidates: those of a mask, at places, or of two groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Why
from asof.rank.expression import Expression, Keep, Mask, Number, Places, Replace, Values, as_numbers


@dataclass(frozen=True, slots=True)
class Where:
    """One expression for the candidates of a mask, another for the others; without another, those have no
    such summand. Each is computed for its own candidates only."""

    mask: Mask
    then: Expression
    otherwise: Expression | None = None

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.then,) if self.otherwise is None else (self.then, self.otherwise)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(len(self.mask)) if at is None else at
        mask = self.mask if at is None else self.mask[at]
        then = self.then.evaluated(places[mask])
        return _filled(mask, then, self.otherwise.evaluated(places[~mask]) if self.otherwise else 0.0)

    def why(self, at: int) -> Why | None:
        if self.mask[at]:
            return self.then.why(at)
        return None if self.otherwise is None else self.otherwise.why(at)

    def replaced(self, value_of: Replace) -> Expression:
        otherwise = None if self.otherwise is None else self.otherwise.replaced(value_of)
        return Where(self.mask, self.then.replaced(value_of), otherwise)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        otherwise = None if self.otherwise is None else self.otherwise.reduced(keep, at)
        return as_numbers(self, keep, at) or Where(self.mask[at], self.then.reduced(keep, at), otherwise)


@dataclass(frozen=True, slots=True)
class Taken:
    """The numbers of other candidates, at these places of theirs: what is left of them, say."""

    of: Expression
    chosen: Places

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.of,)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        return self.of.evaluated(self.chosen if at is None else self.chosen[at])

    def why(self, at: int) -> Why | None:
        return self.of.why(int(self.chosen[at]))

    def replaced(self, value_of: Replace) -> Expression:
        return Taken(self.of.replaced(value_of), self.chosen)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        return self.of.reduced(keep, self.chosen[at])


@dataclass(frozen=True, slots=True)
class Joined:
    """The numbers of some candidates (`count`), then those of others (`more`)."""

    first: Expression
    second: Expression
    count: int
    more: int

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.first, self.second)

    def evaluated(self, at: Places | None = None, out: Values | None = None) -> Number:
        places = np.arange(self.count + self.more) if at is None else at
        mask = places < self.count
        first = self.first.evaluated(places[mask])
        return _filled(mask, first, self.second.evaluated(places[~mask] - self.count))

    def why(self, at: int) -> Why | None:
        return self.first.why(at) if at < self.count else self.second.why(at - self.count)

    def replaced(self, value_of: Replace) -> Expression:
        first, second = self.first.replaced(value_of), self.second.replaced(value_of)
        return Joined(first, second, self.count, self.more)

    def reduced(self, keep: Keep, at: Places) -> Expression:
        mask = at < self.count
        count = int(mask.sum())
        first = self.first.reduced(keep, at[mask])
        joined = Joined(first, self.second.reduced(keep, at[~mask] - self.count), count, len(at) - count)
        return Taken(joined, np.where(mask, np.cumsum(mask), count + np.cumsum(~mask)) - 1)


def _filled(mask: Mask, then: Number, other: Number) -> Values:
    """The numbers of the candidates of a mask and those of the others, in one array."""
    settings = [len(each) for each in (then, other) if isinstance(each, np.ndarray) and each.ndim == 2]
    values = np.empty((*settings[:1], len(mask)))
    values[..., mask], values[..., ~mask] = then, other
    return values
