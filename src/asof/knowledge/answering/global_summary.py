"""Summaries of a span, made from the reports on its periods (TG-RAG, section III-B4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from asof.answer.pack import GLOBAL_TOKENS, pack, split_budget
from asof.index.view import View
from asof.knowledge.answering.needed_reports import least_relevance, needed_reports, point_text
from asof.knowledge.answering.report_budget import within_budget
from asof.knowledge.answering.summary import (
    EvidencePiece,
    Summary,
    reports_of,
    sections_of,
    summary_periods,
    with_changes,
)
from asof.knowledge.hierarchy import Hierarchy, holds
from asof.knowledge.reports.build import ReportSelection
from asof.knowledge.reports.report import BY_MODEL, PeriodReport, Quote, ReportPoint
from asof.knowledge.reports.selection import Relevance
from asof.knowledge.reports.span_reports import facts_around
from asof.knowledge.visible_facts import StatedFact
from asof.models.ports import Model
from asof.store.passages import VisiblePassage
from asof.text.budget import header, tokens
from asof.time.period import Period
from asof.time.span import Span

MAX_POINTS = 24
"""The most points of a summary that no model wrote."""


def summarise_span(
    question: str, view: View, span: Span, selection: ReportSelection | None = None, *,
    passages: Sequence[VisiblePassage] = (), model: Model | None = None, reporter: Model | None = None,
    budget: int = GLOBAL_TOKENS,
) -> Summary:  # fmt: skip
    """The answer to a question about a span, from the reports on the periods in it.

    `selection.relevance` gives the share of the question that a text has (without it all texts are equally
    relevant: "what happened in March?"), `selection.about` the name it is about.

    Without a model: the points of the reports with at least MIN_RELEVANCE of the largest relevance, at most
    MAX_POINTS, taken from the periods in turn; none if the largest is below MIN_RELEVANCE, too. Titles and
    summaries that a model wrote stand before the points of their report. With a model: what it writes from
    these, and from those of `passages` (best first) that state a fact of the span or were published in it, in
    `budget` tokens. If its replies cannot be used, the summary is the one without a model, with a note.

    `reporter` writes the reports that the question needs (`needed_reports.py`); the others, and without one
    all, are extracted for this question. Raises ModelError.
    """
    selection = selection or ReportSelection()
    if selection.relevance is not None:
        selection = selection._replace(relevance=cache(selection.relevance))
    hierarchy = facts_around(view, span, selection)
    reports, beyond = _reports(hierarchy, span, selection, reporter, budget)
    notes = [f"{report.period}: {note}" for report in reports for note in report.notes]
    notes += [beyond] if beyond else []
    pieces = _relevant(reports, selection.relevance)
    summary = _extracted(question, view, span, pieces, notes)
    if model is None:
        return summary
    from asof.knowledge.answering.map_reduce import map_reduce

    rated = {report.period: report.rating for report in reports if report.rating is not None}
    evidence, left_out = _within(pieces, rated, _of_time(passages, hierarchy, span), budget)
    reduced = map_reduce(question, evidence, model, budget)
    if isinstance(reduced, str):
        note = f"extracted, because {model.name} gave no answer: {reduced}"
        return replace(summary, notes=(*summary.notes, note))
    return replace(
        summary, sections=sections_of(reduced.points), by=model.name,
        notes=(*notes, *left_out, *reduced.notes), noted=reduced.noted,
    )  # fmt: skip


def _reports(
    hierarchy: Hierarchy, span: Span, selection: ReportSelection, reporter: Model | None, budget: int
) -> tuple[list[PeriodReport], str]:  # fmt: skip
    """The reports on the periods of a span, and a note on those that were needed and are not asked for.

    What a model wrote of a period is the same for all questions. The extracted report follows it, which has
    the points on this question.
    """
    periods = summary_periods(hierarchy, span)
    extracted = reports_of(hierarchy, periods, selection, None)
    if reporter is None:
        return extracted, ""
    needed = needed_reports(extracted, selection.relevance)
    if needed.periods:
        pieces = _relevant(extracted, selection.relevance)
        reporter = within_budget(reporter, pieces, len(needed.periods), budget)
    wanted = frozenset(needed.periods)
    written = reports_of(hierarchy, periods, selection._replace(relevance=None), reporter, wanted)
    reports: list[PeriodReport] = []
    for plain, each in zip(extracted, written, strict=True):
        if each.by == "extract":
            reports.append(replace(plain, notes=each.notes, unsent=each.unsent))
        elif selection.relevance is None:
            reports.append(each)
        else:
            reports += [each, plain]
    return reports, needed.note(written)


def _relevant(reports: Sequence[PeriodReport], relevance: Relevance | None) -> list[EvidencePiece]:
    """The points of reports in their order, without those of little relevance."""
    pieces = [piece for report in reports for piece in _pieces(report)]
    if relevance is None:
        return pieces
    weights = [relevance(point_text(each.point)) for each in pieces]
    least = least_relevance(weights)
    return [each for each, weight in zip(pieces, weights, strict=True) if weight >= least]


def _pieces(report: PeriodReport) -> list[EvidencePiece]:
    """The title and summary of a report that a model wrote, which rest on all of its points; the points."""
    pieces = [
        EvidencePiece(_shown(point), point, _passages_of(point.facts), report.period)
        for point in report.points
    ]
    if report.by != "extract" and report.points:
        quotes = dict.fromkeys(point.citations[0] for point in report.points if point.citations)
        facts = tuple(dict.fromkeys(fact for point in report.points for fact in point.facts))
        text = f"{report.title}: {report.summary}"
        point = ReportPoint(text, (), BY_MODEL, tuple(quotes), facts)
        pieces.insert(0, EvidencePiece(text, point, _passages_of(facts), report.period))
    return pieces


def _passages_of(facts: Sequence[StatedFact]) -> tuple[int, ...]:
    return tuple(sorted({fact.passage.passage for fact in facts}))


def _shown(point: ReportPoint) -> str:
    """A point with what changed, and its first source."""
    source = point.citations[0]
    date = source.published.text if source.published else "undated"
    return f"{with_changes(point)} [{source.title or source.document}, {date}]"


def _extracted(
    question: str, view: View, span: Span, pieces: Sequence[EvidencePiece], notes: Sequence[str]
) -> Summary:
    """The summary without a model: the periods take turns until it is full."""
    packed = pack([1] * len(pieces), MAX_POINTS, groups=[(each.period,) for each in pieces])
    selected = [pieces[at] for at in sorted(packed.selected)]
    left_out = len(packed.left_out)
    more = [f"{left_out:,} more points of the reports on these periods are not shown"] if left_out else []
    sections = sections_of([(each.period, each.point) for each in selected])
    return Summary(question, span, sections, view.as_of, view.known_at, "extract", (*notes, *more))


def _of_time(passages: Sequence[VisiblePassage], hierarchy: Hierarchy, span: Span) -> list[VisiblePassage]:
    """The passages that state a fact of a span, or were published in it."""
    facts = hierarchy.facts_at(*hierarchy.below(*hierarchy.scope(span)))
    with_facts = {fact.passage.passage for fact in facts}
    return [
        each
        for each in passages
        if each.passage in with_facts or (each.published is not None and holds(span, each.published.span))
    ]


def _within(
    pieces: Sequence[EvidencePiece], rated: Mapping[Period, float], passages: Sequence[VisiblePassage],
    budget: int,
) -> tuple[list[EvidencePiece], list[str]]:  # fmt: skip
    """The evidence that fits into a budget, passages last, and notes on what does not.

    The periods take turns, those of the highest rating first, and then in order of time.
    """
    passage_pieces = [_passage_piece(each) for each in passages]
    passage_budget, report_budget = split_budget(budget)
    order = sorted(range(len(pieces)), key=lambda at: (-_rating(pieces[at], rated), at))
    packed = pack(
        [tokens(pieces[at].text) for at in order], report_budget,
        groups=[(pieces[at].period,) for at in order],
    )  # fmt: skip
    points = packed._replace(selected=tuple(order[at] for at in packed.selected))
    packed = pack([tokens(each.text) for each in passage_pieces], passage_budget)
    notes = [points.note("points", report_budget), packed.note("passages", passage_budget)]
    evidence = [pieces[at] for at in sorted(points.selected)] + [passage_pieces[at] for at in packed.selected]
    return evidence, [note for note in notes if note]


def _rating(piece: EvidencePiece, rated: Mapping[Period, float]) -> float:
    return 0.0 if piece.period is None else rated.get(piece.period, 0.0)


def _passage_piece(sight: VisiblePassage) -> EvidencePiece:
    text = " ".join(sight.text.split())
    quote = Quote(sight.id, sight.document, sight.title, sight.published, text, None)
    point = ReportPoint(text, (), "relevant", (quote,), ())
    return EvidencePiece(f"{header(sight.title, sight.published)}: {text}", point, (sight.passage,), None)
