"""What the root asks of the shards about the view in which a question is searched, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.cluster.documents import OF_DOCUMENTS
from asof.cluster.program import Opening, SearchRequest, opening
from asof.cluster.shard_exchange import counted
from asof.cluster.united import Union
from asof.data import Filters
from asof.graph.links import OF_LINKS
from asof.graph.succession_shards import SHARD_FUNCTIONS
from asof.graph.timeline import OF_HITS
from asof.index.memory_segment import RowArrays, taken
from asof.index.partial import Counts
from asof.index.view import View
from asof.knowledge.current_names import OF_NAMES
from asof.knowledge.visible_facts import OF_FACTS
from asof.rank.features.neighbours import crowds_in
from asof.rank.whynot import OF_HISTORIES
from asof.store.filter_notes import Visible, visible_to
from asof.store.passages import StoredPassage


def _dfs(view: View, _: SearchRequest, terms: list[int]) -> Counts:
    return counted(view.prefix, terms)


def _live(view: View, _: SearchRequest, first: int) -> int:
    return view.live(first)


def _timeless(view: View, _: SearchRequest, filters: Filters) -> int:
    return view.timeless(filters)


def _called(view: View, _: SearchRequest, name: str) -> list[int]:
    return view.own_called(name)


def _crowds(view: View, request: SearchRequest, visible: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    return crowds_in(view.window(request.query.filters), visible, gap)


def _records(view: View, _: SearchRequest, passages: list[int]) -> dict[int, StoredPassage]:
    return view.store.records(passages)


def _layouts(view: View, _: SearchRequest, documents: list[str]) -> dict[str, bytes]:
    """The layouts of those of the documents that are here."""
    return view.store.layouts(documents)


def _heads(view: View, _: SearchRequest, attributes: Mapping[str, Any], heads: list[int]) -> list[int]:
    """Those of the heads that have the attributes."""
    return sorted(set(heads) & set(view.store.matching_heads(attributes)))


def _rows(view: View, _: SearchRequest, passages: NDArray[np.int64]) -> list[RowArrays]:
    """Rows of the view, ended ones too, by their passages; those of other shards are left out."""
    rows = []
    for part in view.prefix.parts:
        here = part.segment.rows_of(passages)
        rows.append(here[here < part.hi] + part.offset)
    return taken(view.prefix, np.concatenate([*rows, np.zeros(0, np.int64)]))


def _visible(view: View, filters: Filters) -> Visible:
    return visible_to(view.store, filters)


def _anything(view: View, _: SearchRequest) -> bool:
    """Whether any passage is current."""
    return view.n > 0


def _head(view: View, _: SearchRequest) -> int:
    """The instant at which the view is known."""
    return view.known_at


def _opening(view: View, _: SearchRequest) -> Opening:
    return opening(view)


CALLS: Mapping[str, Callable[..., Any]] = {
    "dfs": _dfs,
    "live": _live,
    "timeless": _timeless,
    "called": _called,
    "crowds": _crowds,
    "records": _records,
    "layouts": _layouts,
    "heads": _heads,
    "rows": _rows,
    "anything": _anything,
    "head": _head,
    "opening": _opening,
}
"""The answers of shards that are searched as one, by name: each takes their view, the request and the
arguments of the call."""

OF_SHARD: Mapping[str, Callable[..., Any]] = {
    "visible": _visible, **OF_FACTS, **OF_NAMES, **OF_DOCUMENTS, **OF_HITS, **OF_LINKS, **OF_HISTORIES,
}  # fmt: skip
"""The answers of every single shard, by name: each takes its view and the arguments of the call."""


class OfEach(NamedTuple):
    """The answers of several shards that are searched as one."""

    answers: list[Any]


def answer(
    union: Union, views: Sequence[View], united: View, request: SearchRequest, name: str, *arguments: Any
) -> Any:  # fmt: skip
    """What is answered to a call by shards that are searched as one."""
    if name in SHARD_FUNCTIONS:
        union.index(views, united)
        return SHARD_FUNCTIONS[name](united, *arguments)
    if name in OF_SHARD:
        return OfEach([OF_SHARD[name](view, *arguments) for view in views])
    return CALLS[name](united, request, *arguments)


def of_each(answers: Iterable[Any]) -> list[Any]:
    """All answers to one call, those of single shards one by one."""
    every: list[Any] = []
    for each in answers:
        every += each.answers if isinstance(each, OfEach) else [each]
    return every
