"""Asks the questions of a dataset: rankings and answers by each recipe. Both protocols use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.corpus.corpus import Corpus
from asof.evaluate.answers.models import EvaluationModels
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.results import AnswerRuns, compare_answers
from asof.evaluate.answers.run import AnswererFactory, answer_all
from asof.evaluate.options import EvaluationOptions, Progress, progress_counter
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import Run, run
from asof.rank.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Runner:
    """What questions are asked with. `label` in the methods begins the lines of progress."""

    dataset: Dataset
    recipes: dict[str, Recipe]
    options: EvaluationOptions
    answerer_at: AnswererFactory
    models: EvaluationModels
    progress: Progress

    @property
    def overviews(self) -> bool:
        """Whether abstract questions without a reference answer are asked: for a judge to compare recipes."""
        return self.models.judges and len(self.recipes) > 1

    def rank(self, corpus: Corpus, questions: Sequence[DatasetQuestion], label: str = "") -> tuple[Run, ...]:
        """The rankings by each recipe; () if there are no questions."""
        return tuple(
            run(
                name, recipe, corpus, self.dataset, questions, self.options.filter_by,
                progress_counter(self.progress, f"{label}{name}", len(questions)), self.options.metrics,
            )
            for name, recipe in self.recipes.items()
            if questions
        )  # fmt: skip

    def answer(self, corpus: Corpus, references: Sequence[ReferenceAnswer], label: str = "") -> AnswerRuns:
        """The answers by each recipe, with verdicts if there is a judge. Raises ModelError."""
        runs = [
            answer_all(
                name, recipe, corpus, self.dataset, references, self.options.filter_by, self.answerer_at,
                progress_counter(self.progress, f"{label}{name}, answers", len(references)),
            )
            for name, recipe in self.recipes.items()
        ]  # fmt: skip
        with self.models.judge(corpus) as judge:
            if judge is None:
                return compare_answers(runs, references, self.options.seed)
            from asof.evaluate.answers.judge_runs import judge_runs

            self.progress("judging", 0, 0)
            return judge_runs(judge, runs, references, self.options.seed, self.dataset.sentences)
