"""What a model's points have to look like. Loads pydantic: import it where a model is asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field


class ExtractedPoint(BaseModel):
    """A point that some of the evidence bears out."""

    description: str
    importance: Annotated[float, Field(ge=0, le=100)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    sources: list[int]


class ExtractedPoints(BaseModel):
    """What a part of the evidence says to a question."""

    points: list[ExtractedPoint]


class MergedPoint(BaseModel):
    """A statement that some of the points bear out."""

    statement: str
    points: list[int]


class MergedPoints(BaseModel):
    """What all of the points say to a question."""

    statements: list[MergedPoint]
