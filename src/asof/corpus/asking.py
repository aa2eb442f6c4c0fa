"""A question that is answered: read, searched, and quoted or written from what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from asof import engine, plugins
from asof.answer.settings import MAX_PASSAGES
from asof.corpus.models import ModelProvider
from asof.corpus.query_reader import QueryReader
from asof.corpus.session import Session
from asof.data import GLOBAL, MODES, Answer, Filters, Query
from asof.errors import BeforeHorizon, UsageError
from asof.store.passages import Life, lives

if TYPE_CHECKING:
    from asof.answer.ask import AnswerOptions, PendingAnswer, TextCallback
    from asof.answer.named_past import Answered
    from asof.answer.question_cost import QuestionModel
    from asof.config import Config
    from asof.index.view import View
    from asof.rank.recipe import Recipe
    from asof.text.question import QuestionReading


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question and how it is to be answered; None: as [ask] of asof.toml says. See `Snapshot.ask`."""

    question: str
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)
    recipe: str | Recipe | None = None
    tokens: int | None = None
    on_text: TextCallback | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class _PutQuestion:
    """A question as it is put to the passages: how it is read, what is searched by which recipe, how the
    answer is made. `requested`: the mode was asked for."""

    reading: QuestionReading
    query: Query
    recipe: Recipe
    options: AnswerOptions
    notes: tuple[str, ...]
    requested: bool


class OfCorpus(Protocol):
    """What the extension that adds to answers (`answer.ask.Answering`) wants of an open corpus."""

    def prepare(self, session: Session) -> None:
        """Make what answers over periods are made of, where that was not done yet. Raises CorpusError."""
        ...

    def note(self, config: Config) -> str:
        """What of the configuration does not hold for answers; "" for nothing."""
        ...


def extension() -> OfCorpus | None:
    """The extension that adds to answers; None without one."""
    offered: OfCorpus | None = plugins.load(plugins.ANSWERING, "facts")
    return offered


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers questions that `reader` reads, which says as of when and as known at when."""

    session: Session
    models: ModelProvider
    reader: QueryReader

    def ask(self, request: AskRequest) -> Answer:
        """See `Snapshot.ask`."""
        with self._model(self._budget(request)) as model:
            return self._answer(request, model)

    def _budget(self, request: AskRequest) -> float | None:
        """What the answer may cost. Raises UsageError for less than nothing."""
        budget = self.session.config.asking.budget if request.budget is None else request.budget
        if budget is not None and not 0 <= budget <= 1e9:
            raise UsageError(f"budget {budget:g}: 0 or more is expected (US dollars; tokens without prices)")
        return budget

    @contextmanager
    def _model(self, budget: float | None) -> Iterator[QuestionModel | None]:
        """The language model for one question, None where none is configured."""
        with self.models.language(budget) as metered:
            if metered is None:
                yield None
                return
            from asof.answer.question_cost import QuestionModel

            yield QuestionModel(metered)

    def _in_parts(
        self, query: Query, as_of: int, model: QuestionModel | None
    ) -> tuple[Query, tuple[str, ...]]:
        """The query with the parts that the model finds; without a usable reply, those of the rules stay."""
        if model is None:
            return query, ("split into parts by rules: no language model is configured",)
        from asof.answer.sub_questions import split_by_model

        parts, note = split_by_model(query.text, as_of, model)
        notes = (note,) if note else ()
        return (query if parts is None else replace(query, parts=parts)), notes

    def _answer(self, request: AskRequest, model: QuestionModel | None) -> Answer:
        from asof.answer.ask import (
            BUDGET_NEEDS_MODEL,
            AnswerOptions,
            PendingAnswer,
            mode_for,
            write_pending,
        )  # fmt: skip

        asking, question = self.session.config.asking, request.question
        reader, known_at = self.reader, self.reader.known_at
        mode = asking.mode if request.mode is None else request.mode
        if mode not in MODES:
            raise UsageError(f"mode is {mode!r}; accepted: {', '.join(MODES)}")
        first, query, chosen = reader.query_for(
            question, MAX_PASSAGES, request.filters, "passage", request.recipe or asking.recipe, None
        )
        reading = reader.read(question) if chosen.typed else first
        notes: tuple[str, ...] = ()
        if model is not None:
            from asof.answer.question_times import times_by_model

            reading, notes = times_by_model(reading, model)
        if not chosen.typed:
            query = replace(query, about=reading.query.about)
        if chosen.splits:
            split, more = self._in_parts(query, reading.as_of, model)
            ruled = first.notes if chosen.typed and split is query else ()
            query, notes = split, (*notes, *ruled, *more)
        way = mode_for(mode, reading, " ".join(self.session.languages))
        if request.budget is not None and model is None:
            notes += (BUDGET_NEEDS_MODEL,)
        if way == GLOBAL and (offered := extension()) is not None:
            offered.prepare(self.session)
        tokens = asking.tokens if request.tokens is None else request.tokens
        options = AnswerOptions(way, tokens, model, request.on_text)
        put = _PutQuestion(reading, query, chosen, options, notes, requested=mode == way)
        made = self._from_passages(put).made if way == GLOBAL else self._of_its_time(put)
        if isinstance(made, PendingAnswer):
            assert model is not None  # noqa: S101  nothing else is pending
            made = write_pending(model, made, options)
        if made.as_of < reading.as_of:
            from asof.answer.named_past import with_lives

            ids = [each.id for each in made.citations]
            made = with_lives(made, self._lives(ids, reading.as_of, known_at))
        return made

    def _of_its_time(self, put: _PutQuestion) -> Answer | PendingAnswer:
        """What answers a question about single passages: those of its moment, or of a past time that it
        names."""
        from asof.answer import named_past

        now = self._from_passages(put)
        asked = named_past.named_past(put.reading, " ".join(self.session.languages))
        if asked is None or not named_past.is_open(now, asked):
            return now.made
        reading = named_past.read_as_of(put.reading, asked)
        query = put.query
        if not put.recipe.typed:
            query = replace(query, about=(), recency=reading.query.recency)
        try:
            then = self._from_passages(replace(put, reading=reading, query=query))
        except BeforeHorizon:
            return now.made
        ids = [each.id for each in then.quoted.citations[:1]]
        lives = self._lives(ids, put.reading.as_of, self.reader.known_at)
        return named_past.of_its_time(now, then, asked, lives).made

    def _from_passages(self, put: _PutQuestion) -> Answered:
        """The answer from what is found as of the moment of the reading. Raises BeforeHorizon, ModelError."""
        from asof.answer.ask import RetrievedPassages, answer, context_of
        from asof.answer.named_past import Answered

        def look(view: View) -> Answered:
            results = engine.search(put.query, view, put.recipe)
            retrieved = RetrievedPassages(
                view, put.reading, results.hits, results.rows, put.query.filters, put.notes
            )
            context = context_of(retrieved, put.options.tokens)
            return Answered(answer(retrieved, context, put.options, requested=put.requested), context)

        return self.session.use(put.reading.as_of, self.reader.known_at, look)

    def _lives(self, hits: Sequence[str], as_of: int, known_at: int | None) -> dict[str, list[Life]]:
        """See `asof.store.passages.lives`."""
        return self.session.use(
            as_of, known_at, lambda view: lives(view.store.db, hits, view.as_of, view.known_at)
        )
