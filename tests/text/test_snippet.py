"""Snippets, and texts without their markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.errors import UsageError
from asof.text.snippet import snippet, unmarked
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


def test_a_short_text_is_shown_whole_with_its_white_space_folded() -> None:
    assert marked("He  was\n\nrunning. ", "run") == "He was [running]."
    assert marked("", "run") == ""
    assert marked("Nothing here", "run") == "Nothing here"
    assert marked("Some text", "") == "Some text"


def test_words_match_by_their_stems() -> None:
    assert (
        marked("Don’t! The runner's runs, v3.15.5", "don't run 3.15.5")
        == "[Don’t]! The runner's [runs], [v3.15.5]"
    )


def test_words_match_in_each_language_of_the_corpus() -> None:
    both = Analyzer(("en", "de"))
    assert (
        marked("Die Häuser und das Haus", "häuser", analyzer=both, language="de")
        == "Die [Häuser] und das [Haus]"
    )


def test_pairs_of_characters_that_overlap_are_one_highlight() -> None:
    assert marked("今日は東京タワーへ", "東京 京タ") == "今日は[東京タ]ワーへ"


def test_decomposed_words_are_found() -> None:
    assert marked("un cafe\u0301 noir", "café") == "un [cafe\u0301] noir"


def test_the_window_with_most_distinct_words_wins() -> None:
    filler = "lorem ipsum " * 20
    text = f"cup cup cup {filler}the cup was won {filler}"
    # 30 - 2 = 28 characters, 11 of them "cup was won": 8 before would cut "ipsum"
    assert marked(text, "cup won", 30) == "…the [cup] was [won] lorem…"


def test_the_earliest_of_equals_wins() -> None:
    filler = "lorem ipsum " * 20
    assert marked(f"first cup {filler} second cup {filler}", "cup", 24) == "first [cup] lorem ipsum…"


def test_without_a_match_the_beginning_is_shown() -> None:
    assert marked("lorem ipsum " * 20, "cup", 20) == "lorem ipsum lorem…"


def test_a_match_at_the_end() -> None:
    assert marked("lorem ipsum " * 20 + "cup", "cup", 20) == "…lorem ipsum [cup]"


def test_a_text_without_spaces_is_cut_anyhow() -> None:
    shown, ranges = snippet("x" * 500, ["cup"], ENGLISH, "en", 20)
    assert (shown, ranges) == ("x" * 18 + "…", [])


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


# -- marks are taken off, words stay ---------------------------------------------------------------------

EXAMPLES = [
    ("## The mole ##\nIt is *old*.", "The mole\nIt is old."),
    ("**bold** __bold__ _thin_ ~~gone~~ ==marked== ***both***", "bold bold thin gone marked both"),
    ("**a *b* c**", "a b c"),
    ("snake_case_name, 2*3*4, a_b", "snake_case_name, 2*3*4, a_b"),
    ("[text](http://a.b/c_(d)) and ![a picture](x.png \"title\")", "text and a picture"),
    ("[![alt](img.png)](url)", "alt"),
    ("[[Note]], [[Note#Part]], [[#Part]], [[Note|alias]], ![[x.png|300]]",
     "Note, Note › Part, Part, alias, "),
    ("Press `Ctrl+*` or ``<b>``", "Press Ctrl+* or <b>"),
    ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a | b\n1 | 2"),
    ("==The mole** is *closed.*", "The mole** is closed."),
    ("**Ropes are *sold.", "Ropes are *sold."),
    ("Ropes are sold.**", "Ropes are sold."),
    ("5 * 3", "5 * 3"),
    ("> [!note]- Beware\n> of it", "Beware\nof it"),
    ("a<br>b <b>c</b> <!-- no --> &lt;d&gt; &euro;3", "a b c  <d> €3"),
    ("see <https://a.b> and a footnote[^1]", "see https://a.b and a footnote"),
    ("- one\n- [ ] two\n1. three", "- one\n- [ ] two\n1. three"),
    (r"5 \* 3 and 2 < 3 > 1", "5 * 3 and 2 < 3 > 1"),
    ("```python\nx = 1\n```", "x = 1"),
    ("plain text, with (brackets) and [some]", "plain text, with (brackets) and [some]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), EXAMPLES)
def test_examples(text, shown):
    assert unmarked(text) == shown


MARKS = st.sampled_from([*"*_`[]()|#<>!~=&;\\/-: \n", "[[", "]]", "**", "](", "&amp;", "<b>", "</b>"])


@given(st.lists(st.one_of(MARKS, st.text(max_size=5)), max_size=60).map("".join))
def test_nothing_is_added(text):
    """The letters and figures that are left stood in the text, in this order; entities aside."""
    text = text.replace("&", "")
    rest = iter(text)
    assert all(sign in rest for sign in unmarked(text) if sign.isalnum())


WORDS = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8)
FORMS = ["{}", "**{}**", "*{}*", "_{}_", "`{}`", "[{}](u)", "[[{}]]", "[[u|{}]]", "<b>{}</b>", "~~{}~~",
         "## {}", "> {}", "| {} |"]  # fmt: skip


@given(WORDS, st.sampled_from(FORMS), st.sampled_from(["\n", "\n\n"]))
def test_the_words_stay(words, form, between):
    marked = between.join(form.format(word) for word in words)
    assert re.findall("[a-z]+", unmarked(marked)) == words


@pytest.mark.parametrize(
    "piece", ["[", "[[", "](", "*a ", "_a ", "<!--", "`", "<a ", "&a", "[](", "> ", "|", "**"]
)
def test_long_hostile_texts_come_to_an_end(piece):
    """A careless pattern takes hours for them."""
    assert len(unmarked(piece * 20_000)) <= len(piece) * 20_000
