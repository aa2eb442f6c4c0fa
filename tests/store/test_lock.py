"""One writer at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.made import document, fresh

from asof.errors import Busy
from asof.store.schema import exclusive_lock


def test_an_error_inside_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with pytest.raises(ZeroDivisionError), exclusive_lock(path, 0):
        _ = 1 / 0
    with exclusive_lock(path, 0):
        pass


def test_a_write_waits_no_longer_than_it_is_told_and_a_search_not_at_all() -> None:
    with fresh() as corpus:
        corpus.add([document("d", "text", "2020")])
        corpus.store.wait = 0.0
        with exclusive_lock(corpus.store.folder / "write.lock", 0):
            with pytest.raises(Busy, match=r"within 0 s.*--wait"):
                corpus.add([document("e", "text", "2020")])
            assert [hit.document for hit in corpus.search("text").hits] == ["d"]
        assert corpus.add([document("e", "text", "2020")]).added == 1


def test_an_error_in_a_write_leaves_the_corpus_as_it_was() -> None:
    with fresh() as corpus:
        corpus.add([document("d", "text", "2020")])
        before = corpus.status()
        db = corpus.store.writer()

        def interrupted() -> None:
            publish = corpus.manifest.publish
            with corpus.store.write(db, corpus.session.clock, publish, what="x", source=("a", "b")) as write:
                write.put(document("e", "text", "2021"))
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        db.close()
        assert corpus.status() == before
