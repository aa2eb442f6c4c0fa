"""The word lists of `lang/<code>/time.toml`: which words of which languages a text is read with.

A word is what `WORD` finds; an entry of a list is a phrase of one or more of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from asof.lang import codes, stop_words, tables

UNSPACED = "\u3005\u3007\u3040-\u30ff\u3400-\u9fff"
"""Characters of scripts without blanks (Han, kana), as in a class of a regular expression."""

WORD = re.compile(rf"[^\W\d_{UNSPACED}]+|[0-9]+|[{UNSPACED}]")
"""A word is a run of letters, a run of figures, or a character of a script without blanks."""

NAME_LISTS = frozenset({"product", "counted"})
"""Tables of words around numbers that are no times."""

_SHORT = frozenset(["month_short", "weekday_short"])
_ABROAD = ("month", "of", "with_year", "lower_case")  # the marks of months after them


class Entry(NamedTuple):
    """A word or phrase, the table that holds it, and what it means there."""

    table: str
    value: Any
    words: tuple[str, ...]


def is_unspaced(word: str) -> bool:
    """Whether a word or character belongs to a script that puts no blanks between words; false for none."""
    return "\u3005" <= word[:1] <= "\u9fff"


def entries(named: Sequence[str]) -> Iterator[Entry]:
    """All words of the named languages, and months of the others.

    A short name of a month or a day gives way to any word of a language that is named before: Spanish "ago"
    is August where English is not. A month of a language that is not named gives way to all words of those
    that are; if it is in the table `with_year` of its own language, it is one only with a year.
    """
    known: set[str] = set()
    for code in named:
        before = frozenset(known)
        for entry in _entries(code):
            if entry.table == "with_year" or (entry.table in _SHORT and entry.words[0] in before):
                continue
            if len(entry.words) == 1 and entry.table not in NAME_LISTS:
                known.add(entry.words[0])
            yield entry
    known.update(*map(stop_words, named))
    for code in codes("time"):
        if code not in named:
            yield from _of_other_texts(code, known)


def _of_other_texts(code: str, known: Iterable[str]) -> Iterator[Entry]:
    """The months of a language, and its words for "of", in texts of other languages."""
    months: set[tuple[str, ...]] = set()
    for entry in _entries(code, _ABROAD):
        if len(entry.words) > 1 or entry.words[0] in known:
            continue
        if entry.table == "month":
            months.add(entry.words)
        elif entry.table != "of" and entry.words not in months:
            continue
        yield entry


def _entries(code: str, chosen: Iterable[str] = ()) -> Iterator[Entry]:
    """The words of some tables of a language, in their order; without a choice of all."""
    lists = tables(code, "time")
    bare = lists.get("accents") == "optional"
    for table in chosen or lists:
        rows = lists.get(table)
        if isinstance(rows, dict):
            for key, words in rows.items():
                value = int(key) if re.fullmatch(r"-?[0-9]+", key) else key
                for word in words.split():
                    yield Entry(table, value, tuple(WORD.findall(word)))
                    plain = _unaccented(word) if bare and not word.isascii() else word
                    if plain != word and len(plain) > 1 and plain not in stop_words(code):
                        yield Entry(table, value, tuple(WORD.findall(plain)))  # dès and des are two words


def _unaccented(word: str) -> str:
    """A word as it is typed without accents."""
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
