"""What the root asks of the shards about the view in which a question is searched, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.cluster.documents import OF_DOCUMENTS
from asof.cluster.program import Opening, SearchRequest
from asof.data import Filters
from asof.graph.succession_shards import SHARD_FUNCTIONS
from asof.index.memory_segment import RowArrays, taken
from asof.index.view import View
from asof.knowledge.current_names import OF_NAMES
from asof.knowledge.visible_facts import OF_FACTS
from asof.rank.features.neighbours import crowds_in
from asof.store.filter_notes import Visible, visible_to
from asof.store.named import called
from asof.store.passages import StoredPassage


def _dfs(view: View, _: SearchRequest, terms: list[int]) -> NDArray[np.int64]:
    """In how many current passages of the shard each term stands."""
    return np.array(view.prefix.dfs(terms), np.int64)


def _live(view: View, _: SearchRequest, first: int) -> int:
    return view.live(first)


def _timeless(view: View, _: SearchRequest, filters: Filters) -> int:
    return view.timeless(filters)


def _called(view: View, _: SearchRequest, name: str) -> list[int]:
    return called(view.store, name)


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


def _visible(view: View, _: SearchRequest, filters: Filters) -> Visible:
    return visible_to(view.store, filters)


def _anything(view: View, _: SearchRequest) -> bool:
    """Whether any passage is current."""
    return view.n > 0


def _head(view: View, _: SearchRequest) -> int:
    """The instant at which the view is known."""
    return view.known_at


def _of_view(answer: Callable[..., Any]) -> Callable[..., Any]:
    """An answer that does not depend on the question."""
    return lambda view, _request, *arguments: answer(view, *arguments)


def _opening(view: View, _: SearchRequest) -> Opening:
    return Opening(view.prefix.n, view.prefix.tokens, view.known_at)


OF_SHARD: Mapping[str, Callable[..., Any]] = {**SHARD_FUNCTIONS, **OF_FACTS, **OF_NAMES, **OF_DOCUMENTS}
"""The answers that do not depend on the question, by name: each takes the view and the arguments."""

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
    "visible": _visible,
    "anything": _anything,
    "head": _head,
    "opening": _opening,
    **{name: _of_view(answer) for name, answer in OF_SHARD.items()},
}
"""The answers of a shard, by name: each takes the shard's view, the request and the arguments of the call."""
