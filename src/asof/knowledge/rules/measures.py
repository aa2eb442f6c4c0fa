"""The phrase that names the measure of a figure: its position, its owner, its words.

    "JD Retail's non-GAAP operating profit for the quarter was"  ->  JD Retail, "non-GAAP operating profit"

All walks are bounded (WIDEST words), so that a sentence is read in linear time however long it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from asof.knowledge.rules.tokens import Token

WIDEST = 14
"""The most words of a measure or a name."""

_ASIDE = 9
_HARD = frozenset({"mark", "figure", "verb", "stop", "own", "expect"})
_NOUNS = frozenset({"measure", "qualifier"})
_LEADING = frozenset(
    {"discourse", "determiner", "preposition", "and", "approximate", "auxiliary", "negation"}
)
_TRAILING = frozenset({"preposition", "determiner", "and", "auxiliary", "approximate", "negation", "former"})
_EXCEPT = frozenset({"excluding", "including", "net", "ohne"})
_IN_TIME = frozenset({"preposition", "determiner", "time"})
_BEFORE_TIME = frozenset({"preposition", "determiner"})


class Measure(NamedTuple):
    """`words` of `items[first:after]`; `owner`: the entity that it is of, "" for the document's own; `known`:
    its head is a word for a measure."""

    owner: str
    words: str
    known: bool
    first: int
    after: int


class TokenRange(NamedTuple):
    """`items[first:after]`, trimmed to a phrase; `ours`: a possessive was before it, `article`: an article
    was."""

    first: int
    after: int
    ours: bool = False
    article: bool = False


def before(items: Sequence[Token], end: int) -> TokenRange:
    """The noun phrase that ends before item `end`, past times, asides and auxiliaries."""
    after = _past(items, end)
    first = after
    while first > 0 and after - first < WIDEST:
        item = items[first - 1]
        if "time" in item.senses or is_hard(item):
            break
        first -= 1
    return trimmed(items, first, after)


def is_hard(item: Token) -> bool:
    """Whether no noun phrase goes over this item."""
    return not _HARD.isdisjoint(item.senses) and _NOUNS.isdisjoint(item.senses)


def _past(items: Sequence[Token], end: int) -> int:
    """Where the phrase before `end` ends: before a time with its preposition, an aside, an adverb."""
    after, floor = end, max(0, end - 3 * WIDEST)
    while after > floor:
        item = items[after - 1]
        if "time" in item.senses:
            after -= 1
            while after > floor and not _BEFORE_TIME.isdisjoint(items[after - 1].senses):
                after -= 1
        elif item.low in (",", ")"):
            opened = _opening(items, after - 1)
            if opened < 0:
                break
            after = opened
        elif "auxiliary" in item.senses or (item.low.endswith("ly") and _NOUNS.isdisjoint(item.senses)):
            after -= 1
        else:
            break
    return after


def _opening(items: Sequence[Token], end: int) -> int:
    """Where the aside that ends with `items[end]` opens, -1 if it is none."""
    opening = "(" if items[end].low == ")" else ","
    for at in range(end - 1, max(-1, end - 1 - _ASIDE), -1):
        item = items[at]
        if item.low == opening:
            inside = items[at + 1 : end]
            if not inside:
                return -1
            timed = all(not _IN_TIME.isdisjoint(inner.senses) for inner in inside)
            return at if opening == "(" or inside[0].low in _EXCEPT or timed else -1
        if "mark" in item.senses and item.low != "-":
            return -1
    return -1


def trimmed(items: Sequence[Token], first: int, after: int) -> TokenRange:
    """A range without the conjunctions, adverbs, determiners that lead it, the prepositions that end it."""
    for at in range(first, after):
        if items[at].low == "as" and at > first:
            after = at
            break
    ours = article = False
    while (
        first < after
        and not _opens_name(items, first)
        and (
            (not _LEADING.isdisjoint(items[first].senses) and _NOUNS.isdisjoint(items[first].senses))
            or (items[first].low.endswith("ly") and _NOUNS.isdisjoint(items[first].senses))
        )
    ):
        ours = "possessive" in items[first].senses
        article = "determiner" in items[first].senses and not ours
        first += 1
    while after > first and not _TRAILING.isdisjoint(items[after - 1].senses):
        if not _NOUNS.isdisjoint(items[after - 1].senses):
            break
        after -= 1
    return TokenRange(first, after, ours, article)


def _opens_name(items: Sequence[Token], at: int) -> bool:
    """Whether a word that mostly leads a phrase is the first of a name in it: "Ship: Second Opinion"."""
    if "discourse" not in items[at].senses or not items[at].text[:1].isupper() or at == 0:
        return False
    return items[at - 1].low == ":" and at + 1 < len(items) and items[at + 1].capital


def after_of(items: Sequence[Token], start: int) -> TokenRange:
    """The noun phrase that begins with item `start`: up to a mark, a verb, a time, a figure."""
    after = start
    while after < len(items) and after - start < WIDEST:
        item = items[after]
        if "time" in item.senses or is_hard(item):
            break
        if "and" in item.senses or (
            "preposition" in item.senses and after > start and not _linked(items, after)
        ):
            break
        after += 1
    return trimmed(items, start, after)


def _linked(items: Sequence[Token], at: int) -> bool:
    """Whether a preposition goes on with the phrase: "net sales of equity", "cash flow from operations"."""
    low = items[at].low
    return low in ("of", "from", "attributable_to", "for") or items[at - 1].low == "attributable"


def measure(items: Sequence[Token], where: TokenRange, initial: int = 0) -> Measure | None:
    """The measure that a range of items names, None where it names none (only a pronoun, or a name).

    `initial` is the item at which the sentence begins: its capital letter says nothing.
    """
    first, after, ours, article = where
    owner = ""
    for at in range(after - 2, first - 1, -1):
        low = items[at].low
        if low.endswith(("'s", "s'")) and "possessive" not in items[at].senses:
            owner, first, ours = words_of(items, trimmed(items, first, at + 1)), at + 1, True
            break
    if not owner and not ours and not article:
        first, after, owner = _split(items, first, after, initial)
    first, after = trimmed(items, first, after)[:2]
    if first >= after:
        return None
    head = head_of(items, first, after)
    nouns = items[first:after]
    if "weak" in head.senses or all(item.senses and _NOUNS.isdisjoint(item.senses) for item in nouns):
        return None
    known = "measure" in head.senses or any("measure" in item.senses for item in nouns)
    if not known and not article and all(item.capital for item in nouns):
        return None
    return Measure(_bare(owner), words_of(items, TokenRange(first, after)), known, first, after)


def head_of(items: Sequence[Token], first: int, after: int) -> Token:
    for at in range(first + 1, after):
        if "preposition" in items[at].senses:
            return items[at - 1]
    return items[after - 1]


def _split(items: Sequence[Token], first: int, after: int, initial: int) -> tuple[int, int, str]:
    """A range without the name that leads it or that it is attributed to, and that name."""
    name = after
    while name > first and is_name(items[name - 1]):
        name -= 1
    if first < name < after:
        at = name - 1
        if "determiner" in items[at].senses and at > first:
            at -= 1
        if at > first and "attributed" in items[at].senses:
            return first, at, words_of(items, TokenRange(name, after))
    lead = first
    while lead < after and is_name(items[lead]):
        lead += 1
    alone = lead - first == 1 and first <= initial
    if first < lead < after and not alone and not {"preposition", "and"} & items[lead].senses:
        return lead, after, words_of(items, TokenRange(first, lead))
    return first, after, ""


def is_name(item: Token) -> bool:
    """Whether a word can be (part of) a name: a capital letter, and no word of a measure."""
    return item.capital and _NOUNS.isdisjoint(item.senses)


def name_before(items: Sequence[Token], end: int) -> int:
    """Where the name begins that ends before item `end`; `end` if none does."""
    first = end
    while first > 0 and end - first < WIDEST:
        if is_name(items[first - 1]):
            first -= 1
        elif items[first - 1].low == "&" and first < end and first > 1 and is_name(items[first - 2]):
            first -= 2
        else:
            break
    return first


def _bare(owner: str) -> str:
    for ending in ("'s", "’s"):
        if owner.endswith(ending):
            return owner[: -len(ending)]
    return owner.rstrip("'’")


def words_of(items: Sequence[Token], where: TokenRange) -> str:
    """The words of a range, separated by single spaces."""
    return " ".join(item.text for item in items[where.first : where.after])
