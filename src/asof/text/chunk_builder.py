"""Filling passages up to a size: by paragraphs, and by ever smaller parts of what is too long."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category

from asof.text.blocks import TextSection, blocks, count_words, lines, words, words_end
from asof.text.sentences import sentences

BLOCK, PARAGRAPH, SENTENCE, WORD, CHARACTERS = range(5)
"""What a part of a text is; blocks (tables, fenced code) and words stay whole while they fit."""

Part = tuple[int, int, int, int]  # what it is, its start, its end, its weight in words or characters

_MOST_MARKS = 8  # combining marks that a cut steps over


class ChunkBuilder:
    """Cuts the sections of one text. `size` is in words, or in characters if not `by_words`."""

    def __init__(self, text: str, size: int, by_words: bool) -> None:
        self.text = text
        self.size = size
        self.by_words = by_words
        self.most = size * 5 / 4  # no piece grows beyond by adding what can be added to the next
        self.least = size / 4  # a piece with less text than this is not closed
        self.ends: list[int] = []
        self.at = 0  # the text has been taken up to here
        self.open_weight = 0  # of the open piece
        self.body = 0  # the same without heading lines

    def fill(self, section: TextSection) -> list[int]:
        """Where the pieces of a section end; the last one ends where the section does."""
        self.ends, self.at, self.open_weight, self.body = [], section.start, 0, 0
        if section.start < section.body:
            self._add(self._part(BLOCK, section.start, section.body))
        self.body = 0
        for start, end, solid in blocks(self.text, section.body, section.end):
            self._add(self._part(BLOCK if solid else PARAGRAPH, start, end))
        if self.open_weight or not self.ends:
            if self.ends and self.open_weight < self.size / 8:
                self.ends.pop()
            self.ends.append(self.at)
        return self.ends

    def _part(self, kind: int, start: int, end: int) -> Part:
        weight = count_words(self.text[start:end]) if self.by_words else end - start
        return kind, start, end, weight

    def _add(self, part: Part) -> None:
        kind, _, end, weight = part
        if not weight:
            self._add_blank(end)
            return
        if self.open_weight + weight > self.most:
            if self.body >= self.least:
                self._close()
            whole = kind in (BLOCK, WORD) and weight <= self.most
            if self.open_weight + weight > self.most and not whole and kind != CHARACTERS:
                for smaller in self._smaller(part):
                    self._add(smaller)
                return
        self.at = end
        self.open_weight += weight
        self.body += weight
        if self.open_weight >= self.size:
            self._close()

    def _add_blank(self, end: int) -> None:
        """White space belongs to what stands before it."""
        self.at = end
        if self.ends and not self.open_weight:
            self.ends[-1] = end

    def _close(self) -> None:
        self.ends.append(self.at)
        self.open_weight = self.body = 0

    def _smaller(self, part: Part) -> Iterator[Part]:
        """The parts of a part; what comes next may depend on how much the open piece then holds."""
        kind, start, end, weight = part
        if kind == BLOCK:
            return (self._part(SENTENCE, *line) for line in lines(self.text, start, end))
        if kind == PARAGRAPH:
            return (self._part(SENTENCE, *sentence) for sentence in sentences(self.text, start, end))
        if kind == SENTENCE:
            return self._runs_of_words(start, end, weight)
        return self._runs_of_characters(start, end)

    def _runs_of_words(self, start: int, end: int, weight: int) -> Iterator[Part]:
        """As many words as fit into the open piece at a time."""
        if self.by_words and weight != len(self.text[start:end].split()):
            yield from (self._part(WORD, *span) for span in words(self.text, start, end))
            return
        while start < end:
            capacity = self.size - self.open_weight
            upto = words_end(self.text, start, end, capacity, self.by_words)
            yield self._part(WORD, start, upto)
            start = upto

    def _runs_of_characters(self, start: int, end: int) -> Iterator[Part]:
        """As many characters as make a full piece; two count as a word."""
        each = 2 if self.by_words else 1
        while start < end:
            cut = min(end, start + each * self.size)
            for _ in range(_MOST_MARKS):
                if cut == end or not category(self.text[cut]).startswith("M"):
                    break
                cut += 1
            yield CHARACTERS, start, cut, max(1, (cut - start) // each)
            start = cut
