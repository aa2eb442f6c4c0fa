"""What a corpus with its truth in PostgreSQL says of itself."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

import asof
from asof.cli.main import cli
from asof.data import Document
from asof.store.status import folder_size


def test_where_it_is_kept_is_said(tmp_path: Path, postgres: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("ferry")
    ran = CliRunner().invoke(
        cli, ["index", str(tmp_path / "notes"), "--index", str(tmp_path), "--truth", postgres]
    )
    assert ran.exit_code == 0, ran.output
    with asof.open(tmp_path, truth=postgres) as corpus:
        name = corpus.status().truth
    shown = CliRunner().invoke(cli, ["status", "--index", str(tmp_path)], terminal_width=200).output
    assert name.split("?")[0] in shown
    shards = CliRunner().invoke(cli, ["cluster", "status", "--index", str(tmp_path), "--json"]).output
    (shard,) = json.loads(shards)["shards"]
    assert (shard["documents"], shard["passages"]) == (1, 1)
    with asof.open(tmp_path / "files") as corpus:
        assert corpus.status().truth == ""


def test_its_size_counts_the_tables(tmp_path: Path, postgres: str) -> None:
    # 9 bytes of a random-looking word each: 20,000 of them take more than 100,000 bytes, compressed or not
    text = " ".join(f"w{number * 7_919_317 % 99_999_989:08}" for number in range(20_000))
    with asof.open(tmp_path, truth=postgres) as corpus:
        before = corpus.status().bytes - folder_size(tmp_path / ".asof")
        corpus.add([Document("a", text)])
        assert corpus.status().bytes - folder_size(tmp_path / ".asof") > before + 100_000
        corpus.purge("a")
        assert corpus.status().bytes - folder_size(tmp_path / ".asof") < before + 100_000
