"""Tables in Markdown: rows, the header above a row, the time of a row by its columns "From" and "Until"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from asof.lang import set_of

_ROW = re.compile(r"[ \t]*+\|[^\n]*+\n?")
_BAR = re.compile(r"(?<!\\)\|")
LONGEST_HEADER, LONGEST_ROW = 400, 300
"""Characters of a header that stand above a passage, and of a row in one quote."""

_RULE = re.compile(r"[ \t|:-]*+\n?")


def is_row(text: str, at: int) -> bool:
    """True if a row of a table begins at this position, which begins a line."""
    return _ROW.match(text, at) is not None


def cells(row: str) -> list[str]:
    """The cells of a row, which may lack the bars at its ends."""
    row = row.strip()
    inner = _BAR.split(row.removeprefix("|"))
    return [
        " ".join(cell.replace("\\|", "|").split()) for cell in (inner[:-1] if row.endswith("|") else inner)
    ]


def table_rows(text: str, above: Sequence[str] = ()) -> Iterator[tuple[int, int, str | None]]:
    """The rows of the tables in a text, each with the header of its table ("" without one), and the stretches
    between them, with None; headers and the rules below them (|---|) are left out. `above`: the headings of
    the text, of which the last is a header where the text begins below it."""
    name = above[-1] if above and _BAR.search(above[-1]) else ""
    done = 0
    for start, end in lines(text, 0, len(text)):
        if not is_row(text, start):
            name = ""
            continue
        if done < start:
            yield done, start, None
        done = end
        if is_rule(text, end):
            name = text[start:end].strip()
        elif not is_rule(text, start):
            yield start, end, name
    if done < len(text):
        yield done, len(text), None


_SEPARATORS = re.compile(r"[\s_.-]+")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")


def interval_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """The columns of a table in which the time of a row begins and ends, by their names; one and the same
    where they are joined ("From – Until"). None without."""
    names = [_SEPARATORS.sub(" ", name).strip().lower() for name in header]
    begins, ends = set_of("words", "begins"), set_of("words", "ends")
    for at, name in enumerate(names):
        one, _, other = name.partition(" – ")
        if one in begins and other in ends:
            return at, at
    first = next((at for at, name in enumerate(names) if name in begins), -1)
    last = next((at for at, name in enumerate(names) if name in ends), -1)
    return None if first < 0 or last < 0 else (first, last)


def interval_cell(start: str, end: str) -> str:
    """Two cells that say since when and until when, as one ("": not said)."""
    said = f"since {start}" if start else f"until {end}" if end else ""
    return f"{start} – {end}" if start and end else said


def row_interval(row: str, above: str) -> tuple[str, tuple[int, int]] | None:
    """The time of a row of a table with this header, as its cells say it, and the columns of these; None for
    a row without."""
    columns = interval_columns(cells(above)) if above else None
    if columns is None:
        return None
    said = cells(row)
    start, end = (said[at] if at < len(said) else "" for at in columns)
    dated = (start or end) and all(_YEAR.search(each) for each in (start, end) if each)
    joined = start if columns[0] == columns[1] else interval_cell(start, end)
    return (joined, columns) if dated else None


def row_parts(text: str, start: int, end: int, above: str) -> list[tuple[int, int, str]]:
    """A row of a table as "header: cell; header: cell" below its header `above`; a long one in parts of
    several cells, each with the row's first cell before them. The cells since when and until when it holds
    are one."""
    edges = [start, *(bar.end() for bar in _BAR.finditer(text, start, end)), end]
    names = ["", *cells(above)] if above else []
    interval, (first, last) = row_interval(text[start:end], above) or ("", (-1, -1))
    if interval and first != last:
        names[first + 1] = f"{names[first + 1]} – {names[last + 1]}"
    parts: list[tuple[int, int, str]] = []
    name = ""
    for at, (left, right) in enumerate(pairwise(edges)):
        cell = next(iter(cells(text[left:right])), "")
        if interval and at in (first + 1, last + 1):
            cell = interval if at == first + 1 else ""
        if not cell:
            continue
        column = names[at] if at < len(names) else ""
        said = f"{column}: {cell}" if column and column != cell else cell
        name = name or said
        if parts and len(parts[-1][2]) + len(said) <= LONGEST_ROW:
            parts[-1] = (parts[-1][0], right, f"{parts[-1][2]}; {said}")
        else:
            parts.append((left if parts else start, right, f"{name}; {said}" if parts else said))
    if parts:
        parts[-1] = (parts[-1][0], end, parts[-1][2])
    return parts


def line_end(text: str, at: int, end: int) -> int:
    return min(end, text.find("\n", at, end) + 1 or end)


def is_rule(text: str, at: int) -> bool:
    line = text[at : line_end(text, at, len(text))]
    return "-" in line and "|" in line and _RULE.fullmatch(line) is not None


def say_rows(text: str, above: Sequence[str]) -> str:
    """A text with each row of its tables as a list item that says its header; `above`: its headings."""
    pieces = []
    for start, end, name in table_rows(text, above):
        if name is None:
            pieces.append(text[start:end])
        else:
            pieces += (f"- {said}\n" for _, _, said in row_parts(text, start, end, name))
    return "".join(pieces)


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a stretch, with their line feeds."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        yield start, after
        start = after
