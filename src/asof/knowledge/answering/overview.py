"""Answers over periods, from their reports or else from the best passages of each (mode "global")."""

from __future__ import annotations

from functools import cache

import numpy as np

from asof.answer.ask import AnswerOptions, RetrievedPassages
from asof.answer.evidence import WeightedPhrase
from asof.answer.extractive import AnswerContext
from asof.answer.pack import GLOBAL_TOKENS
from asof.answer.question import ParsedQuestion
from asof.data import Answer
from asof.knowledge.answering.global_summary import summarise_span
from asof.knowledge.answering.passages_by_period import summary_by_period
from asof.knowledge.answering.summary import Summary
from asof.knowledge.reports.build import ReportSelection
from asof.knowledge.resolve import Entities
from asof.store.passages import visible_passages
from asof.time.span import Span


def overview(
    retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, *, requested: bool
) -> Answer | None:
    """What the reports on the periods of the question say, or else the best passages of each period.

    Unless it is `requested`, None where passages answer better: where a reason is found in one period only,
    or nothing fits and a model is there to read the passages.
    """
    question, scope = context.parsed, scope_of(context.parsed)
    about = question.names[0] if len(question.names) == 1 else ""
    summary = _from_reports(retrieved, context, options, about)
    least = 2 if question.reason and not requested else 1
    spread = options.model is None and (question.times or not question.names or not question.reason)
    if len(summary.sections) < least and (requested or spread):
        told = summary_by_period(
            question, context.words, context.question, context.hits, retrieved.view, scope
        )
        summary = told if len(told.sections) > len(summary.sections) else summary
    return summary.as_answer(about) if requested or len(summary.sections) >= least else None


def _from_reports(
    retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, about: str
) -> Summary:
    view, question = retrieved.view, context.parsed
    topics = WeightedPhrase.of(" ".join(question.topics), view)

    @cache
    def relevance(text: str) -> float:
        return topics.share(frozenset(view.analyzer.terms(text, view.analyzer.detect(text))))

    entities = Entities.of(view)
    passages = view.column("passage", np.array(context.rows, np.int64)).tolist()
    visible = visible_passages(view.store.db, passages, view.as_of, view.known_at)
    return summarise_span(
        context.question, view, scope_of(question),
        ReportSelection(entities.canonical, about, relevance if question.topics else None),
        passages=[visible[passage] for passage in passages], model=options.model, reporter=options.model,
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
