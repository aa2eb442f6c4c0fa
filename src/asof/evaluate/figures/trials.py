"""Some questions of an evaluation, asked again for figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from asof.corpus.corpus import Corpus
from asof.data import Hit
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import filters
from asof.evaluate.runs.selection import sample
from asof.rank.recipe import Recipe

StepProgress = Callable[[int, int], None]
"""Gets how much is done, and of how much."""


@dataclass(slots=True)
class Trials:
    """Asks `limit` questions of an evaluation, chosen by a hash."""

    evaluation: Evaluation
    corpus: Corpus
    limit: int
    questions: list[DatasetQuestion]

    @classmethod
    def of(cls, evaluation: Evaluation, corpus: Corpus, limit: int) -> Trials:
        questions = sample(evaluation.questions, limit, evaluation.options.seed)
        return cls(evaluation, corpus, limit, questions)

    @property
    def dataset(self) -> Dataset:
        return self.evaluation.dataset

    def hits(
        self, question: DatasetQuestion, recipe: Recipe, k: int, as_of: int | None = None
    ) -> tuple[Hit, ...]:
        """The first hits of a question, as of its moment or another."""
        moment = self.dataset.as_of(question) if as_of is None else as_of
        meta = filters(question, self.evaluation.options.filter_by)
        snapshot = self.corpus.snapshot(moment, None, stated=question.asked_at is not None)
        return snapshot.search(question.text, k, recipe=recipe, meta=meta, unit="passage").hits
