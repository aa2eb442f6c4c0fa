"""Names in the current facts of a view, also where its documents lie in several shards.

A document lies whole in one shard, so what all shards say is joined in the order of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from asof.index.exchange import Exchange
from asof.index.view import View
from asof.store import fact_names
from asof.store.fact_names import AliasFact, NameMention, TitleAlias
from asof.store.links import visible_instants_after
from asof.store.passages import VisiblePassage, visible_passages
from asof.store.reader import AsOfReader


@dataclass(frozen=True, slots=True)
class CurrentNames:
    """Reads names as of (`as_of`, `known_at`): those of `store`, or of all shards by `exchange`."""

    store: AsOfReader
    exchange: Exchange
    as_of: int
    known_at: int

    @classmethod
    def of(cls, view: View) -> CurrentNames:
        """The names of a view."""
        return cls(view.store, view.exchange, view.as_of, view.known_at)

    def alias_facts(self) -> list[AliasFact]:
        """See `fact_names.alias_facts`."""
        return sorted(self._every("alias facts"), key=lambda each: each.document)

    def title_aliases(self) -> list[TitleAlias]:
        """See `fact_names.title_aliases`."""
        return sorted(self._every("title aliases"), key=lambda each: each.document)

    def has_aliases(self) -> bool:
        """Whether any version ever had an alias."""
        return any(self._ask("has aliases"))

    def mentions_by_key(self, keys: Iterable[str]) -> list[NameMention]:
        """See `fact_names.mentions_by_key`."""
        return sorted(self._every("mentions by key", list(keys)), key=lambda each: each.document)

    def mentions_by_document(self, documents: Iterable[str]) -> dict[str, list[NameMention]]:
        """See `fact_names.mentions_by_document`."""
        of_each = self._ask("mentions by document", sorted(documents))
        return {name: mentions for each in of_each for name, mentions in each.items()}

    def all_names(self) -> list[str]:
        """The distinct names in current facts, sorted."""
        return sorted(set(self._every("all names")))

    def versions_after(self, instant: int) -> list[int]:
        """The instants after this one at which a version becomes visible, in order."""
        return sorted(set(self._every("versions after", instant)))

    def passages(self, passages: Iterable[int]) -> dict[int, VisiblePassage]:
        """Those of these passages that are current, by id."""
        of_each = self._ask("passages", list(passages))
        return {passage: seen for each in of_each for passage, seen in each.items()}

    def _ask(self, name: str, *arguments: object) -> list[Any]:
        def own() -> Any:
            return READERS[name](self.store, self.as_of, self.known_at, *arguments)

        return self.exchange.ask(name, own, *arguments)

    def _every(self, name: str, *arguments: object) -> list[Any]:
        return list(chain.from_iterable(self._ask(name, *arguments)))


READERS: Mapping[str, Callable[..., Any]] = {
    "alias facts": lambda store, *moment: fact_names.alias_facts(store.db, *moment),
    "title aliases": lambda store, *moment: fact_names.title_aliases(store.db, *moment),
    "has aliases": lambda store, *_: fact_names.has_aliases(store.db),
    "mentions by key": lambda store, as_of, known_at, keys: fact_names.mentions_by_key(
        store.db, keys, as_of, known_at
    ),
    "mentions by document": lambda store, as_of, known_at, documents: fact_names.mentions_by_document(
        store.db, documents, as_of, known_at
    ),
    "all names": lambda store, *moment: fact_names.all_names(store.db, *moment),
    "versions after": lambda store, _as_of, _known_at, instant: visible_instants_after(store.db, instant),
    "passages": lambda store, as_of, known_at, passages: visible_passages(
        store.db, passages, as_of, known_at
    ),
}
"""What one store says, by name: each takes it, the moment, and what else is asked."""


def _of_shard(name: str) -> Callable[..., Any]:
    return lambda view, *arguments: READERS[name](view.store, view.as_of, view.known_at, *arguments)


OF_NAMES: Mapping[str, Callable[..., Any]] = {name: _of_shard(name) for name in READERS}
"""What a shard answers of its own names, by name (`asof.cluster.calls`)."""
