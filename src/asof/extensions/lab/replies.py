"""The shapes of a language model's replies that judge answers.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Side = Literal["first", "second", "tie"]


class Element(BaseModel):
    """A part of a reference answer, why it has its verdict, and the verdict."""

    element: str
    explanation: str = ""
    verdict: Literal["correct", "refusal", "incorrect"]


class Elements(BaseModel):
    """The verdict on an answer that has a reference answer."""

    elements: list[Element]


class DeclinedElement(BaseModel):
    """A part of an answer to an unanswerable question: it declines, or it claims something."""

    element: str
    explanation: str = ""
    verdict: Literal["refusal", "incorrect"]


class Declined(BaseModel):
    """The verdict on an answer to an unanswerable question."""

    elements: list[DeclinedElement]


class Explanations(BaseModel):
    """Why one of two answers is better, by dimension."""

    comprehensiveness: str = ""
    diversity: str = ""
    temporal_coverage: str = ""
    overall: str = ""


class Pair(BaseModel):
    """The better of two answers, and why; the reasons come first."""

    explanations: Explanations = Explanations()
    comprehensiveness: Side
    diversity: Side
    temporal_coverage: Side
    overall: Side
