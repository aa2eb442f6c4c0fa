"""The judge on runs: answers get their verdicts, and overviews are compared in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from asof.evaluate.answers.judge import (
    DIMENSIONS,
    Case,
    ElementShares,
    JudgedElement,
    Preference,
    preferences,
    verdicts,
)
from asof.evaluate.answers.metrics import refuses
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.results import (
    AnswerRuns,
    JudgeUsage,
    PreferenceCount,
    PreferenceReason,
    compare_answers,
)
from asof.evaluate.answers.run import AnswerRun, EvaluatedAnswer
from asof.evaluate.answers.word_overlap import uncited
from asof.models.ports import Model, Reply

Evidence = Mapping[str, Sequence[tuple[str, str]]]
"""By the id of a question the sentences that answer it, each with its document."""

SIDES = {"first": "a", "second": "b", "tie": "tie"}


def judge_runs(
    model: Model, runs: Sequence[AnswerRun], references: Sequence[ReferenceAnswer], seed: int,
    evidence: Evidence | None = None,
) -> AnswerRuns:  # fmt: skip
    """The runs with the judge's verdicts as metrics; it is shown the `evidence`. Raises ModelError."""
    replies: list[Reply] = []
    judged = [_with_verdicts(model, run, evidence or {}, replies) for run in runs]
    preferred: list[PreferenceCount] = []
    reasons: list[PreferenceReason] = []
    for a, b in combinations(judged, 2):
        counts, why = _preferences(model, a, b, replies)
        preferred += counts
        reasons += why
    usage = JudgeUsage(
        model.name,
        sum(reply.calls for reply in replies),
        sum(reply.prompt_tokens for reply in replies),
        sum(reply.reply_tokens for reply in replies),
        tuple(preferred),
        tuple(
            reply.problem or f"no verdict: {reply.text!r}"
            for reply in replies
            if reply.problem or reply.value is None
        ),
        tuple(reasons),
    )
    return replace(compare_answers(judged, references, seed), judging=usage)


def _with_verdicts(model: Model, run: AnswerRun, evidence: Evidence, replies: list[Reply]) -> AnswerRun:
    """The run with verdicts. A refusal needs no judge: it is correct if the question is unanswerable."""
    known: dict[int, tuple[ElementShares | None, tuple[JudgedElement, ...]]] = {}
    cases: dict[int, Case] = {}
    for at, reply in enumerate(run.replies):
        reference = reply.reference
        if refuses(reply.answer):
            able = reference.answerable
            known[at] = (ElementShares(0.0, 1.0, 0.0) if able else ElementShares(1.0, 0.0, 0.0)), ()
        elif reference.text or not reference.answerable:
            text = reference.text if reference.answerable else ""
            gold = tuple(evidence.get(reference.question.id, ()))
            cases[at] = Case(reference.question.text, text, uncited(reply.answer.text), gold)
    judged = verdicts(model, list(cases.values()))
    replies += judged.replies
    known |= dict(zip(cases, zip(judged.verdicts, judged.elements, strict=True), strict=True))
    scored = (_scored(each, *known.get(at, (None, ()))) for at, each in enumerate(run.replies))
    return replace(run, replies=tuple(scored))


def _scored(
    reply: EvaluatedAnswer, verdict: ElementShares | None, elements: tuple[JudgedElement, ...]
) -> EvaluatedAnswer:
    if verdict is None:
        return reply
    shares = {"correct": verdict.correct, "refusal": verdict.refusal, "incorrect": verdict.incorrect}
    return replace(reply, scores={**reply.scores, **shares}, judged=elements)


def _preferences(
    model: Model, a: AnswerRun, b: AnswerRun, replies: list[Reply]
) -> tuple[list[PreferenceCount], list[PreferenceReason]]:
    """Two runs compared on the abstract questions; nothing if there are none."""
    both = [
        (one.reference.question, uncited(one.answer.text), uncited(other.answer.text))
        for one, other in zip(a.replies, b.replies, strict=True)
        if one.reference.abstract
    ]
    if not both:
        return [], []
    preferred, judge_replies = preferences(
        model, [(question.text, one, other) for question, one, other in both]
    )
    replies += judge_replies
    usable = [
        (question.id, each) for (question, *_), each in zip(both, preferred, strict=True) if each is not None
    ]
    counts = [_count(a, b, each, usable, len(both) - len(usable)) for each in DIMENSIONS]
    reasons = [
        PreferenceReason(
            id_, a.name, b.name, dimension, SIDES[each.sides[dimension]], each.reasons[dimension]
        )
        for id_, each in usable
        for dimension in DIMENSIONS
    ]
    return counts, reasons


def _count(
    a: AnswerRun, b: AnswerRun, dimension: str, usable: Sequence[tuple[str, Preference]], unusable: int
) -> PreferenceCount:
    sides = [each.sides[dimension] for _, each in usable]
    counts = (sides.count("first"), sides.count("second"), sides.count("tie"))
    return PreferenceCount(a.name, b.name, dimension, *counts, unusable)
