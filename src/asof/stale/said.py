"""What the documents of a view say, and have said: statements, their words, and when they stood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from asof.graph.node_table import Rows
from asof.graph.succession_cache import ends_known
from asof.index.view import View
from asof.stale.candidates import distinct
from asof.stale.history import Stretches, stretches
from asof.stale.statement_cache import statement_cache
from asof.stale.table import StatementBatch, Words
from asof.time.span import NEVER

MOST = 8.0
"""The weight of the rarest words."""

STEP, GROWTH = 0.125, 4
"""Weights are multiples of it, and follow the size of a view by so many steps from its size to its double:
most weights, and all that follows from them, are the same after an edit."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Said:
    """The statements of a view. A *stretch* is a statement of a document with the time in which it stood
    there; `spans` has them, each with a number of `batch`. `rows`: of their passages. `stop`: hashes of words
    that say nothing."""

    rows: Rows
    batch: StatementBatch
    spans: Stretches
    now: int
    stop: NDArray[np.uint64]

    @cached_property
    def current(self) -> Numbers:
        """The stretches that go on."""
        return np.flatnonzero(self.spans.until > self.now)

    @cached_property
    def vocabulary(self) -> NDArray[np.uint64]:
        """All words of the statements and of what is above them, ascending."""
        return distinct(np.concatenate([self.batch.words.terms, self.batch.context.terms]))

    @cached_property
    def own(self) -> Words:
        """The words of each statement."""
        return Words(self._numbers(self.batch.words), self.batch.words.start)

    @cached_property
    def above(self) -> Words:
        """The words of each title with its headings."""
        return Words(self._numbers(self.batch.context), self.batch.context.start)

    def _numbers(self, words: Words) -> NDArray[np.int32]:
        return np.searchsorted(self.vocabulary, words.terms).astype(np.int32)

    @cached_property
    def counted(self) -> NDArray[np.int64]:
        """In how many current statements each word of the vocabulary stands, or stands above them."""
        df = np.zeros(len(self.vocabulary), np.int64)
        statement = self.spans.statement[self.current]
        m = len(self.vocabulary)
        own = gathered(self.own, statement)
        df += np.bincount(distinct(own.owners() * m + own.terms) % m, minlength=m) if own.n else 0
        times = np.bincount(self.batch.above[statement], minlength=self.above.n)
        heads = distinct(self.above.owners() * m + self.above.terms) if self.above.n else np.zeros(0, int)
        df += np.bincount(heads % max(m, 1), times[heads // max(m, 1)], minlength=m).astype(np.int64)
        return df

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """How telling each word is: the logarithm of how rare it is, MOST for a word of one statement in a
        view of any size; 0 for a word that says nothing."""
        n = 2.0 ** (round(math.log2(len(self.current) + 1) * GROWTH) / GROWTH)
        weight = np.log(n / (self.counted + 0.5)) * (MOST / np.log((n + 1) / 1.5))
        steps = np.round(np.clip(weight, STEP, MOST) / STEP)
        return np.where(np.isin(self.vocabulary, self.stop), 0.0, steps * STEP)

    @cached_property
    def rank(self) -> Numbers:
        """The place of each word from the rarest on, by its hash among equals; -1 for one that says
        nothing."""
        order = np.lexsort((self.vocabulary, self.counted))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return np.where(self.weight > 0, rank, -1)


def gathered(table: Words, statements: Numbers) -> Words:
    """The words of some statements, in their order."""
    lengths = np.diff(table.start)[statements]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(table.start[statements] - start[:-1], lengths) + np.arange(int(start[-1]))
    return Words(table.terms[places], start)


def said(view: View) -> Said:
    """The statements of all dated passages that were ever current in a view."""
    rows, batch = statement_cache(view.derived).batch(view)
    nodes = batch.passage - rows.first
    visible, ends = rows.columns["visible"][nodes], ends_known(rows, view.prefix)[nodes]
    ends = np.where(ends <= view.prefix.as_of, ends, NEVER)  # when else it ends is not known yet
    seen = rows.known(view.prefix)[nodes] & (visible <= view.prefix.as_of) & (visible < ends)
    which = np.flatnonzero(seen)
    spans = stretches(
        batch.digest[which], rows.columns["document"][nodes[which]], rows.columns["number"][nodes[which]],
        visible[which], ends[which],
    )  # fmt: skip
    spans = Stretches(which[spans.statement], spans.document, spans.since, spans.until)
    return Said(rows, batch, spans, view.prefix.as_of, view.analyzer.stop_hashes())
