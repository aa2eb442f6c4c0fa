"""The neighbourhood of an entity: the graph of entities and measures that facts connect it to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import CHANGE, NAME, VALUE, SourcedTime
from asof.errors import UsageError
from asof.index.view import View
from asof.knowledge.consistency.validity import began
from asof.knowledge.resolve import Entities
from asof.knowledge.timeline import facts_of_entity
from asof.knowledge.visible_facts import StatedFact, facts_about
from asof.text.names import key

DEPTHS = range(1, 4)
"""Accepted depths of a neighbourhood, in facts."""
MAX_NODES = 20

ENTITY, MEASURE = "entity", "measure"


class Node(NamedTuple):
    """An entity by its canonical name, or a measure ("gross margin") that entities have values of; `steps`:
    its distance from the entity of the query (0: itself); `facts`: in how many facts of the graph it is."""

    name: str
    kind: str
    steps: int
    facts: int


class SourceDocument(NamedTuple):
    """A document that states facts of the graph, and how many."""

    document: str
    title: str
    facts: int


class Edge(NamedTuple):
    """A fact between two nodes, by their names: `object` as it was written, its time, and its passage."""

    source: str
    target: str
    relation: str
    object: str
    kind: str
    when: SourcedTime | None
    document: str
    id: str


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The graph around the entity `query`, as of a moment and known at another (instants); empty if no fact
    has the name.

    `nodes`: itself, then the nearest and best connected; `left_out` counts neighbours that did not fit.
    `edges` are in order of their time. `near`: similar names, where no fact has the name.
    """

    query: str
    as_of: int
    known_at: int
    nodes: tuple[Node, ...]
    documents: tuple[SourceDocument, ...]
    edges: tuple[Edge, ...]
    left_out: int
    near: tuple[str, ...] = ()


_Id = tuple[str, str]
"""A node: its kind, and the root of an entity (see `Entities`) or the key of a measure."""


def neighbourhood(view: View, entity: str, depth: int = 1, most: int = MAX_NODES) -> Neighbourhood:
    """The entities and measures up to `depth` facts away, at most `most` beside the entity itself.

    Current facts count. A measure is connected to the entities that have values of it, but no path goes
    through it: every company has a revenue. Raises UsageError for a depth that is not in `DEPTHS`.
    """
    if depth not in DEPTHS:
        raise UsageError(f"depth {depth}: {DEPTHS[0]} to {DEPTHS[-1]} is accepted")
    entities = Entities.of(view)
    root, facts = facts_of_entity(view, entities, entity)
    graph = _Graph(entities)
    graph.take(facts)
    start = (ENTITY, root)
    steps, left_out, edge = {start: 0}, set[_Id](), [start]
    for step in range(1, depth + 1):
        if step > 1:
            graph.take(facts_about(view, _keys(entities, edge)))
        reached = graph.beside(edge, steps)
        capacity = max(most + 1 - len(steps), 0)
        steps.update(dict.fromkeys(reached[:capacity], step))
        left_out.update(reached[capacity:])
        edge = [each for each in reached[:capacity] if each[0] == ENTITY]
    graph.take(facts_about(view, _keys(entities, edge)))
    if not graph.facts:
        return Neighbourhood(entity, view.as_of, view.known_at, (), (), (), 0, entities.near(entity))
    return graph.within(entity, view, steps, len(left_out.difference(steps)))


def graph_size(view: View, facts: Iterable[StatedFact]) -> tuple[int, int]:
    """How many nodes (entities and measures) the current ones of some facts relate, and how many of these
    facts there are. Facts that relate a node to itself are none."""
    graph = _Graph(Entities.of(view))
    graph.take(facts)
    return len({node for _, *ends in graph.facts.values() for node in ends}), len(graph.facts)


def _keys(entities: Entities, nodes: Iterable[_Id]) -> list[str]:
    keys = {each for _, root in nodes for each in (*entities.keys_of(root), *entities.keys_somewhere(root))}
    return sorted(keys)


class _Graph:
    """Facts between nodes, as they are added."""

    def __init__(self, entities: Entities) -> None:
        self.entities = entities
        self.facts: dict[tuple[int, int], tuple[StatedFact, _Id, _Id]] = {}
        self.names: dict[_Id, str] = {}
        self._beside: dict[_Id, Counter[_Id]] = defaultdict(Counter)

    def take(self, facts: Iterable[StatedFact]) -> None:
        """Add the current facts that connect two nodes."""
        new = [
            each for each in facts
            if each.passage.ended is None and each.fact.kind != NAME
            and (each.passage.passage, each.number) not in self.facts
        ]  # fmt: skip
        self.entities.prepare(new)
        for each in new:
            source = self._entity(each.fact.subject, each.passage.document)
            if each.fact.kind in (VALUE, CHANGE):
                target = (MEASURE, key(each.fact.relation))
                self.names.setdefault(target, " ".join(each.fact.relation.split()))
            else:
                target = self._entity(each.fact.object, each.passage.document)
            if source[1] and target[1] and source != target:
                self.facts[each.passage.passage, each.number] = (each, source, target)
                self._beside[source][target] += 1
                self._beside[target][source] += 1

    def _entity(self, name: str, document: str) -> _Id:
        node = (ENTITY, self.entities.root_of(name, document))
        if node not in self.names:
            self.names[node] = self.entities.canonical(name, document)
        return node

    def beside(self, nodes: Iterable[_Id], known: Mapping[_Id, int]) -> list[_Id]:
        """The neighbours of nodes that are not known yet: those of most facts first, then by name."""
        links: Counter[_Id] = Counter()
        for each in nodes:
            links.update({other: n for other, n in self._beside[each].items() if other not in known})
        return sorted(links, key=lambda each: (-links[each], self.names[each].casefold(), each))

    def within(self, query: str, view: View, steps: Mapping[_Id, int], left_out: int) -> Neighbourhood:
        """The graph of the nodes that were reached."""
        inside = sorted(
            (each for each in self.facts.values() if each[1] in steps and each[2] in steps),
            key=lambda each: (began(each[0]), *each[0].order),
        )
        facts = Counter(node for _, *ends in inside for node in ends)
        papers = Counter((known.passage.document, known.passage.title) for known, _, _ in inside)
        nodes = [Node(self.names[each], each[0], step, facts[each]) for each, step in steps.items()]
        return Neighbourhood(
            query, view.as_of, view.known_at,
            tuple(sorted(nodes, key=lambda each: (each.steps, -each.facts, each.name.casefold(), each))),
            tuple(SourceDocument(*paper, n) for paper, n in sorted(papers.items())),
            tuple(
                Edge(
                    self.names[source], self.names[target], known.fact.relation, known.fact.object,
                    known.fact.kind, known.fact.when, known.passage.document, known.passage.id,
                )
                for known, source, target in inside
            ),
            left_out,
        )  # fmt: skip
