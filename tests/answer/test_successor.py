"""Who or what came after something: the earliest later statement of its kind, none of later than as-of."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import asof
from asof.answer.question import ParsedQuestion
from asof.text.question import read

NOTES = [
    asof.Document("r1", "Quill 1.2 was released on May 3, 2020.", "Quill 1.2", "2020-05-03"),
    asof.Document("r0", "Quill 1.1 was released on May 12, 2019.", "Quill 1.1", "2019-05-12"),
    asof.Document("x1", "Support for Quill 1.1 has ended.", "Quill 1.1", "2020-06-01"),
    asof.Document(
        "y1", "Inkwell for Quill 7 was released on July 1, 2020.", "Inkwell for Quill 7", "2020-07-01"
    ),
    asof.Document("r2", "Quill 1.3 was released on May 5, 2021.", "Quill 1.3", "2021-05-05"),
    asof.Document("r3", "Quill 1.4 was released on May 6, 2022.", "Quill 1.4", "2022-05-06"),
    asof.Document("m1", "Ada Holm is elected chair of the rope club.", "Minutes", "2019-02-02"),
    asof.Document("m2", "Ada Holm, chair of the rope club, opened the ropewalk.", "Ropewalk", "2020-01-01"),
    asof.Document("m3", "Bo Lind is elected chair of the rope club.", "Minutes of May", "2021-05-01"),
    asof.Document("m4", "Cleo Marsh is elected chair of the rope club.", "Minutes of June", "2023-06-01"),
]


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    with asof.open(tmp_path_factory.mktemp("successors")) as corpus:
        corpus.maintenance.background = False
        corpus.add(NOTES)
        yield corpus


@pytest.mark.parametrize(
    ("question", "as_of", "documents"),
    [
        ("Which version came after Quill 1.2?", "2024", ["r2", "r1"]),
        ("What replaced Quill 1.1?", "2024", ["r1", "r0"]),
        ("Who came after Ada Holm as chair of the rope club?", "2024", ["m3", "m1"]),
        ("Who succeeded Bo Lind as chair of the rope club?", "2024", ["m4", "m3"]),
    ],
)
def test_the_next_one_is_quoted_before_the_one_that_is_named(notes, question, as_of, documents):
    answer = notes.at(as_of).ask(question)
    assert [each.document for each in answer.citations] == documents


def test_what_came_later_than_the_moment_is_not_there(notes):
    answer = notes.at("2021-01-01").ask("Which version came after Quill 1.2?")
    assert not {"r2", "r3"} & {each.document for each in answer.citations}


AFTER = [
    ("Who came after Ada Holm as chair?", "Ada Holm"),
    ("Which version followed Quill 1.2 in 2021?", "Quill 1.2"),
    ("Who was the successor of Ada Holm?", "Ada Holm"),
    ("What replaced the Prudence?", "the Prudence"),
    ("When did Bo come after Ada?", ""),  # a time is asked for
    ("Who was replaced?", ""),
    ("Wer kam nach Ada Holm als Vorsitzende der Genossenschaft?", "Ada Holm"),
]


@pytest.mark.parametrize(("question", "after"), AFTER)
def test_what_a_question_for_a_successor_names(question, after):
    reading = read(question, datetime(2024, 7, 1, tzinfo=UTC), language="en de")
    assert ParsedQuestion.of(reading).after == after
