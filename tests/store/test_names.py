"""Which documents a name means, as of a moment and as known: never by what else is in the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.store.made import document, fresh
from tests.support.answers import corpus_with, doc

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.store import names


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


# -- by unique names ---------------------------------------------------------------------------------


def test_the_id_of_a_later_document_is_the_name_of_an_earlier_one() -> None:
    with fresh() as corpus:
        corpus.add([document("harbour/mill.md", "text", "2020"), document("mill.md", "text", "2022")])
        assert [corpus.at(year).called("mill.md") for year in ("2021", "2023")] == [
            "harbour/mill.md", "mill.md",
        ]  # fmt: skip
        assert corpus.at("2021").links("mill.md").document == "harbour/mill.md"


def test_proposals_do_not_depend_on_what_came_first() -> None:
    said = []
    for both in (("a/ferry.md", "b/ferry.md"), ("b/ferry.md", "a/ferry.md")):
        with fresh() as corpus:
            for name in both:
                corpus.add([document(name, "text", "2020")])
            with pytest.raises(UsageError) as refused:
                corpus.at("2021").called("ferri")
            said.append(str(refused.value))
    assert said[0] == said[1] == "no document 'ferri' as of 2021-12-31; did you mean a/ferry.md?"
