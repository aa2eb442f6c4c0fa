"""A corpus in shards as it stood at a moment: searched, asked, its facts listed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from asof.arguments import all_checked
from asof.cluster.documents import months, only
from asof.cluster.refused import not_across_shards
from asof.cluster.search import ShardSearch
from asof.config import Config
from asof.corpus.asking import Asker, AskRequest
from asof.corpus.models import ModelProvider
from asof.corpus.query_reader import QueryReader, refuse_long
from asof.corpus.snapshot import Snapshot
from asof.data import Answer, Filters, Query
from asof.data.coerce import MetadataFilter
from asof.engine import Results
from asof.errors import DocumentNotFound
from asof.store.filter_notes import notes_of
from asof.store.find_document import find_among
from asof.time.coerce import When
from asof.time.moment import read_bounded
from asof.time.span import iso, nearest_moment

if TYPE_CHECKING:
    from asof.answer.ask import TextCallback
    from asof.corpus.context import Context
    from asof.graph.diff import Difference
    from asof.graph.links import Reach
    from asof.graph.timeline import Timeline
    from asof.index.view import View
    from asof.knowledge.neighbourhood import Neighbourhood
    from asof.knowledge.reports.report import PeriodReports
    from asof.knowledge.timeline import FactLine
    from asof.rank.recipe import Recipe
    from asof.rank.whynot import WhyNot
    from asof.store.documents import DocumentAsOf, DocumentSummary
    from asof.store.passages import Life, VisiblePassage
    from asof.text.question import QuestionReading

T = TypeVar("T")

STALE = (
    "what is stale is told of",
    "each statement is compared with those of all documents; ask without it (stale = false)",
)


def cannot_read_facts() -> None:
    """Raises NotAcrossShards: these shards are only searched."""
    raise not_across_shards(
        "through actors facts are read of", "ask without Ray, which reads those of all shards on this machine"
    )


@dataclass(frozen=True, slots=True)
class AskedShards:
    """What is known of the shards when a question is read."""

    config: Config
    languages: tuple[str, ...]
    fiscal_start: int
    search: ShardSearch
    read_facts: Callable[[], None] = cannot_read_facts

    def ensure_facts(self) -> None:
        """Read for facts what was not read yet, at every shard. Raises CorpusError, NotAcrossShards."""
        self.read_facts()

    def dismissed(self, known_at: int | None) -> frozenset[str]:
        """Raises NotAcrossShards: what is stale is found in a corpus in one piece."""
        raise not_across_shards(*STALE)

    def searched(
        self, query: Query, recipe: Recipe, as_of: int, known_at: int | None,
        do: Callable[[View, Results], T],
    ) -> T:  # fmt: skip
        """See `ShardSearch.searched`."""
        return self.search.searched(query, recipe, as_of, known_at, do)

    def lives(self, hits: Sequence[str], as_of: int, known_at: int | None) -> dict[str, list[Life]]:
        """See `asof.store.passages.lives`."""
        of_each = self.search.ask("lives", as_of, known_at, list(hits))
        return {hit: begun for each in of_each for hit, begun in each.items()}

    def holds_anything(self, as_of: int, known_at: int | None) -> bool:
        """Whether any passage is current at that moment. Raises BeforeHorizon."""
        return any(self.search.ask("anything", as_of, known_at))


@all_checked
@dataclass(frozen=True, slots=True, repr=False)
class ShardedSnapshot:
    """A corpus in shards as it stood at `as_of`, as it was known at `known_at` (None: all that is known);
    instants. `stated`: whether that moment was given, or is the present because none was.

    Made by `ShardedCorpus.at`.
    """

    asked: AskedShards
    models: ModelProvider
    as_of: int
    known_at: int | None
    stated: bool = True

    def __repr__(self) -> str:
        known = "" if self.known_at is None else f", known at {iso(self.known_at)}"
        return f"ShardedSnapshot(as of {iso(self.as_of)}{known})"

    def search(
        self, question: str, k: int | None = None, *, since: When | None = None, until: When | None = None,
        about: When | None = None, source: str = "", path: str = "", tags: str | Iterable[str] = (),
        meta: MetadataFilter = (), filters: Filters | None = None, unit: str | None = None,
        recipe: str | Recipe | None = None, rerank: bool | None = None, stale: bool | None = None,
    ) -> Results:  # fmt: skip
        """The k best passages, or documents, as `Snapshot.search` of a corpus in one piece finds them.

        Raises NotAcrossShards for a recipe that is not exact across shards and for what is stale; UsageError,
        BeforeHorizon, ModelError.
        """
        if self.asked.config.stale if stale is None else stale:
            raise not_across_shards(*STALE)
        hard = filters or self.filters(since, until, source, path, tags, meta, about)
        reading, query, chosen = self.reader.query_for(question, k, hard, unit, recipe, rerank)
        results = self.asked.search.search(query, chosen, reading.as_of, self.known_at)
        unmet = [] if results.hits else replace(self, as_of=reading.as_of).unmet(hard)
        return replace(results, notes=(*reading.notes, *unmet, *results.notes))

    def context(self, question: str, tokens: int = 4_000, k: int | None = None, **options: Any) -> Context:
        """See `Snapshot.context`; `options` are those of `search`. Raises NotAcrossShards, UsageError,
        BeforeHorizon, ModelError."""
        from asof.corpus.context import MOST, context_of

        return context_of(self.search(question, k or MOST, **options), tokens)

    def why_not(
        self, wanted: str, question: str, k: int | None = None, *, filters: Filters | None = None,
        unit: str | None = None, recipe: str | Recipe | None = None, rerank: bool | None = None,
    ) -> WhyNot:  # fmt: skip
        """See `Snapshot.why_not`. Raises NotAcrossShards, also over actors of Ray; UsageError."""
        from asof.rank.whynot import why_not

        reading, query, chosen = self.reader.query_for(
            question, k, filters or Filters(), unit, recipe, rerank
        )
        return self.asked.search.whole(
            query, chosen, reading.as_of, self.known_at, lambda view: why_not(wanted, query, view, chosen)
        )

    def timeline(
        self, question: str, most: int = 20, *, since: When | None = None, until: When | None = None,
        recipe: str | Recipe | None = None,
    ) -> Timeline:  # fmt: skip
        """See `Snapshot.timeline`. Raises NotAcrossShards, UsageError, BeforeHorizon."""
        from asof.graph.timeline import FIRST_HITS, timeline

        filters = self.filters(since, until)
        results = self.search(question, FIRST_HITS, unit="passage", recipe=recipe, stale=False)
        hits = () if filters.reversed else results.hits
        return replace(self, as_of=results.view.as_of).use(
            lambda view: timeline(view, question, hits, most, filters.since, filters.until)
        )

    def diff(
        self, question: str, other: ShardedSnapshot, k: int | None = None, *,
        recipe: str | Recipe | None = None,
    ) -> Difference:  # fmt: skip
        """See `Snapshot.diff`. Raises NotAcrossShards, UsageError, BeforeHorizon."""
        from asof.graph.diff import DatedResults, compare_results, last_moment

        both = (
            each.search(question, k, unit="passage", recipe=recipe, stale=False) for each in (self, other)
        )
        before, after = (DatedResults(each.view.as_of, each.view.known_at, each.hits) for each in both)
        as_of, known_at = last_moment(before, after, self.known_at, other.known_at)
        last = replace(self, as_of=as_of, known_at=known_at)
        return last.use(lambda view: compare_results(view, question, before, after))

    def links(self, document: str, depth: int = 1) -> Reach:
        """See `Snapshot.links`. Raises UsageError, BeforeHorizon."""
        from asof.graph.links import reach

        return self.use(lambda view: reach(view, document, depth))

    # -- documents ----------------------------------------------------------------------------------

    def called(self, wanted: str) -> str:
        """See `Snapshot.called`."""
        return find_among(self._ask("names", wanted), wanted, self.as_of)

    def text(self, document: str) -> str | None:
        """See `Snapshot.text`."""
        found: str | None = only(self._ask("text", document))
        return found

    def document(self, name: str) -> DocumentAsOf:
        """See `Snapshot.document`."""
        id_ = self.called(name)
        found: DocumentAsOf | None = only(self._ask("document", id_))
        if found is None:
            raise DocumentNotFound(f"{id_!r} was removed before {iso(self.as_of)[:10]}; ask as of earlier")
        return found

    def passage(self, hit: str) -> VisiblePassage | None:
        """See `Snapshot.passage`."""
        found: VisiblePassage | None = only(self._ask("passage", hit))
        return found

    def documents(self, after: str = "", most: int = 100, part: str = "") -> list[DocumentSummary]:
        """See `Snapshot.documents`."""
        of_each = self._ask("documents", after, most, part)
        return sorted(chain.from_iterable(of_each), key=lambda each: each.id)[:most]

    def calendar(self) -> list[tuple[str, int]]:
        """See `Snapshot.calendar`."""
        return months(self._ask("calendar"))

    def _ask(self, name: str, *arguments: object) -> list[Any]:
        return self.asked.search.ask(name, self.as_of, self.known_at, *arguments)

    # -- knowledge ----------------------------------------------------------------------------------

    def ask(
        self, question: str, *, mode: str | None = None, filters: Filters | None = None,
        recipe: str | Recipe | None = None, tokens: int | None = None, on_text: TextCallback | None = None,
        stale: bool | None = None, budget: float | None = None,
    ) -> Answer:  # fmt: skip
        """The answer that `Snapshot.ask` of a corpus in one piece gives; replies of a language model are not
        kept. Raises NotAcrossShards, UsageError, BeforeHorizon, ModelError."""
        return self.answer(
            AskRequest(question, mode, filters or Filters(), recipe, tokens, on_text, stale, budget)
        )

    def answer(self, request: AskRequest) -> Answer:
        """The answer to a question that is asked as a value; see `ask`."""
        return self._asker.ask(request)

    @property
    def _asker(self) -> Asker:
        # a reply is made from passages of several shards, and none of these erases it when another's text
        # is erased
        return Asker(self.asked, self.models.forgetting(), self.reader)

    def facts(
        self, subject: str, most: int = 40, *, relation: str = "", since: When | None = None,
        until: When | None = None,
    ) -> FactLine:  # fmt: skip
        """See `Snapshot.facts`. Raises NotAcrossShards, UsageError, BeforeHorizon."""
        from asof.knowledge.timeline import timeline_of

        refuse_long(subject, "the subject")
        filters = self.filters(since, until)
        self.asked.ensure_facts()
        return self.use(
            lambda view: timeline_of(
                view, subject, relation=relation, since=filters.since, until=filters.until, most=most
            )
        )

    def graph(self, around: str, depth: int = 1, most: int = 20) -> Neighbourhood:
        """See `Snapshot.graph`. Raises NotAcrossShards, UsageError, BeforeHorizon."""
        from asof.knowledge.neighbourhood import neighbourhood

        refuse_long(around, "the name")
        self.asked.ensure_facts()
        return self.use(lambda view: neighbourhood(view, around, depth, most))

    def report(self, period: str, about: str = "") -> PeriodReports:
        """See `Snapshot.report`. Raises NotAcrossShards, BadTime, BeforeHorizon, ModelError."""
        from asof.knowledge.reports.build import ReportSelection
        from asof.knowledge.reports.span_reports import reports
        from asof.knowledge.resolve import Entities

        refuse_long(about, "the name")
        span = read_bounded(period, nearest_moment(self.as_of), fiscal_start=self.asked.fiscal_start)
        self.asked.ensure_facts()
        with self.models.forgetting().language(self.asked.config.asking.budget) as model:
            return self.use(
                lambda view: reports(view, span, ReportSelection(Entities.of(view).canonical, about), model)
            )

    def use(self, do: Callable[[View], T]) -> T:
        """Do something with a view without rows of its own, whose shards are asked for what they hold."""
        return self.asked.search.use(self.as_of, self.known_at, do)

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_") and hasattr(Snapshot, name):
            if name in ("stale", "judged_stale", "dismissed"):
                raise not_across_shards(*STALE)
            raise not_across_shards(f"{name} works in", "see docs/guides/cluster.md for what is exact")
        raise AttributeError(f"ShardedSnapshot has no {name!r}")

    def unmet(self, filters: Filters) -> list[str]:
        """See `Snapshot.unmet`."""
        visible = self.asked.search.ask("visible", self.as_of, self.known_at, filters)
        return notes_of(self.as_of, self._known(), filters, visible)

    def _known(self) -> int:
        heads: list[int] = self.asked.search.ask("head", self.as_of, self.known_at)
        return max(heads)

    def read(self, question: str) -> QuestionReading:
        """See `Snapshot.read`."""
        return self.reader.read(question)

    @property
    def reader(self) -> QueryReader:
        """What reads questions that are asked here."""
        return QueryReader(self.asked, self.models, self.as_of, self.known_at, self.stated)

    def filters(
        self, since: When | None = None, until: When | None = None, source: str = "", path: str = "",
        tags: str | Iterable[str] = (), meta: MetadataFilter = (), about: When | None = None,
    ) -> Filters:  # fmt: skip
        """See `Snapshot.filters`."""
        return self.reader.filters(since, until, source, path, tags, meta, about)


def snapshot_of(
    search: ShardSearch,
    models: ModelProvider,
    as_of: int,
    known_at: int | None,
    *,
    stated: bool,
    read_facts: Callable[[], None] = cannot_read_facts,
) -> ShardedSnapshot:
    """The snapshot of shards at these instants; `models` are those of a shard."""
    session = models.session
    asked = AskedShards(session.config, session.languages, session.fiscal_start, search, read_facts)
    return ShardedSnapshot(asked, models, as_of, known_at, stated)
