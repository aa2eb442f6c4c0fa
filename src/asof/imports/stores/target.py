"""`SCHEME:PLACE?option=value&option=value#PART`: where a store is, which part of it is meant, and how its
columns are called."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import unquote

from asof.errors import MissingExtra, UsageError


@dataclass(frozen=True, slots=True)
class StoreTarget:
    """What a target names: the `place` of a store, the `part` of it ("" if none is named), and `options`."""

    place: str
    part: str
    options: Mapping[str, str]

    def option(self, name: str, default: str = "") -> str:
        return self.options.get(name) or default

    def named(self, what: str, where: str) -> str:
        """The part that is named, be it behind # or by the option `what`; "" if none is. Raises UsageError
        where two are."""
        said = self.option(what, self.part)
        if self.part and said != self.part:
            raise UsageError(f"{where}: two {what}s are named: {self.part} and {said}")
        return said


def read(target: str, given: Mapping[str, str | None]) -> StoreTarget:
    """What a target says, with the options that were `given` beside it (None: not); these count where both
    say something.

    What follows the last # is the part; options follow a ?, before the # or behind the part. Raises
    UsageError for an option that is not among those that can be given, which is repeated without its value.
    """
    place, names, part = parts(target)
    options: dict[str, str] = {}
    for pair in filter(None, names.split("&")):
        name, equals, value = pair.partition("=")
        if name not in given or not equals:
            raise UsageError(
                f"{target.partition(':')[0]}: {name[:40]!r} is no option of it; accepted behind ? are "
                f"{', '.join(f'{each}=...' for each in given)}, parted by &"
            )
        options[name] = unquote(value)
    return StoreTarget(place, part, options | {name: value for name, value in given.items() if value})


def parts(target: str) -> tuple[str, str, str]:
    """The place, what follows a ? (before or behind the part), and what follows the last #."""
    rest, sharp, part = target.partition(":")[2].rpartition("#")
    if not sharp:
        rest, part = part, ""
    place, _, before = rest.partition("?")
    part, _, behind = part.partition("?")
    return place, "&".join(filter(None, (before, behind))), unquote(part)


def package(name: str, install: str, what: str) -> Any:
    """A package that a store needs. Raises MissingExtra, which says how it is installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(f"{what} is read by the package {name}: pip install {install}") from error


def chosen(part: str, there: Collection[str], what: str, where: str) -> str:
    """The part that is meant: the one that is named, or the only one. Raises UsageError, which lists them."""
    if part in there or (len(there) == 1 and not part):
        return part or next(iter(there))
    names = ", ".join(sorted(there)[:40]) + (f" and {len(there) - 40} more" if len(there) > 40 else "")
    listed = f"there are: {names}" if there else f"there is no {what}"
    if part:
        raise UsageError(f"{where}: no {what} {part[:80]!r}; {listed}")
    raise UsageError(f"{where}: which {what} is meant has to be named, as in {where}#NAME; {listed}")
