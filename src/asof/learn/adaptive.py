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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.errors import DamagedState, UsageError
from asof.learn.box import Box
from asof.learn.feedback import JudgedRecord, RecordedQuestion
from asof.learn.loss import gains, ideal, ndcg_of_gains
from asof.learn.online import OnlineLearner
from asof.learn.trees import (
    RATE,
    FreshnessInputs,
    ScoreParts,
    aged,
    ages,
    columns,
    combined,
    replayable,
    replayed,
    trees_of,
)
from asof.rank.recipe import Recipe, value_of, with_values

FORMAT = 1
LOOKED_AT = 10
"""k of nDCG@k, as published."""

COMPARED = 100
"""On so many of the last judged questions settings are compared."""

BEGIN_ANEW = "begin anew with `asof papers --forget`, which leaves the judgements"


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A judged question whose hits can be ordered by other settings: what was added up of them, their days,
    and what each gains. A grade that nobody gave counts as 0."""

    asked: RecordedQuestion
    columns: ScoreParts
    ages: FreshnessInputs | None
    gains: list[float]

    @classmethod
    def of(cls, judged: JudgedRecord, recipe: Recipe) -> TrainingExample | None:
        """None where no order of the hits is better than another, or where the question was ranked by other
        fields than those that can be tried. Raises DamagedStore."""
        gained = gains(judged.grades, judged.weights)
        if not ideal(gained, LOOKED_AT):
            return None
        asked, trees = judged.asked, trees_of(judged.asked)
        try:
            replayed(asked, recipe, trees)
            label = combined(recipe)
            found = columns(asked, label, trees)
            return cls(
                asked, found, ages(asked, label, trees) if RATE in replayable(recipe) else None, gained
            )
        except UsageError:
            return None

    def losses(self, settings: Sequence[Mapping[str, float]]) -> list[float]:
        """1 - nDCG@10 of the shown hits in the order of the scores by each setting; equals stay as shown."""
        found = []
        for setting in settings:
            order = np.argsort(-self._scores(setting), kind="stable").tolist()
            found.append(1 - ndcg_of_gains([self.gains[at] for at in order], self.gains, LOOKED_AT))
        return found

    def _scores(self, setting: Mapping[str, float]) -> NDArray[np.float64]:
        """As `asof.learn.trees.replayed` has them, for numbers that are learned."""
        by_name = {name.rpartition(".")[2]: value for name, value in setting.items() if name != RATE}
        named = zip(self.columns.names, self.columns.weights.tolist(), strict=True)
        weights = np.array([by_name.get(name, own) for name, own in named])
        values = self.columns.values
        if self.ages is not None:
            values = aged(self.columns, self.ages, float(self.asked.fields[RATE]), setting[RATE])
        return self.columns._replace(values=values, weights=weights).scores()


@dataclass(slots=True)
class AdaptiveRecipe:
    """What learning knows of a recipe. `recipe` is where it began; `told`: ids of the questions whose losses
    the learner was told, oldest first, with the loss that each had then. Questions that were recorded until
    `since` (an instant) move nothing, what they taught is forgotten; settings are compared on them too."""

    recipe: Recipe
    online: OnlineLearner
    told: list[tuple[str, float]] = field(default_factory=list)
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

    def examples(self, judged: Sequence[JudgedRecord]) -> list[TrainingExample]:
        """The judged questions that teach something, in the order in which they were asked: the last 100, so
        that a question does not cost more the more were judged. Raises DamagedStore."""
        found: list[TrainingExample] = []
        for each in reversed(judged):
            example = TrainingExample.of(each, self.recipe)
            if example is not None:
                found.append(example)
            if len(found) == COMPARED:
                break
        return found[::-1]

    def take(self, examples: Sequence[TrainingExample]) -> int:
        """Learn from judged questions, in the order in which they were asked; returns how many were new.

        The first that was ranked by the setting that is waited for tells its loss. Settings are compared on
        all of them.
        """
        before, known = len(self.told), {name for name, _ in self.told}
        for example in examples:
            asked = example.asked
            if asked.id not in known and asked.added > self.since and self._waited_for(asked):
                (lost,) = example.losses([self.setting()])
                self.online.tell(lost)
                self.told.append((asked.id, lost))
                self._compare(examples)
        if len(self.told) == before:
            self._compare(examples)  # grades may have changed
        return len(self.told) - before

    def _compare(self, examples: Sequence[TrainingExample]) -> None:
        """Give all settings that are kept their mean losses on the same questions."""
        if examples and len(self.online.losses):
            self.online.rescore(mean_losses(examples, [*map(self.online.box.named, self.online.settings)]))

    def ranked_by(self, asked: RecordedQuestion) -> dict[str, float]:
        """The numbers that a recorded question was ranked by, of those that are learned."""
        return {name: _number(asked.fields, name) for name in self.online.box.names}

    def _waited_for(self, asked: RecordedQuestion) -> bool:
        return self.ranked_by(asked) == self.setting()

    def dumps(self) -> str:
        """The state as JSON, for `AdaptiveRecipe.loads`."""
        state = {"format": FORMAT, "recipe": self.recipe.name, "online": json.loads(self.online.dumps())}
        return json.dumps({**state, "told": self.told, "since": self.since})

    @classmethod
    def loads(cls, text: str, recipe: Recipe) -> AdaptiveRecipe:
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
        told, since = state.get("told"), state.get("since")
        if not isinstance(told, list) or not all(map(_told, told)) or type(since) is not int:
            raise DamagedState(f"what was learned of {recipe.name} lacks its recorded losses; {BEGIN_ANEW}")
        try:
            online = OnlineLearner.loads(json.dumps(state.get("online")), box_of(recipe))
        except DamagedState as damage:
            raise DamagedState(f"{damage}; {BEGIN_ANEW}") from damage
        if online.told != len(told):
            raise DamagedState(
                f"what was learned of {recipe.name} names {len(told)} questions, and {online.told} losses "
                f"were recorded; {BEGIN_ANEW}"
            )
        return cls(recipe, online, [(name, float(lost)) for name, lost in told], since)


def mean_losses(examples: Sequence[TrainingExample], settings: Sequence[Mapping[str, float]]) -> list[float]:
    """What settings lose on average of the examples; nan where there is none."""
    if not examples:
        return [math.nan for _ in settings]
    lost = [each.losses(settings) for each in examples]
    return [math.fsum(each) / len(examples) for each in zip(*lost, strict=True)]


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
    """A number of the recorded fields, named as `rank.recipe` names them."""
    if name in fields:
        return fields[name]
    table, _, key = name.rpartition(".")
    found = fields.get(table)
    return found.get(key) if isinstance(found, Mapping) else None
