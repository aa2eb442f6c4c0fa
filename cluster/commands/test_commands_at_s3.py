"""A corpus at an S3 bucket, by the commands: made in shards, read, fenced, grown, purged, copied."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cluster.support.s3 import Bucket


def asof(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "asof", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    for number in range(12):
        front = f"---\ndate: 2020-01-{number + 1:02}\n---\n# Note {number}\n"
        text = f"{front}The ferry sails at {number} o'clock.\n"
        (tmp_path / "notes" / f"n{number}.md").write_text(text)
    return tmp_path


def test_two_shards_in_a_bucket(s3: Bucket, notes: Path) -> None:
    url, other = f"{s3.url}/corpus", f"{s3.url}/copy"

    def run(*arguments: str) -> str:
        done = asof(notes, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert f"new index at {url}, in 2 shards" in run("index", "notes", "--index", url, "--shards", "2")
    assert "12 unchanged" in run("index", "notes", "--index", url)
    run("purge", "n4", "--yes", "--index", url)
    assert hits(run("search", "ferry sails", "-k", "50", "--index", url, "--json")) == (
        hits(run("search", "ferry sails", "-k", "50", "--index", alone(notes), "--json"))
    )
    run("cluster", "backup", other, "--index", url)
    run("cluster", "grow", "--shards", "3", "--index", url)
    found = json.loads(run("cluster", "status", "--index", url, "--json"))
    assert ([shard["epoch"] for shard in found["shards"]], found["documents"]) == ([4, 4, 1], 11)
    assert "documents  11, " in run("status", "--index", url)
    assert "documents  11, " in run("status", "--index", other)
    assert run("cluster", "vacuum", "--index", url).startswith("removed: 0 old states")


def alone(notes: Path) -> str:
    """The same in a corpus in one piece."""
    assert asof(notes, "index", "notes", "--index", "one").returncode == 0
    assert asof(notes, "purge", "n4", "--yes", "--index", "one").returncode == 0
    return "one"


def hits(printed: str) -> list[Any]:
    found = json.loads(printed)["hits"]
    assert len(found) == 11
    return [(hit["id"], hit["score"], hit["document"]) for hit in found]
