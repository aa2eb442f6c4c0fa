"""The corpus of a dataset is built once, and again when anything that it is made from changes."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

import asof
from asof.corpus.corpus import open as open_corpus
from asof.extensions.lab import datasets as corpora
from asof.extensions.lab.datasets import build, key, load, prepared
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings

from ..conftest import MAYORS

SETTINGS = CorpusSettings(undated="always")
WORDS = Recipe("words", "words alone", (Lexical(), TopK()))


@pytest.fixture
def built(monkeypatch):
    """How often a corpus was built."""
    calls = []

    def counting(*arguments, **more):
        calls.append(arguments)
        build(*arguments, **more)

    monkeypatch.setattr(corpora, "build", counting)
    return calls


def documents(dataset, settings, cache, **more):
    with prepared(dataset, settings, cache, **more) as corpus:
        hits = corpus.snapshot(dataset.newest, None).search("mayor", 10, recipe=WORDS).hits
        return {hit.document for hit in hits}


def test_it_is_used_again(dataset, tmp_path, built):
    found = load(dataset())
    assert documents(found, SETTINGS, tmp_path / "cache") == {"m1", "m2", "m3", "u1"}
    assert documents(load(dataset()), SETTINGS, tmp_path / "cache") == {"m1", "m2", "m3", "u1"}
    assert len(built) == 1


def test_it_is_made_anew_for_other_data_options_or_code(dataset, tmp_path, built, monkeypatch):
    folder = dataset()
    cache = tmp_path / "cache"
    documents(load(folder), SETTINGS, cache)
    documents(load(folder, without=["title"]), SETTINGS, cache)
    documents(load(folder), replace(SETTINGS, chunking="whole"), cache)
    documents(load(folder), replace(SETTINGS, encoder=HashedNgrams().name), cache)
    monkeypatch.setattr(corpora, "code_version", lambda: "another")
    documents(load(folder), SETTINGS, cache)
    monkeypatch.undo()
    assert len(built) == 5
    more = {"id": "m9", "text": "Dot is mayor of Brill.", "timestamp": "2005-05-01"}
    assert "m9" in documents(load(dataset([*MAYORS, more])), SETTINGS, cache)


def test_the_key_tells_the_code(dataset, tmp_path, monkeypatch):
    """A copy of the package with one byte more has another version."""
    package = tmp_path / "asof"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rank.py").write_text("x = 1\n")
    monkeypatch.setattr(asof, "__file__", str(package / "__init__.py"))
    versions = set()
    for text in ("x = 1\n", "x = 2\n"):
        (package / "rank.py").write_text(text)
        corpora.code_version.cache_clear()
        versions.add(corpora.code_version())
    corpora.code_version.cache_clear()
    assert len(versions) == 2


def test_what_was_interrupted_is_not_taken_for_whole(dataset, tmp_path, monkeypatch):
    found, cache = load(dataset()), tmp_path / "cache"

    def interrupted(folder, *arguments, **more):
        build(folder, *arguments, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(corpora, "build", interrupted)
    with pytest.raises(KeyboardInterrupt):
        documents(found, SETTINGS, cache)
    assert list((cache / "evaluate").iterdir()) == []
    monkeypatch.undo()
    assert documents(found, SETTINGS, cache) == {"m1", "m2", "m3", "u1"}


def test_a_folder_without_its_database_is_made_anew(dataset, tmp_path, built):
    found, cache = load(dataset()), tmp_path / "cache"
    documents(found, SETTINGS, cache)
    (folder,) = (cache / "evaluate").iterdir()
    shutil.rmtree(folder / ".asof")
    assert documents(found, SETTINGS, cache) == {"m1", "m2", "m3", "u1"}
    assert len(built) == 2


def test_another_process_may_be_faster(dataset, tmp_path, monkeypatch):
    found, cache = load(dataset()), tmp_path / "cache"
    folder = cache / "evaluate" / f"mayors-{key(found, SETTINGS)}"

    def beaten(part, *arguments, **more):
        build(part, *arguments, **more)
        shutil.copytree(part, folder)

    monkeypatch.setattr(corpora, "build", beaten)
    assert documents(found, SETTINGS, cache) == {"m1", "m2", "m3", "u1"}
    assert list((cache / "evaluate").iterdir()) == [folder]


def test_a_cache_that_cannot_be_written_to_is_no_error(dataset, tmp_path):
    (tmp_path / "cache").write_text("a file stands where the folder would be")
    lines: list[str] = []
    assert "m1" in documents(load(dataset()), SETTINGS, tmp_path / "cache", on_note=lines.append)
    assert ["the corpus is not cached" in line for line in lines] == [True]


def test_the_clock_is_that_of_the_dataset(dataset, tmp_path):
    """Built twice it is the same: ids of transactions are instants of the corpus's clock, after all dates."""
    found = load(dataset())
    ids = []
    for name in ("one", "two"):
        build(tmp_path / name, found, SETTINGS)
        with open_corpus(tmp_path / name, create=False) as corpus:
            ids.append(corpus.store.reader().execute("SELECT id FROM transactions").fetchall())
    assert ids[0] == ids[1] == [(found.newest + 1_000_000,)]
