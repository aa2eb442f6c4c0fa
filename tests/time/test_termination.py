"""Words that say that something is over."""

from __future__ import annotations

import pytest

from asof.time.termination import over, says_over


@pytest.mark.parametrize("words", over())
def test_every_word_is_found_in_whatever_case_and_only_as_whole_words(words: str) -> None:
    assert says_over(words)
    assert says_over(f"The boat: {words.upper()}, they say.")
    assert not says_over(f"{words}x")
    if " " not in words:
        assert not says_over(f"x{words}")
        assert not says_over(f"un-{words}")


@pytest.mark.parametrize(
    "text",
    ["", "The ferry leaves at seven.", "an open-ended ticket", "suspended", "the end", "longer"],
)
def test_what_goes_on(text: str) -> None:
    assert not says_over(text)
