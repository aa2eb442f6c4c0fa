"""Runs: rankings of a dataset's questions by a recipe; options, selection of questions, and the split."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from asof import recipes as known
from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.documents import Document
from asof.errors import UsageError
from asof.extensions.lab import metrics as evidence
from asof.extensions.lab.datasets import SOME_TIME, Dataset, DatasetQuestion
from asof.extensions.lab.metrics import (
    DEPTH,
    NAMES,
    Comparison,
    Estimate,
    Floats,
    clusters,
    compare_pairs,
    estimate,
    leak,
    scores,
)
from asof.hits import Halting, Hit
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.time.span import iso

# -- options and progress --------------------------------------------------------------------------


Progress = Callable[[str, int, int], None]
"""Gets the name of the step, how much of it is done, and of how much (0: unknown)."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """The options of an evaluation.

    `queries`: a file of questions, by path or by name inside the dataset (default: all of them). `limit`: the
    number of questions, chosen by a hash. `leakage`: how many are also asked of a corpus cut at their moment.
    `filter_by`: fields of a question that the metadata of a hit has to agree with. `settings`: those of the
    corpus; undated documents are always visible. `seed`: of all random draws. `answers`: `ask` is evaluated
    too, on the questions with a reference answer. `metrics`: further ones of rankings, such as `recall@1`.
    """

    queries: str = ""
    limit: int | None = None
    leakage: int = 0
    filter_by: tuple[str, ...] = ()
    settings: CorpusSettings = field(default_factory=CorpusSettings)
    seed: int = 0
    answers: bool = False
    metrics: tuple[str, ...] = ()


DEFAULT_OPTIONS = EvaluationOptions()


def no_progress(what: str, done: int, of: int) -> None:
    """Reports nothing."""


def progress_counter(progress: Progress, what: str, of: int) -> Callable[[], None]:
    """A function that reports one more of `what` done each time it is called."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(what, done, of)

    progress(what, 0, of)
    return advance


# -- runs of rankings or of answers ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a question: a value of each metric, NaN where it does not apply, and its latency."""

    scores: Mapping[str, float]
    latency_ms: float


R = TypeVar("R", bound=Scored, covariant=True)


@dataclass(frozen=True, slots=True)
class Run(Generic[R]):
    """A recipe, its name in this evaluation, and its results in the order of the questions."""

    name: str
    recipe: Recipe
    results: tuple[R, ...]

    def values(self, metric: str) -> Floats:
        """A metric of each question, shape (questions,)."""
        return np.array([result.scores[metric] for result in self.results], np.float64)

    def latency(self, percent: float, at: Sequence[int] | None = None) -> float:
        """A percentile of the latencies, in milliseconds; of all questions, or of those `at`."""
        results = self.results if at is None else [self.results[place] for place in at]
        return float(np.percentile([result.latency_ms for result in results], percent))


@dataclass(frozen=True, slots=True)
class Runs(Generic[R]):
    """A run for each recipe over the same questions, in the same order, and their comparisons."""

    questions: tuple[DatasetQuestion, ...]
    runs: tuple[Run[R], ...]
    comparisons: tuple[Comparison, ...]
    seed: int

    def estimate(self, run: Run[R], metric: str, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a metric with its interval, over all questions or those `at`; None if it applies to
        none."""
        return self.mean(run.values(metric), at)

    def mean(self, values: Floats, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a value of each question, or of those `at`, with its interval."""
        chosen = list(range(len(self.questions))) if at is None else list(at)
        cluster = clusters([question.text for question in self.questions])
        return estimate(values[chosen], cluster[chosen], self.seed)

    @property
    def types(self) -> dict[str, list[int]]:
        """Places of the questions by their type, in order of the types."""
        return dict(sorted(by_type(self.questions).items()))


def by_type(questions: Sequence[DatasetQuestion]) -> dict[str, list[int]]:
    """Places of the questions by their type."""
    places: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        places.setdefault(question.type, []).append(at)
    return places


def compared(
    questions: Sequence[DatasetQuestion], runs: Iterable[Run[R]], metrics: Iterable[str], seed: int
) -> tuple[Comparison, ...]:
    """Each run compared with each later one."""
    values = {each.name: {metric: each.values(metric) for metric in metrics} for each in runs}
    return compare_pairs(values, clusters([question.text for question in questions]), seed)


# -- rankings --------------------------------------------------------------------------------------


SHOWN = 10
"""The hits of the first search, as a user would ask for them; its time is the latency."""

BUDGET = ("candidates", "saved")
"""Of recipes that rank on a budget: how many candidates were examined, and the share of the budget that was
not used (`asof.hits.Halting`; TWE-RAG, section 4.4: 1 - K / 100)."""

METRICS = (*NAMES, "leak@10", *evidence.EVIDENCE_NAMES, *BUDGET)


@dataclass(frozen=True, slots=True)
class QuestionResult(Scored):
    """The ranking of a question by a recipe, with its METRICS.

    `ranking`: documents with the scores of their best passages, best first. `missing_sentences`: how many
    sentences that answer the question are in no document.
    """

    question: DatasetQuestion
    as_of: int
    ranking: tuple[tuple[str, float], ...]
    missing_sentences: int = 0


def run(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, questions: Sequence[DatasetQuestion],
    filter_by: Sequence[str] = (), advance: Callable[[], None] | None = None, metrics: Sequence[str] = (),
) -> Run[QuestionResult]:  # fmt: skip
    """Ask all questions. `metrics`: further ones (`metrics.scores`)."""
    results = []
    for question in questions:
        results.append(rank_question(question, recipe, corpus, dataset, filter_by, metrics))
        if advance is not None:
            advance()
    return Run(name, recipe, tuple(results))


def rank_question(
    question: DatasetQuestion, recipe: Recipe, corpus: Corpus, dataset: Dataset,
    filter_by: Sequence[str] = (), metrics: Sequence[str] = (),
) -> QuestionResult:  # fmt: skip
    """Ask one question as of its moment, and score the documents, ranked by their best passages."""
    snapshot = asked_of(corpus, dataset, question)
    meta = filters(question, filter_by)
    started = time.perf_counter()
    found = snapshot.search(question.text, SHOWN, recipe=recipe, meta=meta, unit="passage")
    latency = 1000 * (time.perf_counter() - started)
    sentences = dataset.sentences.get(question.id, [])
    hits = retrieve(snapshot, question, recipe, dataset, filter_by, evidence.BUDGETS[-1] if sentences else 0)
    hits = [hit for hit in hits if hit.document != question.query_doc]
    ranking = by_document(hits)
    ranked = [document for document, _ in ranking]
    shares, missing = dict.fromkeys(evidence.EVIDENCE_NAMES, math.nan), 0
    if sentences:
        shares, missing = evidence.coverage(hits, sentences, snapshot.text)
    measured = {
        **scores(ranked, relevant(question, dataset), metrics),
        **budgeted(found.halting),
        **shares,
        "leak@10": leak(ranked, dataset.dates, snapshot.as_of),
    }
    return QuestionResult(measured, latency, question, snapshot.as_of, ranking, missing)


def asked_of(corpus: Corpus, dataset: Dataset, question: DatasetQuestion) -> Snapshot:
    """The corpus as of the moment of a question."""
    return corpus.snapshot(dataset.as_of(question), None, stated=question.asked_at is not None)


def budgeted(halting: Halting | None) -> dict[str, float]:
    """The metrics of BUDGET of a search; NaN for a recipe without a budget."""
    if halting is None:
        return dict.fromkeys(BUDGET, math.nan)
    return {"candidates": float(halting.examined), "saved": 1.0 - halting.examined / halting.budget}


def relevant(question: DatasetQuestion, dataset: Dataset) -> dict[str, int]:
    """The grades of a question's documents, without the one that it was made from."""
    grades = dataset.relevance.get(question.id, {})
    return {document: grade for document, grade in grades.items() if document != question.query_doc}


def is_judged(question: DatasetQuestion, dataset: Dataset) -> bool:
    """True if a question has a relevant document."""
    return any(grade > 0 for grade in relevant(question, dataset).values())


def filters(question: DatasetQuestion, filter_by: Iterable[str]) -> list[tuple[str, str]]:
    """The metadata that a document must have: fields of the question's record and their values."""
    stated = [(key, question.record[key]) for key in filter_by if question.record.get(key) is not None]
    return [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in stated]


def retrieve(
    snapshot: Snapshot, question: DatasetQuestion, recipe: Recipe, dataset: Dataset, filter_by: Sequence[str],
    tokens: int = 0,
) -> list[Hit]:  # fmt: skip
    """Hits of DEPTH documents and at least `tokens` tokens; fewer only if there are no more."""
    documents = min(DEPTH, len(dataset.dates) - (question.query_doc in dataset.dates))
    meta, k = filters(question, filter_by), DEPTH
    while True:
        hits = snapshot.search(question.text, k, recipe=recipe, meta=meta, unit="passage").hits
        counted = [hit for hit in hits if hit.document != question.query_doc]
        enough = len({hit.document for hit in counted}) >= documents
        if len(hits) < k or (enough and (not tokens or evidence.size(counted) >= tokens)):
            return list(hits)
        k *= 2


def by_document(hits: Iterable[Hit]) -> tuple[tuple[str, float], ...]:
    """The first documents, each with the score of its best passage."""
    best: dict[str, float] = {}
    for hit in hits:
        best.setdefault(hit.document, hit.score)
    return tuple(best.items())[:DEPTH]


# -- selection of questions and recipes ------------------------------------------------------------


def recipes_by_name(recipes: Sequence[str | Recipe]) -> dict[str, Recipe]:
    """Recipes by name; a second one of the same name is called `name-2`. Raises UsageError."""
    if not recipes:
        raise UsageError(f"no recipe is given; accepted: {', '.join(known.NAMES)}")
    by_name: dict[str, Recipe] = {}
    for each in recipes:
        recipe = known.named(each) if isinstance(each, str) else each
        name, number = recipe.name, 2
        while name in by_name:
            name, number = f"{recipe.name}-{number}", number + 1
        by_name[name] = recipe
    return by_name


def check_filters(dataset: Dataset, filter_by: Iterable[str]) -> None:
    """Raises UsageError for a field of `filter_by` that no question or no document has."""
    asked = {key for each in dataset.questions for key, value in each.record.items() if value is not None}
    for key in filter_by:
        for what, names in (("question", asked), ("document", dataset.fields)):
            if key not in names:
                there = ", ".join(sorted(names)) or "none"
                raise UsageError(f"--filter-by {key}: no {what} has this field; there are: {there}")


def sample(questions: Sequence[DatasetQuestion], count: int | None, seed: int) -> list[DatasetQuestion]:
    """`count` of the questions (None: all), chosen by a hash of their ids, in the order given."""
    if count is None or count >= len(questions):
        return list(questions)
    ranked = sorted(questions, key=lambda question: hashlib.sha256(f"{seed} {question.id}".encode()).digest())
    chosen = {question.id for question in ranked[:count]}
    return [question for question in questions if question.id in chosen]


def choose(dataset: Dataset, options: EvaluationOptions) -> tuple[list[DatasetQuestion], list[str]]:
    """The questions to ask, and notes on those that are left out. Raises UsageError."""
    judged = [question for question in dataset.questions if is_judged(question, dataset)]
    count = len(dataset.questions)
    if not judged and not options.answers:
        raise UsageError(
            f"none of the {count:,} questions in {', '.join(dataset.files)} has a relevant "
            "document in qrels.tsv; accepted: query, document, relevance above 0, with the ids of both files"
        )
    notes = []
    if missing := count - len(judged):
        notes.append(f"{questions_note(missing, count)} no relevant document: left out")
    chosen = sample(judged, options.limit, options.seed)
    if len(chosen) < len(judged):
        notes.append(f"{len(chosen):,} of {len(judged):,} questions, chosen by a hash of their ids")
    absent = leaking = 0
    for question in chosen:
        good = [document for document, grade in relevant(question, dataset).items() if grade > 0]
        absent += any(document not in dataset.dates for document in good)
        leaking += leak(good, dataset.dates, dataset.as_of(question), len(good)) > 0
    if absent:
        notes.append(
            f"{questions_note(absent)} a relevant document that is not in the corpus: it is never found"
        )
    if leaking:
        notes.append(
            f"{questions_note(leaking)} a relevant document of a later date: it is not found as of then"
        )
    if all(date is None for date in dataset.dates.values()):
        notes.append(
            f"no document has a date: questions without a time are asked as of {iso(SOME_TIME)[:10]}"
        )
    elif chosen and all(question.asked_at is None for question in chosen):
        notes.append("no question has a time: all are asked as of the newest document")
    return chosen, notes


def questions_note(count: int, total: int | None = None) -> str:
    """The beginning of a note: "1 question has", "2 of 5 questions have"."""
    noun = "question" if (count if total is None else total) == 1 else "questions"
    number = f"{count:,}" if total is None else f"{count:,} of {total:,}"
    return f"{number} {noun} {'has' if count == 1 else 'have'}"


# -- the split: a base and a later update, and the questions that need either ----------------------


BASE, NEW = "base", "new"


@dataclass(frozen=True, slots=True)
class Split:
    """The documents of the update: those with one of the values (in lower case) of each field.

    `later`: the ids of the documents with a version in the update.
    """

    update_values: Mapping[str, Sequence[str]]
    later: frozenset[str]

    def documents(self, dataset: Dataset, part: str) -> Iterator[Document]:
        """The documents of the base, or those of the update (NEW)."""
        return (each for each in dataset.documents() if matches(each, self.update_values) == (part == NEW))

    def part(self, question: DatasetQuestion, dataset: Dataset) -> str:
        """NEW for a question with a relevant document in the update, BASE for one with others only.

        If no document is relevant, the question's own field `split` decides; without one it is BASE.
        """
        grades = relevant(question, dataset)
        existing = [document for document in grades if grades[document] > 0 and document in dataset.dates]
        if existing:
            return NEW if self.later.intersection(existing) else BASE
        stated = question.record.get("split")
        return NEW if isinstance(stated, str) and stated.casefold() == NEW else BASE


def matches(document: Document, update_values: Mapping[str, Sequence[str]]) -> bool:
    """True if a document has one of the values of each field in its metadata; case does not count."""
    return all(
        field in document.meta and str(document.meta[field]).casefold() in values
        for field, values in update_values.items()
    )


def split(dataset: Dataset, text: str) -> Split:
    """The dataset split by `FIELD=VALUE[,FIELD=VALUE]`; a field that occurs twice may have either value.

    Raises UsageError if the text cannot be read, a field does not exist, or all documents or none match.
    """
    values: dict[str, list[str]] = {}
    for piece in text.split(","):
        field, equals, value = (part.strip() for part in piece.partition("="))
        if not (field and equals and value):
            raise UsageError(f"--set later={text}: accepted: FIELD=VALUE[,FIELD=VALUE], e.g. quarter=q4")
        if field not in dataset.fields:
            there = ", ".join(sorted(dataset.fields)) or "none"
            raise UsageError(f"--set later={text}: no document has the field {field}; there are: {there}")
        values.setdefault(field, []).append(value.casefold())
    sides = [(each.id, matches(each, values)) for each in dataset.documents()]
    if len({side for _, side in sides}) < 2:
        which = "every document matches" if sides[0][1] else "no document matches"
        raise UsageError(f"--set later={text}: {which}; a base and an update are needed")
    return Split(values, frozenset(id_ for id_, side in sides if side))
