from __future__ import annotations

from asof.text.stopwords import STOP_WORDS
from asof.text.tokens import tokenize


def test_lists_are_there_and_of_the_usual_size() -> None:
    assert set(STOP_WORDS) == {"en", "de", "fr", "es", "it", "nl", "pt"}
    assert 130 <= len(STOP_WORDS["en"]) <= 170
    assert all(len(words) > 100 for words in STOP_WORDS.values())


def test_stop_words_are_tokens() -> None:
    for words in STOP_WORDS.values():
        assert [word for word in words if tokenize(word) != [word]] == []


def test_question_words_are_stop_words_and_words_of_time_are_not() -> None:
    questions = "who what when where which why how whose whom"
    assert set(questions.split()) <= STOP_WORDS["en"]
    times = "now current currently latest new newest recent today ever first last may march us it's"
    assert not STOP_WORDS["en"].intersection(times.split())
