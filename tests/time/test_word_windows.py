"""The words around triggers are the only ones that are cut, and what is skipped says no time."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.time_runs import whole_run

from asof.lang import codes
from asof.time.grammar import match_time
from asof.time.lexicon import lexicon
from asof.time.reading import reading_context
from asof.time.word_lists import WORD
from asof.time.word_windows import TimeText, windows

HERE = reading_context(datetime(2024, 5, 31, 12, 34, tzinfo=UTC), UTC)
ENGLISH = lexicon("en")
TEXTS = st.lists(
    st.sampled_from(
        ["may", "March", "May", "2024", "Q3", "the", "profit", "İstanbul", "½", "März", "20240305"]
    )
    | st.sampled_from([" ", " ", "-", "\u2014", "\n\n", "5", "may", "é", "_"])
    | st.text(max_size=4)
).map("".join)
NUMBERS = st.integers(0, 999).map(str) | st.integers(0, 31).map("{:02d}".format)
SIGNS = st.sampled_from(
    [" ", " ", " ", "-", ".", "\u2013", ". ", ", ", ",", ";", " (", ")", "%", " $", " - "]
)


@given(TEXTS)
def test_triggers_are_those_words_of_the_text_that_may_say_a_time(text: str) -> None:
    whole = TimeText(text)
    words = [(match[0], match.start(), match.end()) for match in WORD.finditer(whole.lower)]
    expected = [
        word
        for word in words
        if word[0] in ENGLISH.triggers or (word[0][0] in "0123456789" and len(word[0]) in (8, 14))
    ]
    assert whole.triggers(ENGLISH) == expected


@given(TEXTS)
def test_words_are_the_same_forwards_and_backwards(text: str) -> None:
    whole = TimeText(text)
    forwards, backwards = [], []
    place = whole.word_after(0)
    while place is not None:
        forwards.append(place)
        place = whole.word_after(place[2])
    place = whole.word_before(len(text))
    while place is not None:
        backwards.append(place)
        place = whole.word_before(place[1])
    assert forwards == backwards[::-1]
    assert [place[0] for place in forwards] == WORD.findall(whole.lower)


@given(TEXTS)
def test_windows_are_disjoint_and_hold_their_words_and_gaps(text: str) -> None:
    done = 0
    for window in windows(TimeText(text), ENGLISH):
        known = window.places[window.first : window.after]
        assert done <= known[0][1]
        done = known[-1][2]
        start = 0 if not window.first else window.places[0][1]
        pieces = [window.gaps[0] if not window.first else ""]
        for (word, _, _), gap in zip(window.places, window.gaps[1:], strict=True):
            pieces += [word, gap]
        assert text.lower()[start:].startswith("".join(pieces)) or len(text.lower()) != len(text)


@pytest.mark.parametrize("language", codes("time"))
@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_numbers_that_are_skipped_say_no_time(language: str, data: st.DataObject) -> None:
    lexical = lexicon(language)
    listed = data.draw(st.sampled_from([lexical.inert, lexical.mute]))
    words = data.draw(
        st.lists(st.tuples(NUMBERS | st.sampled_from(sorted(listed)), SIGNS), min_size=1, max_size=8)
    )
    text = "zzz" + data.draw(SIGNS) + "".join(word + sign for word, sign in words)
    if re.search("[0-9]{4}", text) or list(windows(TimeText(text), lexical)):
        return
    run = whole_run(text, lexical)
    assert [match for i in range(1, run.size) if (match := match_time(run, i, HERE)) is not None] == []


def test_numbers_alone_are_skipped_and_dates_are_not() -> None:
    def known(text: str) -> list[list[str]]:
        return [
            [place[0] for place in window.places[window.first : window.after]]
            for window in windows(TimeText(text), ENGLISH)
        ]

    assert known("a rise of 1.8 of the 40 points, 6-3 in the set") == []
    assert known("a rise before 3.5 points") == [["before", "3", "5"]]
    assert known("ended at 12:30 sharp") == [["at", "12", "30"]]
    assert known("the 10.12.24 meeting") == [["the", "10", "12", "24"]]
    assert known("12") == [["12"]]
