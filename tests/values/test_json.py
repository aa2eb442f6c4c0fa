"""Hits, answers and times as JSON, and a time as it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from asof.documents import SourcedTime
from asof.extensions.facts.store import Amount
from asof.hits import Hit, Location, Superseded, Usage, Why
from asof.time.moment import read
from asof.time.span import Span, Validity
from asof.wire import encode

YEAR = SourcedTime(read("2020"), "in 2020", "text")
TIME = {"from": "2020-01-01T00:00:00Z", "until": "2021-01-01T00:00:00Z", "text": "in 2020", "by": "text"}


def hit(**changes: Any) -> Hit:
    values = {
        "rank": 1, "score": 2.0, "id": "a#1", "document": "a", "title": "A", "uri": "file:a",
        "published": None, "dated_by": "none", "about": (), "text": "a crane",
        "place": Location(0, 0, 7, ("Cranes",)), "explain": lambda: Why("two", 2.0), **changes,
    }  # fmt: skip
    return Hit(**values)


def test_a_hit_without_times() -> None:
    assert encode(hit()) == {
        "rank": 1, "score": 2.0, "id": "a#1", "document": "a", "title": "A", "uri": "file:a",
        "published": None, "dated_by": "none", "about": [], "superseded_by": None,
        "in_force": None, "amended_by": [], "holds": True, "text": "a crane",
        "status": [], "location": {"number": 0, "start": 0, "end": 7, "headings": ["Cranes"]},
        "tags": [], "meta": {}, "version": None, "language": "", "citation": "A, Cranes, undated",
    }  # fmt: skip


def test_the_tree_is_made_only_when_it_is_asked_for() -> None:
    made = []

    def explain() -> Why:
        made.append(1)
        return Why("two", 2.0)

    assert "why" not in encode(hit(explain=explain))
    assert made == []
    assert encode(hit(explain=explain), "explain")["why"] == {"label": "two", "value": 2.0, "op": "given"}


def test_times_of_a_hit() -> None:
    later = Superseded(read("2021").first, "b#1", "b", "B")
    found = encode(hit(published=YEAR, about=(YEAR, YEAR), superseded=later))
    assert (found["published"], found["about"]) == (TIME, [TIME, TIME])
    assert found["superseded_by"] == {
        "id": "b#1", "document": "b", "title": "B", "visible": "2021-01-01T00:00:00Z",
    }  # fmt: skip


def test_open_spans() -> None:
    start, first = read("2020").start, read("2020").first
    assert encode(Span(start, None)) == {"from": "2020-01-01T00:00:00Z", "until": None}
    assert encode(Span(None, start)) == {"from": None, "until": "2020-01-01T00:00:00Z"}
    assert encode(Validity(None, first)) == {"from": None, "until": "2020-01-01T00:00:00Z"}
    assert encode(SourcedTime(Span(None, None), "always", "text")) == {
        "from": None, "until": None, "text": "always", "by": "text",
    }  # fmt: skip


def test_figures_and_costs() -> None:
    assert encode(Amount(3.5, "USD")) == {"value": 3.5, "unit": "USD", "basis": ""}
    assert encode(Usage(1, 2, 3, 4, 5, 6, 7.0)) == {
        "calls": 1, "cached": 2, "failed": 3, "refused": 4, "prompt_tokens": 5, "reply_tokens": 6, "usd": 7.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-11-25T16:39:10-06:00", "2025-11-25"), ("2025-11-25 16:39", "2025-11-25"),
        ("2025-11-25", "2025-11-25"), ("2025", "2025"), ("5 March 2024", "5 March 2024"),
    ],
)  # fmt: skip
def test_the_day_of_a_time_with_an_hour(text: str, day: str) -> None:
    assert SourcedTime(read(text), text, "metadata").day == day
