"""The shapes of a language model's replies about a question.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

from asof.text.question import MOST_PARTS


class NamedTime(BaseModel):
    """A time that a question names: its words there, its first and last day."""

    words: str
    first: date
    last: date
    confidence: Annotated[float, Field(ge=0, le=1)]


class QuestionTimes(BaseModel):
    """The times that a question names."""

    times: Annotated[list[NamedTime], Field(max_length=32)]  # MAX_TIMES of question.py


class QuestionParts(BaseModel):
    """The sub-questions of a question."""

    questions: Annotated[list[str], Field(max_length=MOST_PARTS)]
