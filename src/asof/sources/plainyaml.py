"""Reads YAML and TOML as plain values: frontmatter and files.

Values are built from the parser's events by YAML 1.2's plain rules: `2024-03-05` stays the text that was
written, `no` is a word, `10:30` is no number. An alias is never expanded and no tag obeyed, so that a few
lines cannot become gigabytes and no text can name a Python object.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from asof.documents import MAX_NESTING

_MANY_PARTS = re.compile(
    rf"""(?<![\w-])(?>(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{4 * MAX_NESTING}}}"""
)
"""A key of many parts in TOML, on which its parser spends time as the square of their number."""

_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:[0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


class BadYaml(ValueError):
    """YAML that cannot be read; `line` counts from 1 in the file."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class YamlValues(Struct, frozen=True):
    """The documents of a YAML text, the line of each key of their outermost mappings, and duplicate keys,
    each with its line."""

    documents: list[Any] = msgspec.field(default_factory=list)
    lines: dict[str, int] = msgspec.field(default_factory=dict)
    twice: list[tuple[str, int]] = msgspec.field(default_factory=list)


def read_yaml(text: str, what: str, *, first: int = 1, strict: bool = False) -> YamlValues:
    """The values of a YAML text, whose first line is the line `first` of its file. Raises BadYaml.

    `what` names it in messages. An alias is read as its own text, `*name`; anchors and tags are passed over:
    a `strict` reading refuses all three.
    """
    import yaml

    reading = _YamlReading(what, first, strict)
    try:
        events = map(reading.event, yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        for found in events:
            if found[1] == "DocumentStartEvent":
                reading.values.documents.append(reading.value(events, next(events), 0))
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark
        raise BadYaml(f"{what} is not YAML: {wrong.problem}", mark.line + first if mark else 1) from None
    except yaml.YAMLError as wrong:
        said = str(wrong).splitlines()[0] if str(wrong) else "it holds a character that YAML refuses"
        raise BadYaml(f"{what} is not YAML: {said}") from None
    return reading.values


_Event = tuple[Any, str, int]
"""An event of the YAML parser, its kind and its line."""


class _YamlReading:
    """A YAML text that is read."""

    def __init__(self, what: str, first: int, strict: bool) -> None:
        self.what = what
        self.first = first
        self.strict = strict
        self.values = YamlValues()

    def event(self, event: Any) -> _Event:
        kind, line = type(event).__name__, event.start_mark.line + self.first
        if self.strict and (kind == "AliasEvent" or getattr(event, "anchor", None) is not None):
            raise BadYaml(f"{self.what} has an anchor (&) or an alias (*), which are not read", line)
        if self.strict and getattr(event, "tag", None) is not None:
            raise BadYaml(f"{self.what} has a YAML tag (!), which is not read", line)
        return event, kind, line

    def value(self, events: Iterator[_Event], found: _Event, depth: int) -> Any:
        event, kind, line = found
        if kind == "ScalarEvent":
            return _plain_value(event.value) if event.style in (None, "") else event.value
        if kind == "AliasEvent":
            return f"*{event.anchor}"
        self._check_depth(depth, line)
        if kind == "MappingStartEvent":
            return self._mapping(events, depth)
        items = itertools.takewhile(lambda each: each[1] != "SequenceEndEvent", events)
        return [self.value(events, each, depth + 1) for each in items]

    def _mapping(self, events: Iterator[_Event], depth: int) -> dict[str, Any]:
        """The values of a mapping that has begun."""
        values: dict[str, Any] = {}
        for event, kind, line in events:
            if kind == "MappingEndEvent":
                break
            if kind not in ("ScalarEvent", "AliasEvent"):
                self._check_depth(depth + 1, line)
                raise BadYaml(f"{self.what} has a list or a mapping as a key", line)
            key = event.value if kind == "ScalarEvent" else f"*{event.anchor}"
            if key in values:
                self.values.twice.append((key, line))
            if not depth:
                self.values.lines[key] = line
            values[key] = self.value(events, next(events), depth + 1)
        return values

    def _check_depth(self, depth: int, line: int) -> None:
        if depth >= MAX_NESTING:
            raise BadYaml(f"{self.what} is nested more than {MAX_NESTING} levels deep", line)


def _plain_value(text: str) -> Any:
    """The value of a scalar without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _finite(text: str) -> float | str:
    """A fraction; one that no float holds (`1e999`, `inf`) stays its text."""
    return value if math.isfinite(value := float(text)) else text


def read_toml(text: str, number: Callable[[str], Any] = _finite) -> Any:
    """The values of a TOML text, dates and times as texts; `number` reads a fraction. Raises ValueError,
    RecursionError."""
    if _MANY_PARTS.search(text):
        raise RecursionError
    return json.loads(
        json.dumps(tomllib.loads(text, parse_float=number), default=lambda time: time.isoformat())
    )
