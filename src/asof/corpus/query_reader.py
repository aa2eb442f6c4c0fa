"""A question as it is read and as it is put to the index: its words, times, filters and recipe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from asof import config
from asof.corpus.models import ModelProvider
from asof.corpus.session import Session
from asof.data import Filters, Query, coerce
from asof.data.coerce import MetadataFilter
from asof.errors import BeforeHorizon, UsageError
from asof.recipes import by_document
from asof.text.question import QuestionReading, as_typed
from asof.text.question import read as read_question
from asof.time.coerce import When, first_instant, instant_bounds, last_instant
from asof.time.span import Span, nearest_moment

if TYPE_CHECKING:
    from asof.rank.recipe import Recipe

LONGEST_QUESTION = 5_000
"""Characters of a question. Whatever they are, it is read and answered in about a second."""


def refuse_long(text: str, what: str) -> None:
    """Raises UsageError for more characters than a question may have."""
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"{what} has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}: ask with fewer words"
        )


@dataclass(frozen=True, slots=True)
class QueryReader:
    """Reads questions that are asked as of an instant (and known at one; None: with all that is known), with
    the configuration of a corpus. `stated`: whether that instant was given."""

    session: Session
    models: ModelProvider
    as_of: int
    known_at: int | None = None
    stated: bool = True

    def read(self, question: str, *, typed: bool = False) -> QuestionReading:
        """The words, times and intents of a question; `typed`: its words only.

        "As of 1950" moves the moment that is looked at if something was published by then. Raises UsageError
        for more than 5,000 characters.
        """
        refuse_long(question, "the question")
        if typed:
            return as_typed(question, self.as_of)
        as_asked = partial(
            read_question, question, nearest_moment(self.as_of), language=" ".join(self.session.languages),
            fiscal_start=self.session.fiscal_start,
        )  # fmt: skip
        reading = as_asked()
        if reading.as_of == self.as_of or self._anything_at(reading.as_of):
            return reading
        return as_asked(moves=False)

    def times(self, question: str) -> tuple[Span, ...]:
        """The times that a question speaks of, also by "as of", for a recipe that searches it as typed."""
        reading = self.read(question)
        if reading.as_of == self.as_of:
            return reading.query.about
        return (*reading.query.about, Span(None, nearest_moment(reading.as_of + 1)))

    def parts(self, question: str) -> tuple[tuple[str, ...], str]:
        """The parts of a question by rules: each of what it asks, of each name, at each time; and a note."""
        from asof.answer.question import ParsedQuestion
        from asof.answer.question_times import periods_named
        from asof.answer.sub_questions import combined

        reading = self.read(question)
        parsed = ParsedQuestion.of(reading, (), " ".join(self.session.languages))
        times = periods_named(reading, parsed.grain)
        return combined(parsed.names, parsed.topics, times.words, times.beyond)

    def _anything_at(self, as_of: int) -> bool:
        """Whether any passage is visible then; a time before the kept history has its own error."""
        try:
            return self.session.use(as_of, self.known_at, lambda view: view.n > 0)
        except BeforeHorizon:
            return True

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), about: When | None = None,
    ) -> Filters:  # fmt: skip
        """Filters as instants: `since` the first of its date, `until` the last, `about` both."""
        fiscal = self.session.fiscal_start
        return Filters(
            since=None if since is None else first_instant(since, self.as_of, fiscal),
            until=None if until is None else last_instant(until, self.as_of, fiscal),
            about=None if about is None else instant_bounds(about, self.as_of, fiscal),
            source=source, path=path, tags=coerce.texts(tags, "tags", ","), meta=coerce.metadata_filter(meta),
        )  # fmt: skip

    def query_for(
        self, question: str, k: int | None, filters: Filters, unit: str | None, recipe: str | Recipe | None,
        rerank: bool | None,
    ) -> tuple[QuestionReading, Query, Recipe]:  # fmt: skip
        """The question as it is read, the query for the index, and the recipe for it. Raises UsageError."""
        defaults = self.session.config
        unit = defaults.unit if unit is None else unit
        if unit not in config.UNITS:
            raise UsageError(f"unit is {unit!r}; accepted: {', '.join(config.UNITS)}")
        recipe = defaults.recipe if recipe is None else recipe
        chosen = defaults.recipe_named(recipe) if isinstance(recipe, str) else recipe
        reading = self.read(question, typed=chosen.typed)
        query = replace(reading.query, filters=filters, k=k or defaults.k, stated=self.stated)
        if chosen.typed and chosen.reads_times:
            query = replace(query, about=self.times(question))
        if chosen.splits:
            parts, note = self.parts(question)
            query = replace(query, parts=parts)
            reading = replace(reading, notes=(*reading.notes, note)) if note else reading
        if unit == "document":
            chosen = by_document(chosen)
        if defaults.diversity is not None:
            from asof.rank.rerank.diversify import diversified

            chosen = diversified(chosen, defaults.diversity)
        if defaults.rerank if rerank is None else rerank:
            chosen = self.models.reranking(chosen)
        return reading, query, chosen
