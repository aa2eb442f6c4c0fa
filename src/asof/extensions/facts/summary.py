"""Summaries of a span: points under the periods that they are about (global retrieval of TG-RAG, section
III-B4).

Map and reduce by a model: each part of the evidence gives points, which are then written as one answer. A
question has no report written: all are extracted for it. The map and reduce part loads pydantic: it is
imported where a model is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from asof.extensions.facts.build import ReportSelection, build_reports, facts_around
from asof.extensions.facts.hierarchy import Hierarchy, holds
from asof.extensions.facts.reports import (
    BY_MODEL,
    PeriodReport,
    Relevance,
    ReportCitation,
    ReportPoint,
    period_before,
)
from asof.hits import GLOBAL, Answer, Citation, NotedPoint
from asof.index.view import View
from asof.models.ports import Model, Prompt, Reply, between, one_line, prompt_text
from asof.store.reader import VisiblePassage
from asof.text.passages import Packed, pack, passage_header, tokens
from asof.time.span import GRAINS, Period, Span
from asof.wire import replace

# -- sections --------------------------------------------------------------------------------------


GLOBAL_TOKENS = 24_000
"""The tokens of reports and passages that a global answer reads."""

PASSAGE_PART = 10
"""One of this many parts of the budget is for passages, the rest for reports: 2,400 and 21,600."""

MIN_SECTIONS, MAX_SECTIONS = 4, 16
"""Periods are split into finer ones while there are fewer than MIN_SECTIONS, up to MAX_SECTIONS."""


class EvidencePiece(NamedTuple):
    """A piece of evidence for a summary: the text shown, its point, the passages that it rests on, and the
    period of its report (None for a passage)."""

    text: str
    point: ReportPoint
    passages: tuple[int, ...]
    period: Period | None


class SummarySection(NamedTuple):
    """The points of a period; None: of several periods at once."""

    period: Period | None
    points: tuple[ReportPoint, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The answer of a span's facts to a question: sections in order of time.

    The section on several periods comes first, if there is one. There are no sections if nothing was found.
    All points lie inside `span`. `by`: "extract", or the name of the model that wrote the points. `notes`:
    what was left out, and why. `noted`: what a model noted in the evidence.
    """

    question: str
    span: Span
    sections: tuple[SummarySection, ...]
    as_of: int
    known_at: int
    by: str
    notes: tuple[str, ...]
    noted: tuple[NotedPoint, ...] = ()

    def as_answer(self, about: str) -> Answer:
        """The answer: a heading for each period, its points with their citations; a refusal without points.

        `about`: the name that the question is about; "" for none.
        """
        reason = f"no fact{f' about {about}' if about else ''} of that time answers the question"
        citations: dict[tuple[str, str], Citation] = {}
        lines: list[str] = []
        for period, points in self.sections:
            lines.append(str(period) if period is not None else "over several periods")
            for point in points:
                numbers = [f"[{_citation(quote, citations).n}]" for quote in point.citations]
                lines.append(f"- {with_changes(point)} {''.join(numbers)}")
            lines.append("")
        text = "\n".join(lines).rstrip() if lines else f"No answer: {reason}."
        by = "extractive" if self.by == "extract" else self.by
        return Answer(
            self.question, text, not lines, "" if lines else reason, GLOBAL, self.as_of, self.known_at,
            tuple(citations.values()), (), self.notes, by, points=self.noted,
        )  # fmt: skip


def _citation(quote: ReportCitation, citations: dict[tuple[str, str], Citation]) -> Citation:
    """The citation of a quote, which is added if it is new."""
    about, number = () if quote.when is None else (quote.when,), len(citations) + 1
    new = Citation(
        number, quote.id, quote.document, quote.title, quote.published, about, quote.sentence,
        headings=quote.headings,
    )  # fmt: skip
    return citations.setdefault((quote.id, quote.sentence), new)


def with_changes(point: ReportPoint) -> str:
    """The text of a point with its changes."""
    changes = f" ({'; '.join(point.changes)})" if point.changes else ""
    return f"{point.text_with_subject}{changes}"


class SummaryPeriod(NamedTuple):
    """A period with a section; `whole`: with all inside it, else without the periods inside it, which have
    sections of their own."""

    period: Period
    whole: bool


def summary_periods(hierarchy: Hierarchy, span: Span) -> list[SummaryPeriod]:
    """The periods of a span that get a section, in order; a fact is in two of them only if its time is.

    They are the coarsest inside the span. While there are fewer than MIN_SECTIONS, the coarsest of them are
    split into the periods inside them, as long as that makes no more than MAX_SECTIONS.
    """
    periods = [SummaryPeriod(node, True) for node in hierarchy.scope(span)]
    while len(periods) < MIN_SECTIONS:
        grains = [each.period.grain for each in periods if each.whole and hierarchy.children[each.period]]
        if not grains:
            break
        coarsest = min(grains, key=GRAINS.index)
        finer: list[SummaryPeriod] = []
        for each in periods:
            inside = hierarchy.children[each.period] if each.whole else ()
            if each.period.grain != coarsest or not inside:
                finer.append(each)
                continue
            if each.period in hierarchy.own:
                finer.append(SummaryPeriod(each.period, False))
            finer += [SummaryPeriod(child, True) for child in inside]
        if len(finer) > MAX_SECTIONS:
            break
        periods = finer
    return periods


def reports_of(
    hierarchy: Hierarchy, periods: Sequence[SummaryPeriod], selection: ReportSelection
) -> list[PeriodReport]:  # fmt: skip
    """The extracted reports of these periods, in their order."""
    whole = build_reports(hierarchy, [each.period for each in periods if each.whole], selection)
    return [
        whole[each.period] if each.whole else _own_report(hierarchy, each.period, selection)
        for each in periods
    ]


def _own_report(hierarchy: Hierarchy, period: Period, selection: ReportSelection) -> PeriodReport:
    """The report of a period without the periods inside it, compared with the period before."""
    before = period_before(period)
    facts = hierarchy.facts_at(*(each for each in (period, before) if each is not None))
    return build_reports(Hierarchy.of(facts), [period], selection)[period]


def sections_of(points: Sequence[tuple[Period | None, ReportPoint]]) -> tuple[SummarySection, ...]:
    """Points under their periods, in order of time; within a period in the order given."""
    by_period: dict[Period | None, list[ReportPoint]] = {}
    for period, point in points:
        by_period.setdefault(period, []).append(point)
    first = [SummarySection(None, tuple(by_period.pop(None)))] if None in by_period else []
    timed = sorted((period, own) for period, own in by_period.items() if period is not None)
    return (*first, *(SummarySection(period, tuple(own)) for period, own in timed))


# -- map and reduce --------------------------------------------------------------------------------


PACKAGE = "asof.extensions.facts"
PART_TOKENS = 4_000
"""Tokens of evidence in a prompt."""

MAP_TOKENS, REDUCE_TOKENS = 1_500, 2_000
"""The most tokens of a reply on a part, and on all points."""


class ReducedPoints(NamedTuple):
    """The points of an answer, best first, each with its period (None: several), and those left out.
    `noted`: all points of the evidence, with their weights."""

    points: tuple[tuple[Period | None, ReportPoint], ...]
    notes: tuple[str, ...]
    noted: tuple[NotedPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class MappedPoint:
    """A sentence on a part of the evidence, its weights, and the pieces that it rests on."""

    text: str
    importance: float
    confidence: float
    pieces: tuple[EvidencePiece, ...]


def map_reduce(
    question: str,
    evidence: Sequence[EvidencePiece],
    model: Model,
    budget: int,
    part_tokens: int = PART_TOKENS,
) -> ReducedPoints | str:
    """A model's answer to a question from this evidence; a text that says why, if there is none.

    Each part of the evidence, of `part_tokens`, gives points with an importance and a confidence (one batch).
    Points of the same words are merged. If they do not fit into `budget` tokens, the least certain are
    dropped; the rest, most important first, is put together. If that fails, the points stay as they are. What
    rests on no piece of evidence is dropped, with a note. Raises ModelError.
    """
    if not evidence:
        return "there is no evidence"
    parts = _parts(evidence, part_tokens)
    replies = model.complete([_map_prompt(question, part) for part in parts])
    read = [_read(reply, part) for part, reply in zip(parts, replies, strict=True)]
    problems = [each for each in read if isinstance(each, str)]
    usable = [each for each in read if not isinstance(each, str)]
    points = _merged(point for of_part, _ in usable for point in of_part)
    if not points:
        return problems[0] if problems else "it found nothing in the evidence that answers the question"
    best, left_out = best_points(points, budget)
    notes = []
    if problems:
        notes.append(
            f"{len(problems):,} of {len(parts):,} parts of the evidence were not read: {problems[0]}"
        )
    if dropped := sum(count for _, count in usable):
        notes.append(f"{dropped:,} of the model's points rest on no evidence and were dropped")
    if left_out:
        notes.append(left_out)
    return _reduce(question, best, model, notes)._replace(noted=_noted(points, best))


def _parts(evidence: Sequence[EvidencePiece], part_tokens: int) -> list[list[EvidencePiece]]:
    """The evidence in its order, in parts of a number of tokens; a larger piece is a part of its own."""
    parts: list[list[EvidencePiece]] = [[]]
    used = 0
    for piece in evidence:
        size = tokens(piece.text)
        if parts[-1] and used + size > part_tokens:
            parts.append([])
            used = 0
        parts[-1].append(piece)
        used += size
    return parts


def _map_prompt(question: str, part: Sequence[EvidencePiece]) -> Prompt:
    from asof.extensions.facts.replies import ExtractedPoints

    lines = [
        f"[{number}] {f'Report on {each.period}: ' if each.period else ''}{one_line(each.text)}"
        for number, each in enumerate(part, 1)
    ]
    user = f"Question: {one_line(question)}\n\n{between(*lines)}"
    return Prompt(prompt_text(PACKAGE, "map"), user, ExtractedPoints, _passages(part), MAP_TOKENS)


def _read(reply: Reply, part: Sequence[EvidencePiece]) -> tuple[list[MappedPoint], int] | str:
    """The points of a reply, and how many rest on no evidence; a text that says why there are none."""
    from asof.extensions.facts.replies import ExtractedPoints

    if reply.problem or not isinstance(reply.value, ExtractedPoints):
        return reply.problem or "the reply has no points"
    points, dropped = [], 0
    for each in reply.value.points:
        numbers = [number for number in dict.fromkeys(each.sources) if 1 <= number <= len(part)]
        text = one_line(each.description)
        if numbers and text:
            pieces = tuple(part[number - 1] for number in numbers)
            points.append(MappedPoint(text, each.importance, each.confidence, pieces))
        else:
            dropped += 1
    return points, dropped


def _merged(points: Iterable[MappedPoint]) -> list[MappedPoint]:
    """Points of the same words as one, with the larger weights and the evidence of all."""
    merged: dict[str, MappedPoint] = {}
    for each in points:
        same = merged.get(each.text.casefold(), each)
        merged[each.text.casefold()] = MappedPoint(
            same.text, max(same.importance, each.importance), max(same.confidence, each.confidence),
            tuple(dict.fromkeys(same.pieces + each.pieces)),
        )  # fmt: skip
    return list(merged.values())


def best_points(points: Sequence[MappedPoint], budget: int) -> tuple[list[MappedPoint], str]:
    """The points that fit, most important first, and a note on the others.

    The least certain are dropped; of equally certain ones the less important, then the last in order of
    their texts.
    """
    sizes = [tokens(each.text) for each in points]
    by_text = sorted(range(len(points)), key=lambda at: points[at].text)
    order = sorted(by_text, key=lambda at: (-points[at].confidence, -points[at].importance))
    left = sum(sizes)
    while order and left > budget:
        left -= sizes[order.pop()]
    selected = sorted((at for at in by_text if at in order), key=lambda at: -points[at].importance)
    return [points[at] for at in selected], Packed.of(sizes, selected).note("points", budget)


def _noted(points: Sequence[MappedPoint], best: Sequence[MappedPoint]) -> tuple[NotedPoint, ...]:
    """All points, the most important first; of equal ones those that fit, then in the order given."""
    rest = [each for each in points if each not in best]
    ordered = sorted([*best, *rest], key=lambda each: -each.importance)
    return tuple(
        NotedPoint(
            each.text, each.importance, each.confidence, tuple(map(str, _periods(each.pieces))), each in best
        )
        for each in ordered
    )


def _reduce(question: str, points: Sequence[MappedPoint], model: Model, notes: list[str]) -> ReducedPoints:
    """The points put together; the points as they are, if the model's reply cannot be used."""
    from asof.extensions.facts.replies import MergedPoints

    lines = [
        f"[{number}] {', '.join(map(str, _periods(each.pieces)))}: {each.text}"
        for number, each in enumerate(points, 1)
    ]
    user = f"Question: {one_line(question)}\n\n{between(*lines)}"
    passages = _passages(piece for each in points for piece in each.pieces)
    prompt = Prompt(prompt_text(PACKAGE, "reduce"), user, MergedPoints, passages, REDUCE_TOKENS)
    reply = model.complete([prompt])[0]
    reduced: list[tuple[Period | None, ReportPoint]] = []
    if not reply.problem and isinstance(reply.value, MergedPoints):
        for each in reply.value.statements:
            supporting = [points[at - 1] for at in dict.fromkeys(each.points) if 1 <= at <= len(points)]
            if supporting and (text := one_line(each.statement)):
                reduced.append(_point(text, [piece for point in supporting for piece in point.pieces]))
        if dropped := len(reply.value.statements) - len(reduced):
            notes.append(f"{dropped:,} of the model's statements rest on no point and were dropped")
    if not reduced:
        notes.append(f"the points were not put together: {reply.problem or 'the reply has no statements'}")
        reduced = [_point(each.text, each.pieces) for each in points]
    return ReducedPoints(tuple(reduced), tuple(notes))


def _point(text: str, pieces: Sequence[EvidencePiece]) -> tuple[Period | None, ReportPoint]:
    """A point with its period, if all pieces that it rests on are of one."""
    quotes: dict[ReportCitation, None] = dict.fromkeys(
        quote for each in pieces for quote in each.point.citations
    )
    facts = tuple(dict.fromkeys(fact for each in pieces for fact in each.point.facts))
    periods = _periods(pieces)
    return periods[0] if len(periods) == 1 else None, ReportPoint(text, (), BY_MODEL, tuple(quotes), facts)


def _periods(pieces: Iterable[EvidencePiece]) -> list[Period]:
    return sorted({each.period for each in pieces if each.period is not None})


def _passages(pieces: Iterable[EvidencePiece]) -> tuple[int, ...]:
    return tuple(sorted({passage for each in pieces for passage in each.passages}))


# -- relevance of points ---------------------------------------------------------------------------


MIN_RELEVANCE = 0.5
"""The least relevance of the most relevant point of a summary, and the share of it that others have."""


def least_relevance(weights: Iterable[float]) -> float:
    """The least relevance that a point must have among these; infinite where none says anything."""
    largest = max(weights, default=0.0)
    return MIN_RELEVANCE * largest if largest >= MIN_RELEVANCE else math.inf


def point_text(point: ReportPoint) -> str:
    """The words of a point by which it is relevant: with subject and relation, unless a model wrote it."""
    if point.because == BY_MODEL or not point.facts:
        return point.text
    fact = point.facts[0].fact
    return f"{fact.subject} {fact.relation} {point.text}"


# -- summaries of a span ---------------------------------------------------------------------------


MOST_POINTS = 24
"""The most points of a summary that no model wrote."""


def summarise_span(
    question: str, view: View, span: Span, selection: ReportSelection | None = None, *,
    passages: Sequence[VisiblePassage] = (), model: Model | None = None, budget: int = GLOBAL_TOKENS,
) -> Summary:  # fmt: skip
    """The answer to a question about a span, from the reports on the periods in it.

    `selection.relevance` gives the share of the question that a text has (without it all texts are equally
    relevant: "what happened in March?"), `selection.about` the name it is about.

    Without a model: the points of the reports with at least MIN_RELEVANCE of the largest relevance, at most
    MOST_POINTS, taken from the periods in turn; none if the largest is below MIN_RELEVANCE, too. With a
    model: what it writes from these, and from those of `passages` (best first) that state a fact of the span
    or were published in it, in `budget` tokens. If its replies cannot be used, the summary is the one without
    a model, with a note. Raises ModelError.
    """
    selection = selection or ReportSelection()
    if selection.relevance is not None:
        selection = selection._replace(relevance=cache(selection.relevance))
    hierarchy = facts_around(view, span, selection)
    reports = reports_of(hierarchy, summary_periods(hierarchy, span), selection)
    notes = [f"{report.period}: {note}" for report in reports for note in report.notes]
    pieces = _relevant(reports, selection.relevance)
    summary = _extracted(question, view, span, pieces, notes)
    if model is None:
        return summary

    evidence, left_out = _within(pieces, _of_time(passages, hierarchy, span), budget)
    reduced = map_reduce(question, evidence, model, budget)
    if isinstance(reduced, str):
        note = f"extracted, because {model.name} gave no answer: {reduced}"
        return replace(summary, notes=(*summary.notes, note))
    return replace(
        summary, sections=sections_of(reduced.points), by=model.name,
        notes=(*notes, *left_out, *reduced.notes), noted=reduced.noted,
    )  # fmt: skip


def _relevant(reports: Sequence[PeriodReport], relevance: Relevance | None) -> list[EvidencePiece]:
    """The points of reports in their order, without those of little relevance."""
    pieces = [piece for report in reports for piece in _pieces(report)]
    if relevance is None:
        return pieces
    weights = [relevance(point_text(each.point)) for each in pieces]
    least = least_relevance(weights)
    return [each for each, weight in zip(pieces, weights, strict=True) if weight >= least]


def _pieces(report: PeriodReport) -> list[EvidencePiece]:
    """The points of a report, each with its first source."""
    pieces = []
    for point in report.points:
        source = point.citations[0]
        date = source.published.text if source.published else "undated"
        text = f"{with_changes(point)} [{source.title or source.document}, {date}]"
        pieces.append(EvidencePiece(text, point, point.passages, report.period))
    return pieces


def _extracted(
    question: str, view: View, span: Span, pieces: Sequence[EvidencePiece], notes: Sequence[str]
) -> Summary:
    """The summary without a model: the periods take turns until it is full."""
    packed = pack([1] * len(pieces), MOST_POINTS, groups=[each.period for each in pieces])
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
    pieces: Sequence[EvidencePiece], passages: Sequence[VisiblePassage], budget: int
) -> tuple[list[EvidencePiece], list[str]]:
    """The evidence that fits into a budget, passages last, and notes on the rest. The periods take turns."""
    passage_pieces = [_passage_piece(each) for each in passages]
    passage_budget = budget // PASSAGE_PART
    report_budget = budget - passage_budget
    points = pack(
        [tokens(each.text) for each in pieces], report_budget, groups=[each.period for each in pieces]
    )
    packed = pack([tokens(each.text) for each in passage_pieces], passage_budget)
    notes = [points.note("points", report_budget), packed.note("passages", passage_budget)]
    evidence = [pieces[at] for at in sorted(points.selected)]
    evidence += [passage_pieces[at] for at in packed.selected]
    return evidence, [note for note in notes if note]


def _passage_piece(sight: VisiblePassage) -> EvidencePiece:
    text = " ".join(sight.text.split())
    quote = ReportCitation(sight.id, sight.document, sight.title, sight.published, text, None, sight.headings)
    point = ReportPoint(text, (), "relevant", (quote,), ())
    return EvidencePiece(
        f"{passage_header(sight.title, sight.published)}: {text}", point, (sight.passage,), None
    )
