"""Vectors of a model are kept beside the corpora: other code, other passages, cut corpora ask no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.support.meanings import Meanings
from tests.support.rows import db_of

from asof.extensions.lab import datasets as corpora
from asof.extensions.lab.datasets import VECTORS, cached_vectors, load, prepared
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.runs import EvaluationOptions
from asof.store.schema import CorpusSettings

SETTINGS = CorpusSettings(undated="always", encoder="meanings")


class Restless(Meanings):
    """Other bits each time that it is asked for a text, as a server may give them."""

    def encode(self, texts, *, question=False):
        vectors = super().encode(texts, question=question)
        vectors[:, 0] += np.float32(0.001) * self.calls
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def passages(dataset, cache, encoder, settings=SETTINGS):
    """The vectors of the corpus of a dataset."""
    with prepared(dataset, settings, cache, encoder) as corpus:
        return dict(db_of(corpus).execute("SELECT digest, vector FROM vectors").fetchall())


def test_another_corpus_of_the_same_texts(dataset, tmp_path, monkeypatch):
    found, cache, inner = load(dataset()), tmp_path / "cache", Restless()
    with cached_vectors(inner, cache) as encoder:
        first = passages(found, cache, encoder)
        asked = len(inner.asked)
        assert asked == len(first) == 5
        monkeypatch.setattr(corpora, "code_version", lambda: "of tomorrow")
        assert passages(found, cache, encoder) == first
        assert passages(found, cache, encoder, replace(SETTINGS, stem=False)) == first
    with cached_vectors(inner, cache) as encoder:
        assert passages(found, cache, encoder, replace(SETTINGS, chunking="whole")) == first
    assert len(inner.asked) == asked
    assert (cache / corpora.CACHE_FOLDER / VECTORS).is_file()


def test_leakage_is_not_what_an_encoder_gives_twice(dataset, tmp_path):
    """A corpus that is cut, made anew, has the same vectors."""
    folder, inner = dataset(), Restless()
    with cached_vectors(inner, tmp_path) as encoder:
        found = evaluate(
            folder, ["tempralm", "asof"], EvaluationOptions(leakage=3), encoder=encoder, cache=tmp_path
        )
    assert found.leakage is not None
    assert found.leakage.clean
    texts = [asked for asked in inner.asked if not asked[1]]
    assert len(texts) == len(set(texts)), "each text once"


def test_a_cache_that_cannot_be_written_to(dataset, tmp_path):
    found, inner = load(dataset()), Meanings()
    said: list[str] = []
    (tmp_path / "cache").write_text("a file")
    with cached_vectors(inner, tmp_path / "cache", said.append) as encoder:
        passages(found, tmp_path / "other", encoder)
        passages(found, tmp_path / "another", encoder)
    assert len(said) == 1
    assert said[0].endswith(": vectors are not cached")
    assert len(inner.asked) == 5, "kept until the end all the same"
