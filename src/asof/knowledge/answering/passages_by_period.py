"""A course over time told by the passages themselves: the best quotes of each period, in order of time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC

from asof.answer.best_sentences import Quote, best_quotes, states_something
from asof.answer.evidence import Sentence, WeightedPhrase, quotable_sentences
from asof.answer.question import ParsedQuestion
from asof.data import Hit
from asof.index.view import View
from asof.knowledge.answering.summary import MAX_SECTIONS, MIN_SECTIONS, Summary, sections_of
from asof.knowledge.reports.report import Quote as SourceQuote
from asof.knowledge.reports.report import ReportPoint
from asof.time.period import GRAINS, Grain, Period
from asof.time.span import Span, moment

MIN_SHARE = 0.5
"""A passage tells of the question if one of its sentences, with the title and headings above it, has this
share of the words that the best such sentence has."""

POINTS = 2
"""The most quotes of a period."""


def summary_by_period(
    question: ParsedQuestion, words: WeightedPhrase, text: str, hits: Sequence[Hit], view: View, span: Span
) -> Summary:
    """The best quotes of the passages that tell of a question, under the periods of their publication.

    `words`: what is searched of the question, whose wording is `text`. `hits`: best first; undated ones and
    those published outside `span` are left out. Periods are of the coarsest grain that makes at least
    MIN_SECTIONS of them, or the most; there are no sections where fewer than two periods are left.
    """
    sentences = quotable_sentences(view, [hit for hit in hits if _inside(hit, span)], ())
    telling = _telling_hits(words, sentences)
    grain = _grain(telling)
    by_period: dict[Period, list[Hit]] = {}
    for hit in telling:
        by_period.setdefault(_period(hit, grain), []).append(hit)
    points: list[tuple[Period | None, ReportPoint]] = []
    for period, own in list(by_period.items())[:MAX_SECTIONS] if len(by_period) > 1 else ():
        points += [(period, _point(quote)) for quote in best_quotes(question, words, own, sentences)[:POINTS]]
    return Summary(text, span, sections_of(points), view.as_of, view.known_at, "extract", ())


def _telling_hits(words: WeightedPhrase, sentences: Sequence[Sentence]) -> list[Hit]:
    """The hits with a sentence that has MIN_SHARE of the words that the best sentence has, in their order."""
    best: dict[str, tuple[Hit, float]] = {}
    for each in sentences:
        if states_something(each):
            share = words.share(each.titled_stems)
            best[each.hit.id] = each.hit, max(share, best[each.hit.id][1] if each.hit.id in best else 0.0)
    largest = max((share for _, share in best.values()), default=0.0)
    return [hit for hit, share in best.values() if share > 0 and share >= MIN_SHARE * largest]


def _inside(hit: Hit, span: Span) -> bool:
    return hit.published is not None and span.first <= hit.published.span.first <= span.last


def _period(hit: Hit, grain: Grain) -> Period:
    assert hit.published is not None  # noqa: S101  see _inside
    return Period.containing(moment(hit.published.span.first).astimezone(UTC), grain)


def _grain(hits: Sequence[Hit]) -> Grain:
    """The coarsest grain that makes enough periods; else the coarsest of those that make the most."""
    counts = {grain: len({_period(hit, grain) for hit in hits}) for grain in GRAINS}
    enough = [grain for grain in GRAINS if counts[grain] >= MIN_SECTIONS]
    return enough[0] if enough else max(GRAINS, key=lambda grain: counts[grain])


def _point(quote: Quote) -> ReportPoint:
    hit = quote.hit
    source = SourceQuote(hit.id, hit.document, hit.title, hit.published, quote.text, None)
    return ReportPoint(quote.text, (), "relevant", (source,), ())
