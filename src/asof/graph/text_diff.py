"""In which words two passages differ: the sentence that tells, and what was added and removed."""

from __future__ import annotations

import re
from collections.abc import Container
from difflib import SequenceMatcher
from typing import NamedTuple

from asof.text.sentences import sentences
from asof.text.tokens import tokenize

MAX_WORDS = 1_000
"""So many words of each text are compared."""

_WORD = re.compile(r"[^\s]+")
_AROUND = "\"'“”„«»‘’*_,;:.!?…"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


class WordChanges(NamedTuple):
    """Runs of words that a text has and another has not, as they are written, in their order."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


def word_changes(before: str, after: str) -> WordChanges:
    """What became of the words of a text.

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


def key_sentence(text: str, other: str | None, wanted: Container[str], stop: Container[str] = ()) -> str:
    """The sentence of a text that tells most: it says what another text does not (if there is another),
    then it has most of the `wanted` words, then most that is new.

    `stop` words do not count. Of equals the first.
    """
    parts = [text[start:end].strip() for start, end in sentences(text)]
    parts = [part for part in parts if _WORD.search(part)] or [text.strip()]
    said = set(tokenize(other)) if other is not None else set[str]()
    asked = [len({word for word in tokenize(part) if word in wanted and word not in stop}) for part in parts]
    new = [_count_new_words(part, said, stop) if other is not None else 0 for part in parts]
    return parts[max(range(len(parts)), key=lambda at: (new[at] > 0, asked[at], new[at], -at))]


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


def _count_new_words(text: str, said: set[str], stop: Container[str]) -> int:
    """How many words of a text were not said; a figure counts twice, for it is a value."""
    new = {word for word in tokenize(text) if word not in said and word not in stop}
    return len(new) + sum(word[0].isdigit() for word in new)
