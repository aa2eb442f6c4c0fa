"""Sentences as an extractor is given them: what tests of the rules share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from asof.extensions.facts.rules import RuleExtractor
from asof.extensions.facts.store import ExtractorInput, Fact
from asof.store.digest import TimeReadingOptions, passage_times
from asof.time.span import Span

REPORT = "Quill Ropes Ltd (QRL) 2024 Q3 Report"
"""A title with an entity of its own, a code, and a period: July to September 2024."""


def excerpt(
    text: str, title: str = REPORT, *, meta: Mapping[str, Any] | None = None, number: int = 1,
    published: datetime | None = datetime(2024, 11, 5, tzinfo=UTC), language: str = "en",
    times: str = "[]", headings: tuple[str, ...] = (), fiscal_start: int = 1,
) -> ExtractorInput:  # fmt: skip
    """A passage of a document published on a day, with the times that the store finds in it."""
    day = None if published is None else Span(published, published + timedelta(days=1))
    manner = TimeReadingOptions(language, fiscal_start)
    found = passage_times(times, title, "\n".join(headings), text, day, manner)
    return ExtractorInput(
        1, "report", title, headings, text, language, day, found, fiscal_start, number, meta or {}
    )


def facts(text: str, title: str = REPORT, **more: Any) -> list[Fact]:
    """What the rules find in a passage, without what its head alone says."""
    (found,) = RuleExtractor().extract([excerpt(text, title, **more)])
    return [fact for fact in found.facts if fact.end > fact.start]


def triples(text: str, **more: Any) -> list[tuple[str, str, str]]:
    """Subject, relation and object of each fact; the subject "" is the document's own entity."""
    own = "Quill Ropes Ltd"
    return [("" if f.subject == own else f.subject, f.relation, f.object) for f in facts(text, **more)]
