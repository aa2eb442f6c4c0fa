"""`asof report`: what happened in a period, with its sources, as of any date."""

from __future__ import annotations

import json

from tests.support.json_schema import against

from asof.corpus.corpus import open as open_corpus
from asof.extensions.facts import store as kept
from asof.extensions.facts.store import Extraction
from asof.time.moment import read
from asof.values import EVENT, VALUE, Amount, Fact, SourcedTime

from .conftest import filled

FARES = {"2": 2.0, "3": 3.0}


def extracted(text: str) -> tuple[Fact, ...]:
    """Of "The fare is 2 in 2023-Q4." the fare; of "Ferry closed in 2024." the closing."""
    words = text.removesuffix(".").split()
    stated = SourcedTime(read(words[-1]), words[-1], "text")
    if "fare" in words:
        fare = words[3]
        return (Fact("Ferry", "fare", fare, stated, 0, len(text), VALUE, Amount(FARES[fare], "EUR")),)
    return (Fact(words[0], words[1], "doors", stated, 0, len(text), EVENT),)


@filled
def ferry(asof, write):
    """Fares of two quarters, told in documents of two years, with their facts."""
    lines = (
        ("old", "2023-12-01", "The fare is 2 in 2023-Q4."),
        ("new", "2024-03-01", "The fare is 3 in 2024-Q1."),
        ("also", "2024-03-02", "The fare is 3 in 2024-Q1."),
        ("closed", "2024-06-01", "Ferry closed in 2024."),
    )
    write(
        "lines.jsonl",
        "".join(json.dumps({"id": i, "title": i.title(), "date": d, "text": t}) + "\n" for i, d, t in lines),
    )
    asof("index", "lines.jsonl")
    with open_corpus(".", create=False) as corpus:
        db = corpus.store.writer()
        every = [passage for (passage,) in db.execute("SELECT id FROM passages ORDER BY id")]
        found = [Extraction(each.passage, extracted(each.text)) for each in kept.excerpts(db, every)]
        db.execute("BEGIN IMMEDIATE")
        kept.save_extractions(db, "hand", found)
        db.execute("COMMIT")
        db.close()


def test_a_report_tells_its_points_their_change_and_their_sources(asof, ferry):
    result = asof("report", "2024-Q1")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "2024-Q1  as of now",
        "  2 facts in 2 documents; named most often: Ferry",
        "  - Ferry: The fare is 3 in 2024-Q1.",
        "    2 -> 3, +50.0% against 2023-Q4",
        "    2024-Q1: New, 2024-03-01 [new]",
        "    2024-Q1: Also, 2024-03-02 [also]",
        "(1 fact of longer times (2024) not reported here)",
    ]


def test_as_of_a_date_there_is_what_was_told_by_then(asof, ferry):
    result = asof("report", "2024-Q1", "--as-of", "2024-03-01")
    assert "New" in result.out
    assert "Also" not in result.out
    assert result.out.startswith("2024-Q1  as of 2024-03-01\n  1 fact in 1 document;")
    early = asof("report", "2024-Q1", "--as-of", "2024-02")
    assert (early.code, early.out) == (1, "(no facts in this period)\n")
    assert asof("report", "2024-Q1", "--known-at", "2020").code == 1


def test_periods_in_words_and_more_than_one(asof, ferry):
    halves = asof("report", "first", "half", "of", "2024").out
    assert halves.startswith("2024-Q1  ")
    both = asof("report", "2023-2024", "--about", "ferry").out
    assert both.index("ferry, 2023  ") < both.index("ferry, 2024  ")
    assert "Ferry closed in 2024." in both


def test_about_something_else_there_is_nothing(asof, ferry):
    result = asof("report", "2024", "--about", "zebra")
    assert (result.code, result.out) == (1, "(no facts about 'zebra' in this period)\n")


def test_what_is_no_time_is_refused(asof, ferry):
    result = asof("report", "whenever")
    assert result.code == 2
    assert "'whenever' is not a time" in result.err


def test_the_json_says_the_same(asof, ferry):
    found = asof("report", "2024-Q1", "--json").json()
    assert against("report", found) == []
    (report,) = found["reports"]
    (point,) = report["points"]
    assert point["changes"] == ["2 -> 3, +50.0% against 2023-Q4"]
    assert point["because"] == "corroborated"
    assert [each["document"] for each in point["citations"]] == ["new", "also"]
    assert found["span"] == {"from": "2024-01-01T00:00:00Z", "until": "2024-04-01T00:00:00Z"}
    assert found["notes"] == ["1 fact of longer times (2024) not reported here"]
