"""Splits a document into passages that are small enough to be quoted and large enough to be understood.

A heading begins a new passage, and so does a numbered provision ("Resolution 2022-3: ..."). Below it,
paragraphs fill passages up to about the target size; a paragraph that is too long is split into sentences, a
sentence into words. Without overlap the passages tile the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import category

from msgspec import Struct

from asof.documents import Heading, SourcedTime
from asof.errors import UsageError
from asof.lang import calendar_words, codes, of_all, set_of
from asof.text.tables import LONGEST_HEADER, cells, is_row, is_rule, line_end, lines
from asof.text.tokens import KANA_AND_HAN

# -- blocks: headings with their sections, paragraphs, fenced code, tables -----------------------------
# All are half-open ranges of characters, and every list of them tiles the text.

_BLANK_LINES = re.compile(r"\n(?>(?:[ \t]*+\n)+)")
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\n]*+)(?:\n(?>(?:[ \t]*+\n)*))?", re.MULTILINE)
_TABLE = re.compile(r"(?>(?:^[ \t]*+\|[^\n]*+(?:\n|\Z))+)(?>(?:[ \t]*+\n)*)", re.MULTILINE)
_WORD = re.compile(r"\S++\s*+|\s++")

_PLAIN = 20  # characters a word, white space included: no plain text has more on average
_LONG = 80  # characters without white space; more are no word


@cache
def _unspaced() -> re.Pattern[str]:
    """Compiled on first use, as it takes long."""
    return re.compile(f"[{KANA_AND_HAN}]")


class TextSection(Struct, frozen=True):
    """`text[start:end]` under one heading; its own text begins at `body`, `path` are the titles to it."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


def sections(text: str, outline: Sequence[Heading]) -> list[TextSection]:
    """The sections of a text. One without text of its own is joined with the next, if that is deeper.

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
    """The position at which the text after a heading's line begins."""
    return text.find("\n", start, end) + 1 or end


def body(text: str, headings: Sequence[str]) -> int:
    """Where the text of a passage begins below the lines of its headings."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end].strip("# \t\n")
        if line and line not in headings:
            return at
        at = end
    return at


@cache
def _provision() -> re.Pattern[str]:
    nouns = "|".join(map(re.escape, of_all("acts", "provision")))
    return re.compile(
        rf"^[ \t]{{0,8}}(?:[-*+•#]{{1,6}}[ \t]+)?\**((?:{nouns})[ ](?:(?:no|nr)\.? ?)?"
        r"[0-9]{1,6}(?:[./-][0-9]{1,6}){0,3})\**(?:[:.]|[ ][–—-])\**[ \t\n]",
        re.IGNORECASE | re.MULTILINE,
    )


def provision(text: str, headings: Sequence[str] = ()) -> str:
    """The name of the provision that a passage is: "Resolution 2022-3" of "Resolution 2022-3: The fee is 20."
    ("": it is none). Minutes and gazettes have several, each of which holds and ends by itself."""
    found = _provision().match(text, body(text, headings)) or (headings and _provision().match(headings[-1]))
    return found[1] if found else ""


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
    edges = {match.end() for match in _BLANK_LINES.finditer(text, start, end)}
    edges.update(match.start() for match in _provision().finditer(text, start + 1, end))
    yield from pairwise((start, *sorted(edges - {end}), *((end,) if start < end else ())))


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


def words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The words of a stretch, with the white space after each; white space before the first is by itself."""
    return (match.span() for match in _WORD.finditer(text, start, end))


def words_end(text: str, start: int, end: int, capacity: int, by_words: bool) -> int:
    """The end of the words that fit into `capacity` (words or characters), with white space; at least one."""
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
    """The number of words of a range: by white space, and two characters a word where there is none.

    That is so in Chinese and Japanese, and in strings of more than 80 characters (encoded data, Thai).
    """
    spaced = stretch.split()
    if len(stretch) <= _PLAIN * len(spaced) and (stretch.isascii() or not _unspaced().search(stretch)):
        return len(spaced)
    return sum(
        max(1, len(word) // 2) if len(word) > _LONG or _unspaced().search(word) else 1 for word in spaced
    )


# -- sentence boundaries, by rules: terminators, abbreviations, initials, list items, blank lines ------

# What may end a sentence, with the closing quotes and the white space after it. Possessive: linear time.
_CANDIDATE = re.compile(r"""[.!?…。！？\n](?>(?:(?<!\n)[.!?…。！？]*+["'”’»›」』）)\]}*_]*+)?)\s*+""")
_LIST_ITEM = re.compile(r"[ \t]*+(?:[-*+•–]|\d{1,9}[.)])[ \t]")
_HEADING = re.compile(r"[ ]{0,3}+#{1,6}+[ \t]")
_FIELD = re.compile(r"[^\W_][\w .()/-]{0,60}+:[ \t]++\S")
_ENTRY = re.compile(
    r"[ \t]*+(?:(?P<weekday>[^\W\d_]{2,12})[.,]?[ ])?"
    r"(?:\d{4}-\d\d?-\d\d?\b|\d\d?[./-]\d\d?(?:[./-]|\b)|\d\d?[:h]\d\d\b"
    r"|\d\d?(?:\.|st|nd|rd|th)?[ ](?P<month>[^\W\d_]{3,12}))"
)
_OPENING = "([{\"'“”„«»‘’/*_"
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]{1,2}")  # U.S, e.g, z.B
_LOOK_BACK = 24  # characters; no abbreviation is longer


@cache
def _after_an_ordinal() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(of_all('words', 'after_an_ordinal'))})\b", re.IGNORECASE)


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The offsets of the sentences in `text[start:end]`, which they tile; none for an empty stretch.

    White space belongs to the sentence before it. Sentences end after . ! ? … with closing quotes and
    brackets before white space (not after an abbreviation, an initial or a German ordinal), after 。！？, at
    a blank line, and at a line break after or before a list item or a heading (`# …`), or between two fields
    (`Key: value`) or entries of a log, which begin with a day or a time.
    """
    stop = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    begun = line = start
    for match in _CANDIDATE.finditer(text, start, stop):
        at, after = match.span()
        if after == stop:
            break
        newline = text.rfind("\n", at, after)
        if newline >= 0:
            ends = _breaks(text, line, at, newline, after) or _ends(text, line, match)
            line = newline + 1
        else:
            ends = _ends(text, line, match)
        if ends:
            spans.append((begun, after))
            begun = after
    if begun < stop:
        spans.append((begun, stop))
    return spans


def is_list_item(text: str, at: int) -> bool:
    """True if a list item begins at this position, which begins a line."""
    return _LIST_ITEM.match(text, at) is not None


def is_field(text: str, at: int) -> bool:
    """True if a field (`Key: value`) begins at this position, which begins a line."""
    return _FIELD.match(text, at) is not None


def _is_entry(text: str, at: int) -> bool:
    """True if a line that begins at this position begins with a day or a time, as in a log."""
    found = _ENTRY.match(text, at)
    if found is None:
        return False
    named = [word.casefold() for word in found.groups() if word]
    return all(any(each.startswith(word) for each in _calendar()) for word in named)  # "Mon 3 May"


@cache
def _calendar() -> frozenset[str]:
    return frozenset().union(*map(calendar_words, codes("words")))


def unnumbered(text: str) -> str:
    """A text without the bullet or number of a list item before it."""
    mark = _LIST_ITEM.match(text)
    return text[mark.end() :] if mark else text


def _breaks(text: str, line: int, at: int, newline: int, after: int) -> bool:
    """True if the line break alone ends the sentence: at a blank line, a heading or a list item."""
    if text.find("\n", at, newline) >= 0 or is_list_item(text, newline + 1):
        return True
    if _HEADING.match(text, line) or _HEADING.match(text, newline + 1):
        return True
    if any(begins(text, line) and begins(text, newline + 1) for begins in (is_field, _is_entry)):
        return True
    indented = after > newline + 1  # the item's second line
    return not indented and is_list_item(text, line)


def _ends(text: str, line: int, match: re.Match[str]) -> bool:
    """True if the terminator (with what follows it) ends the sentence; `line` is the start of its line."""
    mark = match[0]
    if mark[0] == "\n" or mark[1:2] == "\u00a0":
        return False
    if not mark[-1].isspace():
        return "。" in mark or "！" in mark or "？" in mark
    at = match.start()
    if _in_link(text, line, at):
        return False
    entry = _ENTRY.match(text, line) if text[at - 1 : at].isdigit() else None
    if entry is not None and at < entry.end():
        return False  # "16.06. bins moved"
    if mark[0] != "." or not mark[1].isspace() or at == line or text[at - 1].isspace():
        return True
    words = text[max(line, at - _LOOK_BACK) : at].rsplit(None, 2)
    word = words[-1].lstrip(_OPENING)
    if len(word) == 1 and len(words) > 1 and words[-2].lstrip(_OPENING).casefold() in _lettered():
        return True  # "Revision A. Valid from ..."
    return not _goes_on(text, word, match.end(), at - len(word) == line)


@cache
def _lettered() -> frozenset[str]:
    return set_of("acts", "document") | set_of("acts", "part")


def _in_link(text: str, line: int, at: int) -> bool:
    """True within the text of a link: "[3. Use RabbitMQ](0003.md)"."""
    opened = text.rfind("[", max(line, at - _LONGEST_LINK), at)
    closed = text.find("]", opened, opened + _LONGEST_LINK) if opened >= 0 else -1
    return closed > at and text[closed + 1 : closed + 2] in ("(", "]")


_LONGEST_LINK = 200


def _goes_on(text: str, word: str, after: int, leads: bool) -> bool:
    """True if the dot after `word` belongs to the word; `leads`: the word is the first of its line."""
    if word.isdigit():
        return len(word) <= 3 and (leads or _after_an_ordinal().match(text, after) is not None)
    if len(word) == 1 and word.isupper() and word != "I":
        return True
    folded = word.casefold()
    if folded in set_of("words", "abbreviation") or _DOTTED.fullmatch(word):
        return True
    return folded in set_of("words", "before_a_number") and text[after].isdigit()


_LINE_MARKS = re.compile(r"^[ \t]*+(?:>[ \t]*)+")
_MARKS = re.compile(r"(?:[-*+•–>]\s+)+")
_TAGS_BEHIND = re.compile(r"(?:\s+#[^\W\d][\w/-]*)+$")


def shown(sentence: str) -> str:
    """A sentence on one line, without the marks of lists and quotations before it or its lines, and without
    the tags behind it.

    >>> shown("> - The mole\\n> is closed. #harbour #news")
    'The mole is closed.'
    """
    lines = [_LINE_MARKS.sub("", line, count=1) for line in sentence.split("\n")]
    text = " ".join(" ".join(lines).split())
    text = _TAGS_BEHIND.sub("", text) or text
    mark = _MARKS.match(text)
    return text[mark.end() :] if mark and mark.end() < len(text) else text


# -- filling passages: by paragraphs, and by ever smaller parts of what is too long --------------------

BLOCK, PARAGRAPH, SENTENCE, WORD, CHARACTERS = range(5)
"""The kinds of parts of a text; blocks (tables, fenced code) and words stay whole while they fit."""

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
        self.tables: list[tuple[int, int, str]] = []  # where the rows of a table begin and end, its header

    def fill(self, section: TextSection) -> list[int]:
        """The ends of the pieces of a section; the last one ends with the section."""
        self.ends, self.at, self.open_weight, self.body = [], section.start, 0, 0
        if section.start < section.body:
            self._add(self._part(BLOCK, section.start, section.body))
        self.body, apart = 0, False
        for start, end, solid in blocks(self.text, section.body, section.end):
            if (
                solid
                and is_row(self.text, start)
                and is_rule(self.text, row := line_end(self.text, start, end))
            ):
                first = line_end(self.text, row, end)
                self.tables.append((first, end, " | ".join(cells(self.text[start:row]))[:LONGEST_HEADER]))
            begins = not solid and _provision().match(self.text, start) is not None
            if begins and self.body:
                self._close()
            apart = begins or (apart and self.open_weight > 0)
            self._add(self._part(BLOCK if solid else PARAGRAPH, start, end))
        if self.open_weight or not self.ends:
            if self.ends and self.open_weight < self.size / 8 and not apart:
                self.ends.pop()
            self.ends.append(self.at)
        return self.ends

    def above(self, start: int) -> tuple[str, ...]:
        """What is to be read above a passage that begins inside of a table: its header; inside of a row, the
        row's first cell."""
        at = bisect_left(self.tables, (start + 1,)) - 1
        if at < 0 or not self.tables[at][0] <= start < self.tables[at][1]:
            return ()
        begins = self.text.rfind("\n", 0, start) + 1
        said = self.tables[at][2]
        if begins < start:
            said = next(iter(cells(self.text[begins : min(start, begins + LONGEST_HEADER)])), "")
        return (said,) if said else ()

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
        """White space belongs to what precedes it."""
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


# -- chunking ------------------------------------------------------------------------------------------

SMALLEST, LARGEST = 10, 100_000

_WRITTEN = re.compile(r"([0-9]{1,9})([wc])(?:/([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Chunking:
    """The length of passages: `size` words or characters, the last `overlap` of one repeated in the next.

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
        """Parses the output of `str()`. Raises UsageError with the accepted forms."""
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


class Chunk(Struct, frozen=True):
    """The passage `text[start:end]`; `headings` are the titles from the top down to its own, then the header
    of a table in which it begins ("Name | Price"), or the first cell of a row in which it does."""

    start: int
    end: int
    headings: tuple[str, ...]


def chunk(text: str, outline: tuple[Heading, ...], chunking: Chunking) -> list[Chunk]:
    """Cut a text into passages, in order; none for the empty text.

    A piece is closed when it has reached the size, or when what comes next would make it more than a
    quarter too long while it holds at least a quarter. A last piece of less than an eighth joins the one
    before it in its section, unless it is a provision. A table or fenced code is cut only where it alone is
    too long. With an overlap the fresh part of a piece is that much shorter; what is repeated never comes
    from another section. Raises ValueError for headings out of order or outside the text.
    """
    if not text:
        return []
    fresh = chunking.size - chunking.overlap
    by_words = chunking.unit == "words"
    short = not outline and _is_short(text, fresh, by_words) and not _provision().search(text)
    if chunking.unit == "whole" or short:
        return [Chunk(0, len(text), ())]
    pieces: list[Chunk] = []
    for section in sections(text, outline):
        fill = _filled if section.end - section.start <= LONGEST_KEPT else _filled.__wrapped__
        filled = fill(text[section.start : section.end], section.body - section.start, fresh, by_words)
        ends = [section.start + end for end in filled.ends]
        starts = [section.start, *ends[:-1]]
        if chunking.overlap and len(starts) > 1:
            earlier = _words_earlier if by_words else _characters_earlier
            starts[1:] = earlier(text, section.start, starts[1:], chunking.overlap)
        pieces += (
            Chunk(start, end, (*section.path, *filled.above(start - section.start)))
            for start, end in zip(starts, ends, strict=True)
        )
    return pieces


LONGEST_KEPT = 20_000
"""The characters of the longest section whose cuts are kept."""


@lru_cache(maxsize=1024)
def _filled(text: str, body: int, size: int, by_words: bool) -> ChunkBuilder:
    """The cuts of a section alone; kept, as versions of a document have most sections in common."""
    filling = ChunkBuilder(text, size, by_words)
    filling.fill(TextSection(0, body, len(text), ()))
    return filling


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


# -- token counts: a token is `\w+|[^\w\s]`, so no model has to be asked -------------------------------

_TOKEN = re.compile(r"\w+|[^\w\s]")


def tokens(text: str) -> int:
    """The number of tokens of a text."""
    return len(_TOKEN.findall(text))


def ends(text: str) -> list[int]:
    """The end of each token of a text."""
    return [match.end() for match in _TOKEN.finditer(text)]


def passage_header(title: str, published: SourcedTime | None) -> str:
    """The line above a passage: its title and its date as it was stated."""
    return f"{title} ({published.text if published else 'undated'})"


# -- packing: the best items that fit into a budget of tokens, each with its header line ---------------

LEFT_OUT = "left out:"
"""How a note on what did not fit begins."""


class Packed(NamedTuple):
    """The numbers of the selected items, in order of selection, and of those left out, in the order given.

    `used`, `left`: the tokens of both.
    """

    selected: tuple[int, ...]
    left_out: tuple[int, ...]
    used: int
    left: int

    @classmethod
    def of(cls, sizes: Sequence[int], selected: Sequence[int]) -> Packed:
        """These of the items are selected."""
        used = sum(sizes[item] for item in selected)
        left_out = sorted(set(range(len(sizes))).difference(selected))
        return cls(tuple(selected), tuple(left_out), used, sum(sizes) - used)

    def note(self, what: str, budget: int) -> str:
        """A note on what was left out, "" if nothing was. `what`: the plural of the items."""
        if not self.left_out:
            return ""
        whole = len(self.selected) + len(self.left_out)
        return (
            f"{LEFT_OUT} {len(self.left_out):,} of {whole:,} {what} "
            f"({self.left:,} tokens): {self.used:,} of at most {budget:,} tokens are used"
        )


def pack(
    sizes: Sequence[int], budget: int, *, skip: bool = True, groups: Sequence[Hashable] | None = None
) -> Packed:
    """The items, given best first, that fit into `budget` tokens.

    An item that does not fit is skipped, and smaller ones after it may still be selected; without `skip`
    packing ends there. `groups`: the group of each item (its period, say). Groups take turns, in order of
    their best items: in each round a group takes its next item that fits.
    """
    queues: dict[Hashable, deque[int]] = {}
    for item in range(len(sizes)):
        queues.setdefault(None if groups is None else groups[item], deque()).append(item)
    selected: list[int] = []
    left = budget
    while queues:
        for queue in queues.values():
            while queue and sizes[queue[0]] > left:
                if not skip:
                    return Packed.of(sizes, selected)
                queue.popleft()
            if queue:
                selected.append(queue.popleft())
                left -= sizes[selected[-1]]
        queues = {group: queue for group, queue in queues.items() if queue}
    return Packed.of(sizes, selected)
