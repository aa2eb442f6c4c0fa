"""A run: the rankings of all questions by a recipe, with their metrics."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Halting, Hit
from asof.errors import UsageError
from asof.evaluate.runs import evidence
from asof.evaluate.runs.compare import Floats
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.memory import peak_growth
from asof.evaluate.runs.metrics import DEPTH, NAMES, leak, scores
from asof.evaluate.runs.questions import DatasetQuestion
from asof.rank.recipe import Recipe

SHOWN = 10
"""The hits of the first search, as a user would ask for them; its time is the latency."""

BUDGET = ("candidates", "saved")
"""Of recipes that rank on a budget: how many candidates the whole score was computed for, and the share of
the budget that was not used (`asof.data.Halting`)."""

METRICS = (*NAMES, "leak@10", *evidence.NAMES, *BUDGET)

_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The ranking of a question by a recipe.

    `ranking`: documents with the scores of their best passages, best first. `scores`: a value for each of
    METRICS, NaN where it does not apply. `steady`: the first hits were the same when more were asked for.
    `missing_sentences`: how many sentences that answer the question are in no document.
    """

    question: DatasetQuestion
    as_of: int
    ranking: tuple[tuple[str, float], ...]
    scores: Mapping[str, float]
    latency_ms: float
    steady: bool = True
    missing_sentences: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A recipe, its name in this evaluation, and its results in the order of the questions.

    `memory_mb`: how far the process grew at its height while they were asked (`asof.evaluate.runs.memory`).
    """

    name: str
    recipe: Recipe
    results: tuple[QuestionResult, ...]
    memory_mb: float | None = None

    def values(self, metric: str) -> Floats:
        """A metric of each question, shape (questions,)."""
        return np.array([result.scores[metric] for result in self.results], np.float64)

    def latency(self, percent: float, at: Sequence[int] | None = None) -> float:
        """A percentile of the latencies, in milliseconds; of all questions, or of those `at`."""
        results = self.results if at is None else [self.results[place] for place in at]
        return float(np.percentile([result.latency_ms for result in results], percent))


def run(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, questions: Sequence[DatasetQuestion],
    filter_by: Sequence[str] = (), advance: Callable[[], None] | None = None, metrics: Sequence[str] = (),
) -> Run:  # fmt: skip
    """Ask all questions. `metrics`: further ones (`check_metrics`)."""
    results = []
    grown = peak_growth()
    for question in questions:
        results.append(rank_question(question, recipe, corpus, dataset, filter_by, metrics))
        if advance is not None:
            advance()
    return Run(name, recipe, tuple(results), grown())


def rank_question(
    question: DatasetQuestion, recipe: Recipe, corpus: Corpus, dataset: Dataset,
    filter_by: Sequence[str] = (), metrics: Sequence[str] = (),
) -> QuestionResult:  # fmt: skip
    """Ask one question as of its moment, and score the documents, ranked by their best passages."""
    snapshot = corpus.snapshot(dataset.as_of(question), None, stated=question.asked_at is not None)
    meta = filters(question, filter_by)
    started = time.perf_counter()
    found = snapshot.search(question.text, SHOWN, recipe=recipe, meta=meta, unit="passage")
    first = found.hits
    latency = 1000 * (time.perf_counter() - started)
    sentences = dataset.sentences.get(question.id, [])
    hits = retrieve(snapshot, question, recipe, dataset, filter_by, evidence.BUDGETS[-1] if sentences else 0)
    steady = [hit.id for hit in first] == [hit.id for hit in hits[: len(first)]]
    hits = [hit for hit in hits if hit.document != question.query_doc]
    ranking = by_document(hits)
    ranked = [document for document, _ in ranking]
    measured = {
        **scores(ranked, relevant(question, dataset), metrics),
        **budgeted(found.halting),
        "leak@10": leak(ranked, dataset.dates, snapshot.as_of),
    }  # fmt: skip
    shares, missing = dict.fromkeys(evidence.NAMES, math.nan), 0
    if sentences:
        shares, missing = evidence.coverage(hits, sentences, snapshot.text)
    return QuestionResult(question, snapshot.as_of, ranking, {**measured, **shares}, latency, steady, missing)


def budgeted(halting: Halting | None) -> dict[str, float]:
    """The metrics of BUDGET of a search; NaN for a recipe without a budget."""
    if halting is None:
        return dict.fromkeys(BUDGET, math.nan)
    return {"candidates": float(halting.scored), "saved": halting.saved}


def relevant(question: DatasetQuestion, dataset: Dataset) -> dict[str, int]:
    """The grades of a question's documents, without the one that it was made from."""
    grades = dataset.relevance.get(question.id, {})
    return {document: grade for document, grade in grades.items() if document != question.query_doc}


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


def check_ids(path: Path, dataset: Dataset) -> None:
    """Raises UsageError for what cannot be written as a TREC run: ids with blanks, a missing folder."""
    if not path.parent.is_dir() or path.is_dir():
        raise UsageError(f"--run {path}: a file in an existing folder is expected")
    for name in (*dataset.dates, *(question.id for question in dataset.questions)):
        if _BLANK.search(name):
            raise UsageError(f"--run {path}: TREC runs are separated by blanks, and the id {name!r} has one")


def write(path: Path, runs: Iterable[Run]) -> None:
    """Write the rankings as a TREC run, `query Q0 document rank score recipe`, whole or not at all; blanks in
    the name of a recipe become `_`."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            for each in runs:
                name = _BLANK.sub("_", each.name)
                for result in each.results:
                    for rank, (document, score) in enumerate(result.ranking, 1):
                        file.write(f"{result.question.id} Q0 {document} {rank} {score!r} {name}\n")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"--run {path}: cannot be written: {error.strerror}") from error
