"""The shapes of a language model's replies about a question.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from asof.text.question import MOST_PARTS


class QuestionParts(BaseModel):
    """The sub-questions of a question."""

    questions: Annotated[list[str], Field(max_length=MOST_PARTS)]
