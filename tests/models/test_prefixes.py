"""What stands before a text: the model's own words, or those of its family."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from asof.errors import ModelError
from asof.models.encoders import Prefixes, of_family, of_folder, of_prompts, prefix_label

E5 = Prefixes("query: ", "passage: ")
NOMIC = Prefixes("search_query: ", "search_document: ")
REPRESENT = Prefixes("Represent this sentence for searching relevant passages: ")


@pytest.mark.parametrize(
    ("name", "prefixes"),
    [
        ("nomic-ai/nomic-embed-text-v1.5", NOMIC),
        ("nomic-embed-text", NOMIC),
        ("intfloat/e5-small-v2", E5),
        ("intfloat/multilingual-e5-base", E5),
        ("BAAI/bge-small-en-v1.5", REPRESENT),
        ("mixedbread-ai/mxbai-embed-large-v1", REPRESENT),
        ("Snowflake/snowflake-arctic-embed-m", REPRESENT),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", Prefixes("query: ")),
        ("BAAI/bge-m3", Prefixes()),
        ("sentence-transformers/all-MiniLM-L6-v2", Prefixes()),
        ("somebody/free5-model", Prefixes()),
        ("e5-lovers/all-MiniLM-L6-v2", Prefixes()),  # the owner's name says nothing
    ],
)
def test_families(name: str, prefixes: Prefixes) -> None:
    assert of_family(name) == prefixes


def test_e5_that_was_trained_with_instructions() -> None:
    query, passage = of_family("intfloat/multilingual-e5-large-instruct")
    assert query.startswith("Instruct: ")
    assert query.endswith("\nQuery: ")
    assert passage == ""


@pytest.mark.parametrize(
    ("prompts", "prefixes"),
    [
        ({"query": "Q: ", "document": "D: "}, Prefixes("Q: ", "D: ")),
        ({"query": "Q: ", "passage": "P: ", "clustering": "C: "}, Prefixes("Q: ", "P: ")),
        ({"query": "Q: "}, Prefixes("Q: ", "")),
        ({"query": "", "document": ""}, None),  # as sentence-transformers writes it where there is none
        ({"clustering": "C: "}, None),
        ({"query": 3, "document": None}, None),
        (None, None),
    ],
)
def test_a_models_own_prompts(prompts: Any, prefixes: Prefixes | None) -> None:
    assert of_prompts(prompts) == prefixes


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "e5-small"
    folder.mkdir()
    assert of_folder(folder) == E5
    own = folder / "config_sentence_transformers.json"
    own.write_text(json.dumps({"prompts": {"query": "Q: ", "document": "D: "}}))
    assert of_folder(folder) == Prefixes("Q: ", "D: ")
    own.write_text(json.dumps({"prompts": {}}))
    assert of_folder(folder) == E5
    model = folder.rename(tmp_path / "model")
    assert of_folder(model) == Prefixes()
    (model / "config.json").write_text(json.dumps({"_name_or_path": "intfloat/e5-small"}))
    assert of_folder(model) == E5


@pytest.mark.parametrize("content", ["{", "[]", "[" * 100_000])
def test_a_folder_that_is_damaged(tmp_path: Path, content: str) -> None:
    (tmp_path / "config_sentence_transformers.json").write_text(content)
    with pytest.raises(ModelError, match="its folder may be damaged"):
        of_folder(tmp_path)


def test_they_are_part_of_a_name() -> None:
    assert prefix_label(Prefixes()) == ""
    assert prefix_label(E5) == " (query 'query: ', passage 'passage: ')"
    assert prefix_label(Prefixes("Q:")) == " (query 'Q:')"
