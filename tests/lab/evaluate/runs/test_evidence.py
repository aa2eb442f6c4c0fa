"""Evidence: tokens, what is packed into a budget, which sentences lie in it whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.lab.metrics import coverage, covered, header, packed, places, size
from asof.text.passages import tokens
from asof.time.moment import read
from asof.values import Hit, Location, SourcedTime, Why


def hit(text: str, start: int = 0, document: str = "d", title: str = "T", date: str | None = "2020") -> Hit:
    published = SourcedTime(read(date), date, "metadata") if date else None
    place = Location(0, start, start + len(text))
    return Hit(
        1, 1.0, f"{document}#{start}", document, title, "", published, "metadata", None, (), place, text,
        lambda: Why("", 1.0),
    )  # fmt: skip


def test_a_token_is_a_word_or_a_sign():
    assert tokens("53.3%, up!") == len(["53", ".", "3", "%", ",", "up", "!"])


def test_the_line_above_is_counted():
    assert header(hit("a b")) == "T (2020)"
    assert header(hit("a b", title="", date=None)) == "d (undated)"
    assert size([hit("a b"), hit("c")]) == len(["T", "(", "2020", ")"]) * 2 + 2 + 1


def test_the_last_passage_is_cut_where_the_budget_ends():
    """Each line above takes 4 of the 11 tokens; 2 are left for the second passage."""
    first, second = hit("a b."[:3]), hit("c d, e", 10)
    assert packed([first, second], 4 + 2 + 4 + 2) == {"d": [(0, 3), (10, 13)]}
    assert packed([first, second], 4 + 2 + 4 + 3) == {"d": [(0, 3), (10, 14)]}
    assert packed([first, second], 4 + 2 + 4) == {"d": [(0, 3)]}
    assert packed([first, second], 1000) == {"d": [(0, 3), (10, 16)]}


def test_a_sentence_is_found_whatever_its_white_space():
    assert places("up  3 (three).", "It went up\n3 (three). Then up 3 (three).") == [(8, 21), (27, 40)]
    assert places("down", "It went up") == []


@pytest.mark.parametrize(
    ("stretches", "there"),
    [
        ([(0, 20)], True),
        ([(2, 7)], True),
        ([(0, 5), (5, 9)], True),
        ([(5, 9), (0, 5)], True),  # the order of the hits does not matter
        ([(0, 4), (5, 9)], True),  # only the blank at 4 is missing
        ([(0, 3), (5, 9)], False),
        ([(3, 9)], False),
        ([(0, 6)], False),
        ([], False),
    ],
)
def test_a_sentence_is_there_if_all_of_it_is(stretches, there):
    """The sentence `cd fg` at 2 to 7 of `abcd fghi`."""
    assert covered((2, 7), stretches, "abcd fghi".ljust(20)) is there


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda pair: tuple(sorted(pair)))),
       st.integers(0, 11), st.integers(1, 12))  # fmt: skip
def test_covered_is_that_of_sets_of_characters(stretches, start, length):
    text = "ab cd  efg h"
    end = min(start + length, len(text))
    packed_ = {at for first, stop in stretches for at in range(first, stop)}
    assert covered((start, end), stretches, text) is all(
        at in packed_ or text[at].isspace() for at in range(start, end)
    )


def test_coverage_by_budget():
    """The first passage has 4 + 3999 tokens: the smaller budget ends before its last word."""
    long = " ".join(["word"] * 3998) + " end"
    text = f"{long}\nThe answer is 7.\nMore."
    hits = [hit(long, title="T", date="2020"), hit("The answer is 7.\n", len(long) + 1)]
    shares, nowhere = coverage(
        hits,
        [("d", "The answer is 7."), ("d", "word end"), ("d", "Not there."), ("x", "Nobody.")],
        {"d": text}.get,
    )
    assert shares == {"evidence@4000": 0 / 4, "evidence@12000": 2 / 4}
    assert nowhere == 2


def test_half_a_sentence_is_none():
    shares, nowhere = coverage(
        [hit("The answer is")], [("d", "The answer is 7.")], {"d": "The answer is 7."}.get
    )
    assert (shares["evidence@12000"], nowhere) == (0, 0)
