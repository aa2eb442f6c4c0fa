"""Half-lives learned from a corpus: which kinds of passages are outdated faster or slower than the rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.index.view import View
from asof.rank.features.half_lives import ALL, HalfLives
from asof.rank.recipe import Recipe
from asof.tuning.lifetimes import KindedLifetimes, lifetimes
from asof.tuning.survival import NO_END, HalfLife, apart, half_life

FEWEST = 8
"""The fewest ends of a kind, seen or expected: fewer leave the half-life open by more than a factor of 2."""

APART = 3.29
"""A kind is told from the rest where it is so many standard errors away (p < .001, since many are tried)."""

MOST = 12
"""The most kinds that are proposed."""

ROUNDING = 1e-9
"""More than sums of days are off by, as a share."""


@dataclass(frozen=True, slots=True)
class KindHalfLife:
    """The half-life of a kind, without what kinds before it have, and that of all passages left."""

    name: str
    half_life: HalfLife
    others: HalfLife


@dataclass(frozen=True, slots=True)
class LearnedHalfLives:
    """Kinds in the order in which they count (the first that fits a passage), and all the `rest`."""

    kinds: tuple[KindHalfLife, ...]
    rest: HalfLife | None
    passages: int
    ends: int

    def pairs(self, scale: float = 1.0) -> HalfLives:
        """As a recipe takes them, times a number, with three digits. All others have theirs, too: which of
        two kinds is named, and which is the rest, makes no difference then."""
        kinds = [(each.name, _short(each.half_life.days * scale)) for each in self.kinds]
        if kinds and self.rest is not None:
            kinds.append((ALL, _short(self.rest.days * scale)))
        return tuple(kinds)


def learned(view: View) -> LearnedHalfLives:
    """The half-lives of kinds as of a view; nothing that was published or learned later is in them.

    Again and again the kind that differs most from all that is left, in standard errors, is taken out, as
    long as one differs by APART. Of equal ones the first by name.
    """
    kinded = lifetimes(view)
    lives = kinded.lifetimes
    left = np.ones(len(lives), bool)
    found: list[KindHalfLife] = []
    while len(found) < MOST and (kind := _most_apart(kinded, left)) is not None:
        found.append(kind)
        left[kinded.kinds[kind.name]] = False
    return LearnedHalfLives(tuple(found), half_life(lives.of(left)), len(lives), int(lives.ended.sum()))


def _most_apart(kinded: KindedLifetimes, left: NDArray[np.bool_]) -> KindHalfLife | None:
    """The kind that differs most from all else that is left; None where none differs by APART."""
    lives, best, most = kinded.lifetimes, None, APART
    ends, exposure = int(lives.ended[left].sum()), float(lives.days[left].sum())
    for name, of in kinded.kinds.items():
        places = of[left[of]]
        d, days = int(lives.ended[places].sum()), float(lives.days[places].sum())
        if not _may_differ((d, days), (ends - d, exposure - days), most):
            continue
        rest = left.copy()
        rest[places] = False
        own, others = half_life(lives.of(places)), half_life(lives.of(rest))
        if own is not None and others is not None and (distance := apart(own, others)) > most:
            best, most = KindHalfLife(name, own, others), distance
    return best


def _may_differ(own: tuple[int, float], others: tuple[int, float], most: float) -> bool:
    """Whether ends and days leave it open that two rates differ by more than `most` standard errors; those
    that take documents together are larger still. Also, whether there are enough ends, or would be by the
    rate of the other."""
    (d, days), (e, more) = own, others
    if days <= 0.0 or more <= ROUNDING * days:
        return False
    if max(d, days * e / more) < FEWEST or max(e, more * d / days) < FEWEST:
        return False
    one, other = max(d, NO_END), max(e, NO_END)
    distance = abs(math.log(one / days) - math.log(other / more)) / math.sqrt(1 / one + 1 / other)
    return distance > most * (1 - ROUNDING)


def learned_as_of(corpus: Corpus, as_of: int | None, known_at: int | None) -> LearnedHalfLives:
    """The half-lives of a corpus at (T, K); None: now."""
    then = corpus.at() if as_of is None else corpus.snapshot(as_of, known_at)
    return then.use(learned)


def with_learned(recipe: Recipe, found: LearnedHalfLives, scale: float = 1.0) -> Recipe:
    """The recipe with learned half-lives wherever it has an age; as it is where none were learned."""
    if not found.kinds:
        return recipe
    return recipe.replaced({field: dict(found.pairs(scale)) for field in recipe.takes_half_lives})


def _short(days: float) -> float:
    return float(f"{days:.3g}")
