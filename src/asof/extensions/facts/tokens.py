"""A sentence as tokens with tags, on which the patterns of the rules are matched.

Each token has one sign that says what it is to the rules ("Revenue was $5 million" is `Mb#`), so that the
pattern of a sentence is a regular expression over these signs, and the place of a sign is that of its token:

    #  a figure          T  a time              N  a name            M  a word for a measure
    R  an office         n  another word        g  "growth"          d  an article, "our"
    b  "is", "was"       l  "reached", "costs"  r  "rose"            f  "fell"
    v  a deed            y  another verb        x  "about", "has"    e  "expect", "will"
    i  a preposition     o  "of"                &  "and"             c  "than", "compared"
    w  "we"              p  another pronoun     s  "that", "because" !  "not"
    a  "formerly"        .  ; ? and other marks, and , ( ) : for themselves, / for the end of a line
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from asof.extensions.facts.dating import TimeMark
from asof.lang import set_of
from asof.text.figures import NONE, Figure, RuleLexicon, Senses, figures

# -- tokens ----------------------------------------------------------------------------------------


_TAGS = (
    ("alias", "a"), ("negation", "!"), ("compare", "c"), ("of", "o"), ("and", "&"), ("own", "w"),
    ("expect", "e"), ("rise_noun", "g"), ("measure", "M"), ("role", "R"), ("event", "v"), ("rise", "r"),
    ("fall", "f"), ("act", "v"), ("be", "b"), ("copula", "b"), ("link", "l"), ("determiner", "d"),
    ("approximate", "x"), ("auxiliary", "x"), ("verb", "y"), ("preposition", "i"), ("pronoun", "p"),
    ("stop", "s"),
)  # fmt: skip
"""The tag of a word with a sense; of several senses the first counts."""

_VERBS = (("event", "v"), ("rise", "r"), ("fall", "f"), ("link", "l"), ("verb", "y"))
_VERB_BEFORE = "RNw"
_IN_NAME = re.compile(r"[^\W\d_][-–]$")  # "COVID-19"
_PLAIN_MARKS = {",": ",", "(": "(", ")": ")", ":": ":", "\n": "/", "&": "&"}
_NAME = re.compile(r" [^\W\d_a-z][^\W\d_]+")
_LONGEST_CUE = 12  # characters
_SHORT_LINE = 60  # characters; a shorter line ends where it ends, a longer one may go on
_WORD = re.compile(
    r"(?P<word>[^\W\d_][\w]*+(?>(?:[’'&.\-/][^\W_][\w]*+)*)(?:[’'](?!\w))?)|(?P<code>\w++(?>(?:[-./]\w++)*))"
    r"|(?P<aside>\[\[[^\]|\n]{1,200}\||[*_#>\[\]]++)|(?P<mark>\n|[^\w\s])"
)


class Token(NamedTuple):
    """`text` at `[start, end)` of the passage; `low` in lower case; `capital`: a word with a capital letter
    that can be a name."""

    text: str
    low: str
    start: int
    end: int
    tag: str
    senses: Senses = NONE
    capital: bool = False
    figure: Figure | None = None
    time: TimeMark | None = None


def tokens_of(text: str, words: RuleLexicon, times: Sequence[TimeMark]) -> list[Token]:
    """The tokens of a passage in order. A time hides the words in it; a figure with a unit hides a time."""
    tokens: list[Token] = []
    line = at = 0
    for item in _figures_and_times(text, words, times):
        line = _words(tokens, text, (at, item.start), line, words)
        tokens.append(item)
        at = item.end
    _words(tokens, text, (at, len(text)), line, words)
    return _tagged(_joined(tokens, words))


def _figures_and_times(text: str, words: RuleLexicon, times: Iterable[TimeMark]) -> list[Token]:
    """The figures and times of a text, none inside another."""
    found = [
        Token(text[each.start : each.end], "", each.start, each.end, "#", figure=each)
        for each in figures(text, words.language)
        if not _IN_NAME.search(text, max(0, each.start - 2), each.start)
    ]
    found += [
        Token(mark.text, "", mark.start, mark.end, "T", time=mark)
        for mark in times
        if not _is_given_name(text, mark, words)
    ]
    found.sort(key=lambda each: (each.start, each.tag))
    kept: list[Token] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
        elif _stronger(each, kept[-1]):
            kept[-1] = each
    return kept


def _stronger(one: Token, other: Token) -> bool:
    """True if one of two that overlap counts: a figure with a unit, else the time."""
    if one.figure is not None:
        return bool(one.figure.unit)
    return other.figure is not None and not other.figure.unit


def _is_given_name(text: str, mark: TimeMark, words: RuleLexicon) -> bool:
    """True if a month is somebody's name: "May Hollis", but not "in May Hollis resigned"."""
    if "given" not in words.senses.get(mark.text.lower(), NONE) or not _NAME.match(text, mark.end):
        return False
    before = text[max(0, mark.start - _LONGEST_CUE) : mark.start].split()
    return not before or "preposition" not in words.senses.get(before[-1].lower(), NONE)


def _words(tokens: list[Token], text: str, where: tuple[int, int], line: int, words: RuleLexicon) -> int:
    """Add the words and marks between two places; the place of the line that the second is in."""
    for match in _WORD.finditer(text, *where):
        start, end = match.span()
        if match[0] == "\n":
            if start - line < _SHORT_LINE or text[end : end + 1] in "\n-*#|•":
                tokens.append(Token("\n", "\n", start, end, "/"))
            line = end
        elif match["word"]:
            tokens.append(_word(match[0], start, end, words))
        elif match["mark"]:
            tokens.append(Token(match[0], match[0], start, end, _PLAIN_MARKS.get(match[0], ".")))
        elif match["code"]:
            tokens.append(Token(match[0], match[0].lower(), start, end, "n", NONE, match[0][:1].isupper()))
    return line


def _word(word: str, start: int, end: int, words: RuleLexicon) -> Token:
    low = word.lower().replace("’", "'")
    senses = words.senses.get(low, NONE)
    if not senses and "-" in low:
        senses = words.senses.get(low.replace("-", "_"), NONE)
    capital = (word[:1].isupper() or word[1:2].isupper()) and "no_name" not in senses
    return Token(word, low, start, end, _tag(senses, capital=capital, low=low), senses, capital)


def _tag(senses: Senses, *, capital: bool, low: str = "") -> str:
    tag = next((tag for sense, tag in _TAGS if sense in senses), "n")
    if tag == "n" and not capital and low.endswith("ly") and low not in set_of("states", "no_adverb"):
        return "x"
    return "N" if capital and tag not in "MgRo&rfvbl!ac" else tag


def _joined(items: list[Token], words: RuleLexicon) -> list[Token]:
    """The same with the words of a phrase as one token, and "May" before a name as a name."""
    joined: list[Token] = []
    i = 0
    while i < len(items):
        item = items[i]
        for phrase in words.phrases.get(item.low, ()):
            after = i + len(phrase)
            if joined and joined[-1].tag == "#" and not item.senses.isdisjoint(COMPARATIVES):
                break  # "31 euros more than before" is no "more than 31 euros"
            if tuple(each.low for each in items[i:after]) == phrase:
                low = "_".join(phrase)
                text = " ".join(each.text for each in items[i:after])
                senses = words.senses[low]
                item = Token(text, low, item.start, items[after - 1].end, _tag(senses, capital=False), senses)
                i = after - 1
                break
        if (
            "given" in item.senses
            and i + 1 < len(items)
            and items[i + 1].tag == "N"
            and item.text[:1].isupper()
        ):
            item = item._replace(capital=True, tag="N")
        joined.append(item)
        i += 1
    return joined


COMPARATIVES = frozenset({"rise_after", "fall_after"})
"""The senses of words behind a figure by which it is a difference: "31 euros more"."""


def _tagged(items: list[Token]) -> list[Token]:
    """The same with words that are both nouns and verbs as what their neighbours make them: "the cost",
    "it costs 4 euros"; and "more" behind a figure as a word for a rise."""
    for i, item in enumerate(items):
        if i and items[i - 1].tag == "#" and item.tag == "n" and not item.senses.isdisjoint(COMPARATIVES):
            items[i] = item = item._replace(tag="r" if "rise_after" in item.senses else "f")
        if item.tag == "R" and item.capital and i and items[i - 1].tag == "N" and not items[i - 1].senses:
            items[i] = item._replace(tag="N")  # "Ann Baker"
        if item.tag not in "MgR" or item.senses.isdisjoint({"rise", "fall", "event", "link", "verb"}):
            continue
        before = items[i - 1].tag if i else "."
        after = next((each.tag for each in items[i + 1 : i + 3] if each.tag != "x"), ".")
        verb = next(tag for sense, tag in _VERBS if sense in item.senses)
        if (after == "#" and before in "MnNR") or (after in "d" and before in _VERB_BEFORE) or before == "x":
            items[i] = item._replace(tag=verb)
    return items


# -- phrases ---------------------------------------------------------------------------------------


def words_of(items: Sequence[Token], first: int, after: int) -> str:
    """The words of a range, separated by single spaces, without an article or preposition that leads it and
    what ends it."""
    first, after = trimmed(items, first, after)
    return " ".join(item.text for item in items[first:after])


def trimmed(items: Sequence[Token], first: int, after: int) -> tuple[int, int]:
    """A range without the articles, conjunctions and marks at its ends."""
    while first < after and (items[first].tag in "dxi&,p" or _leads(items, first)):
        first += 1
    while first < after and (items[after - 1].tag in "dxio&,(" or "former" in items[after - 1].senses):
        after -= 1
    return first, after


def _leads(items: Sequence[Token], at: int) -> bool:
    """True if a word only leads the sentence into a phrase: "Finally, revenue was"."""
    return "discourse" in items[at].senses and (at == 0 or items[at - 1].tag in "/.,;")
