"""How much of what can be gained is gained in 25 questions, beside drawing and the published optimiser.

    .venv/bin/python bench/online.py [--seeds 50] [--questions 25] [--noise 0 0.01 0.02] [--ways online ...]

Six losses over the box of `papers` with a known best setting (tests/support/known_losses.py). `online` is
`asof.learn.online`; `rescored` the same, where what is told differs by question (by up to .3) and all
settings are then compared on the same questions; `random` the luckiest of as many settings drawn from the
box; `published` the luckiest that the optimiser of Adaptive RAG for arXiv tries, as its code has it: one
step after the second question when the loss is above .05, nothing from the third to the seventh, then
the lowest bound of a hundred settings that are drawn and normalised. For each the median and the worst share
of the gap between start and best that was closed, and in how many of the seeds it was 95 % or more.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.known_losses import BOX, KNOWN, START, Known

from asof.learn.gaussian import GaussianProcess, lcb
from asof.learn.online import OnlineLearner

Floats = NDArray[np.float64]
Way = Callable[[Known, int, int, float], Floats]


def main() -> None:
    options = parse()
    load = os.getloadavg()[0]
    print(f"{options.seeds} seeds, {options.questions} questions, load {load:.1f} at the start")
    print(f"{'noise':8}{'loss':10}" + "".join(f"{name:>28}" for name in options.ways))
    seconds = dict.fromkeys(options.ways, 0.0)
    for noise in options.noise:
        for name, known in KNOWN.items():
            cells = []
            for way in options.ways:
                start = perf_counter()
                closed = [
                    known.closed(WAYS[way](known, seed, options.questions, noise))
                    for seed in range(options.seeds)
                ]
                seconds[way] += perf_counter() - start
                enough = sum(share >= 0.95 for share in closed)
                cells.append(f"{np.median(closed):9.3f}{min(closed):9.3f}{enough:5}/{options.seeds:<4}")
            print(f"{noise:<8g}{name:10}" + "".join(f"{cell:>28}" for cell in cells), flush=True)
    runs = len(options.noise) * len(KNOWN) * options.seeds * options.questions
    print(
        "milliseconds a question: "
        + ", ".join(f"{way} {1000 * all_ / runs:.1f}" for way, all_ in seconds.items())
    )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--questions", type=int, default=25)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.0, 0.01, 0.02])
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    return parser.parse_args()


def online(known: Known, seed: int, questions: int, noise: float) -> Floats:
    learner, rng = OnlineLearner.begin(BOX, START, seed), np.random.default_rng([seed, 1])
    for _ in range(questions):
        learner.tell(known.loss(list(learner.ask().values())) + noise * rng.normal())
    return np.array(list(learner.best.values()))


def rescored(known: Known, seed: int, questions: int, noise: float) -> Floats:
    """A question is up to .3 harder or easier than another; the noise is that of a mean over questions."""
    learner, rng = OnlineLearner.begin(BOX, START, seed), np.random.default_rng([seed, 1])
    losses: list[float] = []
    for _ in range(questions):
        losses.append(known.loss(list(learner.ask().values())) + noise * rng.normal())
        learner.tell(losses[-1] + rng.uniform(-0.3, 0.3))
        learner.rescore(losses)
    return np.array(list(learner.best.values()))


def drawn(known: Known, seed: int, questions: int, noise: float) -> Floats:
    rng = np.random.default_rng([seed, 2])
    points = np.vstack([START, BOX.sample(rng, questions - 1)])
    return np.asarray(points[(known.losses(points) + noise * rng.normal(size=questions)).argmin()])


def published(known: Known, seed: int, questions: int, noise: float) -> Floats:
    """Clipped and normalised as published, so it can lie outside of the box."""
    rng = np.random.default_rng([seed, 3])
    x, tried, losses = START.copy(), list[Floats](), list[float]()
    for question in range(1, questions + 1):
        loss = known.loss(x) + noise * rng.normal()
        tried.append(x.copy())
        losses.append(loss)
        if question == 2 and (loss > 0.05 or rng.random() < 0.3):
            x = _normalised(np.clip(x + rng.uniform(-1, 1, len(x)) * 0.1 * loss, BOX.low, BOX.high))
        elif question >= 8:
            model = GaussianProcess.fitted(np.array(tried[-50:]), losses[-50:], seed=seed, restarts=2)
            points = np.array([_normalised(each) for each in rng.uniform(BOX.low, BOX.high, (100, len(BOX)))])
            x = points[lcb(*model.predict(points)).argmin()]
    return tried[int(np.argmin(losses))]


def _normalised(x: Floats) -> Floats:
    weights = list(BOX.simplex)
    return np.concatenate([x[weights] / x[weights].sum(), x[len(weights) :]])


WAYS: dict[str, Way] = {"online": online, "rescored": rescored, "random": drawn, "published": published}


if __name__ == "__main__":
    main()
