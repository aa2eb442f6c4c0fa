"""Texts cut into words, and the runs of words that can say a time, which is where rules are tried.

The gap between two words is as much a part of a date as the words are: `3/5`, `3.5` and `3 5` differ in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from asof.time.lexicon import WORD, Senses, TimeLexicon

FAR = "far"
"""The glue of two words that have nothing to do with each other."""

_SPLIT = re.compile(rf"({WORD.pattern})")
_LETTERS = ":"  # sorts after all figures and before all letters
_LONG = frozenset((8, 14))  # figures of 20240305 and 20240305143007
_SAME = str.maketrans("–—‒−~’‘`´\xa0", "-----'''' ")
_REACH = 12  # words that a run may have before its first trigger
_BOUND = 400  # words that a run may have


class TimeToken(NamedTuple):
    """A word or phrase with its senses; `glue` is what stands before it: " " for blanks, else the signs.

    `kind` is the set of its senses; `wide` tells whether there are blanks
    besides the signs. `first` and `last` count words of the text.
    """

    word: str
    senses: Senses
    kind: frozenset[str]
    glue: str
    wide: bool
    start: int
    end: int
    first: int
    last: int


_NOTHING: Senses = {}
_END = TimeToken("", _NOTHING, frozenset(), FAR, True, -1, -1, -1, -1)
_BEYOND = (_NOTHING,) * 8
"""What stands after the last item, and, since -1 is the last place of a list, before the first."""


class WordSequence:
    """The words of a text, in lower case, and the gaps around them; `gaps[n]` stands before `words[n]`."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        if len(lower) != len(text):  # "İ" becomes two characters, and offsets must stay true
            lower = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
        pieces = _SPLIT.split(lower)
        self.text = text
        self.words, self.gaps = pieces[1::2], pieces[::2]
        self._ends = list(accumulate(map(len, pieces)))

    def start(self, n: int) -> int:
        """The offset of a word in the text."""
        return self._ends[2 * n]

    def end(self, n: int) -> int:
        """The offset after a word."""
        return self._ends[2 * n + 1]

    @cached_property
    def caseless(self) -> bool:
        """Whether the text is all in small or all in capital letters, so that a capital tells nothing."""
        return self.text in (self.text.lower(), self.text.upper())

    def triggers(self, lexicon: TimeLexicon) -> list[int]:
        """The places of words that may say a time."""
        chosen = lexicon.triggers
        return [
            n
            for n, word in enumerate(self.words)
            if word in chosen or (word < _LETTERS and len(word) in _LONG)
        ]


_JOINTS = frozenset(("to", "between"))


class TokenRun:
    """Neighbouring words that are all known, as items. Asking past either end finds nothing."""

    def __init__(self, words: WordSequence, lexicon: TimeLexicon, first: int, after: int) -> None:
        self.words, self.lexicon = words, lexicon
        self.items: list[TimeToken] = []
        self.memo: dict[tuple[str, int], Any] = {}
        """What rules found at places, so that none is tried there twice."""
        at = first
        while at < after:
            length, senses = self._longest(at, after)
            last = at + length - 1
            glue, wide = bond(words.gaps[at])
            kind = frozenset(senses)
            self.items.append(
                TimeToken(
                    words.words[at], senses, kind, glue, wide, words.start(at), words.end(last), at, last
                )
            )
            at = last + 1
        self.size = len(self.items)
        self._senses: list[Senses] = [*(item.senses for item in self.items), *_BEYOND]
        self.joined = any(item.glue in ("-", "--", "/") or item.kind & _JOINTS for item in self.items)
        """Whether anything can join two times to a range."""

    def _longest(self, at: int, after: int) -> tuple[int, Senses]:
        words = self.words.words
        for phrase, senses in self.lexicon.phrases.get(words[at], ()):
            size = len(phrase)
            if (
                at + size <= after
                and tuple(words[at : at + size]) == phrase
                and all(bond(gap)[0] in _WITHIN for gap in self.words.gaps[at + 1 : at + size])
            ):
                return size, senses
        return 1, self.lexicon.senses.get(words[at]) or _figures(words[at])

    def __getitem__(self, i: int) -> TimeToken:
        return self.items[i] if 0 <= i < self.size else _END

    def sense(self, i: int, name: str) -> Any:
        """What an item means in a sense; None if it has not that sense."""
        try:
            return self._senses[i].get(name)
        except IndexError:
            return None

    def follows(self, i: int, glue: str = " ") -> bool:
        """Whether an item stands after one of the signs of `glue` (each character is one sign)."""
        return 0 <= i < self.size and self.items[i].glue in glue and bool(self.items[i].glue)

    def after(self, i: int, name: str, glue: str = " ") -> int:
        """The place after item `i` if it has a sense and the right glue, else `i`: skips an optional word."""
        return i + 1 if self.sense(i, name) is not None and self.follows(i, glue) else i

    def capital(self, i: int) -> bool:
        """Whether an item begins with a capital letter."""
        return self.words.text[self[i].start].isupper() if 0 <= i < self.size else False

    def before(self, i: int) -> tuple[str, str]:
        """The word before an item, known or not, and the gap between, as it stands in the text."""
        n = self[i].first
        return (self.words.words[n - 1], self.words.gaps[n]) if n > 0 else ("", self.words.gaps[n])

    def behind(self, i: int) -> tuple[str, str]:
        """The word after item `i`, known or not, and the gap between."""
        n = self[i].last + 1
        return (self.words.words[n] if n < len(self.words.words) else ""), self.words.gaps[n]


_WITHIN = frozenset([" ", "-", "'", ".", "/", "", "o"])


def runs(words: WordSequence, lexicon: TimeLexicon) -> Iterator[TokenRun]:
    """The runs of a text that hold a trigger, in order and disjoint."""
    known, done = lexicon.known, 0
    total = len(words.words)
    for trigger in words.triggers(lexicon):
        if trigger < done:
            continue
        first = trigger
        while first > max(done, trigger - _REACH) and _linked(words, first, known, first - 1):
            first -= 1
        after = trigger + 1
        while after < total and after - first < _BOUND and _linked(words, after, known, after):
            after += 1
        done = after
        if lexicon.weak.issuperset(words.words[first:after]):
            continue
        if (
            after == first + 1
            and words.words[first] not in lexicon.sufficient
            and total > 1
            and len(words.words[first]) < 8
        ):
            continue
        yield TokenRun(words, lexicon, first, after)


def _linked(words: WordSequence, gap: int, known: frozenset[str], word: int) -> bool:
    text = words.words[word]
    return (text in known or text < _LETTERS) and bond(words.gaps[gap])[0] != FAR


@lru_cache(maxsize=4096)
def bond(gap: str) -> tuple[str, bool]:
    """The signs in a gap with blanks left out, and whether there were blanks; only blanks are one blank."""
    if gap == " ":
        return " ", True
    if len(gap) > 16 or gap.count("\n") > 1:
        return FAR, True
    plain = gap.translate(_SAME)
    signs = "".join(plain.split())
    if not signs:
        return (" " if plain else ""), bool(plain)
    return (signs if len(signs) <= 3 else FAR), signs != plain


@lru_cache(maxsize=4096)
def _figures(word: str) -> Senses:
    if word < _LETTERS and len(word) <= 14:
        return {"figures": len(word), "number": int(word)}
    return _NOTHING
