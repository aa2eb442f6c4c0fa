"""Queries, and the filters that every hit must meet, as Python code and questions give them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, TypeAlias

from msgspec import Struct

from asof.documents import PUBLISHED, SourcedTime, as_meta, as_text, holds_at, refuse, several
from asof.errors import UsageError
from asof.time.span import Span
from asof.wire import field_values

# -- conditions on metadata ----------------------------------------------------------------------------

MetadataFilter: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]
"""Conditions on metadata, see `metadata_filter`."""


OPERATORS = {
    "eq": "", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "in": "in", "exists": "?",
}  # fmt: skip
"""How a condition on metadata is named in Python (a "$" may stand before it), and its sign, which stands
behind the key in a filter, parted by SIGN."""

SIGN = "\0"
"""Stands in no key: a key may end in any sign itself."""

_CONDITION = re.compile(r"([^=<>!\x00]+?)\s*(!=|>=|<=|=|>|<)\s*(.+)", re.DOTALL)


def metadata_filter(value: object) -> tuple[tuple[str, str], ...]:
    """Conditions on metadata: keys, each with what follows it for a comparison (`OPERATORS`), and the value
    as text. A list is one of its values; a mapping has operators: {"year": {"gte": 2024}}. Raises
    UsageError."""
    pairs = value.items() if isinstance(value, Mapping) else value
    result = []
    for pair in several(pairs, "meta", _PAIRS):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            refuse(value, "meta", _PAIRS)
        key, must = as_text(pair[0], "a key of meta"), pair[1]
        if isinstance(must, list | tuple | set):
            must = {"in": must}
        conditions = must if isinstance(must, Mapping) else {"eq": must}
        for name, each in conditions.items():
            sign = OPERATORS.get(str(name).removeprefix("$"))
            if sign is None:
                refuse(name, f"an operator of meta.{key}", ", ".join(OPERATORS))
            if sign == "in":
                texts = [_metadata_text(one) for one in several(each, "meta", "a list of values")]
                result.append((f"{key}{SIGN}{sign}", json.dumps(texts)))
            else:
                result.append((f"{key}{SIGN}{sign}" if sign else key, _metadata_text(each)))
    return tuple(result)


def _metadata_text(value: object) -> str:
    """A value of metadata as a filter compares it."""
    if isinstance(value, date):
        return value.isoformat()
    text = value if isinstance(value, str) else json.dumps(as_meta({"value": value})["value"])
    return as_text(text, "a value of meta")


def signed_key(key: str) -> tuple[str, str]:
    """The key of a condition of a filter, and its sign ("": equals)."""
    name, _, sign = key.partition(SIGN)
    return name, sign


def condition_text(key: str, value: str) -> str:
    """A condition of a filter as it is typed, see `metadata_condition`."""
    name, sign = signed_key(key)
    if sign == "?":
        return f"{name}{'=' if value == 'true' else '!='}*"
    return f"{name}={'|'.join(json.loads(value))}" if sign == "in" else f"{name}{sign or '='}{value}"


def metadata_condition(text: str) -> tuple[str, object]:
    """A condition as it is typed, for `metadata_filter`: team=harbour, team=harbour|bakery, team!=harbour,
    year>=2024, team=* (any value), team!=* (none). Raises UsageError."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(f"meta {text!r:.80}: key=value is expected (or !=, <, <=, >, >=; value: a|b, *)")
    key, sign, value = match[1].strip(), match[2], match[3]
    if value == "*" and sign in ("=", "!="):
        return key, {"exists": sign == "="}
    if "|" in value and sign == "!=":
        raise UsageError(f"meta {text!r:.80}: one value is expected behind !=; give several conditions")
    name = next((each for each, written in OPERATORS.items() if written == sign), "eq")
    if "|" in value and sign == "=":
        return key, value.split("|")
    return key, {name: value}


_PAIRS = 'a mapping such as {"team": "harbour", "year": {"gte": 2024}}, or pairs of a key and a value'


# -- queries and filters -------------------------------------------------------------------------------


class Filters(Struct, frozen=True):
    """Conditions that every hit must meet; typed by the user, therefore hard. Empty means anything.

    `since` and `until` are instants and compare with `published`; an undated passage fails them. `about`,
    a first and a last instant, has to have some time in common with what a passage is about; where that
    is not known, `published` has to be in it, and a passage that has neither fails. `source` is a
    source's name, `paths` are globs over document ids, or folders ("policies/", or "policies" where no
    document is called so), which all must fit; `tags` must all be there, `meta` has conditions on
    metadata, see `metadata_filter`. `any_tags` and `documents` (ids): one of them is enough; of `no_tags`
    none may be there. `without`: words and phrases that a passage does not contain; `any_of`: it contains
    one of each group. `in_force` is the instant at which the answer has to hold: what is in force then
    comes first, and no hit is left out for it.
    """

    since: int | None = None
    until: int | None = None
    about: tuple[int, int] | None = None
    source: str = ""
    paths: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    any_tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    any_of: tuple[tuple[str, ...], ...] = ()
    in_force: int | None = None

    @property
    def reversed(self) -> bool:
        """True if `since` is after `until`: nothing is between."""
        return self.since is not None and self.until is not None and self.since > self.until

    def both(self, other: Filters) -> Filters:
        """The filters of which a hit meets these and the others. Raises UsageError for two values of one that
        can have one only."""
        if self == Filters() or other == Filters():
            return other if self == Filters() else self
        first, second = field_values(self), field_values(other)
        joined: dict[str, Any] = {
            name: tuple(dict.fromkeys((*value, *second[name])))
            for name, value in first.items() if isinstance(value, tuple) and name not in _ONE_VALUE
        }  # fmt: skip
        for name in _ONE_VALUE:
            given = [value for value in (first[name], second[name]) if value]
            if len(given) == 2 and given[0] != given[1]:
                raise UsageError(f"{name} is given twice: {given[0]!r:.60}, {given[1]!r:.60}; give it once")
            joined |= {name: given[0]} if given else {}
        for name, closest in (("since", max), ("until", min)):
            bounds = [value for value in (first[name], second[name]) if value is not None]
            joined[name] = closest(bounds, default=None)
        return Filters(**joined)


_ONE_VALUE = ("source", "about", "any_tags", "documents", "in_force")
"""The filters of which two different values cannot be joined."""


class Query(Struct, frozen=True):
    """A parsed question: its words for the index, its intent about time. No clock is used.

    `text` is the question without its operators (`asof.text.operators`), `asked` the one with them.
    `lexical` is the text that the index is asked, without its stop words unless `stop_words`; `recency` in
    [0, 1]: how much newer is better. `about` are the times that the question names: preferences, not filters.
    `stated`: True if the user gave the moment, False if it is the present by default. `parts`: the
    sub-questions that a recipe of several searches goes by; () for a question that is one.
    """

    text: str
    lexical: str
    recency: float = 0.0
    filters: Filters = Filters()
    k: int = 10
    stop_words: bool = False
    about: tuple[Span, ...] = ()
    stated: bool = True
    parts: tuple[str, ...] = ()
    asked: str = ""

    def date_of_force(self, as_of: int) -> int:
        """The instant at which the answer has to hold: that of the filters, else the end of the latest time
        that the question names, at most `as_of` if that time has begun by then; else `as_of`."""
        if self.filters.in_force is not None:
            return self.filters.in_force
        ends = [
            min(span.last, as_of) if span.first <= as_of else span.last if span.end else span.first
            for span in self.about
        ]
        return max(ends, default=as_of)

    def date_of_status(self, as_of: int) -> int:
        """The instant for which it is said what supersedes, amends or ends a passage: that of the filters,
        else `as_of`, or a later one that the question names."""
        given = self.filters.in_force
        return max(as_of, self.date_of_force(as_of)) if given is None else given

    def holds(self, in_force: SourcedTime | None, as_of: int) -> bool:
        """True if what is in force in this time is so at the date of force. What was published after a time
        that only the question names may tell of it, unless another time of force is stated."""
        at = self.date_of_force(as_of)
        if self.filters.in_force is None and in_force is not None and in_force.by == PUBLISHED:
            at = max(at, in_force.span.first)
        return holds_at(in_force, at)
