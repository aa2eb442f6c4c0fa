"""The candidates of one question as columns, made by the stages before the last sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.sum_parts import COUNTED, COVERED, FRESH, SumColumn, SumParts
from asof.rank.features.ages import ages
from asof.rank.features.passages import WHOLE as ONE
from asof.rank.stage import Ranking
from asof.time.span import BEGINNING

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The documents of a question (n of them, with p passages that can be their best), in the order of ties.

    `rows` (p,) are those passages, those of a document together; `starts` (n,) where each document's begin;
    `gains` (n,). `columns`: for each part of the sum (p,); for FRESH whole days, infinite for undated ones.
    `similar` (s,) are the similarities of all passages of each document, `similar_starts` (n,), where a
    threshold is tuned, and `passages` (n,) how many there are. `cut`: more could have been reached.
    """

    rows: Ints
    starts: Ints
    gains: Floats
    columns: tuple[Floats, ...]
    similar: Floats
    similar_starts: Ints
    passages: Ints
    matching: bool
    cut: bool = False

    @property
    def n(self) -> int:
        return len(self.starts)


def candidates(question: JudgedQuery, view: View, plan: SumParts, box: Box) -> Candidates:
    """All documents that a question can find."""
    ranking = Ranking(view.window(question.query.filters))
    for _, stage, query in list(plan.recipe.steps(question.query))[: plan.at]:
        ranking = stage(query, ranking, view)
    # candidates of a query by places alone have no column that could be weighed
    matching = ranking.places is None
    if matching:
        some = np.zeros(ranking.window.n, bool)
        for part in plan.parts:
            if part.column in ranking.columns:
                some |= ranking.columns[part.column].values != 0
        ranking = ranking.keep(np.flatnonzero(some))
    gains = question.gain_of(view, ranking.rows)
    if question.left_out:
        ranking, gains = ranking.keep(np.flatnonzero(gains >= 0)), gains[gains >= 0]
    whole = _ordered(ranking, view, plan, gains, matching)
    return _best_passages(whole, plan, box)


def _ordered(ranking: Ranking, view: View, plan: SumParts, gains: Floats, matching: bool) -> Candidates:
    """All candidates: documents by their first passage in the order of ties, passages in that order."""
    rows = ranking.rows
    ties = view.tie_order(np.zeros(len(rows)), rows)
    documents = view.column("document", rows)[ties]
    _, first, which, count = np.unique(documents, return_index=True, return_inverse=True, return_counts=True)
    order = ties[np.lexsort((np.arange(len(ties)), first[which]))]
    turns = np.argsort(first)
    starts = np.concatenate([[0], np.cumsum(count[turns])[:-1]]).astype(np.int64)[: len(turns)]
    columns = tuple(_column(part, ranking, view, plan)[order] for part in plan.parts)
    moved = {part.of for part in plan.parts if part.number in plan.sources and part.of}
    similar = ranking.columns[next(iter(moved))].values[order] if moved else np.zeros(len(order))
    return Candidates(
        rows[order], starts, gains[order][starts], columns, similar, starts, count[turns], matching
    )


def _column(part: SumColumn, ranking: Ranking, view: View, plan: SumParts) -> Floats:
    if part.kind == FRESH and part.number in plan.sources:
        return _days(ranking.rows, view)
    if part.column not in ranking.columns:  # nothing is added for it
        return np.zeros(len(ranking.rows))
    return ranking.columns[part.column].values


def _days(rows: Ints, view: View) -> Floats:
    """The whole days of `Freshness`: since the newest dated passage of a document; infinite without one."""
    visible, dated = view.column("visible", rows), view.column("dated", rows).astype(bool)
    documents = view.documents(rows)
    newest = np.full(int(documents.max(initial=0)) + 1, BEGINNING)
    np.maximum.at(newest, documents[dated], visible[dated])
    own = newest[documents]
    return np.where(own > BEGINNING, np.floor(ages(view.as_of, own)), np.inf)


def _best_passages(candidates: Candidates, plan: SumParts, box: Box) -> Candidates:
    """Without passages that are never the best of their document: where they differ in one column alone, only
    the one with its largest value stays."""
    if candidates.n == len(candidates.rows):
        return candidates
    size = np.diff(np.append(candidates.starts, len(candidates.rows)))
    differ = [
        column
        for part, column in zip(plan.parts, candidates.columns, strict=True)
        if part.kind not in {COVERED, COUNTED}
        and (column != np.repeat(column[candidates.starts], size)).any()
    ]
    if len(differ) > 1 or not rising(plan, box):
        return candidates
    document = np.repeat(np.arange(candidates.n), size)
    value = differ[0] if differ else np.zeros(len(candidates.rows))
    best = np.lexsort((np.arange(len(value)), -value, document))[candidates.starts]
    return subset(candidates, best, np.arange(candidates.n))


def rising(plan: SumParts, box: Box) -> bool:
    """Whether no weight can be below 0."""
    return all(
        (box.low[plan.sources[part.weight]] if part.weight in plan.sources else plan.fixed(part.weight)) >= 0
        for part in plan.parts
    )


def subset(candidates: Candidates, passages: Ints, documents: Ints, *, cut: bool = False) -> Candidates:
    """The candidates with some passages (ascending) of some documents (ascending) only, and all similarities
    of those documents."""
    size = np.diff(np.append(candidates.starts, len(candidates.rows)))
    of = np.repeat(np.arange(candidates.n), size)[passages]
    counts = np.diff(np.append(candidates.similar_starts, len(candidates.similar)))
    selected = np.isin(np.repeat(np.arange(candidates.n), counts), documents)
    return Candidates(
        candidates.rows[passages], np.searchsorted(of, documents), candidates.gains[documents],
        tuple(column[passages] for column in candidates.columns), candidates.similar[selected],
        np.concatenate([[0], np.cumsum(counts[documents])[:-1]]).astype(np.int64)[: len(documents)],
        candidates.passages[documents], candidates.matching, cut,
    )  # fmt: skip


def relevant(candidates: Candidates, thresholds: Floats) -> tuple[Ints, Ints]:
    """How many passages of each document are above each threshold, and their sum over 4000², (m, n) both."""
    above = candidates.similar > thresholds[:, None]
    whole = np.where(above, np.rint(candidates.similar * ONE), 0.0)
    count = np.add.reduceat(above, candidates.similar_starts, axis=1, dtype=np.int64)
    return count, np.add.reduceat(whole, candidates.similar_starts, axis=1).astype(np.int64)
