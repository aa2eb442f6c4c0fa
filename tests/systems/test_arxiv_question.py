"""What a question in words wants of arXiv, by rules and by a model."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.arxiv import category, read
from asof.extensions.systems.arxiv_question import (
    DEFAULT_CATEGORIES,
    SYSTEM,
    by_model,
    by_rules,
    table,
)
from asof.models.ports import ScriptedModel
from asof.time.span import FIRST, instant

ASKED = datetime(2026, 3, 18, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "categories"),
    [
        ("information retrieval", ["cs.IR"]),
        ("what is new in Retrieval Augmented Generation?", ["cs.CL", "cs.IR"]),
        ("continual learning", ["cs.LG"]),
        ("music information retrieval", ["cs.SD"]),  # the longest phrase, not cs.IR
        ("robots and elliptic curves", ["cs.RO", "math.NT"]),
        ("papers in q-fin.TR and cond-mat.str-el about robots", ["q-fin.TR", "cond-mat.str-el"]),
        ("quantum error correction", ["quant-ph"]),
        ("gardening", list(DEFAULT_CATEGORIES)),
        ("", list(DEFAULT_CATEGORIES)),
    ],
)
def test_categories(question: str, categories: list[str]):
    found = by_rules(question, ASKED)
    assert list(found.categories) == categories
    assert any("cs.LG, cs.AI, cs.RO, cs.CV and cs.CL were taken" in note for note in found.notes) == (
        question in ("gardening", "")
    )


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("robots today", "2026-03-18T00:00", "2026-03-18T09:30"),
        ("recent robots", "2026-03-11T09:30", "2026-03-18T09:30"),
        ("two weeks of robots", "2026-03-04T09:30", "2026-03-18T09:30"),
        ("robots of the last 2 weeks", "2026-03-04T00:00", "2026-03-18T09:30"),
        ("robots last month", "2026-02-01T00:00", "2026-03-01T00:00"),
        ("robots since January 2026", "2026-01-01T00:00", "2026-03-18T09:30"),
        ("robots in 2024", "2024-01-01T00:00", "2025-01-01T00:00"),
        ("robots as of June 2025", "2025-06-24T00:00", "2025-07-01T00:00"),
        ("robots", "2026-03-11T09:30", "2026-03-18T09:30"),
    ],
)
def test_times(question: str, first: str, last: str):
    found = by_rules(question, ASKED)
    ends = [instant(datetime.fromisoformat(each).replace(tzinfo=UTC)) for each in (first, last)]
    # an end that is no moment of now is the last instant before it
    assert abs(found.since - ends[0]) <= 1
    assert abs(found.until - ends[1]) <= 1
    assert found.until <= instant(ASKED)
    assert any("no time is named" in note for note in found.notes) == (
        question in ("robots", "robots as of June 2025")
    )


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("robots", 20), ("5 papers on robots", 5), ("the 12 newest papers on robots", 12),
        ("top 3 robots", 3),
        ("2 weeks of papers on robots", 20), ("9999 papers on robots", 500), ("robots of 2024", 20),
    ],
)  # fmt: skip
def test_how_many(question: str, papers: int):
    assert by_rules(question, ASKED).papers == papers


def test_every_category_of_the_table_is_one():
    titles = table().titles
    assert len(titles) > 150
    for name, title in titles.items():
        assert category(name) == name
        assert name in by_rules(title, ASKED).categories, title
    assert read("arxiv:" + "+".join(list(titles)[:200])).categories


@given(st.text(max_size=200))
def test_any_text_has_an_answer(question: str):
    found = by_rules(question, ASKED)
    assert 1 <= len(found.categories) <= 8
    assert found.since <= found.until <= instant(ASKED)
    assert 1 <= found.papers <= 500


def replying(reply: dict[str, Any]) -> ScriptedModel:
    return ScriptedModel([json.dumps(reply)] * 2)


def test_a_model_reads_the_question():
    reply = {"categories": ["cs.RO", "cs.ro", "eess"], "time_range_days": 3, "max_papers": 9}
    model = replying(reply)
    found = by_model("robots of 3 days", ASKED, model)
    assert (model.prompts[0].system, model.prompts[0].user) == (SYSTEM, "robots of 3 days")
    assert (found.categories, found.papers, found.by) == (("cs.RO", "eess.*"), 9, "model")
    assert found.until - found.since == 3 * 24 * 3600 * 10**6


@pytest.mark.parametrize(
    "reply",
    [
        {"categories": ["cs.XX"], "time_range_days": 3},
        {"categories": ["cs.RO OR all:x"], "time_range_days": 3},
        {"categories": ["cs.RO"], "time_range_days": 0},
        {"categories": ["cs.RO"], "time_range_days": 3, "max_papers": 10**9},
        {"categories": ["cs.RO"], "time_range_days": 3, "run": "rm"},
    ],
)
def test_what_a_model_says_is_checked(reply: dict[str, Any]):
    found = by_model("robots of 3 days", ASKED, replying(reply))
    rules = by_rules("robots of 3 days", ASKED)
    assert (found.categories, found.since, found.by) == (rules.categories, rules.since, "rules")
    assert found.notes[0].startswith("the model's reading is of no use")


def test_the_first_days_that_there_are():
    asked = datetime(1, 1, 2, tzinfo=UTC)
    model = replying({"categories": ["cs.IR"], "time_range_days": 30, "max_papers": 5})
    for wish in (by_rules("robots", asked), by_model("robots of 3 days", asked, model)):
        assert (wish.since, wish.until) == (FIRST, instant(asked))
