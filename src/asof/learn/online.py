"""Learning while questions are asked: one setting a question, in the four stages of Adaptive RAG for arXiv.

| question | stage | the setting that is tried |
|---|---|---|
| 1 | baseline | the start |
| 2 | exploration | with probability .3 the start and normal noise of .1, else the start |
| 3 to 5 | evolution | from the best so far down the gradient of the losses, and aside |
| from 6 | bayesian | where the lower confidence bound of a Gaussian process of the last 50 is lowest |

(its README, section 3.) A gradient out of losses of different questions tells how questions differ, not
settings: `rescore` gives all settings their losses on the same questions. Noise and steps are in shares of
the sum for numbers that have one, of the range for others. Every setting is a function of seed and history,
so an interrupted learner goes on as if it had not been.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from asof.errors import UsageError
from asof.learn.acquisition import KAPPA, lowest
from asof.learn.box import Box, Floats
from asof.learn.gaussian import GaussianProcess
from asof.learn.state import GREATEST, LARGEST, WINDOW, LearnerState, Stage, stage_of

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
"""How many steps aside are drawn in evolution; the one farthest from all settings tried is used."""


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


class OnlineLearner:
    """An ask-and-tell optimiser of one setting in a box: `ask` for it, rank with it, `tell` its loss, repeat.

    `settings` (n, d) and `losses` (n,) are the latest WINDOW evaluated, oldest first (the best always stays).
    `evaluations` is the number of losses reported in all, `pending` the setting whose loss is not known yet.
    """

    def __init__(self, box: Box, start: Floats, seed: int) -> None:
        self.box = box
        self.start = start
        self.seed = seed
        self.settings: Floats = np.empty((0, len(box)))
        self.losses: Floats = np.empty(0)
        self.evaluations = 0
        self.pending: Floats | None = None

    @classmethod
    def begin(cls, box: Box, start: ArrayLike, seed: int = 0) -> Self:
        """A learner without any loss yet; `start` (d,) is projected into the box."""
        if not 0 <= seed <= LARGEST:
            raise UsageError(f"the seed {seed} is not accepted; 0 to 2^63 - 1 are")
        return cls(box, box.project(start), seed)

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
        """The state of the learner as JSON."""
        state = self.settings, self.losses, self.evaluations, self.pending
        return LearnerState(self.box, self.start, self.seed, *state).dumps()

    @classmethod
    def loads(cls, text: str, box: Box) -> Self:
        """The learner that `dumps` wrote, which continues as if it had not been interrupted.

        Raises DamagedState for any other text, and for a state of another box.
        """
        state = LearnerState.loads(text, box)
        learner = cls(box, state.start, state.seed)
        learner.settings, learner.losses = state.settings, state.losses
        learner.evaluations, learner.pending = state.evaluations, state.pending
        return learner

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
        """What a move of 1 is: the sum for numbers that have one, else the range."""
        scale = np.where(self.box.high > self.box.low, self.box.high - self.box.low, 1.0)
        scale[list(self.box.simplex)] = abs(self.box.total) or 1.0
        return scale

    def _model(self) -> GaussianProcess:
        return GaussianProcess.fitted(self.box.unit(self.settings), self.losses, seed=self.seed)

    def _best(self) -> int:
        """The place of the setting whose expected loss is lowest, the earliest of equals."""
        mu, _ = self._model().predict(self.box.unit(self.settings))
        return int(mu.argmin())
