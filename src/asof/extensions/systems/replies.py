"""The shapes of a language model's replies about a hit.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class RelevanceGrade(BaseModel):
    """The judge's reply about one passage."""

    because: str = Field(max_length=1_000)
    grade: Literal[0, 1, 2, 3]
