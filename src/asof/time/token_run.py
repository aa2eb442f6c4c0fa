"""The runs of words that can say a time, which is where rules are tried.

The gap between two words is as much a part of a date as the words are: `3/5`, `3.5` and `3 5` differ in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from asof.time.figures import figure_senses
from asof.time.lexicon import NO_SENSES, Senses, TimeLexicon
from asof.time.word_lists import is_unspaced
from asof.time.word_windows import FAR, TimeText, WordWindow, bond, windows

_Phrases = Mapping[str, tuple[tuple[tuple[str, ...], Senses], ...]]
"""Phrases with their senses, longest first, by their second word."""


@dataclass(frozen=True, slots=True)
class TimeToken:
    """A word or phrase with its senses; `glue` is what stands before it: " " for blanks, else the signs.

    `kind` is the set of its senses; `wide` tells whether there are blanks besides the signs. `phrases` are
    those that begin with the word. `marks` tells what a run with it may hold.
    """

    word: str
    senses: Senses
    kind: frozenset[str]
    glue: str
    wide: bool
    phrases: _Phrases | None = None
    marks: int = 0


_JOINT, _AND, _BETWEEN, _RELATION, _HOURS = (1 << n for n in range(5))
_JOINING = frozenset(("-", "--", "/"))
_MARKS = (
    (_JOINT, frozenset(("to",))),
    (_AND, frozenset(("and",))),
    (_BETWEEN, frozenset(("between",))),
    (_RELATION, frozenset(("relation",))),
    (_HOURS, frozenset(("hour", "cardinal", "meridiem", "hour_sign", "daypart", "between", "from"))),
)


@lru_cache(maxsize=4096)
def _marks(kind: frozenset[str], glue: str) -> int:
    marks = sum(mark for mark, senses in _MARKS if senses & kind)
    return marks | (_JOINT if glue in _JOINING else 0) | (_HOURS if glue in (":", ".") else 0)


_END = TimeToken("", NO_SENSES, NO_SENSES.kind, FAR, True)
_BEYOND = (NO_SENSES,) * 8
"""What stands after the last item, and, since -1 is the last place of a list, before the first."""


class TokenRun:
    """Neighbouring words that are all known, as items. Asking past either end finds nothing.

    `places[i]` is the place in the window of the first word of item `i`, one more stands after the last.
    """

    __slots__ = (
        "_senses",
        "items",
        "last_joint",
        "last_relation",
        "lexicon",
        "may_hold_hours",
        "memo",
        "places",
        "size",
        "window",
    )

    def __init__(self, window: WordWindow, lexicon: TimeLexicon) -> None:
        self.window, self.lexicon = window, lexicon
        items: list[TimeToken] = []
        places: list[int] = []
        self.memo: dict[tuple[str, int], Any] = {}
        """What rules found at places, so that none is tried there twice."""
        words, gaps, after = window.words, window.gaps, window.after
        at, joint, conjunction, relation, held = window.first, 0, 0, 0, 0
        while at < after:
            item = _token(lexicon, gaps[at] or self._gap(at), words[at])
            if item.glue == "'" and items and "elided" in items[-1].kind:
                item = _token(lexicon, " ", words[at])  # l'année
            places.append(at)
            at += 1
            if item.phrases is not None and at < after and words[at] in item.phrases:
                at, item = self._phrase(at, item)
            if item.marks:
                held |= item.marks
                if item.marks & _JOINT:
                    joint = len(items)
                elif item.marks & _AND:
                    conjunction = len(items)
                if item.marks & _RELATION:
                    relation = len(items)
            items.append(item)
        places.append(at)
        self.items, self.places, self.size = items, places, len(items)
        self.last_joint = max(joint, conjunction) if held & _BETWEEN else joint
        """The last item that can join two times to a range: a word, or one after `-` or `/`; or 0."""
        self.last_relation = relation
        """The last item that can limit a time; or 0."""
        self.may_hold_hours = bool(held & _HOURS)
        """Whether two times of day that make a range may be in it."""
        self._senses: list[Senses] = [*[item.senses for item in items], *_BEYOND]

    def _phrase(self, second: int, item: TimeToken) -> tuple[int, TimeToken]:
        """The place after the longest known phrase of an item's word and the `second` one, and the phrase."""
        window = self.window
        for phrase, senses in (item.phrases or {})[window.words[second]]:
            after = second - 1 + len(phrase)
            if (
                after <= window.after
                and tuple(window.words[second - 1 : after]) == phrase
                and all(bond(gap)[0] in _WITHIN for gap in window.gaps[second:after])
            ):
                marks = _marks(senses.kind, item.glue)
                return after, TimeToken(item.word, senses, senses.kind, item.glue, item.wide, None, marks)
        return second, item

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

    def start(self, i: int) -> int:
        """Where an item starts in the text."""
        return self.window.starts[self.places[i]]

    def end(self, i: int) -> int:
        """Where an item ends in the text."""
        return self.window.end(self.places[i + 1] - 1)

    def words(self, i: int) -> int:
        """How many words an item has: 1, or those of a phrase; 0 past either end."""
        return self.places[i + 1] - self.places[i] if 0 <= i < self.size else 0

    def capital(self, i: int) -> bool:
        """Whether an item begins with a capital letter."""
        return self.window.text.text[self.start(i)].isupper() if 0 <= i < self.size else False

    @property
    def caseless(self) -> bool:
        """Whether the whole text is in small or in capital letters, so that a capital tells nothing."""
        return self.window.text.caseless

    def before(self, i: int) -> tuple[str, str]:
        """The word before an item, known or not, and the gap between, as it stands in the text."""
        n = self.places[i]
        return (self.window.words[n - 1] if n > 0 else ""), self.window.gaps[n] or self._gap(n)

    def behind(self, i: int) -> tuple[str, str]:
        """The word after item `i`, known or not, and the gap between."""
        if not 0 <= i < self.size:
            return "", ""
        n, words = self.places[i + 1], self.window.words
        return (words[n] if n < len(words) else ""), self.window.gaps[n] or self._gap(n)

    def _gap(self, n: int) -> str:
        """What stands before word `n` of the window; a blank where a script has none."""
        words, gap = self.window.words, self.window.gaps[n]
        if gap or n == 0 or not any(map(is_unspaced, words[n - 1 : n + 1])):
            return gap
        return " "


@lru_cache(maxsize=32768)
def _token(lexicon: TimeLexicon, gap: str, word: str) -> TimeToken:
    glue, wide = bond(gap)
    senses = lexicon.senses.get(word) or figure_senses(word, glue)
    phrases: dict[str, list[tuple[tuple[str, ...], Senses]]] = {}
    for phrase in lexicon.phrases.get(word, ()):
        phrases.setdefault(phrase[0][1], []).append(phrase)
    second = {word: tuple(each) for word, each in phrases.items()}
    return TimeToken(word, senses, senses.kind, glue, wide, second or None, _marks(senses.kind, glue))


_WITHIN = frozenset([" ", "-", "'", ".", "/", "", "o"])


def runs(text: str, lexicon: TimeLexicon) -> Iterator[TokenRun]:
    """The runs of a text that hold a trigger, in order and disjoint."""
    for window in windows(TimeText(text), lexicon):
        yield TokenRun(window, lexicon)
