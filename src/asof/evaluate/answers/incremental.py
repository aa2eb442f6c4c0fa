"""The incremental protocol of TG-RAG (section V-A): a corpus, an update of it, what that changed and cost.

Questions whose documents are all in the base are asked before and after the update, those that need it after
it. All are asked as of the moments of the dataset, before and after, so that only the corpus is another.
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
from asof.evaluate.answers.answers import AnswerRun, AnswerRuns, Stand, ask_all, gathered, standing
from asof.evaluate.answers.by_model import NONE, Models
from asof.evaluate.answers.facts import Cost, taken_in
from asof.evaluate.answers.gold import Gold, golds
from asof.evaluate.answers.split import BASE, NEW, Split, split
from asof.evaluate.leakage.results import spread
from asof.evaluate.options import DEFAULTS, Options
from asof.evaluate.progress import Progress, counting, silent
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import QuestionResult as Ranked
from asof.evaluate.runs.run import Run, relevant, run
from asof.evaluate.runs.selection import check_filters, named
from asof.rank.recipe import Recipe

STAGES = ("base@base", "base@updated", "new@updated")
"""Which questions are asked of which corpus."""


@dataclass(frozen=True, slots=True)
class QuestionStage:
    """Questions asked of a corpus: rankings for those with relevant documents, answers to those with a right
    one. `runs` is empty and `answers` None where there are none such.
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
    """How many of the base questions got another answer after the update, how many another first document.

    `asked` questions were put to `ask`, `ranked` ones were ranked documents for.
    """

    recipe: str
    asked: int
    answers: int
    ranked: int
    rankings: int


@dataclass(frozen=True, slots=True)
class Incremental:
    """The outcome: what base and update took, the questions before and after, and what changed."""

    dataset: Dataset
    options: Options
    split: Split
    base: Cost
    update: Cost
    stages: tuple[QuestionStage, ...]
    changed: tuple[ChangedAnswers, ...]
    notes: tuple[str, ...]


def evaluate(
    dataset: str | Path, later: str, recipes: Sequence[str | Recipe] = ("asof",), options: Options = DEFAULTS,
    *, progress: Progress | None = None, stand: Stand = standing, models: Models = NONE,
) -> Incremental:  # fmt: skip
    """Index the base and ask; add the update (see `split`), ask the same again, and what is new.

    The corpus lies in a folder that is gone afterwards. Raises UsageError, ModelError.
    """
    tell = progress or silent
    tell("reading", 0, 0)
    chosen = named(recipes)
    options = replace(options, settings=replace(options.settings, undated="always"))
    data = load(Path(dataset), queries=options.queries, without=options.without)
    check_filters(data, options)
    models.check()
    parts = split(data, later)
    asking = _StageSetup(data, parts, chosen, options, stand, models, tell)
    with (
        TemporaryDirectory(prefix="asof-incremental-") as folder,
        open_corpus(folder, settings=options.settings, configured=Config()) as corpus,
    ):
        corpus.clock = itertools.count(data.clock, 1_000_000).__next__
        corpus.background = False
        models.writing(corpus)
        base = taken_in(corpus, parts.documents(data, BASE), tell)
        before = asking.stage(STAGES[0], BASE, corpus)
        update = taken_in(corpus, parts.documents(data, NEW), tell)
        after = asking.stage(STAGES[1], BASE, corpus)
        new = asking.stage(STAGES[2], NEW, corpus)
    changed = tuple(_changed(at, name, before, after) for at, name in enumerate(chosen))
    return Incremental(
        data, options, parts, base, update, (before, after, new), changed, asking.notes(before, new)
    )


@dataclass(frozen=True, slots=True)
class _StageSetup:
    """What every stage is asked with."""

    dataset: Dataset
    parts: Split
    recipes: dict[str, Recipe]
    options: Options
    stand: Stand
    models: Models
    tell: Progress

    def stage(self, name: str, part: str, corpus: Corpus) -> QuestionStage:
        judged, answerable = self._judged(part), self._golds(part)
        runs = tuple(
            run(called, recipe, corpus, self.dataset, judged, self.options.filter_by,
                counting(self.tell, f"{name}, {called}", len(judged)))
            for called, recipe in self.recipes.items() if judged
        )  # fmt: skip
        replies = [
            ask_all(called, recipe, corpus, self.dataset, answerable, self.options.filter_by, self.stand,
                    counting(self.tell, f"{name}, {called}, answers", len(answerable)))
            for called, recipe in self.recipes.items() if answerable
        ]  # fmt: skip
        answers = self._judged_answers(corpus, replies, answerable) if answerable else None
        return QuestionStage(name, tuple(judged), runs, answers)

    def _judged_answers(self, corpus: Corpus, runs: list[AnswerRun], asked: list[Gold]) -> AnswerRuns:
        with self.models.judge(corpus) as judge:
            if judge is None:
                return gathered(runs, asked, self.options.seed)
            from asof.evaluate.answers.judgement import judge_all

            return judge_all(judge, runs, asked, self.options.seed)

    def _judged(self, part: str) -> list[DatasetQuestion]:
        there = [
            question
            for question in self.dataset.questions
            if any(grade > 0 for grade in relevant(question, self.dataset).values())
            and self.parts.part(question, self.dataset) == part
        ]
        return self._limited(there)

    def _golds(self, part: str) -> list[Gold]:
        overviews = self.models.judges and len(self.recipes) > 1
        there = [
            gold
            for gold in golds(self.dataset, overviews=overviews)
            if self.parts.part(gold.question, self.dataset) == part
        ]
        kept = {question.id for question in self._limited([gold.question for gold in there])}
        return [gold for gold in there if gold.question.id in kept]

    def _limited(self, questions: list[DatasetQuestion]) -> list[DatasetQuestion]:
        limit = self.options.limit
        return questions if limit is None else spread(questions, limit, self.options.seed)

    def notes(self, base: QuestionStage, new: QuestionStage) -> tuple[str, ...]:
        """What else there is to know."""
        said = ["all questions are asked as of the moments of the dataset, before the update, too"]
        if self.options.limit is not None:
            counted = f"{self.options.limit:,} question{'s' * (self.options.limit != 1)}"
            said.append(f"at most {counted} each, chosen by a hash of their ids")
        said += [f"{each.name}: there is no such question" for each in (base, new) if each.empty]
        return tuple(said)


def _changed(at: int, recipe: str, before: QuestionStage, after: QuestionStage) -> ChangedAnswers:
    """How much another a recipe's answers are after the update."""
    replies = answers = 0
    if before.answers is not None and after.answers is not None:
        one, other = (each.runs[at].replies for each in (before.answers, after.answers))
        replies = len(one)
        answers = sum(_said(a.answer) != _said(b.answer) for a, b in zip(one, other, strict=True))
    rankings = 0
    if before.runs:
        one_, other_ = before.runs[at].answers, after.runs[at].answers
        rankings = sum(_first(a) != _first(b) for a, b in zip(one_, other_, strict=True))
    return ChangedAnswers(recipe, replies, answers, len(before.judged), rankings)


def _said(answer: Answer) -> tuple[object, ...]:
    """What of an answer counts as the answer: its words, and what it cites. All refusals are the same."""
    if answer.refused:
        return ()
    return answer.text, [(each.document, each.quote) for each in answer.citations]


def _first(answer: Ranked) -> str | None:
    return answer.ranking[0][0] if answer.ranking else None
