"""`evaluate`: what recipes are worth on a dataset, how sure that is, and whether they see the future."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import recipes as known
from asof import service
from asof.errors import UsageError
from asof.evaluate import leakage as leaks
from asof.evaluate.compare import Comparison, Estimate, clusters, compared, estimate
from asof.evaluate.corpus import prepared
from asof.evaluate.dataset import METADATA, SOME_TIME, Dataset, load
from asof.evaluate.judged import Question
from asof.evaluate.leakage import Leakage
from asof.evaluate.metrics import leak
from asof.evaluate.runs import METRICS, Run, check_ids, relevant, run, write
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.service import Corpus
from asof.store.settings import Settings
from asof.time.span import iso

COMPARED = tuple(name for name in METRICS if name != "leak@10")

Progress = Callable[[str, int, int], None]
"""What is under way, how much of it is done, of how much (0: unknown)."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a dataset is evaluated.

    `queries`: a file of questions, by path or by name inside the dataset (default: all of them). `limit`: so
    many questions, chosen by a hash. `leakage`: so many are also put to a corpus cut where they were asked.
    `without`: fields that are blanked. `filter_by`: fields of a question that the metadata of a hit has to
    agree with. `settings` are those of the corpus, whose undated documents are visible always. `seed` is that
    of all that is drawn.
    """

    queries: str = ""
    limit: int | None = None
    leakage: int = 0
    without: tuple[str, ...] = ()
    filter_by: tuple[str, ...] = ()
    settings: Settings = field(default_factory=Settings)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome: a run for each recipe over the same `questions`, in the same order.

    `cluster` numbers questions of the same text alike. `leakage` is None when it was not asked for.
    """

    dataset: Dataset
    options: Options
    questions: tuple[Question, ...]
    cluster: NDArray[np.int64]
    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    leakage: Leakage | None
    notes: tuple[str, ...]

    def estimate(self, run: Run, metric: str) -> Estimate | None:
        """The mean of a metric with its interval; None when it applies to no question."""
        return estimate(run.values(metric), self.cluster, self.options.seed)


def evaluate(
    dataset: str | Path,
    recipes: Sequence[str | Recipe] = ("asof",),
    options: Options = Options(),
    *,
    encoder: Encoder | None = None,
    cache: Path | None = None,
    run_file: Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Ask the questions of a dataset, each as of when it was asked, by each of some recipes.

    `cache`: the folder in which the corpus is kept for the next time (default: `service.cache_folder()`).
    `run_file` gets the rankings as a TREC run. Raises UsageError for a dataset that cannot be evaluated.
    """
    tell = progress or _silent
    tell("reading", 0, 0)
    chosen = named(recipes)
    settings = replace(options.settings, undated="always")
    if encoder is not None:
        settings = replace(settings, encoder=encoder.name)
    options = replace(options, settings=settings)
    data = load(Path(dataset), queries=options.queries, without=options.without)
    _check_filters(data, options)
    if run_file is not None:
        check_ids(run_file, data)
    questions, notes = choose(data, options)
    asked = len(questions)
    with prepared(
        data, settings, cache or service.cache_folder(), encoder,
        lambda report: tell("indexing", report.added, len(data.dates)), notes.append,
    ) as corpus:  # fmt: skip
        runs = tuple(
            run(name, recipe, corpus, data, questions, options.filter_by, _counting(tell, name, asked))
            for name, recipe in chosen.items()
        )
        leaked = _leakage(corpus, data, chosen, options, encoder, tell, notes) if options.leakage else None
    if run_file is not None:
        write(run_file, runs)
    cluster = clusters([question.text for question in questions])
    return Evaluation(
        data, options, tuple(questions), cluster, runs, _comparisons(runs, cluster, options.seed), leaked,
        (*notes, *_remarks(runs)),
    )  # fmt: skip


def _silent(what: str, done: int, of: int) -> None:
    """Progress is no news to a program."""


def _counting(tell: Progress, what: str, of: int) -> Callable[[], None]:
    """Tells that one more of something is done, each time it is called."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        tell(what, done, of)

    tell(what, 0, of)
    return advance


def named(recipes: Sequence[str | Recipe]) -> dict[str, Recipe]:
    """Recipes by name; a second one of the same name is called `name-2`. Raises UsageError."""
    if not recipes:
        raise UsageError(f"no recipe is given; accepted: {', '.join(known.NAMES)}")
    found: dict[str, Recipe] = {}
    for each in recipes:
        recipe = known.named(each) if isinstance(each, str) else each
        name, number = recipe.name, 2
        while name in found:
            name, number = f"{recipe.name}-{number}", number + 1
        found[name] = recipe
    return found


def _check_filters(dataset: Dataset, options: Options) -> None:
    for key in options.filter_by:
        if not any(question.record.get(key) is not None for question in dataset.questions):
            raise UsageError(f"--filter-by {key}: no question has this field")
        if key not in dataset.fields or key in options.without or METADATA in options.without:
            raise UsageError(f"--filter-by {key}: no document has this field (or --without blanks it)")


def choose(dataset: Dataset, options: Options) -> tuple[list[Question], list[str]]:
    """The questions to ask, and what there is to say about those that are not. Raises UsageError."""
    judged = [q for q in dataset.questions if any(grade > 0 for grade in relevant(q, dataset).values())]
    if not judged:
        raise UsageError(
            f"none of the {len(dataset.questions):,} questions in {', '.join(dataset.files)} has a relevant "
            "document in qrels.tsv; accepted: query, document, relevance above 0, with the ids of both files"
        )
    notes = []
    left = len(dataset.questions) - len(judged)
    if left:
        notes.append(f"{left:,} of {len(dataset.questions):,} questions have no relevant document: left out")
    chosen = judged if options.limit is None else leaks.spread(judged, options.limit, options.seed)
    if len(chosen) < len(judged):
        notes.append(f"{len(chosen):,} of {len(judged):,} questions, chosen by a hash of their ids")
    absent = late = 0
    for question in chosen:
        good = [document for document, grade in relevant(question, dataset).items() if grade > 0]
        absent += any(document not in dataset.dates for document in good)
        late += leak(good, dataset.dates, dataset.as_of(question), len(good)) > 0
    if absent:
        notes.append(f"{absent:,} questions have a relevant document that is not in the corpus: never found")
    if late:
        notes.append(f"{late:,} questions have a relevant document of a later date: not found as of then")
    if all(date is None for date in dataset.dates.values()):
        notes.append(
            f"no document has a date: questions without a time are asked as of {iso(SOME_TIME)[:10]}"
        )
    elif all(question.asked is None for question in chosen):
        notes.append("no question has a time: all are asked as of the newest document")
    return chosen, notes


def _remarks(runs: Sequence[Run]) -> list[str]:
    notes = []
    for each in runs:
        restless = sum(not answer.steady for answer in each.answers)
        if restless:
            notes.append(
                f"{each.name}: the first ten of {restless:,} questions are others when more hits are asked "
                "for; the metrics are those of the longer lists"
            )
    nowhere = sum(answer.nowhere for answer in runs[0].answers)
    if nowhere:
        notes.append(f"{nowhere:,} sentences of evidence.jsonl are not in their documents: counted as missed")
    return notes


def _leakage(
    corpus: Corpus, dataset: Dataset, recipes: dict[str, Recipe], options: Options, encoder: Encoder | None,
    tell: Progress, notes: list[str],
) -> Leakage:  # fmt: skip
    asked, able = leaks.chosen(dataset, options.leakage, options.seed)
    if able < len(asked):
        notes.append(
            f"leakage: {len(asked) - able:,} of {len(asked):,} questions are asked when nothing "
            "later was published: they only show that a corpus built anew answers the same"
        )
    return leaks.check(
        corpus, dataset, recipes, asked, options.settings, encoder, options.filter_by,
        _counting(tell, "leakage", len(asked)),
    )  # fmt: skip


def _comparisons(runs: Sequence[Run], cluster: NDArray[np.int64], seed: int) -> tuple[Comparison, ...]:
    values = {each.name: {metric: each.values(metric) for metric in COMPARED} for each in runs}
    return tuple(
        found
        for a, b in combinations(values, 2)
        for found in compared(a, b, values[a], values[b], cluster, seed)
    )
