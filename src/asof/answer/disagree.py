"""Sources that contradict each other: which statement of them can be told, and which cannot.

Two statements contradict each other when different documents say of one subject and relation, for the same
time, what does not agree. What nothing has superseded is told; of several, where the newest is asked for,
what was published last, else what was published when its time was over: the rest were forecasts. A note says
what it contradicts. Where those that are left contradict each other, no answer is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from asof.answer.evidence import Sentence
from asof.knowledge.known import StatedFact
from asof.knowledge.lines.agreement import agree, at_the_same_time, comparable
from asof.knowledge.lines.holding import one_at_a_time
from asof.text.names import key


class FactStatement(NamedTuple):
    """A fact with the sentence that states it."""

    sentence: Sentence
    fact: StatedFact


class Contradiction(NamedTuple):
    """Statements that contradict each other: the one to be told, None where none is safe, and the others."""

    told: FactStatement | None
    others: tuple[FactStatement, ...]


def dispute(mine: FactStatement, said: Iterable[Sentence], *, newest: bool) -> Contradiction | None:
    """What sentences of other documents say against a statement; None where nothing does. `newest`: what was
    published last is asked for."""
    against = [other for other in _statements(said) if contradict(mine, other)]
    if not against:
        return None
    every = [mine, *against]
    standing = _those(every, lambda each: each.sentence.hit.superseded is None)
    if newest:
        last = max(map(_published, standing))
        standing = _those(standing, lambda each: _published(each) == last)
    else:
        standing = _those(standing, lambda each: not _forecast(each))
    if any(contradict(one, other) for one, other in combinations(standing, 2)):
        return Contradiction(None, tuple(every))
    told = mine if mine in standing else standing[0]
    return Contradiction(told, tuple(each for each in every if contradict(told, each)))


def _those(
    statements: Sequence[FactStatement], which: Callable[[FactStatement], bool]
) -> Sequence[FactStatement]:
    """The statements of a kind; all, where none is of it."""
    return [each for each in statements if which(each)] or statements


def contradict(one: FactStatement, other: FactStatement) -> bool:
    """Whether two statements cannot both be right."""
    mine, theirs = one.fact.fact, other.fact.fact
    return (
        one.sentence.hit.document != other.sentence.hit.document
        and mine.kind == theirs.kind
        and key(mine.subject) == key(theirs.subject)
        and key(mine.relation) == key(theirs.relation)
        and one_at_a_time(mine)
        and one_at_a_time(theirs)
        and comparable(mine, theirs)
        and at_the_same_time(mine, theirs)
        and not agree(mine, theirs)
    )


def contradiction(statements: Sequence[FactStatement], numbers: Sequence[int]) -> str:
    """A refusal's reason: what each says, with the number of its citation."""
    said = " but ".join(
        f"{each.fact.fact.object} [{number}]" for each, number in zip(statements, numbers, strict=True)
    )
    fact = statements[0].fact.fact
    when = f" ({fact.when.text})" if fact.when is not None and fact.when.text else ""
    return f"the sources contradict each other: {fact.subject}, {fact.relation}{when}: {said}"


def _statements(said: Iterable[Sentence]) -> Iterable[FactStatement]:
    return (FactStatement(sentence, fact) for sentence in said for fact in sentence.facts)


def _published(statement: FactStatement) -> int:
    """When a statement was published, to the day that its date begins; what has no date comes first."""
    published = statement.sentence.hit.published
    return statement.fact.sight.visible if published is None else published.span.first


def _forecast(statement: FactStatement) -> bool:
    """Whether it was published before the time that it speaks of was over."""
    when, published = statement.fact.fact.when, statement.sentence.hit.published
    return (
        when is not None and published is not None and when.by != "published"
        and when.span.last > published.span.last
    )  # fmt: skip
