"""Adaptive RAG's experiments on a few notes with grades: who asks wants the newest note about a lamp."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asof.errors import UsageError
from asof.extensions.lab.experiments import ExperimentOptions
from asof.extensions.lab.protocols import JudgedQuestions, judged_questions, run_online, start_of
from asof.extensions.systems.online import stage_of

from .conftest import value, write_lines

LAMPS = ("brass", "glass", "tin", "clay", "iron", "paper", "stone", "copper")


def documents() -> Iterator[dict[str, str]]:
    """Of each lamp four notes of other days; the older a note, the more of it is about the lamp."""
    for lamp in LAMPS:
        for age in range(4):
            text = " ".join([f"The {lamp} lamp burns oil."] * (age + 1) + ["The keeper sleeps."] * (3 - age))
            day = ("2004-12-29", "2004-12-18", "2004-12-05", "2004-11-20")[age]
            yield {"id": f"{lamp}-{age}", "text": text, "timestamp": day, "title": f"{lamp} {age}"}


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question for each lamp: the newer a note, the better."""
    folder = tmp_path_factory.mktemp("lamps") / "lamps"
    folder.mkdir()
    write_lines(folder / "corpus.jsonl", list(documents()))
    write_lines(
        folder / "queries.jsonl",
        [
            {"id": f"q-{lamp}", "text": f"{lamp} lamp oil", "asked_at": f"2005-01-{day:02}"}
            for day, lamp in enumerate(LAMPS, 1)
        ],
    )
    grades = ((0, 3), (1, 2), (2, 1))
    judged = (f"q-{lamp}\t{lamp}-{age}\t{grade}\n" for lamp in LAMPS for age, grade in grades)
    (folder / "qrels.tsv").write_text("".join(judged), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def judged(lamps: Path, kept: Path) -> JudgedQuestions:
    return judged_questions(lamps, ExperimentOptions(cache=kept))


def test_metrics_are_those_of_the_ranking(judged: JudgedQuestions) -> None:
    """Precision@10: three of the documents have a grade; the loss is that of the order that is shown."""
    assert judged.texts == tuple(f"{lamp} lamp oil" for lamp in LAMPS)
    setting = start_of(judged.box)
    found = judged.metrics(setting)
    assert found["Loss"] + found["NDCG@10"] == pytest.approx(np.ones(8))
    assert set(found["Precision@10"]) <= {0.1, 0.2, 0.3}
    gains = {f"brass-{3 - grade}": 2.0**grade - 1 for grade in (1, 2, 3)}
    best = 7 + 3 / math.log2(3) + 1 / 2
    assert judged.table.questions[0].gains == gains
    own = judged.table.scored[0]
    order = np.argsort(-own.scores(setting[None])[0], kind="stable")[:10]
    dcg = sum(own.gains[at] / math.log2(rank + 1) for rank, at in enumerate(order.tolist(), 1))
    assert sorted(own.gains[own.gains > 0].tolist()) == sorted(gains.values())
    assert found["NDCG@10"][0] == pytest.approx(dcg / best)


def test_learning_goes_through_the_stages_and_does_not_lose(judged: JudgedQuestions) -> None:
    run = run_online(judged, 8, seed=1)
    steps, best = run
    assert [each.stage for each in steps] == [stage_of(number) for number in range(1, 9)]
    assert steps[0].loss == steps[0].on_all == steps[0].initial
    for each in steps:
        assert judged.box.contains(np.array(list(each.setting.values())))
    assert judged.metrics(best)["Loss"].mean() <= judged.metrics(start_of(judged.box))["Loss"].mean()
    again = run_online(judged, 8, seed=1)
    assert (again[0], again[1].tolist()) == (steps, best.tolist())


def test_the_table_is_of_questions_that_were_not_learned_from(
    experimented: Any, lamps: Path, tmp_path: Path
) -> None:
    found = experimented("arxiv/learning", dataset=lamps, figures=tmp_path)
    table = found.outcome.table
    assert found.outcome.questions == 4
    assert "learned from 4 questions, measured on 4 others" in found.outcome.notes
    assert list(table.rows)[:2] == ["Initial", "Optimized"]
    assert value(table, "Initial", "Loss") == pytest.approx(1 - value(table, "Initial", "NDCG@10"))
    assert value(table, "Optimized", "NDCG@10") >= value(table, "Initial", "NDCG@10")
    assert value(table, "Initial", "Precision@10") <= 0.3
    losses = list(csv.DictReader((tmp_path / "arxiv-losses.csv").read_text().splitlines()))
    assert [row["stage"] for row in losses[:4]] == ["baseline", "exploration", "evolution", "evolution"]
    assert len(losses) == 3 * 4


def test_by_its_own_similarity_a_ranking_is_nearly_perfect(experimented: Any, lamps: Path) -> None:
    """What is published: the ranking judges itself, so that its loss is small before anything is learned."""
    own, judged = (
        experimented("arxiv/learning", *settings, dataset=lamps).outcome.table
        for settings in (("relevance=similarity",), ())
    )
    assert value(own, "Initial", "NDCG@10") > value(judged, "Initial", "NDCG@10")


def test_the_loss_of_each_stage(experimented: Any, lamps: Path) -> None:
    table = experimented("arxiv/stages", dataset=lamps).outcome.table
    assert [(label, cells["questions"]) for label, cells in table.rows.items()] == [
        ("Baseline (1)", 1), ("Exploration (2)", 1), ("Gradient descent (3-5)", 3), ("Global search (6+)", 3),
    ]  # fmt: skip
    few = experimented("arxiv/stages", "learned=2", dataset=lamps).outcome
    assert list(few.table.rows) == ["Baseline (1)", "Exploration (2)"]


def test_what_is_refused(experimented: Any, lamps: Path) -> None:
    with pytest.raises(UsageError, match="at least 4 are needed"):
        experimented("arxiv/learning", dataset=lamps, limit=3)
    with pytest.raises(UsageError, match="one of judged, similarity"):
        experimented("arxiv/learning", "relevance=clicks", dataset=lamps)
