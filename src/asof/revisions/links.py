"""The links of a view: which current documents link to which.

A link is resolved in the view, so that its target is the one of that time. A document that links to another
counts once, however often it does. Links to the document itself, links of ended versions and broken links do
not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.documents import AMENDS, ANNULS, CORRECTS, SUPERSEDES, UPDATES
from asof.errors import UsageError
from asof.index.view import View
from asof.revisions.chains import succession
from asof.revisions.force import acts_on, followers, unresolved
from asof.store.names import find_document
from asof.store.reader import LinkResolver, LinkTarget, has_links
from asof.time.span import Instant, format_instant
from asof.wire import one_of

DEPTHS = range(1, 6)
"""Accepted depths of a neighbourhood, in links."""


class Neighbour(NamedTuple):
    """A document within reach of links.

    `direction`: "out" for links to it, "in" for links from it, "both" when it is equally far both ways.
    """

    document: str
    title: str
    distance: Annotated[int, "how many links away"]
    direction: Annotated[str, one_of("out", "in", "both")]


class LinkGraph(Struct, frozen=True):
    """The links among current documents, by the documents' numbers; each pair once, no document to itself.

    `titles`: id and title of each current document. `broken`: the broken links of a document, as written.
    `linked` (ascending) and `counts` are parallel: the documents with backlinks, and how many each has.
    """

    titles: Mapping[int, tuple[str, str]]
    out: Mapping[int, tuple[int, ...]]
    into: Mapping[int, tuple[int, ...]]
    broken: Mapping[int, tuple[str, ...]]
    linked: NDArray[np.int64]
    counts: NDArray[np.int64]

    def backlinks(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of other documents that link to each of these (by number)."""
        if not len(self.linked):
            return np.zeros(len(documents), np.int64)
        at = np.minimum(np.searchsorted(self.linked, documents), len(self.linked) - 1)
        return np.where(self.linked[at] == documents, self.counts[at], 0)

    def number(self, document: str) -> int | None:
        """The number of a current document, by its id."""
        return next((number for number, (name, _) in self.titles.items() if name == document), None)


def backlinks(view: View, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of other documents that link to each of these (by number); cheap without links."""
    if not has_links(view.store.db):
        return np.zeros(len(documents), np.int64)
    return links(view).backlinks(documents)


def links(view: View) -> LinkGraph:
    """The links of a view, cached with it."""
    return view.cached("links", _links)


def resolver(view: View) -> LinkResolver:
    """Resolves links among the current documents of a view; cached with it."""
    return view.cached("resolver", _resolver)


def _resolver(view: View) -> LinkResolver:
    documents = view.store.current_documents()
    paths = {number: path for number, _, _, path in documents}
    named = [(alias, paths[number]) for alias, number in view.store.current_aliases()]
    ids = dict(sorted((path, id_) for _, id_, _, path in documents if path != id_))
    return LinkResolver(paths.values(), named, ids)


def _links(view: View) -> LinkGraph:
    documents = view.store.current_documents()
    titles = {number: (name, title) for number, name, title, _ in documents}
    paths = {number: path for number, _, _, path in documents}
    folders = {parent for path in paths.values() for parent in _folders(path)}
    resolve = resolver(view)
    numbers = {name: number for number, (name, _) in titles.items()}
    pairs: set[tuple[int, int]] = set()
    broken: dict[int, list[str]] = {}
    for origin, target in view.store.current_links():
        document = resolve(target, titles[origin][0])
        meant = LinkTarget.of(target, paths[origin])
        if document is None and (
            target.startswith("/") or not meant.path or not folders.isdisjoint(meant.exact)
        ):
            continue  # a folder, or what is outside: another page of the site, maybe, of which this is a part
        if document is None:
            broken.setdefault(origin, []).append(target)
        elif numbers[document] != origin:
            pairs.add((origin, numbers[document]))
    ordered = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    linked, counts = np.unique(ordered[:, 1], return_counts=True)
    return LinkGraph(
        titles, _grouped(ordered), _grouped(ordered[:, ::-1]),
        {origin: tuple(sorted(targets)) for origin, targets in broken.items()}, linked,
        counts.astype(np.int64),
    )  # fmt: skip


def _folders(path: str) -> Iterator[str]:
    """The folders of a document, from the outermost."""
    return accumulate(path.split("/")[:-1], lambda folder, name: f"{folder}/{name}")


def _grouped(pairs: NDArray[np.int64]) -> dict[int, tuple[int, ...]]:
    """For each first element of the pairs, all second elements."""
    grouped: dict[int, list[int]] = {}
    for first, second in pairs.tolist():
        grouped.setdefault(first, []).append(second)
    return {first: tuple(seconds) for first, seconds in grouped.items()}


def _distances(start: int, steps: Mapping[int, tuple[int, ...]], depth: int) -> dict[int, int]:
    """The documents within `depth` steps and their distance, by breadth-first search."""
    known, edge = {start: 0}, [start]
    for distance in range(1, depth + 1):
        reached = {neighbour for node in edge for neighbour in steps.get(node, ())}
        edge = [neighbour for neighbour in reached if neighbour not in known]
        known.update(dict.fromkeys(edge, distance))
    del known[start]
    return known


class RelatedDocument(NamedTuple):
    """What a document does to another one, or another one to it (`asof.text.acts`)."""

    kind: Annotated[str, one_of(SUPERSEDES, AMENDS, UPDATES, CORRECTS, ANNULS)]
    direction: Annotated[str, one_of("out", "in"), "out: it acts on the other one; in: that one acts on it"]
    document: Annotated[str, 'the other one; "": it is not in the corpus']
    title: str
    part: Annotated[str, 'what it is on ("Article 4"); "": all']
    since: Annotated[Instant, "since when it counts"]


class Reach(NamedTuple):
    """The links from and to a document, and what it does to others."""

    document: str
    neighbours: tuple[Neighbour, ...]
    broken: Annotated[tuple[str, ...], "broken links, as they are written"]
    relations: Annotated[tuple[RelatedDocument, ...], "in order of time"] = ()


def reach(view: View, document: str, depth: int) -> Reach:
    """The documents within `depth` links of a document, nearest first, then by id, and its broken links, in
    alphabetical order. One that is equally far both ways is listed once, otherwise once for each direction.

    `document`: its id, its title or another unique name of it (see `find_document`). Raises UsageError
    when no such document was current in the view, or the name is ambiguous; and for a depth that is not in
    `DEPTHS`.
    """
    if depth not in DEPTHS:
        raise UsageError(f"depth {depth}: {DEPTHS[0]} to {DEPTHS[-1]} is accepted")
    name, graph = find_document(view.store, document), links(view)
    start = graph.number(name)
    if start is None:
        raise UsageError(f"document {name!r} was not current as of {format_instant(view.as_of)}")
    out, into = _distances(start, graph.out, depth), _distances(start, graph.into, depth)
    ways: dict[tuple[int, int], str] = {(distance, number): "out" for number, distance in out.items()}
    for number, distance in into.items():
        ways[distance, number] = "both" if (distance, number) in ways else "in"
    reached = [Neighbour(*graph.titles[number], distance, way) for (distance, number), way in ways.items()]
    nearest = tuple(sorted(reached, key=lambda each: (each.distance, each.document)))
    return Reach(name, nearest, graph.broken.get(start, ()), _relations(view, start, graph))


def _relations(view: View, document: int, graph: LinkGraph) -> tuple[RelatedDocument, ...]:
    """The acts of a document on others, also on what is not in the corpus, and of others on it."""
    found, targets = list[RelatedDocument](), set[int]()
    for target, acts in acts_on(view, graph.titles).items():
        for act in acts:
            if act.by == document:
                targets.add(target)
                found.append(RelatedDocument(act.kind, "out", *graph.titles[target], act.part, act.since))
            elif target == document:
                found.append(RelatedDocument(act.kind, "in", act.name, act.title, act.part, act.since))
    found += [
        RelatedDocument(act.kind, "out", "", act.text, act.part, act.visible)
        for act in unresolved(view, document, targets)
    ]
    found += _succession(view, document, graph, {each.document for each in found})
    return tuple(sorted(found, key=lambda each: (each.since, each.document, each.kind, each.part)))


def _succession(view: View, document: int, graph: LinkGraph, told: set[str]) -> Iterator[RelatedDocument]:
    """The current documents that hold instead of a document, as a whole or in part (`followers`), and those
    instead of which it holds; without those that are `told`."""
    rows, chains = view.rows_of_document(document), succession(view)
    beside = np.unique(np.concatenate([chains.predecessors(rows), chains.successors(rows)]))
    seen = {document}
    for way, those in (("in", rows), ("out", beside[beside >= 0])):
        of = view.column("document", those).tolist()
        found = [
            (number, later) for number, later in zip(of, followers(view, those, view.as_of), strict=True)
            if later is not None and later.row >= 0 and later.instant <= view.as_of
        ]  # fmt: skip
        for number, later in sorted(found, key=lambda each: each[1].instant):
            by = int(view.column("document", np.array([later.row], np.int64))[0])
            other = by if way == "in" else number
            name = graph.titles.get(other)
            if other not in seen and name is not None and name[0] not in told and document in (by, number):
                seen.add(other)
                yield RelatedDocument(SUPERSEDES, way, *name, "", later.instant)
