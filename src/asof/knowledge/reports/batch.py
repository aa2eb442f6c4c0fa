"""Reports ahead of time: a model tells all periods, so that its replies are there when one is asked for.

What it is asked is what a question would ask: the report of a period, of all that is known of it. The report
of one name, and what a question reads beside the reports, are asked for with the question.
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
    """What telling all periods came to. `reports`: those in the model's words, kept ones too. `left`: those
    that were not asked for, because the budget was used up; the next run goes on with them. `problems`: why
    others are extracted. `cost`: what the model took.
    """

    reports: int
    left: int
    problems: tuple[Problem, ...]
    cost: Usage

    @property
    def complete(self) -> bool:
        """Whether the model has told every period."""
        return not (self.left or self.problems)


class ReportMaterial(NamedTuple):
    """All that reports are made of, out of its view: nothing of the store is read any more, or locked, while
    a model thinks."""

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
    """Let a model tell all periods, from the bottom up, within its budget.

    Where a level does not fit into the budget, nothing above it is asked for: that would rest on reports that
    are to come. `progress` is told how many reports have come, of how many. Raises ModelError; what was
    replied is kept.
    """
    nodes = material.hierarchy.nodes
    asking = _ReportWriter(model, progress, len(nodes))
    made = build_reports(material.hierarchy, nodes, material.choice, asking)
    extracted = [each for each in made.values() if each.by == "extract"]
    left = sum(each.unsent for each in extracted)
    problems = [_problem(each) for each in extracted if not each.unsent]
    return GeneratedReports(len(made) - len(extracted), left, tuple(problems), model.meter)


def _problem(report: PeriodReport) -> Problem:
    return Problem(
        f"{report.period}: {'; '.join(report.notes)}", remedy="run the same command again", lost=False
    )


def worst_cost(material: ReportMaterial, model: MeteredModel) -> Usage:
    """What `generate_all` would cost at worst: every reply as long as it may be, and shown whole to the
    report above it. Replies that are kept cost nothing. Nothing is sent.
    """
    estimating = _ReportEstimate(model, material.hierarchy, _levels(material.hierarchy))
    build_reports(material.hierarchy, material.hierarchy.nodes, material.choice, estimating)
    return estimating.meter


def _levels(hierarchy: Hierarchy) -> Iterator[list[Period]]:
    """The nodes of each batch of `summarise`."""
    for grain in reversed(GRAINS):
        if level := [each for each in hierarchy.nodes if each.grain == grain]:
            yield level


@dataclass(slots=True)
class _ReportWriter:
    """A model that is asked level by level, and no more once something did not fit into its budget."""

    metered: MeteredModel
    progress: Callable[[int, int], None] | None
    wanted: int
    came: int = 0
    over: bool = False

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        if self.over:
            why = "the budget is used up: a report below is left"
            return [Reply("", problem=why, unsent=True)] * len(prompts)
        found: dict[int, Reply] = {}
        for at, reply in replies(self.metered, prompts):
            found[at] = reply
            if reply.unsent:
                self.over = True
                continue
            self.came += 1
            if self.progress is not None:
                self.progress(self.came, self.wanted)
        return [found[at] for at in range(len(prompts))]

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("reports are not streamed")


@dataclass(slots=True)
class _ReportEstimate:
    """A model that gives the replies that are kept, and counts what the others would cost. `asked`: nodes
    that would be asked for, and with them all above: what is kept of these rests on other reports."""

    metered: MeteredModel
    hierarchy: Hierarchy
    levels: Iterator[list[Period]]
    meter: Usage = field(default_factory=Usage)
    asked: set[Period] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        inner = self.metered.model
        kept = inner.cached_replies(prompts) if isinstance(inner, HasCachedReplies) else [None] * len(prompts)
        return [
            self._reply(node, prompt, reply)
            for node, prompt, reply in zip(next(self.levels), prompts, kept, strict=True)
        ]

    def _reply(self, node: Period, prompt: Prompt, kept: Reply | None) -> Reply:
        below = len(self.asked.intersection(self.hierarchy.children[node]))
        was, prices = self.meter, self.metered.prices
        if kept is not None and not below:
            self.meter = Usage(was.calls, was.cached + 1, 0, 0, was.prompt_tokens, was.reply_tokens, was.cost)
            return kept
        self.asked.add(node)
        asked, most = worst(prompt)
        tokens = was.prompt_tokens + asked + below * MAX_REPLY_TOKENS, was.reply_tokens + most
        cost = None if prices is None else prices.of(*tokens)
        self.meter = Usage(was.calls + 1, was.cached, 0, 0, *tokens, cost)
        return Reply("", problem="not asked")

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("an estimate asks nothing")
