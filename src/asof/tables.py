"""Tables of `asof.toml` that are values of their own: which keys they have, and what each accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from asof.errors import UsageError


class AcceptedValue(NamedTuple):
    """Whether a value is accepted, in words what is, and whether the value may be told (a key may not)."""

    good: Callable[[Any], bool]
    words: str
    told: bool = True


SHOWN = 100
"""Characters of a value, or of a key that there is not, which a message repeats."""


def said(value: Any) -> str:
    """A value as a message repeats it: not long, whatever a file holds; of texts in a table, and addresses in
    a list, which may be secret, only that they are there."""
    text = repr(value)
    if isinstance(value, list | dict) and re.search(r"@|\{.*: ['\"]", text):
        return "[…]" if isinstance(value, list) else "{…}"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def check(table: Mapping[str, Any], accepted: Mapping[str, AcceptedValue]) -> None:
    """Raises UsageError for a key that there is not, with the nearest one, and for a value not accepted."""
    for key, value in table.items():
        if key not in accepted:
            raise UsageError(f"no key {key[:SHOWN]}; {nearest(key, accepted)}")
        rule = accepted[key]
        if not rule.good(value):
            told = f"{key} = {said(value)}" if rule.told else key
            raise UsageError(f"{told}: {rule.words} is expected")


def nearest(key: str, accepted: Iterable[str], form: str = "{}") -> str:
    """Which of the accepted names may be meant, or all of them; `form`: how a name is written."""
    accepted = list(accepted)
    near = get_close_matches(key[:SHOWN], accepted, 1, 0.5)
    if near:
        return f"did you mean {form.format(near[0])}?"
    return "accepted: " + ", ".join(map(form.format, accepted))


def text(words: str) -> AcceptedValue:
    """A text that is not blank."""
    return AcceptedValue(lambda value: isinstance(value, str) and bool(value.strip()), words)


def like(pattern: str, words: str) -> AcceptedValue:
    """A text of a form."""
    return AcceptedValue(
        lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None, words
    )


def one_of(*choices: str) -> AcceptedValue:
    """One of a few words."""
    return AcceptedValue(lambda value: value in choices, f"one of {', '.join(choices)}")


def whole(low: int, high: int) -> AcceptedValue:
    """A whole number, both bounds included."""
    return AcceptedValue(
        lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high,
        f"a whole number from {low} to {high}",
    )


def number(low: float, high: float, what: str = "a number") -> AcceptedValue:
    """A number, both bounds included."""
    return AcceptedValue(
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high,
        f"{what} from {low:g} to {high:g}",
    )


def boolean() -> AcceptedValue:
    """true or false."""
    return AcceptedValue(lambda value: isinstance(value, bool), "true or false")


def variable() -> AcceptedValue:
    """The name of an environment variable. What stands in its place may be the key itself: it is not told."""
    name = re.compile(r"[A-Z_][A-Z0-9_]*")
    return AcceptedValue(
        lambda value: isinstance(value, str) and name.fullmatch(value) is not None,
        "the name of an environment variable (not the key itself)", told=False,
    )  # fmt: skip


def secret(environment: Mapping[str, str], name: str, whose: str, table: str) -> str:
    """The key that an environment variable holds. Raises UsageError when it is not set."""
    key = environment.get(name, "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {name} is not set; it should hold the key for {whose} "
            f"(key_variable in [{table}])"
        )
    return key
