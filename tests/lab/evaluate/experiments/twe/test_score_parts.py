"""Scores as stacks of parts."""

from __future__ import annotations

import pytest

from asof.extensions.lab.datasets import prepared
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.protocols import first_hits, mean_parts, parts, sums
from asof.recipes import named
from asof.values import Why

FUSED = frozenset({"relevance", "relevance and feedback", "temporal", "unified", "hybrid"})
WORDS = Why.of("words", "ratio", Why("bm25", 3.0), Why("best", 4.0))


def weighted(label, tree, weight):
    return Why.of(label, "product", tree, Why("weight", weight))


def test_a_sum_of_sums_is_taken_apart():
    """unified = 2 hybrid + .5 centrality, hybrid = words + .5 latent: the weights multiply."""
    hybrid = Why.of(
        "hybrid", "sum", weighted("normalized", WORDS, 1.0), weighted("latent", Why("cosine", 0.8), 0.5)
    )
    tree = Why.of(
        "unified", "sum", weighted("hybrid", hybrid, 2.0), weighted("centrality", Why("c", 0.6), 0.5)
    )
    assert parts(tree, FUSED) == pytest.approx(
        {"normalized": 2 * 3 / 4, "latent": 2 * 0.4, "centrality": 0.3}
    )
    assert sum(parts(tree, FUSED).values()) == pytest.approx(tree.value)


def test_a_factor_is_what_it_changes():
    """(.75 + .1) · 1.2 · .5: the first factor adds a fifth, the second takes half of that."""
    relevance = Why.of("relevance", "sum", weighted("lexical", WORDS, 1.0))
    both = Why.of("relevance and feedback", "sum", relevance, Why("feedback", 0.1))
    once = Why.of("linked", "product", both, Why("backlinks", 1.2))
    tree = Why.of("recent", "product", once, Why("age", 0.5))
    assert parts(tree, FUSED) == pytest.approx(
        {"lexical": 0.75, "feedback": 0.1, "backlinks": 0.85 * 0.2, "age": -0.85 * 1.2 * 0.5}
    )


def test_what_is_no_sum_of_columns_is_one_part():
    words = Why.of("words (BM25)", "sum", Why("geese", 1.0), Why("fair", 2.0))
    assert parts(words, FUSED) == {"words (BM25)": 3.0}
    below = Why.of("outside the budget", "product", WORDS, Why("unified", 2.0))
    assert parts(below, FUSED) == {"outside the budget": 1.5}


def test_means_count_a_part_that_is_not_there_as_0():
    one = Why.of("relevance", "sum", Why("lexical", 1.0), Why("dense", 0.5))
    other = Why.of("relevance", "sum", Why("lexical", 3.0))
    made = mean_parts("r", [[one, other], [other], []], FUSED)
    assert [(row["rank"], row["part"], row["mean"], row["questions"]) for row in made] == [
        (1, "lexical", (1 + 3) / 2, 2), (1, "dense", (0.5 + 0) / 2, 2), (2, "lexical", 3.0, 1),
        (2, "dense", 0.0, 1),
    ]  # fmt: skip


def test_sums_are_those_that_the_recipe_names():
    assert sums(named("twe")) == {"hybrid", "unified"}
    assert sums(named("asof")) == {"relevance", "relevance and feedback"}
    assert sums(named("tempralm")) == {"relevance", "temporal"}


def test_parts_add_up_to_the_scores(dataset, tmp_path):
    names = ("twe", "asof", "vault", "papers", "tempralm")
    found = evaluate(dataset(), names, cache=tmp_path / "cache")
    with prepared(found.dataset, found.options.settings, tmp_path / "cache") as corpus:
        for run in found.runs:
            asked = found.questions
            trees = [[hit.why for hit in first_hits(corpus, found, each, run.recipe)] for each in asked]
            made = mean_parts(run.name, trees, sums(run.recipe))
            first = [row["mean"] for row in made if row["rank"] == 1]
            firsts = [answer.ranking[0][1] for answer in run.results]
            assert sum(first) == pytest.approx(sum(firsts) / len(firsts))
            if run.name == "twe":
                assert {row["part"] for row in made} == {"normalized", "latent", "centrality", "decay"}
