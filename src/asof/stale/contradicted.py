"""Current statements that are at odds with a newer current one of another document.

An edit is the best evidence: what it replaced elsewhere is still said here. Without one, two statements that
stand in two documents are compared as they are (`pair_features.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.data.stale import QUOTED, STATEMENT, VALUE, Stale
from asof.graph.current_rows import is_newest
from asof.index.view import View
from asof.stale import conflict
from asof.stale.direct_features import FAMILY, TOUCHED, DirectFeatures
from asof.stale.of_their_day import of_their_day
from asof.stale.pair_features import Side, Weights, edited
from asof.stale.pairs import Candidates
from asof.stale.said import Said, said
from asof.stale.sides import Sides
from asof.stale.statement_cache import FOLDER
from asof.stale.values import compared
from asof.time.span import BEGINNING

Numbers = NDArray[np.int64]

MARGIN = 1.0
"""A pair counts only if neither of its statements has a better partner, by more than this (in the sum)."""

SIBLINGS = 4
"""Two documents with so many statements of one wording that differ are made from one template."""

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
        last = what.rows.columns["visible"].max(initial=BEGINNING)
        newest = is_newest(view.prefix, what.rows) and bool(last <= view.prefix.as_of)
        folder = view.derived.folder / FOLDER
        self.features = DirectFeatures(self.sides, self.weights, folder, newest)

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
            if self.sides.passed_over(x, y, r):
                continue
            features = edited(side(x), side(r), side(y), self.weights, spread[int(digest[r])], (gone, there))
            if not conflict.other_subject(features["swapped"], features["explained"]):
                features["touched"] = float(self._touched(np.array([x]), np.array([y]))[0])
                strength = conflict.strength(features, conflict.EDITED)
                pairs.append(Pair(x, y, r, features, strength))
        return pairs

    def direct(self) -> list[Pair]:
        """Pairs of statements as they stand, without those of which another pair is better, and those that
        are too weak to be shown whatever their evidence."""
        older, newer = self.candidates.direct()
        keep = self._counted(older, newer)
        older, newer = older[keep], newer[keep]
        found = self.features.of(older, newer)
        older, newer, columns = older[found.asked], newer[found.asked], dict(found.columns())
        columns[FAMILY] = np.minimum(self._families(older, newer, found.frame) - 1, 5) / 5.0
        columns[TOUCHED] = self._touched(older, newer)
        one = np.flatnonzero(
            conflict.of_one_subject(columns) & ~self._siblings(older, newer, columns["least"])
        )
        strengths = conflict.strength(columns, conflict.DIRECT)
        best = np.full(len(self.said.spans.since), -np.inf)
        for side in (older, newer):
            np.maximum.at(best, side[one], strengths[one])
        least = np.maximum(best[older[one]], best[newer[one]]) - MARGIN
        least = np.maximum(least, conflict.least_strength(min(conflict.LEAST, conflict.LEAST_EDITED)))
        chosen = one[strengths[one] >= least].tolist()
        return [
            Pair(
                int(older[at]), int(newer[at]), -1,
                {name: float(column[at]) for name, column in columns.items()}, float(strengths[at]),
            )
            for at in chosen
        ]  # fmt: skip

    def stale(self, pairs: Sequence[Pair]) -> list[Stale]:
        """What is shown of pairs."""
        stretches = np.array(sorted({each for pair in pairs for each in (pair.older, pair.newer)}), np.int64)
        self.sides.load(stretches)
        quotes = self.sides.quotes(stretches)
        return [
            Stale(
                self._kind(pair), pair.why().value, quotes[pair.older], quotes[pair.newer],
                quotes[pair.newer].since, self._change(pair), partial(Pair.why, pair),
            )
            for pair in pairs
        ]  # fmt: skip

    def _counted(self, older: NDArray[np.int64], newer: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs are of documents that are not bound to a day."""
        documents = self.said.spans.document
        exempt = np.array(sorted(self.exempt), np.int64)
        return ~np.isin(documents[older], exempt) & ~np.isin(documents[newer], exempt)

    def _touched(self, older: Numbers, newer: Numbers) -> NDArray[np.float64]:
        """Whether the documents of older ones were edited after the newer ones were said."""
        spans = self.said.spans
        edited_last = self.sides.edited_last[spans.document[older]]
        return (edited_last >= spans.since[newer]).astype(np.float64)

    def _siblings(self, older: Numbers, newer: Numbers, alike: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which pairs are of two documents that differ in several statements of one wording: two pages made
        from one template, about two things. `alike`: the share of words in common."""
        one, other = (self.said.spans.document[side] for side in (older, newer))
        low, high = np.minimum(one, other), np.maximum(one, other)
        documents = low * (int(high.max(initial=0)) + 1) + high
        pairs, counts = np.unique(documents[alike > conflict.FRAME], return_counts=True)
        siblings: NDArray[np.bool_] = np.isin(documents, pairs[counts >= SIBLINGS])
        return siblings

    def _families(self, older: Numbers, newer: Numbers, frames: NDArray[np.uint64]) -> Numbers:
        """In how many documents the one or the other of a pair stands with other figures alone: the greater
        number. `frames` (n, 2): hashes of the other words of both."""
        documents = self.said.spans.document[np.stack([older, newer], axis=1)]
        order = np.lexsort((documents.ravel(), frames.ravel()))
        frame, document = frames.ravel()[order], documents.ravel()[order]
        first = np.ones(len(order), bool)
        first[1:] = (frame[1:] != frame[:-1]) | (document[1:] != document[:-1])
        families, sizes = np.unique(frame[first], return_counts=True)
        counted: Numbers = sizes[np.searchsorted(families, frames)].max(axis=1, initial=0)
        return counted

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
