"""`QueryReader` parses a query into words, times, filters and recipe; `Asker` answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC
from functools import partial
from math import inf
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from asof import config, engine
from asof.corpus.session import ModelProvider, Session
from asof.documents import as_texts
from asof.errors import BeforeHorizon, UsageError
from asof.hits import GLOBAL, LOCAL, MODES, Answer, Hit
from asof.lang import stop_words
from asof.queries import Filters, MetadataFilter, Query, metadata_condition, metadata_filter
from asof.recipes import by_document
from asof.store.names import filter_notes
from asof.store.reader import VisibleInterval, visible_intervals
from asof.text.operators import read_operators
from asof.text.question import QuestionReading, read_verbatim
from asof.text.question import read as read_question
from asof.time.moment import TimeOptions, When, first_instant, instant_bounds, last_instant
from asof.time.span import BEGINNING, nearest_moment
from asof.wire import replace

if TYPE_CHECKING:
    from asof.answer.ask import Answered, AnswerOptions, PendingAnswer, TextCallback
    from asof.answer.question import ParsedQuestion
    from asof.answer.table import TableCell
    from asof.answer.write import QuestionModel
    from asof.index.view import View
    from asof.rank.stage import Recipe

T = TypeVar("T")

# -- query reader --------------------------------------------------------------------------------------

LONGEST_QUESTION = 5_000
"""The most characters of a question. Whatever they are, it is read and answered in about a second."""

LONGEST_NOTE, LONGEST_SUBJECT, LONGEST_KEY, MOST_TAGS = 20_000, 300, 200, 20
"""The most characters of a note (`asof.corpus.memory`), of its subject and of its key; its most tags."""


def refuse_long(text: str, what: str) -> None:
    """Checks the length of a question. Raises UsageError for too many characters."""
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"{what} has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}: ask with fewer words"
        )


class FilteredText(Struct, frozen=True):
    """A question as it was asked, its text without operators, the filters that they are, and notes on how
    they were read."""

    asked: str
    text: str
    filters: Filters
    notes: tuple[str, ...]

    def read(
        self, languages: Sequence[str], times: TimeOptions, as_of: int, *, moves: bool = True
    ) -> QuestionReading:  # fmt: skip
        """The words, times, intent and filters of the question; see `asof.text.question.read`."""
        return self.of(read_question(
            self.text, nearest_moment(as_of), language=" ".join(languages), zone=times.zone or UTC,
            fiscal_start=times.fiscal_start, moves=moves,
        ))  # fmt: skip

    def of(self, reading: QuestionReading) -> QuestionReading:
        """The reading of the text as that of the question."""
        query = replace(reading.query, filters=self.filters, asked=self.asked)
        return replace(reading, query=query, notes=(*self.notes, *reading.notes))


class FilterReader(Struct, frozen=True):
    """Reads filters, given as options or in a question, as instants: relative times count from `as_of`."""

    languages: tuple[str, ...]
    times: TimeOptions
    as_of: int

    def of(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), about: When | None = None,
        in_force: When | None = None,
    ) -> Filters:  # fmt: skip
        """Filters as instants: `since` the first of its date, `until` and `in_force` the last, `about`
        both."""
        how = self.times
        return Filters(
            since=None if since is None else first_instant(since, self.as_of, how),
            until=None if until is None else last_instant(until, self.as_of, how),
            about=None if about is None else instant_bounds(about, self.as_of, how),
            source=source, paths=(path,) if path else (), tags=as_texts(tags, "tags", ","),
            meta=metadata_filter(meta),
            in_force=None if in_force is None else last_instant(in_force, self.as_of, how),
        )  # fmt: skip

    def operators(self, question: str, *, words: bool = True) -> FilteredText:
        """A question without its operators (`asof.text.operators`), and the filters that these are; `words`:
        something else has to be asked. Raises UsageError, BadTime."""
        refuse_long(question, "the question")
        grammar = frozenset().union(*map(stop_words, self.languages))
        read = read_operators(question, grammar.__contains__)
        if words and not read.text and question.strip():
            raise UsageError(
                f"{question!r:.80} has only filters: add words to search for, or list documents (asof list)"
            )
        filters = Filters(without=read.without, any_of=read.any_of)
        for key, value in read.filters:
            filters = filters.both(self._filter(key, value))
        return FilteredText(question, read.text, filters, read.notes)

    def _filter(self, key: str, value: str) -> Filters:
        """A filter that a question holds. Raises UsageError, BadTime."""
        try:
            if key == "meta":
                return self.of(meta=[metadata_condition(value)])
            if key == "-tag":
                return Filters(no_tags=as_texts(value, "tags", ","))
            if key in ("path", "source"):
                return self.of(path=value) if key == "path" else self.of(source=value)
            if key == "tag":
                return self.of(tags=value)
            return self.of(since=value) if key == "after" else self.of(until=value)
        except UsageError as error:
            raise type(error)(f"{key}:{value}: {error}; in quotes it is searched as words") from None


class QueryReader(Struct, frozen=True):
    """Reads questions that are asked as of an instant (and known at one; None: with all that is known), with
    the configuration of a corpus. `stated`: True if that instant was given."""

    session: Session
    models: ModelProvider
    as_of: int
    known_at: int | None = None
    stated: bool = True

    @property
    def filters(self) -> FilterReader:
        """The reader of filters."""
        return FilterReader(self.session.languages, self.session.times, self.as_of)

    def read(self, question: str | FilteredText) -> QuestionReading:
        """The words, times, intent and filters of a question.

        "As of 1950" moves the moment of the snapshot if something was published by then. Raises UsageError
        for more than 5,000 characters, for a wrong filter (BadTime for its time), and where nothing but
        filters is asked.
        """
        asked = self.filters.operators(question) if isinstance(question, str) else question
        as_asked = partial(asked.read, self.session.languages, self.session.times, self.as_of)
        reading = as_asked()
        if reading.as_of != self.as_of and not self._anything_at(reading.as_of):
            reading = as_asked(moves=False)
        return reading

    def _anything_at(self, as_of: int) -> bool:
        """True if any passage is visible at a moment; a time before the kept history has its own error."""
        try:
            return self.session.use(as_of, self.known_at, lambda view: view.n > 0)
        except BeforeHorizon:
            return True

    def query_for(
        self, question: str | FilteredText, k: int | None, filters: Filters, unit: str | None,
        recipe: str | Recipe | None, rerank: bool | None,
    ) -> tuple[QuestionReading, Query, Recipe]:  # fmt: skip
        """The parsed question, the query for the index, and the recipe for it. Raises UsageError."""
        defaults = self.session.config
        unit = defaults.unit if unit is None else unit
        if unit not in config.UNITS:
            raise UsageError(f"unit is {unit!r}; accepted: {', '.join(config.UNITS)}")
        recipe = defaults.recipe if recipe is None else recipe
        chosen = defaults.recipe_named(recipe) if isinstance(recipe, str) else recipe
        asked = self.filters.operators(question) if isinstance(question, str) else question
        reading = asked.of(read_verbatim(asked.text, self.as_of)) if chosen.typed else self.read(asked)
        hard = filters.both(reading.query.filters)
        query = replace(reading.query, filters=hard, k=k or defaults.k, stated=self.stated)
        reads_times = chosen.typed and chosen.reads_times
        read = self.read(asked) if chosen.typed and (reads_times or chosen.splits) else reading
        if reads_times:
            query = replace(query, about=read.times(self.as_of))
        if chosen.splits:
            from asof.answer.question import sub_questions

            parts, note = sub_questions(read)
            query = replace(query, parts=parts)
            reading = replace(reading, notes=(*reading.notes, note)) if note else reading
        if unit == "document":
            chosen = by_document(chosen)
        if defaults.rerank if rerank is None else rerank:
            chosen = self.models.reranking(chosen)
        return reading, query, chosen


# -- ask -----------------------------------------------------------------------------------------------

MAX_PASSAGES, FEW_PASSAGES = 100, 40
"""The most passages that are retrieved for an answer; for one in quotes, or for a cell of a table."""


class AskRequest(Struct, frozen=True):
    """A question and the options of its answer; None: the value in asof.toml. See `Snapshot.ask`."""

    question: str
    mode: str | None = None
    filters: Filters = msgspec.field(default_factory=Filters)
    recipe: str | Recipe | None = None
    tokens: int | None = None
    on_text: TextCallback | None = None
    budget: float | None = None


class _PutQuestion(Struct, frozen=True):
    """A prepared question: its reading, the query and its recipe, the options of the answer. `requested`: the
    user asked for this mode. `cell`: the question is for this cell of a table."""

    reading: QuestionReading
    query: Query
    recipe: Recipe
    options: AnswerOptions
    notes: tuple[str, ...]
    requested: bool
    cell: TableCell | None = None


LONGEST_TABLE = 1_000
"""The most characters of a question that is asked again for each cell of a table."""


class Asker(Struct, frozen=True):
    """Answers questions that `reader` reads, as of its moment and as known at its other moment."""

    session: Session
    models: ModelProvider
    reader: QueryReader

    def ask(self, request: AskRequest) -> Answer:
        """See `Snapshot.ask`."""
        with self._model(self._budget(request)) as model:
            return self._answer(request, model)

    def _budget(self, request: AskRequest) -> float | None:
        """The most that the answer may cost. Raises UsageError for a negative number."""
        budget = self.session.config.asking.budget if request.budget is None else request.budget
        if budget is not None and not 0 <= budget <= 1e9:
            raise UsageError(f"budget {budget:g}: 0 or more is expected (US dollars; tokens without prices)")
        return budget

    @contextmanager
    def _model(self, budget: float | None) -> Iterator[QuestionModel | None]:
        """The language model for one question, or None."""
        with self.models.language(budget) as metered:
            if metered is None:
                yield None
                return
            from asof.answer.write import QuestionModel

            yield QuestionModel(metered)

    def _answer(self, request: AskRequest, model: QuestionModel | None) -> Answer:
        from asof.answer.ask import (
            AUTO,
            BUDGET_NEEDS_MODEL,
            AnswerOptions,
            PendingAnswer,
            mode_for,
            write_pending,
        )  # fmt: skip
        from asof.answer.question import ParsedQuestion

        asking, question = self.session.config.asking, request.question
        reader = self.reader
        mode = AUTO if request.mode is None else request.mode
        if mode not in MODES:
            raise UsageError(f"mode is {mode!r}; accepted: {', '.join(MODES)}")
        first, query, chosen = reader.query_for(
            question, MAX_PASSAGES, request.filters, "passage", request.recipe, None
        )
        reading = reader.read(question) if chosen.typed else first
        notes: tuple[str, ...] = ()
        if not chosen.typed:
            query = replace(query, about=reading.query.about)
        if chosen.splits and chosen.typed:
            notes = first.notes
        way = mode_for(mode, reading)
        parsed = ParsedQuestion.of(reading)
        if model is None and way == LOCAL and not (parsed.grain or parsed.beside):
            query = replace(query, k=FEW_PASSAGES)
        if request.budget is not None and model is None:
            notes += (BUDGET_NEEDS_MODEL,)
        tokens = asking.tokens if request.tokens is None else request.tokens
        options = AnswerOptions(way, tokens, model, request.on_text)
        put = _PutQuestion(reading, query, chosen, options, notes, requested=mode == way)
        made = self._made(put, past=mode != GLOBAL)
        if isinstance(made, PendingAnswer):
            assert model is not None  # noqa: S101  nothing else is pending
            made = write_pending(model, made, options)
        made = self._with_lives(made, reading.as_of)
        if made.refused:
            unmet = self._use(put, lambda view: filter_notes(view.store, query.filters) if view.n else [])
            made = replace(made, notes=(*made.notes, *unmet))
        return replace(made, question=question, in_force=query.filters.in_force)

    def _with_lives(self, made: Answer, as_of: int) -> Answer:
        """An answer as of a time before that of its question with the time in force of what it cites."""
        if made.as_of >= as_of:
            return made
        from asof.answer.ask import with_lives

        ids = [each.id for each in made.citations]
        return with_lives(made, self._lives(ids, as_of))

    def _made(self, put: _PutQuestion, *, past: bool) -> Answer | PendingAnswer:
        """The answer, or what a model is to write; `past`: how documents changed may tell."""
        from asof.answer.ask import answering

        if past and (told := self._of_the_past(put)) is not None:
            return told
        if put.options.mode != GLOBAL or (past and self._is_large(put)):
            return self._local(replace(put, options=replace(put.options, mode=LOCAL)))
        if (offered := answering()) is not None:
            offered.prepare(self.session)
        return self._from_passages(put).made

    def _is_large(self, put: _PutQuestion) -> bool:
        """True if reports for a question would take minutes."""
        from asof.answer.ask import MOST_READ

        return self._use(put, lambda view: view.n > MOST_READ)

    def _of_the_past(self, put: _PutQuestion) -> Answer | None:
        """The answer to a question on how documents changed, or that is only a time; None for another one,
        where nothing tells, and for one at large where there is a model."""
        from asof.answer.ask import RetrievedPassages, best_statements
        from asof.answer.extractive import with_amendments
        from asof.answer.history import ANYTHING, COURSE, answer_from_past, answer_from_timeline, asked_change
        from asof.answer.period import answer_for_period, is_only_a_time, what_names
        from asof.answer.question import ParsedQuestion

        parsed, query, filters = ParsedQuestion.of(put.reading), put.query, put.query.filters
        asked = asked_change(parsed)
        of_time = is_only_a_time(parsed)
        at_large = asked is None or asked.kind == ANYTHING or of_time
        if (at_large and put.options.model is not None) or not (asked or of_time):
            return None
        if asked is None or of_time:
            then = self._use(put, lambda view: answer_for_period(view, parsed, filters), past=True)
            named = self._use(put, lambda view: what_names(view, parsed, filters)) if then.refused else None
            return named or then

        told: list[tuple[Hit, str]] = []

        def through_documents(view: View) -> Answer | None:
            results = engine.search(query, view, put.recipe)
            found = RetrievedPassages(view, put.reading, results.hits, results.rows, filters, ())
            told.extend(best_statements(found, inf))
            return answer_from_timeline(view, query, parsed, asked, told)

        made = self._use(put, through_documents) if asked.kind == COURSE else None
        if made is None:
            made = self._use(put, lambda view: answer_from_past(view, query, parsed, asked, told), past=True)
            if made is not None and asked.kind not in (COURSE, ANYTHING):
                made = self._use(put, partial(with_amendments, text=asked.text, answer=made))
        return made and replace(made, notes=(*put.reading.notes, *put.notes, *made.notes))

    def _local(self, put: _PutQuestion) -> Answer | PendingAnswer:
        """Answers a question from single passages. Where nothing answers, or no quote has the number that is
        asked for, a refusal has what was said before."""
        from asof.answer.ask import PendingAnswer
        from asof.answer.extractive import lacks_number
        from asof.answer.history import with_what_was_said
        from asof.answer.question import ParsedQuestion

        parsed = ParsedQuestion.of(put.reading)
        answered = self._of_its_time(put)
        several = parsed.asks_for_table or parsed.asks_for_each
        if several and not answered.context.of_versions and len(parsed.text) <= LONGEST_TABLE:
            return self._in_cells(put, parsed, answered)
        made = answered.made
        if (
            isinstance(made, PendingAnswer)
            or parsed.times
            or not (made.refused or lacks_number(parsed, made))
        ):
            return made
        before = self._use(put, lambda view: with_what_was_said(view, put.query, parsed, made), past=True)
        return before if made.refused or not lacks_number(parsed, before) else made

    def _in_cells(
        self, put: _PutQuestion, parsed: ParsedQuestion, answered: Answered
    ) -> Answer | PendingAnswer:
        """The table that answers a question for several values, each asked for as a question of its own.

        Where nothing is found for any of them, or the whole question has the better answer, that instead; but
        where figures of several times are asked for, no quotes that are of none of them."""
        from asof.answer.extractive import is_better_whole, left_out_names, table_answer
        from asof.answer.table import cells_of, joined

        whole, hits = answered.quoted, answered.context.hits
        parsed = joined(parsed, hits)
        if not (parsed.asks_for_table or parsed.asks_for_each):
            return answered.made
        cells, note = cells_of(parsed, put.reading, hits)
        made = [self._cell(put, each) for each in cells]
        if parsed.wants_value and not parsed.wants_number and all(each.refused for each in made):
            made = [self._cell(put, replace(each, figure=False)) for each in cells]
        table = table_answer(whole, parsed, cells, made, note)
        if is_better_whole(parsed, whole, table):
            return replace(answered.made, notes=(*answered.made.notes, *left_out_names(parsed, whole)))
        if table.refused and whole.refused:
            table = replace(whole, values=table.values, notes=table.notes)
        table = replace(table, notes=(*put.reading.notes, *put.notes, *table.notes))
        pending = answered.made
        return table if isinstance(pending, Answer) else replace(pending, quoted=table)

    def _cell(self, put: _PutQuestion, cell: TableCell) -> Answer:
        """The answer in quotes to the question for a cell of a table."""
        reading = self.reader.read(cell.question)
        about = () if cell.span is None else (cell.span,)
        reading = replace(reading, query=replace(reading.query, about=about))
        query = replace(put.query, text=cell.question, lexical=cell.question, k=FEW_PASSAGES, parts=())
        if not put.recipe.typed:
            query = replace(query, lexical=reading.query.lexical, recency=reading.query.recency, about=about)
        options = replace(put.options, model=None)
        made = self._of_its_time(
            replace(put, reading=reading, query=query, options=options, cell=cell)
        ).quoted
        return self._with_lives(made, put.reading.as_of)

    def _of_its_time(self, put: _PutQuestion) -> Answered:
        """Answers a question from single passages: those of its moment, or of a past time that it names."""
        from asof.answer import ask

        now = self._from_passages(put)
        asked = ask.named_past(put.reading)
        if asked is None or not ask.is_open(now, asked):
            return self._until_in_force(put, now, put.query.date_of_force(put.reading.as_of))
        reading = ask.read_as_of(put.reading, asked)
        query = put.query
        if not put.recipe.typed:
            query = replace(query, about=(), recency=reading.query.recency)
        try:
            then = self._from_passages(replace(put, reading=reading, query=query))
        except BeforeHorizon:
            return now
        ids = [each.id for each in then.quoted.citations[:1]]
        lives = self._lives(ids, put.reading.as_of)
        found = ask.of_its_time(now, then, asked, lives)
        return self._until_in_force(put, now, asked.last) if found is now else found

    def _until_in_force(self, put: _PutQuestion, now: Answered, at: int) -> Answered:
        """The answer; what its document said before it was edited, if that holds at an instant and what it
        says now does not yet."""
        from asof.answer import ask
        from asof.revisions.force import STEPS

        query, found, coming = put.query, now, None
        query = replace(query, filters=replace(query.filters, in_force=at))
        for _ in range(STEPS):
            later = ask.not_yet_in_force(found, at)
            if later is None:
                break
            lives = self._lives([later.id], found.made.as_of).get(later.id, ())
            edited = min((each.visible for each in lives), default=BEGINNING)
            if edited > found.made.as_of or edited <= BEGINNING:
                return now
            coming, reading = later, replace(put.reading, as_of=edited - 1)
            try:
                found = self._from_passages(replace(put, query=query, reading=reading))
            except BeforeHorizon:
                return now
        return now if coming is None else ask.until_in_force(now, coming, found, at)

    def _from_passages(self, put: _PutQuestion) -> Answered:
        """The answer from passages as of the moment of the reading. Raises BeforeHorizon, ModelError."""
        from asof.answer.ask import Answered, RetrievedPassages, answer, context_of
        from asof.answer.extractive import of_one_thing
        from asof.answer.question import ParsedQuestion
        from asof.rank.versions import MOST_ASKED, rows_asked
        from asof.revisions.force import current_hits

        def look(view: View) -> Answered:
            results = engine.search(put.query, view, put.recipe)
            found = dict(zip(results.rows, results.hits, strict=True))
            asked = rows_asked(put.query, view)
            more = zip(asked.tolist(), current_hits(view, asked, put.query), strict=True)
            of_it = of_one_thing(ParsedQuestion.of(put.reading), put.query.lexical, dict(more), results.hits)
            hits = of_it | {row: hit for row, hit in found.items() if row not in of_it}
            most = f"of these versions the latest {MOST_ASKED:,} passages were read, and no others"
            notes = (*put.notes, most) if len(asked) == MOST_ASKED else put.notes
            retrieved = RetrievedPassages(
                view, put.reading, tuple(hits.values()), tuple(hits), put.query.filters, notes, len(of_it)
            )
            context = context_of(retrieved, put.options.tokens, put.cell)
            return Answered(answer(retrieved, context, put.options, requested=put.requested), context)

        return self._use(put, look)

    def _use(self, put: _PutQuestion, do: Callable[[View], T], *, past: bool = False) -> T:
        """Call a function with the view of the moment of a question; see `Session.use`."""
        return self.session.use(put.reading.as_of, self.reader.known_at, do, past=past)

    def _lives(self, hits: Sequence[str], as_of: int) -> dict[str, list[VisibleInterval]]:
        """See `asof.store.reader.visible_intervals`."""

        def look(view: View) -> dict[str, list[VisibleInterval]]:
            return visible_intervals(view.store.db, hits, view.as_of, view.known_at)

        return self.session.use(as_of, self.reader.known_at, look)
