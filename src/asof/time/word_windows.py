"""The few stretches of a text that can say a time: the words around a trigger that are all known.

Words that say times are rare in prose, so a text is first searched for them as a whole, and words are cut
only around those that are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, islice

from asof.time.known_words import LONGEST_GAP, MOST_SIGNS, words_after, words_before
from asof.time.lexicon import TimeLexicon
from asof.time.word_lists import WORD, is_unspaced

FAR = "far"
"""The glue of two words that have nothing to do with each other."""

_SAME = str.maketrans("–—‒−~～〜’‘`´\xa0，、", "-------'''' ,,")
_REACH = 12  # words that a window may have before its first trigger
_BOUND = 400  # words that a window may have
_CONTEXT = 2  # words before a window that rules look at
_LONG = 8  # letters or figures of a word that says a time alone
_FIGURES = re.compile("[0-9](?:((?:[0-9]?|(?<=[12])[0-9]{3}|[0-9]{7}|[0-9]{13})(?![0-9]))|[0-9]+)")
"""Figures; those that may say a day, a year, or a date as in 20240305 and 20240305143007 have a group."""
_SHORT_FIGURES = frozenset(f"{n:0{size}}" for size in (1, 2, 3) for n in range(10**size))
_WORDS = re.compile(f"({WORD.pattern})")
_SMALL, _CAPITAL = re.compile("[a-z]"), re.compile("[A-Z]")
_OTHER_LETTER = re.compile(r"[^\W\d_\x00-\x7f]")
_WIDE = re.compile("[０-９]")
_NARROW = str.maketrans("０１２３４５６７８９", "0123456789")
_DATE_SIGN = re.compile(r"[^\w\s,;()%$]")
"""A sign that may stand in a time of numbers and words such as `to`."""
_DATE_IN_PAIRS = re.compile(
    r"[^\w\s,;()%$.–-]|\.\s|\s\.|[0-9]\s?[-–]\s?[0-9]+\s?[-.–]|[0-9]\.[0-9]+\s?[-–]"
    r"|(?<![0-9])[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2}(?![0-9])"
)
"""A sign that may stand in a time of numbers and words such as `the`; one hyphen or full stop is none, nor
are those of a version (1.2.3, 1.20.300)."""
_BLANKS = bytes(sign if sign < 128 and chr(sign).isalpha() else 32 for sign in range(256))
"""For `bytes.translate`: all that is no letter of ASCII becomes a blank."""
_ASCII_BLANKS = bytes(sign if sign >= 128 else _BLANKS[sign] for sign in range(256))

Place = tuple[int, int]
"""The start and the end of a word in the text."""


class TimeText:
    """A text, and the same in lower case."""

    __slots__ = ("_backwards", "_caseless", "_ends", "lower", "text")

    def __init__(self, text: str) -> None:
        lower = text.lower()
        if len(lower) != len(text):  # "İ" becomes two characters, and offsets must stay true
            lower = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
        if not lower.isascii() and _WIDE.search(lower):
            lower = lower.translate(_NARROW)
        self.text, self.lower = text, lower
        self._backwards = ""
        self._caseless: bool | None = None
        self._ends: Place | None = None

    @property
    def caseless(self) -> bool:
        """Whether the text is all in small or in capital letters, so that a capital tells nothing."""
        if self._caseless is None:
            text = self.text
            mixed = _SMALL.search(text) is not None and _CAPITAL.search(text) is not None
            self._caseless = not mixed and text in (text.lower(), text.upper())
        return self._caseless

    @property
    def backwards(self) -> str:
        """The text in lower case, reversed."""
        if not self._backwards:
            self._backwards = self.lower[::-1]
        return self._backwards

    @property
    def ends(self) -> Place:
        """Where its first word starts and its last one ends; any two places if it has none."""
        if self._ends is None:
            first, last = WORD.search(self.lower), WORD.search(self.backwards)
            self._ends = first.start() if first else 0, len(self.lower) - last.start() if last else 0
        return self._ends

    def triggers(self, lexicon: TimeLexicon) -> list[Place]:
        """The words that may say a time, in order."""
        triggers = [match.span() for match in _FIGURES.finditer(self.lower) if match.lastindex]
        words = self._trigger_words(lexicon)
        if words:
            for word in words:
                triggers += self._places(word)
            triggers.sort()
        return triggers

    def _trigger_words(self, lexicon: TimeLexicon) -> frozenset[str]:
        """The different triggers of letters; some may only be parts of longer words that are not ASCII."""
        pieces = self.lower.encode("ascii", "replace").translate(_BLANKS).split()
        words = frozenset(map(bytes.decode, lexicon.ascii_triggers.intersection(pieces)))
        if self.lower.isascii() or _OTHER_LETTER.search(self.lower) is None:
            return words
        pieces = self.lower.encode("utf-8", "surrogatepass").translate(_ASCII_BLANKS).split()
        other = b" ".join(piece for piece in pieces if not piece.isascii()).decode("utf-8", "surrogatepass")
        return words | lexicon.triggers.intersection(WORD.findall(other))

    def _places(self, word: str) -> Iterator[Place]:
        lower, size = self.lower, len(word)
        start = lower.find(word)
        while start >= 0:
            end = start + size
            if not (start and _is_letter(lower[start - 1])) and not _is_letter(lower[end : end + 1]):
                yield start, end
            start = lower.find(word, end)


def _is_letter(sign: str) -> bool:
    """Whether a character belongs to a word of letters (see `WORD`); false for none."""
    return sign.isalnum() and not sign.isdecimal() and not is_unspaced(sign)


class WordWindow:
    """Neighbouring words of a text; those from `first` to before `after` are known, and one is a trigger.

    Around them stand up to two words before and one after, for rules that look there. So word 0 is the
    text's first word whenever a known word stands there, and the last one its last word. `gaps[n]` stands
    before word `n`, one more after the last. Its gaps and words begin at `offset` of the text.
    """

    __slots__ = ("_pieces", "_starts", "after", "first", "gaps", "offset", "text", "words")

    def __init__(self, text: TimeText, known: Place) -> None:
        size, (begin, end) = len(text.lower), known
        first, beyond = 0, WORD.search(text.lower, end)
        while first < _CONTEXT and (before := WORD.search(text.backwards, size - begin)) is not None:
            first, begin = first + 1, size - before.end()
        self.text, self.first, self.offset = text, first, begin if first else 0
        self._pieces = pieces = _WORDS.split(text.lower[self.offset : beyond.end() if beyond else size])
        self.words: list[str] = pieces[1::2]
        self.gaps: list[str] = pieces[::2]
        self.after = len(self.words) - 1 if beyond else len(self.words)
        self._starts: list[int] = []

    @property
    def starts(self) -> list[int]:
        """Where the words start in the text, and where the window ends."""
        if not self._starts:
            self._starts = list(accumulate(map(len, self._pieces), initial=self.offset))[1::2]
        return self._starts

    def end(self, n: int) -> int:
        """Where word `n` ends in the text."""
        return self.starts[n] + len(self.words[n])


def windows(text: TimeText, lexicon: TimeLexicon) -> Iterator[WordWindow]:
    """The windows of a text, in order; their known words are disjoint."""
    triggers = text.triggers(lexicon)
    if not triggers:
        return
    before, after = words_before(lexicon, _REACH), words_after(lexicon, _BOUND)
    lower, backwards, size = text.lower, text.backwards, len(text.lower)
    weak, sufficient = lexicon.weak, lexicon.sufficient
    done = 0
    for start, end in triggers:
        if start < done:
            continue
        begin = size - before.match(backwards, size - start, size - done).end()  # type: ignore[union-attr]
        done = after.match(lower, end).end()  # type: ignore[union-attr]
        if begin == start and done == end:
            words = [lower[start:end]]
            if words[0] not in sufficient and end - start < _LONG and text.ends != (start, end):
                continue
        else:
            words = WORD.findall(lower, begin, done)
        if len(words) > _BOUND:
            *_, last = islice(WORD.finditer(lower, begin, done), _BOUND)
            done = last.end()
            del words[_BOUND:]
        if weak.issuperset(words) or (
            _counts_only(text, (begin, done), words, lexicon) and text.ends != (begin, done)
        ):
            continue
        yield WordWindow(text, (begin, done))


def _counts_only(text: TimeText, known: Place, words: list[str], lexicon: TimeLexicon) -> bool:
    """Whether known words are numbers of at most three figures among words that make no time of them.

    `between 12 and 15`, `1.8 of the 40`: without a sign as in `3/5` or `12:30` it takes three of them, or a
    word such as `before`, to say a date.
    """
    if not _with_counts(lexicon.mute).issuperset(words):
        return False
    inert = _with_counts(lexicon.inert).issuperset(words)
    if inert:
        context = WORD.search(text.backwards, len(text.lower) - known[0])
        inert = context is None or context[0][::-1] not in lexicon.known
    return (_DATE_IN_PAIRS if inert else _DATE_SIGN).search(
        text.lower, max(known[0] - 1, 0), known[1]
    ) is None


@lru_cache(maxsize=32)
def _with_counts(words: frozenset[str]) -> frozenset[str]:
    return words | _SHORT_FIGURES


@lru_cache(maxsize=4096)
def bond(gap: str) -> tuple[str, bool]:
    """The signs in a gap with blanks left out, and whether there were blanks; only blanks are one blank."""
    if gap == " ":
        return " ", True
    if len(gap) > LONGEST_GAP or gap.count("\n") > 1:
        return FAR, True
    plain = gap.translate(_SAME)
    signs = "".join(plain.split())
    if not signs:
        return (" " if plain else ""), bool(plain)
    return (signs if len(signs) <= MOST_SIGNS else FAR), signs != plain
