"""Personalised PageRank: by hand, beside networkx, and what makes no difference to it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.facts.pagerank import personalized_pagerank

TIGHT = 1e-13


@dataclass(frozen=True)
class Graph:
    n: int
    sources: list[int]
    targets: list[int]
    seeds: list[float]

    def ranks(self, damping: float = 0.85, tolerance: float = TIGHT) -> np.ndarray:
        return personalized_pagerank(
            self.n, self.sources, self.targets, self.seeds, damping=damping, tolerance=tolerance
        )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small multigraphs with loops, parallel edges, lonely nodes and at least one seed."""
    n = draw(st.integers(1, 9))
    m = draw(st.integers(0, 24))
    nodes = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    numbers = st.just(0.0) | st.floats(1e-3, 1e3)
    return Graph(n, draw(nodes), draw(nodes), draw(st.lists(numbers, min_size=n, max_size=n).filter(any)))


def peer(graph: Graph, damping: float) -> np.ndarray:
    """networkx on the multigraph; its change is summed over the nodes, and may be n times `tol`."""
    multigraph = nx.MultiGraph()
    multigraph.add_nodes_from(range(graph.n))
    multigraph.add_edges_from(zip(graph.sources, graph.targets, strict=True))
    ranks = nx.pagerank(multigraph, damping, dict(enumerate(graph.seeds)), max_iter=1000, tol=1e-12 / graph.n)
    return np.array([ranks[node] for node in range(graph.n)])


# -- by hand ------------------------------------------------------------------------------------------

PAIR = 0.15 / (1 - 0.85**2)
"""Two nodes, seeded at one of them: a = .15 + .85 b and b = .85 a."""
LOOP = 0.15 / (1 - 0.85 / 4 - 0.85**2 * 3 / 4)
"""A loop and three parallel edges: a = .15 + .85 (a / 4 + b), b = .85 · 3/4 a."""
WHOLE = 0.075 + 1.85 * PAIR / 2
"""A lonely seed and a pair: lonely .15 · .5; pair .15 · .5 / (1 - .7225) and .85 of it; all times 1 / sum."""

BY_HAND = [
    (Graph(2, [0], [1], [1, 0]), [PAIR, 0.85 * PAIR]),
    # from 0 two of three edges go to 1: 1 gets .85 · 2/3 of 0, 2 gets .85 · 1/3, and 0 .15 + .85 of both
    (Graph(3, [0, 1, 0], [1, 0, 2], [1, 0, 0]), [PAIR, 0.85 * PAIR * 2 / 3, 0.85 * PAIR / 3]),
    (Graph(2, [0, 0, 0, 0], [0, 1, 1, 1], [1, 0]), [LOOP, 1 - LOOP]),
    (Graph(3, [1], [2], [1, 1, 0]), [0.075 / WHOLE, PAIR / 2 / WHOLE, 0.85 * PAIR / 2 / WHOLE]),
    (Graph(3, [0], [1], [0, 0, 0]), [0, 0, 0]),
    (Graph(0, [], [], []), []),
    (Graph(3, [], [], [1, 3, 0]), [0.25, 0.75, 0]),
    (Graph(4, [0, 2], [1, 3], [1, 0, 0, 0]), [PAIR, 0.85 * PAIR, 0, 0]),
]


@pytest.mark.parametrize(("graph", "ranks"), BY_HAND)
def test_by_hand(graph: Graph, ranks: list[float]) -> None:
    assert graph.ranks() == pytest.approx(ranks, abs=1e-12)


def test_without_damping_the_seeds_stay() -> None:
    assert Graph(3, [0, 1], [1, 2], [1, 3, 0]).ranks(damping=0).tolist() == [0.25, 0.75, 0]


# -- what holds of all graphs -------------------------------------------------------------------------


@given(graphs(), st.sampled_from([0.0, 0.5, 0.85, 0.95]))
def test_equals_networkx(graph: Graph, damping: float) -> None:
    assert np.abs(graph.ranks(damping) - peer(graph, damping)).max(initial=0) < 1e-9


@given(graphs(), st.sampled_from([1e-2, 1e-6, 1e-12]))
def test_sums_to_one_near_the_solution(graph: Graph, tolerance: float) -> None:
    found = graph.ranks(tolerance=tolerance)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() >= 0
    # within d / (1 - d) times the last change, and as much again for the sum that is made 1
    assert np.abs(found - graph.ranks()).sum() <= 2 * 0.85 / 0.15 * (tolerance + TIGHT)


@given(graphs(), st.randoms(use_true_random=False))
def test_order_and_direction_of_edges_leave_no_trace(graph: Graph, chance: Random) -> None:
    edges = [chance.sample(edge, 2) for edge in zip(graph.sources, graph.targets, strict=True)]
    chance.shuffle(edges)
    again = Graph(graph.n, [one for one, _ in edges], [other for _, other in edges], graph.seeds)
    assert again.ranks().tobytes() == graph.ranks().tobytes()


def test_values_fall_along_a_path() -> None:
    n = 500
    seeds = np.zeros(n)
    seeds[n // 2] = 1
    found = personalized_pagerank(n, np.arange(n - 1), np.arange(1, n), seeds, tolerance=1e-12)
    # between the ends values fall by r with each step: r = .425 (1 + r²), r = (1 - sqrt(1 - .7225)) / .85
    fall = (1 - np.sqrt(1 - 0.85**2)) / 0.85
    ratio = found[n // 2 + 2 : n // 2 + 12] / found[n // 2 + 1 : n // 2 + 11]
    assert ratio == pytest.approx(np.full(10, fall), abs=1e-8)


def test_too_few_iterations_are_said() -> None:
    sources, targets = np.random.default_rng(1).integers(0, 100, (2, 300))
    with pytest.raises(UsageError, match="5 iterations do not reach a tolerance of 1e-12"):
        personalized_pagerank(100, sources, targets, np.arange(100), tolerance=1e-12, iterations=5)
