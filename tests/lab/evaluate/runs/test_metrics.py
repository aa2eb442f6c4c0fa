"""The metrics: by hand, and against trec_eval."""

from __future__ import annotations

from math import log2

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.lab.metrics import NAMES, check_metrics, leak, scores

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


def test_nothing_found():
    assert scores([], {"a": 1}) == dict.fromkeys(NAMES, 0.0)


def test_what_is_beyond_the_tenth_place_does_not_count():
    ranked = [f"d{n}" for n in range(1, 12)]
    found = scores(ranked, {"d11": 1})
    assert (found["mrr@10"], found["ndcg@10"], found["recall@10"]) == (0, 0, 0)
    assert found["recall@100"] == 1
    assert found["map"] == pytest.approx(1 / 11)


def test_a_negative_grade_gains_nothing():
    assert scores(["a", "b"], {"a": -2, "b": 1})["ndcg@10"] == pytest.approx((1 / log2(3)) / (1 / log2(2)))


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


def test_metrics_at_any_rank():
    # relevant b (2nd) and z (not found): precision@3 = 1/3, recall@2 = 1/2, mrr@1 = 0, success@2 = 1
    asked = ["precision@3", "precision@20", "recall@2", "mrr@1", "success@2", "mrr"]
    found = scores(["a", "b", "c"], {"b": 1, "z": 1}, asked)
    assert [found[name] for name in asked] == [pytest.approx(1 / 3), 1 / 20, 0.5, 0.0, 1.0, 0.5]


def test_mrr_looks_at_the_whole_hundred():
    ranked = [f"d{at}" for at in range(1, 102)]
    assert scores(ranked, {"d50": 1})["mrr"] == 1 / 50
    assert scores(ranked, {"d101": 1})["mrr"] == 0.0


@pytest.mark.parametrize(
    "name", ["precision", "precision@", "precision@0", "recall@101", "bleu@3", "ndcg@x", "", "map@3"]
)
def test_a_metric_that_there_is_not(name):
    with pytest.raises(UsageError, match="no metric"):
        check_metrics([name])
