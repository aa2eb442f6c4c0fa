"""The YAML mapping at the top of a note.

It is built from the parser's events, one by one, and by YAML 1.2's plain rules: `2024-03-05` stays the text
that was written, `no` is a word, `10:30` is no number. Anchors, aliases and tags are refused, so that a few
lines cannot stand for gigabytes and no text can name a Python object.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from asof.data.storable import MAX_DEPTH

_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(?:[0-9]{1,30}\.[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


class BadFrontmatter(ValueError):
    """Frontmatter that cannot be read; `line` counts from 1 in the file."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Front:
    """The values, the line of each top-level key, and the keys that stand there twice."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    twice: list[str] = field(default_factory=list)


def split(text: str) -> tuple[str, int] | None:
    """The block between the `---` lines at the very top, and where the text after it starts; or None."""
    head, feed, _ = text.partition("\n")
    if not feed or head.rstrip(" \t") != "---":
        return None
    closing = _FENCE.search(text, len(head) + 1)
    if closing is None:
        return None
    return text[len(head) + 1 : closing.start()], min(closing.end() + 1, len(text))


def parse(block: str, largest: int) -> Front:
    """The values in a block of frontmatter of at most `largest` bytes. Raises BadFrontmatter."""
    import yaml

    size = len(block.encode())
    if size > largest:
        raise BadFrontmatter(f"its frontmatter has {size} bytes; the limit is {largest}")
    builder = _Builder()
    try:
        for event in yaml.parse(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(event, type(event).__name__)
    except yaml.MarkedYAMLError as wrong:
        mark = wrong.problem_mark
        line = mark.line + 2 if mark else 1
        raise BadFrontmatter(f"its frontmatter is not YAML: {wrong.problem}", line) from None
    except yaml.YAMLError as wrong:
        first = str(wrong).splitlines()[0] if str(wrong) else "it holds a character that YAML refuses"
        raise BadFrontmatter(f"its frontmatter is not YAML: {first}") from None
    return builder.front


class _Builder:
    """Takes the parser's events; `front` is what they built."""

    def __init__(self) -> None:
        self.front = Front()
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []  # of each open container the key that waits for its value
        self._documents = 0

    def take(self, event: Any, kind: str) -> None:
        line = event.start_mark.line + 2
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise BadFrontmatter(
                "its frontmatter has an anchor (&) or an alias (*), which are not read", line
            )
        if getattr(event, "tag", None) is not None:
            raise BadFrontmatter("its frontmatter has a YAML tag (!), which is not read", line)
        if kind == "ScalarEvent":
            self._scalar(event, line)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._begin({} if kind == "MappingStartEvent" else [], line)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._open.pop()
            self._keys.pop()
        elif kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                raise BadFrontmatter("its frontmatter holds more than one YAML document", line)

    def _begin(self, container: dict[str, Any] | list[Any], line: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise BadFrontmatter(f"its frontmatter is nested more than {MAX_DEPTH} levels deep", line)
        if self._open:
            self._add(container, line)
        elif isinstance(container, dict):
            self.front = Front(container)
        else:
            raise BadFrontmatter("its frontmatter is a list; accepted are lines like `key: value`", line)
        self._open.append(container)
        self._keys.append(None)

    def _scalar(self, event: Any, line: int) -> None:
        if not self._open:
            if event.value:
                raise BadFrontmatter("its frontmatter is a text; accepted are lines like `key: value`", line)
            return
        if isinstance(self._open[-1], dict) and self._keys[-1] is None:
            self._keys[-1] = event.value
            if len(self._open) == 1:
                if event.value in self.front.lines:
                    self.front.twice.append(event.value)
                self.front.lines[event.value] = line
            return
        self._add(_plain(event.value) if event.style in (None, "") else event.value, line)

    def _add(self, value: Any, line: int) -> None:
        container = self._open[-1]
        if isinstance(container, list):
            container.append(value)
            return
        key = self._keys[-1]
        if key is None:
            raise BadFrontmatter("its frontmatter has a list or a mapping as a key", line)
        container[key] = value
        self._keys[-1] = None


def _plain(text: str) -> Any:
    """The value of a scalar without quotes."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
