"""Reranking: a model that reads question and text together orders the first few candidates anew.

The last step of RAGtriever's ranking (S1, pipeline order: fusion, backlinks, recency, reranker): the first 10
results by their score are ordered by a cross-encoder's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.errors import ModelError
from asof.index.view import View
from asof.models.ports import Reranker
from asof.rank.computed import Column
from asof.rank.expression import Constant, Given, product, total
from asof.rank.recipe import Recipe
from asof.rank.rerank.append_below import append_below, insert_before_cut
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within

LARGEST = 1e9
"""The largest score accepted: beyond it the places below could not be told apart."""

MARGIN_OF = 5
"""The margin is that of the best over the last of so many, as in `BudgetedRerank.first`."""


@dataclass(frozen=True, slots=True)
class Rerank:
    """The column `reranked`, of the first `top` candidates by the present score (ties as everywhere):

        reranked = weight · r + (1 - weight) · score        r: the model's number for question and text

    With weight 1, as published, that is r. What comes after keeps its order below: the lowest of these less
    its place among the rest (1, 2, ...; equal scores share a place).

    The model gets the question as it was typed and the texts of the candidates as they are indexed (title,
    headings, words), each different text once, up to `characters` of it: nothing that is not in the view.

    `only_below`: only questions of low confidence are reranked (TWE-RAG names that as future work, README 7:
    "Route low-confidence (margin < 0.5) queries to BERT reranker"). The margin is that of halting, the best
    score less that of the fifth, where the recipe has a budget (`asof.rank.rerank.budget`), and the same of
    the present scores elsewhere. A question at or above it costs no call and keeps its order.

    Raises ModelError when the model does not give one finite number a text.
    """

    reranker: Reranker
    top: int = within(10, 1, 1_000)
    weight: float = within(1.0, 0.0, 1.0)
    characters: int = within(20_000, 100, 1_000_000)
    only_below: float | None = within(None, 0.0, 10.0)
    traits: ClassVar = Traits(by_score=True)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.top

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        count = len(matches.score)
        if not count:
            return matches
        near = matches.shortlist(max(query.k, self.top))
        order = view.tie_order(near.score, near.rows)
        near = near.keep(order)
        if (margin := self._confidence(near)) is not None:
            return near.note(f"not reranked: the margin {margin:.3f} is not below {self.only_below:g}")
        texts = self._texts(near.rows[: self.top], view)
        numbers = self._numbers(query.text, [text[: self.characters] for text in texts])
        cut = sum(len(text) > self.characters for text in texts)
        return self._ranked(near, numbers).note(
            f"reranked: the first {len(texts)} of {count} candidates, by {self.reranker.name}",
            *([f"reranked: {cut} of them by their first {self.characters} characters"] if cut else []),
        )

    def _confidence(self, near: Ranking) -> float | None:
        """The margin of a question that is confident enough; None for one that has to be reranked."""
        if self.only_below is None:
            return None
        scores = near.score[:MARGIN_OF]
        margin = float(scores[0] - scores[-1]) if near.halting is None else near.halting.margin
        return margin if margin >= self.only_below else None

    def _texts(self, rows: NDArray[np.int64], view: View) -> list[str]:
        return [record.indexed for record in view.records(rows)]

    def _numbers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The model's score for each text. Equal texts are scored once, so that they do not differ by
        rounding."""
        different = list(dict.fromkeys(texts))
        name, numbers = self.reranker.name, self.reranker.scores(question, different)
        if len(numbers) != len(different):
            raise ModelError(f"{name} gave {len(numbers)} numbers for {len(different)} texts")
        for number in numbers:
            if not math.isfinite(number) or abs(number) > LARGEST:
                raise ModelError(
                    f"{name} gave the number {number}; finite ones up to {LARGEST:g} are accepted"
                )
        known = dict(zip(different, map(float, numbers), strict=True))
        return [known[text] for text in texts]

    def _ranked(self, near: Ranking, numbers: list[float]) -> Ranking:
        before = near.scores.taken(np.arange(len(numbers)))
        model = Given(self.reranker.name, np.array(numbers, np.float64))
        reranked = total(
            "reranked", product("by the model", model, Constant("weight", self.weight)),
            product("before", before, Constant("1 - weight", 1 - self.weight)),
        )  # fmt: skip
        return append_below(near, "reranked", Column.computed(reranked, len(numbers)), 0)


def reranked(recipe: Recipe, stage: Rerank) -> Recipe:
    """The recipe with its first candidates reranked: the stage comes before the last cut.

    Call it last (after `asof.recipes.by_document`): stages after it would expect positive scores.
    """
    return insert_before_cut(recipe, stage, "reranked")
