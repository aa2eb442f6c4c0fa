"""Keys of a TOML document, changed so that everything else stays as somebody wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

RECIPE_DEPTH = 3
"""The document, `recipes`, and the table of the recipe."""


def value_at(document: TOMLDocument, place: tuple[str, ...]) -> Any:
    """The value at a place, as Python has it; None when there is none."""
    found: Any = document
    for name in place:
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found.unwrap() if hasattr(found, "unwrap") else found


def set_at(document: TOMLDocument, place: tuple[str, ...], value: Any) -> None:
    """Set a value (None: take it out, and tables that it leaves empty)."""
    held = _held(document, place)
    last = place[-1]
    if len(held) == len(place) and held[-1] is not None:
        if value is None:
            _take_out(held, place)
        elif isinstance(value, Mapping) and isinstance(held[-1].get(last), Mapping):
            _exchange(held[-1][last], value)
        else:
            held[-1][last] = _item(value)
    elif value is not None:
        _add(held, place, _item(value))


def _held(document: TOMLDocument, place: tuple[str, ...]) -> list[Any]:
    """The tables on the way to a place, as far as they are there, the document first."""
    held: list[Any] = [document]
    for name in place[:-1]:
        if name not in held[-1]:
            break
        held.append(held[-1][name])
    return held


def _take_out(held: list[Any], place: tuple[str, ...]) -> None:
    held[-1].pop(place[-1], None)
    for depth in range(len(held) - 1, 0, -1):
        table = held[depth]
        if len(table) or "#" in table.as_string():  # a comment there is somebody's
            return
        held[depth - 1].pop(place[depth - 1])


def _exchange(table: Any, value: Mapping[str, Any]) -> None:
    """Other values for the keys of a table that is there, so that its comments stay."""
    for gone in [name for name in table if name not in value]:
        table.pop(gone)
    for name, each in value.items():
        if name not in table or table[name] != each:
            table[name] = each


def _add(held: list[Any], place: tuple[str, ...], item: Any) -> None:
    """A key in a table that is not there: a dotted key in the table of its recipe, `[recipes.papers]`, or a
    table of its own where that one has no lines of its own."""
    import tomlkit
    from tomlkit.items import InlineTable

    while len(held) < RECIPE_DEPTH:
        name = place[len(held) - 1]
        held[-1][name] = tomlkit.table(is_super_table=len(held) < RECIPE_DEPTH - 1)
        held.append(held[-1][name])
    table, left = held[-1], place[len(held) - 1 :]
    if isinstance(table, InlineTable):
        for name in left[:-1]:
            table[name] = tomlkit.inline_table()
            table = table[name]
        table[left[-1]] = item
    elif getattr(table, "is_super_table", lambda: True)():
        made = tomlkit.table()
        made[left[-1]] = item
        table[left[0]] = made
    else:
        table.append(tomlkit.key(list(left)), item)


def _item(value: Any) -> Any:
    """A value as it is written; a table in one line."""
    import tomlkit

    if not isinstance(value, Mapping):
        return tomlkit.item(value)
    made = tomlkit.inline_table()
    made.update(value)
    return made
