"""Answers about a whole time, from the reports on its periods (TG-RAG, section III-B3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from asof.answer.digest import Digest, parts_of, reports_of, sections_of
from asof.answer.pack import WHOLE, pack, split
from asof.index.view import View
from asof.knowledge.hierarchy import Hierarchy, holds
from asof.knowledge.reports.central import Relevance
from asof.knowledge.reports.of_span import around
from asof.knowledge.reports.report import PeriodReport, Quote, ReportPoint
from asof.knowledge.summarise import ReportSelection
from asof.models.ports import Model
from asof.store.sight import VisiblePassage
from asof.text.budget import header, tokens
from asof.time.period import Period
from asof.time.span import Span

MOST_SAID = 24
"""Points of a digest that no model wrote."""

LEAST_RELEVANT = 0.5
"""Such a digest has points at least so relevant, as a share of the most relevant one."""


class EvidencePiece(NamedTuple):
    """A piece of evidence: what is shown of it, where it is from, the passages that it rests on, and the
    period whose report has it (None for a passage)."""

    text: str
    point: ReportPoint
    passages: tuple[int, ...]
    period: Period | None


def points(
    question: str, view: View, scope: Span, choice: ReportSelection | None = None, *,
    passages: Sequence[VisiblePassage] = (), model: Model | None = None, reporter: Model | None = None,
    budget: int = WHOLE,
) -> Digest:  # fmt: skip
    """What is said to a question about the time `scope`, from the reports on the periods in it.

    `choice.relevance` says how much of the question a text says (without it all counts alike: "what happened
    in March?"), `choice.about` whom it is about. Without a model: the points of the reports that say at least
    LEAST_RELEVANT of what the best one says, at most MOST_SAID, the periods taking turns. With a model: what
    it makes of these points, and of those of `passages` (best first) that state a fact of that time or were
    published then, in `budget` tokens. `reporter` writes the reports themselves; without one they are
    extracted for this question. A model that gives nothing to use leaves the digest without one, and a note.
    Raises ModelError.
    """
    choice = choice or ReportSelection()
    if choice.relevance is not None:
        choice = choice._replace(relevance=cache(choice.relevance))
    hierarchy = around(view, scope, choice)
    made = reports_of(hierarchy, parts_of(hierarchy, scope), choice, reporter)
    notes = [f"{each.period}: {note}" for each in made for note in each.notes]
    pieces = _relevant(made, choice.relevance)
    digest = _extracted(question, view, scope, pieces, notes)
    if model is None:
        return digest
    from asof.answer.mapped import mapped

    evidence, left_out = _within(pieces, _of_time(passages, hierarchy, scope), budget)
    told = mapped(question, evidence, model, budget)
    if isinstance(told, str):
        return replace(
            digest, notes=(*digest.notes, f"extracted, because {model.name} gave no answer: {told}")
        )
    return replace(
        digest, sections=sections_of(told.points), by=model.name, notes=(*notes, *left_out, *told.notes)
    )


def _relevant(reports: Sequence[PeriodReport], relevance: Relevance | None) -> list[EvidencePiece]:
    """The points of reports in their order, those that say little of the question left out."""
    found = [
        EvidencePiece(
            _shown(point), point, tuple(sorted({each.sight.passage for each in point.facts})), report.period
        )
        for report in reports
        for point in report.points
    ]
    if relevance is None:
        return found
    weights = [relevance(_worded(each.point)) for each in found]
    least = LEAST_RELEVANT * max(weights, default=0.0)
    return [each for each, weight in zip(found, weights, strict=True) if weight > 0 and weight >= least]


def _worded(point: ReportPoint) -> str:
    fact = point.facts[0].fact
    return f"{fact.subject} {fact.relation} {point.text}"


def _shown(point: ReportPoint) -> str:
    """A point with what changed, and where it is from."""
    source = point.citations[0]
    date = source.published.text if source.published else "undated"
    changed = f" ({'; '.join(point.changes)})" if point.changes else ""
    return f"{point.said}{changed} [{source.title or source.document}, {date}]"


def _extracted(
    question: str, view: View, span: Span, pieces: Sequence[EvidencePiece], notes: Sequence[str]
) -> Digest:
    """The digest without a model: the periods take turns until it is full."""
    packed = pack([1] * len(pieces), MOST_SAID, groups=[(each.period,) for each in pieces])
    taken = [pieces[at] for at in sorted(packed.taken)]
    left = len(packed.left_out)
    more = [f"{left:,} more points of the reports on these periods are not shown"] if left else []
    sections = sections_of([(each.period, each.point) for each in taken])
    return Digest(question, span, sections, view.as_of, view.known_at, "extract", (*notes, *more))


def _of_time(passages: Sequence[VisiblePassage], hierarchy: Hierarchy, span: Span) -> list[VisiblePassage]:
    """The passages that state a fact of a time, or were published then."""
    facts = hierarchy.facts_at(*hierarchy.below(*hierarchy.scope(span)))
    stating = {each.sight.passage for each in facts}
    return [
        each
        for each in passages
        if each.passage in stating or (each.published is not None and holds(span, each.published.span))
    ]


def _within(
    pieces: Sequence[EvidencePiece], passages: Sequence[VisiblePassage], budget: int
) -> tuple[list[EvidencePiece], list[str]]:
    """The evidence that fits into a budget, passages last, and what was left out of it."""
    whole = [_passage(each) for each in passages]
    for_passages, for_reports = split(budget)
    groups = [(each.period,) for each in pieces]
    of_reports = pack([tokens(each.text) for each in pieces], for_reports, groups=groups)
    of_passages = pack([tokens(each.text) for each in whole], for_passages)
    notes = [of_reports.note("points", for_reports), of_passages.note("passages", for_passages)]
    evidence = [pieces[at] for at in sorted(of_reports.taken)] + [whole[at] for at in of_passages.taken]
    return evidence, [note for note in notes if note]


def _passage(sight: VisiblePassage) -> EvidencePiece:
    text = " ".join(sight.text.split())
    quote = Quote(sight.id, sight.document, sight.title, sight.published, text, None)
    point = ReportPoint(text, (), "relevant", (quote,), ())
    return EvidencePiece(f"{header(sight.title, sight.published)}: {text}", point, (sight.passage,), None)
