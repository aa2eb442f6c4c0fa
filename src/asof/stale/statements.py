"""The statements of a passage: sentences, items of lists and rows of tables, without code and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from asof.text.sentences import sentences

LONGEST = 600
"""Characters of a statement; what is longer is no sentence, and is cut at its lines."""

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_ROW = re.compile(r"^[ \t]*\|", re.MULTILINE)
# A heading, also one with a line below it, or a directive of reStructuredText.
_NO_STATEMENT = re.compile(
    r"(?:\A|(?<=\n))(?:[ \t]{0,3}#{1,6}[ \t]|([=~^*#+\-])\1{3,}[ \t]*(?:\n|\Z)"
    r"|(?:\.\. )?(?:\|\w+\| )?[\w-]+::(?:\s|\Z))"
)
_RULE = re.compile(r"[\s|:=~^*#+\-_.`<>]*")
_WORD = re.compile(r"\w")


def statements(text: str) -> Iterator[tuple[int, int]]:
    """The characters `[start, end)` of each statement of a passage, without white space around it."""
    for begin, stop in _prose(text):
        for start, end in sentences(text, begin, stop):
            for first, last in _pieces(text, start, end):
                piece = text[first:last]
                left = first + len(piece) - len(piece.lstrip())
                right = first + len(piece.rstrip())
                if left < right and not _NO_STATEMENT.search(text[left:right]) and _WORD.search(piece):
                    yield left, right


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """What is not between two fences of code."""
    begin, inside = 0, False
    for fence in _FENCE.finditer(text):
        if not inside and begin < fence.start():
            yield begin, fence.start()
        line_end = text.find("\n", fence.end())
        begin, inside = (len(text) if line_end < 0 else line_end + 1), not inside
    if not inside and begin < len(text):
        yield begin, len(text)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence; the rows of a table, and the lines of what is too long for one, each for itself."""
    if end - start <= LONGEST and not _ROW.search(text, start, end):
        yield start, end
        return
    while start < end:
        line_end = text.find("\n", start, end)
        stop = end if line_end < 0 else line_end + 1
        if not _RULE.fullmatch(text, start, stop):
            yield start, stop
        start = stop
