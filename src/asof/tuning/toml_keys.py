"""Reads and sets keys of a TOML document; everything else, comments included, stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

RECIPE_DEPTH = 3
"""The document, `recipes`, and the table of the recipe."""


def value_at(document: TOMLDocument, place: tuple[str, ...]) -> Any:
    """The value at a place as a Python value; None when there is none."""
    value: Any = document
    for name in place:
        if not isinstance(value, Mapping) or name not in value:
            return None
        value = value[name]
    return value.unwrap() if hasattr(value, "unwrap") else value


def set_at(document: TOMLDocument, place: tuple[str, ...], value: Any) -> None:
    """Set a value (None: remove it, and the tables that become empty)."""
    tables = _tables(document, place)
    last = place[-1]
    if len(tables) == len(place) and tables[-1] is not None:
        if value is None:
            _remove(tables, place)
        elif isinstance(value, Mapping) and isinstance(tables[-1].get(last), Mapping):
            _update(tables[-1][last], value)
        else:
            tables[-1][last] = _item(value)
    elif value is not None:
        _add(tables, place, _item(value))


def _tables(document: TOMLDocument, place: tuple[str, ...]) -> list[Any]:
    """The existing tables on the path to a place, the document first."""
    tables: list[Any] = [document]
    for name in place[:-1]:
        if name not in tables[-1]:
            break
        tables.append(tables[-1][name])
    return tables


def _remove(tables: list[Any], place: tuple[str, ...]) -> None:
    tables[-1].pop(place[-1], None)
    for depth in range(len(tables) - 1, 0, -1):
        table = tables[depth]
        if len(table) or "#" in table.as_string():  # a comment of the user stays
            return
        tables[depth - 1].pop(place[depth - 1])


def _update(table: Any, value: Mapping[str, Any]) -> None:
    """Give an existing table the keys and values of `value`, in its order; comments stay if it allows."""
    kept = [name for name in table if name in value]
    ordered = kept == list(value)[: len(kept)]
    for removed in [name for name in table if name not in value or not ordered]:
        table.pop(removed)
    for name, each in value.items():
        if name not in table or table[name] != each:
            table[name] = each


def _add(tables: list[Any], place: tuple[str, ...], item: Any) -> None:
    """Add a key to a table that does not exist: as a dotted key of the table of its recipe,
    `[recipes.papers]`, or in a new table where that one has no lines of its own."""
    import tomlkit
    from tomlkit.items import InlineTable

    while len(tables) < RECIPE_DEPTH:
        name = place[len(tables) - 1]
        tables[-1][name] = tomlkit.table(is_super_table=len(tables) < RECIPE_DEPTH - 1)
        tables.append(tables[-1][name])
    table, left = tables[-1], place[len(tables) - 1 :]
    if isinstance(table, InlineTable):
        for name in left[:-1]:
            table[name] = tomlkit.inline_table()
            table = table[name]
        table[left[-1]] = item
    elif getattr(table, "is_super_table", lambda: True)():
        child = tomlkit.table()
        child[left[-1]] = item
        table[left[0]] = child
    else:
        table.append(tomlkit.key(list(left)), item)


def _item(value: Any) -> Any:
    """A value as a TOML item; a mapping becomes an inline table."""
    import tomlkit

    if not isinstance(value, Mapping):
        return tomlkit.item(value)
    table = tomlkit.inline_table()
    table.update(value)
    return table
