"""A copy of the database is the corpus, wherever it is put."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.support.corpora import memory_folder, new_corpus

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Ended
from asof.errors import UsageError
from asof.models.encoders import HashedNgrams
from asof.wire import encode

DOCUMENTS: list[Document | Ended] = [
    Document("a", "The ferry of Orrin crosses the lake at noon.", "Ferry", "2020"),
    Document("a", "The ferry of Orrin crosses the lake at dusk.", "Ferry", "2021"),
    Document("b", "A lake of salt, and no ferry on it.", "Salt", "2020-06"), Ended("b", "2022"),
]  # fmt: skip


def hits(corpus: Corpus, recipe: str) -> list[tuple[object, ...]]:
    return [
        (hit.id, hit.score, encode(hit.why))
        for at in ("2020-12", "2021-12", "2024")
        for hit in corpus.at(at).search("ferry on the lake", recipe=recipe).hits
    ]


@pytest.mark.parametrize("encoder", [None, HashedNgrams()], ids=["words", "vectors"])
def test_the_copy_gives_the_same_hits_and_scores(tmp_path: Path, encoder: HashedNgrams | None) -> None:
    recipes = ("asof", "bm25") if encoder is None else ("asof", "bm25", "hybrid")
    with new_corpus(encoder=encoder) as corpus, memory_folder() as folder:
        corpus.add(DOCUMENTS)
        for more in range(3):
            corpus.add([Document("c", f"The ferry is painted anew, {more}.", published=f"202{more}-02")])
        size = corpus.backup(tmp_path / "copy.db")
        assert size == (tmp_path / "copy.db").stat().st_size
        (folder / ".asof").mkdir()
        shutil.copy(tmp_path / "copy.db", folder / ".asof" / "corpus.db")
        with open_corpus(folder, encoder=encoder) as other:
            for recipe in recipes:
                assert hits(other, recipe) == hits(corpus, recipe) != []
            assert other.check() == []
            assert other.add(DOCUMENTS[:1]).unchanged == 1


def test_only_its_owner_may_read_it_and_it_is_one_file(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.add(DOCUMENTS)
        corpus.backup(tmp_path / "copy.db")
    assert [(path.name, path.stat().st_mode & 0o777) for path in tmp_path.iterdir()] == [("copy.db", 0o600)]


def test_a_file_is_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    with new_corpus() as corpus:
        corpus.add(DOCUMENTS)
        (tmp_path / "copy.db").write_text("mine")
        with pytest.raises(UsageError, match="is there already"):
            corpus.backup(tmp_path / "copy.db")
        assert (tmp_path / "copy.db").read_text() == "mine"
        assert corpus.backup(tmp_path / "copy.db", overwrite=True) > 10_000


def test_a_database_in_use_is_never_replaced(tmp_path: Path) -> None:
    with new_corpus() as corpus, open_corpus(tmp_path) as other:
        corpus.add(DOCUMENTS)
        other.add(DOCUMENTS[:1])
        for database in (corpus.store.database, other.store.database):
            with pytest.raises(UsageError, match="in use"):
                corpus.backup(database, overwrite=True)
