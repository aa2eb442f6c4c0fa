"""The schema of a model's report. Loads pydantic: import it where a model is used."""

from __future__ import annotations

from pydantic import BaseModel


class ReportSentence(BaseModel):
    """A sentence of a report, and the numbers of the statements that it rests on."""

    statement: str
    facts: list[int]


class WrittenReport(BaseModel):
    """The report of a period."""

    title: str
    summary: str
    findings: list[ReportSentence]
