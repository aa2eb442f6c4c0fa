"""Accepted values of configuration tables and of the fields of stages.

Each rule is written once: "a number from 0 to 1 is expected" reads the same wherever a number is set.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from asof.errors import UsageError


class AcceptedValue(NamedTuple):
    """The rule of a value: a test, a description in words, and whether messages may show the value. `to`
    converts a good value; it raises UsageError, ValueError or TypeError for one that it cannot convert."""

    good: Callable[[Any], bool]
    words: str
    shown: bool = True
    to: Callable[[Any], Any] | None = None


class Setting(NamedTuple):
    """A key of a table of asof.toml: its rule and its purpose, and a value to show where it has no default,
    or one that asof.toml writes in another form. `safe`: any folder may set it, also in a table that names a
    model or an address."""

    accepted: AcceptedValue
    about: str
    example: Any = None
    safe: bool = False


class Table(NamedTuple):
    """A table of asof.toml: its purpose, its keys, and the class whose fields have their defaults. `read`
    makes a value of a table whose keys are accepted, or raises UsageError; without it, that class does.
    `defining`: keys without which the others mean nothing; a file that has one has the whole table."""

    about: str
    settings: Mapping[str, Setting]
    defaults: type
    read: Callable[[Mapping[str, Any]], Any] | None = None
    defining: frozenset[str] = frozenset()

    def value(self, table: Mapping[str, Any]) -> Any:
        """The value of a table of a configuration. Raises UsageError: which key, what is accepted."""
        taken = self.taken(table)
        return self.defaults(**taken) if self.read is None else self.read(taken)

    def taken(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """The converted values of a table. Raises UsageError: which key, what is accepted."""
        check(table, {key: setting.accepted for key, setting in self.settings.items()})
        return {key: _converted(key, self.settings[key].accepted, each) for key, each in table.items()}


def _converted(key: str, accepted: AcceptedValue, value: Any) -> Any:
    if accepted.to is None:
        return value
    try:
        return accepted.to(value)
    except (UsageError, ValueError, TypeError) as error:
        raise UsageError(f"{key} = {value_text(value)}: {error}") from error


MAX_SHOWN = 100
"""The most characters of a value, or of an unknown key, that a message repeats."""


def value_text(value: Any) -> str:
    """A value for a message, shortened; of texts in a table, and addresses in a list, which may be secret,
    only that they exist."""
    text = repr(value)
    if isinstance(value, list | dict) and re.search(r"@|\{.*: ['\"]", text):
        return "[…]" if isinstance(value, list) else "{…}"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def check(table: Mapping[str, Any], accepted: Mapping[str, AcceptedValue]) -> None:
    """Raises UsageError for an unknown key, with the nearest one, and for a value that is not accepted."""
    for key, value in table.items():
        if key not in accepted:
            raise UsageError(f"no key {key[:MAX_SHOWN]}; {nearest(key, accepted)}")
        rule = accepted[key]
        if not rule.good(value):
            setting = f"{key} = {value_text(value)}" if rule.shown else key
            raise UsageError(f"{setting}: {rule.words} is expected")


def nearest(key: str, accepted: Iterable[str], form: str = "{}") -> str:
    """The accepted name that was probably meant, or all of them; `form`: how a name is written."""
    accepted = list(accepted)
    near = get_close_matches(key[:MAX_SHOWN], accepted, 1, 0.5)
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
        lambda value: _is_number(value, low, high, whole=True), _between(low, high, "a whole number")
    )


def number(low: float, high: float, what: str = "a number") -> AcceptedValue:
    """A number, both bounds included."""
    return AcceptedValue(lambda value: _is_number(value, low, high), _between(low, high, what))


def _is_number(value: Any, low: float, high: float, *, whole: bool = False) -> bool:
    kinds = int if whole else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high  # nan is nowhere


def _between(low: float, high: float, what: str) -> str:
    return f"{what} from {_short(low)} to {_short(high)}"


def _short(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:g}"


def boolean() -> AcceptedValue:
    """true or false."""
    return AcceptedValue(lambda value: isinstance(value, bool), "true or false")


TRUST = "What names a model or an address counts after asof trust, or in your own configuration."
KEY_VARIABLE = "For a server only: the name of the environment variable that holds the key. No default."
INSECURE = "For a server only: whether texts and key may go to another machine over plain http."


def variable() -> AcceptedValue:
    """The name of an environment variable. Its value may be the key itself by mistake: it is not shown."""
    name = re.compile(r"[A-Z_][A-Z0-9_]*")
    return AcceptedValue(
        lambda value: isinstance(value, str) and name.fullmatch(value) is not None,
        "the name of an environment variable (not the key itself)", shown=False,
    )  # fmt: skip


def secret(environment: Mapping[str, str], name: str, whose: str, table: str) -> str | None:
    """The key that an environment variable holds, None where none is named. Raises UsageError when it is not
    set."""
    if not name:
        return None
    key = environment.get(name, "").strip()
    if not key:
        raise UsageError(
            f"the environment variable {name} is not set; it should hold the key for {whose} "
            f"(key_variable in [{table}])"
        )
    return key


# -- fields of stages ----------------------------------------------------------------------------------

MAX_NUMBER = 1e9
"""The bound of numbers that declare none: sums and products of them stay finite."""


def within(default: float | None, low: float, high: float) -> Any:
    """A number from `low` to `high`, both included; a whole one where `default` is whole.

    `default` None: there is no such number unless it is set.
    """
    return dataclasses.field(default=default, metadata={"low": low, "high": high})


def choice(default: str, *accepted: str) -> Any:
    """One of a few words."""
    return dataclasses.field(default=default, metadata={"accepted": (default, *accepted)})


def plain(value: Any) -> Any:
    """The value of a field as in a configuration or in JSON: pairs as a table, tuples as lists."""
    if isinstance(value, tuple) and value and all(isinstance(each, tuple) for each in value):
        return {str(key): plain(each) for key, each in value}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


def checked(stage: Any, name: str, value: Any) -> Any:
    """Converts a value of a configuration to the field `name` of a stage.

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
        if not boolean().good(value):
            raise UsageError(f"{boolean().words} is expected")
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
    what = "a whole number" if whole else "a number"
    least, most = -MAX_NUMBER if low is None else low, MAX_NUMBER if high is None else high
    if not _is_number(value, least, most, whole=whole):
        typed = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        raise UsageError(f"{what if low is None and not typed else _between(least, most, what)} is expected")
    return value if whole else float(value)


def _tuple(value: Any, present: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list of texts, a list of numbers as long as the present one, or a table from names to numbers."""
    if present and isinstance(present[0], str):
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            raise UsageError("a list of texts is expected")
        return tuple(value)
    if isinstance(value, dict):
        if present and not isinstance(present[0], tuple):
            raise UsageError("a list of numbers is expected")
        return tuple((str(key), _number(each, 0.0, None, None)) for key, each in value.items())
    if not isinstance(value, list) or not present or isinstance(present[0], tuple):
        raise UsageError("a table from names to numbers is expected")
    if len(value) != len(present):
        raise UsageError(f"{len(present)} numbers are expected")
    return tuple(_number(each, like, None, None) for each, like in zip(value, present, strict=True))


# -- conversion ----------------------------------------------------------------------------------------


def converting(to: Callable[[Any], Any]) -> AcceptedValue:
    """A rule that a conversion decides."""
    return AcceptedValue(lambda _: True, "", to=to)


def names(value: Any) -> tuple[str, ...]:
    """A name or a list of names."""
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed or not all(isinstance(name, str) for name in listed):
        raise TypeError("a field name or a list of field names is expected")
    return tuple(listed)
