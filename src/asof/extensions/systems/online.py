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
that have one, of the range for others. Every setting is a function of seed and history, and the history is
that of the judged questions (`AdaptiveRecipe.of`): no state of the learner is stored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from asof.extensions.systems.gaussian import KAPPA, GaussianProcess, lowest
from asof.extensions.systems.judgements import JudgedRecord, RecordedQuestion, recorded_scores
from asof.extensions.systems.learning import Box, Floats, JudgedScores, numbers, replayable
from asof.extensions.systems.loss import RankingMetrics, gains, ideal, ndcg_of_gains
from asof.rank.stage import Recipe, value_of, with_values

# -- the learner -----------------------------------------------------------------------------------


WINDOW = 50
"""The number of latest settings that the next one is chosen by."""

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


Stage = Literal["baseline", "exploration", "evolution", "bayesian"]


def stage_of(question: int) -> Stage:
    """The stage of a question by its number, from 1."""
    if question <= 1:
        return "baseline"
    if question == 2:
        return "exploration"
    return "evolution" if question <= 5 else "bayesian"


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

    `settings` (n, d) and `losses` (n,) are the latest WINDOW evaluated, oldest first. `evaluations` is the
    number of losses reported in all, `pending` the setting whose loss is not known yet.
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
        """Report the loss of the setting that was asked for. A question without a relevant document has no
        loss and is not reported."""
        asked = np.array([*self.ask().values()])
        self.settings = np.vstack([self.settings, asked])[-WINDOW:]
        self.losses = np.append(self.losses, loss)[-WINDOW:]
        self.evaluations += 1
        self.pending = None

    def rescore(self, losses: Sequence[float] | Floats) -> None:
        """Other losses for `settings`, in their order: all of them on the same judged questions.

        They replace the reported ones, so that differences are between settings, not between questions.
        """
        self.losses = np.array(losses, dtype=np.float64)

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


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A judged question whose hits can be ordered by other settings, the setting (d,) that ranked it, and the
    gain of each hit: 0 without a grade."""

    question: RecordedQuestion
    setting: Floats
    scores: JudgedScores
    gains: list[float]
    grades: tuple[float | None, ...]

    @classmethod
    def of(cls, judged: JudgedRecord, recipe: Recipe, box: Box) -> TrainingExample | None:
        """None where no order of the hits is better than another, or where the question was ranked with
        other values of fields that cannot be replayed. Raises DamagedStore."""
        gained = gains(judged.grades)
        if not ideal(gained, CUTOFF):
            return None
        scores = recorded_scores(judged.question, recipe, box, gained)
        if scores is None:
            return None
        ranked_by = numbers(judged.question.fields)
        setting = np.array([ranked_by[name] for name in box.names], np.float64)
        return cls(judged.question, setting, scores, gained, judged.grades)

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


@dataclass(frozen=True, slots=True)
class AdaptiveRecipe:
    """A recipe with what judged questions teach of its numbers. `recipe` has the initial ones.

    `examples`: the latest COMPARED judged questions, oldest first, on which settings are compared. `learned`:
    those of them whose settings were a step of learning.
    """

    recipe: Recipe
    online: OnlineLearner
    examples: tuple[TrainingExample, ...]
    learned: tuple[TrainingExample, ...]

    @classmethod
    def of(
        cls, recipe: Recipe, judged: Sequence[JudgedRecord] = (), since: int = 0, seed: int = 0
    ) -> AdaptiveRecipe:
        """The learner after these questions, in the order in which they were asked.

        Each question with a good hit is a step: its setting was tried. Those recorded until `since` (an
        instant) are none, but settings are compared on them too. The cost does not grow with the number of
        judged questions. Raises UsageError for a recipe without numbers that recorded questions can be ranked
        by again; DamagedStore.
        """
        box = box_of(recipe)
        good = [each for each in judged if ideal(gains(each.grades), CUTOFF)]
        made = [TrainingExample.of(each, recipe, box) for each in good[-COMPARED:]]
        examples = [each for each in made if each is not None]
        learned = [each for each in examples if each.question.added > since and box.contains(each.setting)]
        online = OnlineLearner.begin(box, [value_of(recipe, name) for name in box.names], seed)
        if learned:
            online.settings = np.array([each.setting for each in learned[-WINDOW:]])
            online.losses = np.array(mean_losses(examples, online.settings))
            online.evaluations = len(learned) + sum(each.question.added > since for each in good[:-COMPARED])
        return cls(recipe, online, tuple(examples), tuple(learned))

    def setting(self) -> dict[str, float]:
        """The numbers for the next question; the same until another one is judged."""
        return self.online.ask()

    def chosen(self) -> Recipe:
        """The recipe for the next question."""
        return with_values(self.recipe, self.setting())


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
