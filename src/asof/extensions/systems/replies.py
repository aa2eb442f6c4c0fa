"""The shapes of a language model's replies about a hit, and about a question of papers.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from asof.extensions.systems.arxiv import DEFAULT_PAPERS, MAX_CATEGORIES, MAX_DAYS, MAX_PAPERS


class RelevanceGrade(BaseModel):
    """The judge's reply about one passage."""

    because: str = Field(max_length=1_000)
    grade: Literal[0, 1, 2, 3]


class WishedPapers(BaseModel):
    model_config = ConfigDict(extra="forbid")
    categories: list[str] = Field(min_length=1, max_length=MAX_CATEGORIES)
    time_range_days: int = Field(ge=1, le=MAX_DAYS)
    max_papers: int = Field(default=DEFAULT_PAPERS, ge=1, le=MAX_PAPERS)
