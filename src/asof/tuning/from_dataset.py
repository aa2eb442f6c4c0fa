"""Questions of a dataset, each asked as of when it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.evaluate.options import EvaluationOptions, Progress, no_progress
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.metrics import ndcg
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import by_document, filters, relevant, retrieve
from asof.evaluate.runs.selection import check_filters, choose, question_fields
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.loss import gains
from asof.learn.loss_table import DeferredLosses, LossTable, loss_table
from asof.rank.recipe import Recipe
from asof.tuning.tuning_questions import TuningQuestions, judged_query

Floats = NDArray[np.float64]


@contextmanager
def from_dataset(
    path: Path, recipe: Recipe, box: Box, k: int, options: EvaluationOptions, *, by: Sequence[str] = (),
    cache: Path | None = None, progress: Progress | None = None, search_only: bool = False,
) -> Iterator[TuningQuestions]:  # fmt: skip
    """The questions of a dataset to tune on, while its corpus is open.

    `search_only`: losses are prepared when they are first asked for. `by`: fields of the questions whose
    equal values make one group, besides their words and documents.
    Raises UsageError for a dataset that cannot be evaluated.
    """
    notify = progress or no_progress
    notify("reading", 0, 0)
    settings = replace(options.settings, undated="always")
    data = load(path, queries=options.queries, without=options.without)
    check_filters(data, options)
    questions, notes = choose(data, options)
    subjects = [_subjects(each, by) for each in questions]
    if by and not any(subjects):
        raise UsageError(
            f"--group {by[0]}: no question has this field; accepted: {question_fields(data.questions)}"
        )
    with prepared(
        data, settings, cache or environment.cache_folder(), None,
        lambda report: notify("indexing", report.added, len(data.dates)), notes.append,
    ) as corpus:  # fmt: skip
        notify("preparing questions", 0, 0)
        search = _DatasetSearch(corpus, data, questions, recipe, k, options.filter_by)
        table: LossTable = (
            DeferredLosses(search.judged_queries, recipe, box, k)
            if search_only
            else loss_table(search.judged_queries(), recipe, box, k)
        )
        good = [
            [document for document, grade in relevant(each, data).items() if grade > 0] for each in questions
        ]
        timed = any(each.asked_at is not None for each in questions)
        yield TuningQuestions(
            data.name, recipe, box, k, table, search.measure,
            [each.text for each in questions], good, subjects,
            [data.as_of(each) for each in questions] if timed else None, notes=tuple(notes),
            corpus=corpus,
        )  # fmt: skip


def _subjects(question: DatasetQuestion, by: Sequence[str]) -> list[str]:
    return [f"{key}={question.record[key]}" for key in by if question.record.get(key) is not None]


@dataclass(frozen=True, slots=True)
class _DatasetSearch:
    corpus: Corpus
    dataset: Dataset
    questions: Sequence[DatasetQuestion]
    recipe: Recipe
    k: int
    filter_by: tuple[str, ...]

    def judged_queries(self) -> list[JudgedQuery]:
        return [self._judged_query(each) for each in self.questions]

    def _judged_query(self, question: DatasetQuestion) -> JudgedQuery:
        then = self._snapshot(question)
        graded = relevant(question, self.dataset)
        gained = dict(zip(graded, gains(graded.values()), strict=True))
        hard = then.filters(meta=filters(question, self.filter_by))
        return judged_query(then, question.text, hard, self.recipe, gained, question.query_doc)

    def _snapshot(self, question: DatasetQuestion) -> Snapshot:
        return self.corpus.snapshot(self.dataset.as_of(question), None, stated=question.asked_at is not None)

    def measure(self, recipe: Recipe, which: NDArray[np.int64], advance: Callable[[], None]) -> Floats:
        """nDCG (n,) of the questions of these numbers, as `asof evaluate` computes it."""
        values = []
        for at in which.tolist():
            question = self.questions[at]
            then = self._snapshot(question)
            hits = retrieve(then, question, recipe, self.dataset, self.filter_by)
            others = [hit for hit in hits if hit.document != question.query_doc]
            ranked = [document for document, _ in by_document(others)]
            values.append(ndcg(ranked, relevant(question, self.dataset), self.k))
            advance()
        return np.array(values)
