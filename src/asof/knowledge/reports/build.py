"""Reports of periods, built from the finest grain up: days, months, quarters, years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from asof.knowledge.hierarchy import Hierarchy, nodes_of
from asof.knowledge.reports.claims import Canonical, Claim, as_named, claims_of, key
from asof.knowledge.reports.figure_changes import FigureChange, FigureHistory
from asof.knowledge.reports.generate import ChildReport, ReportPrompt, chosen_prompts, generate_reports
from asof.knowledge.reports.report import PeriodReport, ReportPoint, citations_of, labels_of
from asof.knowledge.reports.selection import (
    ChosenClaims,
    ClaimCandidate,
    Relevance,
    claim_text,
    select_claims,
)
from asof.knowledge.visible_facts import StatedFact
from asof.models.ports import Model
from asof.time.period import GRAINS, Period

_NAMED = 3  # entities in a summary


class ReportSelection(NamedTuple):
    """How reports select claims: names by `canonical`, for a topic or entity `about`, for a question by
    `relevance`."""

    canonical: Canonical = as_named
    about: str = ""
    relevance: Relevance | None = None


def build_reports(
    hierarchy: Hierarchy,
    requested: Iterable[Period],
    choice: ReportSelection | None = None,
    model: Model | None = None,
    wanted: Container[Period] | None = None,
) -> dict[Period, PeriodReport]:
    """The reports of these nodes and of all nodes inside them; none of a period without facts.

    A report is built from the facts of its period itself and the points of the reports inside it, so facts
    that were summarised are not read again. Figures are compared with the period before, as far as the
    hierarchy has facts of it. With a `model` each level is one batch; where its reply cannot be used, the
    report is extracted and its notes say why. With `wanted` the model is asked for the reports of these
    periods only, from prompts with the extracted reports inside them, so that they are the same whatever was
    written before; a report of another is the one that is kept, or else the extracted one. The result depends
    on the facts, the choice and the replies alone. Raises ModelError where the model does not reply at all.
    """
    choice = choice or ReportSelection()
    choice = choice._replace(canonical=cache(choice.canonical))
    work = _Work(hierarchy, choice, FigureHistory.of(hierarchy.facts, choice.canonical))
    plain = None if model is None or wanted is None else _Work(hierarchy, choice, work.past)
    needed = hierarchy.below(*requested)
    for grain in reversed(GRAINS):
        level = [node for node in needed if node.grain == grain]
        for node in level:
            work.extract(node)
            if plain is not None:
                plain.extract(node)
        if model is not None and level:
            tasks = [work.task(node) for node in level]
            if plain is not None and wanted is not None:
                tasks = chosen_prompts(tasks, [plain.task(node) for node in level], model, wanted)
            work.write(tasks, model)
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
        named = _entity_names(claims, self.choice.canonical)
        self.reports[node] = PeriodReport(
            node, title, _summary(len(below), documents, named), tuple(self._point(each) for each in chosen),
            len(below), documents, self.hierarchy.children[node],
            labels_of(self.hierarchy.facts_at(node), node),
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
        shown: dict[tuple[object, ...], StatedFact] = {}
        for each in self.hierarchy.facts_at(node):
            shown[each.order] = each
        for child in self.hierarchy.children[node]:
            for point in self.reports[child].points:
                shown.update((each.order, each) for each in point.facts)
        return claims_of(shown.values(), self.choice.canonical)

    def _compared(self, claim: Claim, node: Period) -> ClaimCandidate:
        children = self.hierarchy.children[node]
        orders = [each.order for each in claim.facts]
        below = (
            self.changes[child][each] for child in children for each in orders if each in self.changes[child]
        )
        change = next(below, None) or self.past.change(claim, node)
        inside = bool(children) and self._is_of(claim, node)
        return ClaimCandidate(claim, change, self.past.novel(claim, node), inside)

    def _is_of(self, claim: Claim, node: Period) -> bool:
        when = claim.lead.fact.when
        return when is not None and node in nodes_of(when.span)

    def _changes(self, facts: Sequence[StatedFact], node: Period) -> tuple[str, ...]:
        """How the figures among these facts changed."""
        changes = (self._compared(each, node).change for each in claims_of(facts, self.choice.canonical))
        return _distinct(changes)


def _ranked(claims: Sequence[Claim], most: int | None = None) -> list[ChosenClaims]:
    """Claims as they rank without comparison with the period before."""
    candidates = [ClaimCandidate(each) for each in claims]
    return select_claims(candidates) if most is None else select_claims(candidates, most)


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


def _summary(facts: int, documents: int, named: Sequence[str]) -> str:
    """One line of figures."""
    count = f"{facts:,} {'fact' if facts == 1 else 'facts'}"
    count += f" in {documents:,} {'document' if documents == 1 else 'documents'}"
    return f"{count}; named most often: {', '.join(named)}" if named else count
