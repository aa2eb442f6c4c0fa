"""Names as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asof.text.query import key


@pytest.mark.parametrize(
    "names",
    [
        ["Quay Rope, Inc.", "quay rope", "The Quay Rope Company", "QUAY ROPE CORP.", "Quay Rope’s"],
        ["Lowe & Tide Ltd", "Lowe and Tide", "The Lowe & Tide Co."],
        ["Macken's", "Macken's Corporation", "MACKEN'S, INC.", "Macken’s"],  # the form stands behind the 's
        ["U.S.A.", "USA", "the U.S.A."],
        ["Ropes.com", "ropes.com"],
        ["Hafen GmbH & Co. KG", "HAFEN GMBH", "Hafen"],
        ["Har\u00adbour Office", "Harbour\u200b Office", "Ｈarbour_Office", "harbour   office"],
        ["İzmir", "izmir"],
        ["Straße AG", "STRASSE"],
        ["1,204 berths", "1204 berths"],
        ["the WHO", "WHO", "who"],
        ["3M Co", "3M"],
    ],
)
def test_one_name_in_many_spellings(names):
    assert {key(name) for name in names} == {key(names[0])}


@pytest.mark.parametrize(
    "names",
    [
        ["The Who", "who", "The Band"],  # "who" names nobody
        ["The Limited", "Limited", "The The", "the"],
        ["Co Down", "Down", "Co-op", "Op"],  # a form stands at the end
        ["AG Barr", "Barr"],
        ["5 kg", "5"],  # and not after a number
        ["Quay Holdings", "Quay", "Quay Group", "Quay SpA"],
        ["C", "C++", "C#"],
        ["Tide", "Tide+"],
        ["3.5 berths", "35 berths", "3,5 berths"],
        ["कि", "का"],  # a vowel is a mark in Hindi
        ["Müller", "Muller"],
        ["Lowe's", "Lowes"],
        ["!!!", "???", ""],
    ],
)
def test_what_is_doubtful_stays_apart(names):
    assert len({key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Co", "co"),  # nothing but a legal form is a name
        ("Limited Inc", "limited"),
        ("The Company", "the company"),
        ("THE WHO", "the who"),  # nobody can tell
        ("5 & Co.", "5"),
        ("!!!", "!!!"),
        (" \n", ""),
    ],
)
def test_what_is_left_of_names_that_are_hardly_any(name, expected):
    assert key(name) == expected


_PARTS = [
    "the",
    "The",
    "Co",
    "Inc.",
    "&",
    "and",
    "who",
    "3.5",
    "5",
    "kg",
    "'s",
    "’",
    "_",
    "x",
    ",",
    ".",
    "ŉ",
    "İ",
    "+",
]


@given(st.text(max_size=12) | st.lists(st.sampled_from(_PARTS), max_size=6).map("".join)
       | st.lists(st.sampled_from(_PARTS), max_size=6).map(" ".join))  # fmt: skip
@example("0.0'S")
@example("the The Co Ltd")
@example("x's's")
@example("_'S")
def test_a_key_is_its_own_key_and_never_lost(name):
    assert key(key(name)) == key(name)
    assert bool(key(name)) or not name.replace("_", "").strip() or not name.isascii()
