"""The schema of a model's report. Loads pydantic: import it where a model is used."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from asof.knowledge.reports.report import MAX_RATING


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
