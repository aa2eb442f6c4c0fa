"""What an online learner knows, as a text that is kept, and whether such a text can be trusted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from asof.errors import DamagedState
from asof.learn.box import Box

FORMAT = 1

WINDOW = 50
"""So many settings are kept."""

LONGEST = 1_000_000
"""Characters of a state: fifty settings of a hundred numbers take a tenth of it."""

LARGEST = 2**63 - 1
"""The largest seed, and the largest number of questions."""

GREATEST = 1e9
"""No loss is greater, nor less than its opposite: squares of differences stay finite."""

Stage = Literal["baseline", "exploration", "evolution", "bayesian"]
Floats = NDArray[np.float64]

KEYS = {"format", "box", "seed", "start", "stage", "told", "settings", "losses", "asked"}


def stage_of(question: int) -> Stage:
    """The stage of a question by its number, from 1."""
    if question <= 1:
        return "baseline"
    if question == 2:
        return "exploration"
    return "evolution" if question <= 5 else "bayesian"


@dataclass(frozen=True, slots=True)
class LearnerState:
    """Start (d,), seed, the last settings (n, d) and losses (n,), how many were told, and what is asked."""

    box: Box
    start: Floats
    seed: int
    settings: Floats
    losses: Floats
    told: int
    asked: Floats | None

    def dumps(self) -> str:
        """As JSON; numbers come back bit for bit."""
        return json.dumps(
            {
                "format": FORMAT,
                "box": _described(self.box),
                "seed": self.seed,
                "start": self.start.tolist(),
                "stage": stage_of(self.told + 1),
                "told": self.told,
                "settings": self.settings.tolist(),
                "losses": self.losses.tolist(),
                "asked": None if self.asked is None else self.asked.tolist(),
            },
            allow_nan=False,
        )

    @classmethod
    def loads(cls, text: str, box: Box) -> LearnerState:
        """Out of what `dumps` gave. Raises DamagedState if it is anything else, or of another box."""
        said = _object(text)
        if said["format"] != FORMAT:
            _refuse(f"its format is {short(said['format'])}, this version of asof reads {FORMAT}")
        _same_box(said["box"], box)
        told, seed = _whole(said, "told"), _whole(said, "seed")
        if said["stage"] != stage_of(told + 1):
            _refuse(
                f"its stage is {short(said['stage'])}, after {told} questions it is {stage_of(told + 1)!r}"
            )
        settings, losses = said["settings"], said["losses"]
        kept = min(told, WINDOW)
        if not (isinstance(settings, list) and isinstance(losses, list)):
            _refuse("its settings and losses are no lists")
        if not len(settings) == len(losses) == kept:
            _refuse(
                f"{told} questions leave {kept} settings, it has {len(settings)} and {len(losses)} losses"
            )
        points = [_point(each, f"setting {place}", box) for place, each in enumerate(settings, 1)]
        return cls(
            box,
            _point(said["start"], "the start", box),
            seed,
            np.array(points).reshape(kept, len(box)),
            np.array([_number(each, f"loss {place}") for place, each in enumerate(losses, 1)]),
            told,
            None if said["asked"] is None else _point(said["asked"], "the setting that is asked", box),
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
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        _refuse(f"it is no JSON: {error}")
    if not isinstance(said, dict) or set(said) != KEYS:
        _refuse("it is no object with the keys " + ", ".join(sorted(KEYS)))
    return said


def _same_box(said: Any, box: Box) -> None:
    own = _described(box)
    if not isinstance(said, dict) or set(said) != set(own):
        _refuse("its box is not one")
    for key, value in own.items():
        if said[key] != value:
            _refuse(f"it is of another box: {key} is {short(said[key])} there and {short(value)} here")


def _whole(said: dict[str, Any], key: str) -> int:
    value = said[key]
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
    raise DamagedState(f"what was learned cannot be read, and is left as it is: {why}")
