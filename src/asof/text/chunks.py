"""Cutting a document into passages that are small enough to be quoted and large enough to be understood.

A heading begins a new passage. Below it, paragraphs fill passages up to about the target size; a paragraph
that is too long is taken by sentences, a sentence by words. Without overlap the passages tile the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from asof.data import Heading
from asof.errors import UsageError
from asof.text.blocks import count_words, sections, words
from asof.text.chunk_builder import ChunkBuilder

SMALLEST, LARGEST = 10, 100_000

_WRITTEN = re.compile(r"([0-9]{1,9})([wc])(?:/([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Chunking:
    """How long passages are: `size` words or characters, the last `overlap` of one repeated in the next.

    With `unit` whole, a document is one passage and the numbers mean nothing. Written `120w`, `120w/20`,
    `2000c/200`, `whole`. Raises UsageError for what is out of range.
    """

    unit: str
    size: int = 120
    overlap: int = 0

    def __post_init__(self) -> None:
        good = SMALLEST <= self.size <= LARGEST and 0 <= self.overlap < self.size
        if self.unit not in ("words", "chars", "whole") or not good:
            raise _unaccepted(f"unit {self.unit!r}, size {self.size}, overlap {self.overlap}")

    @classmethod
    def parse(cls, text: str) -> Chunking:
        """Read what `str()` writes. Raises UsageError with what is accepted."""
        if text == "whole":
            return cls("whole")
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise _unaccepted(repr(text))
        try:
            return cls("words" if match[2] == "w" else "chars", int(match[1]), int(match[3] or 0))
        except UsageError:
            raise _unaccepted(repr(text)) from None

    def __str__(self) -> str:
        if self.unit == "whole":
            return "whole"
        return f"{self.size}{self.unit[0]}" + (f"/{self.overlap}" if self.overlap else "")


def _unaccepted(value: str) -> UsageError:
    return UsageError(
        f"cannot cut passages by {value}; accepted are 120w (words), 2000c (characters), either with an "
        f"overlap as in 120w/20, and whole; the size is {SMALLEST} to {LARGEST}, the overlap is less"
    )


@dataclass(frozen=True, slots=True)
class Chunk:
    """The passage `text[start:end]`; `headings` are the titles from the top down to its own."""

    start: int
    end: int
    headings: tuple[str, ...]


def chunk(text: str, outline: tuple[Heading, ...], chunking: Chunking) -> list[Chunk]:
    """Cut a text into passages, in order; none for the empty text.

    A piece is closed when it has reached the size, or when what comes next would make it more than a
    quarter too long while it holds at least a quarter. A last piece of less than an eighth joins the one
    before it in its section. A table or fenced code is cut only where it alone is too long. With an overlap
    the fresh part of a piece is that much shorter; what is repeated never comes from another section.
    Raises ValueError for headings out of order or outside the text.
    """
    if not text:
        return []
    fresh = chunking.size - chunking.overlap
    by_words = chunking.unit == "words"
    if chunking.unit == "whole" or (not outline and _is_short(text, fresh, by_words)):
        return [Chunk(0, len(text), ())]
    filling = ChunkBuilder(text, fresh, by_words)
    pieces: list[Chunk] = []
    for section in sections(text, outline):
        ends = filling.fill(section)
        starts = [section.start, *ends[:-1]]
        if chunking.overlap and len(starts) > 1:
            earlier = _words_earlier if by_words else _characters_earlier
            starts[1:] = earlier(text, section.start, starts[1:], chunking.overlap)
        pieces += (Chunk(start, end, section.path) for start, end in zip(starts, ends, strict=True))
    return pieces


def _is_short(text: str, size: int, by_words: bool) -> bool:
    if not by_words:
        return len(text) <= size
    return len(text) <= 2 * size or count_words(text) <= size  # a word and its space are two characters


def _words_earlier(text: str, floor: int, starts: list[int], overlap: int) -> list[int]:
    """Each start moved back over so many words, not beyond `floor`."""
    before = text[floor : starts[-1]]
    spans = words(text, floor, starts[-1])
    if count_words(before) == len(before.split()):
        begins = [begin for begin, _ in spans if not text[begin].isspace()]
    else:  # words without white space between them: two characters each
        each = ((begin, count_words(text[begin:end])) for begin, end in spans)
        begins = [at for begin, count in each for at in range(begin, begin + 2 * count, 2)]
    moved: list[int] = []
    for start in starts:
        back = bisect_left(begins, start) - overlap
        moved.append(min(start, begins[back] if back > 0 else floor))
    return moved


def _characters_earlier(text: str, floor: int, starts: list[int], overlap: int) -> list[int]:
    """Each start moved back over so many characters, then on to where a word begins, if one does."""
    begins = [begin for begin, _ in words(text, floor, starts[-1])]
    moved: list[int] = []
    for start in starts:
        back = max(floor, start - overlap)
        place = bisect_left(begins, back)
        moved.append(begins[place] if place < len(begins) and begins[place] < start else back)
    return moved
