"""Which documents of a repository count, and which of them are copies of others by their paths."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_DATED = re.compile(
    r"change[-_ ]?log|^changes\b|release[-_ ]?notes?|releases?\b|^history|^news\b|whats?[-_ ]?new|upgrad"
    r"|migrat|minutes|meeting|blog|posts?$|_posts|journal|daily|archive|deprecat|roadmap|retro|breaking|legacy"
    r"|old|^\d{4}(?:-\d\d|$)|newsletter|announce|incident|proposals?|design[-_]proposals|keps?$|contributors$",
    re.IGNORECASE,
)
"""A part of the path of a document that rightly keeps what was so on its day."""

_NOT = re.compile(
    r"node_modules|vendor|third[-_]party|versioned_docs|versioned_sidebars|_?translations?|locales?|i18n|tests?"
    r"|spec|specs?-main|fixtures?|testdata|snapshots?|layouts?|_?includes|partials|themes?|templates?|assets"
    r"|static|public|dist|build|generated|_generated|requirements|nostarch|robots|cmakelists|licen[cs]e.*"
    r"|package-lock|sitemap|_?sidebar|summary|owners.*|sig-list|po|\.github|archetypes|(?:first|second|2018)-edition",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"(?:ar|az|bn|bs|cs|da|de|el|em|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ka|ko|lt|lv|mk|nb|nl|pl|pt|ro|ru|sk|sl|sq"
    r"|sr|sv|ta|te|th|tr|uk|ur|uz|vi|yo|zh|cn|jp|kr)(?:[-_](?:[a-z]{2}|hans|hant))?",
    re.IGNORECASE,
)
_NOT_ENGLISH_FILE = re.compile(
    rf"\.{_LANGUAGE.pattern}\.[a-z]+$|[-_](?:zh|cn|pt|ja|ko|es|fr|ru|de)\.[a-z]+$", re.I
)
_VERSION = re.compile(
    r"v?\d+(?:\.(?:\d+|x))+|v\d+|next|latest|stable|current|master|main|head", re.IGNORECASE
)


def counts(path: str) -> bool:
    """Whether it is a document that people wrote, in the repository's own language."""
    if _NOT_ENGLISH_FILE.search(path) or not path.isascii():
        return False
    *folders, name = PurePosixPath(path).parts
    stem = name.split(".")[0]
    return not any(_NOT.fullmatch(part) or _LANGUAGE.fullmatch(part) for part in folders) and not (
        _NOT.fullmatch(stem) or name.lower().startswith("requirements")
    )


def is_dated(path: str) -> bool:
    """Whether it may be a document of its day: a changelog, minutes, a post."""
    return any(_DATED.search(part) for part in PurePosixPath(path).with_suffix("").parts)


def version_of(path: str) -> tuple[int, ...] | None:
    """The version whose documentation a path is part of; None where the path names none."""
    for part in PurePosixPath(path).parts[:-1]:
        if _VERSION.fullmatch(part):
            return tuple(int(number) for number in re.findall(r"\d+", part)) or (10**6,)
    return None


def newest_only(paths: list[str]) -> list[str]:
    """Without the documentation of other versions than the newest."""
    versions = {version for path in paths if (version := version_of(path))}
    return [path for path in paths if version_of(path) in (None, max(versions, default=None))]


def same_but_figures(first: str, second: str) -> bool:
    """Whether two paths differ by nothing but a version or a number."""
    one, two = (re.sub(r"[-_.]?v?\d+", "", path) for path in (first, second))
    return one == two


def nearness(first: str, second: str) -> int:
    """How many folders two paths share from the root on, less those they do not."""
    one, two = PurePosixPath(first).parts[:-1], PurePosixPath(second).parts[:-1]
    shared = 0
    while shared < min(len(one), len(two)) and one[shared] == two[shared]:
        shared += 1
    return 2 * shared - len(one) - len(two)
