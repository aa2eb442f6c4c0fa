"""What is known of a subject: its facts in order of time, what replaced each, bears it out or denies it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import CHANGE, NAME, VALUE
from asof.index.view import View
from asof.knowledge.agreement import agree, at_the_same_time, comparable
from asof.knowledge.holding import Stretch, began, one_at_a_time, place, stretches
from asof.knowledge.known import Known, facts_about
from asof.knowledge.resolve import Entities, Merge

MOST_FACTS = 40
MOST_OTHERS = 8
"""So many statements that bear out a fact, and so many that deny it, are named."""
FAR = 256
"""So many neighbours in time of a fact are compared with it."""


class Other(NamedTuple):
    """A statement beside a fact: its passage, since when it is visible, what it says."""

    document: str
    id: str
    at: int
    object: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact, and from when until before when it holds (instants; None: open, or not known).

    `changes`: facts of kind CHANGE about the same value. `superseded`: what came in its place.
    `corroborated`: other documents that say the same of the same time; `contradicted`: other documents that
    say otherwise of it, while both are in force. `ended`: since when no text says it any more.
    """

    known: Known
    start: int | None
    end: int | None
    changes: tuple[Known, ...]
    superseded: Other | None
    corroborated: tuple[Other, ...]
    contradicted: tuple[Other, ...]
    ended: int | None


class Group(NamedTuple):
    """The facts of one subject and relation, in order of their time."""

    subject: str
    relation: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class FactLine:
    """The facts about a subject as of a moment, known at another (instants).

    `subject` is its canonical name, `names` are all of them and `merges` says why; `left_out` counts the
    older facts beside those of `groups`. `known`: whether any fact has one of the names; if not, `near` are
    names that are spelled like it.
    """

    asked: str
    subject: str
    names: tuple[str, ...]
    merges: tuple[Merge, ...]
    as_of: int
    known_at: int
    groups: tuple[Group, ...]
    left_out: int
    near: tuple[str, ...] = ()
    known: bool = True

    @property
    def count(self) -> int:
        """How many facts are shown."""
        return sum(len(group.entries) for group in self.groups)


def timeline_of(
    view: View, subject: str, *, relation: str = "", since: int | None = None, until: int | None = None,
    most: int = MOST_FACTS,
) -> FactLine:  # fmt: skip
    """The facts about a subject under all of its names, also those that are not said any more.

    The last `most` of them; `relation`: those whose relation has all these words; `since`, `until` (instants,
    both included): those that hold at some time between. The subject's own facts come first, then those in
    which it is the object.
    """
    entities = Entities.of(view)
    root, facts = facts_of_entity(view, entities, subject)
    groups = _grouped(entities, root, facts, relation)
    entries = [
        (each, entry)
        for each, stretched in groups.items()
        for entry in _entries(stretched)
        if (since is None or entry.end is None or entry.end > since)
        and (until is None or entry.start is None or entry.start <= until)
    ]
    newest = sorted(entries, key=lambda each: (began(each[1].known), *place(each[1].known)))
    kept = {id(entry) for _, entry in newest[-most:]} if most else set[int]()
    shown: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for each, entry in entries:
        if id(entry) in kept:
            shown[each].append(entry)
    return FactLine(
        subject, entities.canonical(root) if facts else " ".join(subject.split()),
        entities.names_of(root), entities.why(root), view.as_of, view.known_at,
        tuple(Group(name, _written(its), tuple(its)) for (_, name, _), its in shown.items()),
        len(entries) - len(kept), () if facts else entities.near(subject), bool(facts),
    )  # fmt: skip


def facts_of_entity(view: View, entities: Entities, subject: str) -> tuple[str, list[Known]]:
    """The root of a subject (see `Entities`) and all facts about it, also ended ones, in canonical order.

    A name that means nothing by itself, but one and the same in the documents that have it ("Quill" after
    "Marta Quill"), is taken for that.
    """
    root = entities.root_of(subject)
    found = _about(view, entities, root)
    if not found and len(meant := entities.meant_by(subject)) == 1 and meant[0] != root:
        root = meant[0]
        found = _about(view, entities, root)
    return root, found


def _about(view: View, entities: Entities, root: str) -> list[Known]:
    found = facts_about(view, (*entities.keys_of(root), *entities.keys_somewhere(root)), ended=True)
    entities.prepare({each.sight.document for each in found})
    return [
        each for each in found
        if each.fact.kind != NAME and root in (
            entities.root_of(each.fact.subject, each.sight.document),
            "" if each.fact.amount else entities.root_of(each.fact.object, each.sight.document),
        )
    ]  # fmt: skip


def _grouped(
    entities: Entities, root: str, facts: Iterable[Known], relation: str
) -> dict[tuple[str, ...], list[Known]]:
    """Facts by subject and relation: (its root, its name, the relation's words); the subject's own first."""
    wanted = frozenset(relation.casefold().split())
    groups: dict[tuple[str, ...], list[Known]] = defaultdict(list)
    for each in facts:
        words = each.fact.relation.casefold().split()
        if wanted <= set(words):
            of = entities.root_of(each.fact.subject, each.sight.document)
            groups[of, entities.canonical(each.fact.subject, each.sight.document), " ".join(words)].append(
                each
            )
    return dict(sorted(groups.items(), key=lambda each: (each[0][0] != root, each[0][1:])))


def _written(entries: Sequence[Entry]) -> str:
    """A relation as the newest of its facts has it."""
    return " ".join(entries[-1].known.fact.relation.split())


def _entries(facts: Sequence[Known]) -> Iterator[Entry]:
    """The entries of one subject and relation, in order of their time."""
    lines = stretches(facts)
    values = {_place(told) for line in lines if line.fact.kind == VALUE for told in line.told}
    beside: dict[object, list[Known]] = defaultdict(list)
    for line in lines:
        if line.fact.kind == CHANGE and _place(line.best) in values:
            beside[_place(line.best)].append(line.best)
    shown = [line for line in lines if line.fact.kind != CHANGE or _place(line.best) not in beside]
    for at, line in enumerate(shown):
        near = shown[max(0, at - FAR) : at + FAR + 1]
        places = {_place(told) for told in line.told} if line.fact.kind == VALUE else set[object]()
        yield Entry(
            line.best, line.start, line.end,
            tuple(sorted((change for place in places for change in beside.get(place, ())), key=place)),
            None if line.after is None else _other(line.after.best),
            _others(line, _borne_out(line, near)), _others(line, _denied(line, near)), line.ended,
        )  # fmt: skip


def _place(known: Known) -> object:
    """Where a value and its change stand together: in one document, of one time."""
    when = known.fact.when
    return known.sight.document, None if when is None else when.span


def _borne_out(line: Stretch, near: Iterable[Stretch]) -> Iterator[Known]:
    """Statements of a stretch beside the first, and those of others at its time that round to the same."""
    yield from line.told
    for other in near:
        if other is not line and other.fact.kind == line.fact.kind and agree(other.fact, line.fact):
            yield from (each for each in other.told if at_the_same_time(each.fact, line.fact))


def _denied(line: Stretch, near: Iterable[Stretch]) -> Iterator[Known]:
    if line.ended is not None or not one_at_a_time(line.fact):
        return
    for other in near:
        if (
            other is line or other.fact.kind != line.fact.kind or not one_at_a_time(other.fact)
            or not comparable(other.fact, line.fact) or agree(other.fact, line.fact)
        ):  # fmt: skip
            continue
        mine = [each for each in line.told if each.sight.ended is None]
        for each in other.told:
            if each.sight.ended is None and any(
                at_the_same_time(each.fact, own.fact) and each.sight.document != own.sight.document
                for own in mine[:MOST_OTHERS]
            ):
                yield each


def _others(line: Stretch, found: Iterable[Known]) -> tuple[Other, ...]:
    """One statement of each document but that of the stretch, those in force, oldest first."""
    by: dict[str, Known] = {}
    for each in sorted(found, key=place):
        if each.sight.ended is None and each.sight.document != line.best.sight.document:
            by.setdefault(each.sight.document, each)
    return tuple(_other(each) for each in list(by.values())[:MOST_OTHERS])


def _other(known: Known) -> Other:
    return Other(known.sight.document, known.sight.id, known.sight.visible, known.fact.object)
