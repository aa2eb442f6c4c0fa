"""Searchable keywords in a document's metadata: short texts that name something.

A query that names a source then finds documents with that source in their metadata. Addresses, paths, dates
and ids are left out: queries do not contain them as words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from asof.errors import BadTime
from asof.time.moment import read

AUTO, NONE = "auto", "none"
MAX_CHARACTERS, MAX_WORDS = 60, 8
"""The most characters and words of a value that is searched."""

MAX_VALUES = 64
"""The most values of one document that are searched."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:www|mailto|tel|urn|doi)[.:]")
_MAIL = re.compile(r"[^\s@]@[^\s@.]+\.[^\s@]")
_PATH = re.compile(r"~?\.{0,2}[/\\]|[A-Za-z]:[/\\]|[^\s/\\]+[/\\](?:\S*[/\\]|\S*\.[A-Za-z0-9]{1,5}$)")
_HEX = re.compile(r"\{?[0-9a-fA-F]{8,}\}?")
_RUN = re.compile(r"[0-9]+|[A-Z]+|[^\W\d_A-Z]+")


def keywords_of(
    meta: Mapping[str, Any], tags: Iterable[str], search: str | tuple[str, ...]
) -> tuple[str, ...]:
    """The values that are searched, in the order of their keys, without repetitions (case ignored).

    `search`: "auto" for all keys, "none", or a list of keys; `tags` count as the key of that name.
    """
    if search == NONE:
        return ()
    values = {**meta, "tags": [*_texts(meta.get("tags")), *tags]}
    keys = sorted(values) if search == AUTO else sorted(set(search) & values.keys())
    keywords: dict[str, str] = {}
    for key in keys:
        for text in _texts(values[key]):
            plain = " ".join(text.split()) if len(text) <= 4 * MAX_CHARACTERS else ""
            if plain and plain.casefold() not in keywords and is_searchable(plain, tag=key == "tags"):
                keywords[plain.casefold()] = plain
                if len(keywords) == MAX_VALUES:
                    return tuple(keywords.values())
    return tuple(keywords.values())


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list | tuple) else (value,):
        if isinstance(item, str):
            yield item


def is_searchable(text: str, *, tag: bool = False) -> bool:
    """Whether a value is a short text of words: no address, path (a tag may be one), date or id."""
    if len(text) > MAX_CHARACTERS or text.count(" ") >= MAX_WORDS or not any(map(str.isalpha, text)):
        return False
    if _ADDRESS.match(text) or _MAIL.search(text) or (not tag and _PATH.match(text)):
        return False
    if not any(map(str.isdigit, text)):
        return True
    return not _is_id(text) and not _is_date(text)


def _is_id(text: str) -> bool:
    """Whether a value is a hash, a UUID, or one word of mostly digits or alternating kinds of signs
    (`doc-00123`)."""
    if " " in text:
        return False
    signs = [sign for sign in text if sign.isalnum()]
    if len(signs) >= 6 and 2 * sum(map(str.isdigit, signs)) >= len(signs):
        return True
    return bool(_HEX.fullmatch("".join(text.rpartition(":")[2].split("-")))) or len(_RUN.findall(text)) >= 7


def _is_date(text: str) -> bool:
    try:
        read(text)
    except BadTime:
        return False
    return True


def missing_keywords(keywords: str, text: str) -> list[str]:
    """Those of `keywords` (a JSON list) that do not occur in `text` as whole words, case ignored."""
    if keywords == "[]":
        return []
    folded = text.casefold()
    return [word for word in json.loads(keywords) if not _occurs(word.casefold(), folded)]


def _occurs(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, at + 1)
    return False
