from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.text.passages import sentences, shown


def cut(text: str) -> str:
    return "|".join(text[start:end].rstrip() for start, end in sentences(text))


@pytest.mark.parametrize(
    "marked",
    [
        "",
        "One sentence",
        "One.| Two!| Three?| Four…| Five...| Six",
        '"Really?"| (Yes.)| He said “no.”| **Bold.**| End.',
        "Dr. Smith and Mr. J. Smith of Apple Inc. left.| They met J. R. R. Tolkien.",
        "Things, e.g. apples vs. pears, i.e. fruit, in the U.S. of today.| Next.",
        "It rose 3.5 percent to 6.1.| Then 2.0 came.",
        "See Fig. 3 and No. 5.| No.| Really.",
        "So am I.| Then go.",
        "Am 5. März und im 19. Jahrhundert, z.B. Nr. 3, z. B. hier.| Gut.",
        "He scored 12.| Then he left.",
        "今日は晴れ。|明日は雨！|はい？|終",
        "「はい。」|と言った",
        "A heading\nthat wraps.| Next\n\n|Blank line",
        "Fruit:\n|- apples\n  and more\n|- pears\n|Not a list.| End",
        "1. First.| Yes\n|2. Second",
        "example.com and a.b stay",
    ],
)
def test_boundaries(marked: str) -> None:
    text = marked.replace("|", "")
    expected = [part.rstrip() for part in marked.replace("| ", "|").split("|")]
    assert cut(text) == "|".join(expected)


def test_white_space_belongs_to_the_sentence_before() -> None:
    assert sentences("A b. \n C.  ") == [(0, 7), (7, 11)]
    assert sentences("  A.") == [(0, 4)]
    assert sentences("   ") == [(0, 3)]
    assert sentences("") == []


def test_a_stretch_of_a_text() -> None:
    text = "One. Two. Three. Four."
    assert sentences(text, 5, 16) == [(5, 10), (10, 16)]
    assert sentences(text, 5, 5) == []


@given(st.text(alphabet=st.sampled_from("aA1.!?…。\n -*\"')(| zB"), max_size=60), st.data())
def test_sentences_tile_the_stretch(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = sentences(text, start, end)
    assert all(first < last for first, last in found)
    assert [start, *(last for _, last in found)] == [*(first for first, _ in found), end]


@pytest.mark.parametrize(
    "piece", [".", ". ", '."', "a.", "1. ", "\n", "\n ", "\n-", " ", "U.", "(.", "。", "...x", "a\n\t"]
)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    assert is_linear(lambda n: sentences(piece * (n // len(piece))), 5_000)


def test_a_heading_is_a_sentence_of_its_own() -> None:
    text = "# Head Q2 2023\nAcme reported revenue. It grew.\n## Next\nMore."
    assert [text[start:end] for start, end in sentences(text)] == [
        "# Head Q2 2023\n", "Acme reported revenue. ", "It grew.\n", "## Next\n", "More.",
    ]  # fmt: skip
    hashtag = "See\n#tag and\nmore."
    assert len(sentences(hashtag)) == 1


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("- Ropes are sold.", "Ropes are sold."),
        ("## 3. Ropes", "3. Ropes"),
        ("> [!warning]+ Ropes\n> are *not*\n>> sold.", "Ropes are *not* sold."),
        ("Ropes\\\nare sold.", "Ropes are sold."),
        ("Ropes are sold. #rope #mill/2020", "Ropes are sold."),
        ("Ropes are #1 here", "Ropes are #1 here"),
        ("#rope", "#rope"),
        ("> ", ""),
        ("5 > 3", "5 > 3"),
    ],
)
def test_a_sentence_is_shown_without_its_marks(sentence: str, line: str) -> None:
    assert shown(sentence) == line


@given(st.text(alphabet=st.sampled_from("a >[!]-*#\\\n1"), max_size=40))
def test_what_is_shown_is_one_line_of_the_text(text: str) -> None:
    assert "\n" not in shown(text)
    assert shown("") == ""
