"""Sources that contradict each other: refused, unless one is the later word."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc


@pytest.fixture
def ask(tmp_path):
    def run(question, *documents, **options):
        with corpus_with(tmp_path, *documents) as corpus:
            return corpus.at(**options).ask(question, mode="local")

    return run


BEFORE = {
    "a": "Rain fell for nine days and the sheep were moved uphill.",
    "b": "The warden measured on the morning after, with a rope and a stone.",
}


def flood(id_: str, published: str, height: str, title: str = "Esker", before: str = ""):
    """Two texts that have only the statement in common: so that neither is the later version of the other."""
    said = f"The height of the flood was {height} metres in March 2021."
    return doc(id_, published, f"{before or BEFORE[id_]} {said}", title)


def test_two_sources_of_one_time_that_do_not_agree_are_no_answer(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1"),
    )  # fmt: skip
    assert made.refused
    assert made.reason.startswith("the sources contradict each other: ")
    assert {each.document for each in made.citations} == {"a", "b"}
    assert [each.n for each in made.citations] == [1, 2]
    for each in made.citations:
        height = "2.4 metres" if each.document == "a" else "3.1 metres"
        assert f"{height} [{each.n}]" in made.reason
        assert f"[{each.n}] “The height of the flood was {height} in March 2021.”" in made.text
    assert made.values == ()


def test_figures_that_round_to_each_other_agree(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "2.43"),
    )  # fmt: skip
    assert not made.refused
    assert made.notes == ()


def test_statements_of_different_times_do_not_contradict_each_other(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"),
        doc("b", "2022-05-03", "The height of the flood was 3.1 metres in March 2022.", "Esker"),
    )
    assert [each.document for each in made.citations] == ["a"]


def test_without_a_time_too_statements_of_different_times_do_not_contradict_each_other(ask):
    made = ask(
        "What is the height of the flood?",
        flood("a", "2021-05-01", "2.4"),
        doc(
            "b", "2022-05-03", f"{BEFORE['b']} The height of the flood was 3.1 metres in March 2022.", "Esker"
        ),
    )
    assert not made.refused
    assert made.notes == ()


def test_a_document_does_not_contradict_itself(ask):
    said = " ".join(f"The height of the flood was {height} metres in March 2021." for height in (2.4, 3.1))
    made = ask("What was the height of the flood in March 2021?", doc("a", "2021-05-01", said, "Esker"))
    assert not made.refused
    assert made.notes == ()


def test_statements_of_different_things_do_not_contradict_each_other(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1", "Tarn"),
    )  # fmt: skip
    assert not made.refused


def test_without_a_time_the_later_one_is_told_and_what_it_contradicts(ask):
    made = ask(
        "What is the height of the flood?", flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1")
    )
    assert not made.refused
    assert [each.document for each in made.citations] == ["b"]
    assert made.notes == (
        "it contradicts “The height of the flood was 2.4 metres in March 2021.” (Esker, 2021-05-01)",
    )


def test_without_a_time_two_of_one_day_are_no_answer(ask):
    made = ask(
        "What is the height of the flood?", flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-01", "3.1")
    )
    assert made.refused
    assert made.reason.startswith("the sources contradict each other")


def test_what_was_said_before_its_time_was_over_was_a_forecast(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-03-01", "2.4"), flood("b", "2021-05-01", "3.1"),
    )  # fmt: skip
    assert [each.document for each in made.citations] == ["b"]
    assert made.notes[0].startswith("it contradicts “The height of the flood was 2.4 metres")


def test_what_was_not_yet_published_contradicts_nothing(ask):
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1"), as_of="2021-05-02",
    )  # fmt: skip
    assert not made.refused
    assert [each.document for each in made.citations] == ["a"]


def test_what_was_superseded_gives_way_whatever_time_is_asked_for(ask):
    rain = "It rained, and the flood came down to Esker."
    made = ask(
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4", before=rain), flood("b", "2021-05-03", "3.1", before=rain),
    )  # fmt: skip
    assert [each.document for each in made.citations] == ["b"]
    assert made.notes[0].startswith("it contradicts “The height of the flood was 2.4 metres")


def test_two_holders_of_an_office_of_one_day_are_no_answer(ask):
    made = ask(
        "Who is the harbour master of Esker?",
        doc("a", "2021-05-01", f"{BEFORE['a']}\n\nHarbour master: Ada Brandt.", "Esker"),
        doc("b", "2021-05-01", f"{BEFORE['b']}\n\nHarbour master: Bo Lind.", "Esker"),
    )
    assert made.refused
    assert "Ada Brandt [" in made.reason
    assert "Bo Lind [" in made.reason
