"""A batch that is written while a question opens the shards: it is seen in all of them or in none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from asof.cluster import corpus as corpus_module
from asof.cluster.opening import open_shards
from asof.cluster.shards import LocalShards
from asof.corpus.session import Session
from asof.data import Document


def eight(name: str) -> list[Document]:
    return [Document(f"{name}{at}", f"tea {name}", published="2019-01-01") for at in range(8)]


def seen_while_written(folder: Path, threads: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many of a batch of 8 a search sees that opens its second shard after they were written, and how
    many the next one sees."""
    with open_shards(folder, shards=2) as writer, open_shards(folder) as reader:
        writer.add(eight("old"))
        assert len(reader.search("tea", k=50).hits) == 8
        shards = reader.searching.shards  # type: ignore[union-attr]
        assert isinstance(shards, LocalShards)
        sessions = [shard.session for shard in reader.shards]
        reader.searching.shards = LocalShards(sessions, threads, shards.until)  # type: ignore[union-attr]
        opened, use = [0], Session.use

        def meanwhile(session: Session, *arguments: Any) -> Any:
            if session in sessions:
                opened[0] += 1
                if opened[0] == 2:
                    writer.add(eight("new"))
            return use(session, *arguments)

        monkeypatch.setattr(Session, "use", meanwhile)
        found = [sum("new" in hit.text for hit in reader.search("tea", k=50).hits) for _ in range(2)]
        return found[0], found[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_is_seen_whole_or_not_at_all(
    tmp_path: Path, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seen_while_written(tmp_path, threads, monkeypatch) in ((0, 8), (8, 8))


def test_a_reader_that_takes_all_that_is_there_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "committed", lambda _: None)
    assert 0 < seen_while_written(tmp_path, 1, monkeypatch)[0] < 8
