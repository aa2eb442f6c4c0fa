"""What a target of a store says, and which part of a store is meant."""

from __future__ import annotations

import pytest

from asof.errors import MissingExtra, UsageError
from asof.imports.stores.target import chosen, package, read

GIVEN = {"text": None, "time": None}


@pytest.mark.parametrize(
    ("target", "place", "part", "options"),
    [
        ("s:a/b#c", "a/b", "c", {}),
        ("s:a/b", "a/b", "", {}),
        ("s:a?time=x&text=y%20z#c", "a", "c", {"time": "x", "text": "y z"}),
        ("s:a#c?time=x", "a", "c", {"time": "x"}),
        ("s:a#b#c%20d", "a#b", "c d", {}),
    ],
)
def test_a_target_is_a_place_a_part_and_options(target, place, part, options):
    read_target = read(target, GIVEN)
    assert (read_target.place, read_target.part, read_target.options) == (place, part, options)


def test_an_option_that_is_given_beside_the_target_counts():
    assert read("s:a?time=x", {"time": "y", "text": None}).options == {"time": "y"}


def test_an_unknown_option_is_refused_without_its_value():
    with pytest.raises(UsageError, match=r"'tme' is no option of it; .* text=..., time=...") as refused:
        read("s:a?tme=sesame", GIVEN)
    assert "sesame" not in str(refused.value)


def test_a_part_is_named_behind_the_sharp_or_by_an_option_and_once():
    given = {"table": None}
    assert read("s:a#c", given).named("table", "s") == "c"
    assert read("s:a?table=c", given).named("table", "s") == "c"
    assert read("s:a#c", {"table": "c"}).named("table", "s") == "c"
    assert read("s:a", given).named("table", "s") == ""
    with pytest.raises(UsageError, match="s:x: two tables are named: c and d"):
        read("s:a#c", {"table": "d"}).named("table", "s:x")


def test_the_only_part_need_not_be_named():
    assert chosen("", ["a"], "table", "s:x") == "a"
    assert chosen("b", ["a", "b"], "table", "s:x") == "b"


@pytest.mark.parametrize(
    ("part", "there", "said"),
    [
        ("", ["b", "a"], "which table is meant has to be named, as in s:x#NAME; there are: a, b"),
        ("c", ["a"], "no table 'c'; there are: a"),
        ("", [], "there is no table"),
        ("", [f"{number:03}" for number in range(50)], "038, 039 and 10 more"),  # 50 - the 40 that are shown
    ],
)
def test_parts_are_listed_where_it_is_not_clear(part, there, said):
    with pytest.raises(UsageError, match=said):
        chosen(part, there, "table", "s:x")


def test_a_package_that_is_missing_is_named():
    with pytest.raises(MissingExtra, match="pip install 'no-such"):
        package("no_such_package", "'no-such[x]'", "a store")
