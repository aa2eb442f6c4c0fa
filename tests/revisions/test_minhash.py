"""Locality-sensitive candidates: how many edges they find, and that those are exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.revisions.made import document, fresh

from asof.corpus.corpus import Corpus
from asof.extensions.systems.evidence import evidence
from asof.extensions.systems.overlap import EMPTY, agree, candidates, sketch_of
from asof.index.view import View
from asof.revisions.rows import Rows


def table(documents: list[int]) -> Rows:
    """Nodes of these documents; candidates read no other column."""
    return Rows(1, np.ones(len(documents), bool), {"document": np.array(documents, np.int64)})


def sketched(sets: list[set[int]], bands: int) -> Any:
    hashes = np.array([each for shingles in sets for each in shingles], np.uint64)
    carriers = np.repeat(np.arange(len(sets), dtype=np.int32), [len(shingles) for shingles in sets])
    return sketch_of(hashes, carriers, len(sets), bands)


def pairs(sketch: Any, documents: list[int], at_once: int = 10**6) -> list[tuple[int, int]]:
    one, other = candidates(sketch, table(documents), at_once)
    return list(zip(one.tolist(), other.tolist(), strict=True))


def test_equal_sets_are_candidates_and_disjoint_ones_are_not() -> None:
    """Of the empty set every band is EMPTY, which agrees with none."""
    sets = [{1, 2, 3}, {1, 2, 3}, {7, 8, 9}, set(), set()]
    sketch = sketched(sets, 8)
    assert (sketch[3:] == EMPTY).all()
    assert pairs(sketch, [0, 1, 2, 3, 4]) == [(0, 1)]
    assert pairs(sketch, [0, 0, 2, 3, 4]) == [], "passages of one document are no pair"


@given(
    st.lists(st.sets(st.integers(0, 30), max_size=9), min_size=1, max_size=9),
    st.integers(1, 12),
    st.integers(0, 9),
)
def test_candidates_are_the_pairs_that_agree(sets: list[set[int]], bands: int, at_once: int) -> None:
    """Each once, in order, in whatever batches duplicates are dropped."""
    sketch, documents = sketched(sets, bands), list(range(len(sets)))
    one, other = np.triu_indices(len(sets), 1)
    expected = agree(sketch, one, other)
    both = list(zip(one[expected].tolist(), other[expected].tolist(), strict=True))
    assert pairs(sketch, documents, at_once) == both


@pytest.mark.parametrize(("shared", "of"), [(10, 200), (20, 200), (40, 200), (100, 200)])
def test_an_edge_is_found_with_the_probability_that_is_told(shared: int, of: int) -> None:
    """1 - (1 - J)^32 for J = .05, .1, .2 and .5: over 2,000 pairs of sets whose union has 200 shingles."""
    rng, trials, bands = np.random.default_rng(7), 2_000, 32
    found = 0
    for _ in range(trials):
        drawn = rng.integers(0, 2**62, of)
        middle = shared + (of - shared) // 2
        sets = [set(drawn[:middle].tolist()), {*drawn[:shared].tolist(), *drawn[middle:].tolist()}]
        found += bool(agree(sketched(sets, bands), np.array([0]), np.array([1]))[0])
    assert found / trials == pytest.approx(1 - (1 - shared / of) ** bands, abs=0.03)


# -- over a corpus -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports() -> Iterator[Corpus]:
    """Reports of forty words, of which some repeat a part of another."""
    rng = np.random.default_rng(3)
    said = [[f"w{word}" for word in rng.integers(0, 400, 40)] for _ in range(40)]
    for at in range(20, 40):
        length = int(rng.integers(5, 35))
        said[at][:length] = said[at - 20][:length]
    documents = [document(f"d{at}", " ".join(words), f"20{at % 20 + 1:02}") for at, words in enumerate(said)]
    with fresh(*documents) as corpus:
        yield corpus


def edges(view: View, **options: Any) -> dict[tuple[int, int], int]:
    low, high, weight = evidence(view, **options)._edges()
    return dict(zip(zip(low.tolist(), high.tolist(), strict=True), weight.tolist(), strict=True))


def test_what_is_found_is_part_of_the_exact_graph(reports: Corpus) -> None:
    """With equal weights, and more of it with more bands."""
    view = reports.at().view()
    exact = edges(view)
    assert len(exact) >= 15
    found = {bands: edges(view, bands=bands) for bands in (1, 4, 32, 256)}
    for some in found.values():
        assert some.items() <= exact.items()
    assert 0 < len(found[1]) < len(found[32])
    assert len(found[32]) >= 0.9 * len(exact)
    assert found[256] == exact, "hardly two shingles share a band"
