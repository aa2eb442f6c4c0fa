"""Which numbers are tuned: recipes declare theirs, so that no `--field` is needed; fields can name others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from asof import recipes
from asof.config import load
from asof.errors import UsageError
from asof.rank.recipe import Range, value_of, with_values
from asof.recipes.vault import vault
from asof.tuning.fields import chosen, metric_depth

NOTHING_CHEAP = {
    "lsa": "latent.dimensions", "dense": "similarity.dimensions", "naive-rag": "similarity.dimensions",
    "qd-rag": "sub_questions.k",
}  # fmt: skip
"""Recipes with nothing declared, and a number of each that can be named: those of a space are fitted anew for
each setting."""

TUNED = [name for name in recipes.NAMES if name not in NOTHING_CHEAP]


@pytest.mark.parametrize("name", TUNED)
def test_a_recipe_declares_what_is_worth_tuning(name: str) -> None:
    """Its own numbers lie within, and every corner of the box is a recipe."""
    recipe, box = chosen(recipes.named(name))
    own = np.array([value_of(recipe, field) for field in box.names])
    assert len(box) >= 1
    assert (box.low < box.high).all()
    assert (box.low <= own).all()
    assert (own <= box.high).all()
    rng = np.random.default_rng(0)
    for corner in (box.low, box.high, *np.where(rng.random((8, len(box))) < 0.5, box.low, box.high)):
        at = box.project(corner)
        changed = with_values(recipe, box.named(at))
        assert [value_of(changed, field) for field in box.names] == pytest.approx(at.tolist())


@pytest.mark.parametrize("name", sorted(NOTHING_CHEAP))
def test_a_recipe_without_any_says_what_can_be_named(name: str) -> None:
    field = NOTHING_CHEAP[name]
    with pytest.raises(UsageError, match=rf"recipe {name} does not say .*; name some of .*{field}"):
        chosen(recipes.named(name))
    _, box = chosen(recipes.named(name), [f"{field}=16..256"])
    assert (box.names, box.low.tolist(), box.high.tolist()) == ((field,), [16.0], [256.0])


def test_variants_have_the_ranges_of_their_recipe() -> None:
    twe = recipes.named("twe").tunable.ranges
    assert recipes.named("twe-365").tunable.ranges == twe
    assert recipes.named("twe-hops").tunable.ranges == (*twe, Range("evidence_hops.share", 0.0, 1.0))


@pytest.mark.parametrize("fusion", ["rrf", "weighted"])
def test_either_fusion_of_vault_has_its_own(fusion: str) -> None:
    _, box = chosen(vault(fusion_algorithm=fusion))
    assert ("combine.weights.similarity" in box.names) is (fusion == "weighted")
    assert ("reciprocal_rank.k" in box.names) is (fusion == "rrf")


def test_a_configured_recipe_starts_from_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "asof.toml").write_text("[recipes.twe]\ndecay.delta = 1.5\n")
    recipe, box = chosen(load(tmp_path / "asof.toml").recipe_named("twe"))
    assert value_of(recipe, "decay.delta") == 1.5
    assert "decay.delta" in box.names


def test_fields_that_are_named() -> None:
    recipe, box = chosen(recipes.named("twe"), ["decay.delta", "pool.n=50..200"])
    assert box.names == ("decay.delta", "pool.n")
    assert box.low.tolist() == [0.0, 50.0], "the declared bounds, and those that are given"
    assert box.high.tolist() == [5.0, 200.0]
    assert recipe.stages == recipes.named("twe").stages


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("decay.gamma", "has no number decay.gamma"), ("decay.delta=5..1", "LOW has to be below HIGH"),
        ("decay.delta=a..b", "accepted: FIELD, or FIELD=LOW..HIGH"), ("decay.delta=0..11", "from 0 to 10"),
    ],
)  # fmt: skip
def test_fields_that_are_refused(field: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        chosen(recipes.named("twe"), [field])


def test_the_depth_of_a_metric() -> None:
    assert (metric_depth("ndcg@10"), metric_depth("NDCG@50")) == (10, 50)
    for wrong in ("ndcg@0", "ndcg@51", "recall@5", "ndcg"):
        with pytest.raises(UsageError, match="accepted: ndcg@K"):
            metric_depth(wrong)
