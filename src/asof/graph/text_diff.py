"""The words in which two passages differ: the key sentence, added and removed words."""

from __future__ import annotations

import re
from collections.abc import Container
from difflib import SequenceMatcher
from typing import NamedTuple

from asof.text.sentences import sentences
from asof.text.tokens import tokenize

MAX_WORDS = 1_000
"""The most words of each text that are compared."""

_WORD = re.compile(r"[^\s]+")
_AROUND = "\"'“”„«»‘’*_,;:.!?…"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


class WordChanges(NamedTuple):
    """Runs of words in one text and not in the other, as written, in order."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


def word_changes(before: str, after: str) -> WordChanges:
    """The words that were added to and removed from a text.

    >>> word_changes("The fee is 40 crowns.", "The fee is 45 crowns now.")
    WordChanges(added=('45', 'now'), removed=('40',))
    """
    old, new = _words(before), _words(after)
    one, other = ([word.casefold() for word in words] for words in (old, new))
    added: list[str] = []
    removed: list[str] = []
    for kind, first, last, begin, end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            removed.append(" ".join(old[first:last]))
            added.append(" ".join(new[begin:end]))
    return WordChanges(tuple(filter(None, added)), tuple(filter(None, removed)))


def key_sentence(text: str, other: str | None, query_words: Container[str], stop: Container[str] = ()) -> str:
    """The most informative sentence of a text: one with words that the `other` text lacks (if there is one),
    then the one with most of the `query_words`, then with most new words.

    `stop` words do not count. Of equals the first.
    """
    parts = [text[start:end].strip() for start, end in sentences(text)]
    parts = [part for part in parts if _WORD.search(part)] or [text.strip()]
    other_words = set(tokenize(other)) if other is not None else set[str]()
    query_counts = [
        len({word for word in tokenize(part) if word in query_words and word not in stop}) for part in parts
    ]
    new = [_count_new_words(part, other_words, stop) if other is not None else 0 for part in parts]
    return parts[max(range(len(parts)), key=lambda at: (new[at] > 0, query_counts[at], new[at], -at))]


def differ_both_ways(one: str, other: str) -> bool:
    """Whether each of two texts has words that the other has not: neither repeats or completes the other."""
    first, second = set(tokenize(one)), set(tokenize(other))
    return not (first <= second or second <= first)


def below_heading(text: str, headings: str) -> str:
    """A passage without the line of its own heading, if it has more than that."""
    first, _, rest = text.partition("\n")
    last = headings.rpartition("\n")[2]
    return rest if last and rest.strip() and first.lstrip("#= \t").rstrip() == last else text


def _words(text: str) -> list[str]:
    return [word for each in _WORD.findall(text) if (word := _bare(each))][:MAX_WORDS]


def _bare(word: str) -> str:
    """A word without the signs around it; a bracket stays if its other half stands in the word."""
    before = ""
    while word != before:
        before, word = word, word.strip(_AROUND)
        for left, right in _BRACKETS:
            if word.count(left) > word.count(right):
                word = word.removeprefix(left)
            elif word.count(right) > word.count(left):
                word = word.removesuffix(right)
            elif word.startswith(left) and word.endswith(right):
                word = word[1:-1]
    return word


def _count_new_words(text: str, other_words: set[str], stop: Container[str]) -> int:
    """How many words of a text are not in the other; a figure counts twice, as it is a value."""
    new = {word for word in tokenize(text) if word not in other_words and word not in stop}
    return len(new) + sum(word[0].isdigit() for word in new)
