"""A tree as JSON and back: the same numbers to the last bit, and nothing that is not a tree."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.judgements import MAX_DEPTH, read_tree
from asof.hits import MadeAt, Why
from asof.wire import encode

finite = st.floats(allow_nan=False, allow_infinity=False)
leaves = st.builds(Why, st.text(max_size=8), finite)
ARITIES = {"sum": (0, 4), "product": (0, 4), "ratio": (2, 2), "max": (1, 4), "exp": (1, 1), "log": (1, 1)}


def nodes(below: st.SearchStrategy[Why]) -> st.SearchStrategy[Why]:
    """Any value above any parts: read_tree takes values as they stand."""
    return st.one_of([
        st.builds(Why, st.text(max_size=8), finite, st.just(op),
                  st.lists(below, min_size=least, max_size=most).map(tuple))
        for op, (least, most) in ARITIES.items()
    ])  # fmt: skip


def bits(tree: Why) -> list[bytes]:
    return [struct.pack("<d", tree.value), *(each for part in tree.parts for each in bits(part))]


@given(st.recursive(leaves, nodes, max_leaves=12))
def test_there_and_back(tree: Why) -> None:
    back = read_tree(json.loads(json.dumps(encode(tree), allow_nan=False)))
    assert back == tree
    assert bits(back) == bits(tree)  # -0.0 is equal to 0.0, and not the same


def test_a_tree_that_was_made_recomputes() -> None:
    third = Why.of("a third", "ratio", Why("one", 1.0), Why("three", 3.0))
    tree = Why.of("all", "sum", third, Why.of("e", "exp", Why("minus a tenth", -0.1)), third)
    back = read_tree(encode(tree))
    assert back.recomputed() == tree.value == 1 / 3 + math.exp(-0.1) + 1 / 3


LEAF = {"label": "x", "value": 1.0, "op": "given"}
MADE = {"field": "coverage.above", "value": 0.5, "of": [0.25, 0.75]}


@pytest.mark.parametrize(
    ("node", "told"),
    [
        (None, "Expected `object`, got `null`"), ([], "got `array`"),
        ({"label": "x"}, "missing required field `value`"), ({**LEAF, "more": 1}, "unknown field `more`"),
        ({**LEAF, "label": 1}, r"Expected `str`, got `int` - at `\$.label`"),
        ({**LEAF, "value": "1"}, "Expected `float`"), ({**LEAF, "value": True}, "Expected `float`"),
        ({**LEAF, "value": math.nan}, "Expected `float`"), ({**LEAF, "value": math.inf}, "Expected `float`"),
        ({**LEAF, "value": 10**400}, "no tree"), ({**LEAF, "op": "guess"}, "Invalid enum value 'guess'"),
        ({**LEAF, "op": "ratio"}, "ratio takes"), ({**LEAF, "op": "exp", "parts": []}, "exp takes"),
        ({**LEAF, "parts": [LEAF]}, "given takes"),
        ({**LEAF, "op": "sum", "constant": "decay.tau"}, "only a leaf has a constant"),
        ({**LEAF, "constant": "tau"}, "matching regex"),
        ({**LEAF, "op": "sum", "parts": [LEAF, 7]}, r"at `\$.parts\[1\]`"),
        ({**LEAF, "made": {**MADE, "more": 1}}, "unknown field `more`"),
        ({**LEAF, "made": {**MADE, "field": "above"}}, "matching regex"),
        ({**LEAF, "made": {**MADE, "of": []}}, "length >= 1"),
        ({**LEAF, "made": {**MADE, "of": [0.1, "x"]}}, "Expected `float`"),
        ({**LEAF, "made": {**MADE, "of": [0.1] * 100_000}}, "100,000 nodes"),
    ],
)  # fmt: skip
def test_what_is_no_tree(node: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_tree(node)


def test_of_what_a_node_was_made_is_read_and_not_shown() -> None:
    tree = read_tree({**LEAF, "made": MADE})
    assert tree.made == MadeAt("coverage", "above", 0.5, (0.25, 0.75))
    assert tree == read_tree(LEAF)
    assert encode(tree) == LEAF


def chain(levels: int) -> dict[str, Any]:
    node: dict[str, Any] = dict(LEAF)
    for _ in range(levels - 1):
        node = {"label": "x", "value": 1.0, "op": "sum", "parts": [node]}
    return node


def test_trees_are_bounded() -> None:
    assert read_tree(chain(MAX_DEPTH)).recomputed() == 1.0
    with pytest.raises(UsageError, match="more than 100 levels"):
        read_tree(chain(MAX_DEPTH + 1))
    with pytest.raises(UsageError, match="100,000 nodes"):
        read_tree({"label": "x", "value": 1.0, "op": "sum", "parts": [LEAF] * 100_000})
