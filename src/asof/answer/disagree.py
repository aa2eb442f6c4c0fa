"""Sources that contradict each other: which statement of them can be told, and which cannot.

Two statements contradict each other when documents that are both in force say of one subject and relation, for
the same time, what does not agree. Where the newest is asked for, the one that was published later is told,
with a note on the other; so it is where one alone was published after its time was over: the other was a
forecast. Else no answer is safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from asof.answer.evidence import Sentence
from asof.knowledge.agreement import agree, at_the_same_time, comparable
from asof.knowledge.holding import one_at_a_time
from asof.knowledge.known import Known
from asof.text.names import key


class Statement(NamedTuple):
    """A fact with the sentence that states it."""

    sentence: Sentence
    fact: Known


class Dispute(NamedTuple):
    """Statements that contradict each other: the one to be told, None where none is safe, and the others."""

    told: Statement | None
    others: tuple[Statement, ...]


def dispute(mine: Statement, said: Iterable[Sentence], *, newest: bool) -> Dispute | None:
    """What sentences of other documents say against a statement; None where nothing does. `newest`: what was
    published last is asked for."""
    against = [other for other in _statements(said) if contradict(mine, other)]
    if not against:
        return None
    every = [mine, *against]
    if not newest:
        final = [each for each in every if not _forecast(each)]
        if final and len(final) < len(every):
            rest = [each for each in final if contradict(final[0], each)]
            return Dispute(None if rest else final[0], tuple(each for each in every if each is not final[0]))
    last = max(every, key=_published)
    latest = [each for each in every if _published(each) >= _published(last)]
    if not newest or any(contradict(last, each) for each in latest):
        return Dispute(None, tuple(every))
    return Dispute(last, tuple(each for each in every if each is not last and contradict(last, each)))


def contradict(one: Statement, other: Statement) -> bool:
    """Whether two statements cannot both be right."""
    mine, theirs = one.fact.fact, other.fact.fact
    return (
        one.sentence.hit.document != other.sentence.hit.document
        and one.sentence.hit.superseded is None
        and other.sentence.hit.superseded is None
        and mine.kind == theirs.kind
        and key(mine.subject) == key(theirs.subject)
        and key(mine.relation) == key(theirs.relation)
        and one_at_a_time(mine)
        and one_at_a_time(theirs)
        and comparable(mine, theirs)
        and at_the_same_time(mine, theirs)
        and not agree(mine, theirs)
    )


def contradiction(statements: Sequence[Statement], numbers: Sequence[int]) -> str:
    """A refusal's reason: what each says, with the number of its citation."""
    said = " but ".join(
        f"{each.fact.fact.object} [{number}]" for each, number in zip(statements, numbers, strict=True)
    )
    fact = statements[0].fact.fact
    when = f" ({fact.when.text})" if fact.when is not None and fact.when.text else ""
    return f"the sources contradict each other: {fact.subject}, {fact.relation}{when}: {said}"


def _statements(said: Iterable[Sentence]) -> Iterable[Statement]:
    return (Statement(sentence, fact) for sentence in said for fact in sentence.facts)


def _published(statement: Statement) -> int:
    """When a statement was published, to the day that its date begins; what has no date comes first."""
    published = statement.sentence.hit.published
    return statement.fact.sight.visible if published is None else published.span.first


def _forecast(statement: Statement) -> bool:
    """Whether it was published before the time that it speaks of was over."""
    when, published = statement.fact.fact.when, statement.sentence.hit.published
    return (
        when is not None and published is not None and when.by != "published"
        and when.span.last > published.span.last
    )  # fmt: skip
