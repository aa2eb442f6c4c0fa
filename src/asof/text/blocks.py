"""The blocks of a text: headings with their sections, paragraphs, fenced code and tables; and its words.

Everything here is half-open stretches of characters, and every list of them tiles the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from asof.data import Heading
from asof.text.scripts import KANA_AND_HAN

_BLANK_LINES = re.compile(r"\n(?>(?:[ \t]*+\n)+)")
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\n]*+)(?:\n(?>(?:[ \t]*+\n)*))?", re.MULTILINE)
_TABLE = re.compile(r"(?>(?:^[ \t]*+\|[^\n]*+(?:\n|\Z))+)(?>(?:[ \t]*+\n)*)", re.MULTILINE)
_UNDERLINE = re.compile(r"[ \t]*+(?:=++|-++)[ \t]*+(?:\n|\Z)")
_WORD = re.compile(r"\S++\s*+|\s++")
_UNSPACED = re.compile(f"[{KANA_AND_HAN}]").search

_PLAIN = 20  # characters a word, white space included: no plain text has more on average
_LONG = 80  # characters without white space; more are no word


@dataclass(frozen=True, slots=True)
class TextSection:
    """`text[start:end]` under one heading; its own text begins at `body`, `path` are the titles to it."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


def sections(text: str, outline: Sequence[Heading]) -> list[TextSection]:
    """The sections of a text. One without text of its own goes into the next, if that is deeper.

    White space before the first heading belongs to the first section. Raises ValueError if the headings do
    not lie in the text in order.
    """
    edges = [0, *(heading.offset for heading in outline), len(text)]
    if any(left > right for left, right in pairwise(edges)):
        raise ValueError(f"headings must be in order and lie within the {len(text)} characters of the text")
    parts: list[TextSection] = []
    first = edges[1]
    start: int | None = None  # where headings without a text began, that wait for a deeper one
    if text[:first].strip():
        parts.append(TextSection(0, 0, first, ()))
    else:
        start = 0
    path: list[Heading] = []
    for number, heading in enumerate(outline):
        end = edges[number + 2]
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        start = heading.offset if start is None else start
        body = _body(text, heading.offset, end)
        deeper = number + 1 < len(outline) and outline[number + 1].level > heading.level
        if end > start and not (deeper and not text[body:end].strip()):
            parts.append(TextSection(start, body, end, tuple(each.title for each in path)))
            start = None
    if start is not None and start < len(text):
        parts.append(TextSection(start, start, len(text), ()))
    return parts


def _body(text: str, start: int, end: int) -> int:
    """Where the text after a heading's line (and the line that underlines it) begins."""
    newline = text.find("\n", start, end)
    if newline < 0:
        return end
    underline = _UNDERLINE.match(text, newline + 1, end)
    return underline.end() if underline else newline + 1


def blocks(text: str, start: int, end: int) -> list[tuple[int, int, bool]]:
    """The paragraphs of a stretch, with the blank lines after each; True for fenced code and tables."""
    stretches: list[tuple[int, int, bool]] = []
    at = start
    for first, last in _solid(text, start, end):
        stretches += ((left, right, False) for left, right in _paragraphs(text, at, first))
        stretches.append((first, last, True))
        at = last
    stretches += ((left, right, False) for left, right in _paragraphs(text, at, end))
    return stretches


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _BLANK_LINES.finditer(text, start, end):
        yield start, match.end()
        start = match.end()
    if start < end:
        yield start, end


def _solid(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Fenced code and tables, in order, none inside another."""
    fenced = _fenced(text, start, end)
    if text.find("|", start, end) < 0:
        return fenced
    stretches: list[tuple[int, int]] = []
    at = start
    for first, last in [*fenced, (end, end)]:
        stretches += (match.span() for match in _TABLE.finditer(text, at, first))
        if first < last:
            stretches.append((first, last))
        at = last
    return stretches


def _fenced(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """From each opening fence to its closing one; an unclosed fence runs to the end."""
    if text.find("```", start, end) < 0 and text.find("~~~", start, end) < 0:
        return []
    stretches: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text, start, end):
        if opened is None:
            inline = "`" in fence[1] and "`" in fence[2]  # ```code``` that happens to begin a line
            opened = None if inline else fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            stretches.append((opened.start(), fence.end()))
            opened = None
    if opened is not None:
        stretches.append((opened.start(), end))
    return stretches


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a stretch, with their line feeds."""
    while start < end:
        after = text.find("\n", start, end) + 1 or end
        yield start, after
        start = after


def words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The words of a stretch, with the white space after each; white space before the first is by itself."""
    return (match.span() for match in _WORD.finditer(text, start, end))


def words_end(text: str, start: int, end: int, capacity: int, by_words: bool) -> int:
    """Where the words end that `capacity` (words or characters) has room for, with their white space; at
    least one."""
    if by_words:
        run = re.compile(rf"\s*+(?>(?:\S++\s*+){{1,{capacity}}})").match(text, start, end)
        return run.end() if run else end
    upto = start + capacity
    if upto >= end:
        return end
    while upto > start and (text[upto].isspace() or not text[upto - 1].isspace()):
        upto -= 1
    if upto > start:
        return upto
    word = _WORD.match(text, start, end)
    return word.end() if word else end


def count_words(stretch: str) -> int:
    """How many words a stretch has: by white space, and two characters a word where there is none.

    That is so in Chinese and Japanese, and in strings of more than 80 characters (encoded data, Thai).
    """
    spaced = stretch.split()
    if len(stretch) <= _PLAIN * len(spaced) and (stretch.isascii() or not _UNSPACED(stretch)):
        return len(spaced)
    return sum(max(1, len(word) // 2) if len(word) > _LONG or _UNSPACED(word) else 1 for word in spaced)
