"""The scripts of the guide to RAG print what it shows, with the libraries that they are for."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guides" / "rag.md"
SCRIPT = re.compile(r"^```python\n(from asof\.extensions\.adapters\.(\w+) .*?)^```", re.MULTILINE | re.DOTALL)
LIBRARIES = ["langchain", "llama_index", "haystack"]


def test_the_scripts_print_what_the_guide_shows(tmp_path: Path) -> None:
    for name in LIBRARIES:  # a script whose library is not there would be left as it is
        importlib.import_module(f"asof.extensions.adapters.{name}")
    spec = importlib.util.spec_from_file_location("shown", ROOT / "docs" / "shown.py")
    assert spec is not None
    assert spec.loader is not None
    shown = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shown)
    page = PAGE.read_text("utf-8")
    assert shown.played(page, tmp_path) == page, "python docs/shown.py docs/guides/rag.md"


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_script_is_short(name: str) -> None:
    scripts = {of: script for script, of in SCRIPT.findall(PAGE.read_text("utf-8"))}
    assert len([line for line in scripts[name].splitlines() if line]) <= 15
