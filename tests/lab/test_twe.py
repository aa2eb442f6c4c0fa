"""TWE-RAG and RAGtriever: each table on eight questions, of which four ask for the current mayor."""

from __future__ import annotations

import math
from typing import Any

import pytest

from asof.errors import UsageError
from asof.extensions.lab.datasets import prepared
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.experiments import ExperimentOptions
from asof.extensions.lab.protocols import SUMS, first_hits, mean_parts, parts
from asof.extensions.lab.published import components, named, signals
from asof.extensions.systems.vault import VAULT
from asof.hits import Why

from .conftest import value, write_lines


def test_the_first_stages_of_twe_are_its_rows():
    rows = signals()
    assert [type(each).__name__ for each in rows["BM25 only"].stages] == ["Lexical", "TopK"]
    assert [type(each).__name__ for each in rows["Dense (SVD)"].stages] == ["Latent", "TopK"]


def test_every_row_is_measured(experimented, tmp_path):
    found = experimented("twe/4.1", figures=tmp_path)
    table = found.outcome.table
    assert found.outcome.questions == 8
    assert list(table.rows) == ["BM25 only", "Dense (SVD)", "Hybrid"]
    for label in table.rows:
        assert 0 < value(table, label, "mrr") <= 1
        assert value(table, label, "latency_ms") > 0
    # four general questions find the one document that says "sold" and "fair" of the town, at rank 1
    assert value(table, "BM25 only", "mrr") >= 0.5
    assert [each.column for each in found.shapes] == ["recall@5", "mrr", "latency_ms"]
    assert (tmp_path / "twe-4.1.png").is_file()


LABELS = {
    "twe/4.2": ["gamma=0", "gamma=0.3", "gamma=0.5", "gamma=1", "gamma=2"],
    "twe/4.3": ["delta=0", "delta=2.5 tau_min=90", "delta=2.5 tau_min=365", "delta=5 tau_min=365"],
    "twe/4.4": ["Disabled (K=100)", "Enabled (30/60/100)"],
}


@pytest.mark.parametrize("name", LABELS)
def test_every_row_of_the_paper_is_measured(experimented, name):
    found = experimented(name)
    table = found.outcome.table
    assert list(named(name).published.rows) == LABELS[name]
    for label in LABELS[name]:
        for column in named(name).published.columns:
            assert value(table, label, column.name) >= 0
    assert found.outcome.questions == 8


def test_decay_is_out_of_the_study_of_gamma_unless_it_is_asked_for(experimented):
    without, with_ = (experimented("twe/4.2", f"decay={on}").outcome.table for on in ("false", "true"))
    # eight notes of a town name a mayor in the same words: only age brings those of the last year to the top
    assert value(without, "gamma=0", "mrr") < value(with_, "gamma=0", "mrr") == 1.0


def test_temporal_questions_are_told_by_their_words_or_by_their_types(experimented):
    by_words = experimented("twe/4.3").outcome
    by_type = experimented("twe/4.3", "temporal=temporal").outcome
    listed = experimented("twe/4.3", "temporal=temporal,general").outcome
    assert listed.notes[0] == "8 temporal and 0 general questions"
    assert by_words.notes[0] == by_type.notes[0] == "4 temporal and 4 general questions"
    with pytest.raises(UsageError, match="temporal=nothing: no question has that type; there are: general, "):
        experimented("twe/4.3", "temporal=nothing")
    assert value(by_words.table, "delta=2.5 tau_min=365", "temporal") == 1.0


def test_a_fixed_number_of_candidates_saves_nothing(experimented, tmp_path):
    found = experimented("twe/4.4", figures=tmp_path)
    for label in ("Disabled (K=100)", "K=10", "K=60"):
        assert value(found.outcome.table, label, "saved") == 0.0
    # a view has at most 36 documents, all of them candidates: fewer are never ranked without a halt
    assert value(found.outcome.table, "Disabled (K=100)", "mean K") <= 36
    assert value(found.outcome.table, "K=10", "mean K") == 10
    assert (tmp_path / "twe-4.4.png").is_file()


def test_each_field_is_swept(experimented, tmp_path):
    found = experimented("twe/4.5", figures=tmp_path, limit=4)
    names = {label.partition("=")[0] for label in found.outcome.table.rows}
    assert names == {"delta", "tau_min", "gamma"}
    assert found.shapes == ()
    assert [path.name for path in tmp_path.glob("*.png")] == ["twe-4.5.png"]


def test_differences_of_the_studies_are_paired(experimented, tmp_path):
    table = experimented("twe/6", figures=tmp_path).outcome.table
    first = experimented("twe/4.1").outcome.table
    for label, one in (
        ("1: hybrid - BM25, recall@5", "Hybrid"),
        ("1: dense - BM25, recall@5", "Dense (SVD)"),
    ):
        expected = value(first, one, "recall@5") - value(first, "BM25 only", "recall@5")
        assert value(table, label, "difference") == pytest.approx(expected)
    budget = experimented("twe/4.4").outcome.table
    assert value(table, "4: halting, saved", "difference") == value(budget, "Enabled (30/60/100)", "saved")


# -- sections with figures: decay, scores, time --------------------------------------------------------


def test_the_numbers_of_decay_are_those_that_are_printed(experimented, tmp_path):
    found = experimented("twe/2.3", figures=tmp_path)
    table = found.outcome.table
    assert value(table, "recency question", "delta") == 2.5
    assert value(table, "recency question", "tau") == 90
    assert value(table, "general question", "delta") == 0.75  # 2.5 * .3
    assert value(table, "general question", "tau") == 538  # 730 - 640 * .3
    for label, times in (("age tau", 1), ("age 2 tau", 2), ("age 3 tau", 3)):
        assert value(table, label, "decay") == pytest.approx(math.exp(-times), abs=1e-9)
    assert found.outcome.notes[0] == "4 of 8 questions of the dataset are recency questions"
    assert (tmp_path / "twe-fig3-decay.png").is_file()


def test_scores_and_times(experimented, tmp_path):
    table = experimented("twe/2.4", figures=tmp_path).outcome.table
    # alpha + beta + gamma + delta = 1 + 1 + .5 + 2.5
    assert value(table, "score", "most") <= 5.0
    assert len([label for label in table.rows if label.startswith("part: ")]) >= 4
    table = experimented("twe/5", figures=tmp_path).outcome.table
    assert value(table, "graph, s", "documents") == 36
    assert value(table, "graph, s", "taken") >= 0
    assert (tmp_path / "twe-fig4-scores.png").is_file()


# -- scores as stacks of parts -------------------------------------------------------------------------


WORDS = Why.of("words", "ratio", Why("bm25", 3.0), Why("best", 4.0))


def weighted(label, tree, weight):
    return Why.of(label, "product", tree, Why("weight", weight))


def test_a_sum_of_sums_is_taken_apart():
    """unified = 2 hybrid + .5 centrality, hybrid = words + .5 latent: the weights multiply. The other tree is
    no sum of columns, and one part."""
    hybrid = Why.of(
        "hybrid", "sum", weighted("normalized", WORDS, 1.0), weighted("latent", Why("cosine", 0.8), 0.5)
    )
    tree = Why.of(
        "unified", "sum", weighted("hybrid", hybrid, 2.0), weighted("centrality", Why("c", 0.6), 0.5)
    )
    assert parts(tree) == pytest.approx({"normalized": 2 * 3 / 4, "latent": 2 * 0.4, "centrality": 0.3})
    assert sum(parts(tree).values()) == pytest.approx(tree.value)
    below = Why.of("outside the budget", "product", WORDS, Why("unified", 2.0))
    assert parts(below) == {"outside the budget": 1.5}


def test_means_count_a_part_that_is_not_there_as_0():
    one = Why.of("hybrid", "sum", Why("lexical", 1.0), Why("dense", 0.5))
    other = Why.of("hybrid", "sum", Why("lexical", 3.0))
    made = mean_parts([[one, other], [other], []])
    assert [(row["rank"], row["part"], row["mean"]) for row in made] == [
        (1, "lexical", (1 + 3) / 2), (1, "dense", (0.5 + 0) / 2), (2, "lexical", 3.0), (2, "dense", 0.0),
    ]  # fmt: skip


def test_parts_add_up_to_the_scores(dataset, tmp_path):
    assert {"hybrid", "unified"} == SUMS
    found = evaluate(dataset(), ["twe"], cache=tmp_path / "cache")
    (run,) = found.runs
    with prepared(found.dataset, found.options.settings, tmp_path / "cache") as corpus:
        asked = found.questions
        made = mean_parts([[hit.why for hit in first_hits(corpus, found, each)] for each in asked])
    first = [row["mean"] for row in made if row["rank"] == 1]
    firsts = [answer.ranking[0][1] for answer in run.results]
    assert sum(first) == pytest.approx(sum(firsts) / len(firsts))
    assert {row["part"] for row in made} == {"normalized", "latent", "centrality", "decay"}


# -- RAGtriever: a tiny vault, where each component is seen to act -------------------------------------


@pytest.fixture(scope="session")
def vault(tmp_path_factory):
    """Two notes say the same: the one that nine others link to is right, and the newer one of two others."""
    folder = tmp_path_factory.mktemp("vault") / "vault"
    folder.mkdir()
    texts = {
        "pump": ("How the pump is cleaned.", "2020-01-01"),
        "pump copy": ("How the pump is cleaned.", "2020-01-01"),
        "rota new": ("The rota of the kitchen.", "2024-06-01"),
        "rota old": ("The rota of the kitchen.", "2020-06-01"),
    }  # fmt: skip
    notes = [{"id": id_, "text": text, "timestamp": day} for id_, (text, day) in texts.items()]
    notes[0]["title"], notes[1]["title"] = "Pump", "Pump copy"
    day: dict[str, Any] = {"timestamp": "2020-02-01", "links": ["pump"]}
    notes += [{**day, "id": f"day {n}", "text": f"Day {n}. See [[pump]]."} for n in range(9)]
    write_lines(folder / "corpus.jsonl", notes)
    write_lines(
        folder / "queries.jsonl", [{"id": "q1", "text": "pump cleaned"}, {"id": "q2", "text": "rota kitchen"}]
    )
    (folder / "qrels.tsv").write_text("q1\tpump\t1\nq2\trota new\t1\n", encoding="utf-8")
    return folder


def test_each_component_alone_and_all_together(experimented, vault, tmp_path):
    found = experimented("ragtriever/components", dataset=vault, figures=tmp_path)
    table = found.outcome.table
    assert list(table.rows) == [
        "baseline", "+ rank fusion", "+ backlinks", "+ recency", "all components",
    ]  # fmt: skip
    assert value(table, "all components", "mrr") == 1.0
    assert table.cell("baseline", "mrr change") is None
    for label in ("+ backlinks", "+ recency", "all components"):
        change = value(table, label, "mrr") - value(table, "baseline", "mrr")
        assert value(table, label, "mrr change") == pytest.approx(change)
    # one relevant document a question: 1/3 where it is among the first three
    assert value(table, "all components", "precision@3") == pytest.approx(1 / 3)
    assert "questions worse (met, none)" in found.outcome.notes[0]
    assert (tmp_path / "ragtriever-components.png").is_file()


def test_all_components_on_are_the_recipe():
    keys = {"rrf_k": 60, "backlink_boost_weight": 0.1, "backlink_boost_cap": 10}
    assert components(ExperimentOptions(parameters=keys))["all components"] == VAULT


def test_its_own_keys_are_settings(experimented, vault):
    found = experimented("ragtriever/components", "backlink_boost_weight=0", dataset=vault)
    assert value(found.outcome.table, "+ backlinks", "worse") == 0
    assert value(found.outcome.table, "+ backlinks", "mrr change") == 0.0
    with pytest.raises(UsageError, match="rrf_k = 0"):
        experimented("ragtriever/components", "rrf_k=0", dataset=vault)
    with pytest.raises(UsageError, match="recency_fresh_days < recency_recent_days"):
        experimented("ragtriever/components", "recency_fresh_days=300", dataset=vault)
