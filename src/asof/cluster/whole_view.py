"""A view that has the rows of all shards of a corpus, which one thread searches as a corpus in one piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from asof.cluster.calls import answer, of_each
from asof.cluster.conversation import Call, Conversation, used
from asof.cluster.gathered_succession import GatheredSuccession
from asof.cluster.program import SearchRequest
from asof.cluster.shards import answers
from asof.cluster.united import Union
from asof.corpus.session import Session
from asof.graph.links import MEMO as LINKS
from asof.graph.succession_cache import FOLDER as SUCCESSION
from asof.index.exchange import ALONE, Later
from asof.index.prefix import Prefix
from asof.index.view import DerivedCache, View

S = TypeVar("S")
T = TypeVar("T")

KEPT_LINKS = "links of shards"


@dataclass(slots=True)
class WholeExchange:
    """The exchange of such a view. `views`: those of the shards; None once the search has ended: a tree,
    which is made when it is looked at, asks the shards `anew`."""

    union: Union
    united: View
    views: Sequence[View] | None
    request: SearchRequest
    anew: Callable[[Call], list[Any]]
    alone = True
    complete = True

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        return ALONE.later(own, made)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        return ALONE.dfs(prefix, terms)

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return self.call(name, *arguments)

    def call(self, name: str, *arguments: object) -> list[Any]:
        """What every shard answers."""
        if self.views is None:
            return self.anew(Call(name, arguments))
        return of_each([answer(self.union, self.views, self.united, self.request, name, *arguments)])


def use_whole(
    sessions: Sequence[Session], union: Union, request: SearchRequest, derived: dict[str, Any],
    do: Callable[[View], T],
) -> T:  # fmt: skip
    """What `do` makes of the view of all shards, each in one read transaction. A damaged segment is rebuilt,
    and it is done again. `derived` is what outlives a question."""

    def whole(views: tuple[View, ...]) -> T:
        united = union.of(views)
        now = replace(request, recipe=None, known_at=united.known_at)

        def anew(call: Call) -> list[Any]:
            with closing(Conversation(sessions, union, now)) as conversation:
                conversation.send(call)
                return of_each(answers({0: conversation.receive()}).values())

        exchange = WholeExchange(union, united, views, request, anew)
        memo = {LINKS: _kept_links(united, views)}
        view = replace(
            united, prefix=replace(united.prefix, memo=memo), exchange=exchange,
            derived=DerivedCache(Path("nothing is kept in files"), derived), memo={}, _records={},
        )  # fmt: skip
        view.prefix.memo[SUCCESSION] = GatheredSuccession(view, exchange.call, lambda _: [])
        try:
            return do(view)
        finally:
            exchange.views = None

    return used(sessions, request, whole)


def _kept_links(united: View, views: Sequence[View]) -> dict[str, Any]:
    """The links of documents that are kept for the next question, until anything is written: an edit may
    change links and no passage."""
    last = "SELECT max(id) FROM transactions"
    heads: list[int] = [each.store.db.execute(last).fetchone()[0] for each in views]
    kept: tuple[list[int], dict[str, Any]] | None = united.prefix.memo.get(KEPT_LINKS)
    if kept is None or kept[0] != heads:
        kept = united.prefix.memo[KEPT_LINKS] = heads, {}
    return kept[1]
