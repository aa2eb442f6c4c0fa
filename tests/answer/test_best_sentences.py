"""The sentences that answer, as they are quoted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.answer.evidence import QUOTE_CHARACTERS
from asof.values import Answer, Citation

Ask = Callable[..., Answer]
WEATHER = (
    " The weather was fair all over the coast for most of the week, and few people were seen outside." * 3
)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(question: str, *texts: str) -> Answer:
        documents = [doc(f"{at}", f"2022-0{at}-01", text, f"Note {at}") for at, text in enumerate(texts, 1)]
        with corpus_with(tmp_path, *documents) as corpus:
            return corpus.at().ask(question)

    return asked


def emphasised(citation: Citation) -> str:
    """The part of a quote that answers."""
    first, last = citation.emphasis or (0, len(citation.quote))
    return citation.quote[first:last]


def test_the_sentence_with_most_of_the_question_first(ask: Ask) -> None:
    made = ask(
        "Why was the old lighthouse painted green?",
        f"Ships pass the lighthouse at night.{WEATHER} The old lighthouse was painted green for the fair.",
    )
    assert not made.refused
    assert emphasised(made.citations[0]) == "The old lighthouse was painted green for the fair."
    assert len(made.citations[0].quote) <= QUOTE_CHARACTERS


def test_neighbours_stand_beside_it_as_far_as_they_fit(ask: Ask) -> None:
    made = ask(
        "Why was the old lighthouse painted green?",
        "The old lighthouse was painted green. The fair asked for it. Nobody was told.",
    )
    assert [each.quote for each in made.citations] == [
        "The old lighthouse was painted green. The fair asked for it. Nobody was told."
    ]
    assert emphasised(made.citations[0]) == "The old lighthouse was painted green."


def test_questions_and_single_words_answer_nothing(ask: Ask) -> None:
    made = ask(
        "Why was the old lighthouse painted green?",
        f"Why was the old lighthouse painted green?{WEATHER} Green lighthouse.{WEATHER} The fair wanted the"
        " lighthouse green.",
    )
    assert emphasised(made.citations[0]) == "The fair wanted the lighthouse green."
    assert not any(emphasised(each).endswith("?") for each in made.citations)


def test_items_of_a_list_below_what_introduces_them(ask: Ask) -> None:
    listed = "To paint the lighthouse green:\n\n- Close the gate to the rocks.\n- Mix the paint with oil.\n"
    made = ask("How is the lighthouse painted green?", f"{listed}\nNobody lives in it any more today.")
    assert made.citations[0].quote == (
        "To paint the lighthouse green: - Close the gate to the rocks. - Mix the paint with oil."
    )


def test_an_item_alone_where_others_tell_of_something_else(ask: Ask) -> None:
    made = ask(
        "Who paints the lighthouse green?",
        "# Work\n\n- Ada Marsh feeds the seven ducks.\n- Bo Lind paints the lighthouse green.\n"
        "- Cy Dunn mends all of the nets.\n",
    )
    assert made.citations[0].quote == "Bo Lind paints the lighthouse green."


def test_one_of_the_time_that_is_asked_about_first(ask: Ask) -> None:
    made = ask(
        "Who tended the old lighthouse from 1950 to 1955?",
        f"Ada Marsh tended the old lighthouse after 1970.{WEATHER} In 1950 Bo Lind moved in with two dogs.",
    )
    assert emphasised(made.citations[0]) == "In 1950 Bo Lind moved in with two dogs."


def test_what_is_superseded_stands_behind_what_is_in_force(ask: Ask) -> None:
    """Both have all words of the question; a later notice of the same title supersedes the first."""
    notice = "Mooring of visitors at the old quay costs {} crowns a night."
    made = ask("What is paid by visitors for mooring at the old quay?", *map(notice.format, ("nine", "ten")))
    assert [each.superseded is not None for each in made.citations] in ([False], [False, True])
    assert "ten crowns" in made.citations[0].quote


def test_a_row_of_a_table_behind_its_header(ask: Ask) -> None:
    table = (
        "| Bread | Price |\n|---|---|\n| Rye loaf of a kilo | 3 crowns |\n| Seed cake, small | 2 crowns |\n"
    )
    made = ask("How much is a rye loaf?", f"Prices of the bakery today.\n\n{table}")
    first = made.citations[0]
    assert first.quote == "| Bread | Price | … | Rye loaf of a kilo | 3 crowns |"


def test_the_row_answers_and_not_the_header(ask: Ask) -> None:
    table = (
        "| Bread | Price |\n|---|---|\n| Rye loaf of a kilo | 3 crowns |\n| Seed cake, small | 2 crowns |\n"
    )
    made = ask("Why is a rye loaf of a kilo so dear?", f"Prices of the bakery today.\n\n{table}")
    assert emphasised(made.citations[0]) == "| Rye loaf of a kilo | 3 crowns |"


def test_quotes_of_one_passage_do_not_overlap(ask: Ask) -> None:
    text = (
        "The keeper paints the green lighthouse. He sings. The lighthouse is painted green in May, they say."
    )
    made = ask("Why is the lighthouse painted green?", f"{text}{WEATHER} The keeper likes green paint best.")
    quotes = [each.quote for each in made.citations]
    assert sum("He sings." in each for each in quotes) == 1
