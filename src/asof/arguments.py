"""Checks arguments of public functions against their annotations before the call does anything.

`k: int | None` refuses "3" and True, with a message that names the argument. Arguments with a parser of their
own (a time, a source, a model) are left to it.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from asof.documents import unfit
from asof.errors import UsageError

BOUNDS: dict[str, tuple[float, float]] = {
    "k": (1, 1_000_000), "most": (1, 10_000), "tokens": (1, 1_000_000), "depth": (1, 5),
    "wait": (0, math.inf), "budget": (0, math.inf), "eta": (0, 100),
}  # fmt: skip
"""The range of an argument of this name, in all functions; a function may narrow it."""

MAX_BITS = 63

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_OWN_RULES = ("When", "Source", "Encoder", "Model", "Named", "MetadataFilter", "object")

_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "Path": (lambda value: isinstance(value, os.PathLike), "a path"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "int": (lambda value: isinstance(value, int) and not isinstance(value, bool), "a whole number"),
    "float": (lambda value: isinstance(value, int | float) and not isinstance(value, bool), "a number"),
    "Callable": (callable, "a function"),
    "TextCallback": (callable, "a function of a text"),
    "Iterable": (lambda value: isinstance(value, Iterable) and not isinstance(value, bytes), "a list"),
}


def all_checked(kind: C) -> C:
    """The class, whose public functions, inherited ones too, look at their arguments."""
    for name in dir(kind):
        if not name.startswith("_") and name != "close" and inspect.isfunction(getattr(kind, name)):
            setattr(kind, name, checked(getattr(kind, name)))
    return kind


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which raises UsageError for an argument of another type than it is annotated with, and
    where it is one of a corpus that was closed."""
    parameters = inspect.signature(function).parameters
    rules = {
        name: tuple(each.partition("[")[0] for each in parameter.annotation.split(" | "))
        for name, parameter in parameters.items()
        if isinstance(parameter.annotation, str) and parameter.kind is not inspect.Parameter.VAR_KEYWORD
    }

    @wraps(function)
    def checking(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {**dict(zip(parameters, args, strict=False)), **kwargs}
        if getattr(given.get("self", given.get("corpus")), "closed", False):
            raise UsageError("this corpus is closed: ask it inside its `with` block, or open it again")
        for name, value in given.items():
            if name in rules:
                _look(name, value, rules[name])
        return function(*args, **kwargs)  # Python says best what are too many, too few, unknown ones

    return checking


def _look(name: str, value: object, kinds: tuple[str, ...]) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:  # too long to be shown, too
        raise UsageError(f"{name} is a number of {value.bit_length():,} bits; accepted: up to {MAX_BITS}")
    if any(kind in _OWN_RULES for kind in kinds):
        return
    if isinstance(value, str) and name != "question" and (at := unfit(value)) is not None:
        raise UsageError(f"{name} holds {value[at]!r} at {at}, which no text of a corpus does")
    classes = {each.__name__ for each in type(value).__mro__}
    if not any(_KINDS[kind][0](value) if kind in _KINDS else kind in classes for kind in kinds):
        words = " or ".join(_KINDS[kind][1] if kind in _KINDS else f"{kind} (a value)" for kind in kinds)
        raise UsageError(f"{name} is {value!r:.60} ({type(value).__name__}); accepted: {words}")
    if isinstance(value, int | float) and name in BOUNDS:
        low, high = BOUNDS[name]
        if not low <= value <= high:  # nor is NaN between them
            words = f"from {low:,} on" if high == math.inf else f"{low:,} to {high:,}"
            raise UsageError(f"{name} is {value!r:.60}; accepted: {words}")
