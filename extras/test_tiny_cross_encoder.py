"""A cross-encoder of two layers, made here: the search goes by what it says. Nothing is downloaded."""

from __future__ import annotations

import json
import math
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
import torch
from sentence_transformers import CrossEncoder as Direct
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

from asof.corpus.corpus import open as open_corpus
from asof.errors import ModelError
from asof.models.rerankers import CrossEncoder, RerankerConfig, reranker_from
from asof.rank.rerank import Rerank, reranked
from asof.recipes import ASOF
from asof.time.moment import read
from asof.values import Document, SourcedTime
from asof.wire import encode

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "harbour", "bell", "fog",
         "tide", "the", "is", "old", "new", "closed", "open", "on", "of", "and", ".", "?", "20"]  # fmt: skip
PIECES = [*SPECIAL, *WORDS, "##s", *(f"##{digit}" for digit in range(10)), *"abcdefghijklmnopqrstuvwxyz",
          *(f"##{letter}" for letter in "abcdefghijklmnopqrtuvwxyz")]  # fmt: skip

QUESTION = "Is the old mill open?"
TEXTS = [
    "The mill is closed.",
    "Bread and snow.",
    "The old mill is open on the tide.",
    "Ropes, chairs, bells",
]


def tokenizer() -> PreTrainedTokenizerFast:
    pieces = Tokenizer(WordPiece({piece: at for at, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    pieces.normalizer = Lowercase()
    pieces.pre_tokenizer = BertPreTokenizer()
    pieces.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=48,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip


def save(folder: Path, kind: Any = BertForSequenceClassification, labels: int = 1, **filled: float) -> Path:
    """A model with random numbers, always the same; large ones, so that texts differ."""
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=48, num_labels=labels, initializer_range=0.5,
    )  # fmt: skip
    model = kind(config)
    for name, value in filled.items():
        dict(model.named_parameters())[name].data.fill_(value)
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session", autouse=True)
def offline() -> Iterator[None]:
    """Whoever opens a connection fails."""
    connect = socket.socket.connect

    def refused(*args: Any) -> None:
        raise AssertionError(f"a connection to {args[1:]}")

    socket.socket.connect = refused  # type: ignore[method-assign,assignment]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


def test_the_vocabulary_is_known() -> None:
    assert 80 <= len(PIECES) == len(set(PIECES)) <= 120
    assert tokenizer().tokenize("The ropes, 2024") == ["the", "rope", "##s", "[UNK]", "20", "##2", "##4"]


def test_scores_are_those_of_a_direct_call(folder: Path) -> None:
    direct = Direct(str(folder), device="cpu").predict([(QUESTION, text) for text in TEXTS])
    scores = CrossEncoder(folder).scores(QUESTION, TEXTS)
    assert scores == [float(number) for number in direct]
    assert len(set(scores)) == len(TEXTS)
    assert max(scores) - min(scores) > 0.01
    assert all(0 < score < 1 for score in scores)  # one label without an activation of its own: a sigmoid


def test_scores_are_those_of_the_model_itself(folder: Path) -> None:
    """sigmoid(logit) of question and text in one sequence, text by text."""
    model, tokens = BertForSequenceClassification.from_pretrained(folder).eval(), tokenizer()
    with torch.no_grad():
        logits = [
            float(model(**tokens(QUESTION, text, return_tensors="pt", return_token_type_ids=True)).logits)
            for text in TEXTS
        ]
    scores = CrossEncoder(folder).scores(QUESTION, TEXTS)
    assert scores == pytest.approx([1 / (1 + math.exp(-logit)) for logit in logits], rel=1e-4)


def test_the_same_twice_and_from_another_process(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    scores = encoder.scores(QUESTION, TEXTS)
    assert encoder.scores(QUESTION, TEXTS) == scores
    assert CrossEncoder(str(folder)).scores(QUESTION, TEXTS) == scores
    program = (
        "import json, sys; from pathlib import Path; from asof.models.rerankers import CrossEncoder;"
        "folder, question, *texts = sys.argv[1:];"
        "print(json.dumps(CrossEncoder(Path(folder)).scores(question, texts)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), QUESTION, *TEXTS],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == scores
    assert done.stderr == ""  # no bars, no warnings


def test_batches_change_nothing_that_matters(folder: Path) -> None:
    one, all_ = CrossEncoder(folder, batch=1), CrossEncoder(folder)
    assert one.scores(QUESTION, TEXTS) == pytest.approx(all_.scores(QUESTION, TEXTS), rel=1e-5)


def test_a_long_text_is_read_from_its_beginning(folder: Path) -> None:
    encoder = CrossEncoder(folder)
    first, longer = encoder.scores(QUESTION, ["mill " * 100, "mill " * 100 + "ferry " * 100])
    assert first == pytest.approx(longer, rel=1e-5)


def test_threads_share_an_encoder(folder: Path) -> None:
    encoder, found = CrossEncoder(folder), []
    threads = [
        threading.Thread(target=lambda: found.append(encoder.scores(QUESTION, TEXTS))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [CrossEncoder(folder).scores(QUESTION, TEXTS)] * 4


# -- models that are no rerankers --------------------------------------------------------------------


def test_a_model_without_a_head_is_refused(tmp_path: Path) -> None:
    """transformers would give it a head of random numbers."""
    with pytest.raises(ModelError, match=r"was made as BertModel, which has no trained head"):
        CrossEncoder(save(tmp_path, BertModel)).scores(QUESTION, TEXTS)


def test_a_classifier_of_several_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"numbers of the shape \(4, 3\) for 4 texts; a reranker gives one"):
        CrossEncoder(save(tmp_path, labels=3)).scores(QUESTION, TEXTS)


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="numbers that are not finite"):
        CrossEncoder(save(tmp_path, **{"classifier.bias": math.nan})).scores(QUESTION, TEXTS)


@pytest.mark.parametrize("damage", ["cut", "pickle", "json"])
def test_damaged_files_are_refused(tmp_path: Path, damage: str) -> None:
    save(tmp_path)
    weights = tmp_path / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:10_000])
    elif damage == "pickle":  # never read, even where it is all there is
        weights.unlink()
        torch.save({}, tmp_path / "pytorch_model.bin")
    else:
        (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match=r"cannot be loaded: |a pickle, which is never read|cannot be read"):
        CrossEncoder(tmp_path).scores(QUESTION, TEXTS)


def test_a_name_without_the_network() -> None:
    with pytest.raises(
        ModelError, match=r"cannot be loaded: .*; a name needs the network once, a folder does not"
    ):
        CrossEncoder("nobody/has-this-model").scores(QUESTION, TEXTS)


# -- a search ---------------------------------------------------------------------------------------


def note(id_: str, text: str, year: str) -> Document:
    return Document(id_, text, published=SourcedTime(read(year), year, "metadata"))


NOTES = [
    note("a", "The mill is closed.", "2001"),
    note("b", "The mill, the old mill and the new mill.", "2002"),
    note("c", "Bread of the mill and snow on the rope.", "2003"),
    note("d", "The ferry is open and the old mill is a chair.", "2004"),
    note("e", "Is the old mill open? The mill!", "2005"),
]


def test_a_search_goes_by_the_model(folder: Path, tmp_path: Path) -> None:
    encoder = reranker_from(RerankerConfig.read({"path": str(folder)}), tmp_path, {})
    with open_corpus(tmp_path / "corpus") as corpus:
        corpus.add(NOTES)
        then = corpus.at("2004")
        plain = then.search(QUESTION, recipe=ASOF).hits
        results = then.search(QUESTION, recipe=reranked(ASOF, Rerank(encoder)))
        again = then.search(QUESTION, recipe=reranked(ASOF, Rerank(encoder)))
        few = then.search(QUESTION, recipe=reranked(ASOF, Rerank(encoder, top=2)))
    direct = dict(
        zip([hit.id for hit in plain], encoder.scores(QUESTION, [hit.text for hit in plain]), strict=True)
    )
    assert {hit.document for hit in plain} == {"a", "b", "c", "d"}
    assert [(hit.id, hit.score) for hit in results.hits] == sorted(direct.items(), key=lambda each: -each[1])
    assert [hit.id for hit in results.hits] != [hit.id for hit in plain]
    assert again.hits == results.hits
    assert {hit.id for hit in few.hits[:2]} == {hit.id for hit in plain[:2]}
    assert [hit.id for hit in few.hits[2:]] == [hit.id for hit in plain[2:]]
    for hit in (*results.hits, *few.hits):
        assert hit.why.recomputed() == hit.why.value == hit.score
    assert f"reranked: the first 4 of 4 candidates, by cross-encoder {folder}" in results.notes


def test_a_corpus_that_knows_nothing_later_says_the_same(folder: Path, tmp_path: Path) -> None:
    recipe = reranked(ASOF, Rerank(CrossEncoder(folder), top=3))
    found = []
    for name, notes in (("all", NOTES), ("part", NOTES[:4])):
        with open_corpus(tmp_path / name) as corpus:
            corpus.add(notes)
            hits = corpus.at("2004").search(QUESTION, recipe=recipe).hits
            found.append([(hit.id, hit.score, encode(hit.why)) for hit in hits])
    assert found[0] == found[1]
