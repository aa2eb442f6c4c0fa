"""What a question asks for, in four languages; hostile questions are read in linear time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.support.growth import is_linear

from asof.answer.question import ParsedQuestion
from asof.text.question import read
from asof.time.moment import read as moment

ASKED_AT = datetime(2024, 7, 1, tzinfo=UTC)
KNOWN = ("Ida", "Brandt", "Kestrel Foundation", "Calder Corp.", "Fern & Fern", "Otter and Otter")


def asked(question: str, known: tuple[str, ...] = KNOWN, language: str = "en de") -> ParsedQuestion:
    return ParsedQuestion.of(read(question, ASKED_AT, language=language), known)


NAMES = [
    ("What was the revenue of Brightwater Mills, Inc. in 2021?", ("Brightwater Mills, Inc.",)),
    ("What was Brightwater Mills' gross margin in Q1 2022?", ("Brightwater Mills",)),
    ("What was Halden & Sons' operating income in 2020?", ("Halden & Sons",)),
    ("What did O'Brien's board decide in May 2021?", ("O'Brien",)),
    ("What is Ostrava Steel’s debt?", ("Ostrava Steel",)),
    ("What were the sales of Ostrava Steel and Halden Ltd. in 2021?", ("Ostrava Steel", "Halden Ltd.")),
    (
        "Compare Birch Bay, Ostrava Steel and Fallow Co. in 2020.",
        ("Birch Bay", "Ostrava Steel", "Fallow Co."),
    ),
    ("What was net income at Nordbank AG in 2019?", ("Nordbank AG",)),
    ("what did the kestrel foundation say about roofs?", ("Kestrel Foundation",)),
    ("what was calder's revenue?", ("Calder Corp.",)),
    ("what was CALDER PLC'S revenue?", ("Calder Corp.",)),
    ("What did Fern and Fern sell?", ("Fern & Fern",)),
    ("What did Otter & Otter sell?", ("Otter and Otter",)),
    ("who is Ida Brandt?", ("Ida Brandt",)),
    ("who is Ida Vogelsang?", ("Ida Vogelsang",)),
    ("who is Ida's Brandt?", ("Ida", "Brandt")),
    ("how old are Ida, Brandt and Otto?", ("Ida", "Brandt", "Otto")),
    ("what is a calderon?", ()),
    ("What was GAAP net income in 2020?", ()),
    ("What was EBITDA in 2020?", ()),
    ("What was the AFFO of Birch Bay in 2020?", ("Birch Bay",)),
    ("Who chairs the Bank of Orrin?", ("Bank of Orrin",)),
    ("Did Baltic Lines open a depot in Riga in 2022?", ("Baltic Lines", "Riga")),
    ("What did J.P. Morrow announce in May 2022?", ("J.P. Morrow",)),
    ("What did Calder's CEO Mira Voss say about China sales growth?", ("Calder Corp.", "Mira Voss")),
    ("(Birch) [Ostrava] {x} what?", ("Birch", "Ostrava")),
    ("Wie hoch war der Umsatz der Nordbank AG im Jahr 2021?", ("Nordbank AG",)),
    ("Wie hoch war der Umsatz von Baltic Lines im zweiten Quartal 2020?", ("Baltic Lines",)),
    ("Wie viele Brote verkaufte Bäckerei Lindner im März 2021?", ("Bäckerei Lindner",)),
    ("Wer leitet die Werft Hansen GmbH?", ("Werft Hansen GmbH",)),
    ("Was sagte Mira Voss zum Umsatz und zur Marge?", ("Mira Voss",)),
    ("Wer war Kapitän der Prudence?", ()),
    ("Wann war die letzte Fahrt?", ()),
    ("Was kostete die einfache Fahrt in jedem Jahr?", ()),
]
TOPICS = [
    ("What were the revenue and the gross margin of Ostrava Steel in 2021?", ("revenue", "gross margin")),
    ("What was revenue, net debt as well as cash flow in 2020?", ("revenue", "net debt", "cash flow")),
    ("What was GAAP net income at Nordbank AG in 2019?", ("GAAP net income",)),
    ("What is the U.S. market share of Fallow Co.?", ("U.S. market share",)),
    ("what is the most recent fare?", ("fare",)),
    ("How much does an adult single ticket cost now?", ("adult single ticket cost",)),
    ("How many loaves did the bakery sell in March 2021?", ("loaves bakery sell",)),
    ("How did the crew of Otter Mills change in 2021?", ("crew",)),
    ("How many votes did Bo Lind get?", ("votes",)),
    ("What happened in 2021?", ()),
    ("What?", ()),
    ("Wie hoch waren der Umsatz und die Marge der Nordbank AG 2021?", ("Umsatz", "Marge")),
    ("Wann war die letzte Fahrt?", ("letzte Fahrt",)),
    ("Was kostet ein Brot jetzt?", ("kostet Brot",)),
]
GRAINS = [
    ("What was the fare in each year?", "year"),
    ("Which quarter of 2021 had the highest revenue?", "quarter"),
    ("How did sales change in every fiscal quarter of 2020?", "quarter"),
    ("sales per month in 2020", "month"),
    ("What was the revenue in the year 2020?", None),
    ("What was the revenue in the first quarter of 2020?", None),
    ("Was kostete die Fahrt in jedem Jahr?", "year"),
    ("Welches Quartal 2021 hatte den höchsten Umsatz?", "quarter"),
    ("Umsatz je Monat 2021", "month"),
]
SUPERLATIVES = [
    ("Which quarter had the highest revenue?", 1),
    ("In which year was the fare lowest?", -1),
    ("What is the most recent fare?", 0),
    ("How high is the bridge at most?", 0),
    ("Who had at least ten votes?", 0),
    ("Welches Jahr hatte den höchsten Umsatz?", 1),
    ("Welches Jahr hatte die geringste Marge?", -1),
]
FLAGS = [
    ("What was the fare in 2020?", "wants_value", True),
    ("How many votes were cast?", "wants_value", True),
    ("Wie viele Stimmen gab es?", "wants_value", True),
    ("Wie hoch war der Umsatz?", "wants_value", True),
    ("Who chairs the board?", "wants_value", False),
    ("Give an overview of the roof works in 2023.", "overview", True),
    ("How did Calder develop from 2019 to 2023?", "overview", True),
    ("Welche Themen gab es 2022?", "overview", True),
    ("Who chairs the board?", "overview", False),
    ("How did the roof change between 2019 and 2023?", "overview", True),
    ("How did sales change in every quarter of 2020?", "overview", False),  # a table
    ("How do I change the roof?", "overview", False),
    ("Why did Calder leave?", "overview", True),
    ("Why did the roof leak in 2019 and 2021?", "overview", True),
    ("Why did the roof leak?", "overview", False),  # neither one name nor a longer time
    ("What were the main points of the meeting?", "overview", True),
    ("Wie hat sich die Fähre verändert?", "overview", True),
    ("who is the harbour master?", "current", True),
    ("Who was the harbour master?", "current", False),
    ("who is the harbour master in 2018?", "current", False),
    ("What was the latest fare?", "current", True),
    ("Wer ist Hafenmeister?", "current", True),
    ("Wer war Hafenmeister?", "current", False),
]


@pytest.mark.parametrize(("question", "names"), NAMES)
def test_names(question, names):
    assert asked(question).names == names


@pytest.mark.parametrize(("question", "topics"), TOPICS)
def test_topics(question, topics):
    assert asked(question).topics == topics


@pytest.mark.parametrize(("question", "grain"), GRAINS)
def test_the_grain_of_the_periods_that_are_each_asked_for(question, grain):
    assert asked(question).grain == grain


@pytest.mark.parametrize(("question", "superlative"), SUPERLATIVES)
def test_one_of_several_is_asked_for(question, superlative):
    assert asked(question).superlative == superlative


@pytest.mark.parametrize(("question", "flag", "set_"), FLAGS)
def test_what_kind_of_answer_is_wanted(question, flag, set_):
    assert getattr(asked(question), flag) is set_


def test_the_question_says_its_language_whatever_the_corpus_has():
    assert asked("Wann war die letzte Fahrt?", language="en").topics == ("letzte Fahrt",)
    assert asked("When was the last trip?", language="de").topics == ("last trip",)
    assert asked("", language="sv").names == ()


def test_times_are_those_of_the_reading_and_no_part_of_names_or_things():
    found = asked("What was the revenue of Birch Bay in March 2021 and in 2022?")
    assert found.times == (moment("2021-03"), moment("2022"))
    assert (found.names, found.topics) == (("Birch Bay",), ("revenue",))


HOSTILE = [
    "Aa ", "Aa b ", "A's ", "Aa, ", "the Aa of ", "Aa and ", "(", "[", "\\", "Co. ", "Inc., ", "& ",
    "der Aa ", "was ", "a", "A", "’", "every ", "der schöne ", "CEO ", "Calder ", "Fern & ", "\ud800",
    "\x00", "ß",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=lambda piece: ascii(piece))
def test_hostile_questions_take_linear_time(piece):
    known = (*KNOWN, "Aa", "(", "", "a*", "[x")
    assert is_linear(lambda n: asked(piece * (n // len(piece)), known), 2_500)


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("What happened in 2021?", True), ("What happened to the ferry?", True), ("Was geschah 2021?", True),
        ("What damages have happened to the ferry?", False), ("Was ist mit der Fähre passiert?", False),
        ("What is the main fare?", False), ("How did the fares evolve?", True),
    ],
)  # fmt: skip
def test_what_happened_at_large(question, whole):
    assert asked(question).overview is whole


def test_today_is_a_wish_and_no_time():
    assert asked("Who is the harbour master today?").times == ()
    assert asked("Who is the harbour master today?").current
    assert asked("Wer ist heute Hafenmeister?").times == ()
    (year,) = asked("What did the harbour master say this year?").times
    assert year.start == ASKED_AT.replace(month=1)


def test_a_forecast_is_asked_for_in_so_many_words():
    assert asked("What was the expected revenue of Otter Mills?").forecast
    assert not asked("What was the revenue of Otter Mills?").forecast


def test_so_much_is_looked_for_at_once() -> None:
    names = tuple(f"Name{chr(97 + at)}" for at in range(20))
    years = ", ".join(map(str, range(1990, 2020)))
    question = f"fare and price and toll of {' and '.join(names)} in {years}"
    whole = asked(question, names)
    found, note = whole.bounded()
    assert (whole.names, len(whole.topics), len(whole.times)) == (names, 3, 30)
    assert (found.names, found.topics, found.times) == (names[:16], whole.topics, whole.times[:20])
    assert note == (
        "the question has 20 names, 3 topics, 30 times; only the first 16, 3 and 20 are looked up"
    )
    assert found.bounded() == (found, "")


@pytest.mark.parametrize(
    ("question", "topics", "meant"),
    [
        ("Quel était le prix du billet en 2019 et en 2023 ?", ("prix billet",), {"wants_value": True}),
        ("Qui est le maire actuel ?", ("maire",), {"current": True}),
        ("Combien coûte un billet ?", ("coûte billet",), {"wants_value": True, "current": True}),
        ("Que s'est-il passé en mars 2021 ?", (), {"overview": True}),
        ("Quel était le revenu de chaque trimestre 2021 ?", ("revenu",), {"grain": "quarter"}),
        ("Quelle année a eu le meilleur résultat ?", ("résultat",), {"grain": "year", "superlative": 1}),
        ("Quels étaient le prix et la durée en 2021 ?", ("prix", "durée"), {}),
        ("¿Cuál era el precio del billete en 2019 y en 2023?", ("precio billete",), {"wants_value": True}),
        ("¿Quién es el alcalde actual?", ("alcalde",), {"current": True}),
        ("¿Qué pasó en marzo de 2021?", (), {"overview": True}),
        ("¿Cuáles fueron los ingresos de cada trimestre de 2021?", ("ingresos",), {"grain": "quarter"}),
        ("¿Cuáles eran el precio y la duración en 2021?", ("precio", "duración"), {}),
        ("tour de france dates 2013", ("tour de france dates",), {}),
    ],
)
def test_questions_in_french_and_spanish(question, topics, meant):
    found = asked(question, known=(), language="en fr es")
    assert found.topics == topics
    assert {name: getattr(found, name) for name in meant} == meant
