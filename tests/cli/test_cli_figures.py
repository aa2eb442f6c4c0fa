"""`asof evaluate --figures`."""

from __future__ import annotations

import json
import sys

import pytest

DOCUMENTS = [
    {"id": "m1", "text": "Ann is mayor of Brill.", "timestamp": "2001-05-01"},
    {"id": "m2", "text": "Bob is mayor of Brill.", "timestamp": "2005-05-01"},
]


@pytest.fixture
def mayors(write, here, monkeypatch):
    write("mayors/corpus.jsonl", "".join(f"{json.dumps(value)}\n" for value in DOCUMENTS))
    write("mayors/queries.jsonl", '{"id": "q1", "text": "mayor of Brill", "asked_at": "2006"}\n')
    write("mayors/qrels.tsv", "q1\tm1\t1\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    return ["mayors", "--figures", "drawn"]


@pytest.mark.slow
def test_figures_are_drawn_beside_the_table(asof, mayors, here):
    result = asof("evaluate", *mayors, "--recipe", "twe")
    assert result.code == 0
    assert result.err.strip() == "figures in drawn: metrics, age"
    for name in ("metrics", "age"):
        assert (here / "drawn" / f"{name}.png").is_file()
        assert (here / "drawn" / f"{name}.csv").is_file()


def test_a_file_is_no_folder_for_figures(asof, mayors, write):
    write("drawn", "")
    result = asof("evaluate", *mayors)
    assert result.code == 2
    assert result.err.startswith("asof: drawn: a folder for figures cannot be made")


def test_without_matplotlib_nothing_is_asked(asof, mayors, monkeypatch, here):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    result = asof("evaluate", *mayors)
    assert result.code == 2
    assert result.err.strip() == "asof: a figure needs matplotlib: pip install 'asof-search[lab]'"
    assert not (here / "cache").exists()
