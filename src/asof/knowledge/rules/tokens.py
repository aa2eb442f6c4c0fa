"""A passage as a row of items: words with their senses, figures, times and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from asof.knowledge.rules.dating import TimeMark
from asof.text.fact_lexicon import NONE, RuleLexicon, Senses
from asof.text.figures import Figure, figure_of, pattern

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
    """Whether a month is somebody's name: "May Hollis", but not "in May Hollis resigned"."""
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
