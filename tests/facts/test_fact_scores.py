"""The scores of TG-RAG, section III-B, on a worked example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.facts.local import (
    chunk_scores,
    chunk_weight,
    confidence_scores,
    edge_scores,
    seed_weights,
)
from asof.extensions.facts.pagerank import personalized_pagerank

ACME, CEO, GLOBEX, REVENUE = range(4)
HEADS = np.array([ACME, ACME, ACME, GLOBEX, GLOBEX])
TAILS = np.array([REVENUE, REVENUE, CEO, REVENUE, ACME])
QUARTERS = np.array(["2023-Q1", "2023-Q2", "2023-Q2", "2023-Q2", "2022-Q4"])
CHUNKS = np.array([0, 1, 1, 2, 3])
CONFIDENCE = np.array([0.8, 0.78, 0.4, 0.55, 0.3])


@dataclass(frozen=True)
class Scored:
    entities: np.ndarray
    edges: np.ndarray
    chunks: np.ndarray
    literal: np.ndarray


def scored(*scope: str, quarters: np.ndarray = QUARTERS) -> Scored:
    within = np.isin(quarters, scope)
    start = seed_weights(4, HEADS, TAILS, within)
    entities = personalized_pagerank(4, HEADS, TAILS, start, tolerance=1e-13)
    edges = edge_scores(entities, HEADS, TAILS, within)
    weights = chunk_weight(CHUNKS, CONFIDENCE, 4)
    return Scored(
        entities, edges, chunk_scores(weights, CHUNKS, edges),
        chunk_scores(weights, CHUNKS, edges, literal=True),
    )  # fmt: skip


def about(*values: float) -> object:
    return pytest.approx(list(values), abs=1e-10)


# -- the worked example -------------------------------------------------------------------------------


def test_one_quarter() -> None:
    found = scored("2023-Q2")
    assert found.entities == about(0.389109069791, 0.120185677331, 0.201988700503, 0.288716552375)
    # .389109 + .288717, .389109 + .120186, .201989 + .288717
    assert found.edges == about(0, 0.677825622166, 0.509294747121, 0.490705252879, 0)
    # 2.492 (.677826 + .509295) and 1.55 · .490705
    assert found.chunks == about(0, 2.95830396026, 0.760593141962, 0)
    # the sum of all three is 1.677826: times 1.8, 2.492, 1.55, 1.3
    assert found.literal == about(3.0200861199, 4.18114145044, 2.60062971436, 2.18117330882)
    assert np.argsort(-found.literal).tolist() == [1, 0, 2, 3]


def test_weights_of_passages() -> None:
    # 1.8, 1.78 · 1.4, 1.55, 1.3; a fifth without facts
    assert chunk_weight(CHUNKS, CONFIDENCE, 5) == about(1.8, 2.492, 1.55, 1.3, 1)


def test_seeds_are_the_entities_of_the_facts_in_scope() -> None:
    assert seed_weights(4, HEADS, TAILS, QUARTERS == "2023-Q2").tolist() == [1, 1, 1, 1]
    assert seed_weights(4, HEADS, TAILS, QUARTERS == "2023-Q1").tolist() == [1, 0, 0, 1]


def test_parallel_edges_once() -> None:
    once = personalized_pagerank(4, HEADS[1:], TAILS[1:], np.ones(4), tolerance=1e-13)
    assert once == about(0.366735867135, 0.141408495688, 0.245927818588, 0.245927818588)


def test_another_quarter() -> None:
    found = scored("2023-Q1")
    assert found.entities == about(0.409110321059, 0.0869359432251, 0.179004806502, 0.324948929214)
    # 1.8 (.409110 + .324949)
    assert found.chunks == about(1.32130665049, 0, 0, 0)


def test_two_quarters() -> None:
    moved = QUARTERS.copy()
    moved[3] = "2023-Q3"
    found = scored("2023-Q1", "2023-Q2", quarters=moved)
    assert found.entities == about(0.402897502088, 0.135615719194, 0.168600238829, 0.29288653989)
    # 1.8 (.402898 + .292887) and 2.492 (.402898 + .292887 + .402898 + .135616)
    assert found.chunks == about(1.25241127556, 3.07586878004, 0, 0)


def test_nothing_in_scope() -> None:
    found = scored("2031")
    for scores in (found.entities, found.edges, found.chunks, found.literal):
        assert not scores.any()


# -- without one of the parts -------------------------------------------------------------------------


def test_confidence_in_place_of_the_graph() -> None:
    assert confidence_scores(CONFIDENCE, QUARTERS == "2023-Q2").tolist() == [0, 0.78, 0.4, 0.55, 0]
    assert confidence_scores(CONFIDENCE).tolist() == CONFIDENCE.tolist()


def test_without_the_filter_all_times_count() -> None:
    entities = np.array([0.4, 0.1, 0.2, 0.3])
    assert edge_scores(entities, HEADS, TAILS) == about(0.7, 0.7, 0.5, 0.5, 0.6)


# -- edges of the formulas ----------------------------------------------------------------------------


def test_no_facts_at_all() -> None:
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    assert seed_weights(2, none, none, np.zeros(0, bool)).tolist() == [0, 0]
    weights = chunk_weight(none, numbers, 2)
    assert weights.tolist() == [1, 1]
    for literal in (False, True):
        assert chunk_scores(weights, none, numbers, literal=literal).tolist() == [0, 0]


def test_more_facts_than_a_number_can_weigh() -> None:
    # 2^1024 is too great; where nothing is in scope it is still nothing
    chunks = np.zeros(1024, np.int64)
    weights = chunk_weight(chunks, np.ones(1024), 1)
    assert weights.tolist() == [np.inf]
    assert chunk_scores(weights, chunks, np.zeros(1024)).tolist() == [0]
    assert chunk_scores(weights, chunks, np.ones(1024)).tolist() == [np.inf]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1), st.floats(0.01, 1)), max_size=12))
def test_as_the_formula_says(facts: list[tuple[int, float, float]]) -> None:
    chunks = np.array([chunk for chunk, _, _ in facts], np.int64)
    edges = np.array([score for _, score, _ in facts], np.float64)
    confidence = np.array([certain for _, _, certain in facts], np.float64)
    found = chunk_scores(chunk_weight(chunks, confidence, 4), chunks, edges)
    for chunk in range(4):
        weight, total = 1.0, 0.0
        for at, score, certain in facts:
            if at == chunk:
                weight, total = weight * (1 + certain), total + score
        assert found[chunk] == weight * total
