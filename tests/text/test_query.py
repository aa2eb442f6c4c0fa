"""Queries: words and phrases, titles, names and shingles."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.extensions.systems.evidence import WORDS as SHINGLE
from asof.extensions.systems.evidence import Shingler
from asof.text.query import (
    QueryWords,
    TitleStems,
    contains_phrase,
    figure,
    key,
    parse,
)
from asof.text.tokens import Analyzer, tokenize

ENGLISH = Analyzer()
BOTH = Analyzer(("en", "de"))


@pytest.mark.parametrize(
    ("question", "words", "phrases"),
    [
        ("Who won the cup after the other cup?", "won cup cup", ()),
        ("the house und die Katze", "house katze", ()),  # stop words of every language
        ('Who saw "The Who" in Leeds?', "saw the who leeds", ("the who",)),
        ('the word "the"', "word the", ()),  # a quoted word is no phrase but is kept
        ("the who", "the who", ()),  # all words stay when nothing else would
        ("to be or not to be", "to be or not to be", ()),
        ("", "", ()),
        (' "" ?', "", ()),
        ('24" the screen', "24 screen", ()),  # an unclosed quotation mark is a character
        ('"new york" or "New York"', "new york new york", ("new york",)),
        ('Halle "An der Saale" 2024', "halle an der saale 2024", ("an der saale",)),
        ("Halle “An der Saale” 2024", "halle an der saale 2024", ("an der saale",)),
        ("Halle „An der Saale“ 2024", "halle an der saale 2024", ("an der saale",)),
        ("Halle „An der Saale” 2024", "halle an der saale 2024", ("an der saale",)),
        # two words are quoted: required beside two others (said, minister), not beside three
        ('who said "no taxes" as minister', "said no taxes minister", ("no taxes",)),
        ('which minister said "no taxes" before elections', "minister said no taxes elections", ()),
    ],
)
def test_words_and_phrases(question: str, words: str, phrases: tuple[str, ...]) -> None:
    counts = tuple(Counter(words.split()).items())
    assert parse(question, BOTH) == QueryWords(counts, tuple(tuple(each.split()) for each in phrases))


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


# -- titles ----------------------------------------------------------------------------------------------

PLAIN = Analyzer(stem=False)


def title(text: str) -> TitleStems:
    return TitleStems.of(text, "en", PLAIN)


def test_figures() -> None:
    for word in ("2", "2021", "v2", "3rd", "v10beta"):
        assert figure(word)
        assert not figure("x" + word)
    assert not any(map(figure, ("", "v", "volume", "two")))


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


# -- names as they are compared --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ["Quay Rope, Inc.", "quay rope", "The Quay Rope Company", "QUAY ROPE CORP.", "Quay Rope’s"],
        ["Lowe & Tide Ltd", "Lowe and Tide", "The Lowe & Tide Co."],
        ["Macken's", "Macken's Corporation", "MACKEN'S, INC.", "Macken’s"],  # the form stands behind the 's
        ["U.S.A.", "USA", "the U.S.A."],
        ["Ropes.com", "ropes.com"],
        ["Hafen GmbH & Co. KG", "HAFEN GMBH", "Hafen"],
        ["Har\u00adbour Office", "Harbour\u200b Office", "Ｈarbour_Office", "harbour   office"],
        ["İzmir", "izmir"],
        ["Straße AG", "STRASSE"],
        ["1,204 berths", "1204 berths"],
        ["the WHO", "WHO", "who"],
        ["3M Co", "3M"],
    ],
)
def test_one_name_in_many_spellings(names):
    assert {key(name) for name in names} == {key(names[0])}


@pytest.mark.parametrize(
    "names",
    [
        ["The Who", "who", "The Band"],  # "who" names nobody
        ["The Limited", "Limited", "The The", "the"],
        ["Co Down", "Down", "Co-op", "Op"],  # a form stands at the end
        ["AG Barr", "Barr"],
        ["5 kg", "5"],  # and not after a number
        ["Quay Holdings", "Quay", "Quay Group", "Quay SpA"],
        ["C", "C++", "C#"],
        ["Tide", "Tide+"],
        ["3.5 berths", "35 berths", "3,5 berths"],
        ["कि", "का"],  # a vowel is a mark in Hindi
        ["Müller", "Muller"],
        ["Lowe's", "Lowes"],
        ["!!!", "???", ""],
    ],
)
def test_what_is_doubtful_stays_apart(names):
    assert len({key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Co", "co"),  # nothing but a legal form is a name
        ("Limited Inc", "limited"),
        ("The Company", "the company"),
        ("THE WHO", "the who"),  # nobody can tell
        ("5 & Co.", "5"),
        ("!!!", "!!!"),
        (" \n", ""),
    ],
)
def test_what_is_left_of_names_that_are_hardly_any(name, expected):
    assert key(name) == expected


_PARTS = [*"’_x,.5+İŉ", "the", "The", "Co", "Inc.", "&", "and", "who", "3.5", "kg", "'s"]


@given(st.text(max_size=12) | st.lists(st.sampled_from(_PARTS), max_size=6).map("".join)
       | st.lists(st.sampled_from(_PARTS), max_size=6).map(" ".join))  # fmt: skip
@example("0.0'S")
@example("the The Co Ltd")
@example("x's's")
@example("_'S")
def test_a_key_is_its_own_key_and_never_lost(name):
    assert key(key(name)) == key(name)
    assert bool(key(name)) or not name.replace("_", "").strip() or not name.isascii()


# -- shingles --------------------------------------------------------------------------------------------

TEXTS = st.lists(
    st.lists(st.sampled_from(["Mill", "ferry", "3.15.5", "don't", "Möwe"]), max_size=7), max_size=6
)


def triples(text: str) -> set[tuple[str, ...]]:
    words = tokenize(text)
    return {tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}


def test_by_hand() -> None:
    hashes, owner = Shingler()(["the merger of Acme", "Of ACME, the merger; of acme", "two words", ""])
    # the merger of | merger of acme; of acme the | acme the merger | the merger of | merger of acme
    assert np.bincount(owner, minlength=4).tolist() == [2, 4, 0, 0]
    of = [set(hashes[owner == text].tolist()) for text in range(4)]
    assert of[0] < of[1]


def test_words_are_not_stemmed_and_stop_words_count() -> None:
    shingler = Shingler()
    one, _ = shingler(["the mills are closed"])
    other, _ = shingler(["the mill is closed"])
    assert not set(one.tolist()) & set(other.tolist())


@given(TEXTS)
def test_as_many_as_there_are_different_triples(drawn: list[list[str]]) -> None:
    texts = [" ".join(words) for words in drawn]
    hashes, owner = Shingler()(texts)
    assert (np.diff(hashes.astype(object)) >= 0).all()
    assert len(set(hashes.tolist())) == len(set().union(*map(triples, texts)))
    for at, text in enumerate(texts):
        own = hashes[owner == at].tolist()
        assert len(own) == len(set(own)) == len(triples(text))
        assert set(own) == set(Shingler()([text])[0].tolist())


def test_hashes_are_pinned() -> None:
    """Files keep them: who changes them has to change VERSION."""
    assert Shingler()(["mill ferry bread"])[0].tolist() == [7150404067877318888]
