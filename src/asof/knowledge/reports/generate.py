"""Reports in a model's words: what it is asked, and what of its reply is kept.

A prompt is a function of the facts of its period and of the reports inside it: no clock, no view, nothing of
other periods. With a model whose replies are kept (`models/cached.py`), a new fact asks again for its periods
and those above them, and for no others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from asof.knowledge.reports.report import PeriodReport, Quote, ReportPoint
from asof.knowledge.reports.selection import MAX_POINTS
from asof.knowledge.visible_facts import StatedFact
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import between, one_line, prompt_text
from asof.time.period import Period

if TYPE_CHECKING:
    from asof.knowledge.reports.reply_schema import WrittenReport

MAX_REPLY_TOKENS = 1_500
"""Tokens of a report."""

Changes = Callable[[Sequence[StatedFact], Period], tuple[str, ...]]


class ChildReport(NamedTuple):
    """A report inside the period: its points as they are shown to the model, and the passages that its own
    prompt held."""

    report: PeriodReport
    points: tuple[ReportPoint, ...]
    passages: frozenset[int]


@dataclass(frozen=True, slots=True)
class ReportPrompt:
    """The prompt of a period, and the points whose numbers stand in it, from 1. `left_out`: so many claims of
    its own and points of reports inside it found no room."""

    OWN: ClassVar[int] = 60
    """So many statements of its own a period shows to the model."""
    BELOW: ClassVar[int] = 240
    """So many points of the reports inside it, divided equally among them."""

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
        """What to ask about a period; `left_out`: so many of its own claims are not in `own`."""
        from asof.knowledge.reports.reply_schema import WrittenReport

        share = max(1, cls.BELOW // max(1, len(children)))
        points, lines = list(own), [_statement(at, each) for at, each in enumerate(own, 1)]
        for child in children:
            lines.append(_heading(child.report))
            for each in child.points[:share]:
                points.append(each)
                lines.append(f"[{len(points)}] {one_line(each.said)}")
        head = [f"Period: {period}"] + ([f"About: {one_line(about)}"] if about else [])
        passages = {fact.passage.passage for each in points for fact in each.facts}
        passages.update(*(child.passages for child in children))
        prompt = Prompt(
            prompt_text("asof.knowledge.reports", "report"), "\n".join((*head, "", between(*lines))),
            WrittenReport, tuple(sorted(passages)), MAX_REPLY_TOKENS,
        )  # fmt: skip
        left_out += sum(max(0, len(each.points) - share) for each in children)
        return cls(period, tuple(points), prompt, left_out)


def _statement(number: int, point: ReportPoint) -> str:
    """A fact's sentence with who or what it is about, when, where it is from, and how many others say so."""
    fact, source = point.facts[0].fact, point.citations[0]
    when = fact.when.text if fact.when and fact.when.text else ""
    published = source.published.text if source.published else "undated"
    who = " · ".join(filter(None, (fact.subject, fact.relation, fact.object, when)))
    others = len(point.citations) - 1
    more = f", and {others} more" if others else ""
    return f"[{number}] {one_line(point.text)} ({who}; {source.title or source.document}, {published}{more})"


def _heading(report: PeriodReport) -> str:
    told = report.by != "extract"
    return f"Report of {report.period}" + (f": {report.title}. {report.summary}" if told else ":")


def generate_reports(
    tasks: Sequence[ReportPrompt], extracted: Mapping[Period, PeriodReport], changes: Changes, model: Model
) -> list[PeriodReport]:
    """The model's reports, in the order of the tasks; the extracted one with a note where there is none.

    Raises ModelError where no reply can be had at all.
    """
    replies = model.complete([each.prompt for each in tasks])
    return [
        _read(task, reply, extracted[task.period], changes, model.name)
        for task, reply in zip(tasks, replies, strict=True)
    ]


def _read(
    task: ReportPrompt, reply: Reply, extracted: PeriodReport, changes: Changes, by: str
) -> PeriodReport:
    from asof.knowledge.reports.reply_schema import WrittenReport

    account = reply.value
    if reply.problem or not isinstance(account, WrittenReport):
        why = reply.problem or "its reply is no report"
        return replace(extracted, notes=(f"extracted, because {by} gave none: {why}",), unsent=reply.unsent)
    points, notes = _points(account, task, changes)
    if task.left_out:
        notes.append(f"{task.left_out:,} of its statements found no room in the prompt")
    if not points:
        return replace(extracted, notes=(f"extracted, because nothing of {by} rests on a fact", *notes))
    return replace(
        extracted, title=one_line(account.title) or extracted.title, summary=one_line(account.summary),
        points=tuple(points), by=by, notes=tuple(notes),
    )  # fmt: skip


def _points(
    account: WrittenReport, task: ReportPrompt, changes: Changes
) -> tuple[list[ReportPoint], list[str]]:
    """Findings that rest on numbers that were given, and what was dropped, in words."""
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
        points.append(ReportPoint(text, changes(facts, task.period), "told", _citations(rests_on), facts))
    notes = [
        f"{count:,} {what}"
        for count, what in (
            (unknown, "numbers that no statement has were dropped"),
            (uncited, "findings that rest on no statement were dropped"),
            (beyond, f"findings beyond the first {MAX_POINTS} were dropped"),
        )
        if count > 0
    ]
    return points, notes


def _citations(points: Iterable[ReportPoint]) -> tuple[Quote, ...]:
    """Each place once."""
    return tuple(dict.fromkeys(citation for each in points for citation in each.citations))
