"""A question of several parts, each searched by itself; the lists are joined (QD-RAG).

Ammann, Golde and Akbik 2025, "Question Decomposition for Retrieval-Augmented Generation", as TG-RAG compares
itself with it (section V-B): retrieval runs for each sub-question, what it finds is put together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from asof.data import Query, Why
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.candidates.gather import Lexical
from asof.rank.expression import Constant, Given, Places, ratio, total
from asof.rank.features.latent import Similarity
from asof.rank.stage import Ranking
from asof.schema import choice, within
from asof.text.question import MOST_PARTS


@dataclass(frozen=True, slots=True)
class SubQuestions:
    """The column `parts`: 1 / (k + rank), for the best rank that a passage has in the list of any part.

    The parts are `query.parts`; a question without them is one part. Each list is made `by` the meaning (as
    `Similarity`) or the words (as `Lexical`) of its part, and its first `depth` passages count. So each part
    has its turn: the first of every list come before the second of any.
    """

    by: str = choice("meaning", "words")
    k: int = within(60, 1, 1_000)
    depth: int = within(200, 1, 100_000)
    splits: ClassVar = True

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        stage, name = (Lexical(), "lexical") if self.by == "words" else (Similarity("half"), "similarity")
        parts = query.parts[:MOST_PARTS] or (query.text,)
        best, which = np.full(ranking.count, np.inf), np.zeros(ranking.count, np.int8)
        notes = dict[str, None]()
        for at, part in enumerate(parts):
            found = stage(replace(query, text=part, lexical=part, parts=()), ranking, view)
            notes |= dict.fromkeys(found.notes)
            order = self._order(found.columns[name].values, ranking, view)
            ranks = np.arange(1.0, len(order) + 1)
            better = ranks < best[order]
            best[order[better]], which[order[better]] = ranks[better], at
        values = np.where(np.isfinite(best), 1.0 / (self.k + best), 0.0)

        def tree(at: int) -> Why:
            if not np.isfinite(best[at]):
                return Why("in the list of no part", 0.0)
            part = parts[which[at]]
            place = total("k + rank", Constant("k", float(self.k)), Given("best rank", np.array([best[at]])))
            return ratio(f"in the list of “{part}”", Constant("one", 1.0), place).why(0)

        joined = replace(ranking, notes=tuple(notes)).with_column("parts", Given("parts", values, tree))
        return joined.note(f"{len(parts)} parts: {'; '.join(parts)}") if query.parts else joined

    def _order(self, values: np.typing.NDArray[np.float64], ranking: Ranking, view: View) -> Places:
        """The first places of a list, of what matches."""
        matching = np.flatnonzero(values > 0)
        if len(matching) > self.depth:
            matching = matching[at_least(values[matching], kth_best(values[matching], self.depth))]
        order: Places = matching[view.tie_order(values[matching], ranking.rows[matching])][: self.depth]
        return order
