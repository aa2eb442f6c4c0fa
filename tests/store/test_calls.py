"""Kept replies on disk: each is there at once, and goes with the words that it was a reply to."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted import ScriptedModel

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.errors import Busy
from asof.models.metered import CachedModel, CachedReply
from asof.models.ports import Prompt
from asof.store.calls import StoredCalls
from asof.store.schema import exclusive_lock

KEPT = CachedReply("the lamp is lit", 7, 4)


@pytest.fixture
def corpus(memory_folder: Path) -> Iterator[Corpus]:
    """Three documents of a passage each: their passages are 1, 2 and 3."""
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add([Document(name, f"The {name} keeps the light.") for name in ("ann", "ben", "cid")])
        yield corpus


@pytest.fixture
def calls(corpus: Corpus) -> Iterator[StoredCalls]:
    with closing(StoredCalls(corpus.store, lambda: 42)) as calls:
        yield calls


def rows(corpus: Corpus, query: str) -> list[Any]:
    db = corpus.store.reader()
    try:
        return db.execute(query).fetchall()
    finally:
        db.close()


def pairs(corpus: Corpus) -> list[Any]:
    return rows(corpus, "SELECT passage, digest FROM call_passages ORDER BY passage, digest")


def test_a_reply_is_on_the_disk_at_once(corpus: Corpus, calls: StoredCalls) -> None:
    calls.keep(b"a", "mill-7b", KEPT, [2, 1])
    assert rows(corpus, "SELECT * FROM calls") == [(b"a", "mill-7b", "the lamp is lit", 7, 4, 42)]
    assert pairs(corpus) == [(1, b"a"), (2, b"a")]
    assert calls.find([b"b", b"a"]) == {b"a": KEPT}
    assert calls.find([]) == {}


def test_what_is_known_already_takes_no_lock(corpus: Corpus, calls: StoredCalls) -> None:
    corpus.store.wait = 0.0
    calls.keep(b"a", "m", KEPT, [1])
    with exclusive_lock(corpus.store.folder / "write.lock", 1.0):
        assert calls.find([b"a"]) == {b"a": KEPT}
        with pytest.raises(Busy, match="is writing to"):
            calls.keep(b"b", "m", KEPT, [1])
    assert calls.find([b"b"]) == {}


@pytest.mark.parametrize("passages", [[1], [1, 2]])
def test_what_is_erased_goes_with_its_replies(
    corpus: Corpus, calls: StoredCalls, passages: list[int]
) -> None:
    calls.keep(b"a", "m", KEPT, passages)
    calls.keep(b"b", "m", KEPT, [2])
    corpus.purge("ann")
    assert calls.find([b"a", b"b"]) == {b"b": KEPT}
    assert pairs(corpus) == [(2, b"b")]
    assert b"the lamp is lit" in corpus.store.database.read_bytes()
    corpus.purge("ben")
    for file in corpus.store.folder.rglob("*"):
        assert not file.is_file() or b"the lamp is lit" not in file.read_bytes(), file.name


def test_a_passage_that_is_erased_while_the_model_is_asked(corpus: Corpus, calls: StoredCalls) -> None:
    def reply(prompt: Prompt) -> str:
        corpus.purge("ann")
        return "ann keeps the light"

    [said] = CachedModel(ScriptedModel(reply), calls).complete([Prompt("", "Who?", passages=(1, 2))])
    assert said.text == "ann keeps the light"
    assert rows(corpus, "SELECT * FROM calls") == pairs(corpus) == []


def test_a_reply_is_kept_while_a_purge_waits_for_a_reader(corpus: Corpus, calls: StoredCalls) -> None:
    """A question reads while it asks a model: a purge that held the lock until it is done would wait for it,
    and it for the purge."""
    calls.store.wait = 10.0
    reader = corpus.store.reader()
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM passages").fetchone()
    purge = threading.Thread(target=corpus.purge, args=("cid",))
    purge.start()
    while rows(corpus, "SELECT 1 FROM passages WHERE id = 3"):
        pass
    calls.keep(b"a", "mill-7b", KEPT, [1])
    calls.keep(b"b", "mill-7b", KEPT, [3])
    assert purge.is_alive()
    reader.close()
    purge.join(20.0)
    assert not purge.is_alive()
    assert pairs(corpus) == [(1, b"a")]
