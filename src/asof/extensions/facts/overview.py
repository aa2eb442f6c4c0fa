"""Overviews: answers over periods, from reports or else from the best passages of each (mode "global")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from functools import cache
from types import SimpleNamespace

import numpy as np

from asof.answer.ask import AnswerOptions, RetrievedPassages
from asof.answer.choose import Candidates, Excerpt, best_quotes, states_something
from asof.answer.extractive import AnswerContext
from asof.answer.question import ParsedQuestion
from asof.answer.statements import Statement, WeightedPhrase, statements_of
from asof.extensions.facts.build import ReportSelection
from asof.extensions.facts.indexer import ensure_facts
from asof.extensions.facts.model import extractor_note
from asof.extensions.facts.names import EntityResolver
from asof.extensions.facts.reports import ReportCitation, ReportPoint
from asof.extensions.facts.summary import (
    GLOBAL_TOKENS,
    MAX_SECTIONS,
    MIN_SECTIONS,
    Summary,
    sections_of,
    summarise_span,
)
from asof.hits import Answer, Citation, Hit
from asof.index.view import View
from asof.queries import Filters
from asof.store.reader import passage_as_of, version_numbers, visible_passages
from asof.time.span import GRAINS, Grain, Period, Span, moment
from asof.wire import replace

# -- the best quotes of each period, in order of time ----------------------------------------------


MIN_SHARE = 0.5
"""A passage tells of the question if one of its sentences, with the title and headings above it, has this
share of the words that the best such sentence has."""

POINTS = 2
"""The most quotes of a period."""


def summary_by_period(
    question: ParsedQuestion, words: WeightedPhrase, text: str, hits: Sequence[Hit], view: View, span: Span
) -> Summary:
    """The best quotes of the passages that answer a question, by the periods of their publication.

    `words`: what is searched of the question, whose wording is `text`. `hits`: best first; undated ones and
    those published outside `span` are left out. Periods are of the coarsest grain that makes at least
    MIN_SECTIONS of them, or the most; there are no sections where fewer than two periods are left.
    """
    published = {hit.id: hit.published.span.first for hit in hits if hit.published is not None}
    inside = [hit for hit in hits if hit.id in published and span.first <= published[hit.id] <= span.last]
    sentences = statements_of(view, inside)
    telling = _telling_hits(words, sentences)
    by_grain: dict[Grain, dict[Period, list[Hit]]] = {}
    for grain in GRAINS:
        by_grain[grain] = {}
        for hit in telling:
            period = Period.containing(moment(published[hit.id]).astimezone(UTC), grain)
            by_grain[grain].setdefault(period, []).append(hit)
    enough = [each for each in by_grain.values() if len(each) >= MIN_SECTIONS]
    by_period = enough[0] if enough else max(by_grain.values(), key=len)
    points: list[tuple[Period | None, ReportPoint]] = []
    for period, own in list(by_period.items())[:MAX_SECTIONS] if len(by_period) > 1 else ():
        found = Candidates.of(question, words, own, sentences)
        points += [(period, _point(quote)) for quote in best_quotes(question, words, found)[:POINTS]]
    return Summary(text, span, sections_of(points), view.as_of, view.known_at, "extract", ())


def _telling_hits(words: WeightedPhrase, sentences: Sequence[Statement]) -> list[Hit]:
    """The hits with a sentence that has MIN_SHARE of the words that the best sentence has, in their order."""
    best: dict[str, tuple[Hit, float]] = {}
    for each in sentences:
        if states_something(each):
            share = words.share(each.titled_stems)
            best[each.hit.id] = each.hit, max(share, best[each.hit.id][1] if each.hit.id in best else 0.0)
    largest = max((share for _, share in best.values()), default=0.0)
    return [hit for hit, share in best.values() if share > 0 and share >= MIN_SHARE * largest]


def _point(quote: Excerpt) -> ReportPoint:
    hit = quote.hit
    source = ReportCitation(
        hit.id, hit.document, hit.title, hit.published, quote.text, None, hit.place.headings
    )
    return ReportPoint(quote.text, (), "relevant", (source,), ())


# -- overviews -------------------------------------------------------------------------------------


def overview(
    retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, *, requested: bool
) -> Answer | None:
    """An answer from the reports on the periods of the question, or else from the best passages of each.

    Unless it is `requested`, None where passages answer better: where a reason is found in one period only,
    or nothing fits and a model is there to read the passages. Reports tell of all documents, so they answer
    no question with filters.
    """
    question, scope = context.parsed, scope_of(context.parsed)
    about = question.names[0] if len(question.names) == 1 else ""
    view = retrieved.view
    summary = Summary(context.question, scope, (), view.as_of, view.known_at, "extract", ())
    if replace(retrieved.filters, in_force=None) == Filters():
        summary = _from_reports(retrieved, context, options, about)
    least = 2 if question.reason and not requested else 1
    spread = options.model is None and (question.times or not question.names or not question.reason)
    if len(summary.sections) < least and (requested or spread):
        told = summary_by_period(
            question, context.words, context.question, context.hits, retrieved.view, scope
        )
        summary = told if len(told.sections) > len(summary.sections) else summary
    if not requested and len(summary.sections) < least:
        return None
    answer = summary.as_answer(about)
    return replace(answer, citations=_with_versions(retrieved.view, answer.citations))


def _with_versions(view: View, citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """The citations, each with the version of its document; reports are kept, and know of no moment."""
    found = {each.id: passage_as_of(view.store.db, each.id, view.as_of, view.known_at) for each in citations}
    numbers = version_numbers(view.store, (each.passage for each in found.values() if each))
    return tuple(
        replace(each, version=numbers.get(passage.passage) if (passage := found[each.id]) else None)
        for each in citations
    )


def _from_reports(
    retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, about: str
) -> Summary:
    view, question = retrieved.view, context.parsed
    topics = WeightedPhrase.of(" ".join(question.topics), view)

    @cache
    def relevance(text: str) -> float:
        return topics.share(frozenset(view.analyzer.terms(text, view.analyzer.detect(text))))

    entities = EntityResolver.of(view)
    passages = view.column("passage", np.array(context.rows, np.int64)).tolist()
    visible = visible_passages(view.store.db, passages, view.as_of, view.known_at)
    return summarise_span(
        context.question, view, scope_of(question),
        ReportSelection(entities.canonical, about, relevance if question.topics else None),
        passages=[visible[passage] for passage in passages], model=options.model,
        budget=GLOBAL_TOKENS if options.tokens is None else options.tokens,
    )  # fmt: skip


def scope_of(question: ParsedQuestion) -> Span:
    """The span from the first of a question's times to the last; all time, if it names none."""
    if not question.times:
        return Span(None, None)
    starts, ends = [time.start for time in question.times], [time.end for time in question.times]
    start = None if None in starts else min(each for each in starts if each is not None)
    end = None if None in ends else max(each for each in ends if each is not None)
    return Span(start, end)


# -- the parts of `asof ask` that this extension brings --------------------------------------------


FACTS = SimpleNamespace(overview=overview, prepare=ensure_facts, note=extractor_note)
"""An `asof.answer.ask.Answering`."""
