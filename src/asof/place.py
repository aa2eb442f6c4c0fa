"""A place in time from which a corpus is asked: its view, and how questions and options are read there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from asof import config
from asof.data import Filters, Query, given
from asof.data.given import Wanted
from asof.errors import UsageError
from asof.recipes import by_document
from asof.text.question import QuestionReading, as_typed
from asof.text.question import read as read_question
from asof.time.bounds import When, first_instant, last_instant, stretch
from asof.time.span import nearest_moment

if TYPE_CHECKING:
    from asof.index.view import View
    from asof.outside import Outside
    from asof.rank.recipe import Recipe

T = TypeVar("T")

LONGEST_QUESTION = 5_000
"""Characters of a question. Whatever they are, it is read and answered in about a second."""


def refuse_long(text: str, what: str) -> None:
    """Raises UsageError for more characters than a question may have."""
    if len(text) > LONGEST_QUESTION:
        raise UsageError(
            f"{what} has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}: ask with fewer words"
        )


class Asked(Protocol):
    """What a standpoint needs of its corpus."""

    @property
    def config(self) -> config.Config: ...

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Do something with the view of a moment."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of its texts."""
        ...

    @property
    def outside(self) -> Outside:
        """The models that its configuration names."""
        ...

    def know(self) -> None:
        """See to it that all passages have been read for facts."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """A moment of a corpus, and what it knew; instants. `known_at` None: all that is known."""

    asked: Asked
    as_of: int
    known_at: int | None

    def view(self) -> View:
        """What stages read."""
        return self._use(lambda view: view)

    def _use(self, do: Callable[[View], T]) -> T:
        return self.asked.use(self.as_of, self.known_at, do)

    def read(self, question: str) -> QuestionReading:
        """How the default recipe reads a question that is asked here: its words, its times, its wishes.

        Raises UsageError for more than 5,000 characters.
        """
        return self._read(question, typed=False)

    def _read(self, question: str, *, typed: bool) -> QuestionReading:
        refuse_long(question, "the question")
        if typed:
            return as_typed(question, self.as_of)
        return read_question(
            question, nearest_moment(self.as_of),
            language=" ".join(self.asked.languages),
            fiscal_start=self.asked.config.fields.fiscal_start,
        )  # fmt: skip

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: Wanted = (), about: When | None = None,
    ) -> Filters:  # fmt: skip
        """Filters as instants: `since` the first of its date, `until` the last, `about` both."""
        fiscal = self.asked.config.fields.fiscal_start
        return Filters(
            since=None if since is None else first_instant(since, self.as_of, fiscal),
            until=None if until is None else last_instant(until, self.as_of, fiscal),
            about=None if about is None else stretch(about, self.as_of, fiscal),
            source=source, path=path, tags=given.texts(tags, "tags", ","), meta=given.wanted(meta),
        )  # fmt: skip

    def _asked(
        self, question: str, k: int | None, filters: Filters, unit: str | None, recipe: str | Recipe | None,
        rerank: bool | None,
    ) -> tuple[QuestionReading, Query, Recipe]:  # fmt: skip
        """The question as it is read, what is asked of the index, and the recipe for it."""
        configured = self.asked.config
        unit = configured.unit if unit is None else unit
        if unit not in config.UNITS:
            raise UsageError(f"unit is {unit!r}; accepted: {', '.join(config.UNITS)}")
        recipe = configured.recipe if recipe is None else recipe
        chosen = configured.recipe_named(recipe) if isinstance(recipe, str) else recipe
        reading = self._read(question, typed=chosen.typed)
        query = replace(reading.query, filters=filters, k=k or configured.k)
        if unit == "document":
            chosen = by_document(chosen)
        if configured.diversity is not None:
            from asof.rank.rerank.diversify import diversified

            chosen = diversified(chosen, configured.diversity)
        if configured.rerank if rerank is None else rerank:
            chosen = self.asked.outside.reranking(chosen)
        return reading, query, chosen
