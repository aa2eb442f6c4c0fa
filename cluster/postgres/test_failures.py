"""What can go wrong with a truth elsewhere, in words; and what may name one."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from cluster.support.postgres import Postgres

import asof
from asof.data import Document
from asof.errors import Busy, CorpusError, TruthUnreachable, Untrusted, UsageError
from asof.store.settings import CorpusSettings
from asof.store.store import Store


@pytest.fixture
def truth(postgres: str) -> str:
    return f"{postgres}&schema=notes"


def test_a_folder_of_somebody_else_names_no_destination(tmp_path: Path, truth: str) -> None:
    with asof.open(tmp_path, truth=truth) as corpus:
        corpus.add([Document("a", "ferry")])
    with pytest.raises(Untrusted, match="nothing is sent there"):
        asof.open(tmp_path, create=False)
    with asof.open(tmp_path, truth=truth, create=False) as corpus:
        assert [hit.document for hit in corpus.search("ferry")] == ["a"]


def test_a_missing_database_and_a_wrong_password(
    tmp_path: Path, truth: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CorpusError, match="createdb"):
        asof.open(tmp_path / "a", truth=truth.replace("/asof_", "/nowhere_"))
    monkeypatch.setenv("PGPASSWORD", "wrong")
    with pytest.raises(CorpusError, match="PGPASSWORD") as refused:
        asof.open(tmp_path / "b", truth=truth)
    assert "wrong" not in str(refused.value)


def test_a_connection_lost_while_writing_loses_nothing_that_was_acknowledged(
    tmp_path: Path, truth: str, postgres_process: Postgres
) -> None:
    database = truth.split("?")[0].rpartition("/")[2]
    with asof.open(tmp_path, truth=truth) as corpus:
        corpus.add([Document("a", "ferry")])
        store = corpus.store
        with closing(store.writer()) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("INSERT INTO meta VALUES ('half', '')")
            assert postgres_process.disconnect(database)
            with pytest.raises(TruthUnreachable, match="as it was before this write"):
                db.execute("INSERT INTO meta VALUES ('whole', '')")
            assert not db.in_transaction
            db.execute("BEGIN")  # another connection
            assert db.execute("SELECT count(*) FROM meta WHERE key IN ('half', 'whole')").fetchone() == (0,)
        assert [hit.document for hit in corpus.search("ferry")] == ["a"]  # readers connect again
        assert corpus.add([Document("b", "ferry")]).added == 1


def test_a_server_that_is_gone_says_so_and_comes_back(
    tmp_path: Path, truth: str, postgres_process: Postgres
) -> None:
    with asof.open(tmp_path, truth=truth) as corpus:
        corpus.add([Document("a", "ferry")])
        postgres_process.stop()
        try:
            with pytest.raises(TruthUnreachable, match="does not answer"):
                corpus.add([Document("b", "ferry")])
            with pytest.raises(TruthUnreachable, match="does not answer"):
                corpus.search("ferry")
        finally:
            postgres_process.start()
        assert corpus.add([Document("b", "ferry")]).added == 1
        assert {hit.document for hit in corpus.search("ferry")} == {"a", "b"}


def test_one_writer_at_a_time_also_from_two_machines(tmp_path: Path, truth: str) -> None:
    first = Store.create(tmp_path / "a" / ".asof", CorpusSettings(), truth=truth)
    second = Store.create(tmp_path / "b" / ".asof", CorpusSettings(), wait=0.2, truth=truth)
    with closing(first.writer()) as one, closing(second.writer()) as other:
        one.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match=r"asof from this machine \(server process \d+\) is writing"):
            other.execute("BEGIN IMMEDIATE")
        one.execute("ROLLBACK")
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")


def test_a_purge_waits_for_readers_of_what_is_erased(tmp_path: Path, truth: str) -> None:
    with asof.open(tmp_path, truth=truth) as corpus:
        corpus.add([Document("a", "xylophone"), Document("b", "ferry")])
        corpus.store.compact_wait = 0.3
        with closing(corpus.store.reader()) as reader:
            corpus.store.begin_read(reader)
            with pytest.raises(Busy, match="removed data is still in the files of the server"):
                corpus.purge("a")
            reader.execute("ROLLBACK")
        with corpus.session.writing() as db:
            corpus.store.compact(db)
        assert not corpus.search("xylophone").hits


def test_a_folder_keeps_its_truth(tmp_path: Path, truth: str) -> None:
    with asof.open(tmp_path, truth=truth) as corpus:
        corpus.add([Document("a", "ferry")])
    stored = json.loads((tmp_path / ".asof" / "truth.json").read_text())
    assert stored["url"] == truth
    assert "password" not in stored["url"]
    with pytest.raises(UsageError, match="uses the truth"):
        Store.create(tmp_path / ".asof", CorpusSettings(), truth=f"{truth}_other")
