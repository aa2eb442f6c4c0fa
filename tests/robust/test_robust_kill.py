"""A process that indexes is killed at any moment: what it had acknowledged is there, once, and sound."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.support.amounts import KILLED_BATCH as BATCH
from tests.support.amounts import KILLED_DOCUMENTS as DOCUMENTS
from tests.support.amounts import KILLS
from tests.support.amounts import KILLS_IN_SERIES as SERIES
from tests.support.forked_commands import CONTEXT

import asof
from asof import engine
from asof.errors import NoCorpus

pytestmark = pytest.mark.slow

BATCHES = DOCUMENTS // BATCH
EVERYWHERE = 1000  # more than there are passages

WORDS = (
    "mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "harbour", "bell", "fog", "tide",
    "lamp", "oak", "river", "gate",
)  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents with a word that all have, a word of their own and some of sixteen others."""
    rng = random.Random(7)
    path = tmp_path_factory.mktemp("source") / "island.jsonl"
    with path.open("w") as file:
        for number in range(DOCUMENTS):
            words = " ".join(rng.choices(WORDS, k=12))
            published = f"20{rng.randrange(10, 24)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
            record = {"id": f"d{number}", "title": f"note {number}", "published": published}
            file.write(json.dumps({**record, "text": f"island q{number}q {words}."}) + "\n")
    return path


def index(folder: Path, source: Path, told: Connection) -> None:
    """In the child: index in small batches, and tell after each how many documents were committed, while
    another thread merges segments."""
    engine.BATCH_DOCUMENTS = BATCH
    done = threading.Event()
    with asof.open(folder) as corpus, ThreadPoolExecutor(1) as pool:

        def merge() -> None:
            while not done.wait(0.002):
                corpus.tidy()

        merging = pool.submit(merge)
        try:
            corpus.add(source, progress=lambda report: told.send(report.added + report.unchanged))
        finally:
            done.set()
        merging.result()


def indexed(folder: Path, source: Path, kill_after: int | None = None, delay: float = 0.0) -> tuple[int, int]:
    """Index, killed `delay` seconds after so many acknowledged batches; (documents, exit code)."""
    heard, told = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=index, args=(folder, source, told))
    process.start()
    told.close()
    documents = batches = 0
    with contextlib.suppress(EOFError):  # it ended
        while True:
            if batches == kill_after:
                time.sleep(delay)
                process.kill()
                kill_after = None
            documents, batches = heard.recv(), batches + 1
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return documents, process.exitcode


def answers(corpus: asof.Corpus) -> list[tuple[Any, ...]]:
    questions = ["mill", "storm harbour", "q77q", "latest bread price", "island"]
    return [
        (
            as_of,
            question,
            [(hit.id, hit.score, hit.text) for hit in corpus.at(as_of).search(question, 20).hits],
        )
        for question in questions
        for as_of in ("2015-06-01", "2030-01-01")
    ]


def found(corpus: asof.Corpus, question: str) -> list[str]:
    return [hit.document for hit in corpus.at("2030-01-01").search(question, EVERYWHERE).hits]


def twice(folder: Path) -> list[tuple[Any, ...]]:
    """Passages of one document that say the same and are both in force."""
    with contextlib.closing(sqlite3.connect(folder / ".asof" / "corpus.db")) as db:
        return db.execute(
            "SELECT document, key, count(*) FROM passages WHERE id NOT IN (SELECT passage FROM ends)"
            " GROUP BY document, key HAVING count(*) > 1"
        ).fetchall()


def leftovers(folder: Path) -> set[str]:
    """Files of segments, whole or torn, that the database does not name."""
    if not (folder / ".asof" / "corpus.db").is_file():
        return set()
    with contextlib.closing(sqlite3.connect(folder / ".asof" / "corpus.db")) as db:
        try:
            listed = {file for (file,) in db.execute("SELECT file FROM segments")}
        except sqlite3.OperationalError:  # killed before the tables were made
            listed = set()
    segments = folder / ".asof" / "segments"
    return {path.name for path in segments.iterdir()} - listed if segments.is_dir() else set()


def examine(folder: Path, acknowledged: int, rng: random.Random) -> int:
    """All that was acknowledged is found, once, and nothing is damaged; returns the number of documents."""
    try:
        corpus = asof.open(folder, create=False)
    except NoCorpus:
        assert acknowledged == 0
        return 0
    with corpus:
        documents = found(corpus, "island")
        assert len(documents) == len(set(documents)), "a document was found twice"
        assert {f"d{number}" for number in range(acknowledged)} <= set(documents)
        # a batch is one transaction: all of it or nothing
        assert len(documents) % BATCH == 0
        for number in rng.sample(range(acknowledged), min(acknowledged, 5)):
            assert found(corpus, f"q{number}q")[0] == f"d{number}"
        assert corpus.check() == []
    assert twice(folder) == []
    return len(documents)


def test_killed_at_any_moment(memory_folder: Path, source: Path) -> None:
    rng = random.Random(20)
    whole = memory_folder / "whole"
    with asof.open(whole) as corpus:
        corpus.add(source)
        expected = answers(corpus)
    killed = torn = done = 0
    for number in range(KILLS):
        folder = memory_folder / f"corpus{number // SERIES}"
        # in what is new to the corpus, or anywhere; the delay reaches into next batches and merges
        after = rng.choice([0, done, done, done]) // BATCH + rng.randrange(BATCHES // SERIES + 2)
        done, status = indexed(folder, source, after, rng.random() * 0.01)
        killed += status == -signal.SIGKILL
        done = examine(folder, done, rng)
        torn += bool(leftovers(folder))
        if number % SERIES == SERIES - 1:
            assert indexed(folder, source) == (DOCUMENTS, 0)
            complete(folder, source, expected)
            shutil.rmtree(folder)
            done = 0
    assert killed >= KILLS * 4 // 5
    assert torn > 0, "no kill fell into the writing of a segment"


def complete(folder: Path, source: Path, expected: list[tuple[Any, ...]]) -> None:
    """The corpus is as if no process had ever been killed, and no file is left over."""
    with asof.open(folder, create=False) as corpus:
        assert answers(corpus) == expected
        assert sorted(found(corpus, "island")) == sorted(f"d{number}" for number in range(DOCUMENTS))
        assert corpus.add(source).unchanged == DOCUMENTS
        assert corpus.check() == []
    assert leftovers(folder) == set()
    assert twice(folder) == []
