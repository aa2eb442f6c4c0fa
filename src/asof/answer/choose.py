"""The choice of what an answer quotes: the statements with the best scores, with what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf, log2

from msgspec import Struct

from asof.answer.question import ParsedQuestion
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    has_lapsed,
    lasts,
    tells_more,
    times_named,
)
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

RELEVANCE, RANK = 7.0, 0.25
"""What the score of a sentence's passage adds, as a share of the best one's; what the base-2 logarithm of its
place takes. All weights here are log odds of a linear model (a softmax over the sentences of a question),
fitted on half of the questions of three sets, news of the day, encyclopedia paragraphs and statements in
force, judged on the other halves, and rounded."""

WORDS, PASSAGE_WORDS = 3.0, -2.5
"""Per share of the question that a sentence has with the title and headings above it; that its whole passage
has: what brought the passage up should stand in the sentence itself."""

TELLS, FIGURE, SUPERSEDED = 1.1, 1.9, -4.0
"""Of a sentence with a name or a figure that the question lacks, or a clause where a reason is asked for;
with a figure where one is asked for; of a passage that something superseded or that is not in force, or a
sentence that a newer document contradicts, where no time is asked about."""

BEGINS, ENDS, WITHIN, OUTSIDE = 2.0, 1.3, 0.6, -0.7
"""Of a sentence that names the year with which the time asked about begins, that with which it ends, a time
within it, only other times."""

MARGIN = 3.0
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
    margin: float = MARGIN,
) -> list[Excerpt]:  # fmt: skip
    """The best sentences, at most QUOTES of them, each with its neighbours as far as there are characters for
    them; best first, none quoted twice.

    `words`: what is searched of the question. `sentences`: those of the hits, in order. Questions and what
    has fewer than SHORTEST words and no figure answer nothing.
    """
    best = {hit.id for hit in hits[:PASSAGES]}
    candidates = [each for each in statements if each.hit.id in best]
    passages = _passages(words, hits[:PASSAGES], candidates)
    scores = {
        at: _score(question, words, each, passages[each.hit.id])
        for at, each in enumerate(candidates)
        if states_something(each)
    }
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


def quote_of(statements: Sequence[Statement], at: int) -> Excerpt:
    """The quote of one of these sentences, with its neighbours."""
    return _with_neighbours(statements, at, ())


class PassageTerms(Struct, frozen=True):
    """The part of a sentence's score that comes from its passage: its rank (from 0), its score as a share of
    the best one's, and the share of the question that it contains."""

    rank: int
    relevance: float
    words: float


def _passages(
    words: WeightedPhrase, hits: Sequence[Hit], statements: Sequence[Statement]
) -> dict[str, PassageTerms]:
    stems: dict[str, frozenset[str]] = {hit.id: frozenset() for hit in hits}
    for each in statements:
        stems[each.hit.id] |= each.titled_stems
    best = max((hit.score for hit in hits), default=0.0)
    return {
        hit.id: PassageTerms(at, max(hit.score / best, 0.0) if best > 0 else 0.0, words.share(stems[hit.id]))
        for at, hit in enumerate(hits)
    }


def _score(
    question: ParsedQuestion, words: WeightedPhrase, sentence: Statement, passage: PassageTerms
) -> float:
    score = RELEVANCE * passage.relevance - RANK * log2(1 + passage.rank)
    score += WORDS * words.share(sentence.titled_stems) + PASSAGE_WORDS * passage.words
    score += _expected(question, sentence)
    against = not sentence.hit.holds and (passage.rank > 0 or not has_lapsed(sentence.hit))
    if (sentence.hit.superseded is not None or against) and not question.times:
        score += SUPERSEDED
    named = times_named(sentence)
    times = [span for span in question.times if span.last - span.first >= MONTH]
    years = {year for span in named for year in _years(span)}
    within = any(_within(each, span) for each in named for span in times)
    score += BEGINS * any(_years(span)[0] in years for span in times if span.start is not None)
    score += ENDS * any(
        _years(span)[1] in years - {_years(span)[0]} for span in times if span.end is not None
    )
    return score + (WITHIN if within else OUTSIDE if named and times else 0.0)


def _expected(question: ParsedQuestion, sentence: Statement) -> float:
    """The bonus of a sentence with the kind of thing that is asked for: a figure, a clause that can give a
    reason or a way, or else a value, or a name or a figure that the question lacks."""
    said = unnumbered(sentence.text)
    if question.figure:
        return FIGURE if any(map(str.isdigit, said)) else 0.0
    if question.explains:
        return TELLS if _words(sentence) >= CLAUSE else 0.0
    tells = sentence.kind in (ROW, FIELD) or tells_more(said, question.text)
    return TELLS if tells else 0.0


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
