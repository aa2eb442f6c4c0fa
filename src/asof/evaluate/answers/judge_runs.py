"""The judge on runs: answers get their verdicts, and overviews are compared in pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from asof.evaluate.answers.judge import DIMENSIONS, Case, ElementShares, preferences, verdicts
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.results import AnswerRuns, JudgeUsage, PreferenceCount, compare_answers
from asof.evaluate.answers.run import AnswerRun, EvaluatedAnswer
from asof.evaluate.answers.word_overlap import uncited
from asof.models.ports import Model, Reply


def judge_runs(
    model: Model, runs: Sequence[AnswerRun], references: Sequence[ReferenceAnswer], seed: int
) -> AnswerRuns:
    """The runs with the judge's verdicts as metrics. Raises ModelError."""
    replies: list[Reply] = []
    judged = [_with_verdicts(model, run, replies) for run in runs]
    preferred = tuple(each for a, b in combinations(judged, 2) for each in _preferences(model, a, b, replies))
    usage = JudgeUsage(
        model.name,
        sum(reply.calls for reply in replies),
        sum(reply.prompt_tokens for reply in replies),
        sum(reply.reply_tokens for reply in replies),
        preferred,
        tuple(
            reply.problem or f"no verdict: {reply.text!r}"
            for reply in replies
            if reply.problem or reply.value is None
        ),
    )
    return replace(compare_answers(judged, references, seed), judging=usage)


def _with_verdicts(model: Model, run: AnswerRun, replies: list[Reply]) -> AnswerRun:
    """The run with verdicts. A refusal needs no judge: it is correct if the question is unanswerable."""
    known: dict[int, ElementShares | None] = {}
    cases: dict[int, Case] = {}
    for at, reply in enumerate(run.replies):
        reference = reply.reference
        if reply.answer.refused:
            known[at] = ElementShares(0.0, 1.0, 0.0) if reference.answerable else ElementShares(1.0, 0.0, 0.0)
        elif reference.text or not reference.answerable:
            text = reference.text if reference.answerable else ""
            cases[at] = Case(reference.question.text, text, uncited(reply.answer.text))
    judged = verdicts(model, list(cases.values()))
    replies += judged.replies
    known |= dict(zip(cases, judged.verdicts, strict=True))
    return replace(run, replies=tuple(_scored(each, known.get(at)) for at, each in enumerate(run.replies)))


def _scored(reply: EvaluatedAnswer, verdict: ElementShares | None) -> EvaluatedAnswer:
    if verdict is None:
        return reply
    shares = {"correct": verdict.correct, "refusal": verdict.refusal, "incorrect": verdict.incorrect}
    return replace(reply, scores={**reply.scores, **shares})


def _preferences(model: Model, a: AnswerRun, b: AnswerRun, replies: list[Reply]) -> list[PreferenceCount]:
    """Two runs compared on the abstract questions; [] if there are none."""
    pairs = [
        (one.reference.question.text, uncited(one.answer.text), uncited(other.answer.text))
        for one, other in zip(a.replies, b.replies, strict=True)
        if one.reference.abstract
    ]
    if not pairs:
        return []
    preferred, judge_replies = preferences(model, pairs)
    replies += judge_replies
    usable = [each for each in preferred if each is not None]
    rows = []
    for dimension in DIMENSIONS:
        sides = [each[dimension] for each in usable]
        counts = (sides.count("first"), sides.count("second"), sides.count("tie"))
        rows.append(PreferenceCount(a.name, b.name, dimension, *counts, len(pairs) - len(usable)))
    return rows
