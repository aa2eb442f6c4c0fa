"""Rows of tables in Markdown, and the header above them."""

from __future__ import annotations

from asof.text.passages import header, is_row, split_rows

TEXT = "Prices.\n| Kind | Price |\n|------|:-----:|\n| Loaf | 3 |\n| Bun | 1 |\nAll in crowns,\nas ever."


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in split_rows(text, 0, len(text))]


def test_rows_stand_apart_without_header_and_rule() -> None:
    assert parts(TEXT) == ["Prices.\n", "| Loaf | 3 |\n", "| Bun | 1 |\n", "All in crowns,\nas ever."]


def test_without_a_table_nothing_is_split() -> None:
    assert parts("One line,\nand another.") == ["One line,\nand another."]
    assert parts("a | b\nc") == ["a | b\nc"]
    assert parts("") == [""]


def test_the_header_of_each_row() -> None:
    rows = [start for start, _ in split_rows(TEXT, 0, len(TEXT)) if is_row(TEXT, start)]
    assert [header(TEXT, at) for at in rows] == ["| Kind | Price |"] * 2
    bare = "| Loaf | 3 |\n| Bun | 1 |"
    assert [header(bare, at) for at, _ in split_rows(bare, 0, len(bare))] == ["", ""]
