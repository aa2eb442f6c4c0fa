"""Titles: their words, the key of their series, and how a question relates to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.text.query import TitleMatch, TitleStems, figure
from asof.text.tokens import Analyzer

PLAIN = Analyzer(stem=False)


def title(text: str) -> TitleStems:
    return TitleStems.of(text, "en", PLAIN)


@pytest.mark.parametrize("word", ["2", "2021", "v2", "3rd", "v10beta"])
def test_figures(word: str) -> None:
    assert figure(word)
    assert not figure("x" + word)


@pytest.mark.parametrize("word", ["", "v", "volume", "two"])
def test_words_that_are_no_figures(word: str) -> None:
    assert not figure(word)


def test_a_title_has_stems_without_stop_words() -> None:
    found = TitleStems.of("The Guides to the Harbour, v2", "en", Analyzer(stem=True))
    assert found == TitleStems(("guid", "harbour", "v2"), ("guid", "harbour"), ("guid", "harbour"))


@pytest.mark.parametrize(
    ("one", "other", "series"),
    [
        ("Harbour Guide 2.1", "Harbour guide 2.2", True),
        ("Fares 2022", "Fares of 2023", True),
        ("Harbour Guide", "Guide of the Harbour", True),  # whatever the order
        ("Harbour Guide", "Harbour Guide Deluxe", False),
    ],
)
def test_the_key_of_a_series(one: str, other: str, *, series: bool) -> None:
    assert (title(one).key == title(other).key) is series


@pytest.mark.parametrize(
    ("text", "question", "said", "strange", "further"),
    [
        ("Icinga Web", "web", ["web"], ["icinga"], []),
        ("Harbour Guide Deluxe", "harbour guide", ["harbour", "guide"], [], ["deluxe"]),
        ("Harbour Guide 2.1", "harbour guide", ["harbour", "guide"], [], []),
        ("Harbour Guide 2.1", "harbour guide 2.1", ["harbour", "guide", "2.1"], [], []),
        ("Women's singles final", "men singles", ["singles"], ["women's"], ["final"]),
        ("Fog", "harbour", [], [], ["fog"]),
        ("", "harbour", [], [], []),
        ("Fog and fog", "fog", ["fog"], [], []),
    ],
)
def test_what_a_question_says_of_a_title(
    text: str, question: str, said: list[str], strange: list[str], further: list[str]
) -> None:
    asked = frozenset(title(question).stems)
    parts = title(text).stems
    naming = TitleMatch.of(title(text), asked)
    pieces = {stem for words in (said, strange, further) for word in words for stem in title(word).stems}
    assert pieces == set(parts) - {stem for stem in parts if figure(stem) and stem not in asked}
    for found, expected in zip(
        (naming.matched, naming.off_topic, naming.extra), (said, strange, further), strict=True
    ):
        assert found == tuple(stem for word in expected for stem in title(word).stems)


WORDS = st.lists(st.sampled_from(["fog", "mill", "rope", "2", "v3", "bell"]), max_size=6)


@given(WORDS, WORDS)
def test_every_word_is_one_of_the_three(words: list[str], asked: list[str]) -> None:
    made = title(" ".join(words))
    naming = TitleMatch.of(made, frozenset(asked))
    parts = [naming.matched, naming.off_topic, naming.extra]
    assert set(naming.matched) == set(words) & set(asked)
    assert set().union(*parts) == set(naming.matched) | set(made.plain)
    assert not set(naming.matched) & set(naming.off_topic)
    assert not set(naming.off_topic) & set(asked)
