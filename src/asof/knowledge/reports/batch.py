"""Reports ahead of time: a model writes those of all periods, so that its replies are cached for queries.

The prompts are those of a query for the report of a period, without a name. Reports about one name, and the
other prompts of a question, are sent with the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from asof.data import Problem
from asof.index.view import View
from asof.knowledge.hierarchy import Hierarchy
from asof.knowledge.reports.build import ReportSelection, build_reports
from asof.knowledge.reports.generate import MAX_REPLY_TOKENS
from asof.knowledge.reports.report import PeriodReport
from asof.knowledge.resolve import Entities
from asof.models.metered import HasCachedReplies, MeteredModel, Usage, worst
from asof.models.ports import Prompt, Reply, replies
from asof.time.period import GRAINS, Period


@dataclass(frozen=True, slots=True)
class GeneratedReports:
    """The outcome of `generate_all`. `reports`: how many the model wrote, cached ones included. `left`: how
    many prompts were not sent, because the budget was used up; the next run continues with them. `problems`:
    why others are extracted. `cost`: usage of the model.
    """

    reports: int
    left: int
    problems: tuple[Problem, ...]
    cost: Usage

    @property
    def complete(self) -> bool:
        """Whether the model has written the report of every period."""
        return not (self.left or self.problems)


class ReportMaterial(NamedTuple):
    """All data that reports need, read from a view once: the store is neither read nor locked while the model
    replies."""

    hierarchy: Hierarchy
    choice: ReportSelection

    @classmethod
    def of(cls, view: View) -> ReportMaterial:
        """All facts of a view, and the canonical name of each name in them."""
        hierarchy, entities = Hierarchy.of_view(view), Entities.of(view)
        entities.prepare(hierarchy.facts)
        called = {("", "")}
        for each in hierarchy.facts:
            called |= {(name, each.passage.document) for name in (each.fact.subject, each.fact.object)}
        names = {each: entities.canonical(*each) for each in called}
        return cls(hierarchy, ReportSelection(lambda name, document: names[name, document]))


def generate_all(
    material: ReportMaterial, model: MeteredModel, progress: Callable[[int, int], None] | None = None
) -> GeneratedReports:
    """Have a model write the reports of all periods, from the finest up, within its budget.

    Where a level does not fit into the budget, no prompt of the levels above is sent: their prompts contain
    the reports below. `progress(written, total)` is called with numbers of reports. Raises ModelError;
    replies so far are cached.
    """
    nodes = material.hierarchy.nodes
    asking = _ReportWriter(model, progress, len(nodes))
    reports = build_reports(material.hierarchy, nodes, material.choice, asking)
    extracted = [each for each in reports.values() if each.by == "extract"]
    left = sum(each.unsent for each in extracted)
    problems = [_problem(each) for each in extracted if not each.unsent]
    return GeneratedReports(len(reports) - len(extracted), left, tuple(problems), model.meter)


def _problem(report: PeriodReport) -> Problem:
    return Problem(
        f"{report.period}: {'; '.join(report.notes)}", remedy="run the same command again", lost=False
    )


def worst_cost(material: ReportMaterial, model: MeteredModel) -> Usage:
    """The highest cost of `generate_all`: every reply of maximal length, and shown whole to the report above
    it. Cached replies cost nothing. Nothing is sent.
    """
    estimating = _ReportEstimate(model, material.hierarchy, _levels(material.hierarchy))
    build_reports(material.hierarchy, material.hierarchy.nodes, material.choice, estimating)
    return estimating.meter


def _levels(hierarchy: Hierarchy) -> Iterator[list[Period]]:
    """The nodes of each batch of `build_reports`."""
    for grain in reversed(GRAINS):
        if level := [each for each in hierarchy.nodes if each.grain == grain]:
            yield level


@dataclass(slots=True)
class _ReportWriter:
    """A model that gets the prompts level by level, and none after one did not fit into its budget."""

    metered: MeteredModel
    progress: Callable[[int, int], None] | None
    total: int
    written: int = 0
    over_budget: bool = False

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        if self.over_budget:
            why = "the budget is used up: a report below was not written"
            return [Reply("", problem=why, unsent=True)] * len(prompts)
        reply_at: dict[int, Reply] = {}
        for at, reply in replies(self.metered, prompts):
            reply_at[at] = reply
            if reply.unsent:
                self.over_budget = True
                continue
            self.written += 1
            if self.progress is not None:
                self.progress(self.written, self.total)
        return [reply_at[at] for at in range(len(prompts))]

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("reports are not streamed")


@dataclass(slots=True)
class _ReportEstimate:
    """A model that returns cached replies only, and counts what the others would cost. `unwritten`: nodes
    whose prompts would be sent. So would be those of all nodes above: their cached replies rest on other
    reports."""

    metered: MeteredModel
    hierarchy: Hierarchy
    levels: Iterator[list[Period]]
    meter: Usage = field(default_factory=Usage)
    unwritten: set[Period] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        inner = self.metered.model
        cached = (
            inner.cached_replies(prompts) if isinstance(inner, HasCachedReplies) else [None] * len(prompts)
        )
        return [
            self._reply(node, prompt, reply)
            for node, prompt, reply in zip(next(self.levels), prompts, cached, strict=True)
        ]

    def _reply(self, node: Period, prompt: Prompt, cached: Reply | None) -> Reply:
        below = len(self.unwritten.intersection(self.hierarchy.children[node]))
        was, prices = self.meter, self.metered.prices
        if cached is not None and not below:
            self.meter = Usage(was.calls, was.cached + 1, 0, 0, was.prompt_tokens, was.reply_tokens, was.cost)
            return cached
        self.unwritten.add(node)
        prompt_tokens, most = worst(prompt)
        tokens = was.prompt_tokens + prompt_tokens + below * MAX_REPLY_TOKENS, was.reply_tokens + most
        cost = None if prices is None else prices.of(*tokens)
        self.meter = Usage(was.calls + 1, was.cached, 0, 0, *tokens, cost)
        return Reply("", problem="not sent")

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("an estimate sends no prompts")
