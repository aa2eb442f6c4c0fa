"""Claims: groups of facts that state the same. Reports count them, compare them and choose among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from asof.data import CHANGE, NAME, VALUE
from asof.knowledge.hierarchy import nodes_of
from asof.knowledge.visible_facts import StatedFact
from asof.text import names
from asof.time.period import Period

Canonical = Callable[[str, str], str]
"""The one name of what a name means in a document (`asof.knowledge.resolve.Entities.canonical`)."""

Measure = tuple[str, str]
"""What a fact is about: the keys of its subject and of its relation."""

PUBLISHED = "published"
"""`SourcedTime.by` of a time that is only the publication date of the version."""


key = lru_cache(maxsize=65_536)(names.key)
"""`asof.text.names.key` with a cache, as the same names recur."""


def as_named(name: str, document: str = "") -> str:  # noqa: ARG001 - a Canonical has both
    """The `Canonical` without merged names: the name itself."""
    return name


@dataclass(frozen=True, slots=True)
class Claim:
    """Facts that state the same of the same time, in canonical order; at least one.

    The same: subject, relation and kind, with the same figure or else the same object. Of the same time:
    of the same periods, or known only by the date of a version. `entities` are the keys of its subject and,
    where no figure is stated, of its object. `lead` is the fact that is shown: one with a sentence, the most
    certain, the first of equals.
    """

    measure: Measure
    entities: tuple[str, ...]
    facts: tuple[StatedFact, ...]
    lead: StatedFact

    @property
    def figure(self) -> bool:
        """Whether it states a figure."""
        return self.facts[0].fact.amount is not None

    @property
    def ends(self) -> tuple[str, ...]:
        """The keys that it connects: its entities, and the measure that a figure is of."""
        return (*self.entities, self.measure[1]) if self.figure else self.entities

    @property
    def documents(self) -> int:
        """How many documents state it."""
        return len({each.passage.document for each in self.facts})


def claims_of(facts: Iterable[StatedFact], canonical: Canonical = as_named) -> list[Claim]:
    """The claims that facts make, each fact in one, in the order of their first facts. Facts of kind NAME
    make none."""
    same: dict[tuple[object, ...], list[StatedFact]] = {}
    for each in sorted(facts, key=lambda each: each.order):
        if each.fact.kind != NAME:
            same.setdefault((measure_of(each, canonical), *_statement_key(each, canonical)), []).append(each)
    return [
        Claim(measure_of(group[0], canonical), _entities(group[0], canonical), tuple(group), _lead(group))
        for group in same.values()
    ]


def _lead(facts: Sequence[StatedFact]) -> StatedFact:
    return min(facts, key=lambda each: (not each.sentence, -each.fact.confidence))


def measure_of(known: StatedFact, canonical: Canonical = as_named) -> Measure:
    """The keys of a fact's subject and relation."""
    return key(canonical(known.fact.subject, known.passage.document)), key(known.fact.relation)


def _statement_key(known: StatedFact, canonical: Canonical) -> tuple[object, ...]:
    fact = known.fact
    time: tuple[Period, ...] | str = ()
    if fact.when is not None:
        time = PUBLISHED if fact.when.by == PUBLISHED else nodes_of(fact.when.span)
    figure = fact.amount
    if figure is None:
        return fact.kind, time, key(canonical(fact.object, known.passage.document))
    return fact.kind, time, figure.value, figure.unit, figure.basis


def _entities(known: StatedFact, canonical: Canonical) -> tuple[str, ...]:
    fact = known.fact
    called = [fact.subject] if fact.kind in (VALUE, CHANGE) or fact.amount else [fact.subject, fact.object]
    return tuple(sorted({key(canonical(name, known.passage.document)) for name in called if key(name)}))


def about(facts: Iterable[StatedFact], name: str, canonical: Canonical = as_named) -> list[StatedFact]:
    """The facts of an entity or a topic: those whose subject or object has this name, or whose relation has
    the words of the name in a row."""
    entity_key, topic = key(canonical(name, "")), f" {key(name)} "
    return [
        each
        for each in facts
        if any(
            entity_key == key(canonical(called, each.passage.document))
            for called in (each.fact.subject, each.fact.object)
        )
        or topic in f" {key(each.fact.relation)} "
    ]


def degrees(claims: Sequence[Claim]) -> dict[str, int]:
    """In how many of the claims each end occurs."""
    counts: dict[str, int] = {}
    for claim in claims:
        for end in claim.ends:
            counts[end] = counts.get(end, 0) + 1
    return counts
