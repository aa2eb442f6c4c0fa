"""What variants of a recipe are worth, on some of the questions of an evaluation: numbers for figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Hit, Why
from asof.errors import UsageError
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.figures.variants import ablations, budgets, limit, sensitivities
from asof.evaluate.runs.compare import Estimate, Floats, clusters, estimate
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.metrics import scores
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import Run, by_document, filters, relevant, retrieve
from asof.evaluate.runs.selection import sample
from asof.rank.candidates.pool import Pool
from asof.rank.combine.fusion import ReciprocalRank
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import OUTSIDE, BudgetedRerank

METRICS = ("ndcg@10", "success@1")
WHOLE = "the whole"

Values = Mapping[str, Floats]
Tell = Callable[[int, int], None]
"""How much is done, of how much."""


@dataclass(frozen=True, slots=True)
class Ablated:
    """A metric of a recipe without a part, with its interval, and what it differs from the whole by."""

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
class Swept:
    """A metric of a recipe with a value of one of its fields; `present`: it is the one that it has."""

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
class Budgeted:
    """A metric of a recipe that looks at so many candidates; `own`: as many as it says (then their mean)."""

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
    """Tries variants of recipes on the same questions of an evaluation.

    `limit`: on so many of its questions, chosen by a hash. Runs of the evaluation are the whole recipes, so
    what is shown of them is what the evaluation says of these questions.
    """

    evaluation: Evaluation
    corpus: Corpus
    limit: int
    questions: list[DatasetQuestion]
    _at: list[int]

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
        """What the evaluation found."""
        return {metric: run.values(metric)[self._at] for metric in METRICS}

    def tried(self, recipe: Recipe) -> Values:
        """What a variant is worth on each question."""
        each = [self._scores(question, recipe) for question in self.questions]
        return {metric: np.array([found[metric] for found in each], np.float64) for metric in METRICS}

    def estimate(self, values: Floats) -> Estimate:
        found = estimate(
            values, clusters([question.text for question in self.questions]), self.evaluation.options.seed
        )
        if found is None:
            raise UsageError("there is no question to draw figures of")
        return found

    def hits(
        self, question: DatasetQuestion, recipe: Recipe, k: int, as_of: int | None = None
    ) -> tuple[Hit, ...]:
        """The first hits of a question, as of when it is asked or of another time."""
        when = self.dataset.as_of(question) if as_of is None else as_of
        meta = filters(question, self.evaluation.options.filter_by)
        return (
            Snapshot(self.corpus, when, None)
            .search(question.text, k, recipe=recipe, meta=meta, unit="passage")
            .hits
        )

    def _scores(self, question: DatasetQuestion, recipe: Recipe) -> dict[str, float]:
        then = Snapshot(self.corpus, self.dataset.as_of(question), None)
        hits = retrieve(then, question, recipe, self.dataset, self.evaluation.options.filter_by)
        ranking = by_document(hit for hit in hits if hit.document != question.query_doc)
        return scores([document for document, _ in ranking], relevant(question, self.dataset))


def ablated(trials: Trials, runs: Sequence[Run], tell: Tell) -> list[Ablated]:
    """Each run as a whole, then each part of its recipe off."""
    work: list[tuple[Run, str, Recipe]] = []
    for run in runs:
        variants = ablations(run.recipe, vectors=trials.vectors)
        work += [(run, called, recipe) for called, recipe in {WHOLE: run.recipe, **variants}.items()]
    rows = []
    for done, (run, called, recipe) in enumerate(work):
        tell(done, len(work))
        whole = trials.whole(run)
        values = whole if called == WHOLE else trials.tried(recipe)
        for metric in METRICS:
            mean = trials.estimate(values[metric])
            gap = trials.estimate(values[metric] - whole[metric])
            rows.append(
                Ablated(
                    run.name, called, metric, mean.value, mean.low, mean.high, gap.value, gap.low, gap.high,
                    len(trials.questions),
                )
            )  # fmt: skip
    return rows


def swept(trials: Trials, runs: Sequence[Run], tell: Tell) -> list[Swept]:
    """Each run with other values of the numbers of its recipe."""
    work = [
        (run, field, setting, recipe)
        for run in runs
        for field, settings in sensitivities(run.recipe).items()
        for setting, recipe in settings
    ]
    rows = []
    for done, (run, field, setting, recipe) in enumerate(work):
        tell(done, len(work))
        present = recipe == run.recipe
        values = trials.whole(run) if present else trials.tried(recipe)
        for metric in METRICS:
            mean = trials.estimate(values[metric])
            rows.append(
                Swept(
                    run.name, field, setting, present, metric, mean.value, mean.low, mean.high,
                    len(trials.questions),
                )
            )  # fmt: skip
    return rows


def budgeted(trials: Trials, runs: Sequence[Run], tell: Tell) -> list[Budgeted]:
    """Each run with other numbers of candidates; its own number is how many it looked at, on average."""
    work: list[tuple[Run, int, Recipe]] = []
    for run in runs:
        sizes = budgets(run.recipe)
        work += [(run, 0, run.recipe)] if sizes else []
        work += [(run, size, recipe) for size, recipe in sizes.items()]
    rows = []
    for done, (run, size, recipe) in enumerate(work):
        tell(done, len(work))
        values = trials.tried(recipe) if size else trials.whole(run)
        candidates = float(size) if size else looked_at(trials, recipe)
        for metric in METRICS:
            mean = trials.estimate(values[metric])
            rows.append(
                Budgeted(
                    run.name, candidates, not size, metric, mean.value, mean.low, mean.high,
                    len(trials.questions),
                )
            )  # fmt: skip
    return rows


def looked_at(trials: Trials, recipe: Recipe) -> float:
    """How many candidates a recipe looks at: what it says, or what its budget lets in, on average."""
    _, stage = limit(recipe) or ("", None)
    if isinstance(stage, Pool):
        return float(stage.n)
    if isinstance(stage, ReciprocalRank):
        return float(stage.depth)
    if not isinstance(stage, BudgetedRerank):
        raise UsageError(f"recipe {recipe.name} looks at all candidates")
    counts = []
    for question in trials.questions:
        hits = trials.hits(question, recipe, stage.sizes[-1])
        counts.append(sum(not _says(hit.why, OUTSIDE) for hit in hits))
    return float(np.mean(counts))


def _says(tree: Why, label: str) -> bool:
    return tree.label == label or any(_says(part, label) for part in tree.parts)
