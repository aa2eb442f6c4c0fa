"""Tuning: fits the numbers that a recipe declares tunable to the questions of a dataset.

scipy's differential evolution looks for the setting with the least mean loss, 1 - nDCG@10. scikit-learn parts
the questions into folds, those of one text together: the worth of a setting is measured on questions that it
was not fitted to. The values that are offered are fitted to all questions.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.corpus.corpus import Corpus
from asof.errors import UsageError, missing_extra
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, load, prepared
from asof.extensions.lab.metrics import DEPTH, Comparison, clusters, compare
from asof.extensions.lab.runs import (
    EvaluationOptions,
    Progress,
    asked_of,
    choose,
    filters,
    no_progress,
    relevant,
)
from asof.extensions.systems.learning import Box, JudgedQuery, LossTable, loss_table
from asof.extensions.systems.loss import gains
from asof.rank.stage import Recipe, value_of, with_values
from asof.schema import plain
from asof.store.schema import CorpusSettings
from asof.wire import HIDDEN, As, AsText, Decimals, replace

K = 10
METRIC = f"ndcg@{K}"

FOLDS = 5
"""Parts of the questions, each held out once."""

TRIALS = 300
"""Settings that are tried, for all questions and for each fold."""

FEWEST = 20
"""The smallest number of questions: of fewer no gain can be told from chance."""

LEAST = 1e-4
"""The smallest improvement of the loss for which the values of the recipe are left."""

TOLERANCE = 1e-3
"""A search ends when the losses of its settings deviate by less than this share of their mean."""

DIGITS = 3
"""Significant digits of the values."""

SIGNIFICANT = 0.05

SEED = 0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TuningQuestions:
    """q questions of a dataset with their texts, and their losses at settings of the box of a recipe."""

    dataset: str
    recipe: Recipe
    box: Box
    texts: Sequence[str]
    table: LossTable
    notes: tuple[str, ...] = ()

    def mean(self, x: Floats, questions: Ints) -> float:
        """The mean nDCG of some questions at a setting (d,)."""
        return 1 - float(self.table.losses(x[None], questions).mean())


@dataclass(frozen=True, slots=True)
class TunedNumber:
    """A number that was tuned."""

    field: str
    low: Annotated[float, "the least value that was tried"]
    high: Annotated[float, "the largest value that was tried"]
    start: Annotated[float, "its value before"]
    value: Annotated[float, "its value after, fitted to all questions"]
    folds: Annotated[tuple[float, ...], "its value in each fold"]


@dataclass(frozen=True, slots=True)
class TuningOutcome:
    """The outcome of tuning. `tuned` is the recipe with the values fitted to all questions."""

    dataset: str
    recipe: Annotated[Recipe, AsText(lambda recipe: recipe.name)]
    tuned: Annotated[Recipe, HIDDEN]
    questions: int
    folds: Annotated[int, "parts of the questions, each held out once"]
    start: Annotated[float, "nDCG@10 before"]
    fitted: Annotated[float, "nDCG@10 after, on the questions that were fitted to"]
    held_out: Annotated[float, "nDCG@10 of each question with the values fitted to the other folds"]
    comparison: Annotated[Comparison, "`held_out` less `start`"]
    numbers: Annotated[tuple[TunedNumber, ...], As("fields")]
    how: Annotated[str, As("method"), "how settings were tried"]
    trials: Annotated[int, "settings that were tried"]
    seconds: Annotated[float, Decimals(1)]
    notes: tuple[str, ...]

    @property
    def gain(self) -> Annotated[bool, "whether held-out questions gain, beyond chance"]:
        """True if the values are better on held-out questions, beyond chance: by the interval and by the
        paired test, since few questions that changed make an interval too narrow."""
        return self.comparison.low > 0 and self.comparison.p < SIGNIFICANT

    @property
    def lines(self) -> Annotated[str, 'lines for asof.toml; `""`: no gain']:
        """The lines of asof.toml with the fitted values; "" where they are no gain."""
        return toml_lines(self.recipe, self.tuned) if self.gain else ""


def tune(
    questions: TuningQuestions, folds: int, trials: int, progress: Progress | None = None
) -> TuningOutcome:
    """Fit to all questions, and to all but each fold. Raises UsageError for too few questions, and
    MissingExtra."""
    began, n = time.perf_counter(), len(questions.texts)
    group = clusters([" ".join(each.casefold().split()) for each in questions.texts])
    distinct = int(group.max(initial=-1)) + 1
    if distinct < max(FEWEST, folds):
        raise UsageError(
            f"{questions.dataset}: {distinct} different judged questions; {max(FEWEST, folds)} are needed"
        )
    split = _library("sklearn.model_selection").GroupKFold(folds).split
    every = np.arange(n, dtype=np.int64)
    fit = _Fit(questions, trials, progress or no_progress)
    whole = fit(every, "all questions")
    before = 1 - questions.table.losses(fit.start[None], every)[0]
    after, found = np.empty(n), []
    for at, (train, test) in enumerate(split(every, groups=group)):
        found.append(fit(train, f"fold {at + 1}"))
        after[test] = 1 - questions.table.losses(found[-1][None], test)[0]
    (comparison,) = compare("tuned", "start", {METRIC: after}, {METRIC: before}, group, SEED)
    box = questions.box
    return TuningOutcome(
        questions.dataset, questions.recipe, with_values(questions.recipe, box.named(whole)), n, folds,
        float(before.mean()), questions.mean(whole, every), float(after.mean()), comparison,
        tuple(
            TunedNumber(
                name, float(box.low[at]), float(box.high[at]), float(fit.start[at]), float(whole[at]),
                tuple(float(each[at]) for each in found),
            )
            for at, name in enumerate(box.names)
        ),
        questions.table.how, fit.tried, time.perf_counter() - began, questions.notes,
    )  # fmt: skip


class _Fit:
    """Searches for the best setting for some questions; counts the settings that were tried."""

    def __init__(self, questions: TuningQuestions, trials: int, progress: Progress) -> None:
        self.questions, self.trials, self.progress, self.tried = questions, trials, progress, 0
        box = questions.box
        self.start: Floats = box.project([value_of(questions.recipe, name) for name in box.names])
        self.evolution: Callable[..., Any] = _library("scipy.optimize").differential_evolution

    def __call__(self, which: Ints, what: str) -> Floats:
        """The best setting (d,) as it would be written; the start where none is better."""
        box, table, done = self.questions.box, self.questions.table, 0

        def losses(points: Floats) -> Floats:
            nonlocal done
            settings = box.project(points.T)
            done += len(settings)
            self.progress(what, done, self.trials)
            return np.asarray(table.losses(settings, which).mean(axis=1))

        size = max(8, 3 * len(box))
        rng = np.random.default_rng(SEED)
        first = np.concatenate([self.start[None], box.sample(rng, size - 1)])
        found = self.evolution(
            losses, list(zip(box.low, box.high, strict=True)), init=first, polish=False, rng=rng,
            maxiter=max(1, self.trials // size - 1), vectorized=True, updating="deferred", tol=TOLERANCE,
        )  # fmt: skip
        self.tried += done
        x = self._written(box.project(found.x))
        gained = self.questions.mean(x, which) - self.questions.mean(self.start, which)
        return x if gained > LEAST else self.start

    def _written(self, x: Floats) -> Floats:
        """A setting with few digits, and integers as such; the sum of the simplex stays."""
        box, recipe = self.questions.box, self.questions.recipe
        short = np.clip([float(f"{value:.{DIGITS}g}") for value in x.tolist()], box.low, box.high)
        if box.simplex:
            at = list(box.simplex)
            left = box.total - short[at].sum()
            room = (box.high - short if left > 0 else short - box.low)[at]
            short[at[int(room.argmax())]] += left
            short = box.project(np.round(short, 9))
        changed = with_values(recipe, box.named(short))
        return np.array([value_of(changed, name) for name in box.names])


def toml_lines(recipe: Recipe, tuned: Recipe) -> str:
    """The lines of asof.toml that make a recipe, as it is configured, the tuned one; "" where it is."""
    before = dict(recipe.fields())
    changed = {key: plain(value) for key, value in tuned.fields() if value != before[key]}
    if not changed:
        return ""
    lines = [f"{key} = {_toml(value)}" for key, value in changed.items()]
    return "\n".join([f"[recipes.{recipe.name}]", *lines])


def _toml(value: Any) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"


def _library(name: str) -> Any:
    """A module of scipy or scikit-learn. Raises MissingExtra."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        raise missing_extra("tuning", "lab", "scipy", "scikit-learn") from missing


# -- the questions of a dataset --------------------------------------------------------------------


@contextmanager
def dataset_questions(
    path: Path, recipe: Recipe, settings: CorpusSettings, *, cache: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[TuningQuestions]:  # fmt: skip
    """The judged questions of a dataset, while its corpus is open.

    Raises UsageError for a dataset that cannot be evaluated, and for a recipe without tunable numbers.
    """
    if not recipe.tunable.ranges:
        raise UsageError(f"recipe {recipe.name} declares no numbers that can be tuned")
    notify, box = progress or no_progress, Box.of(recipe)
    _library("scipy.optimize")
    notify("reading", 0, 0)
    data = load(path)
    questions, notes = choose(data, EvaluationOptions())
    with prepared(
        data, replace(settings, undated="always"), cache or environment.cache_folder(), None,
        lambda report: notify("indexing", report.added, len(data.dates)),
    ) as corpus:  # fmt: skip
        notify("preparing questions", 0, 0)
        queries = [judged_query(corpus, data, each, recipe) for each in questions]
        table = loss_table(queries, recipe, box, K)
        yield TuningQuestions(data.name, recipe, box, [each.text for each in questions], table, tuple(notes))


def judged_query(
    corpus: Corpus, data: Dataset, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str] = ()
) -> JudgedQuery:
    """A question as the recipe is asked it, with the gains of documents; nothing is searched."""
    then, graded = asked_of(corpus, data, question), relevant(question, data)
    hard = then.filters(meta=filters(question, filter_by))
    reading, query, _ = then.reader.query_for(question.text, DEPTH, hard, "passage", recipe, rerank=False)
    at = replace(then, as_of=reading.as_of)
    gained = dict(zip(graded, gains(graded.values()), strict=True))
    return JudgedQuery(query, at.use, gained, question.query_doc)
