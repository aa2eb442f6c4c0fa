"""Half-lives learned from a corpus: which kinds of passages are outdated faster or slower than the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.corpus.corpus import Corpus
from asof.index.view import View
from asof.rank.features.half_lives import ALL, HalfLives
from asof.rank.recipe import Recipe
from asof.tuning.lifetimes import lifetimes
from asof.tuning.survival import HalfLife, apart, half_life

FEWEST = 8
"""The fewest ends of a kind, seen or expected: fewer leave the half-life open by more than a factor of 2."""

APART = 3.29
"""A kind is told from the rest where it is so many standard errors away (p < .001, since many are tried)."""

MOST = 12
"""The most kinds that are proposed."""


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
    while len(found) < MOST:
        best: tuple[float, KindHalfLife] | None = None
        for name, of in kinded.kinds.items():
            own, others = half_life(lives.of(left & of)), half_life(lives.of(left & ~of))
            if own is None or others is None or not _enough(own, others):
                continue
            distance = apart(own, others)
            if distance >= APART and (best is None or distance > best[0]):
                best = distance, KindHalfLife(name, own, others)
        if best is None:
            break
        found.append(best[1])
        left &= ~kinded.kinds[best[1].name]
    return LearnedHalfLives(tuple(found), half_life(lives.of(left)), len(lives), int(lives.ended.sum()))


def learned_as_of(corpus: Corpus, as_of: int | None, known_at: int | None) -> LearnedHalfLives:
    """The half-lives of a corpus at (T, K); None: now."""
    then = corpus.at() if as_of is None else corpus.snapshot(as_of, known_at)
    return then.use(learned)


def with_learned(recipe: Recipe, found: LearnedHalfLives, scale: float = 1.0) -> Recipe:
    """The recipe with learned half-lives wherever it has an age; as it is where none were learned."""
    if not found.kinds:
        return recipe
    return recipe.replaced({field: dict(found.pairs(scale)) for field in recipe.takes_half_lives})


def _enough(own: HalfLife, others: HalfLife) -> bool:
    """Whether both have enough ends, or would have by the rate of the other."""
    expected = own.exposure * others.ends / others.exposure, others.exposure * own.ends / own.exposure
    return max(own.ends, expected[0]) >= FEWEST and max(others.ends, expected[1]) >= FEWEST


def _short(days: float) -> float:
    return float(f"{days:.3g}")
