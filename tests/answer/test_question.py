"""What a question asks for, in four languages; hostile questions are read in linear time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.support.growth import is_linear

from asof.answer.question import ParsedQuestion
from asof.text.question import read
from asof.time.moment import read as moment

ASKED_AT = datetime(2024, 7, 1, tzinfo=UTC)


def asked(question: str, language: str = "en de") -> ParsedQuestion:
    return ParsedQuestion.of(read(question, ASKED_AT, language=language))


NAMES = [
    ("What was the revenue of Brightwater Mills, Inc. in 2021?", ("Brightwater Mills, Inc.",)),
    ("What was Halden & Sons' operating income in 2020?", ("Halden & Sons",)),
    ("What did O'Brien's board decide in May 2021?", ("O'Brien",)),
    ("What is Ostrava Steel’s debt?", ("Ostrava Steel",)),
    (
        "Compare Birch Bay, Ostrava Steel and Fallow Co. in 2020.",
        ("Birch Bay", "Ostrava Steel", "Fallow Co."),
    ),
    ("who is Ida Brandt?", ("Ida Brandt",)),
    ("how old are Ida, Brandt and Otto?", ("Ida", "Brandt", "Otto")),
    ("what is a calderon?", ()),
    ("What was GAAP net income in 2020?", ()),
    ("What was the AFFO of Birch Bay in 2020?", ("Birch Bay",)),
    ("Who chairs the Bank of Orrin?", ("Bank of Orrin",)),
    ("Did Baltic Lines open a depot in Riga in 2022?", ("Baltic Lines", "Riga")),
    ("What did J.P. Morrow announce in May 2022?", ("J.P. Morrow",)),
    ("What did Calder's CEO Mira Voss say about China sales growth?", ("Calder", "Mira Voss")),
    ("(Birch) [Ostrava] {x} what?", ("Birch", "Ostrava")),
    ("Wie hoch war der Umsatz von Baltic Lines im zweiten Quartal 2020?", ("Baltic Lines",)),
    ("Wie viele Brote verkaufte Bäckerei Lindner im März 2021?", ("Bäckerei Lindner",)),
    ("Wer leitet die Werft Hansen GmbH?", ("Werft Hansen GmbH",)),
    ("Was sagte Mira Voss zum Umsatz und zur Marge?", ("Mira Voss",)),
    ("Wer war Kapitän der Prudence?", ()),
    ("Was kostete die einfache Fahrt in jedem Jahr?", ()),
]
TOPICS = [
    ("What were the revenue and the gross margin of Ostrava Steel in 2021?", ("revenue", "gross margin")),
    ("What was revenue, net debt as well as cash flow in 2020?", ("revenue", "net debt", "cash flow")),
    ("What was GAAP net income at Nordbank AG in 2019?", ("GAAP net income",)),
    ("What is the U.S. market share of Fallow Co.?", ("U.S. market share",)),
    ("what is the most recent fare?", ("fare",)),
    ("How many loaves did the bakery sell in March 2021?", ("loaves bakery sell",)),
    ("How did the crew of Otter Mills change in 2021?", ("crew",)),
    ("What happened in 2021?", ()),
    ("Wie hoch waren der Umsatz und die Marge der Nordbank AG 2021?", ("Umsatz", "Marge")),
    ("Wann war die letzte Fahrt?", ("letzte Fahrt",)),
    ("Was kostet ein Brot jetzt?", ("kostet Brot",)),
]
MEANT = [
    ("grain", "year", "What was the fare in each year?|Was kostete die Fahrt in jedem Jahr?"),
    (
        "grain",
        "quarter",
        "Which quarter of 2021 was the best?|Welches Quartal 2021 war das beste?",
    ),
    ("grain", "quarter", "How did sales change in every fiscal quarter of 2020?"),
    ("grain", "month", "sales per month in 2020|Umsatz je Monat 2021"),
    ("grain", None, "What was the revenue in the year 2020?|the revenue in the first quarter of 2020?"),
    ("superlative", 1, "Which quarter had the highest revenue?|Welches Jahr hatte den höchsten Umsatz?"),
    ("superlative", -1, "In which year was the fare lowest?|Welches Jahr hatte die geringste Marge?"),
    ("superlative", 0, "What is the most recent fare?|How high is it at most?|Who had at least ten votes?"),
    (
        "wants_value",
        True,
        "What was the fare in 2020?|How many votes were cast?|Wie hoch war der Umsatz?",
    ),
    ("wants_value", False, "Who chairs the board?"),
    ("overview", True, "Give an overview of the roof works in 2023.|Welche Themen gab es 2022?"),
    ("overview", True, "How did Calder develop from 2019 to 2023?|Why did Calder leave?"),
    ("overview", True, "How did the roof change between 2019 and 2023?|Wie hat sich die Fähre verändert?"),
    ("overview", True, "Why did the roof leak in 2019 and 2021?|What were the main points of the meeting?"),
    (
        "overview",
        True,
        "What happened to the ferry?|Was geschah 2021?|How did the fares evolve?",
    ),
    ("overview", False, "Who chairs the board?|How do I change the roof?|What is the main fare?"),
    ("overview", False, "How did sales change in every quarter of 2020?"),  # a table
    ("overview", False, "Why did the roof leak?"),  # neither one name nor a longer time
    ("overview", False, "What damages have happened to the ferry?|Was ist mit der Fähre passiert?"),
    ("current", True, "who is the harbour master?|What was the latest fare?|Wer ist Hafenmeister?"),
    ("current", False, "Who was the harbour master?|who is the harbour master in 2018?|Wer war Meister?"),
    ("forecast", True, "What was the expected revenue of Otter Mills?"),
    ("forecast", False, "What was the revenue of Otter Mills?"),
]


@pytest.mark.parametrize(("question", "names"), NAMES)
def test_names(question, names):
    assert asked(question).names == names


@pytest.mark.parametrize(("question", "topics"), TOPICS)
def test_topics(question, topics):
    assert asked(question).topics == topics


@pytest.mark.parametrize(("field", "value", "questions"), MEANT)
def test_what_kind_of_answer_is_wanted(field, value, questions):
    for question in questions.split("|"):
        assert getattr(asked(question), field) == value, question


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
    assert is_linear(lambda n: asked(piece * (n // len(piece))), 2_500)


def test_today_is_a_wish_and_no_time():
    assert asked("Who is the harbour master today?").times == ()
    assert asked("Wer ist heute Hafenmeister?").times == ()
    (year,) = asked("What did the harbour master say this year?").times
    assert year.start == ASKED_AT.replace(month=1)


def test_so_much_is_looked_for_at_once() -> None:
    names = tuple(f"Name{chr(97 + at)}" for at in range(20))
    years = ", ".join(map(str, range(1990, 2020)))
    question = f"fare and price and toll of {' and '.join(names)} in {years}"
    whole = asked(question)
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
        ("Quelle année a eu le meilleur résultat ?", ("résultat",), {"grain": "year", "superlative": 1}),
        ("¿Cuál era el precio del billete en 2019 y en 2023?", ("precio billete",), {"wants_value": True}),
        ("¿Qué pasó en marzo de 2021?", (), {"overview": True}),
        ("¿Cuáles fueron los ingresos de cada trimestre de 2021?", ("ingresos",), {"grain": "quarter"}),
        ("¿Cuáles eran el precio y la duración en 2021?", ("precio", "duración"), {}),
        ("tour de france dates 2013", ("tour de france dates",), {}),
    ],
)
def test_questions_in_french_and_spanish(question, topics, meant):
    found = asked(question, language="en fr es")
    assert found.topics == topics
    assert {name: getattr(found, name) for name in meant} == meant
