"""Passages: blocks, words, sentences, chunks, tables, tokens and what fits into a budget."""

from __future__ import annotations

import itertools
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.documents import Heading, SourcedTime
from asof.errors import UsageError
from asof.text.passages import (
    Chunk,
    Chunking,
    Packed,
    _filled,
    blocks,
    chunk,
    count_words,
    ends,
    pack,
    passage_header,
    sections,
    sentences,
    shown,
    tokens,
)
from asof.text.tables import row_parts, say_rows, table_rows
from asof.time.span import Span


def parts(text: str) -> list[tuple[str, bool]]:
    return [(text[start:end], solid) for start, end, solid in blocks(text, 0, len(text))]


CODE_BLOCK = "```python\na\n\n~~~\n``\nb\n````\n\n"
ROWS = "| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\n \n  three", [("one\ntwo\n\n \n", False), ("  three", False)]),
        ("", []),
        (f"Text\n{CODE_BLOCK}More", [("Text\n", False), (CODE_BLOCK, True), ("More", False)]),
        ("~~~\na\n\nb", [("~~~\na\n\nb", True)]),  # an unclosed fence runs to the end
        ("```a``` is code\n\nb", [("```a``` is code\n\n", False), ("b", False)]),
        (f"Text:\n{ROWS}\nMore", [("Text:\n", False), (f"{ROWS}\n", True), ("More", False)]),
        (f"```\n{ROWS}```\n{ROWS}", [(f"```\n{ROWS}```\n", True), (ROWS, True)]),
    ],
)
def test_paragraphs_code_and_tables_are_blocks(text: str, blocks: list[tuple[str, bool]]) -> None:
    assert parts(text) == blocks


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


@pytest.mark.parametrize("offsets", [(2, 1), (-1,), (4,)])
def test_headings_out_of_order_or_place_are_refused(offsets: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="within the 3 characters"):
        sections("abc", [Heading(offset, 1, "x") for offset in offsets])


# -- sentences -------------------------------------------------------------------------------------------


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
        "Status: open\n|see-also: a\n|Owner (1): Ada\nBo\nNote: a\n|b.c: Of d",
        "example.com and a.b stay",
        "14.06.2022 bins moved\n|15.06.2022 gate oiled\n|16.06. lamp\nwhich wraps",
        "Mon 3 May: bins\n|Tue 4 May: gate\n|08:15 in\n|09:20 out",
        "There came about\n30 people in\n2022-06-14 all told",
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


# -- chunks ----------------------------------------------------------------------------------------------

TEN, TWENTY, FORTY = Chunking("words", 10), Chunking("words", 20), Chunking("words", 40)


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def outlined(text: str) -> tuple[Heading, ...]:
    """The headings of a text that are marked by #."""
    return tuple(
        Heading(match.start(), len(match[1]), match[2]) for match in re.finditer(r"(?m)^(#+) (.*)$", text)
    )


def pieces_of(text: str, chunking: Chunking) -> list[str]:
    return [text[piece.start : piece.end] for piece in chunk(text, outlined(text), chunking)]


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, tuple[Heading, ...]]:
    alphabet = st.sampled_from(
        ["a", "word ", ". ", "!\n", "\n\n", "# ", "|", "```\n", " ", "東", "\u0301", "x" * 90]
    )
    text = "".join(draw(st.lists(alphabet, max_size=120)))
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return text, tuple(Heading(offset, draw(st.integers(1, 4)), f"h{offset}") for offset in offsets)


CHUNKINGS = st.builds(
    lambda unit, size, share: Chunking(unit, size, size * share // 100),
    st.sampled_from(["words", "chars"]),
    st.integers(10, 60),
    st.integers(0, 99),
)


@given(texts(), CHUNKINGS)
def test_pieces_tile_the_text_or_overlap_in_order(
    given_: tuple[str, tuple[Heading, ...]], how: Chunking
) -> None:
    text, outline = given_
    pieces = chunk(text, outline, how)
    assert bool(pieces) == bool(text)
    if not text:
        return
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    for left, right in pairwise(pieces):
        assert left.end < right.end
        assert left.start <= right.start <= left.end
        assert right.start == left.end or how.overlap
    taken = [0, *(piece.end for piece in pieces)]
    assert "".join(text[start:end] for start, end in pairwise(taken)) == text


@given(texts(), st.integers(10, 40), st.sampled_from(["words", "chars"]))
def test_no_piece_is_much_too_long(given_: tuple[str, tuple[Heading, ...]], size: int, unit: str) -> None:
    text, outline = given_
    for piece in chunk(text, outline, Chunking(unit, size)):
        stretch = text[piece.start : piece.end]
        # a heading line; a quarter from before; 5/4 that fit; an eighth merged; marks stepped over
        line = stretch.split("\n")[0]
        if unit == "chars":
            assert len(stretch) <= size * (1 + 1 / 4 + 1 / 4 + 1 / 8) + min(len(line), size) + 2 * 8
        elif stretch.isascii() and len(stretch) <= 20 * len(stretch.split()):
            assert (
                count_words(stretch) <= size * (1 + 1 / 4 + 1 / 4 + 1 / 8) + min(count_words(line), size) + 1
            )


@given(
    st.lists(
        st.sampled_from(["# a\n", "## b\n", "### c\n", "word " * 3, words(12) + ".\n", "\n\n", "\n"]),
        max_size=30,
    ),
    st.integers(10, 60),
)
def test_headings_begin_pieces_and_name_them(parts: list[str], size: int) -> None:
    text = "".join(parts)
    outline = outlined(text)
    for piece in chunk(text, outline, Chunking("words", size)):
        named = [each.title for each in outline if each.offset < piece.end]
        assert piece.headings[-1:] == tuple(named[-1:])
        for each in outline:
            if piece.start < each.offset < piece.end:  # after nothing but other headings
                assert not re.sub(r"(?m)^#.*$", "", text[piece.start : each.offset]).strip()


def test_nothing_and_next_to_nothing() -> None:
    assert chunk("", (), TEN) == []
    assert chunk("", (), Chunking("whole")) == []
    assert chunk("# A\n\nb", outlined("# A\n\nb"), Chunking("whole")) == [Chunk(0, 6, ())]
    assert chunk(" \n ", (), TEN) == [Chunk(0, 3, ())]
    assert chunk(" " * 100, (), TEN) == [Chunk(0, 100, ())]
    assert pieces_of(" " * 100, Chunking("chars", 50)) == [" " * 50] * 2


FOUR, SIX, EIGHT, TWELVE = (words(count) + "\n\n" for count in (4, 6, 8, 12))
SENTENCE = words(7) + " end. "  # 8 words
CODE, TABLE = "```\n" + "a b c d. E\n" * 8 + "```\n", "| a | b |\n" * 9  # 42 and 45 words


@pytest.mark.parametrize(
    ("text", "chunking", "pieces"),
    [
        (f"{words(10)}\n\n{words(10)}", TWENTY, [f"{words(10)}\n\n{words(10)}"]),
        ("word\n\nword", Chunking("chars", 100), ["word\n\nword"]),
        # a piece is closed when the next paragraph would make it a quarter too long: 6 + 20 > 25, 6 >= 20/4
        (EIGHT + TWELVE + SIX + words(20), TWENTY, [EIGHT + TWELVE, SIX, words(20)]),
        # into a nearly empty piece it is taken by sentences: 4 < 20/4, 4 + 8 + 8 = 20
        (FOUR + SENTENCE * 3, TWENTY, [FOUR + SENTENCE * 2, SENTENCE]),
        (SENTENCE * 6, TWENTY, [SENTENCE * 3] * 2),  # 16 + 8 = 24 <= 25
        ("\n \n# A\ntext", TEN, ["\n \n# A\ntext"]),
        # code and tables are not cut while they fit: 5 < 40/4, the code comes along
        (words(5) + "\n" + CODE + TABLE, FORTY, [words(5) + "\n" + CODE, TABLE]),
        ("| a | b |\n" * 16, FORTY, ["| a | b |\n" * 8] * 2),  # too long, they are cut at lines: 8 * 5 = 40
        # 13 fresh characters: 5 + 5 < 13; 7 back is inside a word, and the next begins 5 back
        (
            "aaaa bbbb cccc dddd eeee ffff",
            Chunking("chars", 20, 7),
            ["aaaa bbbb cccc ", "cccc dddd eeee ffff"],
        ),
        ("x" * 30, Chunking("chars", 20, 10), ["x" * 10, "x" * 20, "x" * 20]),
        # a provision begins a piece, however short; what speaks of one does not
        (FOUR + "Resolution 2022-1: a\n**Motion 3.** b c\n\nResolution 4 is lost.", FORTY,
         [FOUR, "Resolution 2022-1: a\n", "**Motion 3.** b c\n\nResolution 4 is lost."]),
    ],
)  # fmt: skip
def test_where_a_text_is_cut(text: str, chunking: Chunking, pieces: list[str]) -> None:
    assert pieces_of(text, chunking) == pieces


@pytest.mark.parametrize(
    ("text", "chunking", "sizes"),
    [
        (words(50), TWENTY, [20, 20, 10]),
        (words(42), TWENTY, [20, 22]),  # a small rest joins the piece before: 2 < 20/8
        (words(43), TWENTY, [20, 20, 3]),
        (f"# one two three four\n\n{words(12)}", TEN, [5 + 5, 7]),  # a heading stays with its text
    ],
)
def test_how_many_words_a_piece_has(text: str, chunking: Chunking, sizes: list[int]) -> None:
    assert [count_words(part) for part in pieces_of(text, chunking)] == sizes


@pytest.mark.parametrize(
    ("text", "chunking", "sizes"),
    [
        ("x" * 93, Chunking("chars", 30), [30, 30, 33]),  # 3 < 30/8
        ("x" * 100, TEN, [20] * 5),  # two characters a word
        ("東" * 100, TWENTY, [40, 40, 20]),
        ("x" * 9 + "e\u0301" + "x" * 12, Chunking("chars", 10), [11, 10, 2]),  # not before a combining mark
    ],
)
def test_a_word_that_is_too_long_is_cut_at_characters(
    text: str, chunking: Chunking, sizes: list[int]
) -> None:
    assert [len(part) for part in pieces_of(text, chunking)] == sizes


def test_headings_begin_pieces_and_their_path_goes_along() -> None:
    text = f"Before\n\n# One\n\n{words(4)}\n\n## Two\n{words(24)}\n# Three\nx\n"
    pieces = chunk(text, outlined(text), TWENTY)
    assert [(text[each.start : each.end].split()[:2], each.headings) for each in pieces] == [
        (["Before"], ()),
        (["#", "One"], ("One",)),
        (["##", "Two"], ("One", "Two")),
        (["word", "word"], ("One", "Two")),
        (["#", "Three"], ("Three",)),
    ]
    # "## Two" is 2 words, so 18 of the 24 come with it
    assert [count_words(text[each.start : each.end]) for each in pieces] == [1, 2 + 4, 2 + 18, 6, 2 + 1]


def test_a_heading_without_text_goes_with_a_deeper_one_and_else_stands_alone() -> None:
    text = "# A\n\n## B\n\ntext\n\n## C\n## D\ntext\n# E\n"
    pieces = chunk(text, outlined(text), TEN)
    assert [(text[each.start : each.end], each.headings) for each in pieces] == [
        ("# A\n\n## B\n\ntext\n\n", ("A", "B")),
        ("## C\n", ("A", "C")),
        ("## D\ntext\n", ("A", "D")),
        ("# E\n", ("E",)),
    ]


def test_overlap_repeats_the_last_words() -> None:
    text = " ".join(map(str, range(100, 140)))
    parts = pieces_of(text, Chunking.parse("20w/5"))  # 15 fresh words each: 15 + 15 + 10
    assert [part.split()[0] for part in parts] == ["100", str(115 - 5), str(130 - 5)]
    assert [len(part.split()) for part in parts] == [15, 5 + 15, 5 + 10]


def test_overlap_stays_within_the_section() -> None:
    text = f"# A\n{words(12, 'a')}\n# B\n{words(12, 'b')}"
    assert [part.split()[0] for part in pieces_of(text, Chunking.parse("10w/3"))] == ["#", "a", "#", "b"]


def test_overlap_in_chinese_is_two_characters_a_word() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 60)))
    pieces = chunk(text, (), Chunking.parse("12w/2"))  # 10 fresh words are 20 characters, 2 are 4
    assert [(each.start, each.end) for each in pieces] == [(0, 20), (16, 40), (36, 60)]


def test_chunkings_are_read_and_written() -> None:
    for written in ("120w", "120w/20", "2000c", "2000c/200", "whole"):
        assert str(Chunking.parse(written)) == written
    assert Chunking.parse("120w") == Chunking("words") == Chunking("words", 120, 0)
    assert Chunking.parse("2000c/200") == Chunking("chars", 2000, 200)


@pytest.mark.parametrize(
    "written", ["", "120", "w", "9w", "100001w", "20w/20", "120x", "120w/", "-5w", "whole/2", "120 w", "१२०w"]
)
def test_other_chunkings_are_refused_with_what_is_accepted(written: str) -> None:
    with pytest.raises(UsageError, match=r"120w .*2000c .*120w/20.*whole.*10 to 100000") as refused:
        Chunking.parse(written)
    assert repr(written) in str(refused.value)


@pytest.mark.parametrize(("unit", "size", "overlap"), [("lines", 20, 0), ("words", 5, 0), ("chars", 10, -1)])
def test_chunkings_out_of_range_are_refused(unit: str, size: int, overlap: int) -> None:
    with pytest.raises(UsageError, match="accepted are"):
        Chunking(unit, size, overlap)


@pytest.mark.parametrize(
    "piece", ["a", "\n", " ", "a. ", "東", "|a\n", "```\n", "\n \n", "\u0301", "- a\n", "~~~a\n"]
)
@pytest.mark.parametrize("written", ["120w", "10w/2", "2000c/1000"])
def test_hostile_texts_take_linear_time_to_chunk(piece: str, written: str) -> None:
    chunking = Chunking.parse(written)

    def once(n: int) -> None:
        _filled.cache_clear()
        chunk(piece * (n // len(piece)), (), chunking)

    assert is_linear(once, 5_000)


def test_many_headings_take_linear_time() -> None:
    text = "# a\n" * 10_000
    outline = outlined(text)
    assert len(chunk(text, outline, TEN)) == 10_000
    assert is_linear(lambda n: chunk("# a\n" * n, outline[:n], TEN), 1_000)


# -- rows of tables in Markdown, and the header above them -----------------------------------------------

TEXT = "Prices.\n| Kind | Price |\n|------|:-----:|\n| Loaf | 3 |\n| Bun | 1 |\nAll in crowns,\nas ever."


def rows_of(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in table_rows(text)]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (TEXT, ["Prices.\n", "| Loaf | 3 |\n", "| Bun | 1 |\n", "All in crowns,\nas ever."]),
        ("One line,\nand another.", ["One line,\nand another."]),
        ("a | b\nc", ["a | b\nc"]),
        ("", []),
    ],
)
def test_rows_stand_apart_without_header_and_rule(text: str, rows: list[str]) -> None:
    assert rows_of(text) == rows


def test_the_header_of_each_row() -> None:
    said = [text for text in say_rows(TEXT, ()).split("\n") if text]
    assert said == [
        "Prices.",
        "- Kind: Loaf; Price: 3",
        "- Kind: Bun; Price: 1",
        "All in crowns,",
        "as ever.",
    ]
    bare = "| Loaf | 3 |\n| Bun |  |"
    assert say_rows(bare, ()) == "- Loaf; 3\n- Bun\n"
    assert say_rows(bare, ("Prices", "Kind | Price")) == "- Kind: Loaf; Price: 3\n- Kind: Bun\n"


def test_a_long_row_is_said_in_parts_with_its_first_cell() -> None:
    row = f"| {' | '.join(['Ada', *['x' * 90] * 7])} |\n"
    parts = row_parts(row, 0, len(row), "")
    # 3 + 2 + 90 + 2 + 90 + 2 + 90 characters fit into 300, so do the name and three more; one is left
    assert [text.count("x" * 90) for _, _, text in parts] == [3, 3, 1]
    assert [text[:5] for _, _, text in parts] == ["Ada; "] * 3
    assert [row[start:end].strip()[:1] for start, end, _ in parts] == ["|", "x", "x"]
    assert [end for _, end, _ in parts][:-1] == [start for start, _, _ in parts][1:]


def test_passages_of_one_table_have_its_header() -> None:
    rows = "".join(f"| r{number} {'word ' * 10}| {number} |\n" for number in range(10))
    text = f"# Prices\n\n| Name | Price |\n|---|---|\n{rows}\nThe end of {'the list ' * 20}"
    pieces = chunk(text, outlined(text), Chunking("words", 30))
    first = [text[piece.start :].startswith("# Prices") for piece in pieces]
    in_rows = [text.startswith("| r", piece.start) for piece in pieces]
    assert any(in_rows)
    for piece, head, inside in zip(pieces, first, in_rows, strict=True):
        assert piece.headings == (("Prices", "Name | Price") if inside else ("Prices",))
        assert head + inside or text.find("The end") <= piece.start


def test_passages_of_one_row_have_its_first_cell() -> None:
    text = f"| Name | Notes |\n|---|---|\n| Ada | {'word ' * 60}|\n"
    pieces = chunk(text, (), Chunking("words", 20))
    assert len(pieces) > 2
    assert {piece.headings for piece in pieces if not text.startswith("|", piece.start)} == {("Ada",)}


# -- how much of a budget a text takes -------------------------------------------------------------------


def test_words_and_marks_are_tokens() -> None:
    # Revenue rose 4 . 2 % ( Q3 ) .
    assert tokens("Revenue rose 4.2% (Q3).") == 10
    assert ends("rose 4.2%") == [4, 6, 7, 8, 9]
    assert tokens(" \n\t") == 0


def test_the_line_above_a_passage() -> None:
    assert (
        passage_header("Harbour news", SourcedTime(Span(None, None), "May 2021", "text"))
        == "Harbour news (May 2021)"
    )
    assert passage_header("Harbour news", None) == "Harbour news (undated)"


@given(st.text(max_size=60), st.text(max_size=60))
def test_lines_add_up(one: str, other: str) -> None:
    assert tokens(f"{one}\n{other}") == tokens(one) + tokens(other) == len(ends(f"{one}\n{other}"))


# -- packing into a budget of tokens ---------------------------------------------------------------------

SIZES = st.lists(st.integers(0, 50), max_size=12)
BUDGETS = st.integers(-5, 200)


@pytest.mark.parametrize(
    ("sizes", "budget", "packed"),
    [
        ([500, 700, 300], 1000, Packed(selected=(0, 2), left_out=(1,), used=800, left=700)),
        ([600, 400], 1000, Packed((0, 1), (), 1000, 0)),
        ([], 1000, Packed((), (), 0, 0)),
        ([5], -3, Packed((), (0,), 0, 5)),
    ],
)
def test_what_does_not_fit_is_passed_over(sizes: list[int], budget: int, packed: Packed) -> None:
    assert pack(sizes, budget) == packed


def test_what_is_left_out_is_said() -> None:
    note = pack([500, 1700, 300], 1000).note("passages", 1000)
    assert note == "left out: 1 of 3 passages (1,700 tokens): 800 of at most 1,000 tokens are used"
    assert pack([500], 1000).note("passages", 1000) == ""


@pytest.mark.parametrize(
    ("sizes", "groups", "budget", "selected"),
    [
        ([10] * 6, "aaabcb", 60, (0, 3, 4, 1, 5, 2)),  # a, b, c; a, b; a
        ([10] * 6, "aaabcb", 30, (0, 3, 4)),
        ([30, 5, 40, 15], "aabb", 50, (0, 3, 1)),  # of 50: a's 30; b's 40 does not fit, its 15 does
    ],
)
def test_groups_take_turns(sizes: list[int], groups: str, budget: int, selected: tuple[int, ...]) -> None:
    assert pack(sizes, budget, groups=groups).selected == selected


def sound(found: Packed, sizes: list[int], budget: int) -> None:
    assert found.used == sum(sizes[item] for item in found.selected) <= max(budget, 0)
    assert found.left == sum(sizes[item] for item in found.left_out)
    assert sorted(found.selected + found.left_out) == list(range(len(sizes)))


@given(SIZES, BUDGETS)
def test_greedy(sizes: list[int], budget: int) -> None:
    found = pack(sizes, budget)
    sound(found, sizes, budget)
    assert list(found.selected) == sorted(found.selected)
    for item in found.left_out:
        before = sum(sizes[other] for other in found.selected if other < item)
        assert before + sizes[item] > budget
    # the longest beginning that fits; without a budget not even what has no size
    fit = [total <= budget for total in itertools.accumulate(sizes)]
    stopped = pack(sizes, budget, skip=False)
    assert stopped.selected == tuple(range(fit.index(False) if False in fit else len(fit)))


@given(st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abcd")), max_size=12), BUDGETS)
def test_a_group_with_nothing_has_nothing_that_would_still_fit(
    items: list[tuple[int, str]], budget: int
) -> None:
    sizes, groups = [size for size, _ in items], [group for _, group in items]
    found = pack(sizes, budget, groups=groups)
    sound(found, sizes, budget)
    for group in set(groups):
        of_group = {item for item, its in enumerate(groups) if its == group}
        if not of_group & set(found.selected):
            assert all(found.used + sizes[item] > budget for item in of_group)
