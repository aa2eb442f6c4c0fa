"""Facts of a view: a fact is current exactly where its passage is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from asof.extensions.facts import store
from asof.extensions.facts.store import Fact, StoredFact
from asof.index.view import View
from asof.store.reader import VisiblePassage, visible_passages
from asof.text.passages import shown
from asof.wire import FLAT, HIDDEN

MAX_REMEMBERED = 20_000
"""The facts of at most so many passages are cached between queries."""


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact, and the passage that states it; `number` is its place among the facts of that passage."""

    fact: Annotated[Fact, FLAT]
    number: Annotated[int, HIDDEN]
    passage: Annotated[VisiblePassage, FLAT]

    @property
    def sentence(self) -> Annotated[str, 'that states it; "" for a title or metadata']:
        """The sentence that states it; "" for a fact of a document's head (its title, its metadata)."""
        return shown(self.passage.text[self.fact.start : self.fact.end])

    @property
    def order(self) -> tuple[int, str, int, bytes, int]:
        """A sort key that is the same in every corpus with this fact."""
        return (*self.passage.order, self.number)


def facts_of(view: View, rows: NDArray[np.int64]) -> list[StatedFact]:
    """The facts of these rows of a view, in canonical order.

    Passages that no extractor has read yet are read here, by rules: a query about a few passages does not
    wait for the others.
    """
    passages = view.column("passage", rows).tolist()
    stored = store.facts_in(view.store.db, passages)
    return _visible(
        view,
        [*stored, *_extract_by_rules(view, store.without_facts(view.store.db, passages))],
        ended=False,
    )


def _extract_by_rules(view: View, passages: Sequence[int]) -> list[StoredFact]:
    """The facts of passages by rules; they depend on the passages alone, so they are cached between
    queries."""
    if not passages:
        return []
    from asof.extensions.facts.rules import RuleExtractor

    read: dict[int, tuple[Fact, ...]] = view.derived.memo.setdefault("facts by rules", {})
    if len(read) > MAX_REMEMBERED:
        read.clear()
    # not looked up again: another thread may clear the cache
    known = {passage: facts for passage in passages if (facts := read.get(passage)) is not None}
    missing = [passage for passage in passages if passage not in known]
    for each in RuleExtractor().extract(store.excerpts(view.store.db, missing)):
        known[each.passage] = each.facts
    read.update(known)
    return [
        StoredFact(passage, number, fact)
        for passage in passages
        for number, fact in enumerate(known.get(passage, ()))
    ]


def facts_about(view: View, keys: Iterable[str], *, ended: bool = False) -> list[StatedFact]:
    """Facts whose subject or object has one of these keys (`asof.text.query.key`); with `ended` also removed
    ones."""
    return _visible(view, store.facts_about(view.store.db, list(keys)), ended=ended)


def facts_during(view: View, first: int, last: int) -> list[StatedFact]:
    """Facts whose time has an instant in [first, last]."""
    return _visible(view, store.facts_during(view.store.db, first, last), ended=False)


def facts_of_kind(view: View, kind: str) -> list[StatedFact]:
    """All facts of a kind (`asof.extensions.facts.store.KINDS`)."""
    return _visible(view, store.facts_of_kind(view.store.db, kind), ended=False)


def _visible(view: View, stored: Sequence[StoredFact], *, ended: bool) -> list[StatedFact]:
    passages = dict.fromkeys(each.passage for each in stored)
    visible = visible_passages(view.store.db, passages, view.as_of, view.known_at, ended=ended)
    known = [
        StatedFact(each.fact, each.number, visible[each.passage])
        for each in stored
        if each.passage in visible
    ]
    return sorted(known, key=lambda each: each.order)
