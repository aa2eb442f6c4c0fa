"""Corpora at a URL where the libraries for them are not installed, and what a search on a folder imports."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import asof
from asof.errors import MissingExtra, NoCorpus, UsageError


@pytest.mark.skipif(find_spec("obstore") is not None, reason="obstore is installed")
@pytest.mark.parametrize("url", ["s3://bucket/notes", "gs://bucket/notes", "az://notes", "file:///notes"])
def test_the_extra_is_named(url: str) -> None:
    with pytest.raises(MissingExtra, match="its extra `cluster`"):
        asof.open(url)


def test_a_url_is_checked_before_anything_is_loaded() -> None:
    with pytest.raises(UsageError, match="no scheme of URLs of corpora 'ftp'"):
        asof.open("ftp://host/notes")
    with pytest.raises(UsageError, match="accepted: s3://BUCKET/PREFIX"):
        asof.open("s3://key:secret@bucket/notes")


def test_a_search_on_a_folder_imports_nothing_of_shards(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add([{"id": "a", "text": "The ferry leaves at nine."}])
    script = (
        "import sys; from asof.cli.main import cli, run; code = run(cli); "
        "print(code, *(name for name in sys.modules if 'cluster' in name or 'obstore' in name))"
    )
    command = (sys.executable, "-c", script, "search", "ferry", "--index", str(tmp_path))
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == "0"


def test_a_list_of_shards_is_checked(tmp_path: Path) -> None:
    for content in ("", "{}", '{"shards": 0}', '{"shards": 1, "state": "../../other"}', "[" * 100_000):
        (tmp_path / "shards.json").write_text(content)
        with pytest.raises(asof.AsofError, match=r"shards.json cannot be used"):
            asof.open(tmp_path)
    (tmp_path / "shards.json").write_text('{"shards": 2}')
    with pytest.raises(NoCorpus):
        asof.open(tmp_path)
