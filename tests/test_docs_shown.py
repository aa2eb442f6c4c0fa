"""What the tutorial and CONTRIBUTING show is what happens."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

import asof
from asof import Document
from asof.rank.combine import Combine
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.sources.source import InputLimits

ROOT = Path(__file__).parents[1]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def module(path: str) -> ModuleType:
    """A Python file of docs/, which is in no package."""
    name = Path(path).stem
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / path)
    assert spec is not None
    assert spec.loader is not None
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def blocks(page: str) -> list[str]:
    return PYTHON.findall((ROOT / page).read_text("utf-8"))


SHOWN = ("tutorial.md", *(f"guides/{name}.md" for name in (
    "notes", "law-and-policy", "documentation", "news", "office", "moving", "rag", "memory", "facts",
)))  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / name).read_text("utf-8")
    assert module("shown.py").played(page, tmp_path) == page, f"python docs/shown.py docs/{name}"


def test_the_signal_of_contributing(tmp_path: Path) -> None:
    code = (ROOT / "docs" / "examples" / "brevity.py").read_text("utf-8")
    assert blocks("CONTRIBUTING.md")[0] == code
    brevity = module("examples/brevity.py").Brevity
    stages = (Lexical(), brevity(), Combine((("brevity", 1.0),), "short"), TopK())
    with asof.open(tmp_path) as corpus:
        corpus.add(Document("d", "word " * 100, published="2024"))
        (hit,) = corpus.search("word", recipe=Recipe("short", "", stages))
    assert hit.score == hit.why.recomputed() == 0.5  # 100 / (100 + 100)
    (recipe,) = (block for block in blocks("CONTRIBUTING.md") if "SHORT = " in block)
    names: dict[str, Any] = {"Brevity": brevity}
    exec(compile(recipe, "CONTRIBUTING.md", "exec"), names)  # noqa: S102  our own words
    with asof.open(tmp_path) as corpus:
        corpus.add([Document("d", "word", published="2025"), Document("e", "a boat", published="2025")])
        hits = corpus.search("word", recipe=names["SHORT"])
    assert [hit.text for hit in hits] == ["word"], "neither the old text nor what does not match"


def test_the_reader_of_contributing() -> None:
    (code,) = (block for block in blocks("CONTRIBUTING.md") if "READER" in block)
    names: dict[str, Any] = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)  # noqa: S102  our own words
    spoken = (
        b"1\n00:00:01,000 --> 00:00:04,000\nThe mole is wet.\n\n2\n00:00:05,000 --> 00:00:07,000\nMind it.\n"
    )
    assert names["READER"](spoken, "mole", InputLimits()).text == "The mole is wet.\nMind it."


def test_the_surface_of_contributing(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add(
            [
                Document("a", "The mole is wet.", published="2020"),
                Document("b", "A dry mole.", published="2023"),
            ]
        )
        with module("examples/search_server.py").server(corpus, 0) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/search"
            with urlopen(f"{url}?q=mole&as_of=2021") as reply:  # noqa: S310  our own server
                found = json.load(reply)
            with pytest.raises(HTTPError, match="400"):
                urlopen(f"{url}?q=mole&as_of=noday")  # noqa: S310  our own server
            server.shutdown()
    assert [hit["document"] for hit in found["hits"]] == ["a"]
