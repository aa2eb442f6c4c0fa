"""A corpus as of a moment: search, ask, diff, timeline, documents; and passages as context for a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypedDict, TypeVar, Unpack

import numpy as np
from msgspec import Struct

from asof import engine
from asof.arguments import all_checked
from asof.corpus.asking import Asker, AskRequest, FilteredText, QueryReader
from asof.corpus.session import ModelProvider, Session
from asof.engine import Results
from asof.errors import DocumentNotFound
from asof.hits import Answer, Citation, Hit
from asof.models.ports import in_round_brackets, one_line
from asof.queries import Filters, MetadataFilter
from asof.text.passages import LEFT_OUT, ends, pack, passage_header, tokens
from asof.text.question import QuestionReading
from asof.time.moment import When
from asof.time.span import NEVER, Instant, iso, nearest_moment
from asof.wire import replace

if TYPE_CHECKING:
    from asof.answer.ask import TextCallback
    from asof.index.view import View
    from asof.rank.stage import Recipe
    from asof.rank.whynot import WhyNot
    from asof.revisions.edits import Changes
    from asof.revisions.links import Reach
    from asof.revisions.timeline import Timeline
    from asof.store.reader import DocumentAsOf, DocumentSummary, VisiblePassage


T = TypeVar("T")


class FilterArguments(TypedDict, total=False):
    """Filters as options, see `Snapshot.search`."""

    since: When | None
    until: When | None
    about: When | None
    in_force: When | None
    source: str
    path: str
    tags: str | Iterable[str]
    meta: MetadataFilter


class SearchArguments(FilterArguments, total=False):
    """The options of `Snapshot.search`."""

    k: int | None
    filters: Filters | None
    unit: str | None
    recipe: str | Recipe | None
    rerank: bool | None


@all_checked
@dataclass(frozen=True, slots=True, repr=False)
class Snapshot:
    """A snapshot of a corpus as of `as_of`, as known at `known_at` (None: all that is known); instants.
    `stated`: True if that moment was given, False if it is the present by default.

    Made by `Corpus.at`.
    """

    session: Session
    models: ModelProvider
    as_of: int
    known_at: int | None
    stated: bool = True

    def __repr__(self) -> str:
        known = "" if self.known_at is None else f", known at {iso(self.known_at)}"
        return f"Snapshot({str(self.session.root)!r}, as of {iso(self.as_of)}{known})"

    # -- searching ----------------------------------------------------------------------------------

    def search(
        self, question: str, k: int | None = None, *, since: When | None = None, until: When | None = None,
        about: When | None = None, in_force: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), filters: Filters | None = None,
        unit: str | None = None, recipe: str | Recipe | None = None, rerank: bool | None = None,
    ) -> Results:  # fmt: skip
        """Search: the k best passages (or documents, by `unit`) that were current then, best first.

        `recipe`: a name (see `asof.recipes.NAMES`; with what asof.toml changes about it) or a value. `since`
        and `until` compare with the last instant of the date of publication; `about` with the times that a
        passage is about, or with that instant if it is about none; `path` is a glob over document ids; all
        filters must hold, also those of `filters` (with instants) and of the question itself (`tag:money
        -word`, see `asof.text.operators`). `in_force`: the date at which the answer has to hold, where it is
        neither `as_of` nor named in the question. `rerank`: by the model of asof.toml. Raises UsageError,
        BeforeHorizon, ModelError."""
        given = self.filters(since, until, source, path, tags, meta, about, in_force)
        hard = given.both(filters or Filters())
        return self._search(question, k, hard, unit, recipe, rerank)

    def _search(
        self, question: str | FilteredText, k: int | None, filters: Filters, unit: str | None,
        recipe: str | Recipe | None, rerank: bool | None = None,
    ) -> Results:  # fmt: skip
        reading, query, chosen = self.reader.query_for(question, k, filters, unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        results = then.use(lambda view: engine.search(query, view, chosen))
        unmet = [] if results.hits else then.unmet(query.filters)
        return replace(results, notes=(*reading.notes, *unmet, *results.notes))

    def context(
        self, question: str, tokens: int = 4_000, **options: Unpack[SearchArguments]
    ) -> Context:  # fmt: skip
        """The best passages for a question as one numbered text of at most so many tokens, for a prompt.

        `options` are those of `search`; `k`: the most passages in the text (default: 100); those that do not
        fit are counted. So nothing in it was published after `as_of`. Raises UsageError, BeforeHorizon,
        ModelError.
        """
        options.setdefault("k", MOST)
        return context_of(self.search(question, **options), tokens)

    async def asearch(self, question: str, **options: Unpack[SearchArguments]) -> Results:
        """`search` in a thread, for programs with an event loop."""
        return await asyncio.to_thread(partial(self.search, question, **options))

    async def aask(
        self, question: str, *, filters: Filters | None = None, on_text: TextCallback | None = None,
        **options: Unpack[FilterArguments],
    ) -> Answer:  # fmt: skip
        """`ask` in a thread; `on_text` is called there."""
        return await asyncio.to_thread(
            partial(self.ask, question, filters=filters, on_text=on_text, **options)
        )

    async def acontext(
        self, question: str, tokens: int = 4_000, **options: Unpack[SearchArguments]
    ) -> Context:  # fmt: skip
        """`context` in a thread."""
        return await asyncio.to_thread(partial(self.context, question, tokens, **options))

    def unmet(self, filters: Filters) -> list[str]:
        """Explains why nothing can match, whatever the words: a filter that no document passes, or a time
        before all of them. It tells nothing about documents that are not visible."""
        from asof.store.names import filter_notes

        return self.use(lambda view: filter_notes(view.store, filters))

    def why_not(
        self, wanted: str, question: str, k: int | None = None, *, filters: Filters | None = None,
        unit: str | None = None, recipe: str | Recipe | None = None, rerank: bool | None = None,
    ) -> WhyNot:  # fmt: skip
        """Explains why a document (or a passage, by a hit's id) is not among the hits of a question, or its
        rank.

        `wanted`: an id, a title or another unambiguous name of a document (see `asof.store.names`). One that
        was published or learned later does not exist, unless neither the corpus nor the question is asked as
        of a moment: then its id names it. Raises UsageError when there is none, or several.
        """
        from asof.rank.whynot import why_not

        asked = self.reader.filters.operators(question)
        reading, query, chosen = self.reader.query_for(asked, k, filters or Filters(), unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        dated = self.stated or self.known_at is not None or reading.as_of != self.as_of
        found = then.use(lambda view: why_not(wanted, query, view, chosen, dated=dated))
        return replace(found, notes=asked.notes)

    def called(self, wanted: str) -> str:
        """The id of the document of this name as of this moment: by its id, title, alias, or a part of its
        path, without regard to case. Raises UsageError if none or several have it."""
        from asof.store.names import find_document

        return self.use(lambda view: find_document(view.store, wanted))

    def text(self, document: str) -> str | None:
        """The text of a document as of this moment, byte for byte; None if it had none then."""
        return self.use(lambda view: view.store.text(document))

    def document(self, name: str) -> DocumentAsOf:
        """A document as of this moment, with its text and its versions until then. `name`: see `called`.

        Raises DocumentNotFound if no such document was current.
        """
        from asof.revisions.links import resolver
        from asof.store.reader import document_as_of, links_of

        id_ = self.called(name)
        found = self.use(lambda view: document_as_of(view.store, id_))
        if found is None:
            raise DocumentNotFound(f"{id_!r} was removed before {iso(self.as_of)[:10]}; ask as of earlier")
        return replace(found, links=self.use(lambda view: links_of(view.store, id_, lambda: resolver(view))))

    def passage(self, hit: str) -> VisiblePassage | None:
        """The passage with a hit's id as of this moment, or its last state; None if there was none."""
        from asof.store.reader import passage_as_of

        return self.use(lambda view: passage_as_of(view.store.db, hit, view.as_of, view.known_at))

    def documents(self, after: str = "", most: int = 100, part: str = "") -> list[DocumentSummary]:
        """At most so many current documents by id, after the id `after`; only those with `part` in id or
        title."""
        from asof.store.reader import documents_as_of

        return self.use(lambda view: documents_as_of(view.store, after, most, part))

    def newest(self, most: int = 50, filters: Filters | None = None) -> tuple[list[DocumentSummary], int]:
        """The current documents that pass the filters, the newest first, at most so many; and how many there
        are."""
        from asof.store.reader import documents_by_time

        chosen = filters or Filters()
        return self.use(lambda view: documents_by_time(
            view.store, chosen.since, chosen.until, most, view.documents_passing(chosen)
        ))  # fmt: skip

    def beginnings(self, documents: Iterable[str]) -> dict[str, Hit]:
        """The first passage of each of these current documents, by id; without a time of force where that is
        over, or to come, and another passage is in force."""
        from asof.revisions.force import current_hits, in_force

        def look(view: View) -> dict[str, Hit]:
            rows = view.first_rows(view.store.numbers_of(documents))
            hits = current_hits(view, rows)
            numbers = view.column("document", rows).tolist()
            return {
                hit.document: replace(hit, in_force=None, superseded=None, holds=True)
                if (hit.superseded or not hit.holds) and in_force(view, view.rows_of_document(number)).any()
                else hit
                for hit, number in zip(hits, numbers, strict=True)
            }

        return self.use(look)

    def statements(self, filters: Filters | None = None) -> Iterator[DocumentStatement]:
        """All statements of the current passages that pass the filters, by the id of their document and in
        its order; read from the corpus a few documents at a time. Raises BeforeHorizon."""
        chosen = filters or Filters()
        known_at = self.use(lambda view: view.known_at)  # what is added meanwhile is not in it
        then = replace(self, known_at=known_at)
        documents = then.use(lambda view: _documents_in_order(view, chosen))
        of_time = Filters(since=chosen.since, until=chosen.until)
        for at in range(0, len(documents), DOCUMENTS_AT_ONCE):
            some = documents[at : at + DOCUMENTS_AT_ONCE]
            yield from then.use(partial(_statements_of, some, of_time))

    def changes(
        self, question: str = "", most: int = 50, *, since: When | None = None,
        filters: Filters | None = None, learned: bool = False,
    ) -> Changes:  # fmt: skip
        """What was added, changed or removed in documents since a date (None: in the week before), about a
        question if there is one; at most so many documents, the last that changed first. `learned`: also
        what happened before and was learned since."""
        from asof.answer.period import WEEK, changes_about

        asked = self.reader.filters.operators(question, words=False)
        chosen = self.filters(since).both(filters or Filters()).both(asked.filters)
        first = self.as_of - WEEK if chosen.since is None else chosen.since
        found = self.session.use(
            self.as_of, self.known_at, past=True,
            do=lambda view: changes_about(
                view, asked.text, first, most, chosen, first if learned else NEVER
            ),
        )  # fmt: skip
        return replace(found, question=question, notes=asked.notes)

    def calendar(self) -> list[tuple[str, int]]:
        """The number of dated versions published in each month ("2024-03"), in order of time."""
        from asof.store.reader import versions_by_month

        return self.use(lambda view: versions_by_month(view.store))

    def resolve(self, target: str, origin: str = "") -> str | None:
        """The document that `[[target]]` in the document `origin` leads to, as of this moment."""
        from asof.revisions.links import resolver

        return self.use(lambda view: resolver(view)(target, origin))

    def links(self, document: str, depth: int = 1) -> Reach:
        """The links from and to a document as of this moment, up to `depth` links away (1 to 5).

        Raises UsageError when no such document was current.
        """
        from asof.revisions.links import reach

        return self.use(lambda view: reach(view, document, depth))

    def timeline(
        self, question: str, most: int = 20, *, since: When | None = None, until: When | None = None,
        filters: Filters | None = None,
    ) -> Timeline:  # fmt: skip
        """The changes of the answer to a question: the last `most` statements of its series, newest last.
        Where no document says anything on it any more, those of what was said until then.

        `since` and `until`: only those current at some time between; `filters`: of the search. Raises
        UsageError, BeforeHorizon.
        """
        from asof.answer.ask import RetrievedPassages, best_statements
        from asof.answer.history import timeline_of_removed
        from asof.answer.question import ParsedQuestion
        from asof.revisions.timeline import FIRST_HITS, timeline, timeline_from

        asked = self.reader.filters.operators(question)
        then = Filters(since=asked.filters.since, until=asked.filters.until)
        bounds = self.filters(since, until).both(then)
        asked = replace(asked, filters=replace(asked.filters, since=None, until=None))
        results = self._search(asked, FIRST_HITS, filters or Filters(), "passage", None)
        reading, hard = self.reader.read(asked), results.query.filters

        def look(view: View) -> Timeline:
            hits = () if bounds.reversed else results.hits
            found = RetrievedPassages(view, reading, hits, results.rows, hard, ())
            best = best_statements(found)
            return timeline(view, asked.text, best, most, hard, bounds.since, bounds.until, hits)

        def look_back(view: View) -> Timeline:
            entries = timeline_of_removed(view, results.query, ParsedQuestion.of(reading))
            return timeline_from(view, asked.text, entries, most, bounds.since, bounds.until)

        as_of = results.view.as_of
        found = self.session.use(as_of, self.known_at, look)
        if not found.entries and not bounds.reversed:
            found = self.session.use(as_of, self.known_at, look_back, past=True)
        return replace(found, question=question, notes=asked.notes)

    def diff(
        self, question: str, other: Snapshot, most: int = 20, *, filters: Filters | None = None
    ) -> Timeline:
        """The answers to a question here, in another snapshot and between: the timeline of the later one from
        the earlier one on. Raises UsageError, BeforeHorizon."""
        first, last = sorted((self, other), key=lambda each: each.as_of)
        since, until = (nearest_moment(each.as_of) for each in (first, last))
        return last.timeline(question, most, since=since, until=until, filters=filters)

    # -- asking -------------------------------------------------------------------------------------

    def ask(
        self, question: str, *, mode: str | None = None, filters: Filters | None = None,
        recipe: str | Recipe | None = None, tokens: int | None = None, on_text: TextCallback | None = None,
        budget: float | None = None, **options: Unpack[FilterArguments],
    ) -> Answer:  # fmt: skip
        """Answer a question from what was current then, with citations; or refuse, with the reason.

        `mode`: "local" from single passages, "global" from reports over the periods that are asked about,
        "auto" (None) whichever fits. `tokens`: how much of the passages found is read. Quotes, unless a
        language model is configured; `on_text` gets its words as they arrive. `budget`: the most that a model
        may cost (US dollars; tokens without prices). None: that of [ask] in asof.toml. `filters` and
        `options` (`tags=`, `since=` ...) as in `search`. Raises UsageError, BeforeHorizon, ModelError.
        """
        hard = self.filters(**options).both(filters or Filters())
        return self.answer(AskRequest(question, mode, hard, recipe, tokens, on_text, budget))

    def answer(self, request: AskRequest) -> Answer:
        """Answers a request; see `ask`."""
        return Asker(self.session, self.models, self.reader).ask(request)

    # -- reading a question -------------------------------------------------------------------------

    def view(self) -> View:
        """The view that stages read."""
        return self.use(lambda view: view)

    def use(self, do: Callable[[View], T]) -> T:
        """Call a function with the view, in one read transaction."""
        return self.session.use(self.as_of, self.known_at, do)

    @property
    def reader(self) -> QueryReader:
        """The reader of questions that are asked here."""
        return QueryReader(self.session, self.models, self.as_of, self.known_at, self.stated)

    def read(self, question: str) -> QuestionReading:
        """Reads a question with the default recipe: its words, its times, its intent.

        Raises UsageError for more than 5,000 characters.
        """
        return self.reader.read(question)

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), about: When | None = None,
        in_force: When | None = None,
    ) -> Filters:  # fmt: skip
        """Filters as instants: `since` the first of its date, `until` and `in_force` the last, `about`
        both."""
        return self.reader.filters.of(since, until, source, path, tags, meta, about, in_force)


# -- the statements of documents -----------------------------------------------------------------------

DOCUMENTS_AT_ONCE = 256


class DocumentStatement(Struct, frozen=True):
    """A statement of a current passage (`asof.text.statements`), which is a hit without a score. `kind`:
    sentence, item, row or field; `start`, `end`: its characters in the text of the document."""

    text: str
    kind: str
    start: int
    end: int
    hit: Hit


def _documents_in_order(view: View, filters: Filters) -> list[int]:
    """The numbers of the current documents that pass the filters, by their ids."""
    passing = view.documents_passing(filters)
    among = None if passing is None else set(passing)
    named = sorted((name, number) for number, name, *_ in view.store.current_documents())
    return [number for _, number in named if among is None or number in among]


def _statements_of(documents: list[int], filters: Filters, view: View) -> list[DocumentStatement]:
    """The statements of the current passages of these documents that pass the filters of time."""
    from asof.revisions.force import current_hits
    from asof.text.statements import pieces

    window = view.prefix.window()
    mask = np.isin(window.column("document"), documents)
    allowed = view.allowed(window, filters)
    rows = np.flatnonzero(mask if allowed is None else mask & allowed)
    hits = current_hits(view, rows[window.visible(rows)])
    found: list[DocumentStatement] = []
    document, until = "", 0
    for hit in sorted(hits, key=lambda each: (each.document, each.place.number)):
        if hit.document != document:
            document, until = hit.document, 0
        for piece in pieces(hit.text, hit.place.headings, hit.title):
            start, end = hit.place.start + piece.start, hit.place.start + piece.end
            if end > until and any(map(str.isalnum, piece.text)):  # of passages that overlap, each once
                found.append(DocumentStatement(piece.text, piece.kind, start, end, hit))
        until = max(until, hit.place.end)
    return found


# -- context for a prompt: passages as one text, numbered and dated, within a budget of tokens ---------

MOST = 100
"""The default number of passages retrieved for a context: as many as an answer reads."""


class Context(Struct, frozen=True):
    """Context for a prompt: the passages found for a question, best first, as one text (`str`).

    Each passage is citation n, below a line `[n] Title (date)`, with its status behind that if one is stated
    ("superseded on 2024-01-06 by Fees 2024"); the date is as it was stated. `tokens` is the
    size of the text by `asof.text.passages.tokens`. `left_out`: the number of passages found that did not
    fit. `notes`: how the question was read, what the search left out, and what did not fit here.
    """

    text: Annotated[str, "the passages, each below its number, title, date and status"]
    citations: Annotated[tuple[Citation, ...], "their sources"]
    tokens: Annotated[int, "the size of the text"]
    left_out: Annotated[int, "how many of the passages that were found did not fit"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"] = 0
    notes: Annotated[tuple[str, ...], "how the question was read, and what was left out"] = ()

    def __str__(self) -> str:
        return self.text


CUT = "(cut here)"


def context_of(results: Results, most: int) -> Context:
    """The hits, in order of rank, up to the first that does not fit into `most` tokens.

    Where that is the best one, its first words are included, if there is room for any. Square brackets around
    a number in a passage become round ones, so that it cannot be taken for a citation.
    """
    heads = [_head(n, hit) for n, hit in enumerate(results.hits, 1)]
    quotes = [in_round_brackets(hit.text.strip()) for hit in results.hits]
    passages = [f"{head}\n{quote}" for head, quote in zip(heads, quotes, strict=True)]
    shown = len(pack([tokens(each) for each in passages], most, skip=False).selected)
    cut = bool(passages) and not shown and (room := most - tokens(f"{heads[0]}\n{CUT}")) > 0
    if cut:
        quotes[0] = quotes[0][: ends(quotes[0])[room - 1]]
        passages[0], shown = f"{heads[0]}\n{quotes[0]}\n{CUT}", 1
    text, left_out = "\n\n".join(passages[:shown]), len(passages) - shown
    lost = [f"{left_out:,} of {len(passages):,} passages"] if left_out else []
    lost += ["the end of [1]"] if cut else []
    notes = list(results.notes)
    if lost:
        used = f"{tokens(text):,} of at most {most:,} tokens are used"
        notes.append(f"{LEFT_OUT} {' and '.join(lost)}: {used}")
    citations = tuple(
        Citation.of(n, hit, quote)
        for n, (hit, quote) in enumerate(zip(results.hits[:shown], quotes[:shown], strict=True), 1)
    )
    return Context(text, citations, tokens(text), left_out, results.view.as_of, tuple(notes))


def _head(n: int, hit: Hit) -> str:
    """The line above a passage: its number, title, date and status."""
    parts = passage_header(hit.title or hit.document, hit.published), *hit.status
    return f"[{n}] {in_round_brackets(one_line(', '.join(parts)))}"
