"""Contradictions between sources: which statement is safe to quote.

Two statements contradict each other if different documents give one subject and relation different objects
for the same time. Statements that nothing supersedes are preferred; of several, the one published last where
the newest is asked for, else those published after the time they are about (the others are forecasts). The
answer notes what it contradicts. If the preferred statements contradict each other, there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from asof.answer.evidence import Sentence
from asof.answer.sentence_facts import SentenceFact


class FactStatement(NamedTuple):
    """A fact with the sentence that states it."""

    sentence: Sentence
    fact: SentenceFact


class Contradiction(NamedTuple):
    """Statements that contradict each other: the preferred one (None: none is safe), and the others."""

    preferred: FactStatement | None
    others: tuple[FactStatement, ...]


def find_contradiction(
    statement: FactStatement, sentences: Iterable[Sentence], *, newest: bool
) -> Contradiction | None:
    """How sentences of other documents contradict a statement; None if none does.

    `newest`: what was published last is asked for.
    """
    candidates = (FactStatement(sentence, fact) for sentence in sentences for fact in sentence.facts)
    opposing = [other for other in candidates if contradict(statement, other)]
    if not opposing:
        return None
    all_statements = [statement, *opposing]
    preferred = _prefer(all_statements, _in_force)
    if newest:
        last = max(map(_published, preferred))
        preferred = _prefer(preferred, lambda each: _published(each) == last)
    else:
        preferred = _prefer(preferred, lambda each: not _is_forecast(each))
    if any(contradict(one, other) for one, other in combinations(preferred, 2)):
        return Contradiction(None, tuple(all_statements))
    chosen = statement if statement in preferred else preferred[0]
    return Contradiction(chosen, tuple(each for each in all_statements if contradict(chosen, each)))


def _in_force(statement: FactStatement) -> bool:
    """Whether nothing superseded a statement."""
    return statement.sentence.hit.superseded is None


def _prefer(
    statements: Sequence[FactStatement], condition: Callable[[FactStatement], bool]
) -> Sequence[FactStatement]:
    """The statements that meet a condition; all of them if none does."""
    return [each for each in statements if condition(each)] or statements


def contradict(one: FactStatement, other: FactStatement) -> bool:
    """Whether two statements cannot both be right."""
    return one.sentence.hit.document != other.sentence.hit.document and one.fact.contradicts(other.fact)


def contradiction_reason(statements: Sequence[FactStatement], numbers: Sequence[int]) -> str:
    """The reason of a refusal: what each source states, with the number of its citation."""
    objects = " but ".join(
        f"{each.fact.fact.object} [{number}]" for each, number in zip(statements, numbers, strict=True)
    )
    fact = statements[0].fact.fact
    when = f" ({fact.when.text})" if fact.when is not None and fact.when.text else ""
    return f"the sources contradict each other: {fact.subject}, {fact.relation}{when}: {objects}"


def _published(statement: FactStatement) -> int:
    """The first instant of the date of publication; for an undated document when it became visible."""
    published = statement.sentence.hit.published
    return statement.fact.passage.visible if published is None else published.span.first


def _is_forecast(statement: FactStatement) -> bool:
    """Whether a statement was published before the time that it is about was over."""
    when, published = statement.fact.fact.when, statement.sentence.hit.published
    return (
        when is not None and published is not None and when.by != "published"
        and when.span.last > published.span.last
    )  # fmt: skip
