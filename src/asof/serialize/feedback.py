"""Recorded queries, and how their hits were judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import CostJson, Instant, cost_json, one_of
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.corpus.feedback import JudgingReport
    from asof.learn.feedback import JudgedRecord


class RecordedJson(TypedDict):
    """A recorded query."""

    id: Annotated[str, "names it; so does any beginning that no other has"]
    query: Annotated[str, "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    recipe: Annotated[str, "what ranked"]
    unit: Annotated[str, one_of("passage", "document"), "what was ranked"]
    recorded_at: Instant
    shown: Annotated[int, "how many hits are kept of what was shown"]
    judged: Annotated[int, "how many of them have a grade"]


class JudgedHitJson(TypedDict):
    """A hit that was shown, and its grade."""

    rank: int
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    score: float
    grade: Annotated[float | None, "that counts, 0 to 3; null: none"]
    weight: Annotated[float, "of the grade beside others; 0 without one"]
    by: Annotated[str, one_of("grade", "model", "click", ""), 'who gave it; "": not judged']


class JudgingJson(TypedDict):
    """What a model did as judge."""

    judge: Annotated[str, "the name of the model"]
    graded: Annotated[int, "how many hits"]
    ungraded: Annotated[list[str], "why others have no grade"]
    cost: CostJson


class FeedbackJson(RecordedJson):
    """A recorded query with its hits."""

    hits: list[JudgedHitJson]
    judging: Annotated[JudgingJson | None, "with `--judge`; else null"]


class FeedbackListJson(TypedDict):
    """The recorded queries."""

    queries: Annotated[list[RecordedJson], "oldest first"]


def feedback_list_json(records: Iterable[JudgedRecord]) -> FeedbackListJson:
    return {"queries": [_recorded_json(each) for each in records]}


def feedback_json(one: JudgedRecord, judging: JudgingReport | None) -> FeedbackJson:
    return {
        **_recorded_json(one),
        "hits": [
            {
                "rank": hit.rank, "id": hit.hit, "document": hit.document, "score": hit.score,
                "grade": grade, "weight": weight, "by": kind,
            }
            for hit, grade, weight, kind
            in zip(one.question.shown, one.grades, one.weights, one.kinds, strict=True)
        ],
        "judging": None if judging is None else judging_json(judging),
    }  # fmt: skip


def judging_json(judging: JudgingReport) -> JudgingJson:
    return {
        "judge": judging.judge, "graded": judging.graded, "ungraded": list(judging.problems),
        "cost": cost_json(asdict(judging.cost)),
    }  # fmt: skip


def _recorded_json(one: JudgedRecord) -> RecordedJson:
    question = one.question
    return {
        "id": question.id, "query": question.text, "as_of": iso(question.as_of),
        "known_at": iso(question.known_at), "recipe": question.recipe, "unit": question.unit,
        "recorded_at": iso(question.added), "shown": len(question.shown), "judged": sum(map(bool, one.kinds)),
    }  # fmt: skip
