"""What age adds to a score, or multiplies it by: stages are run over passages of all ages."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np

from asof.config import Config
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Filters, SourcedTime
from asof.evaluate.runs.run import Run
from asof.index.view import View
from asof.rank.combine.weighted_sum import Combine
from asof.rank.expression import Constant
from asof.rank.recipe import Recipe
from asof.rank.stage import Ranking, Stage
from asof.rank.traits import traits_of
from asof.store.settings import CorpusSettings
from asof.text.question import as_typed, read
from asof.time.span import Span, moment, nearest_moment

LANDMARKS = (0, 7, 13, 14, 30, 59, 60, 90, 179, 180, 365, 730, 1825, 3650)
AGES = sorted({*LANDMARKS, *(round(10 ** (power / 25)) for power in range(101))})
"""The ages, in days: dense on a log scale, and both sides of usual steps."""

NOW = Span.at(moment(2**50))
"""The moment from which ages are counted; any would do."""

QUESTIONS = {"wishes for the newest": "What is the latest?", "general": "How does it work?"}
"""Kinds of questions with an example: stages read in it whether the newest is wanted."""


@dataclass(frozen=True, slots=True)
class AgeEffect:
    """The effect of an age in a recipe: `weight` is added to the score, or multiplies it (`effect`)."""

    recipe: str
    question: str
    effect: str
    age_days: int
    weight: float


def age_rows(runs: Sequence[Run]) -> list[AgeEffect]:
    """The curves of each recipe that has a stage of time."""
    rows: list[AgeEffect] = []
    with _passages() as view:
        for run in runs:
            for stage in run.recipe.stages:
                rows += _curves(run.name, run.recipe, stage, view)
    return rows


def _curves(name: str, recipe: Recipe, stage: Stage, view: View) -> list[AgeEffect]:
    """One curve if all questions have the same, else one for each kind of question."""
    effect = traits_of(stage).by_age
    if not effect:
        return []
    curves = {kind: _weights(recipe, stage, text, view) for kind, text in QUESTIONS.items()}
    if len(set(map(tuple, curves.values()))) == 1:
        curves = {"any": next(iter(curves.values()))}
    return [
        AgeEffect(name, kind, effect, day, weight)
        for kind, weights in curves.items()
        for day, weight in zip(AGES, weights, strict=True)
    ]


def _weights(recipe: Recipe, stage: Stage, text: str, view: View) -> list[float]:
    """What the stage adds to a score of 1, or makes of it, at each age."""
    reading = as_typed(text, view.as_of) if recipe.typed else read(text, nearest_moment(view.as_of))
    query = replace(reading.query, k=len(AGES))
    window = view.window(Filters())
    one = Ranking(window, np.arange(window.n)).with_column("one", Constant("score", 1.0))
    ranking = stage(query, one, view)
    values = ranking.score
    if traits_of(stage).by_age == "added":  # its column is weighted in a later sum
        (column,) = ranking.columns.keys() - one.columns.keys()
        values = ranking.columns[column].values * _weight(recipe, column)
    newest_first = np.argsort(-view.column("visible", ranking.rows))
    weights: list[float] = values[newest_first].tolist()
    return weights


def _weight(recipe: Recipe, column: str) -> float:
    """The weight of a column in the last sum that has it."""
    for stage in reversed(recipe.stages):
        if isinstance(stage, Combine) and column in dict(stage.weights):
            return dict(stage.weights)[column]
    return 1.0


def weights_at(stage: Stage, question: str, ages: Sequence[int]) -> list[float]:
    """What a stage alone makes of ages in days, rising, for a question: its column, or the factor of 1."""
    with _passages(ages) as view:
        return _weights(Recipe("age", "", (stage,), typed=True), stage, question, view)


@contextmanager
def _passages(ages: Sequence[int] = AGES) -> Iterator[View]:
    """A view of one passage of each age."""
    settings = CorpusSettings(stem=False)
    with (
        tempfile.TemporaryDirectory(prefix="asof-evaluate-") as name,
        open_corpus(Path(name), settings=settings, config=Config()) as corpus,
    ):
        corpus.session.clock = itertools.count(NOW.last + 1, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(_document(day) for day in ages)
        yield corpus.at(moment(NOW.last)).view()


def _document(day: int) -> Document:
    when = moment(NOW.last) - timedelta(days=day)
    return Document(
        str(day), f"day {day}", published=SourcedTime(Span.at(when), when.isoformat(), "metadata")
    )
