"""The scripts of the guides print what the guides show."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
GUIDES = ["langchain", "llama-index", "haystack", "dspy"]


@pytest.mark.parametrize("name", GUIDES)
def test_a_script_prints_what_its_guide_shows(name: str, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("shown", ROOT / "docs" / "shown.py")
    assert spec is not None
    assert spec.loader is not None
    shown = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shown)
    page = (ROOT / "docs" / "guides" / f"{name}.md").read_text("utf-8")
    assert shown.played(page, tmp_path) == page, f"python docs/shown.py docs/guides/{name}.md"


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_short(name: str) -> None:
    page = (ROOT / "docs" / "guides" / f"{name}.md").read_text("utf-8")
    (script,) = PYTHON.findall(page)
    assert len([line for line in script.splitlines() if line]) <= 15
    assert len(page.splitlines()) <= 40
