"""The incremental protocol of TG-RAG (section V-A): a corpus, an update of it, what that changes and costs.

Questions whose documents are all in the base are asked before and after the update, those that need the
update after it. All are asked as of their moments in the dataset, so that only the corpus differs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Answer
from asof.evaluate.answers.facts import IndexingCost, add_and_read
from asof.evaluate.answers.models import NO_MODELS, EvaluationModels
from asof.evaluate.answers.reference import ReferenceAnswer, reference_answers
from asof.evaluate.answers.results import AnswerRuns
from asof.evaluate.answers.run import AnswererFactory, snapshot_at
from asof.evaluate.options import DEFAULT_OPTIONS, EvaluationOptions, Progress, no_progress
from asof.evaluate.runner import Runner
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import QuestionResult, Run, relevant
from asof.evaluate.runs.selection import check_filters, recipes_by_name, sample
from asof.evaluate.runs.split import BASE, NEW, Split, split
from asof.rank.recipe import Recipe

STAGES = ("base@base", "base@updated", "new@updated")
"""Which questions are asked of which corpus."""


@dataclass(frozen=True, slots=True)
class QuestionStage:
    """Questions asked of a corpus: rankings for those with relevant documents, answers for those with a
    reference answer. `runs` is empty, and `answers` None, if there are no such questions.
    """

    name: str
    judged: tuple[DatasetQuestion, ...]
    runs: tuple[Run, ...]
    answers: AnswerRuns | None

    @property
    def empty(self) -> bool:
        return not self.judged and self.answers is None


@dataclass(frozen=True, slots=True)
class ChangedAnswers:
    """How many base questions have another answer after the update, and how many another first document.

    `answered` questions were answered, `ranked` questions had documents ranked.
    """

    recipe: str
    answered: int
    answers: int
    ranked: int
    rankings: int


@dataclass(frozen=True, slots=True)
class Incremental:
    """The result: what base and update cost, the questions before and after, and what changed."""

    dataset: Dataset
    options: EvaluationOptions
    split: Split
    base: IndexingCost
    update: IndexingCost
    stages: tuple[QuestionStage, ...]
    changed: tuple[ChangedAnswers, ...]
    notes: tuple[str, ...]


def evaluate(
    dataset: str | Path, later: str, recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS, *, progress: Progress | None = None,
    answerer_at: AnswererFactory = snapshot_at, models: EvaluationModels = NO_MODELS,
) -> Incremental:  # fmt: skip
    """Index the base and ask; add the update (see `split`), ask the same again, and the new questions.

    The corpus is in a temporary folder. Raises UsageError, ModelError.
    """
    progress = progress or no_progress
    progress("reading", 0, 0)
    named = recipes_by_name(recipes)
    options = replace(options, settings=replace(options.settings, undated="always"))
    data = load(Path(dataset), queries=options.queries, without=options.without)
    check_filters(data, options)
    models.check()
    parts = split(data, later)
    stages = _Stages(parts, Runner(data, named, options, answerer_at, models, progress))
    with (
        TemporaryDirectory(prefix="asof-incremental-") as folder,
        open_corpus(folder, settings=options.settings, config=Config()) as corpus,
    ):
        corpus.session.clock = itertools.count(data.clock, 1_000_000).__next__
        corpus.maintenance.background = False
        models.configure(corpus)
        base = add_and_read(corpus, parts.documents(data, BASE), progress)
        before = stages.ask(STAGES[0], BASE, corpus)
        update = add_and_read(corpus, parts.documents(data, NEW), progress)
        after = stages.ask(STAGES[1], BASE, corpus)
        new = stages.ask(STAGES[2], NEW, corpus)
    changed = tuple(_changed(at, name, before, after) for at, name in enumerate(named))
    return Incremental(
        data, options, parts, base, update, (before, after, new), changed, _notes(options, before, new)
    )


@dataclass(frozen=True, slots=True)
class _Stages:
    """Asks the questions of a part of the dataset."""

    parts: Split
    runner: Runner

    def ask(self, name: str, part: str, corpus: Corpus) -> QuestionStage:
        judged, references = self._judged(part), self._references(part)
        runs = self.runner.rank(corpus, judged, f"{name}, ")
        answers = self.runner.answer(corpus, references, f"{name}, ") if references else None
        return QuestionStage(name, tuple(judged), runs, answers)

    def _judged(self, part: str) -> list[DatasetQuestion]:
        """The questions of a part that have a relevant document."""
        dataset = self.runner.dataset
        return self._limited(
            [
                question
                for question in dataset.questions
                if any(grade > 0 for grade in relevant(question, dataset).values())
                and self.parts.part(question, dataset) == part
            ]
        )

    def _references(self, part: str) -> list[ReferenceAnswer]:
        """The questions of a part that have a reference answer."""
        dataset = self.runner.dataset
        references = [
            each
            for each in reference_answers(dataset, overviews=self.runner.overviews)
            if self.parts.part(each.question, dataset) == part
        ]
        chosen = {question.id for question in self._limited([each.question for each in references])}
        return [each for each in references if each.question.id in chosen]

    def _limited(self, questions: list[DatasetQuestion]) -> list[DatasetQuestion]:
        options = self.runner.options
        return questions if options.limit is None else sample(questions, options.limit, options.seed)


def _notes(options: EvaluationOptions, base: QuestionStage, new: QuestionStage) -> tuple[str, ...]:
    notes = ["all questions are asked as of their moments in the dataset, also before the update"]
    if options.limit is not None:
        questions = f"{options.limit:,} question{'s' * (options.limit != 1)}"
        notes.append(f"at most {questions} in each stage, chosen by a hash of their ids")
    notes += [f"{each.name}: no question of this kind" for each in (base, new) if each.empty]
    return tuple(notes)


def _changed(at: int, recipe: str, before: QuestionStage, after: QuestionStage) -> ChangedAnswers:
    """How many answers and rankings of a recipe (the one `at` this place) differ after the update."""
    answered = answers = 0
    if before.answers is not None and after.answers is not None:
        one, other = (stage.runs[at].replies for stage in (before.answers, after.answers))
        answered = len(one)
        answers = sum(_content(a.answer) != _content(b.answer) for a, b in zip(one, other, strict=True))
    rankings = 0
    if before.runs:
        pairs = zip(before.runs[at].results, after.runs[at].results, strict=True)
        rankings = sum(_first(a) != _first(b) for a, b in pairs)
    return ChangedAnswers(recipe, answered, answers, len(before.judged), rankings)


def _content(answer: Answer) -> tuple[object, ...]:
    """The text of an answer and its citations; all refusals are equal."""
    if answer.refused:
        return ()
    return answer.text, [(each.document, each.quote) for each in answer.citations]


def _first(result: QuestionResult) -> str | None:
    return result.ranking[0][0] if result.ranking else None
