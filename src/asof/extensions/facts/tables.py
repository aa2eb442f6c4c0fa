"""Facts, reports and stale sentences as tables to carry away (`asof.cli.formats`)."""

from __future__ import annotations

from asof.cli.formats import (
    CarriedTable,
    date_cell,
    day,
    escaped,
    left_out,
    link,
    pipes,
    place_cell,
    table,
)
from asof.cli.xlsx import Cell
from asof.extensions.facts.reports import PeriodReports, ReportPoint
from asof.extensions.facts.stale import PlacedQuote, StaleReport
from asof.extensions.facts.timeline import FactEntry, FactGroup, FactLine


@table.register
def _(value: FactLine) -> CarriedTable:
    facts = [(group, each) for group in value.groups for each in group.entries]
    rows = [_fact(group, each) for group, each in facts]
    columns = (
        "subject", "relation", "object", "time", "valid_from", "valid_until", "superseded_by",
        "superseded_on", "corroborated_by", "contradicted_by", "removed", "sentence", "document", "title",
        "place", "published", "id",
    )  # fmt: skip
    shown = [
        (
            *(escaped(text) for text in (group.subject, group.relation, each.known.fact.object)),
            *("" if cell is None else escaped(str(cell)) for cell in row[3:6]),
            link(each.known.passage.title or each.known.passage.document, each.known.passage.document),
        )
        for (group, each), row in zip(facts, rows, strict=True)
    ]
    names = ("subject", "relation", "object", "time", "valid_from", "valid_until", "source")
    notes = left_out(value.left_out, len(rows), "older fact")
    return CarriedTable(columns, rows, pipes(names, shown), notes)


def _fact(group: FactGroup, each: FactEntry) -> tuple[Cell, ...]:
    fact, passage, later = each.known.fact, each.known.passage, each.superseded
    return (
        group.subject, group.relation, fact.object, date_cell(fact.when),
        None if each.start is None else day(each.start), None if each.end is None else day(each.end - 1),
        later.document if later else "", None if later is None else day(later.at),
        "; ".join(other.document for other in each.corroborated),
        "; ".join(other.document for other in each.contradicted),
        None if each.ended is None else day(each.ended),
        each.known.sentence, passage.document, passage.title, place_cell(passage.headings, passage.title),
        date_cell(passage.published), passage.id,
    )  # fmt: skip


@table.register
def _(value: PeriodReports) -> CarriedTable:
    """A row for each citation of each point of each report."""
    points = [(report, n, point) for report in value.reports for n, point in enumerate(report.points, 1)]
    rows = [
        (
            str(report.period), n, point.text_with_subject, "; ".join(point.changes), point.because,
            each.sentence, date_cell(each.when), each.document, each.title,
            place_cell(each.headings, each.title), date_cell(each.published), each.id,
        )
        for report, n, point in points
        for each in point.citations
    ]  # fmt: skip
    lines: list[str] = []
    for report in value.reports:
        lines += [f"## {escaped(report.title)}", "", escaped(report.summary), ""]
        lines += [f"- {_point(point)}" for point in report.points]
        lines.append("")
    columns = (
        "period", "n", "point", "changes", "because", "sentence", "time", "document", "title", "place",
        "published", "id",
    )  # fmt: skip
    notes = (*value.notes, *(note for report in value.reports for note in report.notes))
    return CarriedTable(columns, rows, "\n".join(lines).rstrip(), notes)


def _point(point: ReportPoint) -> str:
    changes = f" ({'; '.join(point.changes)})" if point.changes else ""
    sources = (
        f"{link(each.title or each.document, each.document)}, {date_cell(each.published) or 'undated'}"
        for each in point.citations
    )
    return f"{escaped(f'{point.text_with_subject}{changes}')} ({'; '.join(sources)})"


@table.register
def _(value: StaleReport) -> CarriedTable:
    rows: list[tuple[Cell, ...]] = [
        (
            each.stale.kind, each.stale.score, *_placed(each.quote), each.stale.change, each.stale.reason,
            day(each.stale.cause), *(_placed(each.by) if each.by else ("", "", "", None, None)),
            each.stale.id,
        )
        for each in value.found
    ]  # fmt: skip
    columns = (
        "kind", "score", "document", "title", "quote", "line", "published", "change", "why", "since",
        "by_document", "by_title", "by_quote", "by_line", "by_published", "id",
    )  # fmt: skip
    shown = [
        (
            f"{link(str(row[3] or row[2]), str(row[2]))}, line {row[5]}",
            *(escaped(str(row[at])) for at in (4, 7, 8)),
        )
        for row in rows
    ]
    notes = left_out(value.more, len(rows), "more stale sentence")
    return CarriedTable(columns, rows, pipes(("document", "sentence", "change", "why"), shown), notes)


def _placed(each: PlacedQuote) -> tuple[Cell, ...]:
    quote = each.quote
    return quote.document, quote.title, quote.text, each.line, date_cell(each.published)
