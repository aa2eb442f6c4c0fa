"""Where the list of references of a paper stands: it would be found for what other papers are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

LOOKAHEAD = 30
"""So many lines after a heading have to look like references."""

MIN_POSITION = 0.2
"""Before this share of the lines a heading of references is one of a table of contents."""

LIST_SHARE, NO_LIST_SHARE = 0.3, 0.1
"""Shares of lines with a mark of a reference: from which on a stretch is a list, below which it is none."""

_HEADING = re.compile(
    r"(?:(?:\d{1,2}|[ivxl]{1,6}|[a-z])[.):]?\s+)?"
    r"(?:r ?eferences?(?: and notes| cited)?|b ?ibliography|literature(?: cited)?|works cited)\s*[.:]?",
    re.IGNORECASE,
)
_APPENDIX = re.compile(
    r"(?:appendix|appendices|supplement(?:ary|al)?\b|a ppendix)(?: [A-Z0-9]{1,3}[.:])?[^.]{0,80}"
    r"|[A-H][.:]?\s+[A-Z][^.,\d]{2,70}",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"[A-Z]")
_MARK = re.compile(
    r"^\[[\w+., -]{1,12}\]|^\d{1,3}\.\s+[A-Z]|\b(?:19|20)\d{2}[a-z]?\b|\barXiv\b|\bdoi\b|\bet al\b"
    r"|\bpp\.|\bvol\.|\bProceedings\b|\bIn Proc|\b[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z][a-z]+,|\beds?\.\)",
)


class ReferenceSection(NamedTuple):
    """Lines `first` to `last` (without it) are the heading and the list."""

    first: int
    last: int


class UncertainReferences(Exception):
    """There is a heading of a list, but not where the list ends, or whether it is one."""


def references_in(lines: Sequence[str]) -> ReferenceSection | None:
    """The list of references in the lines of a paper; None where no line heads one. Raises
    UncertainReferences.

    Its heading stands alone on a line, not among the first; what follows looks like references; the last such
    one counts. An appendix after it is not part of it: appendices are often longer than the paper.
    """
    heads = [at for at in range(int(len(lines) * MIN_POSITION), len(lines)) if _HEADING.fullmatch(lines[at])]
    for head in reversed(heads):
        if _share(lines[head + 1 : head + 1 + LOOKAHEAD]) >= LIST_SHARE:
            return ReferenceSection(head, _end(lines, head + 1))
    if not heads or heads[-1] < len(lines) // 2:
        return None
    raise UncertainReferences(f"what follows {lines[heads[-1]]!r} does not look like references")


def _end(lines: Sequence[str], start: int) -> int:
    """Where the list ends: at an appendix, or with the text."""
    end = next((at for at in range(start + 1, len(lines)) if _appendix(lines, at)), len(lines))
    if any(_share(lines[at : at + LOOKAHEAD]) < NO_LIST_SHARE for at in range(start, end - LOOKAHEAD + 1)):
        raise UncertainReferences("what follows the references has no heading that tells where they end")
    return end


def _appendix(lines: Sequence[str], at: int) -> bool:
    line, after = lines[at], lines[at + 1 : at + 1 + LOOKAHEAD]
    if _APPENDIX.fullmatch(line) is None or _CAPITAL.match(line) is None or _MARK.search(line):
        return False
    return bool(after) and _share(after) < LIST_SHARE / 2


def _share(lines: Sequence[str]) -> float:
    return sum(_MARK.search(line) is not None for line in lines) / len(lines) if lines else 0.0
