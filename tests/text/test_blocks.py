from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.text.passages import blocks, count_words, sections, words_end
from asof.values import Heading


def parts(text: str) -> list[tuple[str, bool]]:
    return [(text[start:end], solid) for start, end, solid in blocks(text, 0, len(text))]


def test_paragraphs_end_after_their_blank_lines() -> None:
    assert parts("one\ntwo\n\n \n  three") == [("one\ntwo\n\n \n", False), ("  three", False)]
    assert parts("") == []


def test_fenced_code_is_one_block_with_its_blank_lines() -> None:
    code = "```python\na\n\n~~~\n``\nb\n````\n\n"
    assert parts(f"Text\n{code}More") == [("Text\n", False), (code, True), ("More", False)]


def test_an_unclosed_fence_runs_to_the_end_and_inline_code_is_no_fence() -> None:
    assert parts("~~~\na\n\nb") == [("~~~\na\n\nb", True)]
    assert parts("```a``` is code\n\nb") == [("```a``` is code\n\n", False), ("b", False)]


def test_a_table_is_one_block_but_not_within_code() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    assert parts(f"Text:\n{table}\nMore") == [("Text:\n", False), (table + "\n", True), ("More", False)]
    assert parts(f"```\n{table}```\n{table}") == [(f"```\n{table}```\n", True), (table, True)]


@given(st.text(alphabet=st.sampled_from("a \n`~|"), max_size=80))
def test_blocks_tile(text: str) -> None:
    assert "".join(part for part, _ in parts(text)) == text
    assert all(part for part, _ in parts(text))


@pytest.mark.parametrize(
    ("stretch", "words"),
    [
        ("", 0),
        (" \n ", 0),
        ("three plain words", 3),
        ("naïve Žižek", 2),
        ("한국어 단어", 2),
        ("今日は晴れです", 7 // 2),
        ("mixed 東京タワー text", 1 + 5 // 2 + 1),
        ("x" * 80, 1),
        ("x" * 81, 81 // 2),
        ("https://example.com/a-long-address-that-is-still-one-word", 1),
    ],
)
def test_words_are_counted_by_white_space_or_by_two_characters(stretch: str, words: int) -> None:
    assert count_words(stretch) == words


def test_where_so_many_words_or_characters_end() -> None:
    text = "one two  three four"
    assert words_end(text, 0, len(text), 2, by_words=True) == len("one two  ")
    assert words_end(text, 0, len(text), 9, by_words=True) == len(text)
    assert words_end(text, 0, len(text), 12, by_words=False) == len("one two  ")
    assert words_end(text, 9, len(text), 2, by_words=False) == len("one two  three ")
    assert words_end("   ", 0, 3, 2, by_words=True) == 3


def test_sections_and_their_own_text() -> None:
    text = "Title\n=====\nText\n# A\n## B\nbody\n# C\n"
    outline = (Heading(0, 1, "Title"), Heading(17, 1, "A"), Heading(21, 2, "B"), Heading(31, 1, "C"))
    found = [
        (text[each.start : each.body], text[each.body : each.end], each.path)
        for each in sections(text, outline)
    ]
    assert found == [
        ("Title\n=====\n", "Text\n", ("Title",)),
        ("# A\n## B\n", "body\n", ("A", "B")),
        ("# C\n", "", ("C",)),
    ]


@pytest.mark.parametrize("offsets", [(2, 1), (-1,), (4,)])
def test_headings_out_of_order_or_place_are_refused(offsets: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="within the 3 characters"):
        sections("abc", [Heading(offset, 1, "x") for offset in offsets])
