"""A run that fails, or takes nothing in, leaves no index where there was none."""

from __future__ import annotations

import sqlite3

import pytest

from asof.corpus.corpus import open as open_corpus

FAILING = [
    (["index", "nowhere"], 2),
    (["index", "notes", "--language", "klingon"], 2),
    (["index", "notes", "--set", "since=2020"], 2),
    (["index", "notes", "nowhere"], 2),
    (["index", "pictures"], 1),
    (["index", "empty"], 1),
    (["index", "broken.jsonl"], 3),
    (["index", "binary.md"], 3),
    (["index", "arxiv:cs.IR"], 2),
    (["index", "pictures", "--index", "elsewhere"], 1),
    (["papers", "new papers on dense retrieval", "--categories", "cs.IR"], 2),
    (["papers", "--offline", "dense retrieval"], 1),
    (["search", "crane"], 2),
    (["links", "crane"], 2),
    (["status"], 2),
]


@pytest.mark.parametrize(("arguments", "code"), FAILING, ids=lambda value: str(value)[:40])
def test_nothing_is_left(asof, here, write, arguments, code):
    write("notes/red.md", "The crane is red.")
    write("pictures/a.png", "")
    write("broken.jsonl", "{\n")
    (here / "binary.md").write_bytes(bytes(range(256)))
    (here / "empty").mkdir()
    write("asof.toml", '[arxiv]\nurl = "http://127.0.0.1:9"\npdf_url = "http://127.0.0.1:9"\nattempts = 1\n')
    before = sorted(here.rglob("*"))
    result = asof(*arguments)
    assert (result.code, "Traceback" in result.err) == (code, False)
    assert sorted(here.rglob("*")) == before


def test_it_is_said(asof, here, write):
    write("pictures/a.png", "")
    result = asof("index", "pictures")
    assert "nothing was indexed, and no index is left behind" in result.err
    assert "new index" not in result.out


def test_what_is_there_stays(asof, here, write):
    """A corpus with documents, one that another process has open, and a folder that is not ours."""
    write("pictures/a.png", "")
    write("red.md", "The crane is red.")
    write("elsewhere/.asof/mine.txt", "mine")
    asof("index", "pictures", "--index", "elsewhere")
    assert (here / "elsewhere/.asof/mine.txt").read_text() == "mine"
    asof("index", "red.md", "--index", "other")
    assert asof("index", "pictures", "--index", "other").code == 0
    assert "red.md" in asof("search", "crane", "--index", "other").out


def test_one_that_is_open_elsewhere_stays(here):
    from asof.store.store import removed_if_empty

    with removed_if_empty(here):
        with open_corpus(here):
            pass
        other = sqlite3.connect(here / ".asof/corpus.db")
        other.execute("SELECT count(*) FROM meta").fetchone()
    assert (here / ".asof/corpus.db").exists()
    other.close()
    assert open_corpus(here, create=False).status().documents == 0
