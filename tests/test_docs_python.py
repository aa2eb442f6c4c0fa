"""The Python of the README runs on the example notes, and says what it should."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import asof

ROOT = Path(__file__).parents[1]
NOTES = Path(asof.__file__).parent / "example" / "notes"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch):
    shutil.copytree(NOTES, tmp_path / "notes")
    monkeypatch.chdir(tmp_path)

    def of(page: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
            exec(compile(block, page, "exec"), names)  # noqa: S102  our own words
        return names

    return of


def test_the_readme(run, capsys):
    names = run("README.md")
    first = names["answer"].citations[0]  # the newest that was known at the end of June 2021
    begin, end = first.emphasis
    assert first.quote[begin:end] == "Since Tuesday, 1 June, May Hollis is harbour master of Sundrey."
    assert names["hit"].why.recomputed() == names["hit"].score
    assert "mole" in capsys.readouterr().out.casefold()
