"""The JSON of facts, the graph, reports, `asof precompute` and `asof stale`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from asof.extensions.facts.current import LINK, PASSED, QUOTED, STALE_KINDS, Stale
from asof.time.span import iso
from asof.wire import (
    CostJson,
    Instant,
    ProblemJson,
    SpanJson,
    TimeJson,
    WhyJson,
    cost_json,
    one_of,
    optional_time_json,
    problem_json,
    span_json,
    validity_json,
)

if TYPE_CHECKING:
    from asof.extensions.facts.build import GeneratedReports
    from asof.extensions.facts.consistency import CorroboratingPassage
    from asof.extensions.facts.extraction import ExtractionReport
    from asof.extensions.facts.reports import PeriodReport, PeriodReports, Quote, ReportPoint
    from asof.extensions.facts.stale import PlacedQuote, PlacedStale, StaleReport
    from asof.extensions.facts.timeline import FactEntry, FactLine, Neighbourhood
    from asof.extensions.facts.visible import StatedFact
    from asof.models.metered import Usage
    from asof.values import Amount


# -- facts -----------------------------------------------------------------------------------------


class AmountJson(TypedDict):
    """A figure."""

    value: Annotated[float, "in whole units"]
    unit: Annotated[str, "`USD`, `%`, `bp`, `shares` ..."]
    basis: Annotated[str, "what a change counts from, as it was written"]


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

    object: Annotated[str, "what the fact states of the subject"]
    kind: Annotated[str, "`value`, `change` or `event`"]
    amount: Annotated[AmountJson | None, "the figure; null: none"]
    time: Annotated[TimeJson | None, "the time that it holds of; null: not known"]
    confidence: Annotated[float, "how sure the extractor is, to 1"]
    sentence: Annotated[str, 'that states it; "" for a title or metadata']
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    visible: Annotated[Instant, "since when it can be seen"]


class OtherFactJson(TypedDict):
    """A statement beside a fact."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    visible: Annotated[Instant, "since when it can be seen"]
    object: Annotated[str, "what it says"]


class FactJson(StatedFactJson):
    """A fact, how long it holds, and the other passages that state or contradict it."""

    valid: Annotated[SpanJson, "from when until when it holds; null: open, or not known"]
    changes: Annotated[list[StatedFactJson], "what the same document says of how this value changed"]
    superseded_by: Annotated[OtherFactJson | None, "the fact that replaced it; null: none"]
    corroborated_by: Annotated[list[OtherFactJson], "other documents that say the same, up to rounding"]
    contradicted_by: Annotated[list[OtherFactJson], "other current documents that say otherwise"]
    removed: Annotated[Instant | None, "since when no text says it; null: it is current"]


class FactGroupJson(TypedDict):
    """The facts of a subject and a relation."""

    subject: str
    relation: str
    facts: Annotated[list[FactJson], "in order of their time"]


class FactsJson(TypedDict):
    """The facts about a subject, with their times."""

    query: Annotated[str, "the name that was asked for"]
    subject: Annotated[str, "the name that most documents have for it"]
    names: Annotated[list[str], "all of its names; empty where no fact has it"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    left_out: Annotated[int, "how many older facts there are beside those of `groups`"]
    similar_names: Annotated[list[str], "names spelled like it, where no fact has it"]
    merges: Annotated[list[NameMergeJson], "why names mean the same"]
    groups: Annotated[list[FactGroupJson], "those in which the name is the object come last"]


def amount_json(amount: Amount | None) -> AmountJson | None:
    return None if amount is None else {"value": amount.value, "unit": amount.unit, "basis": amount.basis}


def facts_json(line: FactLine) -> FactsJson:
    return {
        "query": line.query, "subject": line.subject, "names": list(line.names),
        "as_of": iso(line.as_of), "known_at": iso(line.known_at), "left_out": line.left_out,
        "similar_names": list(line.near),
        "merges": [
            {
                "name": each.name, "other": each.other, "id": each.id, "document": each.document,
                "visible": iso(each.at), "sentence": each.sentence, "everywhere": each.everywhere,
            }
            for each in line.merges
        ],
        "groups": [
            {
                "subject": group.subject, "relation": group.relation,
                "facts": [_fact_json(entry) for entry in group.entries],
            }
            for group in line.groups
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
    fact, sight = known.fact, known.passage
    return {
        "object": fact.object, "kind": fact.kind, "amount": amount_json(fact.amount),
        "time": optional_time_json(fact.when), "confidence": fact.confidence, "sentence": known.sentence,
        "id": sight.id, "document": sight.document, "title": sight.title,
        "published": optional_time_json(sight.published), "visible": iso(sight.visible),
    }  # fmt: skip


def _other_json(other: CorroboratingPassage) -> OtherFactJson:
    return {"id": other.id, "document": other.document, "visible": iso(other.at), "object": other.object}


# -- graph -----------------------------------------------------------------------------------------


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


def graph_json(graph: Neighbourhood) -> GraphJson:
    return {
        "query": graph.query, "as_of": iso(graph.as_of), "known_at": iso(graph.known_at),
        "left_out": graph.left_out, "similar_names": list(graph.near),
        "nodes": [
            {"name": each.name, "kind": each.kind, "distance": each.steps, "facts": each.facts}
            for each in graph.nodes
        ],
        "documents": [
            {"document": each.document, "title": each.title, "facts": each.facts} for each in graph.documents
        ],
        "edges": [
            {
                "source": each.source, "target": each.target, "relation": each.relation,
                "object": each.object, "kind": each.kind, "time": optional_time_json(each.when),
                "id": each.id, "document": each.document,
            }
            for each in graph.edges
        ],
    }  # fmt: skip


# -- facts and reports ahead of questions ----------------------------------------------------------


class ExtractionJson(TypedDict):
    """The outcome of extracting facts."""

    passages: Annotated[int, "that were read"]
    facts: Annotated[int, "in them"]
    remaining: Annotated[int, "passages that were not read (the budget, a server that is down)"]
    dropped: Annotated[dict[str, int], "facts of a model's replies that were not kept, by reason"]
    problems: Annotated[list[ProblemJson], "passages that could not be read"]
    cost: Annotated[CostJson | None, "null: no model was asked"]


class GenerationJson(TypedDict):
    """The outcome of generating reports by a model."""

    reports: Annotated[int, "that a model has written, now or before"]
    remaining: Annotated[int, "that were not begun (the budget)"]
    problems: Annotated[list[ProblemJson], "why others could not be written"]
    cost: CostJson


class CostEstimateJson(TypedDict):
    """The most that this would cost."""

    facts: CostJson
    reports: Annotated[CostJson | None, "null: not asked for, or passages have to be read first"]


class PrecomputedJson(TypedDict):
    """Facts and reports that were made ahead of questions."""

    facts: Annotated[ExtractionJson | None, "null: only estimated"]
    reports: Annotated[GenerationJson | None, "with `--reports`; null else, and while facts are remaining"]
    estimate: Annotated[CostEstimateJson | None, "with `--estimate`; else null"]


def precomputed_json(
    facts: ExtractionReport | None = None, reports: GeneratedReports | None = None,
    estimate: tuple[Usage, Usage | None] | None = None,
) -> PrecomputedJson:  # fmt: skip
    """`estimate`: of facts, and of reports."""
    return {
        "facts": None if facts is None else _extraction_json(facts),
        "reports": None if reports is None else _generation_json(reports),
        "estimate": None if estimate is None else _estimate_json(*estimate),
    }


def _extraction_json(report: ExtractionReport) -> ExtractionJson:
    return {
        "passages": report.passages, "facts": report.facts, "remaining": report.left,
        "dropped": dict(report.dropped), "problems": [problem_json(each) for each in report.problems],
        "cost": None if report.cost is None else cost_json(asdict(report.cost)),
    }  # fmt: skip


def _generation_json(reports: GeneratedReports) -> GenerationJson:
    return {
        "reports": reports.reports, "remaining": reports.left,
        "problems": [problem_json(each) for each in reports.problems],
        "cost": cost_json(asdict(reports.cost)),
    }  # fmt: skip


def _estimate_json(facts: Usage, reports: Usage | None) -> CostEstimateJson:
    return {
        "facts": cost_json(asdict(facts)),
        "reports": None if reports is None else cost_json(asdict(reports)),
    }


# -- reports ---------------------------------------------------------------------------------------


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
    """The report of a period."""

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
    """The reports of a span of time."""

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


# -- stale statements ------------------------------------------------------------------------------


class StaleQuoteJson(TypedDict):
    """A sentence of a current document."""

    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    quote: Annotated[str, "the sentence"]
    line: Annotated[int, "its line in the file as it lies there; else, and of the past, in the text, from 1"]
    published: Annotated[TimeJson | None, "when the document said it first; null: not known"]


class StaleItemJson(StaleQuoteJson):
    """A sentence of a current document that is stale."""

    id: Annotated[str, "a name for the two sentences: another one as soon as either changes"]
    by: Annotated[StaleQuoteJson | None, "the first of what it links to or embeds; null: there is none"]
    kind: Annotated[str, one_of(*STALE_KINDS), "an embedded text that was edited, a link, a time"]
    score: Annotated[float, "how surely it is stale, to 1: the value of `explain`"]
    since: Annotated[Instant, "since when it is stale"]
    change: Annotated[str, "what changed, in a sentence"]
    why: Annotated[str, "why it is held to be stale, in a sentence"]
    explain: Annotated[NotRequired[WhyJson], "how the score came about; only with `--explain`"]


class StaleJson(TypedDict):
    """A statement of a current document that is no longer true."""

    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    stale: Annotated[list[StaleItemJson], "worst first"]
    more: Annotated[int, "how many did not fit in"]


def stale_json(report: StaleReport, *, explain: bool = False) -> StaleJson:
    """Stale statements; with `explain` each has the tree of its score."""
    return {
        "as_of": iso(report.as_of),
        "known_at": None if report.known_at is None else iso(report.known_at),
        "stale": [_item_json(each, explain=explain) for each in report.found],
        "more": report.more,
    }  # fmt: skip


def _item_json(each: PlacedStale, *, explain: bool) -> StaleItemJson:
    stale = each.stale
    quote = _stale_quote_json(each.quote)
    value: StaleItemJson = {
        "id": stale.id, "document": quote["document"], "title": quote["title"], "quote": quote["quote"],
        "line": quote["line"], "published": quote["published"],
        "by": None if each.by is None else _stale_quote_json(each.by),
        "kind": stale.kind, "score": stale.score, "since": iso(stale.cause), "change": stale.change,
        "why": why_sentence(stale),
    }  # fmt: skip
    if explain:
        value["explain"] = cast(WhyJson, stale.why.as_json())
    return value


def _stale_quote_json(each: PlacedQuote) -> StaleQuoteJson:
    quote = each.quote
    return {
        "document": quote.document, "title": quote.title, "quote": quote.text, "line": each.place.line,
        "published": optional_time_json(each.published),
    }  # fmt: skip


_REASONS = {
    QUOTED: "it repeats {by}, which was edited on {cause}; this has stood here since {day}",
    LINK: "it links to what changed on {cause}; this has stood here since {day}",
    PASSED: "it speaks from its own time: it has stood here unchanged since {day}",
}
_NEVER_LED = "it leads nowhere; the sentence is known since {day}"
_WITHOUT_OTHER = "it rests on what changed on {cause}; this has stood here since {day}"


def why_sentence(stale: Stale) -> str:
    """Why a sentence is held to be stale: which of the two is older, and since when."""
    by = stale.by
    reason = _WITHOUT_OTHER if by is None and stale.kind == QUOTED else _REASONS[stale.kind]
    if stale.kind == LINK and stale.cause <= stale.quote.since:
        reason = _NEVER_LED
    return reason.format(by=by.document if by else "", day=_day(stale.quote.since), cause=_day(stale.cause))


def _day(instant: int) -> str:
    return iso(instant)[:10]
