"""A tiny dataset with questions for the newest and general ones, whose documents are dated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab.evaluate.conftest import write_lines

from asof.extensions.lab.experiments import ExperimentOptions, ExperimentRun, Table, number, run
from asof.extensions.lab.published import named

TOWNS = ("Brill", "Thame", "Otmoor", "Wheatley")
MAYORS = ("Ann", "Bob", "Cid", "Dot")


def documents() -> list[dict[str, Any]]:
    """For each town four mayors, one a year, of whom two notes tell in nearly the same words; and a fair."""
    made = []
    for town in TOWNS:
        for year, mayor in enumerate(MAYORS, 2001):
            for paper in ("Herald", "Gazette"):
                text = f"The town hall of {town} says that {mayor} is mayor of {town}. {paper}."
                made.append(
                    {
                        "id": f"{town}-{year}-{paper}", "text": text, "timestamp": f"{year}-05-01",
                        "title": f"{town} in {year}",
                    }
                )  # fmt: skip
        made.append(
            {
                "id": f"{town}-fair",
                "text": f"Geese are sold at the fair of {town}.",
                "timestamp": "2001-09-01",
            }
        )
    return made


@pytest.fixture(scope="session")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight questions: who is mayor now (temporal), and what is sold at the fair (general)."""
    folder = tmp_path_factory.mktemp("experiments") / "towns"
    folder.mkdir()
    questions, judged = [], []
    for town in TOWNS:
        questions.append(
            {
                "id": f"{town}-now", "text": f"Who is the current mayor of {town}?", "asked_at": "2004-12-31",
                "type": "temporal", "answer": "Dot",
            }
        )  # fmt: skip
        judged += [f"{town}-now\t{town}-2004-{paper}\t1\n" for paper in ("Herald", "Gazette")]
        questions.append(
            {
                "id": f"{town}-sold", "text": f"What is sold at the fair of {town}?",
                "asked_at": "2004-12-31", "type": "general", "answer": "geese",
            }
        )  # fmt: skip
        judged.append(f"{town}-sold\t{town}-fair\t1\n")
    write_lines(folder / "corpus.jsonl", documents())
    write_lines(folder / "queries.jsonl", questions)
    (folder / "qrels.tsv").write_text("".join(judged), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of corpora."""
    return tmp_path_factory.mktemp("experiments-cache")


Experimented = Callable[..., ExperimentRun]


@pytest.fixture
def experimented(towns: Path, kept: Path) -> Experimented:
    """Runs an experiment by name on the towns: `experimented("twe/4.1", "decay.delta=0", limit=4)`."""

    def made(
        name: str, *settings: str, dataset: Path | None = None, figures: Path | None = None, **options: Any
    ) -> ExperimentRun:
        chosen = named(name)
        options.setdefault("cache", kept)
        return run(chosen, dataset or towns, ExperimentOptions(**options), settings, figures)

    return made


def value(table: Table, label: str, column: str) -> float:
    """The number in a cell, which has to have one."""
    found = number(table.cell(label, column))
    assert found is not None, (label, column)
    return found
