"""Which questions wish for what is newest, which only look so, and which way in time they look."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.lang import codes, every
from asof.time.expressions import TimeMention
from asof.time.intent import (
    INSTANCE,
    NONE,
    PRESENT,
    STATE,
    WISHED,
    intent,
    phrases,
    recency,
)
from asof.time.span import Span

ANCHOR = datetime(2024, 5, 1, tzinfo=UTC)


def without_wishes(question: str, language: str = every("intent")) -> str:
    """The question without the words that only wish for the newest."""
    pieces, start = [], 0
    for begin, end in intent(question, language=language).wishes:
        pieces.append(question[start:begin])
        start = end
    return " ".join((*pieces, question[start:]))


@pytest.mark.parametrize(
    "question",
    [
        "", "snow", "renewable energy", "New York", "undercurrents", "as of 1850", "news",
        "currently-unknown", "concurrent writes", "the present", "in 2024", "todays", "month", "this monthly",
        "nowhere", "knowledge now-a-days", "recentness", "Heuteborn", "jetztzeit", "up to the date",
        "the New York Times", "mill boat", "what is photosynthesis", "why do mills turn",
        "how to mend a sail",
        # the word is a noun, a name or a phrase of its own
        "what is electric current", "how do ocean currents flow", "how is electric current measured",
        "a strong current", "current and voltage", "against the current", "why do current events matter",
        "the now defunct mill", "the now silent mill", "Apocalypse Now sequel plot", "a present for Ann",
        # it is only the point of reference
        "the owner before the current owner", "predecessor of the current captain",
        "prior to the latest flood",
        # the past is asked for
        "history of the mill", "who was the first captain", "when did the mill open", "all mills ever",
        "for the first time", "when was the last time it sank", "who owned it in 1990", "the original sails",
    ],
)  # fmt: skip
def test_no_wish(question: str) -> None:
    assert recency(question) == NONE
    assert without_wishes(question) == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("current population of Oslo", "population of Oslo"),
        ("oslo current population", "oslo population"),
        ("What is Oslo's current population?", "What is Oslo's population?"),
        ("the current and previous owners", "the and previous owners"),
        ("is the list still current", "is the list still"),
        ("what is the most up-to-date schedule", "what is the schedule"),
        ("what happened this month?", "what happened ?"),
        ("this year's regatta", "regatta"),
        ("Latest ferry times, right now", "ferry times,"),
        ("TODAY'S menu", "menu"),
        ("the most recent release", "the release"),
        ("as it stands, who owns the mill", ", who owns the mill"),
        ("ferry times these days", "ferry times"),
        ("what's new in the harbour", "in the harbour"),
        ("which mills are now open", "which mills are open"),
        ("Did the Mill Burn Today", "Did the Mill Burn"),
        ("what is the latest on the 2015 flood", "what is the on the 2015 flood"),
        ("the present owner", "the owner"),
        ("aktuelle Fahrpläne", "Fahrpläne"),
        ("wer leitet derzeit die Werft", "wer leitet die Werft"),
        ("gegenwärtige Preise zur Zeit", "Preise"),
        ("Neueste Fassung", "Fassung"),
        ("(now) mill", "( ) mill"),
    ],
)
def test_a_wish_and_what_is_left_of_the_question(question: str, rest: str) -> None:
    assert recency(question) == WISHED
    assert without_wishes(question).split() == rest.split()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who is the captain of the ferry", STATE),
        ("who's the captain", STATE),
        ("what is the depth of the harbour", STATE),
        ("what is Ann's address", STATE),
        ("where does Ann live", STATE),
        ("how many boats does she have", STATE),
        ("is he still the captain", STATE),
        ("floods in the last two weeks", STATE),
        ("who won the last regatta", INSTANCE),
        ("when is the next regatta", STATE),
        ("will the ferry run tomorrow", STATE),
        ("what are the rules", PRESENT),
        ("is the mill open", PRESENT),
        ("do you know", PRESENT),
        ("who won the regatta", INSTANCE),
        ("how many boats did she have", INSTANCE),
        ("which boat was lost", INSTANCE),
        ("wer ist der Kapitän", STATE),
        ("wo wohnt Ann", INSTANCE),  # no verb of the lists: read like "who won"
    ],
)
def test_a_weaker_wish_by_the_structure(question: str, expected: float) -> None:
    assert recency(question) == expected
    assert without_wishes(question) == question


@pytest.mark.parametrize(
    "quoted", ['"right now"', "“right now”", "„heute“", "„jetzt”", "«latest»", "'newest'"]
)
def test_what_is_quoted_is_left_alone(quoted: str) -> None:
    assert without_wishes(f"who sang {quoted} latest").split() == f"who sang {quoted}".split()
    assert without_wishes(quoted) == quoted


def test_a_whole_question_in_quotation_marks_is_no_quotation() -> None:
    assert intent('"what is the current depth?"').wishes == ((13, 20),)
    assert intent('"what is" the "current depth?"').wishes == ()


def test_an_unclosed_quotation_mark_is_a_character() -> None:
    assert without_wishes('12" latest screen').split() == ['12"', "screen"]
    assert without_wishes("the mills' latest owner").split() == ["the", "mills'", "owner"]


@pytest.mark.parametrize("question", ["latest", "  now  ", "latest now?", "aktuell!", "current"])
def test_a_question_that_is_nothing_but_a_wish_wishes(question: str) -> None:
    assert recency(question) == WISHED


WISHES = {
    language: sorted(
        " ".join((first, *rest))
        for first, options in phrases(language).items()
        for rest, kind in options
        if kind.startswith("wish.") and kind != "wish.adjective"
    )
    for language in codes("intent")
}


@pytest.mark.parametrize("language", codes("intent"))
def test_every_wish_is_found_in_whatever_case_and_only_as_whole_words(language: str) -> None:
    for wish in WISHES[language]:
        for said in (wish, wish.upper(), f"mill {wish}, boat"):
            assert recency(said, language) == WISHED, said
        assert without_wishes(f"mill {wish} boat", language).split() == ["mill", "boat"]
        if " " not in wish:
            assert recency(f"x{wish}y", language) == NONE


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("what is the latest on the flood", "recent"),
        ("who is the current captain", "recent"),
        ("water level today", "recent"),
        ("history of the mill", "past"),
        ("when did the mill burn", "past"),
        ("what was the weather yesterday", "past"),
        ("boat race of 1990", "past"),
        ("upcoming regattas", "future"),
        ("when is the next ferry", "future"),
        ("will the mill open again", "future"),
        ("regatta 2031", "future"),
        ("difference between a boat and a ship", "timeless"),
        ("how to mend a sail", "timeless"),
        ("wann fährt die nächste Fähre", "future"),
        ("Geschichte der Mühle", "past"),
        ("wer leitet derzeit die Werft", "recent"),
    ],
)
def test_direction(question: str, direction: str) -> None:
    assert intent(question, (), ANCHOR, every("intent")).direction == direction


def test_a_past_date_outweighs_the_wish_and_a_present_one_does_not() -> None:
    assert intent("current depth in 1990", (), ANCHOR).recency == NONE
    assert intent("current depth in 1990", (), ANCHOR).wishes == ()
    assert intent("current depth in 2024", (), ANCHOR).recency == WISHED
    assert intent("latest on the flood of 1990", (), ANCHOR).recency == WISHED
    assert intent("latest depth as of 1990", (), ANCHOR).recency == WISHED
    assert intent("current depth in 1990").recency == WISHED  # nobody knows when this is asked


def mention(question: str, said: str, start: datetime | None, end: datetime | None) -> TimeMention:
    at = question.index(said)
    span = Span(start, end)
    return TimeMention(said, at, at + len(said), span, "day", "in", span)


def test_mentions_tell_where_a_date_lies() -> None:
    question = "who kept the mill in the flood week"
    april, may, june = (datetime(2024, month, 3, tzinfo=UTC) for month in (4, 5, 6))
    past = mention(question, "the flood week", april, ANCHOR)  # it ends when the question is asked
    coming = mention(question, "the flood week", may, june)
    now = mention(question, "the flood week", april, may)
    since = mention(question, "the flood week", april, None)
    expected = [(past, "past"), (coming, "future")]
    assert [intent(question, (m,), ANCHOR).direction for m, _ in expected] == [side for _, side in expected]
    assert [intent(question, (m,), ANCHOR).recency for m in (past, coming, now, since)] == [
        NONE,
        STATE,
        STATE,
        STATE,
    ]
    assert intent(question, (past,)).recency == NONE


def test_a_mention_that_is_the_wish_is_no_date() -> None:
    question = "ferry times today"
    today = mention(question, "today", ANCHOR, datetime(2024, 5, 2, tzinfo=UTC))
    assert intent(question, (today,), ANCHOR) == intent(question, (), ANCHOR)


def test_faster_answers_have_more_volatility() -> None:
    questions = (
        "who wrote the song of the mill", "who owns the mill", "what is the current depth of the harbour",
        "what is the water level right now within the last hour",
    )  # fmt: skip
    speeds = [intent(question).volatility for question in questions]
    assert speeds == sorted(speeds)
    assert 0 < speeds[0] < 0.15
    assert 0.8 < speeds[-1] < 1


def test_reasons_name_what_decided() -> None:
    found = intent("who is the current captain of the ferry")
    assert found.reasons[0] == "current"
    assert "captain" in found.reasons
    assert intent("history of the mill").reasons[0] == "history of"
    assert intent("who is she").reasons[0] == "who + present"


def test_unknown_languages_are_read_as_english() -> None:
    assert intent("the latest depth", language="xx") == intent("the latest depth")
    assert recency("wer leitet derzeit die Werft", "en") == NONE
    assert recency("wer leitet derzeit die Werft", "fr,de") == WISHED
    assert recency("who leads the yard now", "de") == WISHED


SHAPES = (
    "who is the current {} of the {}", "what is the latest {} {}", "{} {} today", "who {} the {}",
    "history of {}", "when did the {} {}", "how many {} does the {} {}", "the {} before the current {}",
    "is {} still {}", "when is the next {}", "how to {} a {}", "{} in 1990", "the now {} {}",
    "what {} are now {}", "{} {} 2031", "how is {} current {}", "most recent {} by the {}", "why do {} {}",
    "where does {} {} these days",
)  # fmt: skip
NONSENSE = st.text("bdfglkmprvz", min_size=4, max_size=8).map(lambda word: f"{word}u")


@given(st.sampled_from(SHAPES), st.lists(NONSENSE, min_size=6, max_size=6))
def test_no_other_word_has_a_say(shape: str, words: list[str]) -> None:
    known = ["mill", "boats", "harbour"]
    gaps = shape.count("{}")
    one, other = shape.format(*known[:gaps]), shape.format(*words[:gaps])
    found, again = intent(one, (), ANCHOR), intent(other, (), ANCHOR)
    assert (found.recency, found.direction, found.volatility) == (
        again.recency,
        again.direction,
        again.volatility,
    )
    assert [one[slice(*wish)] for wish in found.wishes] == [other[slice(*wish)] for wish in again.wishes]


PIECES = st.sampled_from(
    (
        "now",
        "Current",
        "the",
        "before",
        "'",
        '"',
        "„",
        "’s",
        "-",
        " ",
        "?",
        "2013",
        "in",
        "İ",
        "ß",
        "who",
        "is",
        "\n",
    )
)


@given(
    st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=20).map("".join)),
    st.sampled_from(("en", "de", every("intent"))),
)
def test_any_text(question: str, language: str) -> None:
    found = intent(question, (), ANCHOR, language)
    assert 0 <= found.recency <= 1
    assert 0 <= found.volatility <= 1
    assert not found.wishes or found.recency == WISHED
    ends = [end for wish in found.wishes for end in wish]
    assert ends == sorted(ends)
    assert all(re.search(r"\w", question[start:end]) for start, end in found.wishes)
    rest = without_wishes(question)
    assert rest == question or recency(question) == WISHED


@pytest.mark.parametrize(
    "piece", ["most up ", "the the now ", "Now A ", "now 2013 ", '"', "„", "'", "’s", "a-"]
)
def test_a_very_long_text_takes_no_time(piece: str) -> None:
    question = piece * 20_000
    assert intent(question, (), ANCHOR).recency in (NONE, WISHED)
    assert without_wishes('"' * 50_001) == '"' * 50_001
