"""How a question would be searched at a snapshot, without searching it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from asof.corpus.snapshot import Snapshot
from asof.data import Filters
from asof.evaluate.runs.metrics import DEPTH
from asof.learn.judged_query import JudgedQuery, as_it_is
from asof.rank.recipe import Recipe


def judged_query(
    then: Snapshot, question: str, kept: Filters, recipe: Recipe, right: Mapping[str, float],
    left_out: str = "", run: Callable[[Recipe], Recipe] = as_it_is,
) -> JudgedQuery:  # fmt: skip
    """The question as a recipe searches it, with what its documents gain. `run` makes of a recipe the one
    that ranks: with documents as units, say."""
    reading, query, _ = then.query_for(question, DEPTH, kept, "passage", recipe, rerank=False)
    corpus, as_of, known = then.corpus, reading.as_of, then.known_at
    return JudgedQuery(query, (as_of, known), lambda do: corpus.use(as_of, known, do), right, left_out, run)
