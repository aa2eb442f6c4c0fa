"""How a question would be searched at a standpoint, without searching it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from asof.data import Filters
from asof.evaluate.runs.metrics import DEPTH
from asof.learn.posed import JudgedQuery, as_it_is
from asof.rank.recipe import Recipe
from asof.service import Standpoint


@dataclass(frozen=True, slots=True)
class QueryBuilder(Standpoint):
    """A standpoint that does not search, but says what would be searched."""

    def posed(
        self, question: str, kept: Filters, recipe: Recipe, right: Mapping[str, float], left_out: str = "",
        run: Callable[[Recipe], Recipe] = as_it_is,
    ) -> JudgedQuery:  # fmt: skip
        """The question as a recipe searches it, with what its documents gain. `run` makes of a recipe the one
        that ranks: with documents as units, say."""
        reading, query, _ = self._asked(question, DEPTH, kept, "passage", recipe, rerank=False)
        corpus, as_of, known = self.asked, reading.as_of, self.known_at
        return JudgedQuery(
            query, (as_of, known), lambda do: corpus.use(as_of, known, do), right, left_out, run
        )
