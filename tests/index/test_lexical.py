"""BM25 as its formula; the tree that computes it again; terms by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.extensions.systems.latent import term_counts
from asof.index.lexical import Bm25, Term, explain, having_all, scores, scores_at, weigh
from asof.index.segment import Prefix
from asof.store.writing import EndRow
from asof.text.tokens import term_hash

TEXTS = ["mill mill ferry", "ferry boat", "bread"]


def term(word: str, weight: float = 1.0) -> Term:
    return Term(word, term_hash(word), weight)


def idf(n: int, df: int) -> float:
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


def saturated(tf: int, length: int, average: float, k1: float = 1.5, b: float = 0.75) -> float:
    return (k1 + 1) * tf / (tf + k1 * (1 - b + b * length / average))


def test_what_has_ended_has_no_score_and_is_not_counted() -> None:
    rows = [row(at, text, at) for at, text in enumerate(TEXTS, 1)]
    with segmented((rows, [EndRow(2, 5, 0)])) as segments:
        found, weighed = scores(Prefix.of(segments, 9).window(), [term("ferry")], Bm25())
        assert found.tolist() == pytest.approx([idf(2, 1) * saturated(1, 3, (3 + 1) / 2), 0, 0], rel=1e-15)
        assert weighed[0].df == 1


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=12),
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True), st.integers(0, 12),
    st.integers(0, 12),
)  # fmt: skip
def test_a_window_has_the_scores_of_the_whole_in_whatever_groups_terms_are_added_up(
    texts: list[list[str]], words: list[str], first: int, last: int
) -> None:
    rows = [row(at, " ".join(text), at) for at, text in enumerate(texts)]
    terms = [term(word, 0.3 + at) for at, word in enumerate(words)]
    with segmented((rows[::2], [EndRow(2, 5, 0)]), (rows[1::2], [])) as segments:
        prefix = Prefix.of(segments, 99)
        whole = scores(prefix.window(), terms, Bm25())[0]
        window = prefix.window(first, last)
        expected = whole[window.rows(np.arange(window.n))].tolist()
        for together in (1, 3, 100):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("asof.index.lexical.TOGETHER", together)
                assert scores(window, terms, Bm25())[0].tolist() == expected


def test_no_terms_no_words_no_rows() -> None:
    with segmented(([row(1, "a")], [])) as segments:
        window = Prefix.of(segments, 9).window()
        assert scores(window, [], Bm25())[0].tolist() == [0.0]
        found, weighed = scores(window, [term("nowhere")], Bm25())
        assert (found.tolist(), weighed) == ([0.0], ())
    assert scores(Prefix.of([], 9).window(), [term("a")], Bm25())[0].tolist() == []


WORDS = st.lists(st.sampled_from("abcd"), max_size=6)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5), WORDS, st.booleans()), max_size=8),
    st.integers(0, 6),
    st.none() | st.integers(0, 5),
    st.sampled_from([(1.5, 0.75), (1.2, 0.0), (0.9, 1.0)]),
)
def test_scores_are_the_formula_and_the_tree_gives_them_again(
    drawn: list[Any],
    as_of: int,
    since: int | None,
    parameters: tuple[float, float],
) -> None:
    k1, b = parameters
    groups: list[Any] = [([], []), ([], [])]
    for id_, (group, visible, words, ended) in enumerate(drawn, 1):
        groups[group][0].append(row(id_, " ".join(words), visible))
        groups[1][1].extend([EndRow(id_, 3, 0)] if ended else [])
    alive = {
        id_: words
        for id_, (_, visible, words, ended) in enumerate(drawn, 1)
        if visible <= as_of and not (ended and as_of >= 3)
    }
    average = sum(map(len, alive.values())) / len(alive) if alive else 0
    with segmented(*groups) as segments:
        prefix = Prefix.of(segments, as_of)
        window = prefix.window(since)
        found, weighed = scores(window, [term("a"), term("b", 0.5), term("x")], Bm25(k1, b))
        terms = [term("a"), term("b", 0.5), term("x")]
        assert weighed == weigh(prefix, terms, Bm25(k1, b))
        both = [{"a", "b"} <= set(alive.get(each, ())) for each in window.column("passage").tolist()]
        assert having_all(window, [[term("a")], [term("b")]]).tolist() == np.flatnonzero(both).tolist()
        any_of = [bool({"a", "b"} & set(alive.get(each, ()))) for each in window.column("passage").tolist()]
        assert having_all(window, [[term("a"), term("b")]]).tolist() == np.flatnonzero(any_of).tolist()
        for step in (1, 2, 3):
            places = np.arange(0, window.n, step)
            assert scores_at(window, places, weighed, Bm25(k1, b)).tolist() == found[::step].tolist()
        rows = window.rows(np.arange(window.n)).tolist()
        for row_, passage, score in zip(rows, window.column("passage").tolist(), found.tolist(), strict=True):
            expected = 0.0
            for word, weight in (("a", 1.0), ("b", 0.5)):
                tf = alive.get(passage, []).count(word)
                if tf:
                    df = sum(word in words for words in alive.values())
                    length = len(alive[passage])
                    expected += weight * idf(len(alive), df) * saturated(tf, length, average, k1, b)
            assert score == pytest.approx(expected, rel=1e-13)
            if score:
                tree = explain(prefix, row_, weighed, Bm25(k1, b), "words")
                assert tree.value == tree.recomputed() == score


# -- terms by row ------------------------------------------------------------------------------------


LETTERS = st.lists(st.sampled_from(list("abcdef")), max_size=9)


@given(st.lists(LETTERS, min_size=1, max_size=8))
def test_they_are_the_postings_turned_round(drawn: list[list[str]]) -> None:
    rows = [row(at + 1, " ".join(words), at) for at, words in enumerate(drawn)]
    with segmented((rows, [])) as (segment,):
        expected = np.zeros((segment.n, len(segment["terms"])), int)
        for term, (first, last) in enumerate(segment.find(segment["terms"].tolist())):
            expected[segment["rows"][first:last], term] = segment["tf"][first:last]
        assert term_counts(segment).toarray().tolist() == expected.tolist()
        stems = segment.stems(np.arange(len(segment["terms"])))
        assert sorted(stems) == sorted({word for words in drawn for word in words})
