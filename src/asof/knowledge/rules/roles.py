"""Offices beside a name: "the mayor, Ole Brandt", "Ole Brandt, mayor", "Mayor: Ole Brandt"."""

from __future__ import annotations

from collections.abc import Sequence

from asof.data import EVENT
from asof.knowledge.rules.fact_draft import FactDraft
from asof.knowledge.rules.measures import TokenRange, is_name, name_before, trimmed, words_of
from asof.knowledge.rules.tokens import Token

BESIDE, LABELLED, SPEAKING = 0.75, 0.6, 0.9
"""The confidence of each rule: an apposition; "Treasurer: X"; the head of a speech."""

_WIDEST = 12
_LABEL = 4
_STOPS = frozenset({"mark", "time", "figure", "bound", "verb", "stop"})
_OPENS = frozenset({"mark", "time", "figure", "verb", "stop", "own", "colon"})
_LINE = frozenset({"\n", ".", ";", "|", ":", "•", "!", "?", "`"})
_SMALL = frozenset({"role", "former", "determiner", "preposition", "and", "qualifier"})


def beside(items: Sequence[Token], i: int, be: str) -> FactDraft | None:
    """A name and an office, in either order, that the comma at i separates."""
    after = i + 1
    while after < len(items) and after - i < _WIDEST and not _ends_office(items, after):
        after += 1
    closed = after >= len(items) or "mark" in items[after].senses or "and" in items[after].senses
    where = trimmed(items, i + 1, after)
    phrase = items[where.first : where.after]
    if not phrase or not closed:
        return None
    first = name_before(items, i)
    if i - first >= 2:
        if not _has_role(phrase) or _has_role(items[first:i]) or is_office(items[first:i]):
            return None
        return FactDraft(EVENT, words_of(items, TokenRange(first, i)), be, words_of(items, where), i, BESIDE)
    if len(phrase) < 2 or not all(is_name(item) for item in phrase) or _has_role(phrase):
        return None
    office = _office(items, i)
    if office is None:
        return None
    return FactDraft(EVENT, words_of(items, where), be, words_of(items, office), i, BESIDE)


def _ends_office(items: Sequence[Token], at: int) -> bool:
    """Whether an apposition does not go over item `at`; it does over "and" before another office."""
    if "and" in items[at].senses:
        following = items[at + 1 : at + _LABEL + 1]
        return not _has_role(following) or any(_STOPS & item.senses for item in following[:1])
    return not _STOPS.isdisjoint(items[at].senses)


def _has_role(phrase: Sequence[Token]) -> bool:
    return any("role" in item.senses for item in phrase)


def is_office(name: Sequence[Token]) -> bool:
    """Whether what looks like a name is an office: "Executive Vice President"; not "Ann Baker"."""
    ranks = {"role", "rank", "former"}
    return len(name) > 1 and all(ranks & item.senses for item in name)


def _office(items: Sequence[Token], end: int) -> TokenRange | None:
    """The phrase with a word for an office that ends before item `end`, from its article on."""
    for at in range(end - 1, max(-1, end - _WIDEST), -1):
        senses = items[at].senses
        if _OPENS & senses and "determiner" not in senses:
            return None
        if "determiner" in senses or ("preposition" in senses and items[at].low not in ("of", "von")):
            where = trimmed(items, at, end)
            if _has_role(items[where.first : where.after]):
                return where
    return None


def speaker(items: Sequence[Token], i: int, be: str) -> FactDraft | None:
    """A name on a line, dashes on the next, an office on the one after: the line break at i ends the name."""
    dashes = items[i + 1 : i + 4]
    if len(dashes) < 3 or dashes[2].low != "\n" or {dashes[0].low, dashes[1].low} - {"-", "–", "—"}:
        return None
    first, after = name_before(items, i), i + 4
    while after < len(items) and after - i < _WIDEST + 4 and items[after].low != "\n":
        after += 1
    if i - first < 2 or (first > 0 and items[first - 1].low != "\n") or not _has_role(items[i + 4 : after]):
        return None
    office = " ".join(item.text for item in items[i + 4 : after]).replace(" ,", ",")
    return FactDraft(EVENT, words_of(items, TokenRange(first, i)), be, office, i, SPEAKING)


def labelled(items: Sequence[Token], i: int) -> FactDraft | None:
    """As in "Treasurer: Lambert Roake": the label before the colon at i is the relation."""
    first = i
    while first > 0 and i - first <= _LABEL and items[first - 1].low not in _LINE:
        senses = items[first - 1].senses
        if (
            items[first - 1].figure
            or {"verb", "pronoun", "own", "time"} & senses
            or items[first - 1].low == "i"
        ):
            return None
        first -= 1
    label = trimmed(items, first, i)
    while label.first < label.after and items[label.first].low in ("-", "–", "+"):
        label = trimmed(items, label.first + 1, label.after)
    after = i + 1
    while after < len(items) and after - i < _WIDEST and items[after].low not in _LINE:
        after += 1
    where = trimmed(items, i + 1, after)
    phrase, label_tokens = items[where.first : where.after], items[label.first : label.after]
    if not label_tokens or not phrase or len(label_tokens) > _LABEL or not label_tokens[0].text[:1].isupper():
        return None
    if any("mark" in item.senses for item in label_tokens) or not any(is_name(item) for item in phrase):
        return None
    if not all(item.text[:1].isupper() or _SMALL & item.senses or item.low in (",", "&") for item in phrase):
        return None
    if phrase[-1].low == "," or (after < len(items) and items[after].low in ("`", ":", "|")):
        return None
    return FactDraft(EVENT, "", words_of(items, label), words_of(items, where), i, LABELLED)
