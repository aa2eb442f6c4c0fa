"""The words of a question that tell of time, of a wish, or of its structure, by lists of one language.

`lang/<code>/intent.toml` holds the lists, `answer_kinds.toml` beside it the words for kinds of answers. They
are read when the first question is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from asof.lang import FIRST, codes, detect, tables

CONTENT = ""
"""The kind of a word that stands in no list."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_QUOTED = re.compile(r"\"[^\"]*+\"|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»|(?<!\w)'[^']*+'(?!\w)")
_MARKS = '"“”„«»'


class Cue(NamedTuple):
    """A word or phrase at [start, end) of a question. `kind`: `table.list` of the language, or `CONTENT`."""

    kind: str
    start: int
    end: int
    text: str  # in lower case
    word: str  # of a phrase the last one
    possessive: bool  # whether "'s" was there


Word = tuple[int, int, str, bool]
"""Start, end, the word in lower case without "'s", whether it had one."""

Phrases = dict[str, tuple[tuple[tuple[str, ...], str], ...]]
"""First word of a phrase -> (its other words, its kind), longest first."""


def cues(question: str, words: list[Word], language: str) -> list[Cue]:
    """The words of a question in order, phrases of the lists of `language` as one."""
    return _grouped(question, words, phrases(language), every=True)


def kinds_of_answer(question: str, words: list[Word], language: str) -> list[Cue]:
    """The words that name kinds of answers, by `answer_kinds.toml`."""
    return _grouped(question, words, kinds(language), every=False)


def language_of(words: list[Word], language: str) -> str:
    """Which of the languages named in `language` (codes with anything between them) a question is in.

    The one whose lists know most of its words; in doubt English, which is always among them.
    """
    if language == FIRST:
        return language
    wanted = {FIRST, *re.findall("[a-z]+", language.lower())}
    named = [code for code in codes("intent") if code in wanted]
    if len(named) == 1:
        return FIRST
    return detect({word for _, _, word, _ in words}, {code: phrases(code) for code in named})


def words_of(question: str) -> list[Word]:
    """The words of a question in order; what is quoted in it is left out.

    A question that stands in quotation marks as a whole, its question mark included, is no quotation.
    """
    start, end = _bounds(question)
    words: list[Word] = []
    for quoted in _QUOTED.finditer(question, start, end):
        words += _tokens(question, start, quoted.start())
        start = quoted.end()
    return words + _tokens(question, start, end)


def _bounds(question: str) -> tuple[int, int]:
    """Where a text begins and ends, without quotation marks around the whole of a question."""
    inner = question.strip().strip(_MARKS)
    if not inner.endswith("?") or any(mark in inner for mark in _MARKS):
        return 0, len(question)
    start = question.index(inner)
    return start, start + len(inner)


def _tokens(question: str, start: int, end: int) -> list[Word]:
    words: list[Word] = []
    for found in _WORD.finditer(question, start, end):
        start, end = found.span()
        word = found[0].lower().replace("’", "'")
        possessive = word[-2:] == "'s"
        words.append((start, end, word[:-2] if possessive else word, possessive))
    return words


def _grouped(question: str, words: list[Word], listed: Phrases, *, every: bool) -> list[Cue]:
    """The longest phrases at each place from left to right; words in no phrase only if `every`."""
    found: list[Cue] = []
    after, count = 0, len(words)
    for at, (start, end, word, possessive) in enumerate(words):
        if at < after:
            continue
        options = listed.get(word, ())
        if possessive:
            options = (*listed.get(f"{word}'s", ()), *options)
        following = words[at + 1][2] if at + 1 < count else None
        for rest, kind in options:
            if not rest:
                found.append(Cue(kind, start, end, word, word, possessive))
                break
            if rest[0] == following and _stands(question, words, at, rest):
                after = at + len(rest) + 1
                _, end, last, possessive = words[after - 1]
                found.append(Cue(kind, start, end, question[start:end].lower(), last, possessive))
                break
        else:
            if every:
                found.append(Cue(CONTENT, start, end, word, word, possessive))
    return found


def _stands(question: str, words: list[Word], at: int, rest: tuple[str, ...]) -> bool:
    """Whether `rest` comes after the word at `at`, with blanks between."""
    if at + len(rest) >= len(words) or any(words[at + i][2] != part for i, part in enumerate(rest, 1)):
        return False
    return all(question[words[i][1] : words[i + 1][0]].isspace() for i in range(at, at + len(rest)))


@cache
def phrases(language: str) -> Phrases:
    """The lists of a language."""
    return _by_first_word(
        (phrase, f"{table}.{entry}")
        for table, entries in tables(language, "intent").items()
        for entry, listed in entries.items()
        for phrase in listed
    )


@cache
def kinds(language: str) -> Phrases:
    """The words of a language that name kinds of answers."""
    return _by_first_word(
        (phrase, entry) for entry, listed in tables(language, "answer_kinds").items() for phrase in listed
    )


@cache
def units(language: str) -> dict[str, str]:
    """Words for lengths of time -> their kind."""
    return {
        first: kind
        for first, options in phrases(language).items()
        for rest, kind in options
        if not rest and kind.startswith("unit.")
    }


def _by_first_word(named: Iterable[tuple[str, str]]) -> Phrases:
    listed: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, kind in named:
        first, *rest = phrase.split()
        listed.setdefault(first, []).append((tuple(rest), kind))
    return {
        first: tuple(sorted(options, key=lambda option: -len(option[0]))) for first, options in listed.items()
    }
