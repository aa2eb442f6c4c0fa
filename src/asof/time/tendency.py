"""Which way in time a question looks, and how fast its answer changes: two small linear models over its form.

Features are the question's form, its words of time and the kinds of answers it names, each there or not.
direction = the class of the largest sum of weights; volatility = 1 / (1 + e^-s) of one sum s. The weights in
`weights.toml` are fitted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from asof.time.cues import Cue, units
from asof.time.question_form import QuestionForm

Direction = Literal["past", "recent", "future", "timeless"]
DIRECTIONS: tuple[Direction, ...] = ("past", "recent", "future", "timeless")

MAIN_REASONS = 3
"""How many of the features that speak for the direction are told."""

ANY = "any"
"""The feature of every question."""

_WORDS = frozenset(("word.person", "verb.course", "verb.conditional", "word.conjunction"))
_DATES = {
    "past": "a past date", "now": "a date around now", "coming": "a coming date", "unknown": "a date",
    "none": "no date",
}  # fmt: skip
_LISTS = frozenset(("past", "future", "still", "change", "unit", "degree", "relation"))


class Tendency(NamedTuple):
    """`reasons`: what spoke most for the direction, then most for or against a fast change."""

    direction: Direction
    volatility: float
    reasons: tuple[str, ...]


class TendencyWeights(NamedTuple):
    """Feature -> its weights, in the order of `DIRECTIONS`; feature -> its weight for volatility."""

    direction: dict[str, tuple[float, ...]]
    volatility: dict[str, float]


def tendency(asked: QuestionForm, kinds: Sequence[Cue], language: str) -> Tendency:
    """Direction and volatility of a question by its form and by the kinds of answers that it names."""
    told = features(asked, kinds, language)
    by_direction, by_volatility = weights()
    shares = [(name, by_direction[name]) for name in told if name in by_direction]
    sums = [sum(column) for column in zip(*(row for _, row in shares), strict=True)]
    best = sums.index(max(sums))
    speeds = [(name, by_volatility[name]) for name in told if name in by_volatility]
    volatility = 1 / (1 + math.exp(-sum(speed for _, speed in speeds)))
    spoke = sorted((-row[best], told[name]) for name, row in shares if row[best] > 0 and name != ANY)
    moved = sorted((-abs(speed), told[name]) for name, speed in speeds if name != ANY)
    leading = dict.fromkeys(reason for _, reason in (*spoke[:MAIN_REASONS], *moved[:1]))
    return Tendency(DIRECTIONS[best], volatility, tuple(leading))


def features(asked: QuestionForm, kinds: Sequence[Cue], language: str) -> dict[str, str]:
    """The features a question has, each with the word or structure that shows it."""
    asks, tense, structure = asked.asks, f"tense.{asked.tense}", asked.structure
    told = {ANY: ANY, asks: structure, tense: structure, f"{asks}.{tense}": structure}
    _tell_cues(told, asked, units(language))
    sides: list[str] = sorted(asked.sides) or ["none"]
    for side in sides:
        told[f"date.{side}"] = told[f"{asks}.date.{side}"] = _DATES[side]
    for cue in kinds:
        told["kind"] = told[f"kind.{cue.kind}"] = cue.text
        for side in sides:
            told[f"kind.{cue.kind}.date.{side}"] = cue.text
    return told


def _tell_cues(told: dict[str, str], asked: QuestionForm, lengths: dict[str, str]) -> None:
    wishes = {cue.start for cue in asked.wishes}
    for cue in asked.cues:
        if not cue.kind:
            continue
        head, kind, text = cue.kind.partition(".")[0], cue.kind, cue.text
        if head in _LISTS or (head == "wish" and cue.start in wishes):
            told[kind] = told[head] = text
            if head != "unit" and cue.word in lengths:  # "this week", "last year"
                told[lengths[cue.word]] = text
        elif kind in _WORDS:
            told[kind] = text


@lru_cache(maxsize=1)
def weights() -> TendencyWeights:
    """The fitted weights."""
    import tomllib
    from importlib.resources import files

    kept = tomllib.loads((files("asof.time") / "weights.toml").read_text("utf-8"))
    return TendencyWeights({name: tuple(row) for name, row in kept["direction"].items()}, kept["volatility"])
