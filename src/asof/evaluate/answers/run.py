"""A run of answers: `ask` is given the questions with a reference answer, and each answer is scored."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from asof.corpus.corpus import Corpus
from asof.data import Answer, Filters
from asof.evaluate.answers.metrics import scores
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.runs.compare import Floats
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.run import filters
from asof.rank.recipe import Recipe

if TYPE_CHECKING:
    from asof.evaluate.answers.judge import JudgedElement


class Answerer(Protocol):
    """Answers questions as of a moment; a `Snapshot` does."""

    def ask(
        self, question: str, *, filters: Filters | None = None, recipe: str | Recipe | None = None
    ) -> Answer: ...


AnswererFactory = Callable[[Corpus, int], Answerer]
"""Makes an answerer from a corpus and an instant."""


def snapshot_at(corpus: Corpus, as_of: int) -> Answerer:
    """The corpus as of an instant."""
    return corpus.snapshot(as_of, None)


@dataclass(frozen=True, slots=True)
class EvaluatedAnswer:
    """An answer to a question, its value of each metric (NaN where it does not apply), and its latency.

    `judged`: the elements that a judge found, () without one.
    """

    reference: ReferenceAnswer
    answer: Answer
    scores: Mapping[str, float]
    latency_ms: float
    judged: tuple[JudgedElement, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """A recipe, its name in this evaluation, and its answers in the order of the questions."""

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
        """What models cost for all answers, summed by key; None if none was asked."""
        return total_cost(reply.answer.cost for reply in self.replies)


def total_cost(costs: Iterable[Mapping[str, Any] | None]) -> dict[str, float] | None:
    """The sum of costs by key, values that are no numbers left out; None if there is no cost at all."""
    known = [cost for cost in costs if cost is not None]
    if not known:
        return None
    keys = dict.fromkeys(key for cost in known for key, value in cost.items() if _is_number(value))
    return {key: math.fsum(cost[key] for cost in known if _is_number(cost.get(key))) for key in keys}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def answer_all(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, references: Iterable[ReferenceAnswer],
    filter_by: Sequence[str] = (), answerer_at: AnswererFactory = snapshot_at,
    advance: Callable[[], None] | None = None,
) -> AnswerRun:  # fmt: skip
    """Ask all questions, each as of its moment."""
    replies = []
    for reference in references:
        replies.append(answer_question(reference, recipe, corpus, dataset, filter_by, answerer_at))
        if advance is not None:
            advance()
    return AnswerRun(name, recipe, tuple(replies))


def answer_question(
    reference: ReferenceAnswer, recipe: Recipe, corpus: Corpus, dataset: Dataset,
    filter_by: Sequence[str] = (), answerer_at: AnswererFactory = snapshot_at,
) -> EvaluatedAnswer:  # fmt: skip
    """Ask one question, and score the answer."""
    question = reference.question
    answerer = answerer_at(corpus, dataset.as_of(question))
    hard = Filters(meta=tuple(filters(question, filter_by)))
    started = time.perf_counter()
    answer = answerer.ask(question.text, filters=hard, recipe=recipe)
    latency = 1000 * (time.perf_counter() - started)
    values = scores(reference, answer, dataset.sentences.get(question.id, []))
    return EvaluatedAnswer(reference, answer, values, latency)
