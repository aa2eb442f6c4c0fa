"""The runs of words that can say a time, which is where rules are tried.

The gap between two words is as much a part of a date as the words are: `3/5`, `3.5` and `3 5` differ in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from asof.time.figures import figure_senses
from asof.time.lexicon import NO_SENSES, Senses, TimeLexicon
from asof.time.word_lists import is_unspaced
from asof.time.word_windows import FAR, TimeText, WordWindow, bond, windows


class TimeToken(NamedTuple):
    """A word or phrase with its senses; `glue` is what stands before it: " " for blanks, else the signs.

    `kind` is the set of its senses; `wide` tells whether there are blanks
    besides the signs. `first` and `last` are places of its window.
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


_END = TimeToken("", NO_SENSES, NO_SENSES.kind, FAR, True, -1, -1, -1, -1)
_BEYOND = (NO_SENSES,) * 8
"""What stands after the last item, and, since -1 is the last place of a list, before the first."""


_JOINING = frozenset(("-", "--", "/"))


class TokenRun:
    """Neighbouring words that are all known, as items. Asking past either end finds nothing."""

    def __init__(self, window: WordWindow, lexicon: TimeLexicon) -> None:
        self.window, self.lexicon = window, lexicon
        self.items: list[TimeToken] = []
        self.memo: dict[tuple[str, int], Any] = {}
        """What rules found at places, so that none is tried there twice."""
        phrases, known = lexicon.phrases, lexicon.senses
        at, joint, conjunction, between = window.first, 0, 0, False
        while at < window.after:
            word, start, end = window.places[at]
            glue, wide = bond(self._gap(at))
            if glue == "'" and self.items and "elided" in self.items[-1].kind:
                glue = " "  # l'année
            after, phrase = self._phrase(at, word) if word in phrases else (at + 1, None)
            senses = phrase or known.get(word) or figure_senses(word, glue)
            if phrase is not None:
                end = window.places[after - 1][2]
            kind = senses.kind
            if glue in _JOINING or "to" in kind:
                joint = len(self.items)
            elif "and" in kind:
                conjunction = len(self.items)
            between = between or "between" in kind
            self.items.append(TimeToken(word, senses, kind, glue, wide, start, end, at, after - 1))
            at = after
        self.size = len(self.items)
        self.last_joint = max(joint, conjunction) if between else joint
        """The last item that can join two times to a range: a word, or one after `-` or `/`; or 0."""
        self._senses: list[Senses] = [*(item.senses for item in self.items), *_BEYOND]

    def _phrase(self, at: int, word: str) -> tuple[int, Senses | None]:
        """The place after the longest known phrase that begins at a place, and its senses."""
        window = self.window
        for phrase, senses in self.lexicon.phrases[word]:
            after = at + len(phrase)
            if (
                after <= window.after
                and tuple(place[0] for place in window.places[at:after]) == phrase
                and all(bond(gap)[0] in _WITHIN for gap in window.gaps[at + 1 : after])
            ):
                return after, senses
        return at + 1, None

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
        return self.window.text.text[self[i].start].isupper() if 0 <= i < self.size else False

    @property
    def caseless(self) -> bool:
        """Whether the whole text is in small or in capital letters, so that a capital tells nothing."""
        return self.window.text.caseless

    def before(self, i: int) -> tuple[str, str]:
        """The word before an item, known or not, and the gap between, as it stands in the text."""
        n, window = self[i].first, self.window
        return (window.places[n - 1][0] if n > 0 else ""), self._gap(n)

    def behind(self, i: int) -> tuple[str, str]:
        """The word after item `i`, known or not, and the gap between."""
        n, window = self[i].last + 1, self.window
        return (window.places[n][0] if n < len(window.places) else ""), self._gap(n)

    def _gap(self, n: int) -> str:
        """What stands before word `n` of the window; a blank where a script has none."""
        places, gap = self.window.places, self.window.gaps[n]
        if gap or n == 0 or not any(is_unspaced(place[0]) for place in places[n - 1 : n + 1]):
            return gap
        return " "


_WITHIN = frozenset([" ", "-", "'", ".", "/", "", "o"])


def runs(text: str, lexicon: TimeLexicon) -> Iterator[TokenRun]:
    """The runs of a text that hold a trigger, in order and disjoint."""
    for window in windows(TimeText(text), lexicon):
        yield TokenRun(window, lexicon)
