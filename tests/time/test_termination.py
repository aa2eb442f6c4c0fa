"""Words that say that something is over."""

from __future__ import annotations

import pytest

from asof.time.intent import mentions_termination, termination_words


@pytest.mark.parametrize("words", termination_words())
def test_every_word_is_found_in_whatever_case_and_only_as_whole_words(words: str) -> None:
    assert mentions_termination(words)
    assert mentions_termination(f"The boat: {words.upper()}, they say.")
    assert not mentions_termination(f"{words}x")
    if " " not in words:
        assert not mentions_termination(f"x{words}")
        assert not mentions_termination(f"un-{words}")


@pytest.mark.parametrize(
    "text",
    ["", "The ferry leaves at seven.", "an open-ended ticket", "suspended", "the end", "longer"],
)
def test_what_goes_on(text: str) -> None:
    assert not mentions_termination(text)
