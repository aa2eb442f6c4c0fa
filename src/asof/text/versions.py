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
_CLOCK = re.compile(r"(?:1?\d|2[0-3])[.][0-5]\d")
_MONTH, _NAME = re.compile(r"(?:19|20)\d\d[.](?:[1-9]|1[0-2])"), re.compile(r"[^\W\d_]\s\Z")
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "pre": 3, "preview": 3, "rc": 4}


class Version(NamedTuple):
    """A version as it is written, its ordinal, and those of the first and behind the last one that begins so:
    1.15 covers 1.15.0rc1 and 1.15.9."""

    text: str
    at: int
    first: int
    behind: int

    @property
    def may_be_time(self) -> bool:
        """True if it is written as a time of the day may be: "9.30"."""
        return _CLOCK.fullmatch(self.text) is not None


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
RANGE, NEWEST = "range", "newest"
LAST = 1 << PRE_BITS + sum(BITS)
"""Behind the ordinals of all versions."""


class AskedVersion(NamedTuple):
    """What a question says of versions: it holds IN one, or UNDER one, in what came before it; the one BEFORE
    or AFTER one is asked for, the NEWEST, or WHICH one it is, or the FIRST of several; or what changed in a
    RANGE. `version` is the first that it names. `change`: the kind of change that it asks about, a list of
    `lang/*/versions.toml`, or "". `words`: the beginnings and ends of its words that say nothing else.
    `first`, `behind`: the ordinals that are meant, from the first on to before the last."""

    kind: str
    version: Version | None
    change: str = ""
    words: tuple[tuple[int, int], ...] = ()
    first: int = 1
    behind: int = LAST

    @property
    def nearest(self) -> int:
        """1 if the greatest of those that are meant is asked for, -1 if the least is, 0 if all are."""
        return {BEFORE: 1, NEWEST: 1, AFTER: -1}.get(self.kind, 0)

    @property
    def picks(self) -> bool:
        """True if passages answer it by their version alone, whatever their words."""
        return bool(self.nearest) or self.kind == RANGE or (self.kind == IN and bool(self.change))


DEPRECATED, ADDED, CHANGED = "deprecated", "added", "changed"
CHANGES = ("removed", DEPRECATED, "fixed", ADDED, CHANGED)
GAP = 3
"""The most words between "which" and "version", and between two versions that bound others."""


@cache
def phrases(key: str) -> re.Pattern[str]:
    """Finds the words of a list of `lang/*/versions.toml`, such as those for a kind of change."""
    return any_of(of_all("versions", key))


@cache
def _noun_after(key: str) -> re.Pattern[str]:
    ask, nouns = (phrases(each).pattern for each in (key, "noun"))
    return re.compile(rf"({ask})(?:\s+\S+){{0,{GAP}}}?\s+({nouns})", re.IGNORECASE)


EARLY = 4
"""A question for what changed in a version says so among so many words at its beginning, or in the last."""


@lru_cache(maxsize=256)
def asked(question: str) -> AskedVersion | None:
    """What a question says of versions; None for nothing. A range begins behind the version that it names,
    and ends with all that begin as its last one does: from 1.0 to 2.0 are 1.0.1 and 2.0.1."""
    named, which = list(versions_in(question)), _noun_after("which").search(question)
    words = tuple(which.span(group) for group in (1, 2)) if which else ()
    if not named or _is_amount(question, *named[0]):
        return _of_all(question, words)
    (version, start, end), before = named[0], question[: named[0][1]].rstrip()
    ranges = ("ranges",) * (len(named) > 1 and len(question[end : named[1][1]].split()) <= GAP)
    sides = (*ranges, BEFORE, AFTER, "later", "until")
    side, at = next(((kind, at) for kind in sides if (at := _ending(kind, before)) >= 0), (IN, start))
    which = None if which and which.end() == len(before) else which  # "what changed in version 2.0"
    said = f"{question[:at]} {question[start:]}".rstrip("?").split()
    early = len(said) if which and (side != IN or which.end() > start) else EARLY
    change, comes = _change(" ".join([*said[:early], said[-1]])), phrases("comes").search(before)
    one = bool(comes or (not change and (which or phrases("noun").search(before))))
    one |= _ending("noun", question[:at].rstrip()) >= 0 and _change(question[:at]) != ""
    later = version.behind if (side == AFTER and one) or version.text[-1] in "xX*" else version.at + 1
    first = {IN: version.first, BEFORE: 1, "until": 1}.get(side, later)
    behind = {IN: version.behind, BEFORE: version.first, "until": version.behind}.get(side, LAST)
    if one and side in (BEFORE, AFTER):
        words += tuple(match.span() for match in phrases("noun").finditer(question))
        return AskedVersion(side, version, "" if comes else change, words, first, behind)
    if which and change and (side != IN or which.end() > start):
        return AskedVersion(FIRST if change == ADDED else WHICH, None, change, words, first, behind)
    if which and change and before.split()[-1].casefold() not in set_of("versions", "side"):
        return _of_all(question, words)  # "which version dropped Python 3.8"
    if change and side == "ranges":
        low, high = sorted((each[0] for each in named[:2]), key=lambda each: each.at)
        return AskedVersion(RANGE, version, change, ((at, named[1][2]),), low.at + 1, high.behind)
    if change and side != IN:
        return AskedVersion(RANGE, version, change, ((at, end),), first, behind)
    if which and not change and side == IN:
        return AskedVersion(WHICH, version)
    kind = UNDER if side == BEFORE else IN
    return AskedVersion(kind, version, change if side == IN else "", (), first, behind)


def _of_all(question: str, words: tuple[tuple[int, int], ...]) -> AskedVersion | None:
    """What a question that names no version says of them. `words`: those that ask for one."""
    change, stop = _change(question), set_of("words", "stop")
    if newest := _noun_after("newest").search(question):
        before = question[: newest.start()].casefold().split()
        behind = stop.intersection(question[newest.end() :].casefold().strip(" ?.!").split())
        inside = not set_of("versions", "side").isdisjoint(before[-2:]) and _change(" ".join(before))
        if inside or (stop.issuperset(before) and not behind - set_of("versions", "of")):
            return AskedVersion(NEWEST, None, inside or "", (newest.span(1), newest.span(2)))
    when = change == DEPRECATED and phrases("when").match(question)
    if not (words or when or phrases("since").search(question)):
        return None
    first = phrases("first").search(question) or change == ADDED
    return AskedVersion(FIRST if first else WHICH, None, change, words)


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
    """The kind of change that a text names, the first of these; "" for none."""
    text = phrases("news").sub(CHANGED, text)
    return next((key for key in CHANGES if phrases(key).search(text)), "")


def told_first(text: str) -> str:
    """The kind of change whose word stands first in a text: "Drop support for" tells of a removal."""
    found = [(match.start(), key) for key in CHANGES if (match := phrases(key).search(text))]
    return min(found, default=(0, ""))[1]


def _ending(kind: str, text: str) -> int:
    """Where the last of these words in a text begins, with at most two words behind it; else -1."""
    found = list(phrases(kind).finditer(text))
    return found[-1].start() if found and len(text[found[-1].end() :].split()) <= 2 else -1
