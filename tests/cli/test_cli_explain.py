"""`--explain`: each line is a sum or a product of the numbers on it, and they add up."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.cli.show import why_lines
from asof.cli.terminal import json_layout
from asof.values import Why

NUMBER = re.compile(r"-?\d+\.\d{4}")
# labels hold signs, too: these stand before a number
SIGNS = {sign: re.compile(rf" {re.escape(sign)} (?=-?\d+\.\d{{4}} )") for sign in "+×/"}
LAST = 0.5e-4  # what printing with four places may hide of each number
WORD = re.compile(
    r"(\S+) “.+” = (\d+) tf / \(\2 tf \+ (\S+) length norm\) × (\S+) idf × (\S+)"
    r"(?: × (\S+) weight in the query)? · \d+ words, in (\d+) of (\d+) passages"
)
SQUARE = re.compile(r"\((\S+) idf[^)]*\)²(?:, in (\d+) of (\d+) passages)?")
RARE = re.compile(r"idf, in (\d+) of (\d+) passages")
AGE = re.compile(r"log10 (\S+)")


def number(text: str) -> float:
    found = NUMBER.search(text)
    assert found is not None, text
    return float(found[0])


def shares(line: str) -> tuple[float, float, float]:
    """Value, recomputed value, and what rounding may add, of a line of sums or products."""
    value, _, made = line.partition(" = ")
    stated = number(value)
    if made.startswith("exp "):
        return stated, math.exp(number(made)), 2 * LAST
    if SIGNS["+"].search(made):
        parts = [number(part) for part in SIGNS["+"].split(made)]
        return stated, sum(parts), LAST * (len(parts) + 1)
    total, slack = 1.0, LAST
    for factor in SIGNS["×"].split(made):
        over, *under = [number(part) for part in SIGNS["/"].split(factor)]
        total *= over / under[0] if under else over
        slack += 2 * LAST * max(1.0, stated / max(over, LAST))
    return stated, total, slack


def checked(line: str) -> str:
    """Asserts that a line adds up; says which kind it was."""
    if word := WORD.fullmatch(line):
        value, tf, norm, idf, k1, weight, df, n = (float(each or 1) for each in word.groups())
        assert value == pytest.approx(tf / (tf + norm) * idf * k1 * weight, abs=1e-3)
        assert idf == pytest.approx(math.log((n - df + 0.5) / (df + 0.5) + 1), abs=LAST)
        return "word"
    text, _, made = line.partition(" = ")
    told = number(text)
    if square := SQUARE.match(made):
        idf, df, n = (float(each or 0) for each in square.groups())
        assert told == pytest.approx(idf**2, abs=2 * LAST * idf + LAST)
        assert not n or idf == pytest.approx(math.log((n - df + 0.5) / (df + 0.5) + 1), abs=LAST)
        return "weight"
    if rare := RARE.match(made):
        df, n = map(float, rare.groups())
        assert told == pytest.approx(math.log((n - df + 0.5) / (df + 0.5) + 1), abs=LAST)
        return "idf"
    if age := AGE.match(made):
        assert told == pytest.approx(math.log10(float(age[1])), abs=1e-3)
        return "age"
    if made.startswith("the same for all"):
        return "told above"
    stated, again, slack = shares(line)
    assert stated == pytest.approx(again, abs=slack), line
    return "sum"


def test_the_lines_of_a_search_add_up(asof, notes):
    result = asof("search", "the latest blue crane", "--explain", "--as-of", "2022-06")
    tree = [line.strip() for line in result.out.splitlines() if re.match(r" {5,}-?\d+\.\d{4} .* = ", line)]
    kinds = [checked(line) for line in tree]
    assert {"word", "weight", "age", "told above", "sum"} == set(kinds) - {"idf"}
    scores = re.findall(r"^     notes/\S+  (\d+\.\d{4})$", result.out, re.MULTILINE)
    assert len(scores) == 3
    assert scores == re.findall(
        r"^     (\d+\.\d{4}) (?:equally good match|other match|score) = ", result.out, re.MULTILINE
    )
    assert "equally good matches" not in result.out, "one is the best alone: nothing is ordered by time"


def test_the_tree_in_json_recomputes_to_the_last_bit(asof, notes):
    def read(node: dict[str, Any]) -> Why:
        return Why(
            node["label"], node["value"], node["op"], tuple(read(part) for part in node.get("parts", ()))
        )

    hits = asof("search", "the latest blue crane", "--explain", "--json").json()["hits"]
    assert len(hits) == 3
    for hit in hits:
        assert read(hit["why"]).recomputed() == hit["score"] == hit["why"]["value"]


def test_small_summands_are_added_up():
    tree = Why.of("all", "sum", *[Why(f"part {n}", float(n)) for n in range(1, 10)])
    # 1 + ... + 9 = 45; the largest five are 9 + 8 + 7 + 6 + 5 = 35; 4 + 3 + 2 + 1 = 10 are left
    (line,) = why_lines(tree)
    assert line == (
        "45.0000 all = 9.0000 part 9 + 8.0000 part 8 + 7.0000 part 7 + 6.0000 part 6 + 5.0000 part 5"
        " + 10.0000 (4 more)"
    )
    checked(line)


def test_other_operations():
    assert why_lines(Why.of("root", "exp", Why("x", 0.0))) == ["1.0000 root = exp 0.0000 x"]
    assert why_lines(Why.of("root", "log", Why("x", 1.0))) == ["0.0000 root = ln 1.0000 x"]
    assert why_lines(Why.of("top", "max", Why("a", 1.0), Why("b", 2.0))) == [
        "2.0000 top = 1.0000 a or 2.0000 b"
    ]
    assert why_lines(Why.of("none", "sum")) == ["0.0000 none = "]


def test_a_tree_of_json_stands_in_one_line(asof, notes):
    text = asof("search", "the latest blue crane", "--explain", "--json").out
    trees = [line.strip() for line in text.splitlines() if '"op"' in line]
    assert len(trees) == 3
    assert all(tree.startswith('"why": {"label": ') for tree in trees)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
))  # fmt: skip
def test_json_without_trees_is_indented_by_two_spaces(value):
    assert json_layout(value) == json.dumps(value, ensure_ascii=False, indent=2)
    assert json_layout({"why": value}) == f'{{\n  "why": {json.dumps(value, ensure_ascii=False)}\n}}'
