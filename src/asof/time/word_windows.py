"""The few stretches of a text that can say a time: the words around a trigger that are all known.

Words that say times are rare in prose, so a text is first searched for them as a whole, and words are cut
only around those that are there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

from asof.time.lexicon import TimeLexicon
from asof.time.word_lists import WORD, is_unspaced

FAR = "far"
"""The glue of two words that have nothing to do with each other."""

_LETTERS = ":"  # sorts after all figures and before all letters
_LONG = frozenset((8, 14))  # figures of 20240305 and 20240305143007
_UNSPACED = "\u3005"  # the first of the characters that are words of their own (see `WORD`)
_SAME = str.maketrans("–—‒−~～〜’‘`´\xa0，、", "-------'''' ,,")
_REACH = 12  # words that a window may have before its first trigger
_BOUND = 400  # words that a window may have
_CONTEXT = 2  # words before a window that rules look at
_FIGURES = re.compile("[0-9]+")
_WIDE = re.compile("[０-９]")
_NARROW = str.maketrans("０１２３４５６７８９", "0123456789")
_DATE_SIGN = re.compile(r"[^\w\s,;()%$]")
"""A sign that may stand in a time of numbers and words such as `to`."""
_DATE_IN_PAIRS = re.compile(r"[^\w\s,;()%$.–-]|[0-9]\s?[-.–]\s?[0-9]+\s?[-.–]|\.\s")
"""A sign that may stand in a time of numbers and words such as `the`; one hyphen or full stop is none."""
_BLANKS = bytes(sign if sign >= 128 or chr(sign).isalpha() else 32 for sign in range(256))
"""For `bytes.translate`: all of ASCII that is no letter becomes a blank."""

_Word = tuple[str, int, int]
"""A word in lower case, its start and its end in the text."""


class TimeText:
    """A text with its words in lower case, found forwards and backwards from any place."""

    def __init__(self, text: str) -> None:
        lower = text.lower()
        if len(lower) != len(text):  # "İ" becomes two characters, and offsets must stay true
            lower = "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)
        if not lower.isascii() and _WIDE.search(lower):
            lower = lower.translate(_NARROW)
        self.text, self.lower = text, lower

    @cached_property
    def caseless(self) -> bool:
        """Whether the text is all in small or all in capital letters, so that a capital tells nothing."""
        return self.text in (self.text.lower(), self.text.upper())

    @cached_property
    def _reversed(self) -> str:
        return self.lower[::-1]

    def word_after(self, offset: int) -> _Word | None:
        """The first word that starts at `offset` or later."""
        lower = self.lower
        if lower[offset : offset + 1] == " ":  # mostly, and found at once
            end = lower.find(" ", offset + 1)
            word = lower[offset + 1 : end]
            if end > 0 and word.isalpha() and word < _UNSPACED:
                return word, offset + 1, end
        match = WORD.search(lower, offset)
        return None if match is None else (match[0], match.start(), match.end())

    def word_before(self, offset: int) -> _Word | None:
        """The last word that ends at `offset` or earlier; `offset` lies in no word."""
        lower = self.lower
        if lower[offset - 1 : offset] == " ":
            start = lower.rfind(" ", 0, offset - 1) + 1
            word = lower[start : offset - 1]
            if start > 0 and word.isalpha() and word < _UNSPACED:
                return word, start, offset - 1
        size = len(lower)
        match = WORD.search(self._reversed, size - offset)
        if match is None:
            return None
        start, end = size - match.end(), size - match.start()
        return lower[start:end], start, end

    def triggers(self, lexicon: TimeLexicon) -> list[_Word]:
        """The words that may say a time, in order."""
        chosen = lexicon.triggers
        triggers = [
            (figures, match.start(), match.end())
            for match in _FIGURES.finditer(self.lower)
            if (figures := match[0]) in chosen or len(figures) in _LONG
        ]
        words = self._trigger_words(lexicon)
        if words:
            triggers += [place for word in words for place in self._places(word)]
            triggers.sort(key=_start)
        return triggers

    def _trigger_words(self, lexicon: TimeLexicon) -> set[str]:
        """The different triggers of letters."""
        encoded = self.lower.encode("utf-8", "surrogatepass")
        pieces = set(encoded.translate(_BLANKS).split())
        words = {piece.decode() for piece in pieces & lexicon.ascii_triggers}
        if len(encoded) > len(self.lower):
            for piece in pieces:
                if not piece.isascii():
                    words.update(WORD.findall(piece.decode("utf-8", "surrogatepass")))
            words &= lexicon.triggers
        return words

    def _places(self, word: str) -> Iterator[_Word]:
        lower, size = self.lower, len(word)
        start = lower.find(word)
        while start >= 0:
            end = start + size
            if not (start and _is_letter(lower[start - 1])) and not _is_letter(lower[end : end + 1]):
                yield word, start, end
            start = lower.find(word, end)


def _start(word: _Word) -> int:
    return word[1]


def _is_letter(sign: str) -> bool:
    """Whether a character belongs to a word of letters (see `WORD`); false for none."""
    return sign.isalnum() and not sign.isdecimal() and not is_unspaced(sign)


class WordWindow:
    """Neighbouring words of a text; those from `first` to before `after` are known, and one is a trigger.

    Around them stand up to two words before and one after, for rules that look there. So place 0 is the
    text's first word whenever a known word stands there, and the last place its last one. `gaps[n]` stands
    before word `n`, one more after the last.
    """

    def __init__(self, text: TimeText, places: list[_Word], first: int, after: int) -> None:
        self.text, self.places, self.first, self.after = text, places, first, after
        lower = text.lower
        starts = [place[1] for place in places]
        ends = [0, *(place[2] for place in places)]
        starts.append(len(lower))
        self.gaps = [lower[end:start] for end, start in zip(ends, starts, strict=True)]


def windows(text: TimeText, lexicon: TimeLexicon) -> Iterator[WordWindow]:
    """The windows of a text, in order; their known words are disjoint."""
    done = 0
    for trigger in text.triggers(lexicon):
        if trigger[1] < done:
            continue
        before, context = _before(text, trigger, lexicon, done)
        known, beyond = _after(text, [*before, trigger], lexicon)
        done = known[-1][2]
        if lexicon.weak.issuperset(word for word, _, _ in known):
            continue
        alone = len(known) == 1 and trigger[0] not in lexicon.sufficient and len(trigger[0]) < 8
        whole = context is None and beyond is None
        if not whole and (alone or _counts_only(text, context, known, lexicon)):
            continue
        around = [] if context is None else [context]
        if context is not None and (second := text.word_before(context[1])) is not None:
            around.insert(0, second)
        places = around + known
        if beyond is not None:
            places.append(beyond)
        yield WordWindow(text, places, len(around), len(around) + len(known))


def _counts_only(text: TimeText, context: _Word | None, known: list[_Word], lexicon: TimeLexicon) -> bool:
    """Whether known words are numbers of at most three figures among words that make no time of them.

    `between 12 and 15`, `1.8 of the 40`: without a sign as in `3/5` or `12:30` it takes three of them, or a
    word such as `before`, to say a date.
    """
    inert = context is None or context[0] not in lexicon.known
    for word, _, _ in known:
        if word not in lexicon.inert and not (word < _LETTERS and len(word) < 4):
            if word not in lexicon.mute:
                return False
            inert = False
    said = text.lower[max(known[0][1] - 1, 0) : known[-1][2]]
    return (_DATE_IN_PAIRS if inert else _DATE_SIGN).search(said) is None


def _before(
    text: TimeText, trigger: _Word, lexicon: TimeLexicon, done: int
) -> tuple[list[_Word], _Word | None]:
    """The known words before a trigger, and the word before them."""
    words: list[_Word] = []
    start = trigger[1]
    while (word := text.word_before(start)) is not None:
        if len(words) == _REACH or word[1] < done or not _is_linked(text, word, word[2], start, lexicon):
            break
        words.append(word)
        start = word[1]
    words.reverse()
    return words, word


def _after(text: TimeText, words: list[_Word], lexicon: TimeLexicon) -> tuple[list[_Word], _Word | None]:
    """Some words with the known ones after them, and the word after those."""
    end = words[-1][2]
    while (word := text.word_after(end)) is not None:
        if len(words) >= _BOUND or not _is_linked(text, word, end, word[1], lexicon):
            break
        words.append(word)
        end = word[2]
    return words, word


def _is_linked(text: TimeText, word: _Word, start: int, end: int, lexicon: TimeLexicon) -> bool:
    """Whether a word is known and the gap at [start, end) joins it with its neighbour."""
    if word[0] not in lexicon.known and word[0] >= _LETTERS:
        return False
    gap = text.lower[start:end]
    return gap == " " or bond(gap)[0] != FAR


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
