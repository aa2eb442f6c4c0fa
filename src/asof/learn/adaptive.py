"""A recipe whose weights are learned from judgements: each question is ranked by a setting, and the
judgements of its hits give the loss of that setting.

It is the loop of Adaptive RAG for arXiv (its README, sections 2 and 3), with three changes: relevance comes
from judgements of hits, never from the system's own similarity; all settings are compared on the same
questions, from the trees recorded with them, without another retrieval; and a question without a good hit has
no effect.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asof.errors import DamagedState
from asof.learn.box import Box
from asof.learn.feedback import JudgedRecord, RecordedQuestion
from asof.learn.judged_scores import Floats, JudgedScores, replayable
from asof.learn.loss import gains, ideal, ndcg_of_gains
from asof.learn.online import OnlineLearner
from asof.learn.ranking_metrics import RankingMetrics
from asof.learn.recorded_scores import numbers, recorded_scores
from asof.rank.recipe import Recipe, value_of, with_values

FORMAT = 2
CUTOFF = 10
"""k of nDCG@k, as published."""

COMPARED = 100
"""How many of the latest judged questions settings are compared on."""

BEGIN_ANEW = "begin anew with `asof papers --forget`, which leaves the judgements"


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A judged question whose hits can be ordered by other settings, and the gain of each hit: 0 without a
    grade."""

    question: RecordedQuestion
    scores: JudgedScores
    gains: list[float]
    grades: tuple[float | None, ...]

    @classmethod
    def of(cls, judged: JudgedRecord, recipe: Recipe, box: Box) -> TrainingExample | None:
        """None where no order of the hits is better than another, or where the question was ranked with
        other values of fields that cannot be replayed. Raises DamagedStore."""
        gained = gains(judged.grades, judged.weights)
        if not ideal(gained, CUTOFF):
            return None
        scores = recorded_scores(judged.question, recipe, box, gained)
        return None if scores is None else cls(judged.question, scores, gained, judged.grades)

    def losses(self, settings: Floats) -> list[float]:
        """1 - nDCG@10 of the shown hits in the order of their scores by each setting (m, d); ties stay as
        shown."""
        orders = self._orders(settings)
        return [1 - ndcg_of_gains([self.gains[at] for at in own], self.gains, CUTOFF) for own in orders]

    def metrics(self, settings: Floats) -> list[RankingMetrics]:
        """The metrics@10 of the shown hits in the order by each setting (m, d)."""
        return [
            RankingMetrics.of([self.grades[at] for at in own], [self.gains[at] for at in own], CUTOFF)
            for own in self._orders(settings)
        ]

    def _orders(self, settings: Floats) -> list[list[int]]:
        orders: list[list[int]] = np.argsort(-self.scores.scores(settings), axis=1, kind="stable").tolist()
        return orders


@dataclass(slots=True)
class AdaptiveRecipe:
    """What was learned of a recipe. `recipe` has the initial numbers. `question_losses`: the questions that
    the learner has the loss of, oldest first, as their ids and the loss that each had then. Questions
    recorded until `since` (an instant) do not move the weights, but settings are compared on them too."""

    recipe: Recipe
    online: OnlineLearner
    question_losses: list[tuple[str, float]] = field(default_factory=list)
    since: int = 0

    @classmethod
    def begin(cls, recipe: Recipe, seed: int = 0, since: int = 0) -> AdaptiveRecipe:
        """A learner of those tunable numbers of a recipe that recorded questions can be ranked by again.

        Raises UsageError for a recipe without any.
        """
        box = box_of(recipe)
        start = [value_of(recipe, name) for name in box.names]
        return cls(recipe, OnlineLearner.begin(box, start, seed), since=since)

    def setting(self) -> dict[str, float]:
        """The numbers for the next question; the same until a question that was ranked by them is judged."""
        return self.online.ask()

    def chosen(self) -> Recipe:
        """The recipe for the next question."""
        return with_values(self.recipe, self.setting())

    def examples(self, judged: Sequence[JudgedRecord], limit: int = COMPARED) -> list[TrainingExample]:
        """The latest `limit` judged questions that have an example, in the order in which they were asked:
        the cost of a question does not grow with the number of judged ones. Raises DamagedStore."""
        latest: list[TrainingExample] = []
        for each in reversed(judged):
            example = TrainingExample.of(each, self.recipe, self.online.box)
            if example is not None:
                latest.append(example)
            if len(latest) == limit:
                break
        return latest[::-1]

    def take(self, examples: Sequence[TrainingExample]) -> int:
        """Learn from judged questions, in the order in which they were asked; returns how many were new.

        A question that was ranked by the pending setting gives its loss. Settings are compared on all of
        them.
        """
        before, known = len(self.question_losses), {name for name, _ in self.question_losses}
        for example in examples:
            question = example.question
            if question.id not in known and question.added > self.since and self._is_pending(question):
                (lost,) = example.losses(np.array([[*self.setting().values()]]))
                self.online.tell(lost)
                self.question_losses.append((question.id, lost))
                self._compare(examples)
        if len(self.question_losses) == before:
            self._compare(examples)  # grades may have changed
        return len(self.question_losses) - before

    def _compare(self, examples: Sequence[TrainingExample]) -> None:
        """Give all stored settings their mean losses on the same questions."""
        if examples and len(self.online.losses):
            self.online.rescore(mean_losses(examples, self.online.settings))

    def ranked_by(self, question: RecordedQuestion) -> dict[str, Any]:
        """The learned numbers as they were when a recorded question was ranked."""
        recorded = numbers(question.fields)
        return {name: recorded.get(name) for name in self.online.box.names}

    def _is_pending(self, question: RecordedQuestion) -> bool:
        """Whether a question was ranked by the setting whose loss is pending."""
        return self.ranked_by(question) == self.setting()

    def dumps(self) -> str:
        """The state as JSON, for `AdaptiveRecipe.loads`."""
        state = {"format": FORMAT, "recipe": self.recipe.name, "online": json.loads(self.online.dumps())}
        return json.dumps({**state, "question_losses": self.question_losses, "since": self.since})

    @classmethod
    def loads(cls, text: str, recipe: Recipe) -> AdaptiveRecipe:
        """The state that `dumps` wrote. Raises DamagedState for any other text, and for another recipe."""
        try:
            state = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DamagedState(
                f"the learned state of {recipe.name} is no JSON: {error}; {BEGIN_ANEW}"
            ) from error
        if not isinstance(state, dict) or state.get("format") != FORMAT or state.get("recipe") != recipe.name:
            raise DamagedState(
                f"the learned state is not one of format {FORMAT} of the recipe {recipe.name}; {BEGIN_ANEW}"
            )
        question_losses: Any = state.get("question_losses")
        since = state.get("since")
        sound = isinstance(question_losses, list) and all(map(_is_question_loss, question_losses))
        if not sound or type(since) is not int:
            raise DamagedState(f"the learned state of {recipe.name} lacks its recorded losses; {BEGIN_ANEW}")
        try:
            online = OnlineLearner.loads(json.dumps(state.get("online")), box_of(recipe))
        except DamagedState as damage:
            raise DamagedState(f"{damage}; {BEGIN_ANEW}") from damage
        if online.evaluations != len(question_losses):
            raise DamagedState(
                f"the learned state of {recipe.name} names {len(question_losses)} questions and has "
                f"{online.evaluations} losses; {BEGIN_ANEW}"
            )
        return cls(recipe, online, [(name, float(lost)) for name, lost in question_losses], since)


def is_of_other_numbers(text: str, recipe: Recipe) -> bool:
    """Whether a stored state has learned other numbers than are learned of the recipe now, as one of an
    earlier version has. False for a text that is no state: reading it says why."""
    try:
        names = json.loads(text)["online"]["box"]["names"]
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        return False
    return isinstance(names, list) and names != list(box_of(recipe).names)


def mean_losses(examples: Sequence[TrainingExample], settings: Floats) -> list[float]:
    """The mean loss of each setting (m, d) over the examples; nan without examples."""
    if not examples:
        return [math.nan for _ in settings]
    lost = [each.losses(settings) for each in examples]
    return [math.fsum(each) / len(examples) for each in zip(*lost, strict=True)]


def box_of(recipe: Recipe) -> Box:
    """The box of those tunable numbers of a recipe that recorded hits can be scored again with."""
    known = replayable(recipe)
    return Box.of(recipe, [each for each in recipe.tunable.ranges if each.field in known])


def _is_question_loss(entry: Any) -> bool:
    return (
        isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
        and isinstance(entry[1], int | float) and 0 <= entry[1] <= 1
    )  # fmt: skip
