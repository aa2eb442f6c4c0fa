"""The baseline QD-RAG of TG-RAG: each part of a question by itself."""

from __future__ import annotations

import pytest
from tests.support.answers import corpus_with, doc

from asof.answer.question import combined
from asof.extensions.lab.tgrag import QD_RAG

TEXTS = {
    "otter": "The revenue of Otter was 5 million euros in Q1 2023.",
    "heron": "The revenue of Heron was 7 million euros in Q1 2023.",
    "swan": "Swans are fed beside the mill on Sundays.",
    "mill": "The mill wheel turns in the water all day.",
}
BY_WORDS = QD_RAG.replaced({"sub_questions.by": "words"})
"""Four passages are too few for latent semantic analysis to tell names apart."""
QUESTION = "What was the revenue of Otter and Heron in Q1 2023?"


@pytest.fixture
def firms(tmp_path):
    documents = [doc(name, f"2023-05-0{at}", text) for at, (name, text) in enumerate(TEXTS.items(), 1)]
    with corpus_with(tmp_path, *documents) as corpus:
        yield corpus


def test_every_part_has_its_turn(firms):
    """Rank 1 in the list of either part: 1 / (60 + 1) each; the rest has no word of any part."""
    found = firms.at().search(QUESTION, recipe=BY_WORDS)
    assert {hit.document for hit in found.hits[:2]} == {"otter", "heron"}
    assert [hit.score for hit in found.hits[:2]] == [1 / 61, 1 / 61]
    assert found.query.parts == ("revenue Otter Q1 2023", "revenue Heron Q1 2023")
    assert any(note.startswith("2 parts: revenue Otter") for note in found.notes)
    assert found.hits[0].why.value == pytest.approx(1 / 61)


def test_a_question_that_is_one_is_searched_as_it_is(firms):
    split, naive = (
        firms.at().search("Where does the mill wheel turn?", recipe=each) for each in (QD_RAG, "dense")
    )
    assert split.query.parts == ()
    assert [hit.document for hit in split.hits] == [hit.document for hit in naive.hits]


@pytest.mark.parametrize(
    ("periods", "count", "last"),
    [
        ("quarter from 2022 Q3 to 2023 Q1", 3, ["2022-Q3", "2022-Q4", "2023-Q1"]),
        ("month of 2019 to 2022", 48, ["2020-02", "2020-03", "2020-04"]),
        ("month of 2019, 2020 and 2018 to 2021", 48, None),
    ],
)
def test_each_period_is_a_part_and_of_many_the_first_are_searched(firms, periods, count, last):
    found = firms.at().search(f"What was the revenue of Otter in each {periods}?", recipe=BY_WORDS)
    assert len(found.query.parts) == min(count, 16)
    assert last is None or [part.split()[-1] for part in found.query.parts[-3:]] == last
    told = f"the question has {count} parts: the first 16 are searched" in found.notes
    assert told == (count > 16)


def test_the_parts_are_bounded_and_it_is_said():
    parts, note = combined(tuple("abcdef"), ("x", "y", "z"), ())
    assert (len(parts), note) == (16, "the question has 18 parts: the first 16 are searched")
    assert combined(("a",), ("x",), ("2020",)) == ((), "")
