"""Answers by quotes: what they cite, their tables, their refusals, and what they say they leave out."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc

from asof.answer.extractive import MAX_QUOTES
from asof.time.moment import read
from asof.values import Heading

QUARTERS = ((1, "March", "10", "30"), (2, "June", "12", "28"), (3, "September", "11", "31"))


@pytest.fixture(scope="module")
def mills(tmp_path_factory):
    """Two firms, three quarters; one of them says its margin too."""
    documents = []
    for q, month, otter, margin in QUARTERS:
        text = f"Revenue was ${otter} million in the quarter. The gross margin was {margin}%."
        documents.append(doc(f"otter {q}", f"2023-{q * 3:02}-25", text, f"Otter Mills Q{q} 2023"))
        text = f"Revenue was ${q} million, as {month} was dry."
        documents.append(doc(f"heron {q}", f"2023-{q * 3:02}-26", text, f"Heron Rail Q{q} 2023"))
    documents.append(doc("lunch", "2023-07-01", "Otter Mills serves lunch at noon.", "Lunch"))
    with corpus_with(tmp_path_factory.mktemp("mills"), *documents) as corpus:
        yield corpus


@pytest.fixture
def ask(mills):
    return lambda question, as_of=None, **options: mills.at(as_of).ask(question, mode="local", **options)


def test_a_single_sentence_is_quoted_with_its_source_and_date(ask):
    made = ask("What was the gross margin of Otter Mills in Q2 2023?")
    assert made.text == "[1] “The gross margin was 28%.” (Otter Mills Q2 2023, 2023-06-25)"
    assert (made.refused, made.reason, made.mode, made.by, made.cost) == (
        False,
        "",
        "local",
        "extractive",
        None,
    )
    (citation,) = made.citations
    assert (citation.n, citation.document, citation.quote) == (1, "otter 2", "The gross margin was 28%.")
    assert citation.id.startswith("otter 2#")
    assert made.values == ()


def test_every_quote_is_a_sentence_of_its_passage(mills, ask):
    made = ask("What were the revenue and the gross margin of Otter Mills in each quarter of 2023?")
    assert len(made.citations) == 6
    for each in made.citations:
        assert each.quote in mills.at().text(each.document)


def test_a_table_in_order_of_time(ask):
    made = ask("What was the revenue of Otter Mills and Heron Rail in Q1 2023 and Q3 2023?")
    assert [(each.name, each.period, each.measure, each.value) for each in made.values] == [
        ("Otter Mills", "2023-Q1", "revenue", "$10 million"),
        ("Otter Mills", "2023-Q3", "revenue", "$11 million"),
        ("Heron Rail", "2023-Q1", "revenue", "$1 million"),
        ("Heron Rail", "2023-Q3", "revenue", "$3 million"),
    ]
    cited = {each.n: each for each in made.citations}
    for value in made.values:
        assert value.value in cited[value.citation].quote
    assert made.text.splitlines()[0] == "Otter Mills  2023-Q1  revenue: $10 million [1]"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which quarter of 2023 had the highest revenue for Otter Mills?",
         "highest: Otter Mills  2023-Q2, $12 million"),
        ("In which quarter of 2023 was the gross margin of Otter Mills lowest?",
         "lowest: Otter Mills  2023-Q2, 28%"),
    ],
)  # fmt: skip
def test_one_of_several_is_chosen(ask, question, first):
    assert ask(question).text.splitlines()[0] == first


def test_nothing_is_chosen_where_not_all_can_be_compared(tmp_path):
    with corpus_with(
        tmp_path,
        doc("a", "2023-03-25", "Revenue was $10 million.", "Otter Mills Q1 2023"),
        doc("b", "2023-06-25", "Revenue was €12 million.", "Otter Mills Q2 2023"),
    ) as corpus:
        made = corpus.at().ask("Which quarter of 2023 had the highest revenue for Otter Mills?")
    assert [each.value for each in made.values] == ["$10 million", "€12 million"]
    assert not made.text.startswith("highest")


def test_a_figure_is_shown_where_no_fact_says_the_word(tmp_path):
    fares = [
        doc(
            year,
            f"{year}-04-01",
            f"# Fares {year}\n\nTicket: {price}",
            outline=(Heading(0, 1, f"Fares {year}"),),
        )
        for year, price in (("2019", "€4.20"), ("2020", "€4.50"))
    ]
    with corpus_with(tmp_path, *fares) as corpus:
        made = corpus.at().ask("what was the fare in each year?")
    assert [(each.period, each.value) for each in made.values] == [("2019", "€4.20"), ("2020", "€4.50")]


def test_what_was_not_found_is_said(ask):
    made = ask("What was the gross margin of Otter Mills and Heron Rail in Q1 2023?")
    assert not made.refused
    assert made.notes == ("not found for Heron Rail 2023-Q1: gross margin",)


REFUSED = [
    ("What was the revenue of Otter Mills in 2031?", "nothing about Otter Mills is known of 2031;"),
    ("What revenue did Quince Partners have in 2023?", "no passage that was found mentions Quince Partners"),
    ("Who feeds the zebras of Otter Mills?", "no passage has: feeds, zebras"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "reason"), REFUSED)
def test_what_is_not_said_is_refused_with_the_reason(ask, question, reason):
    made = ask(question)
    assert made.refused
    assert made.reason.startswith(reason)
    first, label, *nearest = made.text.splitlines()
    assert (first, label) == (f"No answer: {made.reason}.", "Nearest:")
    assert len(nearest) == len(made.citations) == 3
    assert made.values == ()


def test_the_nearest_times_are_named(ask):
    reason = ask("What was the revenue of Otter Mills in 2031?").reason
    assert reason.endswith("the nearest times that are known: Q3 2023, 2023-09, Q2 2023")


def test_an_empty_corpus_knows_nothing(tmp_path):
    with corpus_with(tmp_path) as corpus:
        made = corpus.at().ask("What was the revenue in 2020?")
    assert (made.refused, made.reason) == (True, "nothing in this corpus matches the question")


def test_a_question_in_other_words_is_answered_by_the_best_sentences(tmp_path):
    with corpus_with(
        tmp_path,
        doc("a", "2022-10-07", "Bo Lind is elected warden by 141 votes.", "Result"),
        doc(
            "b",
            "2022-11-07",
            "The acclaimed rowing race was long. Yes. Who won it? Nobody knows who won it.",
            "Race",
        ),
    ) as corpus:
        made = corpus.at().ask("who lost the acclaimed rowing contest of poets in 2022?")
    first = "The acclaimed rowing race was long. Yes. Who won it? Nobody knows who won it."
    assert [each.quote for each in made.citations] == [first]


def test_nothing_is_known_before_it_was_published(ask):
    made = ask("What was the revenue of Otter Mills in Q3 2023?", as_of="2023-07-01")
    assert made.refused
    assert made.as_of == read("2023-07-01").last
    assert "Q3" not in made.text.replace("2023-Q3", "")


def test_at_most_so_many_sentences_are_quoted(tmp_path):
    many = [
        doc(f"d{year}", f"{year}-05-05", f"The fee was {year - 1900} euros.", f"Fee {year}")
        for year in range(1990, 1990 + MAX_QUOTES + 2)
    ]
    with corpus_with(tmp_path, *many) as corpus:
        made = corpus.at().ask("what was the fee in each year?")
    assert len(made.citations) == len(made.values) == MAX_QUOTES
    assert "2 more sentences were found and left out" in made.notes


def test_the_same_bits_for_the_same_question(ask):
    question = "What was the revenue of Otter Mills and Heron Rail in each quarter of 2023?"
    one, other = ask(question, as_of="2024"), ask(question, as_of="2024")
    assert (one.text, one.citations, one.values, one.notes) == (
        other.text,
        other.citations,
        other.values,
        other.notes,
    )


@pytest.mark.parametrize(
    ("question", "as_of", "notes"),
    [
        ("Who audited lunch at Otter Mills?", "2024", ("of the question no passage has: audited",)),
        ("Who serves lunch at Otter Mills?", "2024", ()),
        ("Who serves lunch at Otter Mills?", "2023-06-30", None),
    ],
)
def test_words_that_nothing_says_are_named(ask, question, as_of, notes):
    """Before July 2023 nothing says "serves" or "lunch": a refusal says so itself."""
    made = ask(question, as_of=as_of)
    assert (None if made.refused else made.notes) == notes
