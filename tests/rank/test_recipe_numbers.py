"""Numbers that learning may move: found, read, set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import recipes
from asof.errors import UsageError
from asof.rank.stage import ranges, value_of, with_values

PAPERS = recipes.named("papers")
ASOF = recipes.named("asof")


def test_what_a_recipe_declares_and_what_its_stages_do():
    found = ranges(PAPERS)
    assert (found["combine.weights.similarity"].low, found["combine.weights.similarity"].high) == (0.1, 0.6)
    # the recipe's own bounds stand before those of the stage (.0001 to 1)
    assert (found["freshness.rate"].low, found["freshness.rate"].high) == (0.01, 0.1)
    assert found["by_document.passages"].high == 1_000
    assert "typed" not in found
    assert "similarity.scale" not in found


def test_a_field_without_a_number_has_no_range_until_it_is_set():
    assert "lexical.idf_cap" not in ranges(ASOF)
    assert "lexical.idf_cap" in ranges(ASOF.replaced({"lexical.idf_cap": 4.0}))


def test_numbers_are_read_by_field_and_by_name():
    assert value_of(PAPERS, "combine.weights.volume") == 0.1
    assert value_of(PAPERS, "coverage.above") == 0.5
    for field in ("combine.weights.age", "coverage.of", "typed", "nothing", "combine.weights"):
        with pytest.raises(UsageError, match=f"no number {field}"):
            value_of(PAPERS, field)


def test_setting_one_number_leaves_the_others():
    changed = with_values(PAPERS, {"combine.weights.similarity": 0.5, "coverage.above": 0.4})
    weights = dict(dict(changed.fields())["combine.weights"])
    assert weights == {"similarity": 0.5, "freshness": 0.25, "coverage": 0.25, "volume": 0.1}
    assert value_of(changed, "volume.above") == 0.4  # the same threshold, always
    assert with_values(PAPERS, {}) == PAPERS


def test_whole_numbers_stay_whole():
    changed = with_values(PAPERS, {"by_document.passages": 2.6})
    assert value_of(changed, "by_document.passages") == 3
    assert isinstance(dict(changed.fields())["by_document.passages"], int)


def test_a_number_out_of_its_bounds_is_refused():
    with pytest.raises(UsageError, match=r"coverage\.above"):
        with_values(PAPERS, {"coverage.above": 1.5})


#: the numbers of ASOF that no other number sets with its own
OF_THEIR_OWN = sorted(
    ranges(ASOF).keys() - {field for found in ranges(ASOF).values() for field in found.also}
)


@given(st.dictionaries(st.sampled_from(OF_THEIR_OWN), st.floats(0, 1)))
def test_what_was_set_is_read(shares: dict[str, float]):
    known = ranges(ASOF)
    values = {
        field: known[field].low + share * (known[field].high - known[field].low)
        for field, share in shares.items()
    }
    changed = with_values(ASOF, values)
    for field, value in values.items():
        whole = isinstance(dict(changed.fields()).get(field), int)
        assert value_of(changed, field) == (round(value) if whole else value)
