"""The words around triggers are the only ones that are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.time.expressions import parse
from asof.time.lexicon import FAR, WORD, TimeText, bond, lexicon, windows, words_after, words_before

ENGLISH = lexicon("en")
TEXTS = st.lists(
    st.sampled_from(
        ["may", "March", "May", "2024", "Q3", "the", "profit", "İstanbul", "½", "März", "20240305"]
    )
    | st.sampled_from([" ", " ", "-", "\u2014", "\n\n", "5", "may", "é", "_"])
    | st.text(max_size=4)
).map("".join)


@given(TEXTS)
def test_triggers_are_those_words_of_the_text_that_may_say_a_time(text: str) -> None:
    whole = TimeText(text)
    expected = [
        word.span()
        for word in WORD.finditer(whole.lower)
        if word[0] in ENGLISH.triggers or (word[0][0] in "0123456789" and len(word[0]) in (8, 14))
    ]
    assert whole.triggers(ENGLISH) == expected


@given(TEXTS)
def test_windows_are_disjoint_and_hold_their_words_and_gaps(text: str) -> None:
    done, whole = 0, TimeText(text)
    for window in windows(whole, ENGLISH):
        start, end = window.starts[window.first], window.end(window.after - 1)
        assert done <= start
        done = end
        pieces = [piece for pair in zip(window.gaps, [*window.words, ""], strict=True) for piece in pair]
        assert whole.lower.startswith("".join(pieces), window.offset)
        assert window.words == WORD.findall(whole.lower, window.offset, window.end(len(window.words) - 1))
        assert len(WORD.findall(whole.lower[:start])[-2:]) == window.first
        assert len(WORD.findall(whole.lower[end:])[:1]) == len(window.words) - window.after


@given(TEXTS, TEXTS, st.sampled_from(sorted(ENGLISH.triggers)))
def test_a_window_reaches_as_far_as_words_are_known_and_near(before: str, after: str, trigger: str) -> None:
    """Word by word, as `bond` has it; 12 words before the trigger at most."""
    text = TimeText(f"{before} {trigger} {after}")
    words = list(WORD.finditer(text.lower))
    middle = next(n for n, word in enumerate(words) if word.start() == len(before) + 1)

    def linked(n: int) -> bool:
        """Whether word n and the next one are near; both are known."""
        near = bond(text.lower[words[n].end() : words[n + 1].start()])[0] != FAR
        return near and all(word[0].isdecimal() or word[0] in ENGLISH.known for word in words[n : n + 2])

    first, last = middle, middle
    while first > max(0, middle - 12) and linked(first - 1):
        first -= 1
    while last + 1 < len(words) and linked(last):
        last += 1
    start, end = words[middle].span()
    size = len(text.lower)
    left = words_before(ENGLISH, 12).match(text.backwards, size - start)
    right = words_after(ENGLISH, 400).match(text.lower, end)
    assert left is not None
    assert right is not None
    assert (size - left.end(), right.end()) == (words[first].start(), words[last].end())


@pytest.mark.parametrize(
    "piece", ["1234567,89,", "12, ", "1.2.3 ", "2024 " + "." * 50, "1٣", "1a", "the of "]
)
def test_a_long_text_is_read_in_linear_time(piece: str) -> None:
    assert is_linear(lambda size: parse(piece * (size // len(piece))), 12_500)
