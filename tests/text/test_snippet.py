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
