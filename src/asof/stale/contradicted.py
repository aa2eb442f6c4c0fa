"""Current statements that are at odds with a newer current one of another document.

An edit is the best evidence: what it replaced elsewhere is still said here. Without one, two statements that
stand in two documents are compared as they are (`pair_features.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.data.stale import QUOTED, STATEMENT, VALUE, Stale
from asof.index.view import View
from asof.stale import conflict
from asof.stale.of_their_day import of_their_day
from asof.stale.pair_features import Side, Weights, direct, edited, may_differ
from asof.stale.pairs import Candidates
from asof.stale.said import Said, said
from asof.stale.sides import Sides
from asof.stale.values import compared

MARGIN = 1.0
"""A pair counts only if neither of its statements has a better partner, by more than this (in the sum)."""

WORD_FOR_WORD = 0.9
"""From this share of common words on a statement repeats another one."""


class Pair(NamedTuple):
    """Two stretches, the older one first; `replaced`: the one that an edit replaced by the newer one, or
    -1."""

    older: int
    newer: int
    replaced: int
    features: Mapping[str, float]
    strength: float

    @property
    def weights(self) -> Mapping[str, float]:
        return conflict.DIRECT if self.replaced < 0 else conflict.EDITED

    @property
    def shown(self) -> bool:
        least = conflict.LEAST if self.replaced < 0 else conflict.LEAST_EDITED
        return self.strength >= conflict.least_strength(least)

    def why(self) -> Why:
        return conflict.explained(self.features, self.weights)


def contradicted(view: View) -> list[Stale]:
    """The stale statements of a view, each with the newer one that it is most likely at odds with."""
    found = Finder(view, said(view))
    best: dict[int, Pair] = {}
    for pair in (*found.edited(), *found.direct()):
        known = best.get(pair.older)
        if known is None or found.order(pair) < found.order(known):
            best[pair.older] = pair
    shown = [pair for pair in best.values() if pair.shown]
    return found.stale(shown)


class Finder:
    """The pairs of a view, scored."""

    def __init__(self, view: View, what: Said) -> None:
        self.said, self.candidates, self.sides = what, Candidates(what), Sides(view, what)
        self.weights = Weights(what.weight.tolist())
        self.exempt = of_their_day(view)

    def order(self, pair: Pair) -> tuple[float, int, int]:
        """Best first; of equals the one whose newer statement is newest, then by its words."""
        spans = self.said.spans
        digest = int(self.said.batch.digest[spans.statement[pair.newer]])
        return -pair.strength, -int(spans.since[pair.newer]), digest

    def edited(self) -> list[Pair]:
        """Pairs that an edit is evidence for."""
        (older, newer), replaced = self.candidates.edited()
        keep = self._counted(older, newer)
        older, newer, replaced = older[keep], newer[keep], replaced[keep]
        self.sides.load(np.concatenate([older, newer, replaced]))
        spread = self.sides.spread(self.candidates.replaced.old)
        digest = self.said.batch.digest[self.said.spans.statement]
        gone, there = (counts.tolist() for counts in self.candidates.withdrawn())
        side, pairs = self.sides.side, []
        for x, y, r in zip(older.tolist(), newer.tolist(), replaced.tolist(), strict=True):
            if self._passed_over(x, y, r):
                continue
            features = edited(side(x), side(r), side(y), self.weights, spread[int(digest[r])], (gone, there))
            if not conflict.other_subject(features["swapped"], features["explained"]):
                more = {"touched": self._touched(x, y)}
                pairs.append(self._pair(x, y, r, {**features, **more}, conflict.EDITED))
        return pairs

    def direct(self) -> list[Pair]:
        """Pairs of statements as they stand, without those of which another pair is better."""
        older, newer = self.candidates.direct()
        keep = self._counted(older, newer)
        older, newer = older[keep], newer[keep]
        self.sides.load(np.concatenate([older, newer]))
        side, pairs = self.sides.side, []
        asked = [
            (x, y) for x, y in zip(older.tolist(), newer.tolist(), strict=True)
            if may_differ(side(x), side(y), self.weights) and not self._passed_over(x, y, y)
        ]  # fmt: skip
        families = self._families({each for pair in asked for each in pair})
        for x, y in asked:
            features = direct(side(x), side(y), self.weights)
            if conflict.of_one_subject(features):
                family = max(families[side(x).frame], families[side(y).frame])
                more = {"touched": self._touched(x, y), "family": min(family - 1, 5) / 5.0}
                pairs.append(self._pair(x, y, -1, {**features, **more}, conflict.DIRECT))
        return _best_partners(pairs)

    def stale(self, pairs: Sequence[Pair]) -> list[Stale]:
        """What is shown of pairs."""
        stretches = {each for pair in pairs for each in (pair.older, pair.newer)}
        quotes = self.sides.quotes(np.array(sorted(stretches), np.int64))
        return [
            Stale(
                self._kind(pair), pair.why().value, quotes[pair.older], quotes[pair.newer],
                quotes[pair.newer].since, self._change(pair), partial(Pair.why, pair),
            )
            for pair in pairs
        ]  # fmt: skip

    def _pair(
        self, x: int, y: int, r: int, features: Mapping[str, float], weights: Mapping[str, float]
    ) -> Pair:
        return Pair(x, y, r, features, conflict.strength(features, weights))

    def _counted(self, older: NDArray[np.int64], newer: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs are of documents that are not bound to a day."""
        documents = self.said.spans.document
        exempt = np.array(sorted(self.exempt), np.int64)
        return ~np.isin(documents[older], exempt) & ~np.isin(documents[newer], exempt)

    def _passed_over(self, x: int, y: int, like: int) -> bool:
        """Whether a pair tells of the past, or of two rows of a table."""
        past = self.sides.of_the_past(x) or self.sides.of_the_past(y)
        return past or not self.sides.side(x).same_label(self.sides.side(like))

    def _touched(self, x: int, y: int) -> float:
        """Whether the document of the older one was edited after the newer one was said."""
        spans = self.said.spans
        return float(self.sides.edited_last[int(spans.document[x])] >= int(spans.since[y]))

    def _families(self, stretches: Iterable[int]) -> Mapping[tuple[int, ...], int]:
        """In how many documents a statement stands that differs in figures alone, by its other words."""
        families: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for stretch in stretches:
            families[self.sides.side(stretch).frame].add(int(self.said.spans.document[stretch]))
        return {frame: len(documents) for frame, documents in families.items()}

    def _kind(self, pair: Pair) -> str:
        x, y = self.sides.side(pair.older), self._replaced(pair)
        newer = self.sides.side(pair.newer)
        if compared(x.values, newer.values).differing or (x.names - newer.words and newer.names - x.words):
            return VALUE
        common = self.weights.sum(x.words & y.words)
        alike = common >= WORD_FOR_WORD * max(self.weights.sum(x.words), self.weights.sum(y.words))
        return QUOTED if pair.replaced >= 0 and alike else STATEMENT

    def _replaced(self, pair: Pair) -> Side:
        return self.sides.side(pair.newer if pair.replaced < 0 else pair.replaced)

    def _change(self, pair: Pair) -> str:
        """What changed, as it is written: from the edited statement if the stale one has all that the edit
        took out, else from the stale one."""
        before, older, after = self._replaced(pair), self.sides.side(pair.older), self.sides.side(pair.newer)
        taken_out = before.words - after.words
        return conflict.change(before if taken_out and taken_out <= older.words else older, after)


def _best_partners(pairs: Sequence[Pair]) -> list[Pair]:
    best: dict[int, float] = {}
    for pair in pairs:
        for each in (pair.older, pair.newer):
            best[each] = max(best.get(each, pair.strength), pair.strength)
    return [pair for pair in pairs if pair.strength >= max(best[pair.older], best[pair.newer]) - MARGIN]
