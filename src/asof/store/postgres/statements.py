"""SQL of asof, which is SQLite's, as PostgreSQL takes it.

Only what asof uses is known: a statement is translated by rules for its words, once, and kept. What SQLite
has as a function and PostgreSQL has not (`json_each` of a column, `strftime`, `instr`, `total`) is a
function of the schema (`schema.py`).

- `?`, `?1` and `:name` become `%(p1)s` and `%(name)s`.
- `json_each(?)` becomes an array of texts, unnested; its `key` is the place and its `value` a text. A whole
  number is compared with such a text as a number (operators of `schema.py`).
- `OR REPLACE` and `OR IGNORE` become ON CONFLICT.
- `LIKE`, `GLOB` and NOCASE fold or match ASCII letters only, as SQLite does: all texts have the collation
"C".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

KEPT = 2_000
"""Translations that are kept."""


class Translated(NamedTuple):
    """A statement for PostgreSQL. `lists`: names of parameters that are JSON lists, given as arrays."""

    sql: str
    lists: frozenset[str]


_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\bCROSS JOIN\b", "JOIN"),
        (r" INDEXED BY \w+", ""),
        (r"\bx''", "''::bytea"),
        (r"\bAS INTEGER\)", "AS BIGINT)"),
        (r"\bIS NOT (\?\d*)", r"IS DISTINCT FROM \1"),
        (r"([\w.]+) GLOB (\?\d*)", r"\1 ~ glob_pattern(\2)"),
        (r"\bLIKE\b", "ILIKE"),
        (r"([\w.]+) = (\?\d*) COLLATE NOCASE", r'lower(\1) = lower(\2 COLLATE "C")'),
        (r"(replace\(([\w.]+), rtrim\(\2, replace\(\2, '/', ''\)\), ''\)) COLLATE NOCASE IN \(SELECT value ",
         r'lower(\1) IN (SELECT lower(value COLLATE "C") '),
    )
)  # fmt: skip

_WORD = re.compile(
    r"(?P<text>'(?:[^']|'')*')|json_each\((?P<list>\?\d*|:\w+)\)(?P<as> AS (?P<alias>\w+))?"
    r"|(?P<cast>::\w+)|(?P<parameter>\?\d*|(?<![:\w]):[a-z_]\w*)|(?P<percent>%)"
)
_REPLACE = re.compile(r"INSERT OR REPLACE INTO (\w+)")


REPLACED = {
    "meta": ("key", "value"),
    "extractions": ("passage", "extractor"),
    "calls": ("digest", "model, reply, prompt_tokens, reply_tokens, added"),
    "vectors": ("passage, encoder", "vector, digest"),
}
"""Tables whose rows are replaced: the columns of the key, the others."""


@lru_cache(maxsize=KEPT)
def translated(sql: str) -> Translated:
    """The statement for PostgreSQL. Raises KeyError for OR REPLACE into a table that is not in REPLACED."""
    for pattern, replacement in _RULES:
        sql = pattern.sub(replacement, sql)
    if "INSERT OR IGNORE" in sql:
        sql = f"{sql.replace('INSERT OR IGNORE', 'INSERT')} ON CONFLICT DO NOTHING"
    elif found := _REPLACE.search(sql):
        key, others = REPLACED[found[1]]
        changes = ", ".join(f"{each} = EXCLUDED.{each}" for each in others.split(", "))
        inserted = sql.replace("INSERT OR REPLACE", "INSERT")
        sql = f"{inserted} ON CONFLICT ({key}) DO UPDATE SET {changes}"
    return _with_parameters(sql)


def _with_parameters(sql: str) -> Translated:
    """The statement with the placeholders of psycopg. A plain `?` is the one after the greatest so far."""
    greatest, lists = 0, set[str]()

    def name(mark: str) -> str:
        nonlocal greatest
        if mark.startswith(":"):
            return mark[1:]
        number = int(mark[1:]) if len(mark) > 1 else greatest + 1
        greatest = max(greatest, number)
        return f"p{number}"

    def placed(found: re.Match[str]) -> str:
        if found["text"]:
            return found["text"].replace("%", "%%")
        if found["list"]:
            listed = name(found["list"])
            lists.add(listed)
            return (
                f"unnest(%({listed})s::text[]) WITH ORDINALITY AS {found['alias'] or 'listed'} (value, key)"
            )
        if found["cast"]:
            return found["cast"]
        return "%%" if found["percent"] else f"%({name(found['parameter'])})s"

    return Translated(_WORD.sub(placed, sql), frozenset(lists))
