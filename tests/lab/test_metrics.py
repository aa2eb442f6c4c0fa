"""Metrics of rankings, intervals, packed evidence: by hand, and against trec_eval."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from asof.documents import SourcedTime
from asof.extensions.lab.metrics import (
    NAMES,
    PERMUTATIONS,
    Estimate,
    clusters,
    compare,
    coverage,
    estimate,
    header,
    leak,
    packed,
    places,
    scores,
    size,
)
from asof.hits import Hit, Location, Why
from asof.time.moment import read

# -- metrics -------------------------------------------------------------------------------------------


RANKED = ["a", "b", "c", "d", "e", "f"]


def test_by_hand():
    """Relevant are b (grade 1), e (grade 3) and z, which was not found."""
    found = scores(RANKED, {"b": 1, "e": 3, "z": 2, "a": 0})
    assert found["success@1"] == 0
    assert found["success@5"] == 1
    assert found["recall@5"] == pytest.approx(2 / 3)
    assert found["recall@10"] == found["recall@100"] == pytest.approx(2 / 3)
    assert found["mrr@10"] == pytest.approx(1 / 2)
    assert found["map"] == pytest.approx((1 / 2 + 2 / 5) / 3)
    gain = (2**1 - 1) / log2(3) + (2**3 - 1) / log2(6)
    best = (2**3 - 1) / log2(2) + (2**2 - 1) / log2(3) + (2**1 - 1) / log2(4)
    assert found["ndcg@10"] == pytest.approx(gain / best)


LONG = [f"d{n}" for n in range(1, 102)]


@pytest.mark.parametrize(
    ("ranked", "grades", "expected"),
    [
        ([], {"a": 1}, dict.fromkeys(NAMES, 0.0)),
        (LONG[:11], {"d11": 1},
         {"mrr@10": 0, "ndcg@10": 0, "recall@10": 0, "recall@100": 1, "map": pytest.approx(1 / 11)}),
        (["a", "b"], {"a": -2, "b": 1}, {"ndcg@10": pytest.approx((1 / log2(3)) / (1 / log2(2)))}),
        # relevant b (2nd) and z (not found)
        (["a", "b", "c"], {"b": 1, "z": 1},
         {"precision@3": pytest.approx(1 / 3), "precision@20": 1 / 20, "recall@2": 0.5, "mrr@1": 0.0,
          "success@2": 1.0, "mrr": 0.5}),
        (LONG, {"d50": 1}, {"mrr": 1 / 50}), (LONG, {"d101": 1}, {"mrr": 0.0}),
    ],
)  # fmt: skip
def test_what_counts(ranked, grades, expected):
    found = scores(ranked, grades, expected)
    assert {name: found[name] for name in expected} == expected


documents = st.sampled_from([f"d{n}" for n in range(40)])
graded = st.dictionaries(documents, st.integers(0, 3), min_size=1).filter(lambda grades: any(grades.values()))
THEIRS = {
    "success@1": "success_1", "success@5": "success_5", "recall@5": "recall_5", "recall@10": "recall_10",
    "recall@100": "recall_100", "map": "map",
}  # fmt: skip


@given(st.lists(documents, unique=True), graded)
def test_trec_eval_agrees(ranked, grades):
    run = {"q": {document: float(len(ranked) - place) for place, document in enumerate(ranked)}}
    ours = scores(ranked, grades)
    theirs = _trec(run, grades, {"success", "recall", "map"})
    for name, other in THEIRS.items():
        assert ours[name] == pytest.approx(theirs[other]), name
    mapped = _trec(run, {document: 2**grade - 1 for document, grade in grades.items()}, {"ndcg_cut_10"})
    assert ours["ndcg@10"] == pytest.approx(mapped["ndcg_cut_10"])
    first = {"q": {document: run["q"][document] for document in ranked[:10]}}
    assert ours["mrr@10"] == pytest.approx(_trec(first, grades, {"recip_rank"})["recip_rank"])


def _trec(run, grades, measures):
    measures = {"success.1,5", "recall.5,10,100", "map"} if "map" in measures else measures
    found = pytrec_eval.RelevanceEvaluator({"q": grades}, measures).evaluate(run).get("q", {})
    return {name: found.get(name, 0.0) for name in [*THEIRS.values(), "ndcg_cut_10", "recip_rank"]}


def test_leak_is_the_share_of_what_is_dated_later():
    dates = {"a": 5, "b": 6, "c": None, "d": 7}
    assert leak(["a", "b", "c", "d"], dates, as_of=5) == pytest.approx(2 / 4)
    assert leak(["a", "b", "c", "d"], dates, as_of=5, k=1) == 0
    assert leak([], dates, as_of=5) == 0


# -- intervals and tests, by clusters of questions with the same words ---------------------------------


def drawn(values: object, group: object, seed: int) -> Estimate:
    """The estimate, which is there."""
    found = estimate(np.asarray(values, np.float64), np.asarray(group, np.int64), seed)
    assert found is not None
    return found


def test_means_and_clusters():
    """Questions of the same words are one cluster; one cluster alone has an interval of no width."""
    assert clusters(["a", "b", "a", "c", "b"]).tolist() == [0, 1, 0, 2, 1]
    found = drawn(np.array([1.0, 0.0, 0.0, np.nan]), clusters(["a", "b", "b", "c"]), 0)
    assert found.value == pytest.approx(1 / 3)
    assert estimate(np.array([np.nan, np.nan]), clusters(["a", "b"]), 0) is None
    found = drawn(np.array([1.0, 0.0, 1.0]), clusters(["a", "a", "a"]), 0)
    assert (found.low, found.high) == (found.value, found.value) == (2 / 3, 2 / 3)


def test_copies_of_a_question_make_no_interval_narrower():
    values, texts = np.array([1.0, 0.0] * 10), [f"t{n}" for n in range(20)]
    once = drawn(values, clusters(texts), 3)
    often = drawn(np.repeat(values, 5), clusters(np.repeat(texts, 5).tolist()), 3)
    naive = drawn(np.repeat(values, 5), clusters([f"t{n}" for n in range(100)]), 3)
    assert often == once
    assert naive.high - naive.low < 0.6 * (often.high - often.low)


def test_the_interval_is_that_of_the_binomial():
    """400 questions, half of them right: 1.96 · sqrt(.25 / 400) = .049 on either side."""
    found = drawn(np.array([1.0, 0.0] * 200), clusters([f"t{n}" for n in range(400)]), 0)
    assert found.low == pytest.approx(0.5 - 0.049, abs=0.008)
    assert found.high == pytest.approx(0.5 + 0.049, abs=0.008)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30), st.integers(0, 9))
def test_the_interval_holds_no_more_than_the_values_span(pairs, seed):
    values, group = np.array([value for value, _ in pairs]), np.array([number for _, number in pairs])
    found = drawn(values, group, seed)
    assert values.min() - 1e-12 <= found.low <= found.high <= values.max() + 1e-12


@pytest.mark.parametrize(
    ("better", "worse", "texts", "p", "within"),
    [
        # all 40 signs alike: once in 2^39 permutations
        (0.9, 0.1, [f"t{n}" for n in range(40)], 1 / (1 + PERMUTATIONS), 1e-9),
        # of the 2^3 ways to exchange three questions two are as large as all one way; copies show no more
        (1.0, 0.0, ["x", "y", "z"], 2 / 2**3, 0.02), (1.0, 0.0, ["x", "y", "z"] * 10, 2 / 2**3, 0.02),
    ],
)  # fmt: skip
def test_how_often_chance_makes_a_difference_as_large(better, worse, texts, p, within):
    mine, theirs = ({"map": np.full(len(texts), value)} for value in (better, worse))
    (found,) = compare("a", "b", mine, theirs, clusters(texts), 0)
    assert found.difference == pytest.approx(better - worse)
    assert found.p == pytest.approx(p, abs=within)


def test_what_applies_to_some_questions_is_compared_there():
    nan = np.nan
    mine = {"map": np.array([1.0, 1.0]), "evidence@4000": np.array([0.5, nan]), "e": np.array([nan, nan])}
    theirs = {"map": np.array([1.0, 0.0]), "evidence@4000": np.array([0.1, nan]), "e": np.array([nan, nan])}
    found = compare("a", "b", mine, theirs, clusters(["x", "y"]), 0)
    assert [each.metric for each in found] == ["map", "evidence@4000"]
    assert [each.difference for each in found] == pytest.approx([(0 + 1) / 2, 0.5 - 0.1])


# -- evidence: what is packed into a budget, which sentences lie in it whole ---------------------------


def hit(text: str, start: int = 0, document: str = "d", title: str = "T", date: str | None = "2020") -> Hit:
    published = SourcedTime(read(date), date, "metadata") if date else None
    place = Location(0, start, start + len(text))
    return Hit(
        1, 1.0, f"{document}#{start}", document, title, "", published, "metadata", (), place, text,
        lambda: Why("", 1.0),
    )  # fmt: skip


def test_the_line_above_is_counted():
    assert header(hit("a b")) == "T (2020)"
    assert header(hit("a b", title="", date=None)) == "d (undated)"
    assert size([hit("a b"), hit("c")]) == len(["T", "(", "2020", ")"]) * 2 + 2 + 1


def test_the_last_passage_is_cut_where_the_budget_ends():
    """Each line above takes 4 of the 11 tokens; 2 are left for the second passage."""
    first, second = hit("a b."[:3]), hit("c d, e", 10)
    for budget, of_second in ((10, 0), (12, 3), (13, 4), (1_000, 6)):
        assert packed([first, second], budget) == {"d": {0, 1, 2, *range(10, 10 + of_second)}}


def test_a_sentence_is_found_whatever_its_white_space():
    text = "It went up\n3 (three). Then up 3 (three)."
    found = ["".join(text[at] for at in place) for place in places("up  3 (three).", text)]
    assert found == ["up3(three)."] * 2
    assert places("down", "It went up") == []


def test_coverage_by_budget():
    """The first passage has 4 + 3999 tokens: the smaller budget ends before its last word. A sentence counts
    if all of it is there."""
    long = " ".join(["word"] * 3998) + " end"
    text = f"{long}\nThe answer is 7.\nMore."
    hits = [hit(long, title="T", date="2020"), hit("The answer is 7.\n", len(long) + 1)]
    shares, nowhere = coverage(
        hits,
        [
            ("d", "The answer is 7."),
            ("d", "word end"),
            ("d", "Not there."),
            ("x", "Nobody."),
            ("d", "7. More."),
        ],
        {"d": text}.get,
    )
    assert shares == {"evidence@4000": 0 / 5, "evidence@12000": 2 / 5}
    assert nowhere == 2
