"""The lists of words, and how a question is read by them."""

from __future__ import annotations

from collections import Counter

import pytest

from asof.lang import codes, tables
from asof.time.intent import DIRECTIONS, cues, kinds, kinds_of_answer, language_of, phrases, weights, words_of


def read(question: str, language: str = "en") -> list[tuple[str, str]]:
    return [(cue.kind, cue.text) for cue in cues(question, words_of(question), language)]


def test_the_longest_phrase_is_taken() -> None:
    assert read("most recent mill") == [("wish.newest", "most recent"), ("", "mill")]
    assert read("most mills") == [("degree.most", "most"), ("", "mills")]
    assert read("the last time") == [("past.former", "the last time")]
    assert read("up to date")[0][0] == "wish.newest"


def test_a_phrase_holds_no_punctuation() -> None:
    assert [kind for kind, _ in read("right, now")] == ["", "wish.state"]
    assert read("right  now") == [("wish.state", "right  now")]


def test_apostrophes() -> None:
    found = cues("Ann's boat", words_of("Ann's boat"), "en")
    assert [(cue.word, cue.possessive, cue.start, cue.end) for cue in found] == [
        ("ann", True, 0, 5),
        ("boat", False, 6, 10),
    ]
    assert read("what’s new")[0][0] == "wish.newest"


def test_offsets_are_those_of_the_question() -> None:
    question = "İİ now „heute“ ẞ latest"  # the lower case of İ has two characters
    found = cues(question, words_of(question), "en")
    assert [question[cue.start : cue.end] for cue in found if cue.kind] == ["now", "latest"]


@pytest.mark.parametrize("language", codes("intent"))
def test_a_phrase_stands_in_one_list(language: str) -> None:
    for name, listing in (
        ("intent", tables(language, "intent")),
        ("kinds", {"": tables(language, "answer_kinds")}),
    ):
        said = Counter(phrase for lists in listing.values() for listed in lists.values() for phrase in listed)
        assert [phrase for phrase, count in said.items() if count > 1] == [], name


@pytest.mark.parametrize("language", codes("intent"))
def test_phrases_are_written_as_they_are_read(language: str) -> None:
    for listed in (phrases(language), kinds(language)):
        for first, options in listed.items():
            for rest, kind in options:
                phrase = " ".join((first, *rest))
                words = [word + ("'s" if possessive else "") for _, _, word, possessive in words_of(phrase)]
                assert words == [first, *rest], (kind, phrase)


@pytest.mark.parametrize("lists", ["intent", "answer_kinds"])
def test_languages_have_the_same_tables(lists: str) -> None:
    assert [code for code in codes(lists) if set(tables(code, lists)) != set(tables("en", lists))] == []


def test_kinds_of_answers() -> None:
    question = "stock price and the exchange rate of 'price'"
    found = kinds_of_answer(question, words_of(question), "en")
    assert [(cue.kind, cue.text) for cue in found] == [
        ("market", "stock"),
        ("market", "price"),
        ("market", "exchange rate"),
    ]


def test_the_language_of_a_question() -> None:
    german, english = words_of("wer war der erste Kapitän"), words_of("who was the first captain")
    assert language_of(german, "en de") == language_of(german, "de") == "de"
    assert language_of(english, "en de") == language_of(english, "de") == "en"
    assert language_of(german, "en") == language_of(german, "") == language_of(german, "model") == "en"


def test_weights_are_of_features_that_can_occur() -> None:
    kept = weights()
    assert all(len(row) == len(DIRECTIONS) for row in kept.direction.values())
    listed = {kind for options in phrases("en").values() for _, kind in options}
    heads = {kind.split(".")[0] for kind in listed}
    asks = {kind[3:] for kind in listed if kind.startswith("wh.")} | {"whether", "keywords"}
    for name in (*kept.direction, *kept.volatility):
        head, _, rest = name.partition(".")
        assert name in listed or head in heads | asks | {"any", "kind", "date", "tense"}, name
        if head == "kind" and rest:
            assert rest.split(".")[0] in tables("en", "answer_kinds")
