"""Texts prepared by other processes: the corpus is the same, and no process is left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.support.corpora import new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.errors import CorpusError
from asof.store.schema import CorpusSettings
from asof.store.workers import LONGEST, PreparedText, TextPreparation, TextWorkers
from asof.values import Document, SafeToCommit, SourceEvent

SETTINGS = CorpusSettings()
TABLES = ("documents", "heads", "versions", "passages", "ends", "links", "aliases", "tags", "transactions")


def stored(corpus: Corpus) -> list[Any]:
    """All rows, and the bytes of all segments; those with the same first time have no order."""
    db = db_of(corpus)
    rows = [db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES]
    files = [corpus.root / ".asof" / "segments" / file for (file,) in db.execute("SELECT file FROM segments")]
    return [*rows, *sorted(file.read_bytes() for file in files)]


def unknown(names: Sequence[str]) -> set[str]:
    """Of a corpus without documents."""
    return set()


def prepare_all(workers: TextWorkers, batch: list[SourceEvent]) -> list[PreparedText | None]:
    (given,) = workers.ahead([batch])
    assert given is batch
    return [workers.prepared(each) for each in batch if isinstance(each, Document)]


def notes(count: int) -> list[SourceEvent]:
    return [
        Document(
            f"note {at}", f"The toll of 3 March {1900 + at} was {at} euros. " * 8, published=str(1950 + at)
        )
        for at in range(count)
    ]


DOCUMENTS = st.lists(
    st.builds(
        Document,
        st.sampled_from("abc"),
        st.sampled_from(
            ["", "mill", "toll in May 2021", "# Part\n\nlast year\n\n# Other\n\nyesterday " * 40]
        ),
        title=st.sampled_from(["", "Tolls of 2019"]),
        published=st.sampled_from([None, "2020", "2021-03-05"]),
        language=st.sampled_from(["", "en"]),
    ),
    max_size=12,
)


def test_a_corpus_is_the_same_with_any_number_of_workers() -> None:
    texts = [each for each in notes(3_200) if isinstance(each, Document)]  # 1.2 million characters
    with new_corpus() as one, new_corpus() as two:
        assert one.add(texts, workers=1).added == two.add(texts, workers=2).added == 3_200
        assert stored(one) == stored(two)
        changed = [*texts[:3_000], Document("note 3001", "gone"), *notes(3_300)[3_200:]]
        assert one.add(changed, workers=1).passages == two.add(changed, workers=2).passages
        assert stored(one) == stored(two)
    assert not multiprocessing.active_children()


def test_what_is_handed_out_is_prepared() -> None:
    again = Document("note 0", "stated twice")
    batch = [*notes(3), Document("old", "known"), Document("long", "x" * (LONGEST + 1)), again]
    with closing(TextWorkers(SETTINGS, 2, lambda names: {"old"} & set(names), worth=1)) as workers:
        made = prepare_all(workers, batch)
        expected = TextPreparation.of(SETTINGS)
        assert made[:3] == [expected.prepared(each) for each in batch[:3] if isinstance(each, Document)]
        assert made[3:] == [None] * 3
    assert not multiprocessing.active_children()


def test_the_next_large_batch_is_read_before_one_is_given() -> None:
    read: list[int] = []

    def reading() -> Iterator[list[SourceEvent]]:
        for number, batch in enumerate([notes(2), [*notes(2), SafeToCommit()], notes(2), []]):
            read.append(number)
            yield batch

    with closing(TextWorkers(SETTINGS, 2, unknown, worth=1)) as workers:
        seen = [(len(batch), len(read)) for batch in workers.ahead(reading())]
    # 0 is given when 1 was read; 1 can be committed, so it is given at once; 3 is not large
    assert seen == [(2, 2), (3, 2), (2, 4), (0, 4)]


def test_a_worker_that_is_ended_from_outside_is_an_error() -> None:
    batch = notes(50)
    with closing(TextWorkers(SETTINGS, 2, unknown, worth=1)) as workers:
        prepare_all(workers, batch)
        for each in multiprocessing.active_children():
            each.kill()
        with pytest.raises(CorpusError, match=r"ended from outside.*--workers 1"):
            prepare_all(workers, notes(50))
    assert not multiprocessing.active_children()


WRITER = """
import multiprocessing, sys
from asof.values import Document
from asof.store.schema import CorpusSettings
from asof.store.workers import TextWorkers

if __name__ == "__main__":
    workers = TextWorkers(CorpusSettings(), 2, lambda names: set(), worth=1)
    note = Document("note", "toll")
    list(workers.ahead([[note]]))
    workers.prepared(note)
    print(*(each.pid for each in multiprocessing.active_children()), flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_writer(tmp_path: Path, how: signal.Signals) -> None:
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as writer:  # fmt: skip
        assert writer.stdout is not None
        pids = [int(pid) for pid in writer.stdout.readline().split()]
        assert pids
        if how == signal.SIGKILL:
            writer.kill()
        else:
            os.killpg(writer.pid, how)  # as a terminal does at Ctrl-C
    deadline = time.monotonic() + 60
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(is_running, pids))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
