"""The timeline of a subject, and the neighbourhood of an entity.

A timeline has facts in order of time, with what replaced, corroborates or contradicts each; a neighbourhood
is the graph of entities and measures that facts connect it to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from asof.documents import SourcedTime
from asof.extensions.facts.consistency import (
    CorroboratingPassage,
    HoldingInterval,
    began,
    contradicting,
    corroborating,
    end_of_office,
    holding_intervals,
    is_state,
    office_of,
    one_at_a_time,
)
from asof.extensions.facts.names import EntityResolver, NameMerge
from asof.extensions.facts.store import CHANGE, NAME, VALUE
from asof.extensions.facts.visible import StatedFact, facts_about
from asof.index.view import View
from asof.revisions.force import acts_on, ends_all
from asof.store.reader import has_acts
from asof.text.query import key
from asof.time.span import NEVER, Instant, Validity
from asof.wire import FLAT, HIDDEN, As, one_of, replace

# -- timeline --------------------------------------------------------------------------------------


MOST_FACTS = 40
FAR = 256
"""The number of facts before and after a fact in time that are compared with it."""


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A fact, how long it holds, and the other passages that state or contradict it.

    From `start` until before `end` (instants; None: open, or not known).
    """

    known: Annotated[StatedFact, FLAT]
    start: Annotated[int | None, HIDDEN]
    end: Annotated[int | None, HIDDEN]
    superseded: Annotated[
        CorroboratingPassage | None, As("superseded_by"), "the fact that replaced it; null: none"
    ]
    corroborated: Annotated[
        tuple[CorroboratingPassage, ...], As("corroborated_by"),
        "other documents that say the same, up to rounding",
    ]  # fmt: skip
    contradicted: Annotated[
        tuple[CorroboratingPassage, ...], As("contradicted_by"),
        "other current documents that say otherwise",
    ]  # fmt: skip
    ended: Annotated[Instant | None, As("removed"), "since when no text says it; null: it is current"]

    @property
    def valid(self) -> Annotated[Validity, "from when until when it holds; null: open, or not known"]:
        return Validity(self.start, self.end)


class FactGroup(NamedTuple):
    """The facts of a subject and a relation."""

    subject: str
    relation: str
    entries: Annotated[tuple[FactEntry, ...], As("facts"), "in order of their time"]


@dataclass(frozen=True, slots=True)
class FactLine:
    """The facts about a subject, with their times. `known`: True if any fact has one of the names."""

    query: Annotated[str, "the name that was asked for"]
    subject: Annotated[str, "the name that most documents have for it"]
    names: Annotated[tuple[str, ...], "all of its names; empty where no fact has it"]
    merges: Annotated[tuple[NameMerge, ...], "why names mean the same"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    groups: Annotated[tuple[FactGroup, ...], "those in which the name is the object come last"]
    left_out: Annotated[int, "how many older facts there are beside those of `groups`"]
    near: Annotated[tuple[str, ...], As("similar_names"), "names spelled like it, where no fact has it"] = ()
    known: Annotated[bool, HIDDEN] = True

    @property
    def count(self) -> int:
        """The number of facts that are shown."""
        return sum(len(group.entries) for group in self.groups)


def timeline_of(
    view: View, subject: str, *, relation: str = "", since: int | None = None, until: int | None = None,
    most: int = MOST_FACTS,
) -> FactLine:  # fmt: skip
    """The facts about a subject under all of its names, removed ones included.

    The last `most` of them; `relation`: only those whose relation has all these words; `since`, `until`
    (instants, both included): only those that hold at some time between. Facts of which it is the subject
    come first, then those of which it is the object.
    """
    entities = EntityResolver.of(view)
    root, facts = facts_of_entity(view, entities, subject)
    groups = _grouped(entities, root, [*facts, *_replacing(view, entities, root, facts)], relation).items()
    everything = [
        each for group, its in groups for each in _lines(group, its)
        if group[0] == root or _is_object(entities, root, each.line.best)
    ]  # fmt: skip
    _end_offices(view, entities, everything)
    for interval in everything if has_acts(view.store.db) else ():
        _end_by_acts(view, interval.line)
    lines = [
        each
        for each in everything
        if (since is None or each.line.end is None or each.line.end > since)
        and (until is None or each.line.start is None or each.line.start <= until)
    ]
    newest = sorted(lines, key=lambda each: (began(each.line.best), *each.line.best.order))
    newest_ids = {id(each) for each in newest[-most:]}
    shown: dict[tuple[str, ...], list[FactEntry]] = defaultdict(list)
    for each in lines:
        if id(each) in newest_ids:
            shown[each.group].append(each.entry())
    return FactLine(
        subject, entities.canonical(root) if facts else " ".join(subject.split()),
        entities.names_of(root), entities.why(root), view.as_of, view.known_at,
        tuple(
            FactGroup(name, " ".join(its[-1].known.fact.relation.split()), tuple(its))  # as the newest has it
            for (_, name, _), its in shown.items()
        ),
        len(lines) - len(newest_ids), () if facts else entities.near(subject), bool(facts),
    )  # fmt: skip


def facts_of_entity(view: View, entities: EntityResolver, subject: str) -> tuple[str, list[StatedFact]]:
    """The root of a subject (see `EntityResolver`) and all facts about it, ended ones too, in order.

    A name without facts of its own that means one entity in all documents that mention it ("Quill" after
    "Marta Quill") is resolved to that entity.
    """
    root = entities.root_of(subject)
    facts = _about(view, entities, root)
    if not facts and len(roots := entities.roots_in_documents(subject)) == 1 and roots[0] != root:
        root = roots[0]
        facts = _about(view, entities, root)
    return root, facts


def _about(view: View, entities: EntityResolver, root: str) -> list[StatedFact]:
    facts = facts_about(view, entities.keys_of(root), ended=True)
    entities.prepare(facts)
    return [
        each for each in facts
        if each.fact.kind != NAME and (
            root == entities.root_of(each.fact.subject, each.passage.document)
            or _is_object(entities, root, each)
        )
    ]  # fmt: skip


def _replacing(
    view: View, entities: EntityResolver, root: str, facts: Iterable[StatedFact]
) -> list[StatedFact]:
    """The other states of the subjects that an entity is the object of, one at a time: they end these."""
    subjects = {
        entities.root_of(each.fact.subject, each.passage.document)
        for each in facts if is_state(each.fact) and one_at_a_time(each.fact)
    } - {root}  # fmt: skip
    told = facts_about(view, {each for of in subjects for each in entities.keys_of(of)}, ended=True)
    entities.prepare(told)
    return [
        each for each in told
        if is_state(each.fact) and one_at_a_time(each.fact)
        and entities.root_of(each.fact.subject, each.passage.document) in subjects
        and not _is_object(entities, root, each)
    ]  # fmt: skip


def _is_object(entities: EntityResolver, root: str, known: StatedFact) -> bool:
    fact = known.fact
    return fact.amount is None and entities.root_of(fact.object, known.passage.document) == root


def _grouped(
    entities: EntityResolver, root: str, facts: Iterable[StatedFact], relation: str
) -> dict[tuple[str, ...], list[StatedFact]]:
    """Facts by subject and relation: (its root, its name, the relation's words); the subject's own first."""
    required_words = frozenset(relation.casefold().split())
    groups: dict[tuple[str, ...], list[StatedFact]] = defaultdict(list)
    for each in facts:
        words = each.fact.relation.casefold().split()
        if required_words <= set(words):
            of = entities.root_of(each.fact.subject, each.passage.document)
            groups[of, entities.canonical(each.fact.subject, each.passage.document), " ".join(words)].append(
                each
            )
    return dict(sorted(groups.items(), key=lambda each: (each[0][0] != root, each[0][1:])))


@dataclass(frozen=True, slots=True)
class _GroupInterval:
    """An interval of a group, and its position `at` in the group `among`."""

    group: tuple[str, ...]
    line: HoldingInterval
    among: Sequence[HoldingInterval]
    at: int

    def entry(self) -> FactEntry:
        line, beside = self.line, self.among[max(0, self.at - FAR) : self.at + FAR + 1]
        return FactEntry(
            line.best, line.start, line.end,
            None if line.after is None else CorroboratingPassage.of(line.after.best),
            corroborating(line, beside), contradicting(line, beside), line.ended,
        )  # fmt: skip


def _lines(group: tuple[str, ...], facts: Iterable[StatedFact]) -> list[_GroupInterval]:
    """The intervals of one subject and relation, in order of their time."""
    lines = holding_intervals(facts)
    return [_GroupInterval(group, line, lines, at) for at, line in enumerate(lines)]


def _end_by_acts(view: View, line: HoldingInterval) -> None:
    """End an open state where acts of other documents ended all that still say so: with the last of them."""
    said = [each for each in line.statements if each.passage.ended is None]
    if line.end is not None or not said or not is_state(line.fact):
        return
    ends = []
    for each in said:
        row = view.prefix.rows_of(np.array([each.passage.passage], np.int64))
        document = int(view.column("document", row)[0])
        acts = [act for act in acts_on(view, [document]).get(document, ()) if ends_all(act)]
        ends.append(min((act.since for act in acts if act.since <= view.as_of < act.until), default=NEVER))
    if line.start is not None and line.start < max(ends) < NEVER:
        line.end = max(ends)


def _end_offices(view: View, entities: EntityResolver, lines: Iterable[_GroupInterval]) -> None:
    """End the open offices that were left, or that somebody else has since."""
    held = [(each, office) for each in lines if (office := office_of(each.line))]
    keys = {each for line, office in held for each in (office, *entities.keys_of(line.group[0]))}
    told = facts_about(view, keys) if keys else []
    entities.prepare(told)
    for each, _ in held:

        def holds(known: StatedFact, root: str = each.group[0]) -> tuple[bool, bool]:
            document = known.passage.document
            names = known.fact.subject, known.fact.object
            subject, object_ = (entities.root_of(name, document) == root for name in names)
            return subject, object_

        if (end := end_of_office(each.line, told, holds)) is not None:
            fact = end.fact
            words = f"{fact.subject} {fact.relation} {fact.object}".strip()
            said = replace(end, fact=replace(fact, object=f"“{words}”"))
            each.line.end, each.line.after = began(end), HoldingInterval([said], began(end), None)


# -- neighbourhood ---------------------------------------------------------------------------------


MAX_NODES = 20

ENTITY, MEASURE = "entity", "measure"


class Node(NamedTuple):
    """An entity by its canonical name, or a measure ("gross margin") that entities have values of."""

    name: str
    kind: Annotated[str, one_of("entity", "measure")]
    facts: Annotated[int, "in how many facts of the graph it is"]


class SourceDocument(NamedTuple):
    """A document that states facts of the graph."""

    document: str
    title: str
    facts: Annotated[int, "how many"]


class Edge(NamedTuple):
    """A fact between two nodes."""

    source: Annotated[str, "the name of a node"]
    target: Annotated[str, "the name of a node"]
    relation: str
    object: Annotated[str, "as it was written"]
    kind: Annotated[str, "`value`, `change` or `event`"]
    when: Annotated[SourcedTime | None, As("time"), "the time that it holds of; null: not known"]
    document: Annotated[str, "its document"]
    id: Annotated[str, "the passage that states it"]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The entities and measures around one, and the facts between them; empty if no fact has the name."""

    query: Annotated[str, "the name that was asked for"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    nodes: Annotated[tuple[Node, ...], "the one that was asked for, then the best connected"]
    documents: tuple[SourceDocument, ...]
    edges: Annotated[tuple[Edge, ...], "in order of their time"]
    left_out: Annotated[int, "how many neighbours did not fit in"]
    near: Annotated[tuple[str, ...], As("similar_names"), "names spelled like it, where no fact has it"] = ()


_Id = tuple[str, str]
"""A node: its kind, and the root of an entity (see `EntityResolver`) or the key of a measure."""


def neighbourhood(view: View, entity: str, most: int = MAX_NODES) -> Neighbourhood:
    """The entities and measures beside an entity, at most `most`, and the current facts between them."""
    entities = EntityResolver.of(view)
    root, facts = facts_of_entity(view, entities, entity)
    graph = _Graph(entities)
    graph.take(facts)
    if not graph.facts:
        return Neighbourhood(entity, view.as_of, view.known_at, (), (), (), 0, entities.near(entity))
    start = (ENTITY, root)
    beside = graph.beside(start)
    chosen = [start, *beside[:most]]
    roots = [each for kind, each in chosen[1:] if kind == ENTITY]
    graph.take(facts_about(view, {each for root in roots for each in entities.keys_of(root)}))
    return graph.within(entity, view, chosen, len(beside) - len(chosen) + 1)


def graph_size(view: View, facts: Iterable[StatedFact]) -> tuple[int, int]:
    """The number of nodes (entities and measures) that the current ones of some facts relate, and that of
    these facts. Facts that relate a node to itself are none."""
    graph = _Graph(EntityResolver.of(view))
    graph.take(facts)
    return len({node for _, *ends in graph.facts.values() for node in ends}), len(graph.facts)


class _Graph:
    """Facts between nodes, as they are added."""

    def __init__(self, entities: EntityResolver) -> None:
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

    def beside(self, node: _Id) -> list[_Id]:
        """The neighbours of a node: those of most facts first, then by name."""
        links = self._beside[node]
        return sorted(links, key=lambda each: (-links[each], self.names[each].casefold(), each))

    def within(self, query: str, view: View, chosen: Sequence[_Id], left_out: int) -> Neighbourhood:
        """The graph of these nodes, the first of which is in the middle."""
        inside = sorted(
            (each for each in self.facts.values() if each[1] in chosen and each[2] in chosen),
            key=lambda each: (began(each[0]), *each[0].order),
        )
        facts = Counter(node for _, *ends in inside for node in ends)
        papers = Counter((known.passage.document, known.passage.title) for known, _, _ in inside)
        nodes = [Node(self.names[each], each[0], facts[each]) for each in chosen]
        others = sorted(nodes[1:], key=lambda each: (-each.facts, each.name.casefold(), each))
        return Neighbourhood(
            query, view.as_of, view.known_at,
            (nodes[0], *others),
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
