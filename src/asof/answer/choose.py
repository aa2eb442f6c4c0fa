"""The choice of what an answer quotes: the statements with the best scores, with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import inf, log2
from operator import mul
from typing import NamedTuple

from msgspec import Struct

from asof.answer.question import ParsedQuestion, phrases_of
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    has_lapsed,
    lasts,
    tells_more,
    times_named,
)
from asof.lang import numerals
from asof.models.ports import Encoder
from asof.text.passages import shown, unnumbered
from asof.text.statements import FIELD, ITEM, ROW, plain
from asof.time.span import DAY, Span, nearest_moment
from asof.values import Hit

# -- quotes: the best sentences, without rules on what the question asks for ---------------------------

PASSAGES = 10
"""The number of best passages that are read for sentences."""

QUOTES, QUOTE_CHARACTERS, LIST_CHARACTERS = 3, 450, 1_000
"""The most quotes of an answer, the characters up to which a quote takes in the sentences around, and those
of the longest list or table that is quoted whole."""

SHORT = 60
"""A quote of so many characters has the heading above it."""

MARGIN = 4.0
"""Quotes that score so much less than the best one are left out, unless a time is asked about: there the
parts of the score for it are larger than that."""

MONTH = 28 * DAY
"""Texts of a week report its events without naming the time, and later ones may report them."""

SHORTEST, CLAUSE = 4, 6
"""Statements with fewer words are headings, labels and "Yes.", unless they give a label its value or have a
figure ("Ida Holm (1979-1984)"); a reason or a way takes more."""

_FIGURE = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]", re.DOTALL)
_LABELLED = re.compile(r"\w[:：]\s*\w")


class Excerpt(Struct, frozen=True):
    """A stretch of a hit's text, `start` to `end`, and the statement that it is quoted for. `whole`: the
    items of the list, or the rows of the table, that are quoted as one."""

    hit: Hit
    start: int
    end: int
    statement: Statement
    whole: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The quoted text, plain, behind what names its version, or the heading above it if it is short."""
        own = self.statement
        if self.whole:
            lead = own.lead if own.kind == ITEM else own.text if own.kind != ROW else ""
            said = f"{lead or _above(self.hit)} {' • '.join(self.whole)}".strip()
        elif (self.start, self.end) == (own.start, own.end):
            said = own.text
        else:
            said = plain(shown(self.hit.text[self.start : self.end]))
        if own.edition:
            return said if said.startswith(own.edition) else f"{own.edition} › {said}"
        return said if len(said) > SHORT or not (above := _above(self.hit, said)) else f"{above} › {said}"

    @property
    def emphasis(self) -> tuple[int, int] | None:
        """The character range of the statement in the text; None if it is all."""
        own = self.statement.text
        first = self.text.find(own)
        return None if first < 0 or self.text == own else (first, first + len(own))


def _above(hit: Hit, said: str = "") -> str:
    """The heading above a hit that is neither its title nor said in a text nor the header of a table."""
    heading = plain(hit.place.headings[-1]) if hit.place.headings else ""
    known = not heading or heading == hit.title or "|" in heading or heading.casefold() in said.casefold()
    return "" if known else heading


def best_quotes(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], statements: Sequence[Statement],
    margin: float = MARGIN, encoder: Encoder | None = None, signs: Sequence[Signs] | None = None,
) -> list[Excerpt]:  # fmt: skip
    """The best sentences, at most QUOTES of them, each with its neighbours as far as there are characters for
    them; best first, none quoted twice.

    `words`: what is searched of the question. `sentences`: those of the hits, in order. Questions and what
    has fewer than SHORTEST words and no figure answer nothing. `encoder`: compares the meaning of the best.
    `signs`: of the statements of the first PASSAGES, if they are known.
    """
    best = {hit.id for hit in hits[:PASSAGES]}
    candidates = [each for each in statements if each.hit.id in best]
    signs = signs_of(question, words, hits[:PASSAGES], candidates) if signs is None else signs
    scores = {
        at: sum(map(mul, signs[at], WEIGHTS)) for at, each in enumerate(candidates) if states_something(each)
    }
    if encoder is not None and scores:
        _add_meaning(scores, candidates, question.text, encoder)
    quotes: list[Excerpt] = []
    texts: set[str] = set()
    least = max(scores.values(), default=0.0) - (margin if not question.times else inf)
    order = sorted(scores, key=lambda at: (-scores[at], at))
    if question.current and order:
        newest = _newest(words, candidates, order)
        order = [newest, *(at for at in order if at != newest)]
    for at in order:
        if scores[at] < least and quotes:
            break
        beside = [each for each in quotes if each.hit is candidates[at].hit]
        quote = _with_neighbours(candidates, at, beside, question.several)
        inside = any(
            each.hit is quote.hit and each.start <= candidates[at].start < each.end for each in quotes
        )
        if inside or quote.text in texts:
            continue
        quotes.append(quote)
        texts.add(quote.text)
        if len(quotes) == QUOTES:
            break
    return quotes


MEANT, MEANING = 16, 8.0
"""So many of the best statements are encoded; the weight of their cosine with the question."""


def _add_meaning(
    scores: dict[int, float], statements: Sequence[Statement], question: str, encoder: Encoder
) -> None:
    """Adds to the best scores how near their statements are to the question in meaning; to the others the
    least of that."""
    best = sorted(scores, key=lambda at: (-scores[at], at))[:MEANT]
    texts = [f"{_above(each.hit, each.text)} {each.text}".strip() for each in (statements[at] for at in best)]
    asked = encoder.encode([question], question=True)[0]
    near = dict(zip(best, (encoder.encode(texts) @ asked).tolist(), strict=True))
    least = min(near.values())
    for at in scores:
        scores[at] += MEANING * near.get(at, least)


def _newest(words: WeightedPhrase, statements: Sequence[Statement], order: Sequence[int]) -> int:
    """The first sentence in this order, or the one published last of those that state what is the case and
    have as much of the question: if the first states it, too, or if it has all of the question itself."""
    least = words.share(statements[order[0]].titled_stems)
    dated = [
        (date.span.last, -place, at)
        for place, at in enumerate(order)
        if (date := statements[at].hit.published) is not None
        and words.share(statements[at].titled_stems) >= least
        and lasts(statements[at], date.span.last)
        and statements[at].hit.holds
    ]
    states = {at for _, _, at in dated}
    whole = [each for each in dated if words.share(statements[each[2]].stems) == 1.0]
    if order[0] not in states and not whole:
        return order[0]
    return max(dated if order[0] in states else whole)[2]


def quote_of(statements: Sequence[Statement], at: int, several: bool = False) -> Excerpt:
    """The quote of one of these statements, with its neighbours. `several`: several things are asked for."""
    return _with_neighbours(statements, at, (), several)


# -- signs: what speaks for a statement ----------------------------------------------------------------


class Signs(NamedTuple):
    """What speaks for a statement as the answer to a question, or the weight of each sign.

    `relevance`, `rank`: the score of its passage as a share of the best one's, and the base-2 logarithm of
    its place; `words`, `own`, `around`: the shares of the question that it has with the title and headings
    above it, by itself, and with the statements beside it; `passage`: that all of its passage has, since what
    brought the passage up should stand in the statement itself. `heading`: the share of the heading's words
    that the question has. `defines`: it begins with what is to be defined; `figure`, `number`, `reason`: it
    has a figure, a number (in words, too), words that give a reason where one is asked for; `clause`: it can
    give a reason or a way; `tells`: else it
    has a value, a name or a figure that the question lacks. `begins`, `ends`, `outside`: it names the year
    with which the time asked about begins, that with which it ends, only other times. `row`: it is one of a
    table; `leads`: it introduces a list; `several`: it is an item or a row where several things are asked
    for. `past`: something superseded it, or it is not in force.
    """

    relevance: float = 0.0
    rank: float = 0.0
    words: float = 0.0
    own: float = 0.0
    around: float = 0.0
    passage: float = 0.0
    heading: float = 0.0
    defines: float = 0.0
    figure: float = 0.0
    number: float = 0.0
    reason: float = 0.0
    clause: float = 0.0
    tells: float = 0.0
    begins: float = 0.0
    ends: float = 0.0
    outside: float = 0.0
    row: float = 0.0
    leads: float = 0.0
    several: float = 0.0
    past: float = 0.0


WEIGHTS = Signs(
    relevance=11.0, rank=-0.3, words=5.0, own=1.3, around=0.9, passage=-1.8, heading=1.2, defines=5.0,
    figure=1.2, number=1.8, reason=5.0, clause=1.8, tells=1.0, begins=2.5, ends=1.7, outside=-1.2, row=0.9,
    leads=1.4, several=1.3, past=-8.0,
)  # fmt: skip
"""Log odds of a linear model (a softmax over the statements of a question) with a prior at the weights
before, fitted on questions of people on documents and of datasets, judged on the corpora left out, and
rounded (`bench/answers.py`)."""


def first_signs(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], statements: Sequence[Statement]
) -> list[Signs]:
    """The signs of the statements of the first PASSAGES of these hits, in their order."""
    among = {hit.id for hit in hits[:PASSAGES]}
    own = [each for each in statements if each.hit.id in among]
    return signs_of(question, words, hits[:PASSAGES], own)


def signs_of(
    question: ParsedQuestion, words: WeightedPhrase, hits: Sequence[Hit], statements: Sequence[Statement]
) -> list[Signs]:  # fmt: skip
    """The signs of each of these statements of hits, in their order."""
    places = {hit.id: at for at, hit in enumerate(hits)}
    best = max((hit.score for hit in hits), default=0.0)
    stems: dict[str, frozenset[str]] = {}
    for each in statements:
        stems[each.hit.id] = stems.get(each.hit.id, frozenset()) | each.titled_stems
    asked = frozenset[str]().union(*(each for each, _ in words.words))
    found = []
    for at, each in enumerate(statements):
        beside = [other for other in statements[max(at - 1, 0) : at + 2] if other.hit is each.hit]
        around = frozenset[str]().union(*(other.stems for other in beside))
        place, score = places[each.hit.id], each.hit.score
        against = not each.hit.holds and (place > 0 or not has_lapsed(each.hit))
        past = (each.hit.superseded is not None or against) and not question.times
        follows = at + 1 < len(statements) and statements[at + 1].hit is each.hit
        found.append(Signs(
            relevance=max(score / best, 0.0) if best > 0 else 0.0, rank=log2(1 + place),
            words=words.share(each.titled_stems), own=words.share(each.stems), around=words.share(around),
            passage=words.share(stems[each.hit.id]),
            heading=len(each.above & asked) / max(len(each.above), 1),
            row=float(each.kind == ROW), past=float(past),
            several=float(question.several and each.kind in (ITEM, ROW)),
            leads=float(follows and each.text.endswith((":", "：")) and statements[at + 1].kind == ITEM),
            **_expected(question, each), **_of_time(question, each),
        ))  # fmt: skip
    return found


def _expected(question: ParsedQuestion, statement: Statement) -> dict[str, float]:
    """The signs of the kind of thing that is asked for."""
    said = unnumbered(statement.text)
    signs = {"defines": float(bool(question.defines) and _defines(question.defines, said))}
    if question.figure:
        digits = any(map(str.isdigit, said))
        signs["figure"] = float(digits)
        numbers = number_words(question.language)
        signs["number"] = float(digits or not numbers.isdisjoint(said.lower().split()))
    elif question.explains:
        signs["clause"] = float(_words(statement) >= CLAUSE)
        signs["reason"] = float(
            question.reason and phrases_of("because", question.language).search(said.lower()) is not None
        )
    else:
        signs["tells"] = float(statement.kind in (ROW, FIELD) or tells_more(said, question.text))
    return signs


@cache
def number_words(language: str) -> frozenset[str]:
    """The numbers of a language in words, from two on."""
    return frozenset(word for word in numerals(language) if not word.isdigit())


def _defines(name: str, said: str) -> bool:
    """True if a statement begins with a name, maybe behind an article, or has it in brackets: "Everyone on
    Support (EOS)"."""
    first, _, rest = (text := said.casefold()).partition(" ")
    begins = text.startswith(name) or (len(first) <= LONGEST_ARTICLE and rest.startswith(name))
    return begins or f"({name})" in text


LONGEST_ARTICLE = 3


def _of_time(question: ParsedQuestion, statement: Statement) -> dict[str, float]:
    """The signs of the times that a statement names."""
    times = [span for span in question.times if span.last - span.first >= MONTH]
    named = times_named(statement) if times else []
    years = {year for span in named for year in _years(span)}
    within = any(_within(each, span) for each in named for span in times)
    return {
        "begins": float(any(_years(span)[0] in years for span in times if span.start is not None)),
        "ends": float(any(
            _years(span)[1] in years - {_years(span)[0]} for span in times if span.end is not None
        )),
        "outside": float(bool(named) and not within),
    }  # fmt: skip


def _within(named: Span, asked: Span) -> bool:
    """True if a named time begins or ends within the time that is asked about."""
    return asked.first <= named.first <= asked.last or asked.first <= named.last <= asked.last


def _years(span: Span) -> tuple[int, int]:
    """The years in which a span begins and ends."""
    return nearest_moment(span.first).year, nearest_moment(span.last).year


def states_something(sentence: Statement) -> bool:
    """True if a sentence states anything: it is no question, heading, label, fence or lone "Yes."."""
    text = sentence.text
    return (
        (
            _words(sentence) >= SHORTEST
            or _LABELLED.search(text) is not None
            or _FIGURE.search(text) is not None
        )
        and not text.startswith(("```", "---"))
        and not text.rstrip("\"'”’»*_) ").endswith(("?", "？"))
    )


def _with_neighbours(
    statements: Sequence[Statement], at: int, others: Sequence[Excerpt], several: bool = False
) -> Excerpt:
    """A statement with those after and before it in its passage, while they fit and are in none of the other
    quotes; those after it first. Rows and fields stand alone.

    A list is quoted whole below the words that introduce it; where `several` are asked for, also for one of
    its items, and a table for one of its rows. Else an item is quoted alone behind these words.
    """
    own = statements[at]
    follows = at + 1 < len(statements) and statements[at + 1].hit is own.hit
    leads = (
        follows
        and statements[at + 1].kind == ITEM
        and own.kind != ITEM
        and own.text == statements[at + 1].lead
    )
    if leads or (several and own.kind in (ITEM, ROW)):
        whole = _whole(statements, at + leads)
        if whole is not None:
            first, last = whole
            texts = tuple(_item(each) for each in statements[first : last + 1])
            start = own.start if leads else statements[first].start
            return Excerpt(own.hit, start, statements[last].end, own, texts)
    first = last = at
    hit = own.hit

    def joined(before: int, after: int) -> bool:
        """True if these two are adjacent, and the quote from first to last still fits with both."""
        one, other = statements[before], statements[after]
        if other.hit is not hit or one.hit is not hit or one.end != other.start:
            return False
        start, end = min(one.start, statements[first].start), max(other.end, statements[last].end)
        if len(shown(hit.text[start:end])) > QUOTE_CHARACTERS:
            return False
        if any(each.start < end and start < each.end for each in others):
            return False
        if one.kind in (ROW, FIELD) or other.kind in (ROW, FIELD):
            return False
        top = min(first, before)
        alone = max(last, after) == top + 1 and _words(statements[top]) < SHORTEST
        return ITEM not in (one.kind, other.kind) or (
            other.kind == ITEM and (alone or statements[top].text.endswith((":", "：")))
        )

    while True:
        if last + 1 < len(statements) and joined(last, last + 1):
            last += 1
        elif first > 0 and joined(first - 1, first):
            first -= 1
        else:
            return Excerpt(hit, statements[first].start, statements[last].end, own)


def _whole(statements: Sequence[Statement], at: int) -> tuple[int, int] | None:
    """The first and the last of the items of the list, or rows of the table, that one is a part of; None if
    that is too long to be quoted, or the only one."""
    own, first, last = statements[at], at, at

    def belongs(other: Statement) -> bool:
        return other.hit is own.hit and other.kind == own.kind and other.lead == own.lead

    while first > 0 and belongs(statements[first - 1]):
        first -= 1
    while last + 1 < len(statements) and belongs(statements[last + 1]):
        last += 1
    length = sum(len(_item(each)) for each in statements[first : last + 1])
    return (first, last) if first < last and length <= LIST_CHARACTERS else None


def _item(statement: Statement) -> str:
    """A statement without the words that introduce its list."""
    text = statement.text
    return text[len(statement.lead) :].strip() if statement.kind == ITEM and statement.lead else text


def _words(sentence: Statement) -> int:
    return len(sentence.text.split())
