"""Fields of stages that say what they accept, so that a configuration can set them and a tuner move them."""

from __future__ import annotations

import dataclasses
from typing import Any

from asof.errors import UsageError

LARGEST = 1e9
"""The bound of numbers that declare none: sums and products of them stay finite."""


def within(default: float | None, low: float, high: float) -> Any:
    """A number from `low` to `high`, both included; a whole one where `default` is whole.

    `default` None: there is no such number unless it is set.
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high})


def one_of(default: str, *accepted: str) -> Any:
    """One of a few words."""
    return dataclasses.field(default=default, metadata={"accepted": (default, *accepted)})


def plain(value: Any) -> Any:
    """The value of a field as a configuration or JSON has it: pairs as a table, tuples as lists."""
    if isinstance(value, tuple) and value and all(isinstance(each, tuple) for each in value):
        return {str(key): plain(each) for key, each in value}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def checked(stage: Any, name: str, value: Any) -> Any:
    """What the field `name` of a stage would be with a value out of a configuration.

    Raises UsageError when the stage has no such field, or the field does not accept the value.
    """
    known = {each.name: each for each in dataclasses.fields(stage)}
    field, present = known[name], getattr(stage, name)
    rule = field.metadata
    if "accepted" in rule:
        if value not in rule["accepted"]:
            raise UsageError(f"accepted: {', '.join(rule['accepted'])}")
        return value
    if isinstance(present, bool):
        if not isinstance(value, bool):
            raise UsageError("true or false is expected")
        return value
    if isinstance(present, int | float) or "low" in rule:
        return _number(value, present, rule.get("low"), rule.get("high"))
    if isinstance(present, str):
        if not isinstance(value, str):
            raise UsageError("a text is expected")
        return value
    if isinstance(present, tuple):
        return _tuple(value, present)
    raise UsageError("this field is part of the recipe and cannot be set")


def _number(value: Any, present: Any, low: float | None, high: float | None) -> float:
    whole = isinstance(present, int)
    kind = "a whole number" if whole else "a number"
    good = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    least, most = -LARGEST if low is None else low, LARGEST if high is None else high
    if not good or not least <= value <= most:  # nan is nowhere between
        limits = "" if low is None and not good else f" from {least:g} to {most:g}"
        raise UsageError(f"{kind}{limits} is expected")
    return value if whole else float(value)


def _tuple(value: Any, present: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list of texts, a list of numbers as long as the present one, or a table from names to numbers."""
    if present and isinstance(present[0], str):
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise UsageError("a list of texts is expected")
        return tuple(value)
    if value == [] and not present:  # as it is shown
        return ()
    if isinstance(value, dict):
        if present and not isinstance(present[0], tuple):
            raise UsageError("a list of numbers is expected")
        return tuple((str(key), _number(each, 0.0, None, None)) for key, each in value.items())
    if not isinstance(value, list) or not present or isinstance(present[0], tuple):
        raise UsageError("a table from names to numbers is expected")
    if len(value) != len(present):
        raise UsageError(f"{len(present)} numbers are expected")
    return tuple(_number(each, like, None, None) for each, like in zip(value, present, strict=True))
