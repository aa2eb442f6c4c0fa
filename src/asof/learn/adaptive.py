"""A recipe whose weights move with judgements: each question is ranked by a setting, and what was said of its
hits tells what that setting lost.

It is the loop of Adaptive RAG for arXiv (its README, sections 2 and 3) with what makes it learn: relevance is
what was said of hits, never the system's own likeness; all settings are compared on the same questions, from
the trees that were recorded with them, without another retrieval; and a question of which nothing good was
said teaches nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from asof.data import Why
from asof.errors import DamagedState, UsageError
from asof.learn.box import Box
from asof.learn.feedback import Asked, Judged
from asof.learn.loss import gains, ideal, ndcg_of_gains
from asof.learn.online import Online
from asof.learn.trees import replayable, replayed, trees_of
from asof.rank.recipe import Recipe
from asof.rank.tunable import value_of, with_values

FORMAT = 1
LOOKED_AT = 10
"""k of nDCG@k, as published."""

BEGIN_ANEW = "begin anew with `asof papers --forget`, which leaves the judgements"


@dataclass(frozen=True)
class Lesson:
    """A judged question whose hits can be ordered by other settings. A grade that nobody gave counts as 0."""

    judged: Judged

    @property
    def id(self) -> str:
        return self.judged.asked.id

    @cached_property
    def trees(self) -> tuple[Why, ...]:
        return trees_of(self.judged.asked)

    @cached_property
    def gains(self) -> list[float]:
        return gains(self.judged.grades, self.judged.weights)

    def loss(self, recipe: Recipe) -> float:
        """1 - nDCG@10 of the shown hits in the order of that recipe's scores; equals stay as shown. Raises
        UsageError where the trees do not tell it, DamagedStore."""
        scores = replayed(self.judged.asked, recipe, self.trees)
        order = np.argsort(-scores, kind="stable").tolist()
        return 1 - ndcg_of_gains([self.gains[at] for at in order], self.gains, LOOKED_AT)

    @property
    def teaches(self) -> bool:
        """Whether any order of its hits is better than another."""
        return ideal(self.gains, LOOKED_AT) > 0


@dataclass(slots=True)
class Adaptive:
    """What learning knows of a recipe. `recipe` is where it began; `told`: ids of the questions whose losses
    the learner was told, oldest first, with the loss that each had then."""

    recipe: Recipe
    online: Online
    told: list[tuple[str, float]] = field(default_factory=list)

    @classmethod
    def begin(cls, recipe: Recipe, seed: int = 0) -> Adaptive:
        """A learner of those tunable numbers of a recipe that recorded questions can be ranked by again.

        Raises UsageError for a recipe without any.
        """
        box = box_of(recipe)
        return cls(recipe, Online.begin(box, [value_of(recipe, name) for name in box.names], seed))

    def setting(self) -> dict[str, float]:
        """The numbers for the next question; the same until a question that was ranked by them is judged."""
        return self.online.ask()

    def chosen(self) -> Recipe:
        """The recipe for the next question."""
        return with_values(self.recipe, self.setting())

    def take(self, judged: Sequence[Judged]) -> int:
        """Learn from judged questions, in the order in which they were asked; returns how many were new.

        A question that was ranked by the setting that is waited for tells its loss; all that can be ranked
        again are what settings are compared on. Others are passed over. Raises DamagedStore.
        """
        lessons = [each for each in map(Lesson, judged) if each.teaches and self._comparable(each)]
        before, known = len(self.told), {name for name, _ in self.told}
        for lesson in lessons:
            if lesson.id not in known and self._waited_for(lesson.judged.asked):
                lost = lesson.loss(self.chosen())
                self.online.tell(lost)
                self.told.append((lesson.id, lost))
                self._compare(lessons)
        if len(self.told) == before:
            self._compare(lessons)  # grades may have changed
        return len(self.told) - before

    def mean_loss(self, judged: Sequence[Judged], recipe: Recipe) -> float:
        """What a recipe loses on average of the questions that teach; nan where none does."""
        lessons = [each for each in map(Lesson, judged) if each.teaches and self._comparable(each)]
        return math.fsum(each.loss(recipe) for each in lessons) / len(lessons) if lessons else math.nan

    def _compare(self, lessons: Sequence[Lesson]) -> None:
        """Give all settings that are kept their mean losses on the same questions."""
        if not lessons or not len(self.online.losses):
            return
        tried = [with_values(self.recipe, self.online.box.named(each)) for each in self.online.settings]
        self.online.rescore(
            [math.fsum(each.loss(recipe) for each in lessons) / len(lessons) for recipe in tried]
        )

    def _comparable(self, lesson: Lesson) -> bool:
        try:
            replayed(lesson.judged.asked, self.recipe, lesson.trees)
        except UsageError:  # ranked by a recipe with other fields
            return False
        return True

    def ranked_by(self, asked: Asked) -> dict[str, float]:
        """The numbers that a recorded question was ranked by, of those that are learned."""
        return {name: _number(asked.fields, name) for name in self.online.box.names}

    def _waited_for(self, asked: Asked) -> bool:
        return self.ranked_by(asked) == self.setting()

    def dumps(self) -> str:
        """The state as JSON, for `Adaptive.loads`."""
        state = {"format": FORMAT, "recipe": self.recipe.name, "online": json.loads(self.online.dumps())}
        return json.dumps({**state, "told": self.told})

    @classmethod
    def loads(cls, text: str, recipe: Recipe) -> Adaptive:
        """The state that was dumped. Raises DamagedState for what is no sound state of this recipe."""
        try:
            state = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DamagedState(
                f"what was learned of {recipe.name} is no JSON: {error}; {BEGIN_ANEW}"
            ) from error
        if not isinstance(state, dict) or state.get("format") != FORMAT or state.get("recipe") != recipe.name:
            raise DamagedState(
                f"what was learned is no state of format {FORMAT} of the recipe {recipe.name}; {BEGIN_ANEW}"
            )
        told = state.get("told")
        if not isinstance(told, list) or not all(map(_told, told)):
            raise DamagedState(f"what was learned of {recipe.name} lacks what was told; {BEGIN_ANEW}")
        try:
            online = Online.loads(json.dumps(state.get("online")), box_of(recipe))
        except DamagedState as damage:
            raise DamagedState(f"{damage}; {BEGIN_ANEW}") from damage
        if online.told != len(told):
            raise DamagedState(
                f"what was learned of {recipe.name} names {len(told)} questions, and {online.told} losses "
                f"were told; {BEGIN_ANEW}"
            )
        return cls(recipe, online, [(name, float(lost)) for name, lost in told])


def box_of(recipe: Recipe) -> Box:
    """The box of the tunable numbers of a recipe that trees of hits can be computed again with."""
    known = replayable(recipe)
    return Box.of(recipe, [each for each in recipe.tunable.ranges if each.field in known])


def _told(entry: Any) -> bool:
    return (
        isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
        and isinstance(entry[1], int | float) and 0 <= entry[1] <= 1
    )  # fmt: skip


def _number(fields: Mapping[str, Any], name: str) -> Any:
    """A number of the recorded fields, named as `rank.tunable` names them."""
    if name in fields:
        return fields[name]
    table, _, key = name.rpartition(".")
    found = fields.get(table)
    return found.get(key) if isinstance(found, Mapping) else None
