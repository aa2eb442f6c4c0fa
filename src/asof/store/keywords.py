"""Which words of a document's metadata can be searched: short texts that name something.

A question that names a source finds what has it in its metadata. Addresses, paths, dates and ids name
nothing that a question would say in words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from asof.errors import BadTime
from asof.time.moment import read

AUTO, NONE = "auto", "none"
LONGEST, MOST_WORDS = 60, 8
"""The most characters and words of a value that is searched."""

MOST_VALUES = 64
"""No more values of one document are searched: a table is no metadata."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:www|mailto|tel|urn|doi)[.:]")
_MAIL = re.compile(r"[^\s@]@[^\s@.]+\.[^\s@]")
_PATH = re.compile(r"~?\.{0,2}[/\\]|[A-Za-z]:[/\\]|[^\s/\\]+[/\\](?:\S*[/\\]|\S*\.[A-Za-z0-9]{1,5}$)")
_HEX = re.compile(r"\{?[0-9a-fA-F]{8,}\}?")
_RUN = re.compile(r"[0-9]+|[A-Z]+|[^\W\d_A-Z]+")


def keywords_of(
    meta: Mapping[str, Any], tags: Iterable[str], search: str | tuple[str, ...]
) -> tuple[str, ...]:
    """The values that are searched, in the order of their keys, each once (whatever its case).

    `search`: "auto" for all keys, "none", or the keys that are meant; `tags` count as the key of that name.
    """
    if search == NONE:
        return ()
    values = {**meta, "tags": [*_texts(meta.get("tags")), *tags]}
    wanted = sorted(values) if search == AUTO else sorted(set(search) & values.keys())
    found: dict[str, str] = {}
    for key in wanted:
        for text in _texts(values[key]):
            plain = " ".join(text.split()) if len(text) <= 4 * LONGEST else ""
            if plain and plain.casefold() not in found and names_something(plain, tag=key == "tags"):
                found[plain.casefold()] = plain
                if len(found) == MOST_VALUES:
                    return tuple(found.values())
    return tuple(found.values())


def _texts(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list | tuple) else (value,):
        if isinstance(item, str):
            yield item


def names_something(text: str, *, tag: bool = False) -> bool:
    """Whether a value is short and in words, and no address, path (a tag may be one), date or id."""
    if len(text) > LONGEST or text.count(" ") >= MOST_WORDS or not any(map(str.isalpha, text)):
        return False
    if _ADDRESS.match(text) or _MAIL.search(text) or (not tag and _PATH.match(text)):
        return False
    if not any(map(str.isdigit, text)):
        return True
    return not _is_id(text) and not _is_date(text)


def _is_id(text: str) -> bool:
    """A hash, a UUID, or one word in which figures prevail or kinds of signs take turns (`doc-00123`)."""
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


def unsaid(keywords: str, said: str) -> list[str]:
    """Those of `keywords` (a JSON list) that do not stand in `said` as whole words, whatever their case."""
    if keywords == "[]":
        return []
    folded = said.casefold()
    return [word for word in json.loads(keywords) if not _stands(word.casefold(), folded)]


def _stands(word: str, text: str) -> bool:
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and text[at - 1].isalnum()) and not text[end : end + 1].isalnum():
            return True
        at = text.find(word, at + 1)
    return False
