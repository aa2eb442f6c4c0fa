"""Marks are taken off, words stay: by examples, and for any text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.text.snippet import unmarked

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
