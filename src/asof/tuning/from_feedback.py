"""Questions of a corpus of whose hits somebody said how well they answer.

Where only weights and the rate of freshness are tuned, the recorded reasons of the hits are enough: what was
shown is put in another order, and nothing is searched. Otherwise a question is searched again, as of when it
was asked and as the corpus knew then, and what was not shown counts as no answer.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof import engine
from asof.corpus.corpus import Corpus
from asof.data import Why
from asof.errors import UsageError
from asof.learn import trees
from asof.learn.box import Box
from asof.learn.candidate_columns import CandidateColumns
from asof.learn.candidates import Candidates
from asof.learn.feedback import JudgedRecord
from asof.learn.judged_query import JudgedQuery, as_it_is
from asof.learn.loss import dcg, gains
from asof.learn.loss_table import loss_table
from asof.learn.sum_parts import FRESH, SumColumn, SumParts, sum_parts
from asof.rank.recipe import Recipe, value_of
from asof.recipes import by_document
from asof.tuning.query_builder import judged_query
from asof.tuning.tuning_questions import TuningQuestions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 20
"""Fewer judged questions are refused."""


def from_feedback(
    corpus: Corpus, recipe: Recipe, box: Box, k: int, limit: int | None = None, seed: int = 0
) -> TuningQuestions:
    """The judged questions of a recipe as material; the corpus stays open while it is used.

    A question of which all judged hits have the same grade says nothing about an order and is left out.
    `limit`: so many questions, chosen by a hash of their ids. Raises UsageError for fewer than FEWEST.
    """
    there = corpus.judged(recipe.name)
    telling = [each for each in there if _tells(each)]
    if limit is not None and limit < len(telling):
        first = sorted(
            telling, key=lambda each: hashlib.sha256(f"{seed} {each.question.id}".encode()).digest()
        )
        kept = {each.question.id for each in first[:limit]}
        telling = [each for each in telling if each.question.id in kept]
    if len(telling) < FEWEST:
        raise UsageError(
            f"{len(telling)} judged questions of recipe {recipe.name} tell better hits from worse; at least "
            f"{FEWEST} are needed: record with `asof search --record`, grade with `asof feedback`"
        )
    same = len(there) - len(telling)
    notes = (
        (f"{same:,} judged questions left out: all that was judged has one grade",)
        if same and limit is None
        else ()
    )
    shown = _as_shown(telling, recipe, box, k)
    if shown is not None:
        return replace(shown, notes=notes)
    return replace(_asked_again(corpus, telling, recipe, box, k), notes=notes)


def _tells(each: JudgedRecord) -> bool:
    """Whether some hit is better than another, as far as anybody said."""
    own = _gains(each)
    return len(set(own.values())) > 1


def _gains(each: JudgedRecord) -> dict[int, float]:
    """What each hit (by its place in what was shown) gains; one that nobody judged gains nothing, as
    `asof.learn.adaptive` has it."""
    return dict(enumerate(gains(each.grades, each.weights)))


def _good(each: JudgedRecord) -> dict[str, float]:
    """What documents gain: the most of their hits."""
    found: dict[str, float] = {}
    for at, gain in _gains(each).items():
        document = each.question.shown[at].document
        found[document] = max(found.get(document, 0.0), gain)
    return found


def _material(
    judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int, **more: object
) -> TuningQuestions:
    return TuningQuestions(
        "feedback", recipe, box, k,
        texts=[each.question.text for each in judged],
        relevant=[[name for name, gain in _good(each).items() if gain > 0] for each in judged],
        subjects=[[] for _ in judged],
        times=[each.question.as_of for each in judged], **more,  # type: ignore[arg-type]
    )  # fmt: skip


# -- what was shown, in another order ------------------------------------------------------------------


def _as_shown(judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int) -> TuningQuestions | None:
    """By the recorded reasons; None where they do not hold what is tuned, or not for all questions."""
    plan = sum_parts(recipe, box)
    if plan is None or not set(plan.sources) <= trees.replayable(recipe):
        return None
    try:
        found = [_candidates(each, plan) for each in judged]
    except UsageError:  # ranked by other numbers than those that can be tried
        return None
    posed = [
        JudgedQuery(None, (each.question.as_of, each.question.known_at), _nowhere, _by_place(each))  # type: ignore[arg-type]
        for each in judged
    ]
    table = CandidateColumns.from_candidates(posed, found, plan, box, k)

    def measure(changed: Recipe, which: Ints, advance: Callable[[], None]) -> Floats:
        setting = np.array([[value_of(changed, name) for name in box.names]])
        for _ in which:
            advance()
        return np.asarray(1 - table.losses(setting, which)[0])

    return _material(
        judged, recipe, box, k, table=table, measure=measure,
        measured="by putting what was shown in another order; what was not shown is not known",
    )  # fmt: skip


def _by_place(each: JudgedRecord) -> dict[str, float]:
    return {str(at): gain for at, gain in _gains(each).items()}


def _nowhere(_: object) -> None:
    """What was shown is asked of nothing."""


def _candidates(each: JudgedRecord, plan: SumParts) -> Candidates:
    """The judged hits of a question as they were recorded. Raises UsageError where the recipe differs in more
    than can be tried."""
    label = _label(plan)
    reasons = trees.trees_of(each.question)
    trees.replayed(each.question, plan.recipe, reasons)
    recorded = trees.columns(each.question, label, reasons)
    places = np.array(sorted(_gains(each)), np.int64)
    columns = []
    for part in plan.parts:
        if part.column not in recorded.names:
            columns.append(np.zeros(len(places)))
        elif part.column == trees.FRESHNESS:
            columns.append(_freshness(each, part, plan, recorded, reasons)[places])
        else:
            columns.append(recorded.values[places, recorded.names.index(part.column)])
    own = _gains(each)
    every = np.arange(len(places), dtype=np.int64)
    return Candidates(
        places, every, np.array([own[at] for at in places.tolist()]), tuple(columns), np.zeros(len(places)),
        every, np.ones(len(places), np.int64), False,
    )  # fmt: skip


def _freshness(
    each: JudgedRecord, part: SumColumn, plan: SumParts, recorded: trees.ScoreParts, reasons: Sequence[Why]
) -> Floats:
    """Whole days (undated: infinite) where the rate is tuned, else the column at the recipe's rate."""
    days = trees.ages(each.question, _label(plan), reasons).days if part.kind == FRESH else None
    if days is not None and part.number in plan.sources:
        return np.where(np.isnan(days), np.inf, days)
    values = recorded.values[:, recorded.names.index(part.column)]
    rate = value_of(plan.recipe, trees.RATE)
    if rate == each.question.fields[trees.RATE]:
        return values
    if days is None:
        raise UsageError("half-lives of its own: the question has to be asked again")
    return np.array([0.0 if math.isnan(day) else math.exp(-day / (1.0 / rate)) for day in days.tolist()])


def _label(plan: SumParts) -> str:
    stage = plan.recipe.stages[plan.at]
    name: str = stage.name  # type: ignore[attr-defined]  # a Combine
    return name


# -- the question again ---------------------------------------------------------------------------------


def _asked_again(
    corpus: Corpus, judged: Sequence[JudgedRecord], recipe: Recipe, box: Box, k: int
) -> TuningQuestions:
    posed = []
    for each in judged:
        asked = each.question
        run = by_document if asked.unit == "document" else as_it_is
        then = corpus.snapshot(asked.as_of, asked.known_at)
        posed.append(judged_query(then, asked.text, asked.filters, recipe, _good(each), run=run))
    searching = _Searching(posed, k)
    return _material(
        judged, recipe, box, k, table=loss_table(posed, recipe, box, k), measure=searching.measure,
        measured="by searches as of when each was asked; what was not judged counts as no answer",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Searching:
    posed: Sequence[JudgedQuery]
    k: int

    def measure(self, recipe: Recipe, which: Ints, advance: Callable[[], None]) -> Floats:
        found = []
        for at in which.tolist():
            asked = self.posed[at]
            hits = asked.use(
                lambda view, asked=asked: engine.search(asked.query, view, asked.run(recipe)).hits
            )
            ranked = list(dict.fromkeys(hit.document for hit in hits))
            found.append(dcg([asked.gains.get(each, 0.0) for each in ranked], self.k) / asked.best(self.k))
            advance()
        return np.array(found)
