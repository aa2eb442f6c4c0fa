"""Recipes as values: named stages, fields that can be set, fields that refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asof.errors import UsageError
from asof.rank.combine import Combine
from asof.rank.feedback import PseudoRelevanceFeedback
from asof.rank.gather import Lexical, TopK
from asof.rank.rerank import Mmr
from asof.rank.stage import Recipe
from asof.recipes import ASOF, FEEDBACK

TWICE = Recipe(
    "twice",
    "",
    (Lexical(), Combine(), Mmr(), PseudoRelevanceFeedback(), PseudoRelevanceFeedback(weight=0.5), TopK()),
)


def test_stages_have_names() -> None:
    assert list(TWICE.stages_by_name()) == [
        "lexical",
        "combine",
        "mmr",
        "pseudo_relevance_feedback",
        "pseudo_relevance_feedback-2",
        "top_k",
    ]
    assert dict(TWICE.fields())["pseudo_relevance_feedback-2.weight"] == 0.5


def test_a_field_is_set() -> None:
    changed = TWICE.replaced({"pseudo_relevance_feedback-2.weight": 1, "lexical.k1": 1.2})
    assert changed.stages[0] == Lexical(k1=1.2)
    assert changed.stages[3:5] == (PseudoRelevanceFeedback(), PseudoRelevanceFeedback(weight=1.0))
    assert TWICE.stages[0] == Lexical()  # a recipe is a value


def test_pairs_are_a_table() -> None:
    changed = TWICE.replaced({"combine.weights": {"lexical": 1, "dense": 0.25}, "mmr.scale": "given"})
    assert changed.stages[1:3] == (Combine((("lexical", 1.0), ("dense", 0.25))), Mmr(scale="given"))


def test_a_number_that_is_not_there_can_be_set() -> None:
    assert TWICE.replaced({"lexical.idf_cap": 4}).stages[0] == Lexical(idf_cap=4.0)


def test_who_knows_a_stage_gets_to_know_the_new_one() -> None:
    """A bound that was made with another weight would drop what can still win."""
    changed = ASOF.replaced({"pseudo_relevance_feedback.weight": 0.3}).stages_by_name()
    assert changed["pseudo_relevance_feedback"] == replace(FEEDBACK, weight=0.3) != FEEDBACK
    assert changed["early_termination"].then == changed["pseudo_relevance_feedback"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "pseudo_relevance_feedback.wieght",
            1,
            "no field pseudo_relevance_feedback.wieght; did you mean pseudo_relevance_feedback.weight?",
        ),
        ("zzz", 1, "no field zzz; accepted: typed, lexical.k1"),
        (
            "pseudo_relevance_feedback.weight",
            2.5,
            "pseudo_relevance_feedback.weight = 2.5: a number from 0 to 1 is expected",
        ),
        ("pseudo_relevance_feedback.weight", True, "a number from 0 to 1 is expected"),
        ("pseudo_relevance_feedback.weight", "high", "a number from 0 to 1 is expected"),
        ("combine.weights", 3, "a table from names to numbers is expected"),
        ("combine.weights", {"lexical": "much"}, "a number is expected"),
        ("mmr.scale", "mean", "accepted: best, given"),
    ],
    ids=str,
)
def test_what_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(UsageError, match="recipe twice") as refused:
        TWICE.replaced({key: value})
    assert message in str(refused.value)


def test_whole_numbers_stay_whole() -> None:
    with pytest.raises(UsageError, match="a whole number from 1 to 100 is expected"):
        ASOF.replaced({"pseudo_relevance_feedback.passages": 2.5})
