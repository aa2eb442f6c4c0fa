"""Reports of periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant, SpanJson, TimeJson, optional_time_json, span_json
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.knowledge.reports.report import PeriodReport, PeriodReports, Quote, ReportPoint


class ReportCitationJson(TypedDict):
    """A passage that a point rests on."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    sentence: Annotated[str, 'what it says; "" for a title or metadata']
    time: Annotated[TimeJson | None, "the time that it holds of; null: not known"]


class PointJson(TypedDict):
    """One thing that a report says."""

    text: Annotated[str, "a sentence of a document, or a model's words"]
    subject: Annotated[str, 'whom it is about; "" for a model\'s words, or whom the report is about']
    changes: Annotated[list[str], "its figures against the period before"]
    because: Annotated[
        str, "why it was selected: corroborated, changed, new, whole, central, relevant, model"
    ]
    citations: list[ReportCitationJson]


class PeriodReportJson(TypedDict):
    """What happened in a period."""

    period: Annotated[str, "`2024`, `2024-Q1`, `2024-03` or `2024-03-05`"]
    title: str
    summary: Annotated[str, "a model's words, or the period and its figures"]
    points: Annotated[list[PointJson], "at most twelve"]
    rating: Annotated[float | None, "how much the period matters, 0 to 10, by a model; null: not rated"]
    rating_explanation: Annotated[str, 'why; "" without a rating']
    facts: Annotated[int, "how many facts it and the periods inside it have"]
    documents: Annotated[int, "of how many documents"]
    children: Annotated[list[str], "the periods inside it that have reports"]
    labels: Annotated[list[str], "what documents call the period, at most three"]
    by: Annotated[str, "`extract`, or the name of the model"]
    notes: Annotated[list[str], "what is left out, and why"]


class ReportJson(TypedDict):
    """What happened in a stretch of time."""

    span: Annotated[SpanJson, "the time that was asked for"]
    about: Annotated[str, 'the name that was asked for; "": none']
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    reports: Annotated[list[PeriodReportJson], "of the coarsest periods inside that have facts, in order"]
    notes: Annotated[list[str], "what is left out, and why"]


def report_json(reports: PeriodReports) -> ReportJson:
    return {
        "span": span_json(reports.span), "about": reports.about, "as_of": iso(reports.as_of),
        "known_at": iso(reports.known_at), "reports": [_period_json(each) for each in reports.reports],
        "notes": list(reports.notes),
    }  # fmt: skip


def _period_json(report: PeriodReport) -> PeriodReportJson:
    return {
        "period": str(report.period), "title": report.title, "summary": report.summary,
        "points": [_point_json(each) for each in report.points], "rating": report.rating,
        "rating_explanation": report.rating_explanation, "facts": report.facts,
        "documents": report.documents, "children": [str(each) for each in report.children],
        "labels": list(report.labels), "by": report.by, "notes": list(report.notes),
    }  # fmt: skip


def _point_json(point: ReportPoint) -> PointJson:
    return {
        "text": point.text, "subject": point.subject, "changes": list(point.changes),
        "because": point.because, "citations": [_quote_json(each) for each in point.citations],
    }  # fmt: skip


def _quote_json(quote: Quote) -> ReportCitationJson:
    return {
        "id": quote.id, "document": quote.document, "title": quote.title,
        "published": optional_time_json(quote.published), "sentence": quote.sentence,
        "time": optional_time_json(quote.when),
    }  # fmt: skip
