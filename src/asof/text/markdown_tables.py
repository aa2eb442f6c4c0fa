"""Tables of Markdown: their rows, and the header above a row."""

from __future__ import annotations

import re

_ROW = re.compile(r"[ \t]*+\|[^\n]*+\n?")
_RULE = re.compile(r"[ \t|:-]*+\n?")


def is_row(text: str, at: int) -> bool:
    """Whether a row of a table begins at this place, which begins a line."""
    return _ROW.match(text, at) is not None


def split_rows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The stretch `start` to `end`, which begins a line, with each row of a table apart; headers and the
    rules below them (|---|) are left out. One stretch where there is no table."""
    if "|" not in text[start:end]:
        return [(start, end)]
    parts: list[tuple[int, int]] = []
    joins = False  # whether the line before is no row, so that this one may go on with it
    at = start
    while at < end:
        line = _line_end(text, at, end)
        row = is_row(text, at)
        if not row and joins:
            parts[-1] = (parts[-1][0], line)
        elif not (row and (_is_rule(text, at) or _is_rule(text, line))):
            parts.append((at, line))
        joins = not row
        at = line
    return parts


def header(text: str, at: int) -> str:
    """The header of the table that the row at this place is in, the row above its rule; "" without one."""
    while at > 0:
        before = text.rfind("\n", 0, at - 1) + 1
        if not is_row(text, before):
            return ""
        if _is_rule(text, at):
            return text[before : at - 1].strip()
        at = before
    return ""


def _line_end(text: str, at: int, end: int) -> int:
    return min(end, text.find("\n", at, end) + 1 or end)


def _is_rule(text: str, at: int) -> bool:
    line = text[at : _line_end(text, at, len(text))]
    return "-" in line and "|" in line and _RULE.fullmatch(line) is not None
