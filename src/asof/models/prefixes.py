"""Prefixes that encoders expect before a text, which mark it as a question or as a passage.

Most models for search were trained with such words and lose much without them. A model that is saved with
its own (`prompts` in config_sentence_transformers.json) says so itself; the table is for those that are not,
by the family that stands in a model's name. From the cards of the models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from asof.errors import ModelError

PROMPTS_FILE = "config_sentence_transformers.json"
_INSTRUCTED = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_REPRESENT = "Represent this sentence for searching relevant passages: "


class Prefixes(NamedTuple):
    """What stands before each question, and before each passage."""

    query: str = ""
    passage: str = ""


FAMILIES: tuple[tuple[str, Prefixes], ...] = (
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"modernbert-embed", Prefixes("search_query: ", "search_document: ")),
    (r"e5-.*instruct", Prefixes(f"{_INSTRUCTED} ")),
    (r"\be5-", Prefixes("query: ", "passage: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCTED)),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"arctic-embed-.*v2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_REPRESENT)),
    (r"mxbai-embed", Prefixes(_REPRESENT)),
    (r"bge-(small|base|large)-en", Prefixes(_REPRESENT)),
    (r"bge-(small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
)
"""A pattern of a model's name, and its prefixes; the first that matches counts."""


def of_family(name: str) -> Prefixes:
    """The prefixes of the family that a model's name belongs to, none where it is of no known one."""
    last = name.lower().rstrip("/").rsplit("/", 1)[-1]
    return next((prefixes for pattern, prefixes in FAMILIES if re.search(pattern, last)), Prefixes())


def of_prompts(prompts: Mapping[str, Any] | None) -> Prefixes | None:
    """The prefixes among a model's own prompts, None where it has none for questions or passages."""
    texts = {key: text for key, text in (prompts or {}).items() if isinstance(text, str)}
    query = texts.get("query", "")
    passage = next((texts[key] for key in ("document", "passage", "corpus") if texts.get(key)), "")
    return Prefixes(query, passage) if query or passage else None


def of_folder(folder: Path) -> Prefixes:
    """The prefixes of a saved model: its own, else those of the family that the folder, or the model that
    it was made from, is named after. Raises ModelError."""
    own = of_prompts(json_of(folder / PROMPTS_FILE).get("prompts"))
    if own is not None:
        return own
    made_from = json_of(folder / "config.json").get("_name_or_path")
    family = of_family(folder.name)
    return family if any(family) or not isinstance(made_from, str) else of_family(made_from)


def json_of(path: Path) -> dict[str, Any]:
    """The object in a JSON file, empty where there is no file. Raises ModelError for another content."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError, OSError) as error:
        raise ModelError(f"{path}: cannot be read as JSON; its folder may be damaged") from error
    if not isinstance(value, dict):
        raise ModelError(f"{path}: a JSON object is expected; its folder may be damaged")
    return value


def prefix_label(prefixes: Prefixes) -> str:
    """The part of an encoder's name that lists its prefixes: they shape its vectors."""
    named = [f"{what} {text!r}" for what, text in zip(("query", "passage"), prefixes, strict=True) if text]
    return f" ({', '.join(named)})" if named else ""
