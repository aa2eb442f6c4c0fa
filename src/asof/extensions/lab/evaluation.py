"""Evaluation of recipes on a dataset: how good they are, how certain that is, and what leaks in from later.

`evaluate` asks all questions of one corpus. `evaluate_incremental` is the protocol of TG-RAG (section V-A), a
corpus and an update of it: questions whose documents are all in the base are asked before and after the
update, those that need the update after it; all as of their moments in the dataset, so that only the corpus
differs.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError
from asof.extensions.lab.answers import (
    NO_MODELS,
    AnswerFunction,
    AnswerRuns,
    EvaluationModels,
    IndexingCost,
    ReferenceAnswer,
    add_and_read,
    answer_all,
    ask_snapshot,
    choose_references,
    compare_answers,
    read_facts,
    reference_answers,
)
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, load, prepared
from asof.extensions.lab.leakage import Leakage, check_leakage, leakage_sample
from asof.extensions.lab.metrics import Comparison, Estimate, clusters, compare_pairs, estimate
from asof.extensions.lab.runs import (
    BASE,
    BUDGET,
    DEFAULT_OPTIONS,
    METRICS,
    NEW,
    EvaluationOptions,
    Progress,
    Run,
    Split,
    UsedConfiguration,
    check_by,
    check_filters,
    check_ids,
    choose,
    is_judged,
    no_progress,
    progress_counter,
    recipes_by_name,
    run,
    sample,
    split,
    write,
)
from asof.models.ports import Encoder
from asof.rank.stage import Recipe
from asof.values import Answer
from asof.wire import replace

# -- asking, for both protocols --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Runner:
    """Asks questions, with one set of options. `label` in the methods begins the lines of progress."""

    dataset: Dataset
    recipes: dict[str, Recipe]
    options: EvaluationOptions
    ask: AnswerFunction
    models: EvaluationModels
    progress: Progress

    @property
    def overviews(self) -> bool:
        """True if abstract questions without a reference answer are asked: for a judge to compare recipes."""
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
                name, recipe, corpus, self.dataset, references, self.options.filter_by, self.ask,
                progress_counter(self.progress, f"{label}{name}, answers", len(references)),
            )
            for name, recipe in self.recipes.items()
        ]  # fmt: skip
        with self.models.judge(corpus) as judge:
            if judge is None:
                return compare_answers(runs, references, self.options.seed)
            from asof.extensions.lab.answers import judge_runs

            self.progress("judging", 0, 0)
            return judge_runs(judge, runs, references, self.options.seed, self.dataset.sentences)


# -- evaluate --------------------------------------------------------------------------------------


COMPARED = tuple(name for name in METRICS if name not in ("leak@10", *BUDGET))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result: a run for each recipe over the same `questions`, in the same order.

    `cluster` has the same number for questions of the same text. `leakage` and `answers` are None if they
    were not asked for. `configuration`: where the recipes' numbers are from, if they were asked for by name.
    """

    dataset: Dataset
    options: EvaluationOptions
    questions: tuple[DatasetQuestion, ...]
    cluster: NDArray[np.int64]
    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    leakage: Leakage | None
    notes: tuple[str, ...]
    answers: AnswerRuns | None = None
    configuration: UsedConfiguration | None = None

    def estimate(self, run: Run, metric: str, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a metric with its interval, over all questions or those `at`; None if it applies to
        none."""
        chosen = list(range(len(self.questions))) if at is None else list(at)
        return estimate(run.values(metric)[chosen], self.cluster[chosen], self.options.seed)


def evaluate(
    dataset: str | Path,
    recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS,
    *,
    encoder: Encoder | None = None,
    cache: Path | None = None,
    run_file: Path | None = None,
    progress: Progress | None = None,
    ask: AnswerFunction = ask_snapshot,
    models: EvaluationModels = NO_MODELS,
    compare: bool = True,
) -> Evaluation:
    """Ask the questions of a dataset, each as of its moment, by each of some recipes.

    `cache`: the folder that keeps the corpus for the next time (default: `environment.cache_folder()`).
    `run_file` gets the rankings as a TREC run. `ask` answers, `models` writes and
    judges answers. `compare`: rankings are compared in pairs, too. Raises UsageError for a dataset that
    cannot be evaluated, ModelError.
    """
    progress = progress or no_progress
    progress("reading", 0, 0)
    named = recipes_by_name(recipes)
    settings = replace(options.settings, undated="always")
    if encoder is not None:
        settings = replace(settings, encoder=encoder.name)
    options = replace(options, settings=settings)
    data = load(Path(dataset), queries=options.queries, without=options.without)
    _check(data, options, models, run_file)
    questions, notes = choose(data, options)
    runner = Runner(data, named, options, ask, models, progress)
    answers = leakage = None
    with prepared(
        data, settings, cache or environment.cache_folder(), encoder,
        lambda report: progress("indexing", report.added, len(data.dates)), notes.append, models.writer,
    ) as corpus:  # fmt: skip
        models.configure(corpus)
        if options.answers or options.leakage:
            read_facts(corpus, progress)
        runs = runner.rank(corpus, questions)
        if options.answers:
            references, more = choose_references(data, options, overviews=runner.overviews)
            notes += more
            answers = runner.answer(corpus, references)
        if options.leakage:
            leakage = _leakage(corpus, runner, encoder, notes)
    if run_file is not None:
        write(run_file, runs)
    cluster = clusters([question.text for question in questions])
    compared = dict.fromkeys((*COMPARED, *options.metrics))
    values = {each.name: {metric: each.values(metric) for metric in compared} for each in runs if compare}
    return Evaluation(
        data, options, tuple(questions), cluster, runs,
        compare_pairs(values, cluster, options.seed), leakage,
        (*notes, *_run_notes(runs)), answers,
    )  # fmt: skip


def _check(
    dataset: Dataset, options: EvaluationOptions, models: EvaluationModels, run_file: Path | None
) -> None:
    check_filters(dataset, options)
    check_by(dataset, options)
    models.check()
    if models.writes and options.leakage:
        raise UsageError(
            "--leakage compares facts and answers made without a model: check it with --answers quotes"
        )
    if run_file is not None:
        check_ids(run_file, dataset)


def _leakage(corpus: Corpus, runner: Runner, encoder: Encoder | None, notes: list[str]) -> Leakage:
    """The leakage on a sample of the questions; adds a note if some of them cannot leak."""
    dataset, options = runner.dataset, runner.options
    questions, can_leak = leakage_sample(dataset, options.leakage, options.seed)
    if can_leak < len(questions):
        notes.append(
            f"leakage: {len(questions) - can_leak:,} of {len(questions):,} questions are asked when nothing "
            "later was published: they only show that a corpus built anew answers the same"
        )
    return check_leakage(
        corpus, dataset, runner.recipes, questions, options.settings, encoder, options.filter_by,
        progress_counter(runner.progress, "leakage", len(questions)), runner.ask,
    )  # fmt: skip


def _run_notes(runs: Sequence[Run]) -> list[str]:
    notes = []
    for each in runs:
        unsteady = sum(not result.steady for result in each.results)
        if unsteady:
            notes.append(
                f"{each.name}: the first ten of {unsteady:,} questions are others when more hits are asked "
                "for; the metrics are those of the longer lists"
            )
    missing = sum(result.missing_sentences for each in runs[:1] for result in each.results)
    if missing:
        notes.append(f"{missing:,} sentences of evidence.jsonl are not in their documents: counted as missed")
    return notes


# -- evaluate_incremental --------------------------------------------------------------------------


STAGES = ("base@base", "base@updated", "new@updated")
"""The stages: which questions are asked of which corpus."""


@dataclass(frozen=True, slots=True)
class QuestionStage:
    """Questions with a reference answer, asked of a corpus; `answers` is None if there are none."""

    name: str
    answers: AnswerRuns | None


@dataclass(frozen=True, slots=True)
class ChangedAnswers:
    """The number of base questions with another answer after the update, of those that were answered."""

    recipe: str
    answered: int
    answers: int


@dataclass(frozen=True, slots=True)
class Incremental:
    """The result: the cost of base and update, the questions before and after, and the changes."""

    dataset: Dataset
    options: EvaluationOptions
    split: Split
    base: IndexingCost
    update: IndexingCost
    stages: tuple[QuestionStage, ...]
    changed: tuple[ChangedAnswers, ...]
    notes: tuple[str, ...]


def evaluate_incremental(
    dataset: str | Path, later: str, recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS, *, progress: Progress | None = None,
    ask: AnswerFunction = ask_snapshot, models: EvaluationModels = NO_MODELS,
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
    runner = Runner(data, named, options, ask, models, progress)

    def stage(name: str, part: str) -> QuestionStage:
        references = _references(runner, parts, part)
        return QuestionStage(name, runner.answer(corpus, references, f"{name}, ") if references else None)

    with (
        TemporaryDirectory(prefix="asof-incremental-") as folder,
        open_corpus(folder, settings=options.settings, config=Config()) as corpus,
    ):
        corpus.session.clock = itertools.count(data.clock, 1_000_000).__next__
        corpus.maintenance.background = False
        models.configure(corpus)
        base = add_and_read(corpus, parts.documents(data, BASE), progress)
        before = stage(STAGES[0], BASE)
        update = add_and_read(corpus, parts.documents(data, NEW), progress)
        after = stage(STAGES[1], BASE)
        new = stage(STAGES[2], NEW)
    notes = ["all questions are asked as of their moments in the dataset, also before the update"]
    if options.limit is not None:
        questions = f"{options.limit:,} question{'s' * (options.limit != 1)}"
        notes.append(f"at most {questions} in each stage, chosen by a hash of their ids")
    judged = [parts.part(each, data) for each in data.questions if is_judged(each, data)]
    for each, part in ((before, BASE), (new, NEW)):
        if each.answers is None and part not in judged:
            notes.append(f"{each.name}: no question of this kind")
    changed = tuple(_changed(at, name, before.answers, after.answers) for at, name in enumerate(named))
    return Incremental(data, options, parts, base, update, (before, after, new), changed, tuple(notes))


def _references(runner: Runner, parts: Split, part: str) -> list[ReferenceAnswer]:
    """The questions of a part of the dataset that have a reference answer."""
    data, options = runner.dataset, runner.options
    references = [
        each
        for each in reference_answers(data, overviews=runner.overviews)
        if parts.part(each.question, data) == part
    ]
    if options.limit is None:
        return references
    chosen = sample([each.question for each in references], options.limit, options.seed)
    ids = {question.id for question in chosen}
    return [each for each in references if each.question.id in ids]


def _changed(at: int, recipe: str, before: AnswerRuns | None, after: AnswerRuns | None) -> ChangedAnswers:
    """The number of answers of a recipe (the one `at` this place) that the update changed."""
    if before is None or after is None:
        return ChangedAnswers(recipe, 0, 0)
    pairs = zip(before.runs[at].replies, after.runs[at].replies, strict=True)
    answers = sum(_content(one.answer) != _content(other.answer) for one, other in pairs)
    return ChangedAnswers(recipe, len(before.references), answers)


def _content(answer: Answer) -> tuple[object, ...]:
    """The text of an answer and its citations; all refusals are equal."""
    if answer.refused:
        return ()
    return answer.text, [(each.document, each.quote) for each in answer.citations]
