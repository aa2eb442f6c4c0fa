"""Reports of periods, built from the finest grain up: days, months, quarters, years (TG-RAG, section III-A3).

Reports are extracted, or written by a model. A prompt is a function of the facts of its period and of the
reports inside it: no clock, no view, no other periods. As replies of a model are cached
(`asof.models.metered`), a new fact costs the reports of its periods and of those above them, and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from asof.cli.terminal import counted
from asof.extensions.facts.hierarchy import Hierarchy, nodes_of
from asof.extensions.facts.reports import (
    BY_MODEL,
    MAX_POINTS,
    MAX_RATING,
    Canonical,
    ChosenClaims,
    Claim,
    ClaimCandidate,
    FigureChange,
    FigureHistory,
    PeriodReport,
    PeriodReports,
    Relevance,
    ReportPoint,
    as_named,
    citations_of,
    claim_text,
    claims_of,
    key,
    select_claims,
)
from asof.extensions.facts.reports import about as facts_of_name
from asof.extensions.facts.visible import StatedFact, facts_during
from asof.index.view import View
from asof.models.ports import Model, Prompt, Reply, between, one_line, prompt_text
from asof.time.span import GRAINS, Period, Span
from asof.wire import replace

if TYPE_CHECKING:
    from asof.extensions.facts.replies import WrittenReport


# -- reports by a model: prompts, and the parts of replies that are used ---------------------------


MAX_REPLY_TOKENS = 1_500
"""Tokens of a report."""

Changes = Callable[[Sequence[StatedFact], Period], tuple[str, ...]]


class ChildReport(NamedTuple):
    """A report inside the period: its points as they are shown to the model, and the passages of its own
    prompt."""

    report: PeriodReport
    points: tuple[ReportPoint, ...]
    passages: frozenset[int]


@dataclass(frozen=True, slots=True)
class ReportPrompt:
    """The prompt of a period, and the points that it numbers from 1. `left_out`: how many claims of its own
    and points of reports inside it exceed the limits of the prompt."""

    OWN: ClassVar[int] = 60
    """The most statements of the period itself in a prompt."""
    BELOW: ClassVar[int] = 240
    """The most points of the reports inside it, divided equally among them."""

    period: Period
    points: tuple[ReportPoint, ...]
    prompt: Prompt
    left_out: int

    @classmethod
    def of(
        cls,
        period: Period,
        about: str,
        own: Sequence[ReportPoint],
        children: Sequence[ChildReport],
        left_out: int,
    ) -> ReportPrompt:
        """The prompt of a period; `left_out`: how many of its own claims are not in `own`."""
        from asof.extensions.facts.replies import WrittenReport

        share = max(1, cls.BELOW // max(1, len(children)))
        points, lines = list(own), [_statement(at, each) for at, each in enumerate(own, 1)]
        for child in children:
            lines.append(_heading(child.report))
            for each in child.points[:share]:
                points.append(each)
                lines.append(f"[{len(points)}] {one_line(each.text_with_subject)}")
        head = [f"Period: {period}"] + ([f"About: {one_line(about)}"] if about else [])
        passages = {fact.passage.passage for each in points for fact in each.facts}
        passages.update(*(child.passages for child in children))
        prompt = Prompt(
            prompt_text("asof.extensions.facts", "report"), "\n".join((*head, "", between(*lines))),
            WrittenReport, tuple(sorted(passages)), MAX_REPLY_TOKENS,
        )  # fmt: skip
        left_out += sum(max(0, len(each.points) - share) for each in children)
        return cls(period, tuple(points), prompt, left_out)


def _statement(number: int, point: ReportPoint) -> str:
    """A fact's sentence with its subject, relation, object, time and source, and how many others state it."""
    fact, source = point.facts[0].fact, point.citations[0]
    when = fact.when.text if fact.when and fact.when.text else ""
    published = source.published.text if source.published else "undated"
    who = " · ".join(filter(None, (fact.subject, fact.relation, fact.object, when)))
    others = len(point.citations) - 1
    more = f", and {others} more" if others else ""
    return f"[{number}] {one_line(point.text)} ({who}; {source.title or source.document}, {published}{more})"


def _heading(report: PeriodReport) -> str:
    if report.by == "extract":
        return f"Report of {report.period}:"
    rated = "" if report.rating is None else f" (rated {report.rating:g} of {MAX_RATING})"
    return f"Report of {report.period}{rated}: {report.title}. {report.summary}"


def generate_reports(
    tasks: Sequence[ReportPrompt], extracted: Mapping[Period, PeriodReport], changes: Changes, model: Model
) -> list[PeriodReport]:
    """The model's reports, in the order of the tasks; the extracted one with a note where a reply is no
    report. Raises ModelError where the model does not reply at all."""
    replies = model.complete([each.prompt for each in tasks]) if tasks else ()
    return [
        _read(task, reply, extracted[task.period], changes, model.name)
        for task, reply in zip(tasks, replies, strict=True)
    ]


def _read(
    task: ReportPrompt, reply: Reply, extracted: PeriodReport, changes: Changes, by: str
) -> PeriodReport:
    from asof.extensions.facts.replies import WrittenReport

    account = reply.value
    if reply.problem or not isinstance(account, WrittenReport):
        why = reply.problem or "its reply is no report"
        return replace(extracted, notes=(f"extracted, because {by} gave none: {why}",))
    points, notes = _points(account, task, changes)
    if task.left_out:
        notes.append(f"{task.left_out:,} of its statements did not fit into the prompt")
    if not points:
        return replace(extracted, notes=(f"extracted, because no finding of {by} rests on a fact", *notes))
    return replace(
        extracted, title=one_line(account.title) or extracted.title, summary=one_line(account.summary),
        points=tuple(points), by=by, notes=tuple(notes), rating=account.rating,
        rating_explanation=one_line(account.rating_explanation),
    )  # fmt: skip


def _points(
    account: WrittenReport, task: ReportPrompt, changes: Changes
) -> tuple[list[ReportPoint], list[str]]:
    """The findings that cite numbers of the prompt, and notes on the findings that were dropped."""
    points: list[ReportPoint] = []
    unknown = uncited = beyond = 0
    for finding in account.findings:
        numbers = [each for each in dict.fromkeys(finding.facts) if 1 <= each <= len(task.points)]
        unknown += len(set(finding.facts)) - len(numbers)
        text = one_line(finding.statement)
        if not numbers or not text:
            uncited += 1
            continue
        if len(points) == MAX_POINTS:
            beyond += 1
            continue
        rests_on = [task.points[each - 1] for each in numbers]
        facts = tuple(dict.fromkeys(fact for each in rests_on for fact in each.facts))
        citations = tuple(dict.fromkeys(citation for each in rests_on for citation in each.citations))
        points.append(ReportPoint(text, changes(facts, task.period), BY_MODEL, citations, facts))
    notes = [
        f"{count:,} {what}"
        for count, what in (
            (unknown, "numbers of no statement were dropped"),
            (uncited, "findings that rest on no statement were dropped"),
            (beyond, f"findings beyond the first {MAX_POINTS} were dropped"),
        )
        if count > 0
    ]
    return points, notes


# -- reports of the periods of a tree --------------------------------------------------------------


_NAMED = 3  # entities in a summary


class ReportSelection(NamedTuple):
    """The selection of claims for reports: names by `canonical`, for a topic or entity `about`, for a
    question by `relevance`."""

    canonical: Canonical = as_named
    about: str = ""
    relevance: Relevance | None = None


def build_reports(
    hierarchy: Hierarchy,
    requested: Iterable[Period],
    choice: ReportSelection | None = None,
    model: Model | None = None,
) -> dict[Period, PeriodReport]:
    """The reports of these nodes and of all nodes inside them; none of a period without facts.

    A report is built from the facts of its period itself and the points of the reports inside it, so facts
    that were summarised are not read again. Figures are compared with the period before, as far as the
    hierarchy has facts of it. With a `model` each level is one batch; where its reply cannot be used, the
    report is extracted and its notes say why. The result depends on the facts, the choice and the replies
    alone. Raises ModelError where the model does not reply at all.
    """
    choice = choice or ReportSelection()
    choice = choice._replace(canonical=cache(choice.canonical))
    work = _Work(hierarchy, choice, FigureHistory.of(hierarchy.facts, choice.canonical))
    needed = hierarchy.below(*requested)
    for grain in reversed(GRAINS):
        level = [node for node in needed if node.grain == grain]
        for node in level:
            work.extract(node)
        if model is not None and level:
            work.write([work.task(node) for node in level], model)
    return work.reports


@dataclass(slots=True)
class _Work:
    """Reports under construction. `changes`: those that a node's report shows, by the order of their fact;
    `prompt_passages`: the passages in a node's prompt."""

    hierarchy: Hierarchy
    choice: ReportSelection
    past: FigureHistory
    reports: dict[Period, PeriodReport] = field(default_factory=dict)
    changes: dict[Period, dict[tuple[object, ...], FigureChange]] = field(default_factory=dict)
    prompt_passages: dict[Period, frozenset[int]] = field(default_factory=dict)

    def extract(self, node: Period) -> None:
        """Build the report of a node without a model; the reports inside it exist."""
        claims = self._claims(node)
        chosen = select_claims(
            [self._compared(each, node) for each in claims], relevance=self.choice.relevance
        )
        shown = [candidate for each in chosen for candidate in each.candidates]
        self.changes[node] = {each.claim.lead.order: each.change for each in shown if each.change is not None}
        below = self.hierarchy.facts_below(node)
        documents = len({each.passage.document for each in below})
        title = f"{self.choice.about}, {node}" if self.choice.about else str(node)
        count = f"{counted(len(below), 'fact')} in {counted(documents, 'document')}"
        named = ", ".join(_entity_names(claims, self.choice.canonical))
        summary = f"{count}; named most often: {named}" if named else count
        self.reports[node] = PeriodReport(
            node, title, summary, tuple(self._point(each) for each in chosen), len(below), documents,
            self.hierarchy.children[node],
        )  # fmt: skip

    def write(self, tasks: Sequence[ReportPrompt], model: Model) -> None:
        """Have a model write reports of a level, in one batch."""
        written = generate_reports(tasks, self.reports, self._changes, model)
        for task, report in zip(tasks, written, strict=True):
            self.prompt_passages[task.period] = frozenset(task.prompt.passages)
            self.reports[task.period] = report

    def task(self, node: Period) -> ReportPrompt:
        """The prompt of a node with the reports inside it."""
        claims = claims_of(self.hierarchy.facts_at(node), self.choice.canonical)
        own = _ranked(claims, ReportPrompt.OWN)
        left_out = len(claims) - sum(len(each.candidates) for each in own)
        children = []
        for child in self.hierarchy.children[node]:
            report = self.reports[child]
            if report.by == "extract":  # chosen anew, without comparison with the period before
                points = tuple(self._point(each) for each in _ranked(self._claims(child)))
                children.append(ChildReport(report, points, frozenset()))
            else:
                children.append(ChildReport(report, report.points, self.prompt_passages[child]))
        return ReportPrompt.of(
            node, self.choice.about, [self._point(each) for each in own], children, left_out
        )

    def _point(self, chosen: ChosenClaims) -> ReportPoint:
        claims = tuple(each.claim for each in chosen.candidates)
        lead = claims[0].lead
        subject = self.choice.canonical(lead.fact.subject, lead.passage.document)
        the_one = key(subject) == key(self.choice.canonical(self.choice.about, ""))
        return ReportPoint(
            claim_text(claims[0]), _distinct(each.change for each in chosen.candidates), chosen.because,
            citations_of(claims), tuple(fact for each in claims for fact in each.facts),
            "" if the_one else subject,
        )  # fmt: skip

    def _claims(self, node: Period) -> list[Claim]:
        """The claims of the node's own facts and of those in the reports inside it; each fact once."""
        points = [point for child in self.hierarchy.children[node] for point in self.reports[child].points]
        facts = [*self.hierarchy.facts_at(node), *(fact for point in points for fact in point.facts)]
        return claims_of({each.order: each for each in facts}.values(), self.choice.canonical)

    def _compared(self, claim: Claim, node: Period) -> ClaimCandidate:
        children = self.hierarchy.children[node]
        orders = [each.order for each in claim.facts]
        below = (
            self.changes[child][each] for child in children for each in orders if each in self.changes[child]
        )
        change = next(below, None) or self.past.change(claim, node)
        when = claim.lead.fact.when
        whole = bool(children) and when is not None and node in nodes_of(when.span)
        return ClaimCandidate(claim, change, self.past.novel(claim, node), whole)

    def _changes(self, facts: Sequence[StatedFact], node: Period) -> tuple[str, ...]:
        """The changes of the figures among these facts."""
        changes = (self._compared(each, node).change for each in claims_of(facts, self.choice.canonical))
        return _distinct(changes)


def _ranked(claims: Sequence[Claim], most: int = MAX_POINTS) -> list[ChosenClaims]:
    """Claims as they rank without comparison with the period before."""
    return select_claims([ClaimCandidate(each) for each in claims], most)


def _distinct(changes: Iterable[FigureChange | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(each) for each in changes if each is not None))


def _entity_names(claims: Sequence[Claim], canonical: Canonical) -> list[str]:
    """The entities of most claims, as they are called; those of equally many in order of their keys."""
    degree = Counter(entity for claim in claims for entity in claim.entities)
    best = sorted(degree, key=lambda entity: (-degree[entity], entity))[:_NAMED]
    return [next(_names_of(entity, claims, canonical)) for entity in best]


def _names_of(entity: str, claims: Iterable[Claim], canonical: Canonical) -> Iterator[str]:
    """The canonical name of an entity, by each claim in which it stands."""
    for claim in claims:
        if entity in claim.entities:
            fact, document = claim.facts[0].fact, claim.facts[0].passage.document
            names = (canonical(each, document) for each in (fact.subject, fact.object))
            yield from (name for name in names if key(name) == entity)


# -- the reports of a span in a view ---------------------------------------------------------------


def reports(
    view: View, span: Span, choice: ReportSelection | None = None, model: Model | None = None
) -> PeriodReports:
    """The reports of the coarsest periods inside a span that have facts.

    A period is one report, half a year is two. With `choice.about` only facts of that entity or topic count.
    The result is a function of the view's facts whose times touch the span or the period before it. Raises
    ModelError.
    """
    choice = choice or ReportSelection()
    hierarchy = facts_around(view, span, choice)
    nodes = hierarchy.scope(span)
    built = build_reports(hierarchy, nodes, choice, model)
    about = f" about {choice.about!r}" if choice.about else ""
    notes = [] if nodes else [f"no facts{about} in this period"]
    notes += _wider(hierarchy, span, nodes)
    in_order = tuple(built[node] for node in nodes)
    return PeriodReports(span, choice.about, in_order, view.as_of, view.known_at, tuple(notes))


def facts_around(view: View, span: Span, choice: ReportSelection) -> Hierarchy:
    """The facts whose times touch a span, or the period before one that lies in it."""
    first = min([span.first, *(each.span.first for each in _periods_before(span))])
    facts = facts_during(view, first, span.last)
    return Hierarchy.of(facts_of_name(facts, choice.about, choice.canonical) if choice.about else facts)


def _periods_before(span: Span) -> list[Period]:
    """For each grain the period before the first that lies in a span; none before the calendar's beginning.

    The day before counts always, because an hour has the report of its day.
    """
    periods: list[Period] = []
    for grain in GRAINS:
        try:
            period = None if span.start is None else Period.of(span.start.date(), grain)
            while period is not None and period.span.first < span.first and grain != "day":
                period = period.next
            if period is not None and (period.span.last <= span.last or grain == "day"):
                periods.append(period.previous)
        except ValueError:  # past an end of the calendar
            continue
    return periods


def _wider(hierarchy: Hierarchy, span: Span, nodes: tuple[Period, ...]) -> list[str]:
    """A note on the facts that touch the span and are in none of its reports, because their periods reach
    beyond it; none without such facts."""
    inside = set(hierarchy.below(*nodes))
    beyond = [
        node
        for node in hierarchy.own
        if node not in inside and node.span.overlap(span) and not node.span.first > span.last
    ]
    facts = [
        each
        for each in hierarchy.facts_at(*beyond)
        if each.fact.when
        and each.fact.when.span.overlap(span)
        and inside.isdisjoint(nodes_of(each.fact.when.span))
    ]
    if not facts:
        return []
    named = ", ".join(map(str, beyond[:_NAMED])) + ("" if len(beyond) <= _NAMED else ", …")
    return [f"{counted(len(facts), 'fact')} of longer times ({named}) not reported here"]
