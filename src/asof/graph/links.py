"""The links of a view: who links to whom among the documents in force.

A link is resolved in the view, so that it leads where it led then. Counted is each document that links to
another once, however often it does. Links to the document itself, links of versions that ended and links
that lead nowhere do not count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.index.view import View
from asof.store.find_document import find_document
from asof.store.links import (
    LinkResolver,
    current_aliases,
    current_documents,
    current_links,
    has_links,
    visible_instants_after,
)
from asof.time.span import format_instant

DEPTHS = range(1, 6)
"""How far neighbours are looked for."""


class Neighbour(NamedTuple):
    """A document within reach: its id and title, the number of links between, and which way they lead.

    `direction`: "out" when they lead there, "in" when they come from there, "both" when both take as many.
    """

    document: str
    title: str
    distance: int
    direction: str


@dataclass(frozen=True, slots=True)
class Links:
    """The links among documents in force, by the documents' numbers; each pair once, no document to itself.

    `titles`: id and title of each document in force. `broken`: what a document links to that leads nowhere,
    as written. `linked` (ascending) and `counts` run in parallel: the documents that any links to, and how
    many do.
    """

    titles: Mapping[int, tuple[str, str]]
    out: Mapping[int, tuple[int, ...]]
    into: Mapping[int, tuple[int, ...]]
    broken: Mapping[int, tuple[str, ...]]
    linked: NDArray[np.int64]
    counts: NDArray[np.int64]

    def backlinks(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many other documents link to each of these (by number)."""
        if not len(self.linked):
            return np.zeros(len(documents), np.int64)
        at = np.minimum(np.searchsorted(self.linked, documents), len(self.linked) - 1)
        return np.where(self.linked[at] == documents, self.counts[at], 0)

    def number(self, document: str) -> int | None:
        """The number of a document in force, by its id."""
        return next((number for number, (name, _) in self.titles.items() if name == document), None)


def backlinks(view: View, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many other documents link to each of these (by number); a corpus without links is not looked at."""
    if not has_links(view.store.db):
        return np.zeros(len(documents), np.int64)
    return links(view).backlinks(documents)


def links(view: View) -> Links:
    """The links of a view, kept with it.

    All times after the last change of a passage share what is kept. A version need not change any passage
    (a note without text, a link that came with an edit of nothing else), so those are told apart here.
    """
    memo = view.prefix.memo
    later = memo.get("links later")
    if later is None:
        later = memo["links later"] = visible_instants_after(view.store.db, view.prefix.as_of)
    key = f"links {bisect_right(later, view.as_of)}"
    made: Links | None = memo.get(key)
    if made is None:
        made = memo[key] = _links(view)
    return made


def _links(view: View) -> Links:
    moment = (view.store.db, view.store.as_of, view.store.known_at)
    titles = {number: (name, title) for number, name, title in current_documents(*moment)}
    numbers = {name: number for number, (name, _) in titles.items()}
    resolve = LinkResolver(
        numbers, [(alias, titles[number][0]) for alias, number in current_aliases(*moment)]
    )
    pairs: set[tuple[int, int]] = set()
    broken: dict[int, list[str]] = {}
    for origin, target in current_links(*moment):
        found = resolve(target, titles[origin][0])
        if found is None:
            broken.setdefault(origin, []).append(target)
        elif numbers[found] != origin:
            pairs.add((origin, numbers[found]))
    ordered = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    linked, counts = np.unique(ordered[:, 1], return_counts=True)
    return Links(
        titles, _grouped(ordered), _grouped(ordered[:, ::-1]),
        {origin: tuple(sorted(targets)) for origin, targets in broken.items()}, linked,
        counts.astype(np.int64),
    )  # fmt: skip


def _grouped(pairs: NDArray[np.int64]) -> dict[int, tuple[int, ...]]:
    """From the first of each pair to all that stand second."""
    grouped: dict[int, list[int]] = {}
    for first, second in pairs.tolist():
        grouped.setdefault(first, []).append(second)
    return {first: tuple(seconds) for first, seconds in grouped.items()}


def neighbours(view: View, document: str, depth: int = 1) -> tuple[Neighbour, ...]:
    """What a document leads to in up to `depth` links, and what leads to it; nearest first, then by id.

    A document that leads there and back by as many links is there once, otherwise twice. Empty for a document
    that is not in force. Raises UsageError for a depth that is not in `DEPTHS`.
    """
    if depth not in DEPTHS:
        raise UsageError(f"depth {depth}: {DEPTHS[0]} to {DEPTHS[-1]} is accepted")
    graph = links(view)
    start = graph.number(document)
    if start is None:
        return ()
    out, into = _distances(start, graph.out, depth), _distances(start, graph.into, depth)
    ways: dict[tuple[int, int], str] = {(distance, number): "out" for number, distance in out.items()}
    for number, distance in into.items():
        ways[distance, number] = "both" if (distance, number) in ways else "in"
    found = [Neighbour(*graph.titles[number], distance, way) for (distance, number), way in ways.items()]
    return tuple(sorted(found, key=lambda each: (each.distance, each.document)))


def broken(view: View, document: str) -> tuple[str, ...]:
    """What a document links to that leads nowhere in the view, as written, in order of the alphabet."""
    graph = links(view)
    number = graph.number(document)
    return () if number is None else graph.broken.get(number, ())


def _distances(start: int, steps: Mapping[int, tuple[int, ...]], depth: int) -> dict[int, int]:
    """The documents within `depth` steps and their distance, by breadth-first search."""
    known, edge = {start: 0}, [start]
    for distance in range(1, depth + 1):
        reached = {there for here in edge for there in steps.get(here, ())}
        edge = [there for there in reached if there not in known]
        known.update(dict.fromkeys(edge, distance))
    del known[start]
    return known


class Reach(NamedTuple):
    """The id of a document, those within reach of it, and what it links to that leads nowhere, as written."""

    document: str
    neighbours: tuple[Neighbour, ...]
    broken: tuple[str, ...]


def reach(view: View, document: str, depth: int) -> Reach:
    """What a document links to and what links to it, up to `depth` links away.

    `document`: its id, its title or what else names it alone (see `store.find_document`). Raises UsageError
    when no such document was in force in the view, or several are meant.
    """
    name = find_document(view.store, document)
    if view.store.current_version(name) is None:
        raise UsageError(f"document {name!r} was not current as of {format_instant(view.as_of)}")
    return Reach(name, neighbours(view, name, depth), broken(view, name))
