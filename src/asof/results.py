"""What commands print as JSON beside the values of other modules, and the schemas of all of it.

Each result is a value whose class describes its JSON (`asof.wire`); `of` makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import starmap
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from asof import plugins, wire
from asof.corpus.memory import Forgotten, Remembered
from asof.corpus.snapshot import Context
from asof.documents import Heading, shortened
from asof.engine import Results
from asof.hits import Answer, Halting, Hit
from asof.queries import condition_text
from asof.rank.gather import query_terms
from asof.rank.whynot import WhyNot
from asof.revisions.edits import Changes
from asof.revisions.links import Reach
from asof.revisions.timeline import Timeline
from asof.store.reader import (
    DocumentAsOf,
    DocumentLink,
    DocumentSummary,
    DocumentVersion,
    PassagePlace,
    VisiblePassage,
)
from asof.store.run import IndexReport
from asof.store.status import CorpusStatus
from asof.text.passages import body
from asof.time.expressions import TimeExpression
from asof.time.span import BEGINNING, NEVER, Instant, Validity
from asof.wire import FLAT, Decimals, one_of

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot
    from asof.text.question import QuestionReading

AsOf = Annotated[Instant, "the moment whose state of the documents was asked"]
KnownAt = Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]

# -- search --------------------------------------------------------------------------------------------


class SearchedQuery(Struct, frozen=True):
    """A query as it was run."""

    text: Annotated[str, "as it was asked"]
    lexical: Annotated[str, "what of it the index was asked"]
    stems: Annotated[tuple[str, ...], "of the words that are looked for"]
    recency: Annotated[float, "how much it asks for the newest, 0 to 1"]
    k: Annotated[int, "how many hits were asked for"]
    recipe: Annotated[str, "what ranked them"]
    as_of: AsOf
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    since: Annotated[Instant | None, "filter: published from then on"]
    until: Annotated[Instant | None, "filter: published until then"]
    about: Annotated[Validity | None, "filter: speaking of that time"]
    in_force: Annotated[Instant | None, "when the answer has to hold; null: no date was given"]
    source: Annotated[str, 'filter: the name of a source; "": none']
    paths: Annotated[tuple[str, ...], "filter: patterns of document ids, all of which fit"]
    tags: Annotated[tuple[str, ...], "filter: all of these tags"]
    no_tags: Annotated[tuple[str, ...], "filter: none of these tags"]
    meta: Annotated[tuple[str, ...], "filter: all of these conditions, as they are typed: team=a|b"]
    without: Annotated[tuple[str, ...], "filter: none of these words and phrases"]
    any_of: Annotated[tuple[tuple[str, ...], ...], "filter: of each group of words and phrases one at least"]

    @classmethod
    def of(cls, results: Results) -> SearchedQuery:
        query, view = results.query, results.view
        filters = query.filters
        stems = tuple(dict.fromkeys(term.word for term in query_terms(query, view.analyzer)))
        return cls(
            query.asked or query.text, query.lexical, stems, query.recency, query.k, results.recipe,
            view.as_of, view.known_at,
            filters.since, filters.until, None if filters.about is None else _stretch(*filters.about),
            filters.in_force, filters.source, filters.paths, filters.tags, filters.no_tags,
            tuple(starmap(condition_text, filters.meta)), filters.without, filters.any_of,
        )  # fmt: skip


def _stretch(first: int, last: int) -> Validity:
    """A stretch from its first and last instant, which may lie at the ends of time."""
    return Validity(None if first <= BEGINNING else first, None if last >= NEVER else last + 1)


class SearchResult(Struct, frozen=True):
    """The best passages for a query."""

    query: SearchedQuery
    hits: Annotated[tuple[Hit, ...], "best first"]
    notes: Annotated[tuple[str, ...], "what the stages did: what was cut, and where"]
    halting: Annotated[Halting | None, "of a recipe with a budget, such as twe"]
    took_ms: Annotated[float, Decimals(2), "the search alone"]

    @classmethod
    def of(cls, results: Results, took_ms: float) -> SearchResult:
        return cls(SearchedQuery.of(results), results.hits, results.notes, results.halting, took_ms)


class WhyNotResult(Struct, frozen=True):
    """The reason why a document or passage is not among the hits of a query, or its rank."""

    found: Annotated[WhyNot, FLAT]
    as_of: AsOf
    known_at: KnownAt


# -- how the times of a query were read ----------------------------------------------------------------

DIGITS = 4
"""Decimals of recency."""


class WhenResult(Struct, frozen=True):
    """The times read in a question."""

    asked_at: Annotated[Instant, "when the question is asked: `--as-of`, else now"]
    as_of: Annotated[Instant, "the moment that is looked at: an earlier one where the words move it"]
    in_force: Annotated[Instant, "when the answer has to hold: at a time that is named, else `as_of`"]
    mentions: Annotated[tuple[TimeExpression, ...], "in order, without overlap"]
    recency: Annotated[
        float, Decimals(DIGITS), "how much it asks for the newest, 0 to 1; 1 only by words that say so"
    ]
    direction: Annotated[str | None, one_of("past", "recent", "future", "timeless"), "that it looks to"]
    lexical: Annotated[str, "what of the text the index is asked"]
    reasons: Annotated[tuple[str, ...], "the words and structures that decided recency and direction"]
    notes: Annotated[tuple[str, ...], 'what was decided about "as of"']

    @classmethod
    def of(cls, reading: QuestionReading, asked_at: int) -> WhenResult:
        query, intent = reading.query, reading.intent
        return cls(
            asked_at, reading.as_of, query.date_of_force(reading.as_of), reading.mentions, query.recency,
            intent.direction if intent else None, query.lexical,
            intent.reasons if intent else (), reading.notes,
        )  # fmt: skip


# -- links, documents, passages as of a moment ---------------------------------------------------------


class LinksResult(Struct, frozen=True):
    """The links from and to a document."""

    found: Annotated[Reach, FLAT]
    as_of: AsOf
    known_at: KnownAt


class DocumentResult(Struct, frozen=True):
    """A document as of a moment."""

    summary: Annotated[DocumentSummary, FLAT]
    as_of: AsOf
    known_at: KnownAt
    text: Annotated[str, "its text from `offset` on"]
    offset: Annotated[int, "the character of the text with which `text` begins"]
    characters: Annotated[int, "of the whole text"]
    headings: Annotated[tuple[Heading, ...], "of the whole text, in their order"]
    passages: Annotated[tuple[PassagePlace, ...], "of the whole text, in their order"]
    links: Annotated[tuple[DocumentLink, ...], "in its text, in their order"]
    versions: Annotated[tuple[DocumentVersion, ...], "those until then, oldest first"]

    @classmethod
    def of(cls, found: DocumentAsOf, then: Snapshot, offset: int, most: int) -> DocumentResult:
        """A document, with at most so many characters of its text from `offset` on."""
        text = found.text[offset : offset + most]
        start, characters = min(offset, len(found.text)), len(found.text)
        return cls(
            found.summary, then.as_of, then.known_at, text, start, characters, found.headings,
            found.passages, found.links, found.versions,
        )  # fmt: skip


class DocumentPage(Struct, frozen=True):
    """A page of the current documents."""

    as_of: AsOf
    known_at: KnownAt
    documents: Annotated[tuple[DocumentSummary, ...], "in order of id"]
    next: Annotated[str | None, "what `after` has to be for the next page; null: this is the last one"]

    @classmethod
    def of(cls, page: Sequence[DocumentSummary], most: int, then: Snapshot) -> DocumentPage:
        """A page of at most `most` documents, of which one more was looked for."""
        shown = tuple(page[:most])
        return cls(then.as_of, then.known_at, shown, shown[-1].id if len(page) > most else None)


FIRST_WORDS = 100
"""So many characters of a listed document are shown."""


class ListedDocument(Struct, frozen=True):
    """A document in a list, with its beginning."""

    summary: Annotated[DocumentSummary, FLAT]
    begins: Annotated[str, "its first words"]
    status: Annotated[
        str, 'when its beginning holds, or what superseded that; "": nothing is stated, or another part holds'
    ]

    @classmethod
    def of(cls, summary: DocumentSummary, first: Hit | None) -> ListedDocument:
        """A document by its first passage."""
        if first is None:
            return cls(summary, "", "")
        text = first.text[body(first.text, first.headings) :] or first.text
        return cls(summary, shortened(text, FIRST_WORDS), "; ".join(first.status))


class DocumentList(Struct, frozen=True):
    """The current documents of a time or a kind."""

    as_of: AsOf
    known_at: KnownAt
    documents: Annotated[tuple[ListedDocument, ...], "the newest first"]
    left_out: Annotated[int, "how many more there are"]


class DeletedDocument(Struct, frozen=True):
    """A document that was deleted with all of its versions."""

    document: str
    passages: Annotated[int, "how many passages it had, in all versions"]


class PassageResult(Struct, frozen=True):
    """A passage as of a moment, or its last state."""

    found: Annotated[VisiblePassage, FLAT]
    as_of: AsOf
    known_at: KnownAt

    @property
    def text(self) -> Annotated[str, "the passage"]:
        return self.found.text

    @property
    def valid(self) -> Annotated[Validity, "from when until when it was current; open: it is"]:
        return Validity(self.found.visible, self.found.ended)


class Month(Struct, frozen=True):
    """A month and what was published in it."""

    month: Annotated[str, "as 2024-03"]
    versions: Annotated[int, "dated versions of documents that were published in it"]


class CalendarResult(Struct, frozen=True):
    """The number of versions published by month."""

    as_of: AsOf
    known_at: KnownAt
    months: Annotated[tuple[Month, ...], "in order of time; without those in which nothing was published"]

    @classmethod
    def of(cls, months: Iterable[tuple[str, int]], then: Snapshot) -> CalendarResult:
        return cls(then.as_of, then.known_at, tuple(Month(*each) for each in months))


# -- index, status, embed ------------------------------------------------------------------------------


class IndexedSource(Struct, frozen=True):
    """The result of a run over a source."""

    report: Annotated[IndexReport, FLAT]
    source: Annotated[str, "as it was given"]
    took_ms: Annotated[float, Decimals(1), "reading and indexing"]


class IndexResult(Struct, frozen=True):
    """The result of indexing."""

    sources: Annotated[tuple[IndexedSource, ...], "in the order given"]

    @classmethod
    def of(cls, runs: Iterable[tuple[str, IndexReport, float]]) -> IndexResult:
        """The name, report and seconds of each run."""
        return cls(tuple(IndexedSource(report, name, 1000 * seconds) for name, report, seconds in runs))


class StatusResult(Struct, frozen=True):
    """The content of a corpus."""

    status: Annotated[CorpusStatus, FLAT]
    check: Annotated[list[str] | None, "with `--check`: faults that were found; null: not checked"] = None


# -- JSON Schemas --------------------------------------------------------------------------------------

Shapes = Mapping[str, tuple[str, type]]
"""For the name of each schema: what prints such a value, and the value's class."""

SHAPES: Shapes = {
    "search": ("asof search --json", SearchResult),
    "ask": ("asof ask --json", Answer),
    "context": ("GET /api/v1/context", Context),
    "timeline": ("asof timeline --json", Timeline),
    "diff": ("asof diff --json", Timeline),
    "links": ("asof links --json", LinksResult),
    "why-not": ("asof why-not --json", WhyNotResult),
    "when": ("asof when --json", WhenResult),
    "document": ("GET /api/v1/document", DocumentResult),
    "documents": ("GET /api/v1/documents", DocumentPage),
    "list": ("asof list", DocumentList),
    "changes": ("asof changes", Changes),
    "passage": ("the tool `open` of `asof mcp`", PassageResult),
    "calendar": ("GET /api/v1/calendar", CalendarResult),
    "add": ("POST /api/v1/documents", IndexReport),
    "delete": ("DELETE /api/v1/documents", DeletedDocument),
    "remember": ("POST /api/v1/remember", Remembered),
    "forget": ("POST /api/v1/forget", Forgotten),
    "index": ("asof index --json", IndexResult),
    "status": ("asof status --json", StatusResult),
}
"""Those of the core; extensions offer theirs (`asof.plugins.SHAPES`)."""


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
    return wire.schema(*all_shapes()[name])
