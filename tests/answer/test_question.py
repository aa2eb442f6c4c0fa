"""What a question asks for, in four languages, in linear time."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import TIMES, is_linear

from asof.answer.question import ParsedQuestion, periods_named
from asof.corpus.asking import LONGEST_QUESTION
from asof.text.question import read
from asof.time.moment import read as moment
from asof.time.span import GRAINS, Period, label

ASKED_AT = datetime(2024, 7, 1, tzinfo=UTC)
read_at = partial(read, asked_at=ASKED_AT)


def asked(question: str, language: str = "en de fr es") -> ParsedQuestion:
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
    ("Quel était le prix du billet en 2019 et en 2023 ?", ("prix billet",)),
    ("Qui est le maire actuel ?", ("maire",)),
    ("Combien coûte un billet ?", ("coûte billet",)),
    ("Que s'est-il passé en mars 2021 ?", ()),
    ("Quelle année a eu le meilleur résultat ?", ("résultat",)),
    ("¿Cuáles fueron los ingresos de cada trimestre de 2021?", ("ingresos",)),
    ("¿Cuáles eran el precio y la duración en 2021?", ("precio", "duración")),
    ("tour de france dates 2013", ("tour de france dates",)),
]
MEANT = [
    ("grain", "year", "Quelle année a eu le meilleur résultat ?"),
    ("grain", "quarter", "¿Cuáles fueron los ingresos de cada trimestre de 2021?"),
    ("superlative", 1, "Quelle année a eu le meilleur résultat ?"),
    ("wants_value", True, "Quel était le prix du billet en 2019 et en 2023 ?|Combien coûte un billet ?"),
    ("wants_value", True, "¿Cuál era el precio del billete en 2019 y en 2023?"),
    ("overview", True, "Que s'est-il passé en mars 2021 ?|¿Qué pasó en marzo de 2021?"),
    ("current", True, "Qui est le maire actuel ?|Combien coûte un billet ?"),
    ("after", "Ada Holm", "Who came after Ada Holm as chair?|Who was the successor of Ada Holm?"),
    ("after", "Ada Holm", "Wer kam nach Ada Holm als Vorsitzende der Genossenschaft?"),
    ("after", "Quill 1.2", "Which version followed Quill 1.2 in 2021?"),
    ("after", "Ada Holm", "Who was chair after Ada Holm?|Wer war Vorsitzende nach Ada Holm?"),
    ("before", "Ada Holm", "Who was chair before Ada Holm?|Who preceded Ada Holm as chair?"),
    ("before", "", "Who was chair before Ada Holm left?|Who spoke before noon?|Who came after Ada Holm?"),
    ("after", "the Prudence", "What replaced the Prudence?"),
    ("after", "", "When did Bo come after Ada?|Who was replaced?"),  # a time is asked for; nobody is named
    ("grain", "year", "What was the fare in each year?|Was kostete die Fahrt in jedem Jahr?"),
    ("grain", "quarter", "Which quarter of 2021 was the best?|Welches Quartal 2021 war das beste?"),
    ("grain", "quarter", "How did sales change in every fiscal quarter of 2020?"),
    ("grain", "month", "sales per month in 2020|Umsatz je Monat 2021"),
    ("grain", None, "What was the revenue in the year 2020?|the revenue in the first quarter of 2020?"),
    ("superlative", 1, "Which quarter had the highest revenue?|Welches Jahr hatte den höchsten Umsatz?"),
    ("superlative", -1, "In which year was the fare lowest?|Welches Jahr hatte die geringste Marge?"),
    ("superlative", 0, "What is the most recent fare?|How high is it at most?|Who had at least ten votes?"),
    ("wants_value", True, "What was the fare in 2020?|How many votes were cast?|Wie hoch war der Umsatz?"),
    ("wants_value", False, "Who chairs the board?"),
    ("overview", True, "Give an overview of the roof works in 2023.|Welche Themen gab es 2022?"),
    ("overview", True, "How did Calder develop from 2019 to 2023?|Why did Calder leave?"),
    ("overview", True, "How did the roof change between 2019 and 2023?|Wie hat sich die Fähre verändert?"),
    ("overview", True, "Why did the roof leak in 2019 and 2021?|What were the main points of the meeting?"),
    ("overview", True, "What happened to the ferry?|Was geschah 2021?|How did the fares evolve?"),
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


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long may a loaf be kept?", "duration"),
        ("How many days off do we get?", "duration"),  # not a count
        ("What percentage of the fare is refunded?", "share"),
        ("From which version on is it the default?", "version"),
        ("Who bakes on Sundays?", "person"),
        ("When was the mill sold?", "date"),
        ("how much is a loaf", "money"),
        ("How many mills are there?", "count"),
        ("Wie lange gilt die Fahrkarte?", "duration"),
        ("Combien coûte le pain ?", "money"),
        ("Where is the mill?", ""),
    ],
)
def test_the_kind_of_value_that_is_asked_for(question, kind):
    assert asked(question).value_kind == kind


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("what does EOS stand for?", "stand"), ("how much do I earn a month?", "earn"),
        ("Wich loaf is the best?", "wich"), ("When was the fare raised?", "raised"),
    ],
)  # fmt: skip
def test_words_that_only_say_what_is_asked_for(question, asking):
    assert asking in asked(question).asking
    assert asked(question).asking.isdisjoint({"eos", "month", "loaf", "fare"})


@pytest.mark.parametrize(
    ("question", "times"),
    [
        ("How many loaves do I get in a week?", 0),  # per week
        ("How much leave do we get in a year?", 0),
        ("What happens in a year?", 1),
    ],
)
def test_a_rate_is_no_time(question, times):
    assert len(read_at(question).mentions) == times


def test_times_are_those_of_the_reading_and_no_part_of_names_or_things():
    found = asked("What was the revenue of Birch Bay in March 2021 and in 2022?")
    assert found.times == (moment("2021-03"), moment("2022"))
    assert (found.names, found.topics) == (("Birch Bay",), ("revenue",))


HOSTILE = [
    "Aa ", "Aa b ", "A's ", "Aa, ", "the Aa of ", "Aa and ", "(", "[", "\\", "Co. ", "Inc., ", "& ",
    "der Aa ", "was ", "a", "A", "’", "every ", "der schöne ", "CEO ", "Calder ", "Fern & ", "\ud800",
    "\x00", "ß",
]  # fmt: skip


NUMBERS = itertools.count()


@pytest.mark.parametrize("piece", HOSTILE, ids=lambda piece: ascii(piece))
def test_hostile_questions_take_linear_time(piece):
    """Each is another question, since the last ones are kept."""

    def work(n: int) -> None:
        asked(f"x{next(NUMBERS)} {piece * (n // len(piece))}"[:n])

    assert is_linear(work, LONGEST_QUESTION // TIMES)


def test_today_is_a_wish_and_no_time():
    assert asked("Who is the harbour master today?").times == ()
    assert asked("Wer ist heute Hafenmeister?").times == ()
    (year,) = asked("What did the harbour master say this year?").times
    assert year.start == ASKED_AT.replace(month=1)


@pytest.mark.parametrize(
    ("question", "periods"),
    [
        ("What was the fare from 2019 to 2021?", ["2019", "2020", "2021"]),
        ("What was the fare from Q4 2019 to Q1 2020 and in 2022?", ["2019-Q4", "2020-Q1", "2022"]),
        ("What was the fare in 2019/20?", ["2019-01-01 to 2020-12-31"]),  # a year of its own
        ("What was the fare in the 1990s?", ["1990-01-01 to 1999-12-31"]),
        ("What was the fare from 1900 to 1990?", ["1900-01-01 to 1990-12-31"]),  # too many
        ("Who lived here from 2019 to 2021?", ["2019-01-01 to 2021-12-31"]),  # no figure
    ],
)
def test_a_range_is_asked_for_in_its_years_or_quarters(question: str, periods: list[str]) -> None:
    whole = asked(question)
    assert [label(each) for each in whole.periods] == periods
    assert whole.asks_for_table == (len(periods) > 1)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How many boats did Esker and Tarn have in 2020?", ("Esker", "Tarn")),
        ("How much did Esker, Tarn and Otter Mills earn in 2020?", ("Esker", "Tarn", "Otter Mills")),
    ],
)
def test_what_is_joined_to_a_name_is_one(question: str, names: tuple[str, ...]) -> None:
    assert asked(question).names == names


def test_how_high_is_no_topic() -> None:
    assert asked("How high was the interest rate in 2019 and 2020?").topics == ("interest rate",)
    assert asked("How high was the interest rate in 2019 and 2020?").asks_for_table


# -- the times that a question names ---------------------------------------------------------------------


def days(first: str, last: str) -> range:
    return range(date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal() + 1)


@given(
    spans=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 9)), min_size=1, max_size=3),
    grain=st.sampled_from(GRAINS),
)
def test_the_count_is_that_of_all_periods(spans, grain):
    """Whatever the times and however they overlap: counted by hand, day by day."""
    mentions, held = [], set()
    for first, years in spans:
        text = f"from {1930 + first} to {1930 + first + years}"
        mentions.append(text)
        for each in days(f"{1930 + first}-01-01", f"{1930 + first + years}-12-31"):
            held.add(Period.of(date.fromordinal(each), grain))
    named = periods_named(read_at(f"fares {' and '.join(mentions)}"), grain)
    assert len(named.words) + named.beyond == len(held)
    assert set(named.words) <= set(map(str, held))


def test_the_moment_of_a_question_is_no_time_that_it_asks_about():
    asked = read_at("the fares in each quarter of 2019 as of June 2021")
    assert periods_named(asked, "quarter") == (tuple(f"2019-Q{n}" for n in (1, 2, 3, 4)), 0)
    assert periods_named(read_at("the fares as of June 2021"), None) == ((), 0)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("What are the sales and costs of A?", ("sales", "costs")),
        ("Who looks after the boiler and what does it cost?", ("looks after boiler cost",)),
        ("Wer leitet das Amt und wann ist es offen?", ("leitet Amt offen",)),
    ],
)
def test_two_questions_in_one_are_no_table(text: str, topics: tuple[str, ...]) -> None:
    parsed = asked(text)
    assert parsed.topics == topics
    assert parsed.asks_for_table == (len(topics) > 1)
