"""Dated documents and sections, which keep the state of their day: changelogs, minutes, diaries, archives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from asof.extensions.facts.current import DocumentLifetime, current_headings, lives
from asof.index.view import View
from asof.lang import set_of
from asof.store.digest import stem_of
from asof.time.span import nearest_moment

LOG_SHARE, LOG_LEAST = 0.6, 3
"""A document is a log if this share of its sections, and so many, are headed by a date or a version."""

_KINDS = ("type", "kind", "category", "layout", "status")
_MARKS = ("archived", "obsolete", "deprecated")

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-zä]{0,7}"
_YEAR = r"(?:19|20)\d\d"
_DATE = (
    rf"{_YEAR}[-_./ ]?(?:0[1-9]|1[0-2])(?:[-_./ ]?(?:0[1-9]|[12]\d|3[01]))?(?!\d)|{_YEAR}[-_ ]?[qw]\d{{1,2}}"
)
_DATED = re.compile(
    rf"(?<!\d)(?:{_DATE}|\d{{1,2}}[-_./ ]\d{{1,2}}[-_./ ]{_YEAR}(?!\d)|{_YEAR}[-_ ]{_MONTH}"
    rf"|{_MONTH}[-_ .,]{{1,2}}(?:\d{{1,2}}[-_ .,]{{1,2}})?{_YEAR})",
    re.IGNORECASE,
)
_OF_A_YEAR = re.compile(rf"{_YEAR}(?:[-_/ ].*)?", re.DOTALL)
_VERSION = re.compile(
    r"(?:version|release|v|[\w.-]{1,30}\s)?\s?\[?v?\d{1,4}(?:\.\d{1,4}){1,3}[\w.+-]{0,20}\]?(?:\s?[-–(].*)?",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(rf"(?:(?:in|of|year)\s)?\(?{_YEAR}\)?(?:\s?[-–/]\s?(?:{_YEAR}|\d\d))?")
_ORDER = re.compile(r"^\d{1,3}[-_. ]+")
_YEAR_BESIDE = re.compile(rf"(?<![\w.])\(?{_YEAR}\)?[-_ ]|(?<=[^\W\d]|[- ])\(?{_YEAR}\)?$")
_SEPARATOR = re.compile(r"[-_\s]+")


def of_their_day(view: View) -> frozenset[int]:
    """The numbers of the current documents that are never stale, since they are of their day."""
    key = "of their day"
    if key not in view.memo:
        there = {number: life for number, life in lives(view).items() if life.ended is None}
        told = {
            number
            for number, life in there.items()
            if by_name(life.name, life.title) or _of_its_year(life) or _by_kind(life.meta)
        }
        view.memo[key] = frozenset(told | _logs(view, there))
    found: frozenset[int] = view.memo[key]
    return found


def by_name(name: str, title: str) -> bool:
    """True if the id or the title of a document says that it is of its day."""
    *folders, last = name.split("/")
    stem = stem_of(last)
    if _DATED.search(stem) or _DATED.search(title) or _OF_A_YEAR.fullmatch(stem):
        return True
    words = [_plain(_YEAR_BESIDE.sub("", part)) for part in (*folders, _ORDER.sub("", stem), title)]
    return (
        any(re.fullmatch(_YEAR, folder) for folder in folders)
        or any(word in _phrases().day for word in words)
        or any(
            word.startswith(_phrases().day_begins) or word.endswith(_phrases().day_ends)
            for word in words[-2:]
        )
    )


def _of_its_year(life: DocumentLifetime) -> bool:
    """True if a document is called after the year in which it began, or one beside it: "plan-2021",
    "Summit2021"."""
    found = _YEAR_BESIDE.search(stem_of(life.name.rpartition("/")[2])) or _YEAR_BESIDE.search(life.title)
    return found is not None and abs(int(found[0].strip("-_ ()")) - nearest_moment(life.born).year) <= 1


@lru_cache(maxsize=65_536)
def historical_headings(headings: tuple[str, ...]) -> bool:
    """True if one of the headings above a passage marks it as historical: "Changelog", "Version 1.2",
    "2019", "Migration from 1.x"."""
    known = _phrases()
    return any(
        (words := _plain(heading)) in known.headings
        or words.startswith(known.heading_begins)
        or _is_entry(heading)
        or "(before" in heading.lower()
        for heading in headings
    )


def _is_entry(heading: str) -> bool:
    """True if it is a date or a version, as an entry of a log has."""
    words = heading.strip()
    return bool(_VERSION.fullmatch(words) or _BARE_YEAR.fullmatch(words) or _DATED.search(words))


def _plain(words: str) -> str:
    return _SEPARATOR.sub(" ", words).strip(" .:#*()[]").lower()


class _Phrases(NamedTuple):
    """The words of all languages for what is of its day."""

    day: frozenset[str]
    day_begins: tuple[str, ...]
    day_ends: tuple[str, ...]
    headings: frozenset[str]
    heading_begins: tuple[str, ...]
    kinds: frozenset[str]


@cache
def _phrases() -> _Phrases:
    day, headings = set_of("stale", "day"), set_of("stale", "headings")
    telling = [word for word in day if len(word) > 6]
    return _Phrases(
        day,
        tuple(f"{word} {then}" for word in telling for then in ("for ", "of ", "-", "– ")),
        tuple(f" {word}" for word in telling if word != "changed"),
        headings,
        tuple(f"{word}{then}" for word in headings for then in (" ", ":", ",")),
        set_of("stale", "kinds"),
    )


def _by_kind(meta: str) -> bool:
    if len(meta) < 8:
        return False
    values = {key.lower(): value for key, value in json.loads(meta).items()}
    said = [each for key in _KINDS for each in _texts(values.get(key))]
    return any(_plain(each) in _phrases().kinds for each in said) or any(
        values.get(key) is True for key in _MARKS
    )


def _texts(value: object) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


def _logs(view: View, documents: Iterable[int]) -> set[int]:
    """The documents whose sections are dates or versions."""
    above = current_headings(view)
    entries = {
        document: {each.split("\n", 2)[1] if "\n" in each else each for each in headings}
        for document, headings in above.items()
    }
    logs = {
        document for document, each in entries.items()
        if sum(map(_is_entry, each)) >= max(LOG_LEAST, LOG_SHARE * len(each))
    }  # fmt: skip
    return logs.intersection(documents)
