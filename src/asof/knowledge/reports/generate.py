"""Reports written by a model: the prompt for a period, and the parts of the reply that are used.

A prompt is a function of the facts of its period and of the reports inside it: no clock, no view, nothing of
other periods. With a model whose replies are cached (`models/cached.py`), a new fact costs the reports of its
periods and of those above them, and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from asof.knowledge.reports.report import BY_MODEL, MAX_RATING, PeriodReport, Quote, ReportPoint
from asof.knowledge.reports.selection import MAX_POINTS
from asof.knowledge.visible_facts import StatedFact
from asof.models.metered import HasCachedReplies
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import between, one_line, prompt_text
from asof.time.period import Period

if TYPE_CHECKING:
    from asof.knowledge.reports.reply_schema import WrittenReport

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
        from asof.knowledge.reports.reply_schema import WrittenReport

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
            prompt_text("asof.knowledge.reports", "report"), "\n".join((*head, "", between(*lines))),
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


def chosen_prompts(
    full: Sequence[ReportPrompt], plain: Sequence[ReportPrompt], model: Model, wanted: Container[Period]
) -> list[ReportPrompt]:
    """The prompts of those of these periods that are wanted, or whose reply is kept.

    `full`: with the reports inside it that a model wrote; `plain`: with extracted ones only. A reply that is
    kept is used, to the full prompt before the plain one. Without one the plain prompt is sent: it is the
    same whatever else was written before.
    """
    kept_full = _kept([each.prompt for each in full], model)
    kept_plain = _kept([each.prompt for each in plain], model)
    return [
        full[at] if at in kept_full else plain[at]
        for at in range(len(full))
        if at in kept_full or at in kept_plain or plain[at].period in wanted
    ]


def _kept(prompts: Sequence[Prompt], model: Model) -> frozenset[int]:
    """The places of the prompts whose replies are kept; of none where the model keeps no replies."""
    if not isinstance(model, HasCachedReplies):
        return frozenset()
    return frozenset(at for at, reply in enumerate(model.cached_replies(prompts)) if reply is not None)


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
        points.append(ReportPoint(text, changes(facts, task.period), BY_MODEL, _citations(rests_on), facts))
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


def _citations(points: Iterable[ReportPoint]) -> tuple[Quote, ...]:
    """The citations of all points, each once."""
    return tuple(dict.fromkeys(citation for each in points for citation in each.citations))
