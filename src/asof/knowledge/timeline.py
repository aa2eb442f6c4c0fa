"""The timeline of a subject: its facts in order of time, with what replaced, corroborates or contradicts
each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import CHANGE, NAME, VALUE
from asof.index.view import View
from asof.knowledge.consistency.corroboration import CorroboratingPassage, contradicting, corroborating
from asof.knowledge.consistency.validity import HoldingInterval, began, holding_intervals
from asof.knowledge.resolve import Entities, NameMerge
from asof.knowledge.visible_facts import StatedFact, facts_about

MOST_FACTS = 40
FAR = 256
"""How many facts before and after a fact in time are compared with it."""


@dataclass(frozen=True, slots=True)
class FactEntry:
    """A fact, and from when until before when it holds (instants; None: open, or not known).

    `changes`: facts of kind CHANGE about the same value. `superseded`: the statement that replaced it.
    `corroborated`: other documents that state the same for the same time; `contradicted`: other documents
    that state otherwise, while both are current. `ended`: the instant at which the last text with it was
    removed.
    """

    known: StatedFact
    start: int | None
    end: int | None
    changes: tuple[StatedFact, ...]
    superseded: CorroboratingPassage | None
    corroborated: tuple[CorroboratingPassage, ...]
    contradicted: tuple[CorroboratingPassage, ...]
    ended: int | None


class Group(NamedTuple):
    """The facts of one subject and relation, in order of their time."""

    subject: str
    relation: str
    entries: tuple[FactEntry, ...]


@dataclass(frozen=True, slots=True)
class FactLine:
    """The facts about the subject `query`, as of a moment and known at another (instants).

    `subject` is its canonical name, `names` are all of its names, `merges` the statements that join them;
    `left_out` counts older facts that are not in `groups`. `known`: whether any fact has one of the names; if
    not, `near` are similar names.
    """

    query: str
    subject: str
    names: tuple[str, ...]
    merges: tuple[NameMerge, ...]
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
    """The facts about a subject under all of its names, removed ones included.

    The last `most` of them; `relation`: only those whose relation has all these words; `since`, `until`
    (instants, both included): only those that hold at some time between. Facts of which it is the subject
    come first, then those of which it is the object.
    """
    entities = Entities.of(view)
    root, facts = facts_of_entity(view, entities, subject)
    lines = [
        each
        for group, its in _grouped(entities, root, facts, relation).items()
        for each in _lines(group, its)
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
        tuple(Group(name, _written(its), tuple(its)) for (_, name, _), its in shown.items()),
        len(lines) - len(newest_ids), () if facts else entities.near(subject), bool(facts),
    )  # fmt: skip


def facts_of_entity(view: View, entities: Entities, subject: str) -> tuple[str, list[StatedFact]]:
    """The root of a subject (see `Entities`) and all facts about it, also ended ones, in canonical order.

    A name without facts of its own that means one entity in all documents that mention it ("Quill" after
    "Marta Quill") is resolved to that entity.
    """
    root = entities.root_of(subject)
    facts = _about(view, entities, root)
    if not facts and len(roots := entities.roots_in_documents(subject)) == 1 and roots[0] != root:
        root = roots[0]
        facts = _about(view, entities, root)
    return root, facts


def _about(view: View, entities: Entities, root: str) -> list[StatedFact]:
    facts = facts_about(view, (*entities.keys_of(root), *entities.keys_somewhere(root)), ended=True)
    entities.prepare(facts)
    return [
        each for each in facts
        if each.fact.kind != NAME and root in (
            entities.root_of(each.fact.subject, each.passage.document),
            "" if each.fact.amount else entities.root_of(each.fact.object, each.passage.document),
        )
    ]  # fmt: skip


def _grouped(
    entities: Entities, root: str, facts: Iterable[StatedFact], relation: str
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


def _written(entries: Sequence[FactEntry]) -> str:
    """A relation as the newest of its facts has it."""
    return " ".join(entries[-1].known.fact.relation.split())


@dataclass(frozen=True, slots=True)
class _Line:
    """An interval of a group, its position `at` in the group `among`, and the changes of its value."""

    group: tuple[str, ...]
    line: HoldingInterval
    among: Sequence[HoldingInterval]
    at: int
    changes: tuple[StatedFact, ...]

    def entry(self) -> FactEntry:
        line, beside = self.line, self.among[max(0, self.at - FAR) : self.at + FAR + 1]
        return FactEntry(
            line.best, line.start, line.end, self.changes,
            None if line.after is None else CorroboratingPassage.of(line.after.best),
            corroborating(line, beside), contradicting(line, beside), line.ended,
        )  # fmt: skip


def _lines(group: tuple[str, ...], facts: Iterable[StatedFact]) -> Iterator[_Line]:
    """The intervals of one subject and relation, in order of their time; the change of a value is part of the
    line of that value."""
    lines = holding_intervals(facts)
    values = {
        _document_and_time(statement)
        for line in lines
        if line.fact.kind == VALUE
        for statement in line.statements
    }
    beside: dict[object, list[StatedFact]] = defaultdict(list)
    for line in lines:
        if line.fact.kind == CHANGE and _document_and_time(line.best) in values:
            beside[_document_and_time(line.best)].append(line.best)
    shown = [
        line for line in lines if line.fact.kind != CHANGE or _document_and_time(line.best) not in beside
    ]
    for at, line in enumerate(shown):
        where = (
            {_document_and_time(statement) for statement in line.statements}
            if line.fact.kind == VALUE
            else set[object]()
        )
        changes = [change for each in where for change in beside.get(each, ())]
        yield _Line(group, line, shown, at, tuple(sorted(changes, key=lambda each: each.order)))


def _document_and_time(known: StatedFact) -> object:
    """A key that a value and its change share: their document and time."""
    when = known.fact.when
    return known.passage.document, None if when is None else when.span
