"""`[facts]`: what is accepted. What is refused, and how, is tested with `asof precompute`."""

from __future__ import annotations

import pytest

from asof import config
from asof.errors import BadConfig
from asof.extensions.facts.model import ENTITY_TYPES, TABLE, Facts


def test_an_empty_table_means_rules():
    assert TABLE.value({}) == Facts("rules", ENTITY_TYPES, 0)


def test_all_keys():
    table = {"extractor": "model", "entity_types": ["ships", "fares"], "gleaning": 3}
    assert TABLE.value(table) == Facts("model", ("ships", "fares"), 3)


@pytest.mark.parametrize(
    "table",
    [
        {"gleaning": True}, {"gleaning": -1}, {"gleaning": "1"}, {"extractor": ["model"]},
        {"entity_types": "ships"}, {"entity_types": [1]}, {"entity_types": ["  "]},
        {"entity_types": ["x" * 65]}, {"entity_types": ["x"] * 33}, {"entity_types": ["ships"]},
    ],
)  # fmt: skip
def test_a_value_that_is_not_accepted_is_refused_with_its_place(table):
    with pytest.raises(BadConfig, match=rf"^asof.toml: \[facts\] {next(iter(table))}"):
        config.read({"facts": table})
