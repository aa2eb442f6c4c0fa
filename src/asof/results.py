"""JSON that commands print: searches, questions, history, links, documents, status; and its schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from asof import plugins
from asof.store.reader import DocumentAsOf, DocumentSummary, VisiblePassage
from asof.time.span import BEGINNING, NEVER, iso
from asof.wire import (
    AnswerJson,
    HitJson,
    Instant,
    Keyword,
    ProblemJson,
    SpanJson,
    TimeJson,
    hit_json,
    one_of,
    optional_time_json,
    problem_json,
    span_json,
    validity_json,
)

if TYPE_CHECKING:
    from asof.engine import Results
    from asof.index.manifest import EmbeddingReport
    from asof.rank.stage import Recipe
    from asof.rank.whynot import WhyNot
    from asof.revisions.links import Reach
    from asof.revisions.timeline import Difference, ResultSide, Timeline
    from asof.store.run import IndexReport
    from asof.store.status import Status
    from asof.text.question import QuestionReading
    from asof.time.expressions import TimeMention
    from asof.values import Halting


# -- search --------------------------------------------------------------------------------------------


class QueryJson(TypedDict):
    """A query as it was run."""

    text: Annotated[str, "as it was asked"]
    lexical: Annotated[str, "what of it the index was asked"]
    recency: Annotated[float, "how much it asks for the newest, 0 to 1"]
    k: Annotated[int, "how many hits were asked for"]
    recipe: Annotated[str, "what ranked them"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    since: Annotated[Instant | None, "filter: published from then on"]
    until: Annotated[Instant | None, "filter: published until then"]
    about: Annotated[SpanJson | None, "filter: speaking of that time"]
    source: Annotated[str, 'filter: the name of a source; "": none']
    path: Annotated[str, 'filter: a pattern of document ids; "": none']
    tags: Annotated[list[str], "filter: all of these tags"]
    meta: Annotated[dict[str, Any], "filter: all of these metadata"]


class HaltingJson(TypedDict):
    """The number of candidates that a recipe with a budget examined, and why it stopped."""

    k: Annotated[int, "how many candidates were ranked by the whole score"]
    candidates: Annotated[int, "of so many"]
    budget: Annotated[int, "the most that would have been"]
    scored: Annotated[int, "for how many the whole score was computed"]
    saved: Annotated[float, "the share of the budget for which it was not, 0 to 1"]
    halted: Annotated[bool, "whether margin and agreement exceed their thresholds"]
    margin: Annotated[float, "the best score less that of the last of the first few"]
    agreement: Annotated[float, "the share of the first few that corroborate the best"]
    reason: str


class SearchJson(TypedDict):
    """The best passages for a query."""

    query: QueryJson
    hits: Annotated[list[HitJson], "best first"]
    notes: Annotated[list[str], "what the stages did: what was cut, and where"]
    halting: Annotated[HaltingJson | None, "of a recipe with a budget, such as twe"]
    took_ms: Annotated[float, "the search alone"]


class StepJson(TypedDict):
    """The outcome of one stage of a recipe for a passage."""

    stage: str
    rank: Annotated[int | None, "null: it is out"]
    score: float | None
    candidates: Annotated[int, "how many passages were ranked"]
    notes: Annotated[list[str], "of the stage"]


class WhyNotJson(TypedDict):
    """The reason why a document or passage is not among the hits of a query, or its rank."""

    id: Annotated[str, "the document or passage"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    rank: Annotated[int | None, "its rank among the hits; null: it is not among them"]
    reason: Annotated[str, "why, in a sentence"]
    steps: Annotated[list[StepJson], "stage by stage until it is out, for its best passage"]


class RecipeJson(TypedDict):
    """A recipe."""

    name: str
    about: Annotated[str, "what it is for"]
    default: Annotated[bool, "whether `asof search` takes it"]
    stages: Annotated[list[str], "in their order"]
    fields: Annotated[dict[str, Any], "what asof.toml can set, with its present value"]


class RecipesJson(TypedDict):
    """The recipes."""

    recipes: list[RecipeJson]


def search_json(results: Results, took_ms: float, *, explain: bool = False) -> SearchJson:
    """A search; with `explain` each hit has the tree of its score."""
    query, view = results.query, results.view
    filters = query.filters
    return {
        "query": {
            "text": query.text, "lexical": query.lexical, "recency": query.recency, "k": query.k,
            "recipe": results.recipe, "as_of": iso(view.as_of), "known_at": iso(view.known_at),
            "since": None if filters.since is None else iso(filters.since),
            "until": None if filters.until is None else iso(filters.until),
            "about": None if filters.about is None else _stretch(*filters.about),
            "source": filters.source, "path": filters.path, "tags": list(filters.tags),
            "meta": dict(filters.meta),
        },
        "hits": [hit_json(hit, explain=explain) for hit in results.hits],
        "notes": list(results.notes),
        "halting": None if results.halting is None else halting_json(results.halting),
        "took_ms": round(took_ms, 2),
    }  # fmt: skip


def halting_json(halting: Halting) -> HaltingJson:
    return {
        "k": halting.examined, "candidates": halting.candidates, "budget": halting.budget,
        "scored": halting.scored, "saved": halting.saved, "halted": halting.halted,
        "margin": halting.margin, "agreement": halting.agreement, "reason": halting.reason,
    }  # fmt: skip


def _stretch(first: int, last: int) -> SpanJson:
    """A span from its first and last instant, which may lie at the ends of time."""
    return validity_json(None if first <= BEGINNING else first, None if last >= NEVER else last + 1)


def why_not_json(why_not: WhyNot, as_of: int, known_at: int | None) -> WhyNotJson:
    return {
        "id": why_not.id, "as_of": iso(as_of), "known_at": None if known_at is None else iso(known_at),
        "rank": why_not.rank, "reason": why_not.reason,
        "steps": [
            {
                "stage": step.stage, "rank": step.rank, "score": step.score, "candidates": step.candidates,
                "notes": list(step.notes),
            }
            for step in why_not.steps
        ],
    }  # fmt: skip


def recipes_json(recipes: Iterable[Recipe], default: str) -> RecipesJson:
    """Recipes as they are configured; `default`: the name of that of a search."""
    from asof.schema import plain

    return {
        "recipes": [
            {
                "name": each.name, "about": each.about, "default": each.name == default,
                "stages": list(each.stages_by_name()),
                "fields": {key: plain(value) for key, value in each.fields()},
            }
            for each in recipes
        ]
    }  # fmt: skip


# -- how the times of a query were read ----------------------------------------------------------------

DIGITS = 4
"""Decimals of recency and volatility."""


class MentionJson(TypedDict):
    """A time that a text names."""

    text: Annotated[str, "its words"]
    start: Annotated[int, "the offset of the first character"]
    end: Annotated[int, "the offset behind the last character"]
    span: Annotated[SpanJson, "the time that is meant, relation included"]
    grain: Annotated[
        str,
        one_of(
            "second", "minute", "hour", "day", "week", "month", "quarter", "half", "season", "year", "decade",
            "century",
        ),
        "the unit in which it speaks",
    ]  # fmt: skip
    relation: Annotated[
        str,
        one_of("in", "since", "until", "before", "after", "between", "as of", "by", "around"),
        "to that unit of time",
    ]
    fiscal: Annotated[bool, "whether it is a period of a fiscal year"]
    alternatives: Annotated[list[SpanJson], "other readings, best first"]


class WhenJson(TypedDict):
    """The times read in a question."""

    asked_at: Annotated[Instant, "when the question is asked: `--as-of`, else now"]
    as_of: Annotated[Instant, "the moment that is looked at: an earlier one where the words move it"]
    mentions: Annotated[list[MentionJson], "in order, without overlap"]
    recency: Annotated[float, "how much it asks for the newest, 0 to 1; 1 only by words that say so"]
    direction: Annotated[str | None, one_of("past", "recent", "future", "timeless"), "that it looks to"]
    volatility: Annotated[float | None, "how fast its answer changes: 0 never, 1 within hours"]
    lexical: Annotated[str, "what of the text the index is asked"]
    reasons: Annotated[list[str], "the words and structures that decided recency, direction, volatility"]
    notes: Annotated[list[str], 'what was decided about "as of"']


def when_json(reading: QuestionReading, asked_at: int) -> WhenJson:
    query, intent = reading.query, reading.intent
    return {
        "asked_at": iso(asked_at),
        "as_of": iso(reading.as_of),
        "mentions": [_mention_json(each) for each in reading.mentions],
        "recency": round(query.recency, DIGITS),
        "direction": intent.direction if intent else None,
        "volatility": round(intent.volatility, DIGITS) if intent else None,
        "lexical": query.lexical,
        "reasons": list(intent.reasons) if intent else [],
        "notes": list(reading.notes),
    }


def _mention_json(mention: TimeMention) -> MentionJson:
    return {
        "text": mention.text, "start": mention.start, "end": mention.end, "span": span_json(mention.span),
        "grain": mention.grain, "relation": mention.relation, "fiscal": mention.fiscal,
        "alternatives": [span_json(each) for each in mention.alternatives],
    }  # fmt: skip


# -- timelines and differences -------------------------------------------------------------------------


class ConflictJson(TypedDict):
    """A statement of another document that differs while this one is current."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    visible: Annotated[Instant, "since when it can be seen"]
    sentence: Annotated[str, "what it says"]


class TimelineEntryJson(TypedDict):
    """A statement, and how long it was current."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    valid: Annotated[SpanJson, "from when until when it was current; `until` is null: it still is"]
    sentence: Annotated[str, "in which it differs from the one before (the first: from the next)"]
    words_added: Annotated[list[str], "runs of words that are new since the one before"]
    words_removed: Annotated[list[str], "runs of words that are gone since the one before"]
    contradicted_by: list[ConflictJson]


class TimelineJson(TypedDict):
    """The changes of the answer to a query."""

    query: Annotated[str, "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    left_out: Annotated[int, "how many older statements there are beside `entries`"]
    entries: Annotated[list[TimelineEntryJson], "the statements of one series, oldest first"]


class SideJson(TypedDict):
    """The hits of one of two answers about a subject."""

    rank: Annotated[int, "of its best hit"]
    id: Annotated[str, "the passage that was newest then"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    visible: Annotated[Instant | None, "since when it can be seen; null: undated"]
    sentence: Annotated[str, "what it says"]


class ChangeJson(TypedDict):
    """The change of a subject: a series of statements, or a passage in none."""

    kind: Annotated[str, one_of("changed", "added", "removed", "unchanged")]
    before: Annotated[SideJson | None, "as of `a`; null: no hit"]
    after: Annotated[SideJson | None, "as of `b`; null: no hit"]
    words_added: Annotated[list[str], "runs of words that are new, where it changed"]
    words_removed: Annotated[list[str], "runs of words that are gone, where it changed"]


class DiffJson(TypedDict):
    """The answers to a query as of two moments, side by side."""

    query: Annotated[str, "as it was asked"]
    a: Annotated[Instant, "the first moment"]
    b: Annotated[Instant, "the second moment"]
    changes: Annotated[list[ChangeJson], "changed, added, removed, unchanged, each by rank"]


def timeline_json(timeline: Timeline) -> TimelineJson:
    return {
        "query": timeline.question, "as_of": iso(timeline.as_of), "known_at": iso(timeline.known_at),
        "left_out": timeline.left_out,
        "entries": [
            {
                "id": entry.id, "document": entry.document, "title": entry.title,
                "published": optional_time_json(entry.published),
                "valid": validity_json(entry.start, entry.end), "sentence": entry.sentence,
                "words_added": list(entry.added), "words_removed": list(entry.removed),
                "contradicted_by": [
                    {"id": each.id, "document": each.document, "visible": iso(each.start),
                     "sentence": each.sentence}
                    for each in entry.contradicted
                ],
            }
            for entry in timeline.entries
        ],
    }  # fmt: skip


def diff_json(difference: Difference) -> DiffJson:
    return {
        "query": difference.question, "a": iso(difference.before), "b": iso(difference.after),
        "changes": [
            {
                "kind": each.kind, "before": _side_json(each.before), "after": _side_json(each.after),
                "words_added": list(each.added), "words_removed": list(each.removed),
            }
            for each in difference.changes
        ],
    }  # fmt: skip


def _side_json(side: ResultSide | None) -> SideJson | None:
    if side is None:
        return None
    return {
        "rank": side.rank, "id": side.id, "document": side.document, "title": side.title,
        "visible": None if side.start is None else iso(side.start), "sentence": side.sentence,
    }  # fmt: skip


# -- links -----------------------------------------------------------------------------------------------


class NeighbourJson(TypedDict):
    """A document within reach of links."""

    document: str
    title: str
    distance: Annotated[int, "how many links away"]
    direction: Annotated[str, one_of("out", "in", "both")]


class LinksJson(TypedDict):
    """The links from and to a document."""

    document: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    neighbours: list[NeighbourJson]
    broken: Annotated[list[str], "broken links, as they are written"]


def links_json(reach: Reach, as_of: int, known_at: int | None) -> LinksJson:
    return {
        "document": reach.document, "as_of": iso(as_of),
        "known_at": None if known_at is None else iso(known_at),
        "neighbours": [
            {
                "document": each.document, "title": each.title, "distance": each.distance,
                "direction": each.direction,
            }
            for each in reach.neighbours
        ],
        "broken": list(reach.broken),
    }  # fmt: skip


# -- documents as of a moment --------------------------------------------------------------------------


class DocumentSummaryJson(TypedDict):
    """A document in a list."""

    document: Annotated[str, "its id"]
    title: str
    uri: str
    tags: list[str]
    meta: dict[str, Any]
    published: Annotated[TimeJson | None, "null: nobody knows"]
    visible: Annotated[Instant, "since when this version is"]


class VersionJson(TypedDict):
    """A version of a document."""

    visible: Annotated[Instant, "since when it is"]
    published: Annotated[TimeJson | None, "null: nobody knows"]
    title: str
    deletion: Annotated[bool, "the document was removed then"]
    current: Annotated[bool, "it is the one that is shown"]


class DocumentJson(DocumentSummaryJson):
    """A document as of a moment."""

    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge was asked; null: all that is known"]
    text: Annotated[str, "its text from `offset` on"]
    offset: Annotated[int, "the character of the text with which `text` begins"]
    characters: Annotated[int, "of the whole text"]
    versions: Annotated[list[VersionJson], "those until then, oldest first"]


class DocumentsJson(TypedDict):
    """A page of the current documents."""

    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]
    documents: Annotated[list[DocumentSummaryJson], "in order of id"]
    next: Annotated[str | None, "what `after` has to be for the next page; null: this is the last one"]


class DeletedJson(TypedDict):
    """A document that was deleted with all of its versions."""

    document: str
    passages: Annotated[int, "how many passages it had, in all versions"]


class PassageJson(TypedDict):
    """A passage as of a moment, or its last state."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: str
    published: Annotated[TimeJson | None, "null: nobody knows"]
    visible: Annotated[Instant, "since when it is"]
    valid: Annotated[SpanJson, "from when until when it was current; open: it is"]
    text: str
    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]


class MonthJson(TypedDict):
    """A month and what was published in it."""

    month: Annotated[str, "as 2024-03"]
    versions: Annotated[int, "dated versions of documents that were published in it"]


class CalendarJson(TypedDict):
    """The number of versions published by month."""

    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]
    months: Annotated[list[MonthJson], "in order of time; without those in which nothing was published"]


def document_json(
    found: DocumentAsOf, as_of: int, known_at: int | None, offset: int = 0, most: int | None = None
) -> DocumentJson:
    """A document, with at most so many characters of its text from `offset` on."""
    return {
        **summary_json(found.summary),
        **_moment(as_of, known_at),
        "text": found.text[offset:] if most is None else found.text[offset : offset + most],
        "offset": min(offset, len(found.text)),
        "characters": len(found.text),
        "versions": [
            {
                "visible": iso(each.visible), "published": optional_time_json(each.published),
                "title": each.title, "deletion": each.removed, "current": each.current,
            }
            for each in found.versions
        ],
    }  # fmt: skip


def summary_json(one: DocumentSummary) -> DocumentSummaryJson:
    return {
        "document": one.id, "title": one.title, "uri": one.uri, "tags": list(one.tags),
        "meta": dict(one.meta), "published": optional_time_json(one.published), "visible": iso(one.visible),
    }  # fmt: skip


def documents_json(
    page: Sequence[DocumentSummary], most: int, as_of: int, known_at: int | None
) -> DocumentsJson:
    """A page of at most `most` documents, of which one more was looked for."""
    shown = page[:most]
    return {
        **_moment(as_of, known_at), "documents": [summary_json(each) for each in shown],
        "next": shown[-1].id if len(page) > most else None,
    }  # fmt: skip


def passage_json(one: VisiblePassage, as_of: int, known_at: int | None) -> PassageJson:
    return {
        **_moment(as_of, known_at), "id": one.id, "document": one.document, "title": one.title,
        "published": optional_time_json(one.published), "visible": iso(one.visible),
        "valid": validity_json(one.visible, one.ended), "text": one.text,
    }  # fmt: skip


def calendar_json(months: Iterable[tuple[str, int]], as_of: int, known_at: int | None) -> CalendarJson:
    return {
        **_moment(as_of, known_at),
        "months": [{"month": month, "versions": count} for month, count in months],
    }


class _MomentJson(TypedDict):
    as_of: Instant
    known_at: Instant | None


def _moment(as_of: int, known_at: int | None) -> _MomentJson:
    return {"as_of": iso(as_of), "known_at": None if known_at is None else iso(known_at)}


# -- index --------------------------------------------------------------------------------------------


class IndexedJson(TypedDict):
    """The result of a run, in documents."""

    added: int
    changed: Annotated[int, "with another text than before"]
    corrected: Annotated[int, "with another date than before"]
    unchanged: int
    removed: Annotated[int, "that the source no longer has"]
    failed: Annotated[int, "that could not be read"]
    passages: Annotated[int, "new passages"]
    problems: list[ProblemJson]


class SourceJson(IndexedJson):
    """The result of a run over a source."""

    source: Annotated[str, "as it was given"]
    took_ms: Annotated[float, "reading and indexing"]


class IndexJson(TypedDict):
    """The result of indexing."""

    sources: Annotated[list[SourceJson], "in the order given"]


def index_json(sources: Sequence[tuple[str, IndexReport, float]]) -> IndexJson:
    """`sources`: name, what was done, and seconds of each."""
    return {
        "sources": [
            {**indexed_json(report), "source": source, "took_ms": round(seconds * 1000, 1)}
            for source, report, seconds in sources
        ]
    }


def indexed_json(report: IndexReport) -> IndexedJson:
    return {
        "added": report.added, "changed": report.changed, "corrected": report.corrected,
        "unchanged": report.unchanged, "removed": report.ended, "failed": report.failed,
        "passages": report.passages, "problems": [problem_json(each) for each in report.problems],
    }  # fmt: skip


# -- status -------------------------------------------------------------------------------------------


class StatusSourceJson(TypedDict):
    """A source of documents."""

    name: str
    kind: str
    documents: int


class SegmentJson(TypedDict):
    """A file of the index."""

    file: str
    rows: int
    bytes: int


class SettingsJson(TypedDict):
    """The settings by which texts are analysed, fixed by the first run."""

    languages: list[str]
    stem: bool
    chunking: str
    undated: Annotated[str, one_of("added", "always", "never"), "from when undated texts are seen"]
    encoder: Annotated[str, "whose vectors the corpus holds; empty: none"]
    search: Annotated[str | list[str], "the metadata that is searched: `auto`, `none`, or names"]


class StatusJson(TypedDict):
    """The content of a corpus."""

    documents: Annotated[int, "that are current"]
    removed: Annotated[int, "documents that are no longer current"]
    versions: int
    passages: Annotated[int, "of all versions"]
    current_passages: int
    first: Annotated[Instant | None, "the earliest publication of a dated document"]
    last: Annotated[Instant | None, "the latest one"]
    dated_by: Annotated[dict[str, int], "current documents by where their date was found"]
    undated: Annotated[int, "current documents without a date"]
    sources: list[StatusSourceJson]
    segments: list[SegmentJson]
    formats: Annotated[dict[str, int], "segments by the format of their files"]
    transactions: Annotated[int, "writes so far"]
    bytes: Annotated[int, "on disk"]
    horizon: Annotated[Instant | None, "queries as of an earlier moment are refused; null: none is"]
    settings: SettingsJson
    derived: Annotated[list[str], "caches and what was read by models, a line each"]
    check: Annotated[list[str] | None, "with `--check`: faults that were found; null: not checked"]


def status_json(status: Status, check: Sequence[str] | None = None) -> StatusJson:
    settings = status.settings
    return {
        "documents": status.documents, "removed": status.ended, "versions": status.versions,
        "passages": status.passages, "current_passages": status.current_passages,
        "first": None if status.first is None else iso(status.first),
        "last": None if status.last is None else iso(status.last - 1),
        "dated_by": dict(status.dated_by), "undated": status.undated,
        "sources": [
            {"name": name, "kind": kind, "documents": count} for name, kind, count in status.sources
        ],
        "segments": [{"file": file, "rows": rows, "bytes": size} for file, rows, size in status.segments],
        "formats": dict(status.formats),
        "transactions": status.transactions, "bytes": status.bytes,
        "horizon": None if status.horizon is None else iso(status.horizon),
        "settings": {
            "languages": list(settings.languages), "stem": settings.stem, "chunking": settings.chunking,
            "undated": settings.undated, "encoder": settings.encoder,
            "search": settings.search if isinstance(settings.search, str) else list(settings.search),
        },
        "derived": list(status.derived), "check": None if check is None else list(check),
    }  # fmt: skip


# -- embed --------------------------------------------------------------------------------------------


class EmbedJson(TypedDict):
    """The result of a change of the encoder."""

    encoder: Annotated[str | None, "whose vectors the corpus holds now; null: words only"]
    previous_encoder: Annotated[str | None, "whose vectors it held before; null: words only"]
    changed: Annotated[bool, "whether these differ"]
    dimensions: Annotated[int | None, "of a vector; null: there is none"]
    passages: int
    encoded: Annotated[int, "passages that were given a vector by this run"]
    took_ms: float


def embed_json(report: EmbeddingReport, previous: str, seconds: float) -> EmbedJson:
    return {
        "encoder": report.encoder or None, "previous_encoder": previous or None, "changed": report.changed,
        "dimensions": report.dimensions, "passages": report.passages, "encoded": report.encoded,
        "took_ms": round(seconds * 1000, 1),
    }  # fmt: skip


# -- JSON Schemas, generated from these types ----------------------------------------------------------

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Shapes = Mapping[str, tuple[str, type]]
"""For the name of each schema: what prints such a value, and the value's type."""

SHAPES: Shapes = {
    "search": ("asof search --json", SearchJson),
    "ask": ("asof ask --json", AnswerJson),
    "timeline": ("asof timeline --json", TimelineJson),
    "diff": ("asof diff --json", DiffJson),
    "links": ("asof links --json", LinksJson),
    "why-not": ("asof why-not --json", WhyNotJson),
    "when": ("asof when --json", WhenJson),
    "document": ("GET /api/v1/document", DocumentJson),
    "documents": ("GET /api/v1/documents", DocumentsJson),
    "passage": ("the tool `open` of `asof mcp`", PassageJson),
    "calendar": ("GET /api/v1/calendar", CalendarJson),
    "add": ("POST /api/v1/documents", IndexedJson),
    "delete": ("DELETE /api/v1/documents", DeletedJson),
    "index": ("asof index --json", IndexJson),
    "status": ("asof status --json", StatusJson),
    "embed": ("asof embed --json", EmbedJson),
    "recipes": ("asof recipes --json", RecipesJson),
}
"""Those of the core; extensions offer theirs (`asof.plugins.SHAPES`)."""

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


@cache
def all_shapes() -> Shapes:
    """The shapes of the core and of extensions."""
    offered: list[Mapping[str, tuple[str, str]]] = list(plugins.load_all(plugins.SHAPES).values())
    others = {
        name: (prints, plugins.named(path)) for each in offered for name, (prints, path) in each.items()
    }
    return {**SHAPES, **others}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `all_shapes`."""
    title, shape = all_shapes()[name]
    definitions: dict[str, Any] = {}
    value = _object(shape, definitions)
    return {"$schema": DIALECT, "title": title, **value, "$defs": definitions}


def _object(shape: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a TypedDict; those that it refers to are added to the definitions."""
    keys = get_type_hints(shape, include_extras=True)
    return {
        "description": shape.__doc__,
        "type": "object",
        "properties": {key: _schema(hint, definitions) for key, hint in keys.items()},
        "required": [key for key, hint in keys.items() if not _optional(hint)],
        "additionalProperties": False,
    }


def _optional(hint: Any) -> bool:
    origin = get_origin(hint)
    return origin is NotRequired or (origin is Annotated and _optional(get_args(hint)[0]))


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type. A text that it is annotated with describes it.

    Raises TypeError for a type that JSON has no like of.
    """
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _schema(args[0], definitions)
    if origin is Annotated:
        return _annotated(_schema(args[0], definitions), args[1:])
    if origin in (Union, UnionType):
        return _either([_schema(each, definitions) for each in args])
    if origin is list:
        return {"type": "array", "items": _schema(args[0], definitions)}
    if origin is dict and args[0] is str:
        return {"type": "object", "additionalProperties": _schema(args[1], definitions)}
    if hint is Any:
        return {}
    if hint in _KINDS:
        return {"type": _KINDS[hint]}
    if not is_typeddict(hint):
        raise TypeError(f"{hint!r} has no schema")
    name = hint.__name__.removesuffix("Json")
    if name not in definitions:
        definitions[name] = {}  # it may hold values of its own kind
        definitions[name] = _object(hint, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _annotated(value: dict[str, Any], notes: tuple[Any, ...]) -> dict[str, Any]:
    for note in notes:
        if isinstance(note, str):
            value["description"] = note
        elif isinstance(note, Keyword):
            value[note.name] = note.value if isinstance(note.value, str) else list(note.value)
    if "enum" in value and "null" in value["type"]:
        value["enum"].append(None)
    if "required" in value:
        value["propertyNames"] = {"enum": value["required"]}
    return value


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several schemas: a list of types where that says it all."""
    more = {key: each for schema in schemas for key, each in schema.items() if key != "type"}
    if all("type" in each for each in schemas) and not more.keys() - {"format"}:
        return {"type": [each["type"] for each in schemas], **more}
    return {"anyOf": schemas}
