"""The metrics of variants of recipes on some questions of an evaluation: rows for figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from asof.corpus.corpus import Corpus
from asof.data import Hit, Why
from asof.errors import UsageError
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.figures.variants import ablations, budgets, limit, sensitivities
from asof.evaluate.runs.compare import Floats, clusters, estimate
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.metrics import scores
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import Run, by_document, filters, relevant, retrieve
from asof.evaluate.runs.selection import sample
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import OUTSIDE

METRICS = ("ndcg@10", "success@1")
WHOLE = "the whole"

Values = Mapping[str, Floats]
"""By metric, its value for each question."""

StepProgress = Callable[[int, int], None]
"""Gets how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A metric of a recipe without a part, and its difference from the whole recipe, with intervals."""

    recipe: str
    variant: str
    metric: str
    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    questions: int


@dataclass(frozen=True, slots=True)
class SensitivityRow:
    """A metric of a recipe with a value of one of its fields; `present`: it is the recipe's own value."""

    recipe: str
    field: str
    setting: float
    present: bool
    metric: str
    value: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A metric of a recipe with a number of candidates; `own`: the recipe's own number (their mean)."""

    recipe: str
    candidates: float
    own: bool
    metric: str
    value: float
    low: float
    high: float
    questions: int


@dataclass(slots=True)
class Trials:
    """Runs variants of recipes on `limit` questions of an evaluation, chosen by a hash.

    The whole recipes are not run again: their values are those of the evaluation.
    """

    evaluation: Evaluation
    corpus: Corpus
    limit: int
    questions: list[DatasetQuestion]
    _places: list[int]

    @classmethod
    def of(cls, evaluation: Evaluation, corpus: Corpus, limit: int) -> Trials:
        questions = sample(evaluation.questions, limit, evaluation.options.seed)
        ids = {question.id for question in questions}
        places = [at for at, question in enumerate(evaluation.questions) if question.id in ids]
        return cls(evaluation, corpus, limit, questions, places)

    @property
    def dataset(self) -> Dataset:
        return self.evaluation.dataset

    @property
    def vectors(self) -> bool:
        """Whether the corpus has an encoder."""
        return self.corpus.at().view().encoder is not None

    def whole(self, run: Run) -> Values:
        """The metrics of the whole recipe, from the evaluation."""
        return {metric: run.values(metric)[self._places] for metric in METRICS}

    def run(self, recipe: Recipe) -> Values:
        """The metrics of a variant."""
        results = [self._scores(question, recipe) for question in self.questions]
        return {metric: np.array([result[metric] for result in results], np.float64) for metric in METRICS}

    def interval(self, values: Floats) -> tuple[float, float, float]:
        """The mean of a metric and the ends of its interval. Raises UsageError without questions."""
        cluster = clusters([question.text for question in self.questions])
        mean = estimate(values, cluster, self.evaluation.options.seed)
        if mean is None:
            raise UsageError("there is no question to draw figures of")
        return mean.value, mean.low, mean.high

    def hits(
        self, question: DatasetQuestion, recipe: Recipe, k: int, as_of: int | None = None
    ) -> tuple[Hit, ...]:
        """The first hits of a question, as of its moment or another."""
        moment = self.dataset.as_of(question) if as_of is None else as_of
        meta = filters(question, self.evaluation.options.filter_by)
        snapshot = self.corpus.snapshot(moment, None, stated=question.asked_at is not None)
        return snapshot.search(question.text, k, recipe=recipe, meta=meta, unit="passage").hits

    def _scores(self, question: DatasetQuestion, recipe: Recipe) -> dict[str, float]:
        moment, stated = self.dataset.as_of(question), question.asked_at is not None
        snapshot = self.corpus.snapshot(moment, None, stated=stated)
        hits = retrieve(snapshot, question, recipe, self.dataset, self.evaluation.options.filter_by)
        ranking = by_document(hit for hit in hits if hit.document != question.query_doc)
        return scores([document for document, _ in ranking], relevant(question, self.dataset))


def ablation_rows(trials: Trials, runs: Sequence[Run], progress: StepProgress) -> list[AblationRow]:
    """Each recipe as a whole, then with each part off."""
    work: list[tuple[Run, str, Recipe]] = []
    for run in runs:
        variants = {WHOLE: run.recipe, **ablations(run.recipe, vectors=trials.vectors)}
        work += [(run, variant, recipe) for variant, recipe in variants.items()]
    rows = []
    for done, (run, variant, recipe) in enumerate(work):
        progress(done, len(work))
        whole = trials.whole(run)
        values = whole if variant == WHOLE else trials.run(recipe)
        for metric in METRICS:
            mean = trials.interval(values[metric])
            difference = trials.interval(values[metric] - whole[metric])
            rows.append(AblationRow(run.name, variant, metric, *mean, *difference, len(trials.questions)))
    return rows


def sensitivity_rows(trials: Trials, runs: Sequence[Run], progress: StepProgress) -> list[SensitivityRow]:
    """Each recipe with other values of its numbers, one at a time."""
    work = [
        (run, field, setting, recipe)
        for run in runs
        for field, settings in sensitivities(run.recipe).items()
        for setting, recipe in settings
    ]
    rows = []
    for done, (run, field, setting, recipe) in enumerate(work):
        progress(done, len(work))
        present = recipe == run.recipe
        values = trials.whole(run) if present else trials.run(recipe)
        for metric in METRICS:
            mean = trials.interval(values[metric])
            rows.append(
                SensitivityRow(run.name, field, setting, present, metric, *mean, len(trials.questions))
            )
    return rows


def budget_rows(trials: Trials, runs: Sequence[Run], progress: StepProgress) -> list[BudgetRow]:
    """Each recipe with other numbers of candidates, and with its own: how many it reads on average."""
    work: list[tuple[Run, int, Recipe]] = []
    for run in runs:
        sizes = budgets(run.recipe)
        work += [(run, 0, run.recipe)] if sizes else []
        work += [(run, size, recipe) for size, recipe in sizes.items()]
    rows = []
    for done, (run, size, recipe) in enumerate(work):
        progress(done, len(work))
        values = trials.run(recipe) if size else trials.whole(run)
        candidates = float(size) if size else candidates_read(trials, recipe)
        for metric in METRICS:
            mean = trials.interval(values[metric])
            rows.append(BudgetRow(run.name, candidates, not size, metric, *mean, len(trials.questions)))
    return rows


def candidates_read(trials: Trials, recipe: Recipe) -> float:
    """How many candidates a recipe reads: its limit, or how many its budget lets in on average."""
    limited = limit(recipe)
    if limited is None:
        raise UsageError(f"recipe {recipe.name} reads all candidates")
    _, most = limited
    if not isinstance(most, tuple):
        return float(most)
    counts = []
    for question in trials.questions:
        hits = trials.hits(question, recipe, most[-1])
        counts.append(sum(not _has_label(hit.why, OUTSIDE) for hit in hits))
    return float(np.mean(counts))


def _has_label(tree: Why, label: str) -> bool:
    return tree.label == label or any(_has_label(part, label) for part in tree.parts)
