"""What sentences say of times to come and of the day on which they were written, from their words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from asof.stale.statements import statements
from asof.stale.words import language_of, pattern

VAGUE_KINDS = ("soon", "now", "lately")

_CITED = re.compile(r"(?:\[|^)[^\[\]]{0,400}\]\(https?://[^()\s]{1,500}\)|\[[^\[\]]{0,400}$")
_IN_BRACKETS = re.compile(r"\((?:19|20)\d\d\)")
_CODE = re.compile(r"`[^`\n]{1,200}`")
_ADDRESS = re.compile(r"\]\([^()\s]{1,500}\)|https?://[^\s<>)\]]+|<[^<>\n]{1,300}>|\b[\w./-]+\.\w{2,5}\b")
_SPOKEN = re.compile(r"\"[^\"\n]{2,400}\"|“[^“”\n]{2,400}”|„[^„“”\n]{2,400}[“”]|«[^«»\n]{2,400}»")
_QUOTED = re.compile(r"[ \t]*>(?!\s{0,3}\[!)")
_ROW = re.compile(r"[ \t]*\|")
_SIGN_OF_TIME = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|[年月]"
    r"|\b(?:next|later|end|jan|feb|mar|apr|may|june|july|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter|this)"
    r"|\b(?:nächst|kommend|ende|mär|mai|juni|juli|okt|dez|frühjahr|sommer|herbst|prochain|próxim|prossim|volgend)",
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
    language = language_of(text)
    may_be_vague = pattern(language, *VAGUE_KINDS).search(text) is not None
    if not may_be_vague and _SIGN_OF_TIME.search(text) is None:
        return
    for start, end in statements(text):
        if _QUOTED.match(text, start, end) or text[start:end].endswith(("?", "？")):
            continue
        masked = mask(text[start:end])
        to_come = _SIGN_OF_TIME.search(masked) is not None and not is_told(masked, language)
        vague, first, last = _vague(masked, language) if may_be_vague else ("", 0, 0)
        if to_come or vague:
            yield TimedSentence(start, end, masked, language, to_come, vague, first, last)


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
