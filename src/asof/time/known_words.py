"""Regular expressions by which all known words around a place of a text are found at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from asof.time.lexicon import TimeLexicon
from asof.time.word_lists import UNSPACED, is_unspaced

LONGEST_GAP, MOST_SIGNS = 16, 3
"""The characters, and those of them that are no blanks, between two words that say one time."""

_DIGIT = r"[^\W\D0-9]"  # of another script, which belongs to no word
_SIGN = rf"(?:[^\w\s{UNSPACED}]|_|{_DIGIT})"
_BETWEEN = rf"(?:[^\w{UNSPACED}]|_|{_DIGIT})"
_IN_LINE = rf"(?:(?!\n){_BETWEEN})*"
_NEAR = (
    rf"(?>[^\w\s{UNSPACED}]? ?(?=[^\W\d_]|[0-9])"  # mostly
    rf"|(?={_BETWEEN}{{0,{LONGEST_GAP}}}(?!{_BETWEEN}))(?!{_IN_LINE}\n{_IN_LINE}\n)"
    rf"(?:\s*{_SIGN}){{0,{MOST_SIGNS}}}\s*)"
)
"""What may stand between two words of one time, see `word_windows.bond`."""


@lru_cache(maxsize=16)
def words_after(lexicon: TimeLexicon, most: int) -> re.Pattern[str]:
    """What matches the known words after a word, and figures, so many at most."""
    return _in_row(lexicon.known, most)


@lru_cache(maxsize=16)
def words_before(lexicon: TimeLexicon, most: int) -> re.Pattern[str]:
    """The same for words before a word, in a text that is reversed."""
    return _in_row((word[::-1] for word in lexicon.known), most)


def _in_row(known: Iterable[str], most: int) -> re.Pattern[str]:
    words = [word for word in known if not word[0].isdecimal()]
    spaced = any_of(word for word in words if not is_unspaced(word))
    unspaced = any_of(word for word in words if is_unspaced(word))
    word = rf"(?:[0-9]+|{spaced}(?![^\W\d_{UNSPACED}])|{unspaced})"
    return re.compile(f"(?:{_NEAR}{word}){{0,{most}}}")


def any_of(words: Iterable[str]) -> str:
    """A pattern of some words, at least one: a tree of their letters, so that few of them are tried."""
    by_first: dict[str, list[str]] = {}
    for word in sorted(set(words)):
        by_first.setdefault(word[:1], []).append(word[1:])
    ends = by_first.pop("", None) is not None
    branches = [re.escape(first) + any_of(rest) for first, rest in by_first.items()]
    return f"(?:{'|'.join(branches)}){'?' if ends else ''}" if branches else ""
