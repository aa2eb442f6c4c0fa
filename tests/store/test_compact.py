"""A removal has its turn beside readers that never stop."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from asof.corpus.corpus import open as open_corpus
from asof.index.view import View
from asof.store.schema import exclusive_lock, shared_lock
from asof.values import Document


def test_readers_wait_while_the_gate_is_held(tmp_path: Path) -> None:
    gate = tmp_path / "readers.lock"
    with shared_lock(gate):
        assert not gate.exists()  # a reader makes no file
    passed = threading.Event()

    def read() -> None:
        with shared_lock(gate):
            passed.set()

    with exclusive_lock(gate, 0):
        reader = threading.Thread(target=read)
        reader.start()
        assert not passed.wait(0.05)
    reader.join()
    assert passed.is_set()


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
