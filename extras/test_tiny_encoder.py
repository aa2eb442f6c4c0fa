"""An encoder of two layers, made here: vectors as they have to be. Nothing is downloaded."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from asof.corpus.corpus import open as open_corpus
from asof.errors import ModelError
from asof.index.vectors import quantise
from asof.models.local import LocalEncoder
from asof.time.moment import read
from asof.values import Document, SourcedTime
from asof.wire import encode

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = [
    "mill",
    "ferry",
    "bread",
    "storm",
    "rope",
    "snow",
    "query",
    "passage",
    ":",
    "the",
    "is",
    "old",
    "new",
]
PIECES = [*SPECIAL, *WORDS, *LETTERS, *(f"##{letter}" for letter in LETTERS)]

TEXTS = [
    "The mill.",
    "Bread and snow on the old rope, and a new mill beside the ferry.",
    "storm",
    "A ferry is old.",
]
PROGRAM = (
    "import sys; from pathlib import Path; from asof.models.local import LocalEncoder;"
    "folder, *texts = sys.argv[1:]; encoder = LocalEncoder(Path(folder));"
    "print(encoder.name); print(encoder.encode(texts).tobytes().hex())"
)


def save(folder: Path, seed: int = 7, **config: Any) -> Path:
    """A model of random numbers, the same for the same seed, as sentence-transformers saves it."""
    torch.manual_seed(seed)
    values = {
        "vocab_size": len(PIECES), "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 64, "max_position_embeddings": 24, "initializer_range": 0.5,
    }  # fmt: skip
    BertModel(BertConfig(**{**values, **config})).save_pretrained(folder)
    pieces = Tokenizer(WordPiece({piece: at for at, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    pieces.normalizer = Lowercase()
    pieces.pre_tokenizer = BertPreTokenizer()
    pieces.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=24,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    ).save_pretrained(folder)  # fmt: skip
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True})
    )
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "sentence_bert_config.json").write_text(
        json.dumps({"max_seq_length": 24, "do_lower_case": False})
    )
    return folder


def own_prompts(folder: Path, **prompts: str) -> None:
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": prompts, "default_prompt_name": None})
    )


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


def test_vectors_are_those_of_a_direct_call(folder: Path) -> None:
    direct = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    vectors = LocalEncoder(folder).encode(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, direct, atol=1e-6)
    assert np.abs((vectors.astype(np.float64) ** 2).sum(axis=1) - 1).max() < 1e-6
    assert np.abs(vectors[0] - vectors[2]).max() > 0.01, "texts differ"


def test_a_vector_is_a_function_of_its_text(folder: Path) -> None:
    """To the last bit, whatever is encoded with it; batches are about the same."""
    encoder = LocalEncoder(folder)
    together = encoder.encode(TEXTS)
    assert (encoder.encode(TEXTS[::-1])[::-1] == together).all()
    for text, vector in zip(TEXTS, together, strict=True):
        assert (encoder.encode([text])[0] == vector).all()
    batched = LocalEncoder(folder, batch=4).encode(TEXTS)
    assert np.abs(batched - together).max() < 1e-6
    assert np.abs(quantise(batched).astype(int) - quantise(together)).max() <= 1


def test_the_same_from_another_process(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), *TEXTS], capture_output=True, text=True, check=True
    )
    name, numbers = done.stdout.split("\n")[:2]
    encoder = LocalEncoder(folder)
    assert name == encoder.name
    assert numbers == encoder.encode(TEXTS).tobytes().hex()
    assert done.stderr == ""  # no bars, no warnings


def test_blank_and_long_texts(folder: Path) -> None:
    encoder = LocalEncoder(folder)
    assert not encoder.encode(["", " \n"]).any()
    first, longer = encoder.encode(["mill " * 40, "mill " * 40 + "ferry " * 40])
    assert (first == longer).all(), "24 tokens are read"


def test_prefixes(folder: Path, tmp_path: Path) -> None:
    """Those of the table, of the model, and given ones: the text with it before, as it is."""
    plain = LocalEncoder(folder)
    family = LocalEncoder(save(tmp_path / "e5-tiny"))
    assert family.name == f"{plain.name} (query 'query: ', passage 'passage: ')"
    assert (family.encode(["mill"]) == plain.encode(["passage: mill"])).all()
    assert (family.encode(["mill"], question=True) == plain.encode(["query: mill"])).all()
    own_prompts(tmp_path / "e5-tiny", query="old ", document="new ")
    own = LocalEncoder(tmp_path / "e5-tiny")
    assert own.name.endswith(" (query 'old ', passage 'new ')")
    assert (own.encode(["mill"]) == plain.encode(["new mill"])).all()
    assert (own.encode(["mill"], question=True) == plain.encode(["old mill"])).all()
    given = LocalEncoder(tmp_path / "e5-tiny", passage_prefix="")
    assert (given.encode(["mill"]) == plain.encode(["mill"])).all()
    assert (given.encode(["mill"], question=True) == plain.encode(["old mill"])).all()


def test_a_prompt_by_default_is_not_added_unasked(tmp_path: Path) -> None:
    save(tmp_path)
    plain = LocalEncoder(tmp_path).encode(["mill"], question=True)
    settings = {"prompts": {"document": "new ", "query": ""}, "default_prompt_name": "document"}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(settings))
    assert (LocalEncoder(tmp_path).encode(["mill"], question=True) == plain).all()


def test_fewer_dimensions(folder: Path) -> None:
    cut, whole = LocalEncoder(folder, dimensions=8).encode(TEXTS), LocalEncoder(folder).encode(TEXTS)
    expected = whole[:, :8] / np.linalg.norm(whole[:, :8], axis=1, keepdims=True)
    assert np.allclose(cut, expected, atol=1e-6)


def test_another_model_in_the_same_folder_is_another_encoder(tmp_path: Path) -> None:
    first = LocalEncoder(save(tmp_path)).name
    assert LocalEncoder(save(tmp_path, seed=8)).name != first
    assert LocalEncoder(save(tmp_path)).name == first


# -- models that are refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["cut", "json", "nan"])
def test_damaged_files_are_refused(tmp_path: Path, damage: str) -> None:
    save(tmp_path)
    weights = tmp_path / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:10_000])
    elif damage == "json":
        (tmp_path / "config.json").write_text("{")
    else:
        model = BertModel.from_pretrained(tmp_path)
        model.embeddings.LayerNorm.weight.data.fill_(float("nan"))
        model.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"cannot be loaded: |cannot be read|not finite"):
        LocalEncoder(tmp_path).encode(TEXTS)


def test_code_that_comes_with_a_model_is_never_run(tmp_path: Path) -> None:
    """A model of a kind that transformers does not know, whose code would leave a trace."""
    save(tmp_path)
    trace = tmp_path / "was-run"
    code = f"open({str(trace)!r}, 'w')\nraise RuntimeError\n"
    (tmp_path / "modeling_mine.py").write_text(code)
    (tmp_path / "configuration_mine.py").write_text(code)
    config = json.loads((tmp_path / "config.json").read_text())
    auto = {"AutoConfig": "configuration_mine.Mine", "AutoModel": "modeling_mine.MineModel"}
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "mine-bert", "auto_map": auto}))
    with pytest.raises(ModelError, match="code of its own, which asof never runs"):
        LocalEncoder(tmp_path).encode(TEXTS)
    assert not trace.exists()


def test_nomic_without_its_code(tmp_path: Path) -> None:
    """The card of nomic-embed-text names code of its own; transformers has the model by now."""
    nomic = pytest.importorskip("transformers.models.nomic_bert")
    save(tmp_path)
    trace = tmp_path / "was-run"
    for name in ("modeling_hf_nomic_bert", "configuration_hf_nomic_bert"):
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'w')\n")
    config = nomic.NomicBertConfig(
        vocab_size=len(PIECES), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    nomic.NomicBertModel(config).save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "config.json").read_text())
    saved["auto_map"] = {
        "AutoConfig": "configuration_hf_nomic_bert.NomicBertConfig",
        "AutoModel": "modeling_hf_nomic_bert.NomicBertModel",
    }
    (tmp_path / "config.json").write_text(json.dumps(saved))
    assert LocalEncoder(tmp_path).encode(TEXTS).shape == (4, 32)
    assert not trace.exists()


def test_a_name_without_the_network() -> None:
    with pytest.raises(ModelError, match=r"cannot be loaded: .*; a name needs the network once"):
        LocalEncoder("nobody/has-this-model").encode(TEXTS)


def test_a_name_that_was_downloaded_before(folder: Path, tmp_path: Path) -> None:
    """From the hub's own cache, without a look at the network; pickles and code there are not looked at."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    model = tmp_path / "models--nobody--tiny"
    shutil.copytree(folder, model / "snapshots" / commit)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(commit)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("Path(folder)", "'nobody/tiny'"), str(folder), *TEXTS],
        capture_output=True, text=True, check=True,
        env={**os.environ, "HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    name, numbers = done.stdout.split("\n")[:2]
    assert name == "nobody/tiny"
    assert numbers == LocalEncoder(folder).encode(TEXTS).tobytes().hex()


# -- a corpus -------------------------------------------------------------------------------------------


def note(id_: str, text: str, year: str) -> Document:
    return Document(id_, text, published=SourcedTime(read(year), year, "metadata"))


NOTES = [note(f"n{at}", text, f"200{at}") for at, text in enumerate(TEXTS)]


def test_a_corpus_that_knows_nothing_later_says_the_same(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "asof.toml").write_text(f"[encoder]\nmodel = {json.dumps(str(folder))}\n")
    with open_corpus(tmp_path, trust=True) as corpus:
        corpus.maintenance.background = False
        corpus.add(NOTES)
        then = corpus.at("2001").search("old mill").hits
    with open_corpus(tmp_path / "part", encoder=LocalEncoder(folder)) as part:
        part.maintenance.background = False
        for each in NOTES[1::-1]:
            part.add([each])
        alone = part.at("2001").search("old mill").hits
    said = [[(hit.id, hit.score, encode(hit.why)) for hit in hits] for hits in (then, alone)]
    assert said[0] == said[1]
