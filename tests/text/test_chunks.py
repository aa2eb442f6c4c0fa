from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.errors import UsageError
from asof.text.passages import Chunk, Chunking, chunk, count_words
from asof.values import Heading

TEN, TWENTY, FORTY = Chunking("words", 10), Chunking("words", 20), Chunking("words", 40)


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def outlined(text: str) -> tuple[Heading, ...]:
    """The headings of a text that are marked by #."""
    return tuple(
        Heading(match.start(), len(match[1]), match[2]) for match in re.finditer(r"(?m)^(#+) (.*)$", text)
    )


def cut(text: str, chunking: Chunking) -> list[str]:
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
    assert chunk(" \n ", (), TEN) == [Chunk(0, 3, ())]
    assert chunk(" " * 100, (), TEN) == [Chunk(0, 100, ())]
    assert cut(" " * 100, Chunking("chars", 50)) == [" " * 50] * 2


def test_a_short_text_is_one_piece() -> None:
    text = f"{words(10)}\n\n{words(10)}"
    assert cut(text, TWENTY) == [text]
    assert cut(text, Chunking("chars", 100)) == [text]


def test_whole_is_whole() -> None:
    text = f"# A\n\n{words(500)}"
    assert chunk(text, outlined(text), Chunking("whole")) == [Chunk(0, len(text), ())]


def test_a_piece_is_closed_when_the_next_paragraph_would_make_it_a_quarter_too_long() -> None:
    # 8 + 12 = 20 reaches the size; 6 + 20 > 25 and 6 >= 20/4
    eight, twelve, six, twenty = words(8) + "\n\n", words(12) + "\n\n", words(6) + "\n\n", words(20)
    assert cut(eight + twelve + six + twenty, TWENTY) == [eight + twelve, six, twenty]


def test_a_paragraph_that_does_not_fit_into_a_nearly_empty_piece_is_taken_by_sentences() -> None:
    # 4 < 20/4, and 4 + 24 > 25: the sentences of 8 follow one by one until 4 + 8 + 8 = 20
    four, eight = words(4) + "\n\n", words(7) + " end. "
    assert cut(four + eight * 3, TWENTY) == [four + eight * 2, eight]


def test_a_long_paragraph_is_cut_at_sentences_and_a_long_sentence_at_words() -> None:
    eight = words(7) + " end. "
    assert cut(eight * 6, TWENTY) == [eight * 3] * 2  # 16 + 8 = 24 <= 25
    assert [count_words(part) for part in cut(words(50), TWENTY)] == [20, 20, 10]


def test_a_small_rest_joins_the_piece_before() -> None:
    # 42 = 20 + 22, as 2 < 20/8; but 43 = 20 + 20 + 3
    assert [count_words(part) for part in cut(words(42), TWENTY)] == [20, 22]
    assert [count_words(part) for part in cut(words(43), TWENTY)] == [20, 20, 3]


def test_a_word_that_is_too_long_is_cut_at_characters() -> None:
    assert [len(part) for part in cut("x" * 93, Chunking("chars", 30))] == [30, 30, 33]  # 3 < 30/8
    assert [len(part) for part in cut("x" * 100, TEN)] == [20] * 5  # two characters a word
    assert [len(part) for part in cut("東" * 100, TWENTY)] == [40, 40, 20]


def test_no_cut_before_a_combining_mark() -> None:
    assert [len(part) for part in cut("x" * 9 + "e\u0301" + "x" * 12, TEN_CHARACTERS)] == [11, 10, 2]


TEN_CHARACTERS = Chunking("chars", 10)


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


def test_a_heading_stays_with_its_text() -> None:
    # the heading's 5 words are more than a quarter of 10, yet it is not left alone
    text = f"# one two three four\n\n{words(12)}"
    assert [count_words(part) for part in cut(text, TEN)] == [5 + 5, 7]


def test_white_space_before_the_first_heading_goes_with_it() -> None:
    assert cut("\n \n# A\ntext", TEN) == ["\n \n# A\ntext"]


def test_code_and_tables_are_not_cut_while_they_fit() -> None:
    code = "```\n" + "a b c d. E\n" * 8 + "```\n"  # 42 words
    table = "| a | b |\n" * 9  # 45 words
    before = words(5) + "\n"
    assert cut(before + code + table, FORTY) == [before + code, table]  # 5 < 40/4: the code comes along
    # too long, they are cut at lines: 8 * 5 = 40
    assert cut("| a | b |\n" * 16, FORTY) == ["| a | b |\n" * 8] * 2


def test_overlap_repeats_the_last_words() -> None:
    text = " ".join(map(str, range(100, 140)))
    parts = cut(text, Chunking.parse("20w/5"))  # 15 fresh words each: 15 + 15 + 10
    assert [part.split()[0] for part in parts] == ["100", str(115 - 5), str(130 - 5)]
    assert [len(part.split()) for part in parts] == [15, 5 + 15, 5 + 10]


def test_overlap_by_characters_begins_at_a_word() -> None:
    text = "aaaa bbbb cccc dddd eeee ffff"
    # 13 fresh characters: 5 + 5 < 13 <= 5 + 5 + 5; 7 back is inside a word, and the next begins 5 back
    assert cut(text, Chunking.parse("20c/7")) == ["aaaa bbbb cccc ", "cccc dddd eeee ffff"]
    assert cut("x" * 30, Chunking.parse("20c/10")) == ["x" * 10, "x" * 20, "x" * 20]


def test_overlap_stays_within_the_section() -> None:
    text = f"# A\n{words(12, 'a')}\n# B\n{words(12, 'b')}"
    assert [part.split()[0] for part in cut(text, Chunking.parse("10w/3"))] == ["#", "a", "#", "b"]


def test_overlap_in_chinese_is_two_characters_a_word() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 60)))
    pieces = chunk(text, (), Chunking.parse("12w/2"))  # 10 fresh words are 20 characters, 2 are 4
    assert [(each.start, each.end) for each in pieces] == [(0, 20), (16, 40), (36, 60)]


@pytest.mark.parametrize("written", ["120w", "120w/20", "2000c", "2000c/200", "whole"])
def test_chunkings_are_read_and_written(written: str) -> None:
    assert str(Chunking.parse(written)) == written


def test_what_chunkings_mean() -> None:
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
def test_hostile_texts_take_linear_time(piece: str, written: str) -> None:
    chunking = Chunking.parse(written)
    assert is_linear(lambda n: chunk(piece * (n // len(piece)), (), chunking), 5_000)


def test_many_headings_take_linear_time() -> None:
    text = "# a\n" * 10_000
    outline = outlined(text)
    assert len(chunk(text, outline, TEN)) == 10_000
    assert is_linear(lambda n: chunk("# a\n" * n, outline[:n], TEN), 1_000)
