"""The example notes, end to end: what was in force at three dates, and what nobody could know yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

import asof as library
from asof.cli.main import cli

MASTER = "Who is the current harbour master?"
CHAIR = "Who is the chair of the cooperative?"
TICKET = "What is the current price of a single ferry ticket?"
LOAF = "What does the Sundrey loaf cost?"
PASSENGERS = "How many passengers in Q3 2021?"
WATER = "How high did the water rise in the Lantern Storm?"
DOGS = "Are dogs allowed on the ferry now?"
BELL = "Who took the bell of the Prudence?"

# question, date, what an answer says, the note that says it
FACTS = [
    (MASTER, "2017-06-01", "Ebbe Calloway", "harbour/Harbour office notice 2016.md"),
    (MASTER, "2020-06-01", "Runa Osterby", "harbour/Harbour office notice 2019.md"),
    (MASTER, "2024-06-01", "Jesper Quant", "harbour/Harbour office notice 2024.md"),
    (CHAIR, "2018-06-01", "Aldo Marchbank", "bollard/Marchbank takes the chair.md"),
    (CHAIR, "2020-06-01", "Solveig Anderby", "bollard/One vote.md"),
    (CHAIR, "2024-06-01", "Jochen Ottenkamp", "bollard/A baker in the chair.md"),
    (TICKET, "2017-06-01", "€3.80", "ferry/Fares 2016.md"),
    (TICKET, "2020-06-01", "€5.00", "ferry/Fares 2020.md"),
    (TICKET, "2024-06-01", "€4.90", "ferry/Fares 2024.md"),
    (LOAF, "2018-06-01", "€2.80", "cooperative/Bakery notice 2018.md"),
    (LOAF, "2019-02-01", "€3.40", "cooperative/Bakery notice January 2019.md"),
    (LOAF, "2024-06-01", "€4.20", "cooperative/Bakery notice 2024.md"),
    (PASSENGERS, "2021-11-01", "21,840", "cooperative/Q3 2021 figures.md"),
    (PASSENGERS, "2022-03-01", "20,480", "cooperative/Correction to Q3 2021.md"),
    (WATER, "2020-12-01", "2.90", "bollard/The Lantern Storm.md"),
    (WATER, "2021-06-01", "2.60", "harbour/Gauge reading corrected.md"),
    (DOGS, "2018-09-01", "no longer carried", "ferry/On board July 2018.md"),
    (DOGS, "2019-06-01", "aft deck", "ferry/On board May 2019.md"),
    (DOGS, "2024-06-01", "€1.50", "ferry/On board February 2024.md"),
    (BELL, "2024-06-01", "rye", "bollard/The bell is found.md"),
    (BELL, "2032-06-01", "bell", "capsule/Letter from the mole.md"),
]

# words that nobody had written by then
UNHEARD = [
    ("harbour master", "2020-06-01", "Jesper Quant"),
    ("harbour master", "2024-06-01", "harbour master Ida"),
    ("harbour master", "2024-06-01", "capsule/"),
    ("Lantern Storm", "2020-06-01", "2.90"),
    ("passengers in Q3 2021", "2021-09-01", "21,840"),
    ("passengers in Q3 2021", "2021-11-01", "20,480"),
    ("single ferry ticket", "2020-06-01", "€4.90"),
    ("bell of the Prudence", "2024-06-01", "Letter from the mole"),
]


@pytest.fixture(scope="module")
def island(tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Corpus]:
    """The corpus that `asof demo --keep` leaves."""
    folder: Path = tmp_path_factory.mktemp("island")
    with redirect_stdout(StringIO()):
        assert cli.main(["demo", "--keep", str(folder)], standalone_mode=False) == 0
    with library.open(folder, create=False) as corpus:
        yield corpus


@pytest.mark.parametrize(("question", "date", "answer", "note"), FACTS)
def test_what_was_in_force(island, question, date, answer, note):
    hits = island.at(date).search(question, 5).hits
    answering = [hit for hit in hits if hit.document == f"notes/{note}"]
    assert answering, [hit.document for hit in hits]
    assert answer in island.at(date).text(f"notes/{note}")


@pytest.mark.parametrize("date", ["2017-06-01", "2020-06-01", "2024-06-01"])
def test_the_harbour_master_leads(island, date):
    question, _, answer, note = next(fact for fact in FACTS if fact[:2] == (MASTER, date))
    first = island.at(date).search(question, 1).hits[0]
    assert first.document == f"notes/{note}"
    assert f"Harbour master: {answer}" in first.text


@pytest.mark.parametrize(("question", "date", "unheard"), UNHEARD)
def test_what_nobody_could_know(island, question, date, unheard):
    for hit in island.at(date).search(question, 100).hits:
        assert unheard not in hit.text
        assert unheard not in hit.document


def test_nothing_was_published_before_the_first_note(island):
    results = island.at("2015").search("harbour master")
    assert (results.hits, results.view.n) == ((), 0)
