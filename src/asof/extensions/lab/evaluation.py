"""Evaluation of recipes on a dataset: how good they are, how certain that is, and what leaks in from later.

`evaluate` asks all questions of one corpus. `evaluate_incremental` is the protocol of TG-RAG (section V-A), a
corpus and an update of it: questions whose documents are all in the base are asked before and after the
update, those that need the update after it; all as of their moments in the dataset, so that only the corpus
differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof import environment
from asof import recipes as known
from asof.corpus.corpus import Corpus
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
    sampled,
)
from asof.extensions.lab.datasets import Dataset, DatasetQuestion, load, prepared, temporary
from asof.extensions.lab.leakage import Leakage, check_leakage, leakage_sample
from asof.extensions.lab.runs import (
    BASE,
    BUDGET,
    DEFAULT_OPTIONS,
    METRICS,
    NEW,
    EvaluationOptions,
    Progress,
    QuestionResult,
    Run,
    Runs,
    Split,
    check_filters,
    choose,
    compared,
    is_judged,
    no_progress,
    progress_counter,
    recipes_by_name,
    run,
    split,
)
from asof.hits import Answer
from asof.models.ports import Encoder
from asof.rank.stage import Recipe
from asof.schema import plain
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

    @classmethod
    def of(
        cls, dataset: str | Path | Dataset, recipes: Sequence[str | Recipe], options: EvaluationOptions,
        ask: AnswerFunction, models: EvaluationModels, progress: Progress | None,
    ) -> Runner:  # fmt: skip
        """The runner for a dataset, which is read unless it is one. Raises UsageError."""
        progress = progress or no_progress
        progress("reading", 0, 0)
        named = recipes_by_name(recipes)
        if not isinstance(dataset, Dataset):
            dataset = load(Path(dataset), queries=options.queries)
        check_filters(dataset, options.filter_by)
        models.check()
        return cls(dataset, named, options, ask, models, progress)

    def rank(self, corpus: Corpus, questions: Sequence[DatasetQuestion]) -> tuple[Run[QuestionResult], ...]:
        """The rankings by each recipe; () if there are no questions."""
        return tuple(
            run(
                name, recipe, corpus, self.dataset, questions, self.options.filter_by,
                progress_counter(self.progress, name, len(questions)), self.options.metrics,
            )
            for name, recipe in self.recipes.items()
            if questions
        )  # fmt: skip

    def answer(self, corpus: Corpus, references: Sequence[ReferenceAnswer], label: str = "") -> AnswerRuns:
        """The answers by each recipe. Raises ModelError."""
        runs = [
            answer_all(
                name, recipe, corpus, self.dataset, references, self.options.filter_by, self.ask,
                progress_counter(self.progress, f"{label}{name}, answers", len(references)),
            )
            for name, recipe in self.recipes.items()
        ]  # fmt: skip
        return compare_answers(runs, references, self.options.seed)


# -- evaluate --------------------------------------------------------------------------------------


COMPARED = tuple(name for name in METRICS if name not in ("leak@10", *BUDGET))


def changes(recipe: Recipe) -> dict[str, Any]:
    """The fields of a recipe that have other values than those of the published one of its name."""
    published = dict(known.named(recipe.name).fields())
    return {key: plain(value) for key, value in recipe.fields() if published.get(key, known) != value}


@dataclass(frozen=True, slots=True)
class Evaluation(Runs[QuestionResult]):
    """The rankings by each recipe. `leakage` and `answers` are None if they were not asked for."""

    dataset: Dataset
    options: EvaluationOptions
    leakage: Leakage | None
    notes: tuple[str, ...]
    answers: AnswerRuns | None = None


def evaluate(
    dataset: str | Path | Dataset,
    recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS,
    *,
    encoder: Encoder | None = None,
    cache: Path | None = None,
    progress: Progress | None = None,
    ask: AnswerFunction = ask_snapshot,
    models: EvaluationModels = NO_MODELS,
    compare: bool = True,
) -> Evaluation:
    """Ask the questions of a dataset, each as of its moment, by each of some recipes.

    `cache`: the folder that keeps the corpus for the next time (default: `environment.cache_folder()`).
    `ask` answers, `models` writes answers. `compare`: rankings are compared in pairs, too. Raises UsageError
    for a dataset that cannot be evaluated, ModelError.
    """
    settings = replace(options.settings, undated="always")
    if encoder is not None:
        settings = replace(settings, encoder=encoder.name)
    options = replace(options, settings=settings)
    runner = Runner.of(dataset, recipes, options, ask, models, progress)
    data = runner.dataset
    if models.writes and options.leakage:
        raise UsageError("--leakage needs facts that are read by rules: check it with --answers quotes")
    questions, notes = choose(data, options)
    answers = leakage = None
    with prepared(
        data, settings, cache or environment.cache_folder(), encoder,
        lambda report: runner.progress("indexing", report.added, len(data.dates)), models.writer,
    ) as corpus:  # fmt: skip
        models.configure(corpus)
        if options.answers or options.leakage:
            read_facts(corpus, runner.progress)
        runs = runner.rank(corpus, questions)
        if options.answers:
            references, more = choose_references(data, options)
            notes += more
            answers = runner.answer(corpus, references)
        if options.leakage:
            leakage = _leakage(corpus, runner, encoder, notes)
    missing = sum(result.missing_sentences for each in runs[:1] for result in each.results)
    if missing:
        notes.append(f"{missing:,} sentences of evidence.jsonl are not in their documents: counted as missed")
    metrics = dict.fromkeys((*COMPARED, *options.metrics))
    comparisons = compared(questions, runs, metrics, options.seed) if compare else ()
    return Evaluation(
        tuple(questions), runs, comparisons, options.seed, data, options, leakage, tuple(notes), answers
    )


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
        progress_counter(runner.progress, "leakage", len(questions)),
    )  # fmt: skip


# -- evaluate_incremental --------------------------------------------------------------------------


STAGES = ("base@base", "base@updated", "new@updated")
"""The stages: which questions are asked of which corpus."""


@dataclass(frozen=True, slots=True)
class Incremental:
    """The result: the cost of base and update; for each of STAGES the answers, None where no question is of
    that kind; and by recipe the number of base questions that had another answer after the update."""

    dataset: Dataset
    split: Split
    base: IndexingCost
    update: IndexingCost
    stages: Mapping[str, AnswerRuns | None]
    changed: Mapping[str, int]
    notes: tuple[str, ...]


def evaluate_incremental(
    dataset: str | Path | Dataset, later: str, recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS, *, progress: Progress | None = None,
    ask: AnswerFunction = ask_snapshot, models: EvaluationModels = NO_MODELS,
) -> Incremental:  # fmt: skip
    """Index the base and ask; add the update (see `split`), ask the same again, and the new questions.

    The corpus is in a temporary folder. Raises UsageError, ModelError.
    """
    options = replace(options, settings=replace(options.settings, undated="always"))
    runner = Runner.of(dataset, recipes, options, ask, models, progress)
    data = runner.dataset
    parts = split(data, later)
    references = reference_answers(data)
    of_part = {
        part: sampled([each for each in references if parts.part(each.question, data) == part], options)
        for part in (BASE, NEW)
    }

    def stage(name: str, part: str) -> AnswerRuns | None:
        return runner.answer(corpus, of_part[part], f"{name}, ") if of_part[part] else None

    with temporary(data, options.settings) as corpus:
        models.configure(corpus)
        base = add_and_read(corpus, parts.documents(data, BASE), runner.progress)
        before = stage(STAGES[0], BASE)
        update = add_and_read(corpus, parts.documents(data, NEW), runner.progress)
        after, new = stage(STAGES[1], BASE), stage(STAGES[2], NEW)
    notes = ["all questions are asked as of their moments in the dataset, also before the update"]
    if options.limit is not None:
        questions = f"{options.limit:,} question{'s' * (options.limit != 1)}"
        notes.append(f"at most {questions} in each stage, chosen by a hash of their ids")
    judged = [parts.part(each, data) for each in data.questions if is_judged(each, data)]
    for name, answers, part in ((STAGES[0], before, BASE), (STAGES[2], new, NEW)):
        if answers is None and part not in judged:
            notes.append(f"{name}: no question of this kind")
    stages = dict(zip(STAGES, (before, after, new), strict=True))
    return Incremental(data, parts, base, update, stages, _changed(before, after), tuple(notes))


def _changed(before: AnswerRuns | None, after: AnswerRuns | None) -> dict[str, int]:
    """By recipe the number of answers that the update changed."""
    if before is None or after is None:
        return {}
    return {
        one.name: sum(
            _content(was.answer) != _content(now.answer)
            for was, now in zip(one.results, other.results, strict=True)
        )
        for one, other in zip(before.runs, after.runs, strict=True)
    }


def _content(answer: Answer) -> tuple[object, ...]:
    """The text of an answer and its citations; all refusals are equal."""
    if answer.refused:
        return ()
    return answer.text, [(each.document, each.quote) for each in answer.citations]
