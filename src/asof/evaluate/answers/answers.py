"""Answers: `ask` is put the questions with a right answer, and every answer keeps what the figures need."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Answer, Filters
from asof.evaluate.answers.gold import Gold
from asof.evaluate.answers.quotes import counted, evidence
from asof.evaluate.answers.wording import f1, rouge_l, uncited
from asof.evaluate.runs.compare import Comparison, Estimate, Floats, clusters, compared, estimate
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.run import filters
from asof.rank.recipe import Recipe

if TYPE_CHECKING:
    from asof.evaluate.answers.judgement import JudgeUsage

METRICS = (
    "attempted", "refused", "evidence", "evidence_share", "quotes", "quote_tokens", "f1", "rouge_l",
)  # fmt: skip
JUDGED = ("correct", "refusal", "incorrect")
"""What a language model as judge adds."""

ALL = (*METRICS, *JUDGED)
COMPARED = ("attempted", "refused", "evidence", "evidence_share", "f1", "rouge_l", *JUDGED)


class AnswersQuestions(Protocol):
    """What answers questions as of a moment; a `Snapshot` does."""

    def ask(
        self, question: str, *, filters: Filters | None = None, recipe: str | Recipe | None = None
    ) -> Answer: ...


Stand = Callable[[Corpus, int], AnswersQuestions]
"""From a corpus and an instant to what answers there."""


def standing(corpus: Corpus, as_of: int) -> AnswersQuestions:
    """The corpus as it stood."""
    return Snapshot(corpus, as_of, None)


@dataclass(frozen=True, slots=True)
class EvaluatedAnswer:
    """An answer to a question, a number for each of ALL (NaN where it does not apply), how long it took."""

    gold: Gold
    answer: Answer
    scores: Mapping[str, float]
    latency_ms: float


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """A recipe, what it is called here, and its answers in the order of the questions."""

    name: str
    recipe: Recipe
    replies: tuple[EvaluatedAnswer, ...]

    def values(self, metric: str) -> Floats:
        """A metric of each question, shape (questions,)."""
        return np.array([reply.scores[metric] for reply in self.replies], np.float64)

    def latency(self, percent: float) -> float:
        """A percentile of the latencies, in milliseconds."""
        return float(np.percentile([reply.latency_ms for reply in self.replies], percent))

    @property
    def cost(self) -> dict[str, float] | None:
        """What models took for all answers, number by number; None when none was asked."""
        return total(reply.answer.cost for reply in self.replies)


@dataclass(frozen=True, slots=True)
class AnswerRuns:
    """A run for each recipe over the same questions, how much they differ, and what a judge said of them."""

    golds: tuple[Gold, ...]
    cluster: NDArray[np.int64]
    runs: tuple[AnswerRun, ...]
    comparisons: tuple[Comparison, ...]
    seed: int
    judging: JudgeUsage | None = None

    def estimate(self, run: AnswerRun, metric: str, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a metric with its interval, of all questions or of those `at`; None: of none."""
        chosen = list(range(len(self.golds))) if at is None else list(at)
        return estimate(run.values(metric)[chosen], self.cluster[chosen], self.seed)


def total(costs: Iterable[Mapping[str, Any] | None]) -> dict[str, float] | None:
    """The sum of some costs, key by key, of what is a number; None when there is no cost at all."""
    there = [cost for cost in costs if cost is not None]
    if not there:
        return None
    keys = dict.fromkeys(key for cost in there for key, value in cost.items() if _number(value))
    return {key: math.fsum(cost[key] for cost in there if _number(cost.get(key))) for key in keys}


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def ask_all(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, golds: Iterable[Gold],
    filter_by: Sequence[str] = (), stand: Stand = standing, advance: Callable[[], None] | None = None,
) -> AnswerRun:  # fmt: skip
    """Ask all questions, each as of its moment."""
    replies = []
    for gold in golds:
        replies.append(replied(gold, recipe, corpus, dataset, filter_by, stand))
        if advance is not None:
            advance()
    return AnswerRun(name, recipe, tuple(replies))


def replied(
    gold: Gold, recipe: Recipe, corpus: Corpus, dataset: Dataset, filter_by: Sequence[str] = (),
    stand: Stand = standing,
) -> EvaluatedAnswer:  # fmt: skip
    """Ask one question, and score the answer."""
    then = stand(corpus, dataset.as_of(gold.question))
    wanted = Filters(meta=tuple(filters(gold.question, filter_by)))
    started = time.perf_counter()
    answer = then.ask(gold.question.text, filters=wanted, recipe=recipe)
    took = 1000 * (time.perf_counter() - started)
    return EvaluatedAnswer(
        gold, answer, scores(gold, answer, dataset.sentences.get(gold.question.id, [])), took
    )


def scores(gold: Gold, answer: Answer, sentences: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The metrics of an answer.

    `attempted`, `f1` and `rouge_l` are those of answerable questions (1 and 0; a refusal is worth 0 in all),
    `refused` is that of the others; the wording applies where a right one is known. `evidence`: one of the
    `sentences` (document, sentence) is quoted, `evidence_share`: how many of them. `quotes` and their tokens
    are those of answers that are given.
    """
    found = dict.fromkeys(ALL, math.nan)
    given = not answer.refused
    if given:
        found["quotes"], found["quote_tokens"] = counted(answer.citations)
    if not gold.answerable:
        return {**found, "refused": float(answer.refused)}
    found["attempted"] = float(given)
    if gold.text:
        said = uncited(answer.text)
        found["f1"] = f1(said, gold.text) if given else 0.0
        found["rouge_l"] = rouge_l(said, gold.text) if given else 0.0
    if sentences:
        share = evidence(answer.citations, sentences) if given else 0.0
        found["evidence"], found["evidence_share"] = float(share > 0), share
    return found


def gathered(runs: Sequence[AnswerRun], golds: Sequence[Gold], seed: int) -> AnswerRuns:
    """The runs with their comparisons."""
    cluster = clusters([gold.question.text for gold in golds])
    values = {run.name: {metric: run.values(metric) for metric in COMPARED} for run in runs}
    comparisons = tuple(
        found
        for a, b in combinations(values, 2)
        for found in compared(a, b, values[a], values[b], cluster, seed)
    )
    return AnswerRuns(tuple(golds), cluster, tuple(runs), comparisons, seed)


def groups(golds: Sequence[Gold], field: str) -> dict[str, list[int]]:
    """Places of the questions by what a field of theirs says ("" for nothing), in order of these words."""
    found: dict[str, list[int]] = {}
    for at, gold in enumerate(golds):
        value = gold.question.record.get(field)
        said = "" if value is None else value if isinstance(value, str) else str(value).lower()
        found.setdefault(said, []).append(at)
    return dict(sorted(found.items()))
