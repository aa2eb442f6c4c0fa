"""The timeline of a subject: facts in order of time, with what replaced, corroborates or contradicts each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

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
from asof.extensions.facts.store import NAME
from asof.extensions.facts.visible import StatedFact, facts_about
from asof.index.view import View
from asof.revisions.force import acts_on, ends_all
from asof.store.reader import has_acts
from asof.time.span import NEVER, Instant, Validity
from asof.wire import FLAT, HIDDEN, As, replace

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
