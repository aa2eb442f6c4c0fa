"""The facts with years: the same seed gives the same files, each question has the answer of its form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from asof.extensions.lab.datasets import load
from bench import datasets


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tpq") / "set"
    facts = datasets.facts(seed=3, cups=4, events=2, of_each=12)
    assert len(facts.documents) > 100
    facts.write(made)
    return made


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_same_seed_gives_the_same_files(folder: Path, tmp_path: Path) -> None:
    datasets.facts(seed=3, cups=4, events=2, of_each=12).write(tmp_path / "again")
    datasets.facts(seed=4, cups=4, events=2, of_each=12).write(tmp_path / "other")
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        assert (folder / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
        assert (folder / name).read_bytes() != (tmp_path / "other" / name).read_bytes()


def test_it_is_a_dataset(folder: Path) -> None:
    data = load(folder)
    assert data.problems == ()
    assert len(data.questions) == 5 * 12
    assert all(question.asked_at is None for question in data.questions)
    assert {question.record["type"] for question in data.questions} == set(datasets.FORMS)


def test_the_passage_that_answers_is_the_last_one_by_the_year_of_the_question(folder: Path) -> None:
    made = {each.id: each for each in datasets.editions(3, 4, 2)}
    gold = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines())
    texts = {each["id"]: each["text"] for each in lines(folder / "corpus.jsonl")}
    years = {each.year for each in made.values()}
    for question in lines(folder / "queries.jsonl"):
        edition, form = made[gold[question["id"]]], question["type"]
        assert question["answer"] in texts[edition.id]
        assert edition.cup in question["text"]
        named = question["text"].rpartition(" in ")[2].rstrip("?")
        year = int(named) if named.isdigit() else datasets.LAST + 3
        series = [
            each.year for each in made.values() if (each.cup, each.event) == (edition.cup, edition.event)
        ]
        assert edition.year == max(each for each in series if each <= year)
        assert (year in series) == (form == "same")
        assert (year in years) == (form in ("same", "skipped"))
        assert named.isdigit() == (form != "none")
