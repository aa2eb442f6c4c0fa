"""What is known: facts, the graph of entities, links between documents, reports of periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import (
    AmountJson,
    Instant,
    SpanJson,
    TimeJson,
    amount_json,
    one_of,
    optional_time_json,
    span_json,
    validity_json,
)
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.graph.links import Reach
    from asof.knowledge.around import Around
    from asof.knowledge.known import StatedFact
    from asof.knowledge.lines.corroboration import CorroboratingPassage
    from asof.knowledge.reports.report import PeriodReport, PeriodReports, Quote, ReportPoint
    from asof.knowledge.timeline import FactEntry, FactLine

# -- facts --------------------------------------------------------------------------------------------


class NameMergeJson(TypedDict):
    """A passage that says that two names mean the same."""

    name: str
    other: str
    id: Annotated[str, 'the passage; "" for an alias of the document']
    document: Annotated[str, "its document"]
    visible: Annotated[Instant, "since when it can be seen"]
    sentence: Annotated[str, 'what it says; "" for a title or metadata']
    everywhere: Annotated[bool, "whether it holds in all documents, or in this one alone"]


class StatedFactJson(TypedDict):
    """A fact, and the passage that states it."""

    object: Annotated[str, "what is said of the subject"]
    kind: Annotated[str, "`value`, `change` or `event`"]
    amount: Annotated[AmountJson | None, "the figure; null: none"]
    time: Annotated[TimeJson | None, "the time that it holds of; null: not known"]
    confidence: Annotated[float, "how sure the extractor is, to 1"]
    sentence: Annotated[str, 'that states it; "" for a title or metadata']
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when the world was told; null: not known"]
    visible: Annotated[Instant, "since when it can be seen"]


class OtherFactJson(TypedDict):
    """A statement beside a fact."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    visible: Annotated[Instant, "since when it can be seen"]
    object: Annotated[str, "what it says"]


class FactJson(StatedFactJson):
    """A fact, how long it holds, and what other passages say of it."""

    valid: Annotated[SpanJson, "from when until when it holds; null: open, or not known"]
    changes: Annotated[list[StatedFactJson], "what the same document says of how this value changed"]
    superseded_by: Annotated[OtherFactJson | None, "what came in its place; null: nothing"]
    corroborated_by: Annotated[list[OtherFactJson], "other documents that say the same, up to rounding"]
    contradicted_by: Annotated[list[OtherFactJson], "other current documents that say otherwise"]
    removed: Annotated[Instant | None, "since when no text says it; null: it is current"]


class FactGroupJson(TypedDict):
    """The facts of a subject and a relation."""

    subject: str
    relation: str
    facts: Annotated[list[FactJson], "in order of their time"]


class FactsJson(TypedDict):
    """What is known of a subject."""

    query: Annotated[str, "the name that was asked for"]
    subject: Annotated[str, "the name that most documents have for it"]
    names: Annotated[list[str], "all of its names; empty where no fact has it"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    left_out: Annotated[int, "how many older facts there are beside those of `groups`"]
    similar_names: Annotated[list[str], "names spelled like it, where no fact has it"]
    merges: Annotated[list[NameMergeJson], "why names mean the same"]
    groups: Annotated[list[FactGroupJson], "those in which the name is the object come last"]


def facts_json(found: FactLine) -> FactsJson:
    return {
        "query": found.asked, "subject": found.subject, "names": list(found.names),
        "as_of": iso(found.as_of), "known_at": iso(found.known_at), "left_out": found.left_out,
        "similar_names": list(found.near),
        "merges": [
            {
                "name": each.name, "other": each.other, "id": each.id, "document": each.document,
                "visible": iso(each.at), "sentence": each.sentence, "everywhere": each.everywhere,
            }
            for each in found.merges
        ],
        "groups": [
            {
                "subject": group.subject, "relation": group.relation,
                "facts": [_fact_json(entry) for entry in group.entries],
            }
            for group in found.groups
        ],
    }  # fmt: skip


def _fact_json(entry: FactEntry) -> FactJson:
    return {
        **_stated_json(entry.known),
        "valid": validity_json(entry.start, entry.end),
        "changes": [_stated_json(each) for each in entry.changes],
        "superseded_by": None if entry.superseded is None else _other_json(entry.superseded),
        "corroborated_by": [_other_json(each) for each in entry.corroborated],
        "contradicted_by": [_other_json(each) for each in entry.contradicted],
        "removed": None if entry.ended is None else iso(entry.ended),
    }


def _stated_json(known: StatedFact) -> StatedFactJson:
    fact, sight = known.fact, known.sight
    return {
        "object": fact.object, "kind": fact.kind, "amount": amount_json(fact.amount),
        "time": optional_time_json(fact.when), "confidence": fact.confidence, "sentence": known.sentence,
        "id": sight.id, "document": sight.document, "title": sight.title,
        "published": optional_time_json(sight.published), "visible": iso(sight.visible),
    }  # fmt: skip


def _other_json(other: CorroboratingPassage) -> OtherFactJson:
    return {"id": other.id, "document": other.document, "visible": iso(other.at), "object": other.object}


# -- graph and links ----------------------------------------------------------------------------------


class NodeJson(TypedDict):
    """An entity or a measure."""

    name: str
    kind: Annotated[str, one_of("entity", "measure")]
    distance: Annotated[int, "how many facts away from the middle, which has 0"]
    facts: Annotated[int, "in how many facts of the graph it is"]


class GraphDocumentJson(TypedDict):
    """A document that states facts of the graph."""

    document: str
    title: str
    facts: Annotated[int, "how many"]


class EdgeJson(TypedDict):
    """A fact between two nodes."""

    source: Annotated[str, "the name of a node"]
    target: Annotated[str, "the name of a node"]
    relation: str
    object: Annotated[str, "as it was written"]
    kind: Annotated[str, "`value`, `change` or `event`"]
    time: Annotated[TimeJson | None, "the time that it holds of; null: not known"]
    id: Annotated[str, "the passage that states it"]
    document: Annotated[str, "its document"]


class GraphJson(TypedDict):
    """The entities and measures around one, and the facts between them."""

    query: Annotated[str, "the name that was asked for"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    left_out: Annotated[int, "how many neighbours did not fit in"]
    similar_names: Annotated[list[str], "names spelled like it, where no fact has it"]
    nodes: Annotated[list[NodeJson], "the one that was asked for, then the nearest and best connected"]
    documents: list[GraphDocumentJson]
    edges: Annotated[list[EdgeJson], "in order of their time"]


class NeighbourJson(TypedDict):
    """A document within reach of links."""

    document: str
    title: str
    distance: Annotated[int, "how many links away"]
    direction: Annotated[str, one_of("out", "in", "both")]


class LinksJson(TypedDict):
    """What a document links to, and what links to it."""

    document: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    neighbours: list[NeighbourJson]
    broken: Annotated[list[str], "broken links, as they are written"]


def graph_json(found: Around) -> GraphJson:
    return {
        "query": found.asked, "as_of": iso(found.as_of), "known_at": iso(found.known_at),
        "left_out": found.left_out, "similar_names": list(found.near),
        "nodes": [
            {"name": each.name, "kind": each.kind, "distance": each.steps, "facts": each.facts}
            for each in found.nodes
        ],
        "documents": [
            {"document": each.document, "title": each.title, "facts": each.facts} for each in found.documents
        ],
        "edges": [
            {
                "source": each.source, "target": each.target, "relation": each.relation,
                "object": each.object, "kind": each.kind, "time": optional_time_json(each.when),
                "id": each.id, "document": each.document,
            }
            for each in found.edges
        ],
    }  # fmt: skip


def links_json(found: Reach, as_of: int, known_at: int | None) -> LinksJson:
    return {
        "document": found.document, "as_of": iso(as_of),
        "known_at": None if known_at is None else iso(known_at),
        "neighbours": [
            {
                "document": each.document, "title": each.title, "distance": each.distance,
                "direction": each.direction,
            }
            for each in found.neighbours
        ],
        "broken": list(found.broken),
    }  # fmt: skip


# -- reports ------------------------------------------------------------------------------------------


class ReportCitationJson(TypedDict):
    """A passage that a point rests on."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when the world was told; null: not known"]
    sentence: Annotated[str, 'what it says; "" for a title or metadata']
    time: Annotated[TimeJson | None, "the time that it holds of; null: not known"]


class PointJson(TypedDict):
    """One thing that a report says."""

    text: Annotated[str, "a sentence of a document, or a model's words"]
    subject: Annotated[str, 'whom it is about; "" for a model\'s words, or whom the report is about']
    changes: Annotated[list[str], "its figures against the period before"]
    because: Annotated[str, "why it is there: corroborated, changed, new, whole, central, relevant ..."]
    citations: list[ReportCitationJson]


class PeriodReportJson(TypedDict):
    """What happened in a period."""

    period: Annotated[str, "`2024`, `2024-Q1`, `2024-03` or `2024-03-05`"]
    title: str
    summary: Annotated[str, "a model's words, or the period and its figures"]
    points: Annotated[list[PointJson], "at most twelve"]
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


def report_json(found: PeriodReports) -> ReportJson:
    return {
        "span": span_json(found.span), "about": found.about, "as_of": iso(found.as_of),
        "known_at": iso(found.known_at), "reports": [_period_json(each) for each in found.reports],
        "notes": list(found.notes),
    }  # fmt: skip


def _period_json(report: PeriodReport) -> PeriodReportJson:
    return {
        "period": str(report.period), "title": report.title, "summary": report.summary,
        "points": [_point_json(each) for each in report.points], "facts": report.facts,
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
