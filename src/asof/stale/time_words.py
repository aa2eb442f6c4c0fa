"""What sentences say of times to come and of the day on which they were written, from their words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from asof.stale.statements import statements
from asof.stale.words import every, language_of, of_any, pattern

VAGUE_KINDS = ("soon", "now", "lately")

_CITED = re.compile(r"(?:\[|^)[^\[\]]{0,400}\]\(https?://[^()\s]{1,500}\)|\[[^\[\]]{0,400}$")
_IN_BRACKETS = re.compile(r"\((?:19|20)\d\d\)")
_CODE = re.compile(r"`[^`\n]{1,200}`")
_ADDRESS = re.compile(r"\]\([^()\s]{1,500}\)|https?://[^\s<>)\]]+|<[^<>\n]{1,300}>|\b[\w./-]+\.\w{2,5}\b")
_SPOKEN = re.compile(r"\"[^\"“”\n]{2,400}[\"”]|“[^“”\"\n]{2,400}[”\"]|„[^„“”\n]{2,400}[“”]|«[^«»\n]{2,400}»")
_QUOTED = re.compile(r"[ \t]*>(?!\s{0,3}\[!)")
_ROW = re.compile(r"[ \t]*\|")
_SIGNS_OF_TIME = (
    "198", "199", "200", "201", "202", "203", "204", "next", "later this", "this year", "this month",
    "this week", "this quarter", "this spring", "this summer", "this autumn", "this fall",
    "this winter", "end of", "january", "february", "march", "april", "may ", "june", "july", "august",
    "september", "october", "november", "december", "nächste", "kommende", "ende ", "januar", "februar",
    "märz", "mai", "juni", "juli", "oktober", "dezember", "frühjahr", "sommer", "herbst", "prochain",
    "próxim", "prossim", "volgend", "年", "月",
)  # fmt: skip
"""One of these is in every text that names a time to come."""

_BEFORE_A_TIME = re.compile(
    r"\b(?:in|on|by|from|through|before|during|for|at|of|stand|im|am|ab|en|el|au|à|le|em|no|na|il|nel|op)\s+\w",
    re.IGNORECASE,
)


class TimedSentence(NamedTuple):
    """A sentence `text[start:end]` that may speak of a time to come, or of the day on which it was written.

    `masked` is as long, with blanks for code, addresses and what others are quoted with. `vague`: which list
    of words has the one that stands at `[first, last)` of it, or "". `language`: of its text.
    """

    start: int
    end: int
    masked: str
    language: str
    to_come: bool
    vague: str
    first: int = 0
    last: int = 0


def timed_sentences(text: str) -> Iterator[TimedSentence]:
    """The sentences of a passage that may speak of a time to come or of their day."""
    lowered = _folded(text)
    may_be_vague, may_be_timed = _has(lowered, _of_day()), _has(lowered, _SIGNS_OF_TIME)
    if not may_be_vague and not may_be_timed:
        return
    language = language_of(text)
    for start, end in statements(text):
        here = _folded(text[start:end])
        vague_here, timed = (
            may_be_vague and _has(here, _of_day()),
            may_be_timed and _has(here, _SIGNS_OF_TIME),
        )
        if not vague_here and not timed:
            continue
        if _QUOTED.match(text, start, end) or text[start:end].endswith(("?", "？")):
            continue
        masked = mask(text[start:end])
        to_come = timed and _has(masked.lower(), _SIGNS_OF_TIME) and _may_come(masked, language)
        vague, first, last = _vague(masked, language) if vague_here else ("", 0, 0)
        if (to_come or vague) and not _is_example(masked, language):
            yield TimedSentence(start, end, masked, language, to_come, vague, first, last)


def _folded(text: str) -> str:
    return text.lower().replace("\n", " ").replace("’", "'")


def _has(lowered: str, words: tuple[str, ...]) -> bool:
    """Whether one of some words is in a text in lower case: many times as fast as a pattern."""
    return any(map(lowered.__contains__, words))


@cache
def _of_day() -> tuple[str, ...]:
    """The phrases for the day of writing, of all languages."""
    return tuple(sorted({phrase for kind in VAGUE_KINDS for phrase in every(kind)}))


def _may_come(masked: str, language: str) -> bool:
    """Whether words of a sentence may put a time into the future, or tell how things were as of a time."""
    cued = pattern(language, "future", "until").search(masked) or _BEFORE_A_TIME.search(masked)
    return cued is not None and not is_told(masked, language)


def of_examples(heading: str) -> bool:
    """Whether a section has examples, as its heading says in a language that asof knows."""
    return of_any("examples").search(heading) is not None


def _is_example(masked: str, language: str) -> bool:
    return pattern(language, "examples").search(masked) is not None


def mask(sentence: str) -> str:
    """The sentence with blanks for code, titles of other works, addresses, file names and quoted speech."""
    for found in (_CODE, _CITED, _IN_BRACKETS, _ADDRESS, _SPOKEN):
        sentence = found.sub(_blank, sentence)
    return sentence


def _blank(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


def is_told(masked: str, language: str) -> bool:
    """Whether it tells afterwards of what was to come."""
    return pattern(language, "told").search(masked) is not None


def is_supposed(masked: str, language: str) -> bool:
    """Whether it gives an example or a rule."""
    return pattern(language, "supposed").search(masked) is not None


def is_row(masked: str) -> bool:
    """Whether it is a row of a table."""
    return _ROW.match(masked) is not None


def cue_near(masked: str, language: str, start: int, end: int, most: int) -> bool:
    """Whether words for what is to come stand within so many characters of `[start, end)`."""
    near = masked[max(start - most, 0) : end + most]
    return pattern(language, "future").search(near) is not None


def until_near(masked: str, language: str, start: int, end: int) -> bool:
    """Whether a word for a state with an end stands before `[start, end)` or begins it."""
    return pattern(language, "until").search(masked, max(start - 30, 0), end) is not None


def _vague(masked: str, language: str) -> tuple[str, int, int]:
    """The first words for the day of writing: their list and where they stand."""
    for kind in VAGUE_KINDS:
        for match in pattern(language, kind).finditer(masked):
            first, last = match.span()
            timeless = pattern(language, "timeless").finditer(masked)
            if not any(each.start() < last and first < each.end() for each in timeless):
                return kind, first, last
    return "", 0, 0
