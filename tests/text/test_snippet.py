"""Snippets, and texts without their markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.errors import UsageError
from asof.text.snippet import snippet
from asof.text.tokens import Analyzer

ENGLISH = Analyzer()


def marked(
    text: str, words: str, width: int = 240, analyzer: Analyzer = ENGLISH, language: str = "en"
) -> str:
    """The snippet with its highlights in square brackets."""
    shown, ranges = snippet(text, words.split(), analyzer, language, width)
    for start, end in reversed(ranges):
        shown = f"{shown[:start]}[{shown[start:end]}]{shown[end:]}"
    return shown


FILLER = "lorem ipsum " * 20


@pytest.mark.parametrize(
    ("text", "words", "width", "shown"),
    [
        ("He  was\n\nrunning. ", "run", 240, "He was [running]."),  # a short text whole, white space folded
        ("", "run", 240, ""),
        ("Nothing here", "run", 240, "Nothing here"),
        ("Some text", "", 240, "Some text"),
        (
            "Don’t! The runner's runs, v3.15.5",
            "don't run 3.15.5",
            240,
            "[Don’t]! The runner's [runs], [v3.15.5]",
        ),
        (
            "今日は東京タワーへ",
            "東京 京タ",
            240,
            "今日は[東京タ]ワーへ",
        ),  # one highlight
        ("un cafe\u0301 noir", "café", 240, "un [cafe\u0301] noir"),
        # of 30 - 2 = 28 characters 11 are "cup was won": 8 before would cut "ipsum"
        (f"cup cup cup {FILLER}the cup was won {FILLER}", "cup won", 30, "…the [cup] was [won] lorem…"),
        (f"first cup {FILLER} second cup {FILLER}", "cup", 24, "first [cup] lorem ipsum…"),
        (FILLER, "cup", 20, "lorem ipsum lorem…"),  # without a match the beginning
        (f"{FILLER}cup", "cup", 20, "…lorem ipsum [cup]"),
        ("x" * 500, "cup", 20, "x" * 18 + "…"),
    ],
)
def test_what_is_shown(text: str, words: str, width: int, shown: str) -> None:
    assert marked(text, words, width) == shown


def test_words_match_in_each_language_of_the_corpus() -> None:
    both = Analyzer(("en", "de"))
    text = "Die Häuser und das Haus"
    assert marked(text, "häuser", analyzer=both, language="de") == "Die [Häuser] und das [Haus]"


@given(st.text(alphabet=st.sampled_from("cup won.\n東京x "), max_size=200), st.integers(20, 60))
def test_a_snippet_is_no_wider_and_its_highlights_are_inside(text: str, width: int) -> None:
    shown, ranges = snippet(text, ["cup", "won", "東京"], ENGLISH, "en", width)
    assert len(shown) <= width
    assert shown.strip("…") in " ".join(text.split())
    edges = [edge for stretch in ranges for edge in stretch]
    assert edges == sorted(edges)
    for start, end in ranges:
        assert 0 <= start < end <= len(shown)
        assert ENGLISH.terms(shown[start:end], "en")[0] in ("cup", "won", "東京")


def test_wrong_use_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 20"):
        snippet("text", ["word"], ENGLISH, "en", 19)
    with pytest.raises(UsageError, match="not among those"):
        snippet("text", ["word"], ENGLISH, "de")


@pytest.mark.parametrize("piece", ["cup ", "cup", "東", "c'", " "])
def test_hostile_texts_take_linear_time(piece: str) -> None:
    assert is_linear(lambda n: snippet(piece * (n // len(piece)), ["cup", "東東"], ENGLISH, "en"), 5_000)
