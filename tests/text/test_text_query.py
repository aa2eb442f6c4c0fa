from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.text.query import QueryWords, contains_phrase, parse
from asof.text.tokens import Analyzer, tokenize

ENGLISH = Analyzer()
BOTH = Analyzer(("en", "de"))


def test_stop_words_are_dropped_and_counts_kept_in_order() -> None:
    assert parse("Who won the cup after the other cup?", ENGLISH) == QueryWords((("won", 1), ("cup", 2)), ())


def test_stop_words_of_every_language_are_dropped() -> None:
    assert parse("the house und die Katze", BOTH) == QueryWords((("house", 1), ("katze", 1)), ())


def test_quotations_keep_their_stop_words() -> None:
    words = parse('Who saw "The Who" in Leeds?', ENGLISH)
    assert words == QueryWords((("saw", 1), ("the", 1), ("who", 1), ("leeds", 1)), (("the", "who"),))


@pytest.mark.parametrize("quoted", ['"An der Saale"', "“An der Saale”", "„An der Saale“", "„An der Saale”"])
def test_quotation_marks_of_several_lands(quoted: str) -> None:
    assert parse(f"Halle {quoted} 2024", BOTH).phrases == (("an", "der", "saale"),)


def test_a_quoted_word_is_no_phrase_but_is_kept() -> None:
    assert parse('the word "the"', ENGLISH) == QueryWords((("word", 1), ("the", 1)), ())


def test_all_words_stay_when_nothing_else_would() -> None:
    assert parse("the who", ENGLISH) == QueryWords((("the", 1), ("who", 1)), ())
    assert parse("to be or not to be", ENGLISH).words == (("to", 2), ("be", 2), ("or", 1), ("not", 1))


def test_nothing_asked() -> None:
    assert parse("", ENGLISH) == parse(' "" ?', ENGLISH) == QueryWords((), ())


def test_an_unclosed_quotation_mark_is_a_character() -> None:
    assert parse('24" the screen', ENGLISH) == QueryWords((("24", 1), ("screen", 1)), ())


def test_the_same_phrase_is_listed_once() -> None:
    assert parse('"new york" or "New York"', ENGLISH) == QueryWords(
        (("new", 2), ("york", 2)), (("new", "york"),)
    )


@given(st.text(alphabet=st.sampled_from('the cup"“”„«» '), max_size=40))
def test_no_word_is_lost_but_stop_words(text: str) -> None:
    words = dict(parse(text, ENGLISH).words)
    tokens = tokenize(text)
    assert set(words) <= set(tokens)
    assert bool(words) == bool(tokens)
    assert all(words[token] == tokens.count(token) for token in tokens if token not in ENGLISH.stop_words)


@pytest.mark.parametrize("piece", ['"', "“", "„", "«", '" „', "“„", '"a b'])
def test_hostile_questions_take_linear_time(piece: str) -> None:
    assert is_linear(lambda n: parse(piece * (n // len(piece)), ENGLISH), 5_000)


@pytest.mark.parametrize(
    ("tokens", "phrase", "expected"),
    [
        ("a b c", "b c", True),
        ("a b c", "a c", False),
        ("a a b", "a b", True),
        ("a", "a b", False),
        ("", "a", False),
        ("", "", True),
    ],
)
def test_a_phrase_is_consecutive(tokens: str, phrase: str, expected: bool) -> None:
    assert contains_phrase(tokens.split(), phrase.split()) is expected
    assert contains_phrase(tuple(tokens.split()), tuple(phrase.split())) is expected


def test_a_question_about_a_quotation_does_not_require_it() -> None:
    """Two words are quoted: required beside two others (said, minister), not beside three."""
    assert parse('who said "no taxes" as minister', ENGLISH).phrases == (("no", "taxes"),)
    told = QueryWords((("minister", 1), ("said", 1), ("no", 1), ("taxes", 1), ("elections", 1)), ())
    assert parse('which minister said "no taxes" before elections', ENGLISH) == told
