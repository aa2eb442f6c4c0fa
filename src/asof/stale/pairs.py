"""The pairs of statements of a view that are compared: which older one may be at odds with which newer one.

A pair is found by two rare words in common (`candidates.py`) and kept if the two sets of words are enough
alike, as bits say it (`graph/word_sets.py`). Nothing here looks at texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from asof.graph.word_sets import bits_of
from asof.stale.candidates import ABOVE, CROWD, OWN, Pairs, between, distinct, keys_of, rarest, sharing
from asof.stale.history import Replacement, currently, replacements
from asof.stale.said import Said, gathered
from asof.stale.table import Words

ALIKE = 0.2
"""The least share of words (Jaccard) that two statements have in common."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """Candidates of a view; all are stretches of `said.spans`."""

    said: Said

    @cached_property
    def replaced(self) -> Replacement:
        """What edits replaced, and what stands in its place now."""
        spans, now = self.said.spans, self.said.now
        found = currently(replacements(spans, self.said.batch.words, now), spans, now)
        digest = self.said.batch.digest[spans.statement]
        other = digest[found.old] != digest[found.new]
        return Replacement(found.old[other], found.new[other])

    @cached_property
    def _known(self) -> Numbers:
        """The stretches that are compared: the current ones, then those that were replaced."""
        return np.concatenate([self.said.current, self.replaced.old])

    @cached_property
    def _words(self) -> Words:
        return gathered(self.said.own, self.said.spans.statement[self._known])

    @cached_property
    def _keys(self) -> tuple[NDArray[np.uint64], Numbers]:
        said = self.said
        own = rarest(self._words, said.rank, OWN)
        above = rarest(said.above, said.rank, ABOVE)[said.batch.above[said.spans.statement[self._known]]]
        return keys_of(own, above)

    @cached_property
    def _bits(self) -> NDArray[np.uint64]:
        words, said = self._words, self.said
        keep = said.weight[words.terms] > 0
        return bits_of(said.vocabulary[words.terms[keep]], words.owners()[keep], words.n)

    def direct(self) -> Pairs:
        """Older and newer current statements of different documents."""
        said, n = self.said, len(self.said.current)
        keys, owners = self._keys
        mine = owners < n
        pairs = sharing(keys[mine], owners[mine], n)
        since = said.spans.since[said.current]
        older = np.where(since[pairs.one] <= since[pairs.other], pairs.one, pairs.other)
        newer = pairs.one + pairs.other - older
        keep = self._different(older, newer) & (since[older] < since[newer])
        signs = said.batch.signs[said.spans.statement[said.current]]
        keep &= (signs[older] & signs[newer]) > 0
        keep[keep] = self._alike(older[keep], newer[keep])
        return Pairs(said.current[older[keep]], said.current[newer[keep]])

    def edited(self) -> tuple[Pairs, Numbers]:
        """Current statements, each with the current one of another document that came in place of one like
        it; and the stretches that were replaced."""
        said, n = self.said, len(self.said.current)
        keys, owners = self._keys
        mine = owners < n
        pairs = between(keys[mine], owners[mine], keys[~mine], owners[~mine] - n, n)
        keep = self._alike(pairs.other, pairs.one + n)
        both = distinct(np.concatenate([
            pairs.one[keep] * n + pairs.other[keep], self._with_removed_words()
        ]))  # fmt: skip
        asker, older = both // max(n, 1), both % max(n, 1)
        newer = np.searchsorted(said.current, self.replaced.new)[asker]
        spans = said.spans
        replaced_at = spans.until[self.replaced.old[asker]]
        keep = self._different(older, newer) & (spans.since[said.current[older]] < replaced_at)
        asker, older, newer = asker[keep], older[keep], newer[keep]
        return Pairs(said.current[older], said.current[newer]), self.replaced.old[asker]

    @cached_property
    def removed(self) -> tuple[Numbers, Numbers]:
        """The words that each replacement took out of its statement: numbers of replacements, and words."""
        spans, m = self.said.spans, max(len(self.said.vocabulary), 1)
        old, new = (
            distinct(table.owners() * m + table.terms)
            for table in (gathered(self.said.own, spans.statement[side]) for side in self.replaced)
        )
        gone = np.setdiff1d(old, new, assume_unique=True)
        gone = gone[self.said.weight[gone % m] > 0]
        return gone // m, gone % m

    def _with_removed_words(self) -> Numbers:
        """The replacements that took out a rare word, with the current statements that have it, as one number
        each (replacement * statements + statement)."""
        said, n = self.said, len(self.said.current)
        rare = said.counted <= CROWD
        table = gathered(said.own, said.spans.statement[said.current])
        here = rare[table.terms]
        which, words = self.removed
        asked = rare[words]
        pairs = between(
            table.terms[here].astype(np.uint64), table.owners()[here],
            words[asked].astype(np.uint64), which[asked], n,
        )  # fmt: skip
        return pairs.one * n + pairs.other

    def withdrawn(self) -> tuple[Numbers, Numbers]:
        """For each word of the vocabulary how many documents took it out by an edit and have it no more, and
        how many have it."""
        said, spans = self.said, self.said.spans
        m = max(len(said.vocabulary), 1)
        which, words = self.removed
        gone = distinct(spans.document[self.replaced.old[which]] * m + words)
        table = gathered(said.own, spans.statement[said.current])
        there = distinct(np.repeat(spans.document[said.current], np.diff(table.start)) * m + table.terms)
        gone = np.setdiff1d(gone, there, assume_unique=True)
        return np.bincount(gone % m, minlength=m), np.bincount(there % m, minlength=m)

    def _different(self, one: Numbers, other: Numbers) -> NDArray[np.bool_]:
        """Which pairs (numbers of `current`) are of two documents and two texts."""
        said = self.said
        documents = said.spans.document[said.current]
        digests = said.batch.digest[said.spans.statement[said.current]]
        differ: NDArray[np.bool_] = (documents[one] != documents[other]) & (digests[one] != digests[other])
        return differ

    def _alike(self, one: Numbers, other: Numbers) -> NDArray[np.bool_]:
        bits = self._bits
        common = np.bitwise_count(bits[one] & bits[other]).sum(axis=1, dtype=np.int64)
        either = np.bitwise_count(bits[one] | bits[other]).sum(axis=1, dtype=np.int64)
        alike: NDArray[np.bool_] = common >= ALIKE * either
        return alike
