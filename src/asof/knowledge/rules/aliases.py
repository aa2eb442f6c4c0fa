"""Names of one thing (NAME): an acronym that the text defines, "also known as"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.data import NAME
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.measures import TokenRange, is_name, words_of
from asof.knowledge.rules.tokens import Token

DEFINED, KNOWN_AS = 0.9, 0.8
"""The confidence of each rule: "Harbour Authority (HA)" whose letters agree; "X, also known as Y"."""

_ACRONYM = re.compile(r"[A-Z][A-Za-z&.]{1,9}")
_SMALL = frozenset({"of", "the", "and", "for", "&", "der", "die", "das", "für", "und"})
_WIDEST = 10


def names_in(items: Sequence[Token]) -> list[FactDraft]:
    """The aliases that a sentence states, in order of place."""
    drafts: list[FactDraft] = []
    for i, item in enumerate(items):
        draft = None
        if "open" in item.senses and i + 2 < len(items) and "close" in items[i + 2].senses:
            draft = _acronym(items, i)
        elif "alias" in item.senses:
            draft = _known_as(items, i)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _acronym(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "International Harbour Authority (IHA)", where the words before begin with its letters."""
    short = items[i + 1].text
    letters = [letter.lower() for letter in short if letter.isupper()]
    if not _ACRONYM.fullmatch(short) or len(letters) < 2:
        return None
    at, left = i, len(letters)
    while at > 0 and left and i - at < _WIDEST:
        at -= 1
        low = items[at].low
        parts = [part for part in low.split("-") if part]
        if low in _SMALL and low[:1] != letters[left - 1]:
            continue
        if not parts or not low[0].isalpha():
            return None
        if len(parts) > 1 and [part[0] for part in parts] == letters[max(0, left - len(parts)) : left]:
            left -= len(parts)
        elif low[0] == letters[left - 1]:
            left -= 1
        else:
            return None
    if left:
        return None
    return FactDraft(NAME, words_of(items, TokenRange(at, i)), "also called", short, i, DEFINED)


def _known_as(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "Low Sundrey, also known as the Landing", "Acme (formerly Bolt Works)"."""
    end = i
    while end > 0 and ({"mark", "auxiliary", "copula"} & items[end - 1].senses) and i - end < 2:
        end -= 1
    first = end
    while first > 0 and end - first < _WIDEST and is_name(items[first - 1]):
        first -= 1
    start = i + 1
    while start < len(items) and "determiner" in items[start].senses:
        start += 1
    after = start
    while after < len(items) and after - start < _WIDEST and is_name(items[after]):
        after += 1
    if first == end or after == start:
        return None
    relation = items[i].text
    return FactDraft(
        NAME,
        words_of(items, TokenRange(first, end)),
        relation,
        words_of(items, TokenRange(start, after)),
        i,
        KNOWN_AS,
    )
