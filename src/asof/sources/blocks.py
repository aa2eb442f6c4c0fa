"""Blocks of a document, and the text that every reader writes of them.

    heading     a line with its words, entered in the outline
    paragraph   its lines
    item        "- words" or "1. words"; what else belongs to it is indented by two spaces
    table       rows `| a | b |`; below a header row stands `| --- | --- |`
    field       "Key: value" on one line
    code        its lines between lines of three backticks
    quotation   any block with "> " before each line

Items of a list and fields of a header stand on successive lines; an empty line parts all other blocks. No
markup of the source is left in the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from asof.documents import Heading

HEADING, PARAGRAPH, ITEM, TABLE, FIELD, CODE = range(6)

INDENT, QUOTED = "  ", "> "
"""What stands before the lines of what belongs to an item of a list, and of what is quoted."""

_SUCCESSIVE = {ITEM, FIELD}
_FENCE = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


class Block(NamedTuple):
    """A block: its words, its level if it is a heading, and what stands before its lines (INDENT, QUOTED).

    Of an item the words begin with its mark ("- ", "1. "); those of a table are `rows`, of a field `field`.
    """

    kind: int
    words: str
    level: int = 0
    inside: str = ""


def field(key: str, value: str) -> Block:
    """A field, on one line."""
    return Block(FIELD, f"{key}: {' '.join(value.split())}")


def rows(cells: Sequence[Sequence[str]], *, header: bool = True, inside: str = "") -> Block:
    """A table; its first row is its header, if it has one. Rows without words are left out."""
    lines = []
    for number, row in enumerate(cells):
        plain = [" ".join(cell.replace("|", "¦").split()) for cell in row]
        if any(plain):
            lines.append(f"| {' | '.join(plain)} |")
        if header and not number and lines:
            lines.append(f"|{' --- |' * len(row)}")
    return Block(TABLE, "\n".join(lines), inside=inside)


class Full(Exception):
    """A page has as much text as is read of a file."""


class Page:
    """Gathers the blocks of a page. Raises Full for what exceeds the limit of characters."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.blocks: list[Block] = []
        self._length = 0

    def take(self, length: int) -> None:
        """Count what is to be added."""
        self._length += length + 2
        if self._length > self.most:
            raise Full

    def add(self, block: Block) -> None:
        """Take in a block; one without words is left out."""
        if block.words and not block.words.isspace():
            self.take(len(block.words))
            self.blocks.append(block)

    def heading(self, words: str, level: int = 1) -> None:
        self.add(Block(HEADING, " ".join(words.split()), max(1, min(level, 6))))


def written(blocks: Iterable[Block]) -> tuple[str, tuple[Heading, ...]]:
    """The text of blocks and its outline."""
    from asof.documents import Heading

    text, outline = plainly(blocks)
    return text, tuple(Heading(*each) for each in outline)


def plainly(blocks: Iterable[Block]) -> tuple[str, list[tuple[int, int, str]]]:
    """The text of blocks, and the offset, level and words of its headings. Blocks without words are none."""
    pieces: list[str] = []
    outline: list[tuple[int, int, str]] = []
    at, before = 0, -1
    for kind, words, level, inside in blocks:
        if not words or words.isspace():
            continue
        if kind == HEADING:
            words = " ".join(words.split())
        elif kind == CODE:
            words = fenced(words)
        if pieces:
            gap = "\n" if kind == before and kind in _SUCCESSIVE else "\n\n"
            pieces.append(gap)
            at += len(gap)
        if kind == HEADING:
            outline.append((at, level, words))
        if inside or kind == ITEM:
            following = f"{inside}{INDENT}" if kind == ITEM else inside
            words = f"{inside}{words}".replace("\n", f"\n{following}")
        pieces.append(words)
        at += len(words)
        before = kind
    return "".join(pieces), outline


def fenced(code: str) -> str:
    """Code between fences that are longer than any in it."""
    longest = max((len(fence[1]) for fence in _FENCE.finditer(code)), default=2) if "```" in code else 2
    fence = "`" * (longest + 1)
    return f"{fence}\n{code.rstrip()}\n{fence}"
