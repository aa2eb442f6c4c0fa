"""The state of an online learner as JSON, and the checks of such a text when it is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Literal, NoReturn

import numpy as np

from asof.errors import DamagedState
from asof.learn.box import Box, Floats

FORMAT = 2

WINDOW = 50
"""How many settings a state holds at most."""

LONGEST = 1_000_000
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


@dataclass(frozen=True, slots=True)
class LearnerState:
    """Start (d,), seed, the latest settings (n, d) and their losses (n,), the number of losses reported
    so far (`evaluations`), and the setting whose loss is `pending` (d,)."""

    box: Box
    start: Floats
    seed: int
    settings: Floats
    losses: Floats
    evaluations: int
    pending: Floats | None

    def dumps(self) -> str:
        """As JSON; numbers come back bit for bit."""
        return json.dumps(
            {
                "format": FORMAT,
                "box": _described(self.box),
                "seed": self.seed,
                "start": self.start.tolist(),
                "stage": stage_of(self.evaluations + 1),
                "evaluations": self.evaluations,
                "settings": self.settings.tolist(),
                "losses": self.losses.tolist(),
                "pending": None if self.pending is None else self.pending.tolist(),
            },
            allow_nan=False,
        )

    @classmethod
    def loads(cls, text: str, box: Box) -> LearnerState:
        """The state that `dumps` wrote. Raises DamagedState for any other text, and for another box."""
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


def _described(box: Box) -> dict[str, Any]:
    return {
        "names": list(box.names),
        "low": box.low.tolist(),
        "high": box.high.tolist(),
        "simplex": list(box.simplex),
        "total": box.total,
    }


def _object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST:
        _refuse(f"it has {len(text):,} characters, a state has at most {LONGEST:,}")
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
