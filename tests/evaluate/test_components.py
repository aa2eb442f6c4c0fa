"""Parts of recipes: on one at a time, off one at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

import asof
from asof.evaluate.components import add_one, components, leave_one_out, off
from asof.rank.recipe import value_of
from asof.recipes import NAMES, named
from asof.recipes.signals import BM25
from asof.recipes.twe import TWE

NOTES = Path(asof.__file__).parent / "example"


def kinds(recipe):
    return [type(stage).__name__ for stage in recipe.stages]


def test_the_parts_of_twe():
    assert [(each.name, each.first) for each in components(TWE)] == [
        ("words", True), ("latent semantics", False), ("pool", False),
        ("words and latent semantics", True), ("centrality", False), ("decay", False), ("budget", False),
    ]  # fmt: skip


def test_with_all_parts_off_the_first_summands_stay():
    base, *others = add_one(TWE)
    assert base.recipe.name == "twe base"
    assert base.base == "twe"
    weights = {
        name: value_of(base.recipe, f"combine-2.weights.{name}") for name in ("hybrid", "centrality", "decay")
    }
    assert weights == {"hybrid": 1.0, "centrality": 0.0, "decay": 0.0}
    assert value_of(base.recipe, "combine.weights.normalized") == 1.0
    assert "Pool" not in kinds(base.recipe)
    assert "BudgetedRerank" not in kinds(base.recipe)
    assert [each.part for each in others] == [
        "base + latent semantics", "base + pool", "base + centrality", "base + decay", "base + budget",
    ]  # fmt: skip
    assert {each.base for each in others} == {"twe base"}
    decay = next(each.recipe for each in others if each.part == "base + decay")
    assert value_of(decay, "combine-2.weights.decay") == 1.0
    assert value_of(decay, "combine-2.weights.centrality") == 0.0


def test_no_part_off_is_the_recipe():
    assert off(TWE, []) == TWE
    assert add_one(BM25) == []
    assert leave_one_out(BM25) == []


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    with asof.open(tmp_path_factory.mktemp("components")) as corpus:
        corpus.add(NOTES)
        yield corpus.at("2023")


@pytest.mark.parametrize("name", NAMES)
def test_every_variant_can_be_asked(example, name):
    recipe = named(name)
    for each in (*leave_one_out(recipe, vectors=False), *add_one(recipe, vectors=False)):
        hits = example.search("who is the harbour master?", k=3, recipe=each.recipe).hits
        assert all(hit.score >= 0 for hit in hits), each.recipe.name
        if each.part.startswith("base"):
            assert hits, each.recipe.name
