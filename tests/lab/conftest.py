"""Tiny datasets, written where a test wants them; experiments on one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from asof.extensions.lab.experiments import ExperimentOptions, ExperimentRun, ResultTable, number, run
from asof.extensions.lab.published import named

Make = Callable[..., Path]

MAYORS: list[dict[str, Any]] = [
    *(
        {"id": id_, "title": "Mayor", "text": f"{name} is mayor of {town}.", "timestamp": day, "town": town}
        for id_, name, town, day in (
            ("m1", "Ann", "Brill", "2001-05-01"), ("m2", "Bob", "Brill", "2005-05-01"),
            ("m3", "Cid", "Thame", "2003-05-01"),
        )
    ),
    {"id": "m4", "title": "Fair", "text": "The fair of Thame sells geese.", "timestamp": "2004-09-01"},
    {"id": "u1", "title": "Undated", "text": "A mayor of any town wears a chain.", "timestamp": None},
]  # fmt: skip
ASKED: list[dict[str, Any]] = [
    {"id": "q1", "text": "mayor of Brill", "asked_at": "2002", "type": "early", "town": "Brill"},
    {"id": "q2", "text": "mayor of Brill", "asked_at": "2006-01-01", "type": "late", "town": "Brill"},
    {"id": "q3", "text": "geese at the fair", "asked_at": None, "type": "late"},
    {"id": "q4", "text": "who knows", "asked_at": "2006-01-01", "type": "late"},
]
JUDGED = [("q1", "m1", 1), ("q2", "m1", 1), ("q3", "m4", 2)]
"""Ann is right for both questions about Brill, so that one answer of the two is only second."""


@pytest.fixture
def dataset(tmp_path: Path) -> Make:
    """Writes a dataset of some documents, questions, judgements and sentences; the defaults are mayors."""

    def make(
        documents: Iterable[dict[str, Any]] = MAYORS, questions: Iterable[dict[str, Any]] = ASKED,
        judged: Iterable[tuple[str, str, int]] = JUDGED, evidence: Iterable[dict[str, Any]] = (),
        name: str = "mayors",
    ) -> Path:  # fmt: skip
        return write_dataset(tmp_path / name, documents, questions, judged, evidence)

    return make


def write_lines(path: Path, values: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")


def write_dataset(
    folder: Path, documents: Iterable[dict[str, Any]], questions: Iterable[dict[str, Any]],
    judged: Iterable[tuple[str, str, int]], evidence: Iterable[dict[str, Any]] = (),
) -> Path:  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "corpus.jsonl", documents)
    write_lines(folder / "queries.jsonl", questions)
    (folder / "qrels.tsv").write_text("".join("{}\t{}\t{}\n".format(*each) for each in judged))
    if evidence:
        write_lines(folder / "evidence.jsonl", evidence)
    return folder


# -- experiments -------------------------------------------------------------------------------------------

TOWNS = ("Brill", "Thame", "Otmoor", "Wheatley")


@pytest.fixture(scope="session")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For each town four mayors, one a year, of whom two notes tell in nearly the same words; and a fair.
    Eight questions: who is mayor now (temporal), and what is sold at the fair (general)."""
    documents, questions, judged = [], [], []
    for town in TOWNS:
        for year, mayor in enumerate(("Ann", "Bob", "Cid", "Dot"), 2001):
            for paper in ("Herald", "Gazette"):
                text = f"The town hall of {town} says that {mayor} is mayor of {town}. {paper}."
                id_, title = f"{town}-{year}-{paper}", f"{town} in {year}"
                documents.append({"id": id_, "text": text, "timestamp": f"{year}-05-01", "title": title})
        fair = f"Geese are sold at the fair of {town}."
        documents.append({"id": f"{town}-fair", "text": fair, "timestamp": "2001-09-01"})
        judged += [(f"{town}-now", f"{town}-2004-{paper}", 1) for paper in ("Herald", "Gazette")]
        judged.append((f"{town}-sold", f"{town}-fair", 1))
        for id_, text, kind, answer in (
            ("now", f"Who is the current mayor of {town}?", "temporal", "Dot"),
            ("sold", f"What is sold at the fair of {town}?", "general", "geese"),
        ):
            asked = {"id": f"{town}-{id_}", "text": text, "type": kind, "answer": answer}
            questions.append({**asked, "asked_at": "2004-12-31"})
    return write_dataset(tmp_path_factory.mktemp("experiments") / "towns", documents, questions, judged)


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


def value(table: ResultTable, label: str, column: str) -> float:
    """The number in a cell, which has to have one."""
    found = number(table.cell(label, column))
    assert found is not None, (label, column)
    return found
