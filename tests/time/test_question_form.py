"""How a question asks, and in which tense."""

from __future__ import annotations

import pytest

from asof.time.intent import QuestionForm, cues, question_form, words_of


def read(question: str, language: str = "en") -> QuestionForm:
    return question_form(question, cues(question, words_of(question), language), (), None)


@pytest.mark.parametrize(
    ("question", "asks", "tense"),
    [
        ("who is the captain", "who", "present"),
        ("who's the captain", "who", "present"),
        ("who was the captain", "who", "past"),
        ("who sails", "who", "none"),
        ("which of the boats has won", "which", "perfect"),
        ("what year did the mill burn", "when", "past"),
        ("how many boats are lost", "quantity", "present"),
        ("how to mend a sail", "to", "none"),
        ("how long will it rain", "long", "future"),
        ("does it rain", "whether", "present"),
        ("did it rain", "whether", "past"),
        ("will it rain", "whether", "future"),
        ("the mill of my aunt", "keywords", "none"),
        ("upcoming regattas", "keywords", "none"),
        ("may 2013 regatta", "keywords", "none"),
        ("who of all the many old white painted boats is", "who", "none"),  # the verb is too far away
        ("", "keywords", "none"),
    ],
)
def test_structure(question: str, asks: str, tense: str) -> None:
    found = read(question)
    assert (found.asks, found.tense) == (asks, tense)
    assert found.structure == (asks if tense == "none" else f"{asks} + {tense}")


def test_german() -> None:
    assert read("wer war der Kapitän", "de").structure == "who + past"
    assert read("was ist ein Boot", "de").structure == "what + present"
    assert read("wie man Segel flickt", "de").asks == "to"


def test_the_first_cue_of_each_table() -> None:
    found = read("the next of the upcoming boats")
    assert found.first["future"].text == "next"
    assert found.first["word"].text == "the"
    assert "past" not in found.first


@pytest.mark.parametrize("word", ["1000", "2099", "2024-q1", "2024-03-05", "2019-2021"])
def test_a_year(word: str) -> None:
    assert read(f"mill {word}").sides == {"unknown"}


@pytest.mark.parametrize("word", ["0999", "2100", "١٩٩٠", "199", "19900", "2000-seat", "1990s", "2024-x"])
def test_no_year(word: str) -> None:
    assert read(f"mill {word}").sides == set()


def test_a_capital_tells_a_name_where_other_words_have_none() -> None:
    assert [cue.text for cue in read("who wrote Harbour Today").wishes] == []
    assert [cue.text for cue in read("who wrote it. Today").wishes] == ["today"]
    assert [cue.text for cue in read("Who Wrote Harbour Today").wishes] == ["today"]
    assert [cue.text for cue in read("who wrote it TODAY").wishes] == ["today"]
