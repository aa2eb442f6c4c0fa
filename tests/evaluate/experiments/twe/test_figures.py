"""Sections of TWE-RAG that have figures: decay, scores, time."""

from __future__ import annotations

import math

import pytest
from tests.evaluate.experiments.conftest import value


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


def test_scores_stay_in_the_range_of_the_formula(experimented, tmp_path):
    table = experimented("twe/2.4", figures=tmp_path).outcome.table
    # alpha + beta + gamma + delta = 1 + 1 + .5 + 2.5
    assert value(table, "score", "most") <= 5.0
    parts = [row.label for row in table.rows if row.label.startswith("part: ")]
    assert len(parts) >= 4
    assert (tmp_path / "twe-fig4-scores.png").is_file()


def test_times_by_the_size_of_the_corpus(experimented, tmp_path):
    found = experimented("twe/5", figures=tmp_path)
    table = found.outcome.table
    assert value(table, "graph, s", "documents") == 36
    assert value(table, "graph, s", "taken") >= 0
    sizes = [value(table, row.label, "documents") for row in table.rows if "as of" in row.label]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 36
    assert (tmp_path / "twe-fig6-scaling.png").is_file()
