"""A document's own entity, with its names: the one that "we", "the company" or a missing subject refers to.

It is named by a field of the metadata (`RuleExtractor.names`), else by the title without its times and the
words for its type ("Crocs, Inc. (CROX) 2024 Q1 Earnings Call" is Crocs, Inc.), else by the title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from asof.knowledge.fact_store import Excerpt
from asof.lang import every
from asof.text.fact_lexicon import NONE, lexicon
from asof.text.names import key
from asof.time.expressions import TimeContext, parse

NAMES = ("company", "company_name", "organization", "organisation", "entity", "name")
"""Fields of the metadata that name the entity, by priority."""
OTHERS = ("ticker", "symbol", "stock_code", "isin", "aliases", "alias")
"""Fields that hold other names of it."""

_LONGEST = 120
_CODE = re.compile(r"\(([A-Z][A-Z0-9]{0,5}(?:[.:-][A-Z0-9]{1,6})?)\)")
_PERIOD = re.compile(r"\b(?:[12][0-9]{3}|(?:FY|CY)\s?[0-9]{2,4}|[QH][1-4])\b", re.IGNORECASE)
_LOOSE = re.compile(
    r"\W*\b(?:from|of|in|for|since|until|the|and|ab|vom|seit|im|bis|und)\W*$|^\W+|[\s,;:|–—-]+$"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A document's own entity: its name, its other names with the place of each (a field, or title), and the
    keys (`text.names.key`) of all."""

    name: str
    others: tuple[tuple[str, str], ...]
    keys: frozenset[str]

    @classmethod
    def of(cls, excerpt: Excerpt, names: tuple[str, ...], others: tuple[str, ...]) -> Entity:
        """From a document's metadata and title."""
        stated = next((text for field in names for text in _texts(excerpt.meta, field)), "")
        bare, codes = of_title(excerpt.title)
        name = stated or bare or excerpt.title.strip() or excerpt.document
        named = [(text, field) for field in others for text in _texts(excerpt.meta, field)]
        named += [(code, "title") for code in codes]
        if stated and codes and bare:
            named.append((bare, "title"))
        by_text: dict[str, tuple[str, str]] = {}
        for text, field in named:
            if key(text) != key(name) or text != name:
                by_text.setdefault(text, (text, field))
        different = tuple(each for each in by_text.values() if each[0] != name)
        return cls(name, different, frozenset(map(key, (name, *by_text))))

    def is_meant(self, name: str) -> bool:
        """Whether a name is this entity's, or the beginning of it: "Prudential" of Prudential Financial."""
        short = key(name)
        return bool(short) and (short in self.keys or any(each.startswith(f"{short} ") for each in self.keys))


def _texts(meta: Mapping[str, Any], field: str) -> list[str]:
    """The names that a field holds: a text, or a list of texts."""
    value = meta.get(field)
    values = value if isinstance(value, list) else [value]
    texts = [
        " ".join(each.replace("[[", "").replace("]]", "").split()) for each in values if isinstance(each, str)
    ]
    return [text for text in texts if 0 < len(text) <= _LONGEST]


def _without_type(words: list[str]) -> list[str]:
    """The words of a title without those at its end that say what type of document it is; all of them where
    nothing else is left."""
    types, last = lexicon("en").senses, len(words)
    while last and "document_type" in types.get(words[last - 1].lower().strip(",:;-"), NONE):
        last -= 1
    return words[:last] or words


@lru_cache(maxsize=4096)
def of_title(title: str) -> tuple[str, tuple[str, ...]]:
    """A title without its times and type, and the codes (tickers) in its brackets."""
    short = title[:400]
    codes = tuple(_CODE.findall(short))
    bare = _CODE.sub(" ", short)
    for mention in reversed(parse(bare, context=TimeContext(language=every("facts")))):
        bare = f"{bare[: mention.start]} {bare[mention.end :]}"
    bare = _PERIOD.sub(" ", bare)
    words = bare.split()
    if codes or len(words) > 2 or (len(words) == 2 and words != short.split()):
        words = _without_type(words)
    bare, last = " ".join(words), ""
    while bare != last:
        bare, last = _LOOSE.sub("", bare), bare
    return bare, codes
