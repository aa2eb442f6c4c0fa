"""Personalised PageRank beside networkx, on graphs that are drawn at random.

    .venv/bin/python bench/spread.py [--nodes 100000] [--edges 500000] [--runs 15]

`random`: each edge between any two nodes. `clustered`: 98 of 100 within clusters of 100 nodes, so that the
second largest eigenvalue is close to 1. `parallel`: clustered, and each pair has five edges on average. Each
has ten seeds. Medians: `made` is the matrix from its edges, `asked` one question of it, `both` is `spread`,
`weighted` the same with weights. For networkx the graph is there already, and the change may be as great: its
`tol` is the tolerance by the number of nodes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import networkx as nx
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.measure import milliseconds

from asof.graph.personalized_pagerank import DAMPING, TOLERANCE, Adjacency, personalized_pagerank

SEEDS = 10
CLUSTER = 100
WITHIN = 0.98
PARALLEL = 5
PEER_RUNS = 3

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


def main() -> None:
    options = parse()
    print(f"{options.nodes:,} nodes, {options.edges:,} edges, tolerance {TOLERANCE:g}, milliseconds; "
          f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")  # fmt: skip
    print(
        f"{'':12}{'made':>8}{'asked':>8}{'both':>8}{'weighted':>10}{'networkx':>10}{'largest difference':>20}"
    )
    rng = np.random.default_rng(5)
    for name, draw in (("random", random), ("clustered", clustered), ("parallel", parallel)):
        measure(name, draw(rng, options.nodes, options.edges), options, rng)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=15)
    return parser.parse_args()


def random(rng: np.random.Generator, n: int, m: int) -> Ends:
    return rng.integers(0, n, m), rng.integers(0, n, m)


def clustered(rng: np.random.Generator, n: int, m: int) -> Ends:
    """Numbers of nodes tell nothing of the clusters."""
    ends = rng.integers(0, n, m)
    near = np.minimum(ends // CLUSTER * CLUSTER + rng.integers(0, CLUSTER, m), n - 1)
    others = np.where(rng.random(m) < WITHIN, near, rng.integers(0, n, m))
    numbers = rng.permutation(n)
    return numbers[ends], numbers[others]


def parallel(rng: np.random.Generator, n: int, m: int) -> Ends:
    ends, others = clustered(rng, n, m // PARALLEL)
    drawn = rng.integers(0, len(ends), m)
    return ends[drawn], others[drawn]


def measure(name: str, ends: Ends, options: argparse.Namespace, rng: np.random.Generator) -> None:
    n, (sources, targets) = options.nodes, ends
    seeds = np.zeros(n)
    seeds[rng.choice(n, SEEDS, replace=False)] = 1
    weights = rng.random(len(sources))
    graph = Adjacency.of(n, sources, targets)
    found = graph.spread(seeds)
    taken = [
        middle(options.runs, partial(Adjacency.of, n, sources, targets)),
        middle(options.runs, partial(graph.spread, seeds)),
        middle(options.runs, partial(personalized_pagerank, n, sources, targets, None, seeds)),
        middle(options.runs, partial(personalized_pagerank, n, sources, targets, weights, seeds)),
    ]
    peer = nx.MultiGraph()
    peer.add_nodes_from(range(n))
    peer.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    start = dict.fromkeys(np.flatnonzero(seeds).tolist(), 1.0)
    asked = partial(nx.pagerank, peer, DAMPING, start, max_iter=1000, tol=TOLERANCE / n)
    theirs = np.array([rank for _, rank in sorted(asked().items())])
    taken.append(middle(PEER_RUNS, asked))
    figures = f"{taken[0]:8.1f}{taken[1]:8.1f}{taken[2]:8.1f}{taken[3]:10.1f}{taken[4]:10.0f}"
    print(f"{name:12}{figures}{np.abs(found - theirs).max():20.1e}", flush=True)


def middle(runs: int, run: Callable[[], object]) -> float:
    """The median of so many runs."""
    return median(milliseconds(run) for _ in range(runs))


if __name__ == "__main__":
    main()
