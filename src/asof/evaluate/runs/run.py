"""A run: a recipe is asked all questions, and every answer keeps what the metrics need."""

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
from asof.data import Hit
from asof.errors import UsageError
from asof.evaluate.runs import evidence
from asof.evaluate.runs.compare import Floats
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.metrics import DEPTH, NAMES, leak, scores
from asof.evaluate.runs.questions import DatasetQuestion
from asof.rank.recipe import Recipe

SHOWN = 10
"""The first search asks for so many hits, as a user would; its time is the latency."""

METRICS = (*NAMES, "leak@10", *evidence.NAMES)

_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What a recipe answers to a question.

    `ranking` holds documents and the scores of their best passages, best first; `scores` a number for each
    of METRICS, NaN where it does not apply. `steady`: the first hits were the same when more were asked for.
    `nowhere` counts sentences that answer the question and stand in no text.
    """

    question: DatasetQuestion
    as_of: int
    ranking: tuple[tuple[str, float], ...]
    scores: Mapping[str, float]
    latency_ms: float
    steady: bool = True
    nowhere: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """A recipe, what it is called here, and its answers in the order of the questions."""

    name: str
    recipe: Recipe
    answers: tuple[QuestionResult, ...]

    def values(self, metric: str) -> Floats:
        """A metric of each question, shape (questions,)."""
        return np.array([answer.scores[metric] for answer in self.answers], np.float64)

    def latency(self, percent: float) -> float:
        """A percentile of the latencies, in milliseconds."""
        return float(np.percentile([answer.latency_ms for answer in self.answers], percent))


def run(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, questions: Sequence[DatasetQuestion],
    filter_by: Sequence[str] = (), advance: Callable[[], None] | None = None,
) -> Run:  # fmt: skip
    """Ask all questions."""
    answers = []
    for question in questions:
        answers.append(answered(question, recipe, corpus, dataset, filter_by))
        if advance is not None:
            advance()
    return Run(name, recipe, tuple(answers))


def answered(
    question: DatasetQuestion, recipe: Recipe, corpus: Corpus, dataset: Dataset, filter_by: Sequence[str] = ()
) -> QuestionResult:
    """Ask one question as of its time and score the documents, ranked by their best passages."""
    then = Snapshot(corpus, dataset.as_of(question), None)
    meta = filters(question, filter_by)
    started = time.perf_counter()
    first = then.search(question.text, SHOWN, recipe=recipe, meta=meta, unit="passage").hits
    took = 1000 * (time.perf_counter() - started)
    sentences = dataset.sentences.get(question.id, [])
    hits = gathered(then, question, recipe, dataset, filter_by, evidence.BUDGETS[-1] if sentences else 0)
    steady = [hit.id for hit in first] == [hit.id for hit in hits[: len(first)]]
    hits = [hit for hit in hits if hit.document != question.query_doc]
    ranking = by_document(hits)
    ranked = [document for document, _ in ranking]
    measured = {
        **scores(ranked, relevant(question, dataset)), "leak@10": leak(ranked, dataset.dates, then.as_of),
    }  # fmt: skip
    shares, nowhere = dict.fromkeys(evidence.NAMES, math.nan), 0
    if sentences:
        shares, nowhere = evidence.coverage(hits, sentences, then.text)
    return QuestionResult(question, then.as_of, ranking, {**measured, **shares}, took, steady, nowhere)


def relevant(question: DatasetQuestion, dataset: Dataset) -> dict[str, int]:
    """The grades of a question's documents, without the one that it was made from."""
    grades = dataset.relevance.get(question.id, {})
    return {document: grade for document, grade in grades.items() if document != question.query_doc}


def filters(question: DatasetQuestion, filter_by: Iterable[str]) -> list[tuple[str, str]]:
    """What the metadata of a document has to be, as the question's record says it."""
    said = [(key, question.record[key]) for key in filter_by if question.record.get(key) is not None]
    return [(key, value if isinstance(value, str) else json.dumps(value)) for key, value in said]


def gathered(
    then: Snapshot, question: DatasetQuestion, recipe: Recipe, dataset: Dataset, filter_by: Sequence[str],
    tokens: int = 0,
) -> list[Hit]:  # fmt: skip
    """Hits of as many documents as are scored and of so many tokens, or all there are."""
    documents = min(DEPTH, len(dataset.dates) - (question.query_doc in dataset.dates))
    meta, k = filters(question, filter_by), DEPTH
    while True:
        hits = then.search(question.text, k, recipe=recipe, meta=meta, unit="passage").hits
        found = [hit for hit in hits if hit.document != question.query_doc]
        many = len({hit.document for hit in found}) >= documents
        if len(hits) < k or (many and (not tokens or evidence.size(found) >= tokens)):
            return list(hits)
        k *= 2


def by_document(hits: Iterable[Hit]) -> tuple[tuple[str, float], ...]:
    """The first documents, each with the score of its best passage."""
    best: dict[str, float] = {}
    for hit in hits:
        best.setdefault(hit.document, hit.score)
    return tuple(best.items())[:DEPTH]


def check_ids(path: Path, dataset: Dataset) -> None:
    """Refuse what cannot be written as a TREC run: names with white space, a folder that is not there."""
    if not path.parent.is_dir() or path.is_dir():
        raise UsageError(f"--run {path}: a file in a folder that is there is expected")
    for name in (*dataset.dates, *(question.id for question in dataset.questions)):
        if _BLANK.search(name):
            raise UsageError(f"--run {path}: TREC runs are separated by blanks, and the id {name!r} has one")


def write(path: Path, runs: Iterable[Run]) -> None:
    """Write the rankings as a TREC run, `query Q0 document rank score recipe`, whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            for each in runs:
                for answer in each.answers:
                    for rank, (document, score) in enumerate(answer.ranking, 1):
                        file.write(f"{answer.question.id} Q0 {document} {rank} {score!r} {each.name}\n")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"--run {path}: cannot be written: {error.strerror}") from error
