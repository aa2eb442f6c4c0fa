"""Many settings of many questions at once, where a score is a sum of columns: a batched product, no search.

The sums are added part by part in the order of `Combine`, with the numbers that the stages compute, so a
score here is the score of a search to the last bit. Of documents with the same score the one with the better
passage by the order of ties comes first; where a document has several passages that could be its best, that
order is the one of its first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.candidates import Candidates, Ints, candidates, relevant
from asof.learn.judged_query import JudgedQuery
from asof.learn.loss import ndcg_many
from asof.learn.reachable import reachable
from asof.learn.sum_parts import COUNTED, COVERED, FRESH, WHOLE, SumColumn, SumParts, logs
from asof.rank.features.passages import WHOLE as ONE

Floats = NDArray[np.float64]

BLOCK = 1 << 15
"""How many documents, of one or more questions, are scored together."""

AT_ONCE = 1 << 20
"""How many scores are computed at a time."""


@dataclass(frozen=True, slots=True)
class Block:
    """Some questions together: their candidates concatenated, and the places of the documents in a padded
    array (questions, width)."""

    questions: Ints
    candidates: Candidates
    place: Ints
    width: int
    gain: Floats
    best: Floats

    @classmethod
    def of(cls, questions: Sequence[int], per_question: Sequence[Candidates], best: Floats) -> Block:
        width = max(1, *(each.n for each in per_question))
        place = np.concatenate([at * width + np.arange(each.n) for at, each in enumerate(per_question)])
        gain = np.zeros(len(per_question) * width)
        joined = _joined(per_question)
        gain[place] = joined.gains
        return cls(
            np.array(questions), joined, place.astype(np.int64), width, gain.reshape(-1, width),
            best[list(questions)],
        )  # fmt: skip


def _joined(per_question: Sequence[Candidates]) -> Candidates:
    """The candidates of several questions concatenated."""

    def shifted(starts: Sequence[Ints], sizes: Sequence[int]) -> Ints:
        before = np.cumsum([0, *sizes])
        return np.concatenate([each + at for each, at in zip(starts, before.tolist()[:-1], strict=True)])

    return Candidates(
        np.concatenate([each.rows for each in per_question]),
        shifted([each.starts for each in per_question], [len(each.rows) for each in per_question]),
        np.concatenate([each.gains for each in per_question]),
        tuple(
            np.concatenate(columns) for columns in zip(*(each.columns for each in per_question), strict=True)
        ),
        np.concatenate([each.similar for each in per_question]),
        shifted([each.similar_starts for each in per_question], [len(each.similar) for each in per_question]),
        np.concatenate([each.passages for each in per_question]),
        per_question[0].matching,
    )


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """The questions' candidates as columns; `blocks` hold each question once. `cut`: the number of questions
    that have only some of their reachable candidates here."""

    plan: SumParts
    box: Box
    k: int
    questions: tuple[JudgedQuery, ...]
    blocks: tuple[Block, ...]
    cut: int = 0

    @classmethod
    def of(cls, questions: Sequence[JudgedQuery], plan: SumParts, box: Box, k: int) -> CandidateColumns:
        """Run the stages before the sum, once for each question."""
        per_question = [
            each.use(lambda view, each=each: reachable(candidates(each, view, plan, box), plan, box, k))  # type: ignore[misc]
            for each in questions
        ]
        return cls.from_candidates(questions, per_question, plan, box, k)

    @classmethod
    def from_candidates(
        cls,
        questions: Sequence[JudgedQuery],
        per_question: Sequence[Candidates],
        plan: SumParts,
        box: Box,
        k: int,
    ) -> CandidateColumns:
        """From the candidates of each question."""
        best = np.array([each.best(k) for each in questions])
        sizes = [each.n for each in per_question]
        order = sorted((at for at, n in enumerate(sizes) if n), key=lambda at: (sizes[at], at))
        blocks, some = [], list[int]()
        for at in order:
            if some and (len(some) + 1) * sizes[at] > BLOCK:
                blocks.append(Block.of(some, [per_question[each] for each in some], best))
                some = []
            some.append(at)
        if some:
            blocks.append(Block.of(some, [per_question[each] for each in some], best))
        return cls(plan, box, k, tuple(questions), tuple(blocks), sum(each.cut for each in per_question))

    @property
    def how(self) -> str:
        documents = sum(len(block.place) for block in self.blocks)
        summary = f"{documents:,} candidates of {len(self.questions):,} questions as columns"
        if self.cut:
            return f"{summary}; of {self.cut:,} questions only those that can rank highest"
        return f"{summary}: all that can be among the first {self.k} of any setting"

    def losses(self, settings: Floats, questions: Ints | None = None) -> Floats:
        """1 - nDCG of questions (all, or those of these numbers) at each setting, (m, q); 1 where nothing
        can be gained."""
        numbers = np.arange(len(self.questions)) if questions is None else np.asarray(questions, np.int64)
        losses = np.ones((len(settings), len(self.questions)))
        for block in self.blocks:
            if not np.isin(block.questions, numbers).any():
                continue
            step = max(1, AT_ONCE // max(1, len(block.gain) * block.width))
            for at in range(0, len(settings), step):
                scores = self.scores(block, settings[at : at + step])
                losses[at : at + step, block.questions] = 1 - ndcg_many(
                    scores, block.gain, block.best, self.k
                )
        return losses[:, numbers]

    def scores(self, block: Block, settings: Floats) -> Floats:
        """The scores of all documents of a block (m, questions, width); -inf where there is none."""
        total = self._sums(block.candidates, settings)
        own = block.candidates
        if len(own.starts) < len(own.rows):
            total = np.maximum.reduceat(total, own.starts, axis=1)
        if own.matching:
            total = np.where(total > 0, total, -np.inf)
        if len(block.place) == len(block.gain) * block.width:
            return total.reshape(len(settings), -1, block.width)
        padded = np.full((len(settings), block.gain.size), -np.inf)
        padded[:, block.place] = total
        return padded.reshape(len(settings), -1, block.width)

    def _sums(self, candidates: Candidates, settings: Floats) -> Floats:
        total = np.zeros((len(settings), len(candidates.rows)))
        for at, part in enumerate(self.plan.parts):
            values = self._values(part, candidates.columns[at], candidates, settings)
            weight = self.plan.values(settings, part.weight)
            weighed = values * (self.plan.fixed(part.weight) if weight is None else weight[:, None])
            total = np.broadcast_to(weighed, total.shape).copy() if at == 0 else np.add(total, weighed, total)
        return total

    def _values(self, part: SumColumn, column: Floats, candidates: Candidates, settings: Floats) -> Floats:
        """A part of each passage, (p,) where it is the same at all settings, else (m, p)."""
        numbers = self.plan.values(settings, part.number)
        if numbers is None or part.kind == WHOLE:
            return column
        different, which = np.unique(numbers, return_inverse=True)
        values = _fresh(column, different) if part.kind == FRESH else _counts(part, candidates, different)
        return values[0] if len(different) == 1 else values[which]

    def ranked(self, setting: Floats, question: int) -> list[str]:
        """The first k documents of a question at a setting (d,)."""
        block = next((block for block in self.blocks if question in block.questions), None)
        if block is None:  # the question has no candidates
            return []
        at = int(np.flatnonzero(block.questions == question)[0])
        scores = self.scores(block, setting[None, :])[0, at]
        order = np.argsort(-scores, kind="stable")[: self.k]
        flat = at * block.width + order[np.isfinite(scores[order])]
        document = np.searchsorted(block.place, flat)
        rows = block.candidates.rows[block.candidates.starts[document]]
        query = self.questions[question]
        names: list[str] = query.use(lambda view: [record.document for record in view.records(rows)])
        return names


def _fresh(days: Floats, rates: Floats) -> Floats:
    """exp(-days / (1 / rate)) (m, p), as `Freshness` has it."""
    some, which = np.unique(days, return_inverse=True)
    values = [[math.exp(-day / (1.0 / rate)) for day in some.tolist()] for rate in rates.tolist()]
    return np.array(values, np.float64).reshape(len(rates), len(some))[:, which]


def _counts(part: SumColumn, candidates: Candidates, thresholds: Floats) -> Floats:
    """Coverage or volume (m, p) at some thresholds, as `Coverage` and `Volume` have it."""
    count, total = relevant(candidates, thresholds)
    if part.kind == COVERED:
        values = total / np.maximum(count, 1) / ONE
    else:
        assert part.kind == COUNTED  # noqa: S101  there is no other kind
        table = logs(int(candidates.passages.max(initial=1)))
        values = table[count] / table[np.maximum(candidates.passages, 1)]
    if len(candidates.rows) == candidates.n:
        return values
    return np.repeat(values, np.diff(np.append(candidates.starts, len(candidates.rows))), axis=1)
