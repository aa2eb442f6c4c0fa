"""Versions of a thing, which order what is said of it beside dates: "2.1.0", "v3", "since 1.15", "1.15-1.20".

A passage is of the version that its innermost heading with one names ("## [1.4.2] - 2021-03-05"), else its
document's title, a folder or the name of its file ("v2/limits.md", "docs-3.x/limits.md"). A question may name
a version at which the answer has to hold ("in 2.3"), one beside which another is asked for ("before 3.0"), or
ask for a version itself ("which release dropped X"). Words are in `lang/*/versions.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import category

from asof.lang import codes, of_all, set_of
from asof.text.figures import lexicon
from asof.text.tokens import any_of

BITS, PRE_BITS, PRE = (11, 11, 17, 12), 11, 1 << 10
"""The bits of the numbers of a version in an ordinal, those behind them, and what a release has there: what
comes before it has less (2.0.0b3). A greater number is read as the largest, a fifth is not read."""

_NUMBER = (
    r"(\d{1,6}(?:\.\d{1,6}){0,5})(?:\.[xX*])?(?:[-.]?(alpha|beta|preview|pre|rc|dev|a|b)[-.]?(\d{0,3}))?"
)
_DOTTED = re.compile(rf"(?<![\w.,/-])[vV]?(?=\d+\.[\dxX*]|(?<=[vV])\d){_NUMBER}(?![\w%])(?!\.\d|,\d)")
_DATE = re.compile(
    r"(?:19|20)\d\d[.](?:0[1-9]|(?:0?[1-9]|1[0-2])[.]\d{1,2})|\d{1,2}[.]\d{1,2}[.](?:19|20)?\d\d"
)
_MONTH, _NAME = re.compile(r"(?:19|20)\d\d[.](?:[1-9]|1[0-2])"), re.compile(r"[^\W\d_]\s\Z")
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "pre": 3, "preview": 3, "rc": 4}


class Version(NamedTuple):
    """A version as it is written, its ordinal, and those of the first and behind the last one that begins so:
    1.15 covers 1.15.0rc1 and 1.15.9."""

    text: str
    at: int
    first: int
    behind: int


@lru_cache(maxsize=4096)
def _version(text: str, numbers: str, stage: str, serial: str) -> Version:
    parts = [min(int(each), (1 << bits) - 1) for each, bits in zip(numbers.split("."), BITS, strict=False)]
    pre = 128 * _STAGES[stage] + min(int(serial or 0), 127) + 1 if stage else 0
    low = 0
    for part, bits in zip([*parts, *[0] * len(BITS)], BITS, strict=False):
        low = low << bits | part
    low <<= PRE_BITS
    if pre:
        return Version(text, low + pre, low + pre, low + pre + 1)
    return Version(text, low + PRE, low, low + (1 << PRE_BITS + sum(BITS[len(parts) :])))


def versions_in(text: str) -> Iterator[tuple[Version, int, int]]:
    """The versions in a text, each with its beginning and end: numbers with dots or a "v", and whole ones
    behind a word for a version ("release 12"). What is money is none ("£4.60")."""
    found = [*_DOTTED.finditer(text), *_named().finditer(text)]
    read = 0
    for match in sorted(found, key=lambda each: (each.start(), -each.end())):
        start = match.start(1) - (text[match.start(1) - 1 : match.start(1)] in ("v", "V"))
        dated = _DATE.fullmatch(match[1]) or (_MONTH.fullmatch(match[1]) and not _NAME.search(text[:start]))
        if start >= read and not dated and not _is_money(text, start, match.end()):
            read = match.end()
            words = text[start : match.end()]
            yield _version(words, match[1], (match[2] or "").casefold(), match[3] or ""), start, match.end()


def _is_money(text: str, start: int, end: int) -> bool:
    """True if a sign or a word of a currency stands before or behind this part of a text: "£4.60", "4.60
    euros"."""
    before, behind = text[:start].rstrip()[-1:], _UNIT.match(text, end)
    return category(before or " ") == "Sc" or (behind is not None and behind[1].casefold() in _currencies())


_UNIT = re.compile(r"\s?([^\W\d_]+|[^\w\s])")


@cache
def _currencies() -> frozenset[str]:
    """The signs and words of currencies, of all languages."""
    return frozenset(word for code in codes("facts") for word in lexicon(code).currencies)


@cache
def _named() -> re.Pattern[str]:
    nouns = any_of(of_all("words", "version")).pattern
    return re.compile(rf"{nouns}[ \t-]{{1,2}}{_NUMBER}(?![\w%])(?!\.\d|,\d)", re.IGNORECASE)


# -- the version of a passage ------------------------------------------------------------------------------

_LEADS = 3
"""A heading or title of a version has at most so many words before it ("Release notes for 4.2.1")."""


@lru_cache(maxsize=8192)
def of_heading(heading: str) -> Version | None:
    """The version that a heading or a title names; a number with one dot only if no word but one for versions
    follows it: "Quillbox 3.0 release notes", but not "2.1 Fees", "1.5 litres"."""
    found = next(versions_in(heading), None)
    if found is None or len(heading[: found[1]].split()) > _LEADS:
        return None
    version, _, end = found
    said = version.text.count(".") != 1 or not version.text[0].isdigit() or _named().search(heading)
    behind = _WORD_AFTER.match(heading, end)
    return version if said or behind is None or behind[1].casefold() in set_of("versions", "notes") else None


_WORD_AFTER = re.compile(r"\s+([^\W\d_]{2,})")


@lru_cache(maxsize=8192)
def of_path(path: str) -> Version | None:
    """The version that the last part of a path with one names: `v2/limits.md`, `docs-3.x/limits.md`."""
    folders, _, name = path.rpartition("/")
    for part in (name.rpartition(".")[0], *reversed(folders.split("/"))) if folders else ():
        plain = re.sub(r"[_-]", " ", part)
        found = [
            version for version, start, end in versions_in(plain) if start == 0 or plain[start - 1] == " "
        ]
        if found:
            return found[0]
    return None


def of_passage(headings: str, title: str, path: str) -> Version | None:
    """The version of a passage, by its headings (the innermost first), its document's title and path."""
    for heading in reversed(headings.split("\n")):
        if any(map(str.isdigit, heading)) and (found := of_heading(heading)):
            return found
    return of_heading(title) or of_path(path)


# -- what a question asks ------------------------------------------------------------------------------------

IN, UNDER, BEFORE, AFTER, WHICH, FIRST = "in", "under", "before", "after", "which", "first"


class AskedVersion(NamedTuple):
    """What a question says of versions: it holds IN one, or UNDER one, in what came before it; the one BEFORE
    or AFTER one is asked for, or WHICH one it is, or the FIRST of several; `version` is the one that it
    names. `change`: the kind of change that it asks about, a list of `lang/*/versions.toml`, or "". `words`:
    the beginnings and ends of its words that say nothing else."""

    kind: str
    version: Version | None
    change: str = ""
    words: tuple[tuple[int, int], ...] = ()


CHANGED = "changed"
CHANGES = ("removed", "deprecated", "fixed", "added", CHANGED)
GAP = 3
"""The most words between "which" and "version"."""


@cache
def phrases(key: str) -> re.Pattern[str]:
    """Finds the words of a list of `lang/*/versions.toml`, such as those for a kind of change."""
    return any_of(of_all("versions", key))


@cache
def _which() -> re.Pattern[str]:
    ask, nouns = (phrases(key).pattern for key in ("which", "noun"))
    return re.compile(rf"({ask})(?:\s+\S+){{0,{GAP}}}?\s+({nouns})", re.IGNORECASE)


EARLY = 4
"""A question for what changed in a version says so among so many words at its beginning, or in the last."""


@lru_cache(maxsize=256)
def asked(question: str) -> AskedVersion | None:
    """What a question says of versions; None for nothing."""
    named, which = next(versions_in(question), None), _which().search(question)
    if named is not None and _is_amount(question, *named):
        named = None
    words = tuple(which.span(group) for group in (1, 2)) if which else ()
    if named is None:
        if not which and not phrases("since").search(question):
            return None
        change = _change(question)
        first = phrases("first").search(question) or change == "added"
        return AskedVersion(FIRST if first else WHICH, None, change, words)
    before, version = question[: named[1]].rstrip(), named[0]
    side = next((kind for kind in (BEFORE, AFTER) if _ends_with(kind, before)), IN)
    if side != IN and (which or phrases("noun").search(before) or phrases("comes").search(before)):
        words += tuple(match.span() for match in phrases("noun").finditer(question))
        return AskedVersion(side, version, words=words)
    said = question.rstrip("?").split()
    change = _change(" ".join([*said[:EARLY], said[-1]])) if side == IN else ""
    if which and not change and side == IN:
        return AskedVersion(WHICH, version)
    return AskedVersion(UNDER if side == BEFORE else IN, version, change)


def _is_amount(question: str, version: Version, start: int, end: int) -> bool:
    """True for a number with one dot of something: "flats of 2.5 rooms", "How much is 2.5 kg"."""
    if version.text.count(".") != 1 or not version.text[0].isdigit() or not _WORD_AFTER.match(question, end):
        return False
    stop = set_of("words", "stop")
    before, after = question[:start].casefold().split()[-1:], question[end:].casefold().split()[:1]
    return after[0].strip("?.,") not in stop and (
        not before or before[0] in stop - set_of("versions", "side")
    )


def _change(text: str) -> str:
    """The kind of change that a text names first, in this order."""
    return next((key for key in CHANGES if phrases(key).search(text)), "")


def _ends_with(kind: str, text: str) -> bool:
    """True if a text ends with one of these words, or has at most two words behind it."""
    found = list(phrases(kind).finditer(text))
    return bool(found) and len(text[found[-1].end() :].split()) <= 2
