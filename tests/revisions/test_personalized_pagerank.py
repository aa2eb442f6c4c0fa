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
from asof.extensions.facts.pagerank import Adjacency, personalized_pagerank

TIGHT = 1e-13


@dataclass(frozen=True)
class Graph:
    n: int
    sources: list[int]
    targets: list[int]
    weights: list[float]
    seeds: list[float]

    def spread(self, damping: float = 0.85, tolerance: float = TIGHT) -> np.ndarray:
        return personalized_pagerank(
            self.n, self.sources, self.targets, self.weights, self.seeds, damping=damping, tolerance=tolerance
        )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Small multigraphs with loops, parallel edges, weights of 0, lonely nodes and at least one seed."""
    n = draw(st.integers(1, 9))
    m = draw(st.integers(0, 24))
    nodes = st.lists(st.integers(0, n - 1), min_size=m, max_size=m)
    numbers = st.just(0.0) | st.floats(1e-3, 1e3)
    weights = draw(st.lists(numbers, min_size=m, max_size=m))
    seeds = draw(st.lists(numbers, min_size=n, max_size=n).filter(any))
    return Graph(n, draw(nodes), draw(nodes), weights, seeds)


def peer(graph: Graph, damping: float) -> np.ndarray:
    """networkx on the multigraph; its change is summed over the nodes, and may be n times `tol`."""
    multigraph = nx.MultiGraph()
    multigraph.add_nodes_from(range(graph.n))
    multigraph.add_weighted_edges_from(zip(graph.sources, graph.targets, graph.weights, strict=True))
    ranks = nx.pagerank(multigraph, damping, dict(enumerate(graph.seeds)), max_iter=1000, tol=1e-12 / graph.n)
    return np.array([ranks[node] for node in range(graph.n)])


# -- by hand ------------------------------------------------------------------------------------------


def test_a_pair_seeded_at_one_end() -> None:
    # a = .15 + .85 b and b = .85 a: a = .15 / (1 - .7225)
    a = 0.15 / (1 - 0.85**2)
    assert personalized_pagerank(2, [0], [1], None, [1, 0], tolerance=TIGHT) == pytest.approx(
        [a, 0.85 * a], abs=1e-12
    )


def test_parallel_edges_add_up() -> None:
    # from 0 two of three edges go to 1: 1 gets .85 · 2/3 of 0, 2 gets .85 · 1/3, and 0 .15 + .85 of both
    zero = 0.15 / (1 - 0.85**2)
    expected = [zero, 0.85 * zero * 2 / 3, 0.85 * zero / 3]
    assert personalized_pagerank(3, [0, 1, 0], [1, 0, 2], None, [1, 0, 0], tolerance=TIGHT) == pytest.approx(
        expected
    )
    assert personalized_pagerank(3, [0, 0], [1, 2], [4.0, 2.0], [1, 0, 0], tolerance=TIGHT) == pytest.approx(
        expected
    )


def test_a_loop_counts_once() -> None:
    # node 0 has the loop (weight 1) and an edge (weight 3): it keeps a quarter, 1 gives back all
    # a = .15 + .85 (a / 4 + b), b = .85 · 3/4 a
    a = 0.15 / (1 - 0.85 / 4 - 0.85**2 * 3 / 4)
    assert personalized_pagerank(2, [0, 0], [0, 1], [1.0, 3.0], [1, 0], tolerance=TIGHT) == pytest.approx(
        [a, 1 - a]
    )


def test_what_a_lonely_seed_holds_goes_back_to_the_seeds() -> None:
    # before it comes back: lonely .15 · .5; pair .15 · .5 / (1 - .7225) and .85 of it; all times 1 / sum
    alone, a = 0.075, 0.075 / (1 - 0.85**2)
    whole = alone + 1.85 * a
    found = personalized_pagerank(3, [1], [2], None, [1, 1, 0], tolerance=TIGHT)
    assert found == pytest.approx([alone / whole, a / whole, 0.85 * a / whole], abs=1e-12)


def test_no_seeds_no_values() -> None:
    assert personalized_pagerank(3, [0], [1], None, [0, 0, 0]).tolist() == [0, 0, 0]
    assert personalized_pagerank(0, [], [], None, []).tolist() == []


def test_without_edges_the_seeds_stay() -> None:
    assert personalized_pagerank(3, [], [], [], [1, 3, 0]).tolist() == [0.25, 0.75, 0]


def test_without_damping_the_seeds_stay() -> None:
    assert personalized_pagerank(3, [0, 1], [1, 2], None, [1, 3, 0], damping=0).tolist() == [0.25, 0.75, 0]


def test_weights_next_to_nothing_count_as_nothing() -> None:
    found = personalized_pagerank(3, [0, 1], [1, 2], [1e300, 1e-8], [1, 0, 0], tolerance=TIGHT)
    assert found[:2] == pytest.approx(personalized_pagerank(2, [0], [1], None, [1, 0], tolerance=TIGHT))
    assert found[2] == 0


def test_another_component_gets_nothing() -> None:
    assert personalized_pagerank(4, [0, 2], [1, 3], None, [1, 0, 0, 0])[2:].tolist() == [0, 0]


# -- what holds of all graphs -------------------------------------------------------------------------


@given(graphs(), st.sampled_from([0.0, 0.5, 0.85, 0.95]))
def test_equals_networkx(graph: Graph, damping: float) -> None:
    assert np.abs(graph.spread(damping) - peer(graph, damping)).max() < 1e-9


@given(graphs(), st.sampled_from([1e-2, 1e-6, 1e-12]))
def test_sums_to_one_near_the_solution(graph: Graph, tolerance: float) -> None:
    found = graph.spread(tolerance=tolerance)
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.min() >= 0
    # within d / (1 - d) times the last change, and as much again for the sum that is made 1
    assert np.abs(found - graph.spread()).sum() <= 2 * 0.85 / 0.15 * (tolerance + TIGHT)


@given(graphs(), st.randoms(use_true_random=False))
def test_order_and_direction_of_edges_leave_no_trace(graph: Graph, chance: Random) -> None:
    edges = list(zip(graph.sources, graph.targets, graph.weights, strict=True))
    chance.shuffle(edges)
    turned = [(b, a, weight) if weight > 1 else (a, b, weight) for a, b, weight in edges]
    sources, targets, weights = zip(*turned, strict=True) if turned else ((), (), ())
    again = personalized_pagerank(graph.n, sources, targets, weights, graph.seeds, tolerance=TIGHT)
    assert again.tobytes() == graph.spread().tobytes()


@given(graphs(), st.integers(-900, 900), st.integers(-900, 900))
def test_units_make_no_difference(graph: Graph, edge_unit: int, seed_unit: int) -> None:
    weights = np.ldexp(graph.weights, edge_unit)
    seeds = np.ldexp(graph.seeds, seed_unit)
    again = personalized_pagerank(graph.n, graph.sources, graph.targets, weights, seeds, tolerance=TIGHT)
    assert again.tobytes() == graph.spread().tobytes()
    thirds = personalized_pagerank(
        graph.n, graph.sources, graph.targets, np.array(graph.weights) / 3, seeds, tolerance=TIGHT
    )
    assert thirds == pytest.approx(again, abs=1e-11)


def test_edges_without_weights_count_one() -> None:
    rng = np.random.default_rng(3)
    sources, targets = rng.integers(0, 50, (2, 200))
    seeds = rng.random(50)
    bare = personalized_pagerank(50, sources, targets, None, seeds)
    assert bare.tobytes() == personalized_pagerank(50, sources, targets, np.ones(200), seeds).tobytes()


def test_a_graph_answers_again_and_again() -> None:
    graph = Adjacency.of(4, [0, 1, 2], [1, 2, 3])
    first = graph.spread([1, 0, 0, 0])
    assert graph.spread([0, 0, 0, 1]) == pytest.approx(first[::-1], abs=1e-6)
    assert graph.spread([1, 0, 0, 0]).tobytes() == first.tobytes()


def test_a_long_path_is_solved_in_few_iterations() -> None:
    n = 5_000
    graph = Adjacency.of(n, np.arange(n - 1), np.arange(1, n))
    seeds = np.zeros(n)
    seeds[n // 2] = 1
    found = graph.spread(seeds, tolerance=1e-12, iterations=60)
    # between the ends values fall by r with each step: r = .425 (1 + r²), r = (1 - sqrt(1 - .7225)) / .85
    fall = (1 - np.sqrt(1 - 0.85**2)) / 0.85
    ratio = found[n // 2 + 2 : n // 2 + 12] / found[n // 2 + 1 : n // 2 + 11]
    assert ratio == pytest.approx(np.full(10, fall), abs=1e-8)


# -- what is not accepted -----------------------------------------------------------------------------


def test_too_few_iterations_are_said() -> None:
    sources, targets = np.random.default_rng(1).integers(0, 100, (2, 300))
    with pytest.raises(UsageError, match="5 iterations do not reach a tolerance of 1e-12"):
        personalized_pagerank(100, sources, targets, None, np.arange(100), tolerance=1e-12, iterations=5)


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (([0], [2], None, [1, 0]), {}, "0 to 1 is accepted"),
        (([-1], [1], None, [1, 0]), {}, "0 to 1 is accepted"),
        (([0.5], [1], None, [1, 0]), {}, "array of integers"),
        (([0, 1], [1], None, [1, 0]), {}, "2 sources and 1 targets"),
        (([0], [1], [1.0, 2.0], [1, 0]), {}, "1 numbers are accepted"),
        (([0], [1], [-1.0], [1, 0]), {}, "finite numbers from 0"),
        (([0], [1], [np.nan], [1, 0]), {}, "finite numbers from 0"),
        (([0], [1], None, [1]), {}, "seeds"),
        (([0], [1], None, [1, np.inf]), {}, "seeds"),
        (([0], [1], None, [1, 0]), {"damping": 1.0}, "damping 1.0"),
        (([0], [1], None, [1, 0]), {"tolerance": 0.0}, "tolerance 0.0"),
    ],
)
def test_other_input_is_an_error(arguments, options, said) -> None:
    with pytest.raises(UsageError, match=said):
        personalized_pagerank(2, *arguments, **options)
