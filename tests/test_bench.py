"""What is measured on: generated text has the properties of real text; tables hold what was measured."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import pytest
from bench.readme import BEGIN, END, speed_table, written

from asof.data import Document
from bench import generated


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(generated.documents(1_500))


def test_the_same_seed_gives_the_same_corpus(documents: list[Document]) -> None:
    assert list(islice(generated.documents(1_500), 20)) == documents[:20]
    assert generated.queries(5) == generated.queries(5) != generated.queries(5, seed=2)


def test_prose_speaks_of_times(documents: list[Document]) -> None:
    """Two to four in a hundred words of articles: TIMES_A_WORD = .03 of the words are replaced by a time."""
    starts = [re.escape(each.partition("{")[0]) for each in generated.TIMES if not each.startswith("{")]
    time = re.compile(rf"\b(?:{'|'.join(starts)})|\b[A-Z][a-z]+ \d\d?, \d{{4}}|\b\d{{4}}-\d\d-\d\d")
    articles = [each.text for each in documents if each.outline]
    words = sum(len(text.split()) for text in articles)
    assert 0.02 <= sum(len(time.findall(text)) for text in articles) / words <= 0.06  # "in " is a word too


def test_titles_repeat_words_and_a_fifth_are_of_one_template(documents: list[Document]) -> None:
    titles = [word for each in documents for word in each.title.split()]
    assert len(set(titles)) < len(titles) / 2
    templated = [each for each in documents if re.search(r"\d+\.\d+\.\d+ was released on", each.text)]
    assert 0.12 <= len(templated) / len({each.id.partition("/")[0] for each in documents}) <= 0.3
    threads = [each for each in documents if "/" in each.id]
    assert len(threads) >= generated.TURNS
    assert len({each.id for each in documents}) < len(documents), "some are superseded"


def test_questions_are_as_long_as_those_of_people() -> None:
    lengths = [len(each.split()) for each in generated.queries(300)]
    assert 6 <= min(lengths) <= max(lengths) <= 17
    assert sum(any(letter.isdigit() for letter in each) for each in generated.queries(300)) > 50


def test_a_row_that_was_not_measured_is_left_out() -> None:
    asked = {"median": 7.04, "p95": 10.26}
    figures: dict[str, Any] = {
        "5,000": {"asof": {"rate_busy": 2049.1, "default, whole": asked}, "tantivy": {}},
        "datasets": {"asof": {"rate_busy": 3000.0}},
    }
    assert speed_table(figures).splitlines() == [
        "| | 5,000 | datasets |",
        "|---|---|---|",
        "| indexed, passages a second of one core | 2,049 | 3,000 |",
        "| a question, median / 95th percentile | 7.0 / 10.3 ms |  |",
    ]


def test_the_table_replaces_that_of_another_run() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert written(page, "new") == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    assert written(written(page, "new"), "new") == written(page, "new")
    with pytest.raises(ValueError, match="the page has no"):
        written("nothing", "new")
