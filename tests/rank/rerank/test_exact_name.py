"""What is called exactly what was typed comes first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.answers import corpus_with, doc

from asof.corpus.corpus import Corpus
from asof.values import Filters


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder: Path = tmp_path_factory.mktemp("notes")
    with corpus_with(
        folder,
        doc("log/2021-03-02.md", "2021-03-02", "Rope was bought.", "2021-03-02"),
        doc("rope.md", "2021-03-05", "Rope, rope and rope: 2021-03-02 is told of.", "Rope of the quay"),
        doc("fares.md", "2022-01-01", "Four crowns.", "The quay"),
        doc("quay.md", "2022-02-01", "The quay is old. The quay is long. Quay!", "Around the quay"),
    ) as corpus:
        yield corpus


def found(corpus: Corpus, query: str, **filters: str) -> list[str]:
    chosen = Filters(**filters)  # type: ignore[arg-type]
    return [hit.document for hit in corpus.at().search(query, filters=chosen).hits]


def test_a_title_first_whatever_its_words_are_worth(notes: Corpus) -> None:
    assert found(notes, "the quay of rope")[0] != "fares.md"
    assert found(notes, "The quay")[0] == "fares.md"
    assert {"fares.md", "quay.md", "rope.md"} <= set(found(notes, "The quay"))


def test_a_name_that_is_read_as_a_time(notes: Corpus) -> None:
    assert found(notes, "2021-03-02")[0] == "log/2021-03-02.md"


def test_filters_hold(notes: Corpus) -> None:
    assert found(notes, "2021-03-02", path="rope*") in ([], ["rope.md"])


def test_the_tree_gives_the_score(notes: Corpus) -> None:
    first, second, *_ = notes.at().search("The quay").hits
    for hit in (first, second):
        assert hit.why.recomputed() == hit.why.value == hit.score
    assert 0.5 <= first.score <= 1.0
    assert second.score < 0.5


def test_nothing_changes_without_such_a_name(notes: Corpus) -> None:
    results = notes.at().search("an old quay")
    assert not any("called that" in note for note in results.notes)
    assert "exact_name" not in str(results.hits[0].why)
