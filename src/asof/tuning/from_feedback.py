"""Recorded questions of a corpus with judged hits, to tune on.

Where only weights and the rate of freshness are tuned, the recorded trees of the hits are enough: the shown
hits are ordered anew, and nothing is searched. Otherwise a question is searched again, as of when it was
asked and as the corpus knew then, and hits that were not shown count as irrelevant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof import engine
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.learn.box import Box
from asof.learn.feedback import JudgedRecord
from asof.learn.judged_query import JudgedQuery, as_it_is
from asof.learn.loss import dcg, gains
from asof.learn.loss_table import DeferredLosses, ExpressionLosses
from asof.learn.recorded_scores import recorded_scores, thresholds
from asof.rank.recipe import Recipe, value_of
from asof.recipes import by_document
from asof.tuning.tuning_questions import TuningQuestions, judged_query

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 20
"""The smallest number of judged questions that is accepted."""


def from_feedback(
    corpus: Corpus,
    recipe: Recipe,
    box: Box,
    k: int,
    limit: int | None = None,
    seed: int = 0,
    *,
    again: bool = False,
) -> TuningQuestions:
    """The judged questions of a recipe to tune on; the corpus has to stay open while they are used.

    A question whose judged hits all have the same gain says nothing about an order and is left out.
    `limit`: the number of questions, chosen by a hash of their ids. `again`: search again in any case.
    Raises UsageError for fewer than FEWEST.
    """
    judged = corpus.judged(recipe.name)
    usable = [each for each in judged if _is_graded_differently(each)]
    if limit is not None and limit < len(usable):
        first = sorted(
            usable, key=lambda each: hashlib.sha256(f"{seed} {each.question.id}".encode()).digest()
        )
        chosen = {each.question.id for each in first[:limit]}
        usable = [each for each in usable if each.question.id in chosen]
    if len(usable) < FEWEST:
        raise UsageError(
            f"{len(usable)} judged questions of recipe {recipe.name} have hits with different grades; "
            f"at least {FEWEST} are needed: record with `asof search --record`, grade with `asof feedback`"
        )
    same = len(judged) - len(usable)
    notes = (
        (f"{same:,} judged questions left out: all their hits have the same grade",)
        if same and limit is None
        else ()
    )
    shown = None if again else _as_shown(usable, recipe, box, k)
    if shown is not None:
        return replace(shown, notes=notes)
    return replace(_searched_again(corpus, usable, recipe, box, k), notes=notes, corpus=corpus)


def _is_graded_differently(record: JudgedRecord) -> bool:
    """Whether the judgements rank some hit above another."""
    return len(set(_gains(record).values())) > 1


def _gains(record: JudgedRecord) -> dict[int, float]:
    """The gain of each hit by its place among those shown; 0 without a judgement, as in
    `asof.learn.adaptive`."""
    return dict(enumerate(gains(record.grades, record.weights)))


def _document_gains(record: JudgedRecord) -> dict[str, float]:
    """The gain of each document: the largest of its hits."""
    by_document: dict[str, float] = {}
    for at, gain in _gains(record).items():
        document = record.question.shown[at].document
        by_document[document] = max(by_document.get(document, 0.0), gain)
    return by_document


def _tuning_questions(
    judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int, **more: object
) -> TuningQuestions:
    return TuningQuestions(
        "feedback", recipe, box, k,
        texts=[each.question.text for each in judged],
        relevant=[[name for name, gain in _document_gains(each).items() if gain > 0] for each in judged],
        subjects=[[] for _ in judged],
        times=[each.question.as_of for each in judged],
        known_at=[each.question.known_at for each in judged], **more,  # type: ignore[arg-type]
    )  # fmt: skip


# -- the shown hits in another order ---------------------------------------------------------------------


def _as_shown(judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int) -> TuningQuestions | None:
    """From the recorded trees; None where they do not hold all tuned numbers for all questions, and where a
    threshold is among them: other documents than those that were shown can be the first then."""
    if thresholds(recipe, box):
        return None
    scored = []
    for each in judged:
        own = recorded_scores(each.question, recipe, box, list(_gains(each).values()))
        if own is None:
            return None
        scored.append(own)
    queries = [
        JudgedQuery(None, (each.question.as_of, each.question.known_at), _nowhere, _by_place(each))  # type: ignore[arg-type]
        for each in judged
    ]
    table = ExpressionLosses(queries, scored, k)

    def measure(changed: Recipe, which: Ints, advance: Callable[[], None]) -> Floats:
        setting = np.array([[value_of(changed, name) for name in box.names]])
        for _ in which:
            advance()
        return np.asarray(1 - table.losses(setting, which)[0])

    return _tuning_questions(
        judged, recipe, box, k, table=table, measure=measure,
        measured="by ordering the shown hits anew; other hits are not known",
    )  # fmt: skip


def _by_place(each: JudgedRecord) -> dict[str, float]:
    return {str(at): gain for at, gain in _gains(each).items()}


def _nowhere(_: object) -> None:
    """The shown hits need no view."""


# -- searched again -------------------------------------------------------------------------------------


def _searched_again(
    corpus: Corpus, judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int
) -> TuningQuestions:
    queries = []
    for each in judged:
        question, gained = each.question, _document_gains(each)
        run = by_document if question.unit == "document" else as_it_is
        then = corpus.snapshot(question.as_of, question.known_at)
        queries.append(judged_query(then, question.text, question.filters, recipe, gained, run=run))
    search = _FeedbackSearch(queries, k)
    return _tuning_questions(
        judged, recipe, box, k, table=DeferredLosses(lambda: queries, recipe, box, k), measure=search.measure,
        measured="by searches as of when each was asked; hits without a judgement count as irrelevant",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _FeedbackSearch:
    queries: Sequence[JudgedQuery]
    k: int

    def measure(self, recipe: Recipe, which: Ints, advance: Callable[[], None]) -> Floats:
        values = []
        for at in which.tolist():
            judged = self.queries[at]
            hits = judged.use(
                lambda view, judged=judged: engine.search(judged.query, view, judged.run(recipe)).hits
            )
            ranked = list(dict.fromkeys(hit.document for hit in hits))
            values.append(dcg([judged.gains.get(each, 0.0) for each in ranked], self.k) / judged.best(self.k))
            advance()
        return np.array(values)
