"""The judge at work: the answers of runs get their verdicts, and overviews are compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from asof.evaluate.answers.answers import AnswerRun, AnswerRuns, EvaluatedAnswer, gathered
from asof.evaluate.answers.gold import Gold
from asof.evaluate.answers.judge import DIMENSIONS, Case, ElementShares, preferences, verdicts
from asof.evaluate.answers.wording import uncited
from asof.models.ports import Model, Reply


@dataclass(frozen=True, slots=True)
class Preferred:
    """In how many answers to abstract questions recipe `a` was better than `b`, `b` than `a`, neither.

    `unusable`: how many pairs have no judgement.
    """

    a: str
    b: str
    dimension: str
    a_better: int
    b_better: int
    ties: int
    unusable: int


@dataclass(frozen=True, slots=True)
class JudgeUsage:
    """Who judged, what that took, which recipe was preferred, and the problems of replies without use."""

    judge: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    preferred: tuple[Preferred, ...]
    problems: tuple[str, ...]


def judge_all(model: Model, runs: Sequence[AnswerRun], golds: Sequence[Gold], seed: int) -> AnswerRuns:
    """The runs with what the judge says of them. Raises ModelError."""
    replies: list[Reply] = []
    judged = [_judged(model, run, replies) for run in runs]
    preferred = tuple(each for a, b in combinations(judged, 2) for each in _preferred(model, a, b, replies))
    judging = JudgeUsage(
        model.name,
        sum(reply.calls for reply in replies),
        sum(reply.prompt_tokens for reply in replies),
        sum(reply.reply_tokens for reply in replies),
        preferred,
        tuple(reply.problem or f"no judgement: {reply.text!r}" for reply in replies if _useless(reply)),
    )
    return replace(gathered(judged, golds, seed), judging=judging)


def _useless(reply: Reply) -> bool:
    return bool(reply.problem) or reply.value is None


def _judged(model: Model, run: AnswerRun, replies: list[Reply]) -> AnswerRun:
    """A refusal needs no judge: every element is refused, or, where nothing can be told, it is correct."""
    known: dict[int, ElementShares | None] = {}
    cases: dict[int, Case] = {}
    for at, reply in enumerate(run.replies):
        gold = reply.gold
        if reply.answer.refused:
            known[at] = ElementShares(0.0, 1.0, 0.0) if gold.answerable else ElementShares(1.0, 0.0, 0.0)
        elif gold.text or not gold.answerable:
            right = gold.text if gold.answerable else ""
            cases[at] = Case(gold.question.text, right, uncited(reply.answer.text))
    found = verdicts(model, list(cases.values()))
    replies += found.replies
    known |= dict(zip(cases, found.verdicts, strict=True))
    return replace(run, replies=tuple(_with(each, known.get(at)) for at, each in enumerate(run.replies)))


def _with(reply: EvaluatedAnswer, verdict: ElementShares | None) -> EvaluatedAnswer:
    if verdict is None:
        return reply
    said = {"correct": verdict.correct, "refusal": verdict.refusal, "incorrect": verdict.incorrect}
    return replace(reply, scores={**reply.scores, **said})


def _preferred(model: Model, a: AnswerRun, b: AnswerRun, replies: list[Reply]) -> list[Preferred]:
    """Two runs over the abstract questions; nothing where there are none."""
    pairs = [
        (one.gold.question.text, uncited(one.answer.text), uncited(other.answer.text))
        for one, other in zip(a.replies, b.replies, strict=True)
        if one.gold.abstract
    ]
    if not pairs:
        return []
    found, said = preferences(model, pairs)
    replies += said
    usable = [each for each in found if each is not None]
    rows = []
    for dimension in DIMENSIONS:
        sides = [each[dimension] for each in usable]
        counts = (sides.count("first"), sides.count("second"), sides.count("tie"))
        rows.append(Preferred(a.name, b.name, dimension, *counts, len(found) - len(usable)))
    return rows
