"""A corpus as it stood: what is asked of it there, and how a question and its times are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from asof import engine
from asof.arguments import all_checked
from asof.data import Filters
from asof.data.given import Wanted
from asof.engine import Results
from asof.knowing import Knowing
from asof.place import LONGEST_QUESTION as LONGEST_QUESTION
from asof.time.bounds import When
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.graph.difference import Difference
    from asof.graph.links import Reach
    from asof.graph.timeline import Timeline
    from asof.rank.recipe import Recipe
    from asof.rank.whynot import WhyNot

T = TypeVar("T")


@all_checked
@dataclass(frozen=True, slots=True, repr=False)
class Standpoint(Knowing):
    """A corpus as it stood; instants. Made by `Corpus.at`."""

    def __repr__(self) -> str:
        known = "" if self.known_at is None else f", known at {iso(self.known_at)}"
        return f"Standpoint({self.asked!r}, as of {iso(self.as_of)}{known})"

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
        tags: str | Iterable[str] = (),
        meta: Wanted = (),
        filters: Filters | None = None,
        unit: str | None = None,
        recipe: str | Recipe | None = None,
        rerank: bool | None = None,
    ) -> Results:
        """The k best passages (or documents, by `unit`) with what was in force, from best to last.

        `recipe`: a name (see `asof.recipes.NAMES`; with what asof.toml changes about it) or a value. `since`
        and `until` compare with the last instant of the date of publication; `about` with the times that a
        passage speaks of, or with that instant where it speaks of none; `path` is a glob over document ids;
        all filters must hold; `filters`, instants, stand in place of all these. `rerank`: by the model of
        asof.toml. Raises UsageError, BeforeHorizon, ModelError.
        """
        hard = filters or self.filters(since, until, source, path, tags, meta, about)
        reading, query, chosen = self._asked(question, k, hard, unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        found = then._use(lambda view: engine.search(query, view, chosen))
        unmet = [] if found.hits else then.unmet(hard)
        return replace(found, notes=(*reading.notes, *unmet, *found.notes))

    def unmet(self, filters: Filters) -> list[str]:
        """Why nothing can be found here, whatever the words: a filter that no document passes, or a time
        before all of them. It says nothing of what is not visible."""
        from asof.store.unmet import unmet

        return self._use(lambda view: unmet(view.store, filters))

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

        `wanted`: an id, or a title or what else names a document alone (see `asof.store.called`); one that
        was published later is meant by its whole id only. Raises UsageError when there is none, or several.
        """
        from asof.rank.whynot import why_not

        reading, query, chosen = self._asked(question, k, filters or Filters(), unit, recipe, rerank)
        then = replace(self, as_of=reading.as_of)
        return then._use(lambda view: why_not(wanted, query, view, chosen))

    def called(self, wanted: str) -> str:
        """The id of the document that is called so, as it stood: by its id, title, alias, or a part of its
        path, without regard to case. Raises UsageError when it is called so by none, or by several."""
        from asof.store.called import document_called

        return self._use(lambda view: document_called(view.store, wanted))

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

    def timeline(
        self, question: str, most: int = 20, *, since: When | None = None, until: When | None = None,
        recipe: str | Recipe | None = None,
    ) -> Timeline:  # fmt: skip
        """How the answer to a question changed: the statements of its series, the last `most`, newest last.

        `since` and `until`: only those in force at some time between. Raises UsageError, BeforeHorizon.
        """
        from asof.graph.timeline import FIRST_HITS, timeline

        filters = self.filters(since, until)
        found = self.search(question, FIRST_HITS, unit="passage", recipe=recipe)
        hits = () if filters.reversed else found.hits
        return replace(self, as_of=found.view.as_of)._use(
            lambda view: timeline(view, question, hits, most, filters.since, filters.until)
        )

    def diff(
        self, question: str, other: Standpoint, k: int | None = None, *, recipe: str | Recipe | None = None
    ) -> Difference:
        """The answer here beside the answer at another standpoint of the corpus: what came, went, changed.

        Raises UsageError, BeforeHorizon.
        """
        from asof.graph.difference import DatedResults, difference

        found = (each.search(question, k, unit="passage", recipe=recipe) for each in (self, other))
        before, after = (DatedResults(each.view.as_of, each.view.known_at, each.hits) for each in found)
        known = [each.known_at for each in (self, other) if each.known_at is not None]
        last = replace(
            self, as_of=max(before.as_of, after.as_of), known_at=max(known) if len(known) == 2 else None
        )
        return last._use(lambda view: difference(view, question, before, after))
