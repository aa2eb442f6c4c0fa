"""Learning while questions are asked: one setting a question, in the four stages of Adaptive RAG for arXiv.

| question | stage | the setting that is tried |
|---|---|---|
| 1 | baseline | the start |
| 2 | exploration | with probability .3 the start and normal noise of .1, else the start |
| 3 to 5 | evolution | from the best so far down the gradient of the losses, and aside |
| from 6 | bayesian | where the lower confidence bound of a Gaussian process of the last 50 is lowest |

(its README, sections 2 and 3.) Differences: relevance comes from judgements of hits, never from the system's
own similarity; all settings are compared on the same questions, from the trees recorded with them
(`rescore`); a question without a good hit has no effect. Noise and steps are in shares of the sum for numbers
that have one, of the range for others. Every setting is a function of seed and history, so an interrupted
learner resumes exactly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any, Literal, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from asof.errors import DamagedState, UsageError
from asof.extensions.systems.gaussian import KAPPA, GaussianProcess, lowest
from asof.extensions.systems.judgements import JudgedRecord, RecordedQuestion, recorded_scores
from asof.extensions.systems.learning import Box, Floats, JudgedScores, numbers, replayable
from asof.extensions.systems.loss import RankingMetrics, gains, ideal, ndcg_of_gains
from asof.rank.stage import Recipe, value_of, with_values

# -- the state as JSON, checked when it is read ----------------------------------------------------


FORMAT = 2

WINDOW = 50
"""The most settings that a state holds."""

LONGEST_STATE = 1_000_000
"""Characters of a state: fifty settings of a hundred numbers take a tenth of it."""

LARGEST = 2**63 - 1
"""The largest seed, and the largest number of questions."""

GREATEST = 1e9
"""No loss is greater, nor less than its opposite: squares of differences stay finite."""

Stage = Literal["baseline", "exploration", "evolution", "bayesian"]

KEYS = {"format", "box", "seed", "start", "stage", "evaluations", "settings", "losses", "pending"}


def stage_of(question: int) -> Stage:
    """The stage of a question by its number, from 1."""
    if question <= 1:
        return "baseline"
    if question == 2:
        return "exploration"
    return "evolution" if question <= 5 else "bayesian"


def _described(box: Box) -> dict[str, Any]:
    return {
        "names": list(box.names),
        "low": box.low.tolist(),
        "high": box.high.tolist(),
        "simplex": list(box.simplex),
        "total": box.total,
    }


def _object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_STATE:
        _refuse(f"it has {len(text):,} characters, a state has at most {LONGEST_STATE:,}")
    try:
        state = json.loads(text)
    except (ValueError, RecursionError) as error:
        _refuse(f"it is no JSON: {error}")
    if isinstance(state, dict) and state.get("format", FORMAT) != FORMAT:
        _refuse(f"its format is {short(state['format'])}, this version of asof reads {FORMAT}")
    if not isinstance(state, dict) or set(state) != KEYS:
        _refuse("it is no object with the keys " + ", ".join(sorted(KEYS)))
    return state


def _same_box(stored: Any, box: Box) -> None:
    own = _described(box)
    if not isinstance(stored, dict) or set(stored) != set(own):
        _refuse("its box is not one")
    for key, value in own.items():
        if stored[key] != value:
            _refuse(f"it is of another box: {key} is {short(stored[key])} there and {short(value)} here")


def _whole(state: dict[str, Any], key: str) -> int:
    value = state[key]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        _refuse(f"{key} is {short(value)}, a whole number from 0 on is expected")
    return value


def _number(value: Any, what: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= GREATEST:
        _refuse(f"{what} is {short(value)}, a number is expected, of at most {GREATEST:g}")
    return float(value)


def _point(value: Any, what: str, box: Box) -> Floats:
    if not isinstance(value, list) or len(value) != len(box):
        _refuse(f"{what} is not {len(box)} numbers")
    point = np.array(
        [_number(each, f"{name} of {what}") for name, each in zip(box.names, value, strict=True)]
    )
    if not box.contains(point):
        _refuse(f"{what} is outside of its bounds or its sum: {box.named(point)}")
    return point


def _refuse(why: str) -> NoReturn:
    raise DamagedState(f"the learned state cannot be read, and is left as it is: {why}")


# -- the learner -----------------------------------------------------------------------------------


EXPLORED = 0.3
SIGMA = 0.1
RATE = 0.1

SETTLED = 5
"""Every fifth question from the sixth on has the setting of the lowest expected loss, with kappa 0: bounds
alone keep exploring, and the best setting tried so far can be worse than the best expected one."""

LONGEST = 0.2
"""The longest step down a gradient: estimated from few noisy losses it can be arbitrarily steep."""

NOWHERE = 1e-9
"""Settings that are no farther apart than this are the same but for rounding: they have no gradient."""

ASIDE = 16
"""The number of steps aside that are drawn in evolution; the one farthest from all settings tried is used."""


def gradient(settings: ArrayLike, losses: ArrayLike) -> Floats:
    """The gradient (d,) that differences between settings (n, d) and the best of them show.

    It is the smallest one that fits them best; 0 where nothing was tried in a direction.
    """
    x, y = np.asarray(settings, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    best = int(y.argmin())
    moves = x - x[best]
    if float(np.abs(moves).max(initial=0.0)) < NOWHERE:
        return np.zeros(x.shape[1])
    return np.asarray(np.linalg.lstsq(moves, y - y[best], rcond=1e-6)[0])


@dataclass(slots=True)
class OnlineLearner:
    """An ask-and-tell optimiser of one setting in a box: `ask` for it, rank with it, `tell` its loss, repeat.

    `settings` (n, d) and `losses` (n,) are the latest WINDOW evaluated, oldest first (the best always stays).
    `evaluations` is the number of losses reported in all, `pending` the setting whose loss is not known yet.
    """

    box: Box
    start: Floats
    seed: int
    settings: Floats
    losses: Floats
    evaluations: int = 0
    pending: Floats | None = None

    @classmethod
    def begin(cls, box: Box, start: ArrayLike, seed: int = 0) -> Self:
        """A learner without any loss yet; `start` (d,) is projected into the box."""
        if not 0 <= seed <= LARGEST:
            raise UsageError(f"the seed {seed} is not accepted; 0 to 2^63 - 1 are")
        return cls(box, box.project(start), seed, np.empty((0, len(box))), np.empty(0))

    @property
    def stage(self) -> Stage:
        """The stage of the next question, or of the one whose loss is pending."""
        return stage_of(self.evaluations + 1)

    @property
    def best(self) -> dict[str, float]:
        """Of the stored settings the one with the lowest expected loss, else the start."""
        return self.box.named(self.settings[self._best()] if len(self.losses) else self.start)

    def ask(self) -> dict[str, float]:
        """The setting for the next question; the same until `tell` is called."""
        if self.pending is None:
            self.pending = self._proposal(np.random.default_rng([self.seed, self.evaluations]))
        return self.box.named(self.pending)

    def tell(self, loss: float) -> None:
        """Report the loss of the pending setting. Raises UsageError if none is pending, or for no valid loss.

        A question without a relevant document has no loss and is not reported.
        """
        if self.pending is None:
            raise UsageError("no setting waits for a loss: ask for one first")
        if not abs(loss) <= GREATEST:
            raise UsageError(
                f"a loss of {loss} is not usable; leave out questions without a relevant document"
            )
        if len(self.losses) == WINDOW:
            oldest = int(self._best() == 0)
            self.settings = np.delete(self.settings, oldest, axis=0)
            self.losses = np.delete(self.losses, oldest)
        self.settings = np.vstack([self.settings, self.pending])
        self.losses = np.append(self.losses, loss)
        self.evaluations += 1
        self.pending = None

    def rescore(self, losses: Sequence[float] | Floats) -> None:
        """Other losses for `settings`, in their order: all of them on the same judged questions.

        They replace the reported ones, so that differences are between settings, not between questions.
        Raises UsageError for another number of losses, or what is no loss.
        """
        rescored = np.array(losses, dtype=np.float64)
        if rescored.shape != self.losses.shape or not (np.abs(rescored) <= GREATEST).all():
            raise UsageError(f"{len(self.losses)} losses are expected, one for each stored setting")
        self.losses = rescored

    def dumps(self) -> str:
        """The state of the learner as JSON; numbers come back bit for bit."""
        state = {
            "format": FORMAT,
            "box": _described(self.box),
            "seed": self.seed,
            "start": self.start.tolist(),
            "stage": self.stage,
            "evaluations": self.evaluations,
            "settings": self.settings.tolist(),
            "losses": self.losses.tolist(),
            "pending": None if self.pending is None else self.pending.tolist(),
        }
        return json.dumps(state, allow_nan=False)

    @classmethod
    def loads(cls, text: str, box: Box) -> Self:
        """The learner that `dumps` wrote, which continues as if it had not been interrupted.

        Raises DamagedState for any other text, and for a state of another box.
        """
        state = _object(text)
        _same_box(state["box"], box)
        evaluations, seed = _whole(state, "evaluations"), _whole(state, "seed")
        stage = stage_of(evaluations + 1)
        if state["stage"] != stage:
            _refuse(f"its stage is {short(state['stage'])}, after {evaluations} questions it is {stage!r}")
        settings, losses = state["settings"], state["losses"]
        n = min(evaluations, WINDOW)
        if not (isinstance(settings, list) and isinstance(losses, list)):
            _refuse("its settings and losses are no lists")
        if not len(settings) == len(losses) == n:
            _refuse(
                f"{evaluations} questions leave {n} settings, it has {len(settings)} and {len(losses)} losses"
            )
        points = [_point(each, f"setting {place}", box) for place, each in enumerate(settings, 1)]
        return cls(
            box,
            _point(state["start"], "the start", box),
            seed,
            np.array(points).reshape(n, len(box)),
            np.array([_number(each, f"loss {place}") for place, each in enumerate(losses, 1)]),
            evaluations,
            None if state["pending"] is None else _point(state["pending"], "the pending setting", box),
        )

    def _proposal(self, rng: np.random.Generator) -> Floats:
        if self.stage == "baseline":
            return self.start
        if self.stage == "exploration":
            explored = rng.random() < EXPLORED
            return self._moved(self.start, rng.normal(0.0, SIGMA, len(self.box))) if explored else self.start
        if self.stage == "evolution":
            return self._evolved(rng)
        around = self.settings[np.argsort(self.losses, kind="stable")[:3]]
        kappa = KAPPA if (self.evaluations + 1) % SETTLED else 0.0
        return lowest(self._model(), self.box, around, rng, kappa)

    def _evolved(self, rng: np.random.Generator) -> Floats:
        """Down the gradient from the best, and aside in a direction that was not tried yet."""
        tried = self.settings / self._scale()
        best = int(self.losses.argmin())
        down = -RATE * gradient(tried, self.losses)
        down *= min(1.0, LONGEST / max(float(np.linalg.norm(down)), 1e-12))
        aside = rng.normal(0.0, SIGMA, (ASIDE, len(self.box)))
        _, sizes, known = np.linalg.svd(tried - tried[best], full_matrices=False)
        known = known[sizes > 1e-9]
        aside -= aside @ known.T @ known
        if len(known) >= len(self.box) - bool(self.box.simplex):
            aside = rng.normal(0.0, SIGMA / 2, (ASIDE, len(self.box)))
        points = np.stack([self._moved(self.settings[best], down + each) for each in aside])
        apart = np.linalg.norm(points[:, None] / self._scale() - tried, axis=2).min(axis=1)
        return np.asarray(points[apart.argmax()])

    def _moved(self, x: Floats, move: Floats) -> Floats:
        return self.box.project(x + move * self._scale())

    def _scale(self) -> Floats:
        """The scale of a move of 1: the sum for numbers that have one, else the range."""
        scale = np.where(self.box.high > self.box.low, self.box.high - self.box.low, 1.0)
        scale[list(self.box.simplex)] = abs(self.box.total) or 1.0
        return scale

    def _model(self) -> GaussianProcess:
        return GaussianProcess.fitted(self.box.unit(self.settings), self.losses, seed=self.seed)

    def _best(self) -> int:
        """The place of the setting whose expected loss is lowest, the earliest of equals."""
        mu, _ = self._model().predict(self.box.unit(self.settings))
        return int(mu.argmin())


# -- a recipe whose weights are learned ------------------------------------------------------------


CUTOFF = 10
"""k of nDCG@k, as published."""

COMPARED = 100
"""The number of latest judged questions on which settings are compared."""

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
    """A recipe with what was learned of it. `recipe` has the initial numbers. `question_losses`: the
    questions that the learner has the loss of, oldest first, as their ids and the loss that each had then.
    Questions recorded until `since` (an instant) do not move the weights, but settings are compared on them
    too."""

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
        """True if a question was ranked by the setting whose loss is pending."""
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
    """True if a stored state has learned other numbers than are learned of the recipe now, as one of an
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
