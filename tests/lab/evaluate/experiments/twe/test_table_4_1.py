"""`twe/4.1` on the towns."""

from __future__ import annotations

from tests.lab.evaluate.experiments.conftest import value

from asof.extensions.lab.published import signals
from asof.extensions.systems.recipes import TWE


def test_the_first_stages_of_twe_are_its_rows():
    rows = signals(TWE.replaced({"lexical.b": 0.5}))
    assert [type(each).__name__ for each in rows["BM25 only"].stages] == ["Lexical", "TopK"]
    assert [type(each).__name__ for each in rows["Dense (SVD)"].stages] == ["Latent", "TopK"]
    assert dict(rows["BM25 only"].fields())["lexical.b"] == 0.5


def test_every_row_is_measured(experimented, tmp_path):
    found = experimented("twe/4.1", figures=tmp_path)
    table = found.outcome.table
    assert found.outcome.questions == 8
    assert [row.label for row in table.rows] == ["BM25 only", "Dense (SVD)", "Hybrid"]
    for row in table.rows:
        assert 0 < value(table, row.label, "mrr") <= 1
        assert value(table, row.label, "latency_ms") > 0
    # four general questions find the one document that says "sold" and "fair" of the town, at rank 1
    assert value(table, "BM25 only", "mrr") >= 0.5
    assert [each.column for each in found.shapes] == ["recall@5", "mrr", "latency_ms"]
    assert (tmp_path / "twe-4.1.png").is_file()
