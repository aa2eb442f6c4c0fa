"""Sections of TWE-RAG that have figures: decay, scores, time."""

from __future__ import annotations

import json
import math
from shutil import copytree

import pytest
from tests.lab.evaluate.conftest import write_lines
from tests.lab.evaluate.experiments.conftest import value

from asof.extensions.lab import protocols


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


def test_the_graph_is_that_of_all_documents_whenever_questions_are_asked(
    experimented, towns, tmp_path, monkeypatch
):
    """All questions are of 2002: each of the four towns had two years of two notes, and a fair."""
    folder = tmp_path / "early"
    copytree(towns, folder)
    questions = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    write_lines(folder / "queries.jsonl", [{**each, "asked_at": "2002-12-31"} for each in questions])
    judged = (f"{each['id']}\t{each['id'].partition('-')[0]}-fair\t1\n" for each in questions)
    (folder / "qrels.tsv").write_text("".join(judged))
    timed = []

    def noted(snapshot, question, recipe):
        timed.append(snapshot.view().n)
        return 0.25

    monkeypatch.setattr(protocols, "_graph_seconds", noted)
    table = experimented("twe/5", dataset=folder).outcome.table
    assert timed == [36]
    assert [table.cell("graph, s", column) for column in ("documents", "taken")] == [36, 0.25]
    assert table.cell("question, ms", "documents") == 4 * (2 * 2 + 1)


@pytest.mark.parametrize(
    ("name", "most", "what"),
    [("twe/2.4", "PARTS_OF", "parts of the score"), ("twe/5", "TIMED", "times as of a moment")],
)
def test_what_is_of_some_questions_alone_says_so(experimented, monkeypatch, name, most, what):
    assert not any(what in note for note in experimented(name).outcome.notes)
    monkeypatch.setattr(protocols, most, 3)
    assert (
        f"{what}: of 3 of the 8 questions, chosen by a hash of their ids" in experimented(name).outcome.notes
    )


def test_times_by_the_size_of_the_corpus(experimented, tmp_path):
    found = experimented("twe/5", figures=tmp_path)
    table = found.outcome.table
    assert value(table, "graph, s", "documents") == 36
    assert value(table, "graph, s", "taken") >= 0
    sizes = [value(table, row.label, "documents") for row in table.rows if "as of" in row.label]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 36
    assert (tmp_path / "twe-fig6-scaling.png").is_file()
