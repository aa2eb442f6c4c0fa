"""The shapes of a language model's replies: facts, reports, points.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from asof.extensions.facts.reports import MAX_RATING


class RepliedFact(BaseModel):
    """A fact of a model's reply."""

    subject: str
    relation: str
    object: str
    time: str | None = Field(None, description="YYYY, YYYY-Qn, YYYY-MM, YYYY-MM-DD, or words of the passage")
    sentence: int = Field(description="the number of the sentence that states it")
    kind: Literal["value", "change", "event", "name"]
    value: float | None = Field(None, allow_inf_nan=False, description="in whole units")
    unit: str | None = ""
    basis: str | None = ""
    confidence: float = Field(ge=0, le=1)


class RepliedFacts(BaseModel):
    """The facts of a passage."""

    facts: list[RepliedFact]


class ReportSentence(BaseModel):
    """A sentence of a report, and the numbers of the statements that it rests on."""

    statement: str
    facts: list[int]


class WrittenReport(BaseModel):
    """The report of a period. `rating`: how much the period matters, 0 to 10 (TG-RAG, section III-A3); None
    where a model gives none, which is no reason to ask again."""

    title: str
    summary: str
    findings: list[ReportSentence]
    rating: Annotated[float, Field(ge=0, le=MAX_RATING)] | None = None
    rating_explanation: str = ""


class ExtractedPoint(BaseModel):
    """A point that a part of the evidence supports; `sources` are numbers of pieces."""

    description: str
    importance: Annotated[float, Field(ge=0, le=100)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    sources: list[int]


class ExtractedPoints(BaseModel):
    """A model's reply on a part of the evidence."""

    points: list[ExtractedPoint]


class MergedPoint(BaseModel):
    """A statement of the answer; `points` are numbers of the points that support it."""

    statement: str
    points: list[int]


class MergedPoints(BaseModel):
    """A model's reply on all points."""

    statements: list[MergedPoint]
