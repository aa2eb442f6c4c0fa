"""Which questions wish for what is newest, and which only look so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.time.intent import WISHES, recency, without_wishes


@pytest.mark.parametrize(
    "question",
    [
        "", "snow", "renewable energy", "New York", "do you know", "undercurrents", "as of 1850", "news",
        "currently-unknown", "concurrent writes", "the present", "in 2024", "todays", "month", "this monthly",
        "nowhere", "knowledge now-a-days", "recentness", "Heuteborn", "jetztzeit", "up to the date",
    ],
)  # fmt: skip
def test_no_wish(question: str) -> None:
    assert recency(question) == 0.0
    assert without_wishes(question) == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("current population of Oslo", "population of Oslo"),
        ("what is the most up-to-date schedule", "what is the schedule"),
        ("what happened this month?", "what happened ?"),
        ("Latest ferry times, right now", "ferry times,"),
        ("TODAY'S menu", "menu"),
        ("the most recent release", "the release"),
        ("aktuelle Fahrpläne", "Fahrpläne"),
        ("wer leitet derzeit die Werft", "wer leitet die Werft"),
        ("gegenwärtige Preise zur Zeit", "Preise"),
        ("Neueste Fassung", "Fassung"),
        ("(now) mill", "( ) mill"),
    ],
)
def test_a_wish_and_what_is_left_of_the_question(question: str, rest: str) -> None:
    assert recency(question) == 1.0
    assert without_wishes(question).split() == rest.split()


@pytest.mark.parametrize("quoted", ['"right now"', "“right now”", "„heute“", "„jetzt”", "«latest»"])
def test_what_is_quoted_is_left_alone(quoted: str) -> None:
    assert without_wishes(f"who sang {quoted} latest").split() == f"who sang {quoted}".split()


def test_an_unclosed_quotation_mark_is_a_character() -> None:
    assert without_wishes('12" latest screen').split() == ['12"', "screen"]


@pytest.mark.parametrize("question", ["latest", "  now  ", "latest now?", "aktuell!"])
def test_a_question_that_is_nothing_but_a_wish_is_kept(question: str) -> None:
    assert recency(question) == 1.0
    assert without_wishes(question) == question


@pytest.mark.parametrize("wish", WISHES)
def test_every_wish_is_found_in_whatever_case_and_only_as_whole_words(wish: str) -> None:
    for said in (wish, wish.upper(), f"mill {wish}, boat"):
        assert recency(said) == 1.0
    assert without_wishes(f"mill {wish} boat").split() == ["mill", "boat"]
    assert recency(f"x{wish}y") == 0.0


@given(st.text(max_size=60))
def test_any_text(question: str) -> None:
    rest = without_wishes(question)
    assert rest == question or recency(question) == 1.0


def test_a_very_long_text_takes_no_time() -> None:
    assert recency("most up " * 20_000) == 0.0
    assert without_wishes('"' * 50_001) == '"' * 50_001
    assert without_wishes("„" * 5_000) == "„" * 5_000
