"""Words of a view spelled nearly like one that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.answers import corpus_with, doc

from asof.corpus.corpus import Corpus
from asof.index.spelling import distance, nearest_words


@pytest.fixture(scope="module")
def quay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    texts = {
        "2020": "The refund policy of the ferry. A policy holds for a year.",
        "2021": "Refunds are paid at the window; the police were told.",
        "2022": "A polity is not a policy.",
        "2023": "Subscriptions of the newspaper are refunded.",
    }
    folder: Path = tmp_path_factory.mktemp("quay")
    with corpus_with(folder, *(doc(day, day, text) for day, text in texts.items())) as corpus:
        yield corpus


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("refudn", "refund"),  # two letters changed places
        ("polcy", "policy"),  # a letter is missing
        ("feryr", "ferry"),
        ("subscritpion", "subscriptions"),  # two faults in a long word
        ("pliocy", ""),  # two faults
        ("yer", ""),
        ("policy", "police polity"),  # not offered for itself
    ],
)
def test_the_nearest_words(quay: Corpus, word: str, nearest: str) -> None:
    assert nearest_words(quay.at().view(), word) == tuple(nearest.split())


def test_nothing_later_is_offered(quay: Corpus) -> None:
    assert nearest_words(quay.at("2020").view(), "polity") == ("policy",)
    assert nearest_words(quay.at("2020").view(), "polics") == ("policy",)
    assert nearest_words(quay.at("2019").view(), "polcy") == ()


def test_a_search_of_misspelled_words_takes_the_nearest(quay: Corpus) -> None:
    found = quay.at().search("refudn polcy")
    assert found.hits[0].document == "2020"
    assert "nothing has these words; searched instead: refund policy" in found.notes


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_the_distance_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert distance(one, other, 6) == distance(other, one, 6)
    assert abs(len(one) - len(other)) <= distance(one, other, 6) <= max(len(one), len(other))
    assert (distance(one, other, 6) == 0) == (one == other)
    assert distance(one, other, 1) == min(distance(one, other, 6), 2)
