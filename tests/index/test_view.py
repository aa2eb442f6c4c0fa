"""The view: columns over all its parts, ties, attributes, places; the best of very many scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import document, fresh

from asof.documents import SourcedTime
from asof.errors import BeforeHorizon
from asof.index.view import BLOCK, SMALL_BLOCK, at_least, kth_best
from asof.store.digest import place_in
from asof.time.moment import read


def test_columns_over_all_parts_in_the_order_asked_for() -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill", "2001"), document("b", "boat fog", "2003")])
        corpus.add([document("c", "rope", "2030")])  # a part without rows as of 2025
        corpus.add([document("d", "bell", "2002")])
        view = corpus.at().view()
        assert (view.n, view.prefix.rows) == (3, 3)
        assert view.column("length", np.array([2, 0, 1, 1])).tolist() == [1, 1, 2, 2]
        assert view.column("passage", np.array([0, 1, 2])).tolist() == [1, 2, 4]
        assert view.column("length", np.zeros(0, np.int64)).tolist() == []
        assert [record.document for record in view.records(np.array([2, 0]))] == ["d", "a"]
        assert view.records(np.array([2, 0])) == view.records(np.array([2, 0]))


def test_a_hit_says_all_that_is_known() -> None:
    about = SourcedTime(read("1999"), "in 1999", "metadata")
    with fresh() as corpus:
        corpus.add(
            [document("a", "before\n\nmill", "2001", title="T", uri="https://x.example", about=(about,))]
        )
        (hit,) = corpus.search("mill").hits
        assert (hit.rank, hit.document, hit.title, hit.uri) == (1, "a", "T", "https://x.example")
        assert hit.published == SourcedTime(read("2001"), "2001", "metadata")
        assert (hit.dated_by, hit.about) == ("metadata", (about,))
        assert (hit.place.number, hit.place.start, hit.place.end) == (0, 0, len("before\n\nmill"))
        assert hit.id.startswith("a#")


def test_a_place_is_that_of_the_version_in_force() -> None:
    mill = "mill two three four five six seven eight nine ten.\n\n"
    other = "other two three four five six seven eight nine ten.\n\n"
    with fresh(chunking="10w") as corpus:
        corpus.add([document("a", mill, "2001")])
        corpus.add([document("a", other + mill, "2002")])
        early, late = (corpus.at(year).search("mill").hits[0] for year in ("2001", "2002"))
        assert (early.place.number, early.place.start) == (0, 0)
        assert (late.place.number, late.place.start) == (1, len(other))
        assert early.id == late.id
        assert late.published.text == "2001", "it has been said since"


def test_views_are_made_anew_after_a_write() -> None:
    with fresh() as corpus:
        snapshot = corpus.at("2010")
        for at in range(6):
            corpus.add([document(f"d{at}", "mill", str(2001 + at))])
            assert snapshot.view().n == at + 1
            assert [corpus.at(str(year)).view().n for year in range(2001, 2008)] == [
                min(year - 2000, at + 1) for year in range(2001, 2008)
            ]


def test_before_the_horizon_there_is_no_view() -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill", "2001")])
        corpus.vacuum("2010")
        assert corpus.at("2010").view().n == 1
        with pytest.raises(BeforeHorizon, match="as of 2009"):
            corpus.at("2009").view()
        with pytest.raises(BeforeHorizon, match="known at 2009"):
            corpus.at("2011", known_at="2009").view()


# -- the best of many --------------------------------------------------------------------------------


def by_sorting(scores: np.ndarray, k: int) -> float:
    best = sorted((score for score in scores.tolist() if score > 0), reverse=True)
    return best[k - 1] if len(best) >= k else 0.0


@given(
    st.integers(1, 30),
    st.sampled_from(
        [0, 1, 63, 64, 65, 2 * 10 * SMALL_BLOCK, 5_000, 4 * BLOCK, 4 * BLOCK + 1, 20_000, 125_000]
    ),
    st.sampled_from([0.0, 0.001, 0.1, 1.0]),
    st.sampled_from([2, 5, 1_000_000]),
    st.integers(0, 2**32 - 1),
)
def test_any_array(k: int, n: int, share: float, different: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(1, different, n).astype(np.float64) / different
    scores[random.random(n) >= share] = 0.0
    bound = kth_best(scores, k)
    assert bound == by_sorting(scores, k)
    chosen = at_least(scores, bound)
    expected = [at for at, score in enumerate(scores.tolist()) if score > 0 and score >= bound]
    assert chosen.tolist() == expected
    assert len(chosen) >= min(k, int((scores > 0).sum()))


@given(st.lists(st.sampled_from([b"aaaaaa", b"aaaaab", bytes(6), b"\0\0\0\0\0\1"]), max_size=5))
def test_the_place_of_a_passage_is_its_first_in_the_layout(keys: list[bytes]) -> None:
    layout = b"".join(key + at.to_bytes(4, "little") * 2 for at, key in enumerate(keys))
    for key in (b"aaaaaa", bytes(6)):  # bytes across two places are none
        at = keys.index(key) if key in keys else None
        assert place_in(layout, key) == (None if at is None else (at, at, at))
