"""Questions of a dataset with the scores of their documents at any weights of `papers`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.corpus.corpus import Corpus
from asof.data import Problem
from asof.errors import UsageError
from asof.evaluate.experiments.experiment import ExperimentOptions
from asof.evaluate.options import EvaluationOptions, progress_counter
from asof.evaluate.runs.compare import Estimate, clusters, estimate
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.metrics import DEPTH
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import filters, relevant
from asof.evaluate.runs.selection import check_filters, choose
from asof.index.view import View
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.judged_scores import JudgedScores
from asof.learn.loss import gains
from asof.learn.loss_table import ExpressionLosses
from asof.learn.ranking_metrics import RELEVANT
from asof.rank.recipe import Recipe
from asof.recipes import by_document
from asof.store.settings import CorpusSettings

Floats = NDArray[np.float64]

K = 10
JUDGED, SIMILARITY = "judged", "similarity"
"""What says how relevant a document is: judgements of the dataset, or its own similarity, as published."""

SETTINGS = CorpusSettings(chunking="400c/80", undated="always")
"""Passages of 400 characters, 80 of them said twice, as published."""

METRICS = ("NDCG@10", "Loss", "Precision@10")

FEWEST = 4
"""Questions that are needed: two to learn from, two to judge by."""


@dataclass(frozen=True, slots=True)
class JudgedQuestions:
    """Questions in the order in which they are asked, and the losses of each at settings of a box."""

    recipe: Recipe
    box: Box
    texts: tuple[str, ...]
    table: ExpressionLosses
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    seed: int

    def metrics(self, setting: Floats) -> dict[str, Floats]:
        """METRICS of each question (q,) at a setting (d,)."""
        loss = self.table.losses(setting[None])[0]
        return dict(zip(METRICS, (1 - loss, loss, self._precision(setting)), strict=True))

    def estimates(self, setting: Floats, at: Sequence[int]) -> dict[str, Estimate | None]:
        """The mean of each of METRICS over the questions at some places."""
        chosen, cluster = list(at), clusters(self.texts)
        return {
            name: estimate(values[chosen], cluster[chosen], self.seed)
            for name, values in self.metrics(setting).items()
        }

    def _precision(self, setting: Floats) -> Floats:
        """How many of the first ten are relevant, divided by ten."""
        bound, found = 2.0**RELEVANT - 1, []
        for own in self.table.scored:
            scores = own.scores(setting[None])[0]
            first = np.argsort(-scores, kind="stable")[:K]
            found.append(np.count_nonzero((own.gains[first] > bound) & np.isfinite(scores[first])) / K)
        return np.array(found)


def judged_questions(
    dataset: Path, options: ExperimentOptions, recipe: Recipe, relevance: str = JUDGED
) -> JudgedQuestions:
    """The questions of a dataset, ranked by `papers` as of their moments, in the order of those.

    Questions of one moment, or without one, are in an order by a hash. Raises UsageError.
    """
    data = load(dataset, queries=options.queries)
    how = EvaluationOptions(
        options.queries, options.limit, filter_by=options.filter_by, seed=options.seed, settings=SETTINGS
    )
    check_filters(data, how)
    questions, notes = choose(data, how)
    if len(questions) < FEWEST:
        raise UsageError(f"{data.name}: {len(questions)} judged questions; at least {FEWEST} are needed")
    questions = sorted(questions, key=lambda each: (data.as_of(each), _hash(options.seed, each.id)))
    box = Box.of(recipe)
    cache = options.cache or environment.cache_folder()
    advance = progress_counter(options.progress, "ranking", len(questions))
    queries, scored = [], []
    with prepared(data, options.indexed(SETTINGS), cache, options.encoder, on_note=notes.append) as corpus:
        for question in questions:
            query = _query(corpus, data, question, recipe, options.filter_by)
            queries.append(query)
            scored.append(_scored(query, by_document(recipe), box))
            advance()
    if relevance == SIMILARITY:
        scored = [_by_similarity(each, recipe, box) for each in scored]
        queries = [
            replace(query, gains={str(at): gain for at, gain in enumerate(own.gains.tolist())})
            for query, own in zip(queries, scored, strict=True)
        ]
    return JudgedQuestions(
        recipe, box, tuple(each.text for each in questions), ExpressionLosses(queries, scored, K),
        tuple(notes), data.problems, options.seed,
    )  # fmt: skip


def _query(
    corpus: Corpus, data: Dataset, question: DatasetQuestion, recipe: Recipe, filter_by: Sequence[str]
) -> JudgedQuery:
    then = corpus.snapshot(data.as_of(question), None, stated=question.asked_at is not None)
    graded = relevant(question, data)
    hard = then.filters(meta=filters(question, filter_by))
    _, query, _ = then.reader.query_for(question.text, DEPTH, hard, "passage", recipe, rerank=False)
    gained = dict(zip(graded, gains(graded.values()), strict=True))
    return JudgedQuery(query, (then.as_of, None), then.use, gained, question.query_doc)


def _scored(query: JudgedQuery, recipe: Recipe, box: Box) -> JudgedScores:
    def look(view: View) -> JudgedScores:
        return JudgedScores.of_question(query, view, recipe, box, K)

    scores: JudgedScores = query.use(look)
    return scores


def _by_similarity(scores: JudgedScores, recipe: Recipe, box: Box) -> JudgedScores:
    """The same with the published relevance: the largest similarity of a document's passages as grade."""
    setting = start_of(recipe, box)
    for at, name in enumerate(box.names):
        if name in recipe.tunable.simplex:
            setting[at] = float(name.endswith(".similarity"))
    similar = scores.scores(setting[None])[0]
    grades = np.where(np.isfinite(similar), np.maximum(similar, 0.0), 0.0)
    return replace(scores, gains=np.exp2(grades) - 1)


def start_of(recipe: Recipe, box: Box) -> Floats:
    """The numbers of a recipe as a point of its box (d,)."""
    from asof.rank.recipe import value_of

    return np.array([value_of(recipe, name) for name in box.names])


def _hash(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed} {name}".encode()).digest()
