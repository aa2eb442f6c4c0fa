"""Each table of TWE-RAG on the towns: eight questions, of which four ask for the current mayor."""

from __future__ import annotations

import pytest
from tests.lab.evaluate.experiments.conftest import value

from asof.errors import UsageError
from asof.extensions.lab.published import named

LABELS = {
    "twe/4.2": ["gamma=0", "gamma=0.3", "gamma=0.5", "gamma=1", "gamma=2"],
    "twe/4.3": ["delta=0", "delta=2.5 tau_min=90", "delta=2.5 tau_min=365", "delta=5 tau_min=365"],
    "twe/4.4": ["Disabled (K=100)", "Enabled (30/60/100)"],
}


@pytest.mark.parametrize("name", LABELS)
def test_every_row_of_the_paper_is_measured(experimented, name):
    found = experimented(name)
    table = found.outcome.table
    assert [row.label for row in named(name).published.rows] == LABELS[name]
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
    listed = experimented("twe/4.3", 'temporal=["temporal", "general"]').outcome
    assert listed.notes[0] == "8 temporal and 0 general questions"
    with pytest.raises(UsageError, match=r"temporal = \[1\]: types between commas, or a list of them"):
        experimented("twe/4.3", "temporal=[1]")
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
    assert (tmp_path / "twe-fig5-halting.png").is_file()


def test_each_field_is_swept(experimented, tmp_path):
    found = experimented("twe/4.5", figures=tmp_path, limit=4)
    names = {row.label.partition("=")[0] for row in found.outcome.table.rows}
    assert names == {"delta", "tau_min", "gamma"}
    assert found.shapes == ()
    drawn = sorted(path.name for path in tmp_path.glob("*.png"))
    assert drawn == ["twe-fig8-delta.png", "twe-fig8-gamma.png", "twe-fig8-tau-min.png"]


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


def test_fields_of_the_recipe_can_be_set(experimented):
    plain, flat = (experimented("twe/4.1", *given) for given in ((), ("lexical.b=0",)))
    assert dict(flat.options.fields) == {"lexical.b": 0}
    assert plain.outcome.questions == flat.outcome.questions
    with pytest.raises(UsageError, match="did you mean"):
        experimented("twe/4.4", "budgeted_rerank.size=3")
