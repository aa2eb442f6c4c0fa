"""Words of a passage for the rules: tokens with senses, figures, times and marks; the phrase of a measure.

The phrase that names the measure of a figure has a position, an owner and words:

    "JD Retail's non-GAAP operating profit for the quarter was"  ->  JD Retail, "non-GAAP operating profit"

All walks are bounded (WIDEST words), so that a sentence is read in linear time however long it is. A
`FactDraft` is a fact before its subject and its time are resolved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from asof.extensions.facts.dating import TimeMark
from asof.text.figures import NONE, Figure, RuleLexicon, Senses, figure_of, pattern
from asof.values import Amount

# -- tokens ----------------------------------------------------------------------------------------


FIGURE, TIME, WORD = frozenset({"figure"}), frozenset({"time"}), NONE
_MARKS: dict[str, Senses] = {
    "&": frozenset({"and"}),
    ",": frozenset({"mark", "comma"}),
    ":": frozenset({"mark", "colon"}),
    "(": frozenset({"mark", "open"}),
    ")": frozenset({"mark", "close"}),
    "\n": frozenset({"mark", "break"}),
}
_MARK: Senses = frozenset({"mark"})
_NAME = re.compile(r" [^\W\d_a-z][^\W\d_]+")
_LONGEST_CUE = 12  # characters
_AT = frozenset({"on", "from", "since", "am", "ab", "seit", "zum"})  # before a day
_DASHES = ("--", "–", "—")  # between the lines of a speaker's name and office
_SHORT_LINE = 60  # characters; a shorter line ends where it ends, a longer one may go on
_WORD = r"[^\W\d_][\w]*+(?>(?:[’'&.\-/][^\W_][\w]*+)*)(?:[’'](?!\w))?"
_OTHER = r"(?P<aside>\[\[[^\]|\n]{1,200}\||[*_#>\[\]]++)|(?P<break>\n)|(?P<mark>[^\w\s])"


class Token(NamedTuple):
    """`text` at `[start, end)` of the passage; `low` in lower case; `capital`: a word with a capital letter
    that can be a name."""

    text: str
    low: str
    start: int
    end: int
    senses: Senses
    capital: bool = False
    figure: Figure | None = None
    time: TimeMark | None = None


@lru_cache(maxsize=4)
def _tokens(language: str) -> re.Pattern[str]:
    figure = pattern(language).pattern
    return re.compile(
        rf"(?P<figure>{figure})|(?P<word>{_WORD})|(?P<code>\w++(?>(?:[-./]\w++)*))|{_OTHER}", re.IGNORECASE
    )


def items_of(text: str, words: RuleLexicon, times: Sequence[TimeMark]) -> list[Token]:
    """The items of a passage in order. A time hides the words in it; a figure with a unit hides a time."""
    tokens: list[Token] = []
    marks = [mark for mark in times if not _is_given_name(text, mark, words)]
    mark, line, skip, dashes = 0, 0, -1, False
    for match in _tokens(words.language).finditer(text):
        start, end = match.span()
        if match.lastgroup == "break":
            if start - line < _SHORT_LINE or dashes or text[end : end + 1] in "\n-*#|•":
                tokens.append(Token("\n", "\n", start, end, _MARKS["\n"]))
            dashes = text[line:start].strip() in _DASHES
            line = end
            continue
        if start < skip:
            continue
        figure = figure_of(match, words) if match["figure"] else None
        while mark < len(marks) and marks[mark].end <= start:
            mark += 1
        if mark < len(marks) and marks[mark].start < end:
            if figure is None or not figure.unit:
                here = marks[mark]
                tokens.append(Token(here.text, "", here.start, here.end, TIME, time=here))
                skip = here.end
                mark += 1
                continue
            mark += 1
        if figure is not None:
            tokens.append(Token(text[start : figure.end], "", start, figure.end, FIGURE, figure=figure))
            skip = figure.end
        elif match["word"]:
            tokens.append(_word(match[0], start, end, words))
        elif match["mark"]:
            tokens.append(Token(match[0], match[0], start, end, _MARKS.get(match[0], _MARK)))
        elif not match["aside"]:
            tokens.append(Token(match[0], match[0].lower(), start, end, WORD, match[0][:1].isupper()))
    return _joined(tokens, words)


def _is_given_name(text: str, mark: TimeMark, words: RuleLexicon) -> bool:
    """True if a month is somebody's name: "May Hollis", but not "in May Hollis resigned"."""
    if "given" not in words.senses.get(mark.text.lower(), NONE) or not _NAME.match(text, mark.end):
        return False
    before = text[max(0, mark.start - _LONGEST_CUE) : mark.start].split()
    return not before or "preposition" not in words.senses.get(before[-1].lower(), NONE)


def _word(word: str, start: int, end: int, words: RuleLexicon) -> Token:
    low = word.lower().replace("’", "'")
    senses = words.senses.get(low, NONE)
    if not senses and "-" in low and (known := words.senses.get(low.replace("-", "_"))):
        senses = known
    capital = (word[:1].isupper() or (word[1:2].isupper())) and "no_name" not in senses
    return Token(word, low, start, end, senses, capital)


def _joined(items: list[Token], words: RuleLexicon) -> list[Token]:
    """The same with the words of a phrase as one item, and "May" before a name as a name."""
    joined: list[Token] = []
    i, size = 0, len(items)
    while i < size:
        item = items[i]
        for phrase in words.phrases.get(item.low, ()):
            after = i + len(phrase)
            if after <= size and all(items[i + k].low == phrase[k] for k in range(1, len(phrase))):
                low = "_".join(phrase)
                text = " ".join(each.text for each in items[i:after])
                item = Token(text, low, item.start, items[after - 1].end, words.senses[low])
                i = after - 1
                break
        if "given" in item.senses and i + 1 < size and items[i + 1].capital and item.text[:1].isupper():
            item = item._replace(capital=True)
        joined.append(item)
        i += 1
    return joined


def past_time(items: Sequence[Token], start: int) -> int:
    """`start`, or where a phrase continues after a time there: "ist seit dem 1. Mai Kapitän"."""
    at = start + (start < len(items) and items[start].low in _AT)
    at += start < at < len(items) and "determiner" in items[at].senses
    if at >= len(items) or items[at].time is None:
        return start
    following = items[at + 1].senses if at + 1 < len(items) else _MARK
    return start if at > start and {"preposition", "mark"} & following else at + 1


# -- measures --------------------------------------------------------------------------------------


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
    """True if no noun phrase goes over this item."""
    return not _HARD.isdisjoint(item.senses) and _NOUNS.isdisjoint(item.senses)


def _past(items: Sequence[Token], end: int) -> int:
    """The end of the phrase before `end`: before a time with its preposition, an aside, an adverb."""
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
    """The start of the aside that ends with `items[end]`, -1 if it is none."""
    opening = "(" if items[end].low == ")" else ","
    for at in range(end - 1, max(-1, end - 1 - _ASIDE), -1):
        item = items[at]
        if item.low == opening:
            inside = items[at + 1 : end]
            if not inside:
                return -1
            return at if opening == "(" or inside[0].low in _EXCEPT else -1
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
        after -= 1
    return TokenRange(first, after, ours, article)


def _opens_name(items: Sequence[Token], at: int) -> bool:
    """True if a word that mostly leads a phrase is the first of a name in it: "Ship: Second Opinion"."""
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
    """True if a preposition goes on with the phrase: "net sales of equity", "cash flow from operations"."""
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
    """True if a word can be (part of) a name: a capital letter, and no word of a measure."""
    return item.capital and _NOUNS.isdisjoint(item.senses)


def name_before(items: Sequence[Token], end: int) -> int:
    """The start of the name that ends before item `end`; `end` if none does."""
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


# -- drafts ----------------------------------------------------------------------------------------


class FactDraft(NamedTuple):
    """A draft of a fact. `owner` is its subject, "" for the document's own entity. `at` is the item of the
    sentence that it was read from (its time is the nearest). `compared`: the draft before it is compared with
    it, so it is of an earlier time. `expected`: it is about the future."""

    kind: str
    owner: str
    relation: str
    object: str
    at: int
    confidence: float
    amount: Amount | None = None
    compared: bool = False
    expected: bool = False
