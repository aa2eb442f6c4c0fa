"""One writer at a time, and a removal has its turn beside readers that never stop."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from tests.store.made import document, fresh

from asof.corpus.corpus import open as open_corpus
from asof.documents import Document
from asof.errors import Busy
from asof.index.view import View
from asof.store.schema import exclusive_lock
from asof.store.store import SourceWay


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
            with corpus.store.write(
                db, corpus.session.clock, publish, what="x", source=SourceWay("a", "b")
            ) as write:
                write.put(document("e", "text", "2021"))
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        db.close()
        assert corpus.status() == before


# -- readers beside a removal ------------------------------------------------------------------------


def test_a_purge_ends_while_readers_take_turns(tmp_path: Path) -> None:
    """Each of two readers stays until the other has begun its next question, as among many busy processes."""
    with open_corpus(tmp_path) as corpus:
        corpus.add([Document("a", "ferry"), Document("b", "harbour")])
    stop, begun = threading.Event(), (threading.Event(), threading.Event())

    def ask(me: int) -> None:
        def stay(_: View) -> None:
            begun[me].set()
            if begun[1 - me].wait(0.3):
                begun[1 - me].clear()

        with open_corpus(tmp_path, create=False) as own:
            while not stop.is_set():
                own.session.use(own.session.clock(), None, stay)

    readers = [threading.Thread(target=ask, args=(me,)) for me in (0, 1)]
    for reader in readers:
        reader.start()
    try:
        with open_corpus(tmp_path, create=False) as corpus:
            corpus.store.compact_wait = 2.0
            time.sleep(0.2)
            assert corpus.purge("a") == 1
    finally:
        stop.set()
        for reader in readers:
            reader.join()
