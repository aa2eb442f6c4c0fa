"""A corpus as it stood: what is asked of it there, and how a question and its times are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from asof import config, engine
from asof.answer.asking import PASSAGES_READ
from asof.data import MODES, Answer, Filters, Query
from asof.engine import Results
from asof.errors import UsageError
from asof.recipes import by_document
from asof.text.question import Reading, as_typed
from asof.text.question import read as read_question
from asof.time.bounds import When, first_instant, last_instant, stretch
from asof.time.moment import read_bounded
from asof.time.span import nearest_moment

if TYPE_CHECKING:
    from asof.answer.ask import Tell
    from asof.graph.difference import Difference
    from asof.graph.links import Reach
    from asof.graph.timeline import Timeline
    from asof.index.view import View
    from asof.knowledge.around import Around
    from asof.knowledge.report import Reports
    from asof.knowledge.timeline import FactLine
    from asof.outside import Outside
    from asof.rank.recipe import Recipe
    from asof.rank.whynot import WhyNot

T = TypeVar("T")

LONGEST_QUESTION = 20_000


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
class Standpoint:
    """A corpus as it stood; instants. Made by `Corpus.at`."""

    asked: Asked
    as_of: int
    known_at: int | None

    def search(
        self,
        question: str,
        k: int | None = None,
        *,
        since: When | None = None,
        until: When | None = None,
        about: When | None = None,
        source: str = "",
        path: str = "",
        tags: Iterable[str] = (),
        meta: Iterable[tuple[str, str]] = (),
        unit: str | None = None,
        recipe: str | Recipe | None = None,
        rerank: bool | None = None,
    ) -> Results:
        """The k best passages (or documents, by `unit`) with what was in force, from best to last.

        `recipe`: a name (see `asof.recipes.NAMES`; with what asof.toml changes about it) or a value. `since`
        and `until` compare with the last instant of the date of publication; `about` with the times that a
        passage speaks of, or with that instant where it speaks of none; `path` is a glob over document ids;
        all filters must hold. `rerank`: by the model of asof.toml. Raises UsageError, BeforeHorizon,
        ModelError.
        """
        filters = self.filters(since, until, source, path, tags, meta, about)
        reading, query, chosen = self._asked(question, k, filters, unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        if chosen.reads_facts:
            self.asked.know()
        found = then._use(lambda view: engine.search(query, view, chosen))
        return replace(found, notes=(*reading.notes, *found.notes))

    def ask(
        self, question: str, *, mode: str | None = None, filters: Filters | None = None,
        recipe: str | Recipe | None = None, tokens: int | None = None, tell: Tell | None = None,
    ) -> Answer:  # fmt: skip
        """Answer a question from what was in force, with citations; or refuse, and say why.

        `mode`: "local" from single passages, "global" from reports over the periods that are asked about,
        "auto" whichever fits. `tokens`: how much of what is found is read. By quotes, unless a language model
        is configured; `tell` gets the pieces of what it writes. Raises UsageError, BeforeHorizon, ModelError.
        """
        from asof.answer.ask import Found, Manner, answer

        asking = self.asked.config.asking
        mode = asking.mode if mode is None else mode
        if mode not in MODES:
            raise UsageError(f"mode is {mode!r}; accepted: {', '.join(MODES)}")
        if tokens is not None and tokens < 1:
            raise UsageError(f"tokens is {tokens}; accepted: whole numbers from 1")
        _, query, chosen = self._asked(
            question, PASSAGES_READ, filters or Filters(), "passage", recipe or asking.recipe, None
        )
        reading = self._read(question, typed=False)
        self.asked.know()
        with self.asked.outside.language(asking.budget) as model:
            manner = Manner(mode, asking.tokens if tokens is None else tokens, model, tell)

            def look(view: View) -> Answer:
                found = engine.search(query, view, chosen)
                return answer(Found(view, reading, found.hits, found.rows, found.notes), manner)

            return replace(self, as_of=reading.as_of)._use(look)

    def facts(
        self, subject: str, most: int = 40, *, relation: str = "", since: When | None = None,
        until: When | None = None,
    ) -> FactLine:  # fmt: skip
        """What is known of a subject under all of its names: facts with their times, and what replaced what.

        `relation`: only those whose relation has these words. Raises UsageError, BeforeHorizon.
        """
        from asof.knowledge.timeline import timeline_of

        if most < 1:
            raise UsageError(f"most is {most}; accepted: whole numbers from 1")
        filters = self.filters(since, until)
        self.asked.know()
        return self._use(
            lambda view: timeline_of(
                view, subject, relation=relation, since=filters.since, until=filters.until, most=most
            )
        )

    def graph(self, around: str, depth: int = 1, most: int = 20) -> Around:
        """The entities and measures up to `depth` facts away from an entity. Raises UsageError."""
        from asof.knowledge.around import around as look_around

        self.asked.know()
        return self._use(lambda view: look_around(view, around, depth, most))

    def report(self, period: str, about: str = "") -> Reports:
        """What happened in a period: its central facts, against the period before; `about` a name only.

        Written by the language model where one is configured. Raises BadTime, BeforeHorizon, ModelError.
        """
        from asof.knowledge.reports import reports
        from asof.knowledge.resolve import Entities
        from asof.knowledge.summarise import Choice

        fiscal = self.asked.config.fields.fiscal_start
        span = read_bounded(period, nearest_moment(self.as_of), fiscal_start=fiscal)
        self.asked.know()
        with self.asked.outside.language(self.asked.config.asking.budget) as model:
            return self._use(
                lambda view: reports(view, span, Choice(Entities.of(view).canonical, about), model)
            )

    def why_not(
        self,
        wanted: str,
        question: str,
        k: int | None = None,
        *,
        filters: Filters | None = None,
        unit: str | None = None,
        recipe: str | Recipe | None = None,
        rerank: bool | None = None,
    ) -> WhyNot:
        """Why a document (or a passage, by a hit's id) is not among the hits of a question, or where it is.

        Raises UsageError when the corpus has no such document.
        """
        from asof.rank.whynot import why_not
        from asof.store.reader import similar_names

        reading, query, chosen = self._asked(question, k, filters or Filters(), unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        found = then._use(lambda view: why_not(wanted, query, view, chosen))
        if found is None:
            near = self._use(lambda view: similar_names(view.store.db, wanted))
            meant = f"did you mean {' or '.join(near)}?" if near else "ids are shown by `asof search`"
            raise UsageError(f"no document or passage {wanted!r} in this corpus; {meant}")
        return found

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: Iterable[str] = (), meta: Iterable[tuple[str, str]] = (), about: When | None = None,
    ) -> Filters:  # fmt: skip
        """Filters as instants: `since` the first of its date, `until` the last, `about` both."""
        fiscal = self.asked.config.fields.fiscal_start
        return Filters(
            since=None if since is None else first_instant(since, self.as_of, fiscal),
            until=None if until is None else last_instant(until, self.as_of, fiscal),
            about=None if about is None else stretch(about, self.as_of, fiscal),
            source=source, path=path, tags=tuple(tags), meta=tuple(meta),
        )  # fmt: skip

    def _asked(
        self, question: str, k: int | None, filters: Filters, unit: str | None, recipe: str | Recipe | None,
        rerank: bool | None,
    ) -> tuple[Reading, Query, Recipe]:  # fmt: skip
        """The question as it is read, what is asked of the index, and the recipe for it."""
        configured = self.asked.config
        unit = configured.unit if unit is None else unit
        if unit not in config.UNITS:
            raise UsageError(f"unit is {unit!r}; accepted: {', '.join(config.UNITS)}")
        if k is not None and k < 1:
            raise UsageError(f"k is {k}; accepted: whole numbers from 1")
        recipe = configured.recipe if recipe is None else recipe
        chosen = configured.recipe_named(recipe) if isinstance(recipe, str) else recipe
        reading = self._read(question, typed=chosen.typed)
        query = replace(reading.query, filters=filters, k=k or configured.k)
        if unit == "document":
            chosen = by_document(chosen)
        if configured.diversity is not None:
            from asof.rank.diversify import diversified

            chosen = diversified(chosen, configured.diversity)
        if configured.rerank if rerank is None else rerank:
            chosen = self.asked.outside.reranking(chosen)
        return reading, query, chosen

    def text(self, document: str) -> str | None:
        """The text of a document as it stood, byte for byte; None if it said nothing then."""
        return self._use(lambda view: view.store.text(document))

    def resolve(self, target: str, origin: str = "") -> str | None:
        """The document that `[[target]]` in the document `origin` leads to, as it stood."""
        return self._use(lambda view: view.store.resolve(target, origin))

    def links(self, document: str, depth: int = 1) -> Reach:
        """What a document links to and what links to it, as it stood; up to `depth` links away (1 to 5).

        Raises UsageError when no such document was in force.
        """
        from asof.graph.links import reach

        return self._use(lambda view: reach(view, document, depth))

    def view(self) -> View:
        """What stages read."""
        return self._use(lambda view: view)

    def _use(self, do: Callable[[View], T]) -> T:
        return self.asked.use(self.as_of, self.known_at, do)

    def read(self, question: str) -> Reading:
        """How the default recipe reads a question that is asked here: its words, its times, its wishes.

        Raises UsageError for more than 20,000 characters.
        """
        return self._read(question, typed=False)

    def _read(self, question: str, *, typed: bool) -> Reading:
        if len(question) > LONGEST_QUESTION:
            raise UsageError(
                f"the question has {len(question):,} characters; accepted: up to {LONGEST_QUESTION:,}"
            )
        if typed:
            return as_typed(question, self.as_of)
        return read_question(
            question, nearest_moment(self.as_of),
            language=" ".join(self.asked.languages),
            fiscal_start=self.asked.config.fields.fiscal_start,
        )  # fmt: skip

    def timeline(
        self, question: str, most: int = 20, *, since: When | None = None, until: When | None = None,
        recipe: str | Recipe | None = None,
    ) -> Timeline:  # fmt: skip
        """How the answer to a question changed: the statements of its series, the last `most`, newest last.

        `since` and `until`: only those in force at some time between. Raises UsageError, BeforeHorizon.
        """
        from asof.graph.timeline import FIRST_HITS, timeline

        if most < 1:
            raise UsageError(f"most is {most}; accepted: whole numbers from 1")
        filters = self.filters(since, until)
        found = self.search(question, FIRST_HITS, unit="passage", recipe=recipe)
        return replace(self, as_of=found.view.as_of)._use(
            lambda view: timeline(view, question, found.hits, most, filters.since, filters.until)
        )

    def diff(
        self, question: str, other: Standpoint, k: int | None = None, *, recipe: str | Recipe | None = None
    ) -> Difference:
        """The answer here beside the answer at another standpoint of the corpus: what came, went, changed.

        Raises UsageError, BeforeHorizon.
        """
        from asof.graph.difference import Answer, difference

        found = (each.search(question, k, unit="passage", recipe=recipe) for each in (self, other))
        before, after = (Answer(each.view.as_of, each.view.known_at, each.hits) for each in found)
        known = [each.known_at for each in (self, other) if each.known_at is not None]
        last = replace(
            self, as_of=max(before.as_of, after.as_of), known_at=max(known) if len(known) == 2 else None
        )
        return last._use(lambda view: difference(view, question, before, after))
