"""What is known: facts and the graph of entities; and what was read ahead."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import (
    CostJson,
    Instant,
    ProblemJson,
    SpanJson,
    TimeJson,
    cost_json,
    one_of,
    optional_time_json,
    problem_json,
    validity_json,
)
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.data.fact import Amount
    from asof.knowledge.consistency.corroboration import CorroboratingPassage
    from asof.knowledge.extraction import ExtractionReport
    from asof.knowledge.neighbourhood import Neighbourhood
    from asof.knowledge.reports.batch import GeneratedReports
    from asof.knowledge.timeline import FactEntry, FactLine
    from asof.knowledge.visible_facts import StatedFact
    from asof.models.metered import Usage

# -- facts --------------------------------------------------------------------------------------------


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
    """A fact, how long it holds, and what other passages say of it."""

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


# -- graph --------------------------------------------------------------------------------------------


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


# -- facts and reports ahead of questions -------------------------------------------------------------


class ExtractionJson(TypedDict):
    """What came of reading facts."""

    passages: Annotated[int, "that were read"]
    facts: Annotated[int, "in them"]
    remaining: Annotated[int, "passages that were not read (the budget, a server that is down)"]
    dropped: Annotated[dict[str, int], "facts of a model's replies that were not kept, by reason"]
    problems: Annotated[list[ProblemJson], "passages that could not be read"]
    cost: Annotated[CostJson | None, "null: no model was asked"]


class GenerationJson(TypedDict):
    """What came of writing reports by a model."""

    reports: Annotated[int, "that a model has written, now or before"]
    remaining: Annotated[int, "that were not begun (the budget)"]
    problems: Annotated[list[ProblemJson], "why others could not be written"]
    cost: CostJson


class CostEstimateJson(TypedDict):
    """What that would take at most."""

    facts: CostJson
    reports: Annotated[CostJson | None, "null: not asked for, or passages have to be read first"]


class PrecomputedJson(TypedDict):
    """What was read and written ahead of questions."""

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
