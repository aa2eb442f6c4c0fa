"""Values on a command line, as `--set decay.delta=2.5` has them: TOML where it is TOML, else a text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from asof.errors import UsageError

_WITHOUT_ZERO = re.compile(r"[+-]?\.\d+")
"""Numbers that TOML does not know: .5"""


def parsed(text: str) -> Any:
    """A number, true or false, a list, a table, or the text itself.

    >>> parsed("2.5"), parsed(".3"), parsed("[30, 60]"), parsed("true"), parsed("half")
    (2.5, 0.3, [30, 60], True, 'half')
    """
    if _WITHOUT_ZERO.fullmatch(text):
        return float(text)
    try:
        values = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text
    if set(values) != {"value"} or not isinstance(values["value"], int | float | str | list | dict):
        return text
    return values["value"]


def split(text: str, option: str = "--set") -> tuple[str, str]:
    """The name and the value of `name=value`. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"{option} {text[:80]!r}: name=value is expected, such as decay.delta=2.5")
    return name.strip(), value.strip()


def once(names: Iterable[str], message: Callable[[str], str]) -> None:
    """Raises UsageError with the message about a name that occurs again."""
    seen = set[str]()
    for name in names:
        if name in seen:
            raise UsageError(message(name))
        seen.add(name)
