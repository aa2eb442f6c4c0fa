"""How a question would be searched at a snapshot, without searching it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

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
    reading, query, _ = then.reader.query_for(question, DEPTH, kept, "passage", recipe, rerank=False)
    asked = replace(then, as_of=reading.as_of)
    return JudgedQuery(query, (asked.as_of, asked.known_at), asked.use, right, left_out, run)
