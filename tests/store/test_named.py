"""Documents by what they are called: as of a moment, and as known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.corpus.corpus import Corpus
from asof.store import names
from asof.values import Ended


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder: Path = tmp_path_factory.mktemp("notes")
    with corpus_with(
        folder,
        doc("town/Fares.md", "2020", "Four crowns.", "Ferry fares", aliases=("Price of a ticket",)),
        doc("town/Fares.md", "2022", "Five crowns.", "Ferry prices", aliases=("What it costs",)),
        doc("old/fares.md", "2021", "Two crowns.", "Old fares"),
        doc("2020-11-09.md", "2020-11-09", "A storm.", "2020-11-09"),
        doc("Später.md", "2024", "Kommt noch.", "Später"),
    ) as corpus:
        yield corpus


def called(corpus: Corpus, name: str, as_of: str | None = None) -> list[str]:
    store = corpus.at(as_of).view().store
    numbers = names.called(store, name)
    return [
        store.db.execute("SELECT name FROM documents WHERE id = ?", (each,)).fetchone()[0] for each in numbers
    ]


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("Ferry prices", ["town/Fares.md"]),  # its title
        ("  ferry   PRICES ", ["town/Fares.md"]),
        ("what it costs", ["town/Fares.md"]),  # its alias
        ("fares", ["town/Fares.md", "old/fares.md"]),  # file names
        ("Fares.md", ["town/Fares.md", "old/fares.md"]),
        ("old/fares", ["old/fares.md"]),  # ids
        ("2020-11-09", ["2020-11-09.md"]),
        ("Später", ["Später.md"]),
        ("Ferry", []),
        ("", []),
        ("x" * 301, []),
        ("town/%", []),
    ],
)
def test_by_title_alias_file_name_and_id(notes: Corpus, name: str, documents: list[str]) -> None:
    assert called(notes, name) == documents


def test_by_the_name_that_was_current_then(notes: Corpus) -> None:
    assert called(notes, "Ferry fares") == called(notes, "Price of a ticket") == []
    assert (
        called(notes, "Ferry fares", "2021")
        == called(notes, "price of a ticket", "2021")
        == ["town/Fares.md"]
    )
    assert called(notes, "Ferry prices", "2021") == []
    assert called(notes, "Fares", "2020") == ["town/Fares.md"]
    assert called(notes, "Später", "2023") == []


def test_a_removed_document_has_no_name(tmp_path: Path) -> None:
    with corpus_with(tmp_path, doc("a.md", "2020", "Fog.", "The fog")) as corpus:
        assert called(corpus, "The fog") == ["a.md"]
        corpus.add([Ended("a.md", "2022")])
        assert called(corpus, "The fog") == []
        assert called(corpus, "The fog", "2021") == ["a.md"]
