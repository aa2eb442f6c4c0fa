"""Models of one layer saved as ONNX, made here: vectors and scores as they have to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from asof.corpus.corpus import open as open_corpus
from asof.documents import Document
from asof.errors import ModelError
from asof.extensions.providers.encoders import EncoderConfig, encoder_from
from asof.extensions.providers.rerankers import CrossEncoder, RerankerConfig, reranker_from
from asof.models.local import LocalEncoder

WORDS = ["[UNK]", "[CLS]", "[SEP]", "mill", "ferry", "bread", "storm", "rope", "query", "passage", ":", "the"]
WEIGHTS = np.array([[len(word), at % 3 + 1, (at * at) % 5 + 1] for at, word in enumerate(WORDS)], np.float32)
"""Three numbers for each word: the model gives them for each token."""


def tokenizer(folder: Path) -> None:
    made = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    made.save(str(folder / "tokenizer.json"))


def saved(
    folder: Path, nodes: list[Any], inputs: list[str], output: str, shape: list[Any], name: str
) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    tensors = [helper.make_tensor_value_info(each, TensorProto.INT64, ["n", "t"]) for each in inputs]
    made = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "tiny", tensors, [made], [numpy_helper.from_array(WEIGHTS, "weights")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(folder / name))
    tokenizer(folder)
    return folder


def encoder(folder: Path, name: str = "model.onnx", pooling: str = "", **settings: Any) -> Path:
    """A model that gives the numbers of each token."""
    nodes = [helper.make_node("Gather", ["weights", "input_ids"], ["last_hidden_state"])]
    saved(folder, nodes, ["input_ids"], "last_hidden_state", ["n", "t", 3], name)
    if pooling:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(
            json.dumps({"word_embedding_dimension": 3, pooling: True})
        )
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 6, **settings}))
    return folder


def vector(*words: str) -> Any:
    mean = np.mean([WEIGHTS[WORDS.index(word)] for word in words], axis=0, dtype=np.float64)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize("name", ["model.onnx", "onnx/model.onnx"])
def test_the_mean_of_the_tokens(tmp_path: Path, name: str) -> None:
    found = LocalEncoder(encoder(tmp_path, name)).encode(["Mill rope", "", "storm"])
    assert found == pytest.approx(
        np.array([vector("[CLS]", "mill", "rope", "[SEP]"), [0, 0, 0], vector("[CLS]", "storm", "[SEP]")]),
        abs=1e-6,
    )


def test_the_first_token_and_the_length_that_the_model_reads(tmp_path: Path) -> None:
    first = LocalEncoder(encoder(tmp_path / "a", pooling="pooling_mode_cls_token")).encode(["mill"])
    assert first == pytest.approx(np.array([vector("[CLS]")]), abs=1e-6)
    long = LocalEncoder(encoder(tmp_path / "b")).encode(["mill mill mill mill rope rope rope"])
    assert long == pytest.approx(np.array([vector("[CLS]", *["mill"] * 4, "[SEP]")]), abs=1e-6)  # 6 tokens


def test_prefixes_dimensions_and_batches(tmp_path: Path) -> None:
    folder = encoder(tmp_path)
    prefixed = LocalEncoder(folder, query_prefix="query : ", dimensions=2)
    both = np.mean(
        [WEIGHTS[WORDS.index(word)][:2] for word in ("[CLS]", "query", ":", "mill", "[SEP]")], axis=0
    )
    assert prefixed.encode(["mill"], question=True) == pytest.approx(
        np.array([both / np.linalg.norm(both)]), abs=1e-6
    )
    texts = ["mill", "rope the mill", "storm", "ferry", "bread rope storm"]
    alone, together = LocalEncoder(folder).encode(texts), LocalEncoder(folder, batch=4).encode(texts)
    assert alone.tobytes() == together.tobytes()
    assert prefixed.name != LocalEncoder(folder).name
    with pytest.raises(ModelError, match="dimensions is 4"):
        LocalEncoder(folder, dimensions=4).encode(["mill"])


def test_the_name_is_of_the_content(tmp_path: Path) -> None:
    folder = encoder(tmp_path)
    before = LocalEncoder(folder).name
    assert LocalEncoder(folder).name == before
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 5}))
    assert LocalEncoder(folder).name != before


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    cases = {
        "1_Pooling/config.json wants pooling_mode_max_tokens": encoder(
            tmp_path / "a", pooling="pooling_mode_max_tokens"
        ),
        "tokenizer.json": encoder(tmp_path / "b"),
        "which is not computed": encoder(tmp_path / "c"),
        "cannot be loaded": encoder(tmp_path / "d"),
        "none of model.onnx": tmp_path / "e",
    }
    (tmp_path / "b/tokenizer.json").unlink()
    (tmp_path / "c/modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Dense"}]))
    (tmp_path / "d/model.onnx").write_bytes(b"no model")
    (tmp_path / "e").mkdir()
    for message, folder in cases.items():
        with pytest.raises(ModelError, match=message):
            LocalEncoder(folder).encode(["mill"])


def test_a_corpus_with_it(tmp_path: Path) -> None:
    encoder(tmp_path / "model")
    made = encoder_from(EncoderConfig.read({"model": "./model"}), tmp_path, {})
    assert isinstance(made, LocalEncoder)
    with open_corpus(tmp_path / "notes", encoder=made) as corpus:
        corpus.add([Document("a", "The mill."), Document("b", "Bread and rope.")])
        assert [hit.document for hit in corpus.at().search("storm", k=2).hits]


def test_scores_of_pairs(tmp_path: Path) -> None:
    """The first number of all tokens, summed: a pair has the tokens of both and three marks."""
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axis"], ["sums"], keepdims=0),
        helper.make_node("Gather", ["sums", "column"], ["logits"], axis=1),
    ]
    constants = [
        helper.make_node(
            "Constant", [], [name], value=helper.make_tensor(name, TensorProto.INT64, [1], [value])
        )
        for name, value in (("axis", 1), ("column", 0))
    ]
    saved(tmp_path, [*constants, *nodes], ["input_ids"], "logits", ["n", 1], "model.onnx")
    made = reranker_from(RerankerConfig.read({"path": "."}), tmp_path, {})
    assert isinstance(made, CrossEncoder)
    marks = 3 * len("[CLS]")
    assert made.scores("mill", ["rope", "the storm", "ferry"]) == [
        len("mill") + len("rope") + marks,
        len("mill") + len("thestorm") + marks,
        len("mill") + len("ferry") + marks,
    ]
    assert made.scores("mill", []) == []
    with pytest.raises(ModelError, match=r"shape \(3,\)"):
        CrossEncoder(encoder_with_vectors(tmp_path / "other")).scores("mill", ["rope"])


def encoder_with_vectors(folder: Path) -> Path:
    """A model that gives three numbers for a text."""
    nodes = [
        helper.make_node(
            "Constant", [], ["axis"], value=helper.make_tensor("axis", TensorProto.INT64, [1], [1])
        ),
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axis"], ["sentence_embedding"], keepdims=0),
    ]
    return saved(folder, nodes, ["input_ids"], "sentence_embedding", ["n", 3], "model.onnx")


def test_a_model_that_pools_by_itself(tmp_path: Path) -> None:
    found = LocalEncoder(encoder_with_vectors(tmp_path)).encode(["mill"])
    assert found == pytest.approx(np.array([vector("[CLS]", "mill", "[SEP]")]), abs=1e-6)
