"""Several processes at once: writers wait for one another, readers see whole transactions only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.forked_commands import Forked

import asof
from asof.errors import Busy

pytestmark = pytest.mark.slow

Start = Callable[..., Forked]

DOCUMENTS, VERSIONS = 40, 16
READERS, THREADS = 3, 4


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python programs in processes of their own; what still runs at the end of a test is killed."""
    with ExitStack() as running:
        yield lambda code, *args: running.enter_context(closing(Forked(["-c", *map(str, args)], code)))


def finish(process: Forked) -> str:
    """Its output; it has to end without an error or a word on standard error."""
    done = process.finish(60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# -- readers beside a writer ------------------------------------------------------------------------

WRITER = """
import sys
import asof
root, documents, versions = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with asof.open(root) as corpus:
    for version in range(1, versions + 1):
        texts = {f"d{at}": f"island note {at} says version{version}" for at in range(documents)}
        assert corpus.add([asof.Document(*item) for item in texts.items()]).written == documents
        corpus.tidy()
"""

READER = r"""
import json, re, sys, threading
import asof
root, documents, threads, last = sys.argv[1], *map(int, sys.argv[2:5])
seen = [[] for _ in range(threads)]
with asof.open(root, create=False) as corpus:
    def read(mine):
        while True:
            hits = corpus.search("island", k=1000, unit="passage").hits
            versions = {re.search(r"version(\d+)", hit.text)[1] for hit in hits}
            assert len(versions) == 1, sorted(versions)
            names = [hit.document for hit in hits]
            assert len(names) == documents == len(set(names)), names
            assert all(hit.why.value == hit.score for hit in hits[:3])
            version = int(versions.pop())
            mine.append(version)
            if version == last:
                return
    running = [threading.Thread(target=read, args=(mine,)) for mine in seen]
    for thread in running: thread.start()
    for thread in running: thread.join()
print(json.dumps(seen))
"""


def test_readers_see_one_version_of_everything(memory_folder: Path, start: Start) -> None:
    """Each batch brings all documents from version v to v + 1, in one transaction."""
    with asof.open(memory_folder) as corpus:
        corpus.add([asof.Document(f"d{at}", f"island note {at} says version0") for at in range(DOCUMENTS)])
    readers = [start(READER, memory_folder, DOCUMENTS, THREADS, VERSIONS) for _ in range(READERS)]
    finish(start(WRITER, memory_folder, DOCUMENTS, VERSIONS))
    times: set[int] = set()
    for reader in readers:
        for seen in json.loads(finish(reader)):
            assert seen == sorted(seen), "a reader went back in time"
            assert seen[-1] == VERSIONS
            times.update(seen)
    assert len(times) >= 3, "the readers came too late to see anything"
    with asof.open(memory_folder) as corpus:
        assert corpus.check() == []


# -- writers beside writers -------------------------------------------------------------------------

INDEXER = """
import sys
from asof import engine
from asof.corpus.corpus import open as open_corpus
engine.BATCH_DOCUMENTS = 10
with open_corpus(sys.argv[1]) as corpus:
    for source in sys.argv[2:]:
        report = corpus.add(source)
        assert not report.problems, report.problems
"""


def lines(first: int, last: int) -> list[dict[str, str]]:
    return [
        {"id": f"d{at}", "text": f"island q{at}q", "published": f"2020-01-{at % 28 + 1:02d}"}
        for at in range(first, last)
    ]


def test_two_indexers_with_overlapping_sources(memory_folder: Path, write_lines: Any, start: Start) -> None:
    """Sources 0..200 and 100..300 at once, twice each, beginning with a corpus that is not there yet."""
    one = write_lines(memory_folder / "one.jsonl", lines(0, 200))
    two = write_lines(memory_folder / "two.jsonl", lines(100, 300))
    running = [start(INDEXER, memory_folder, *order) for order in ((one, two), (two, one), (one, one))]
    for process in running:
        finish(process)
    with asof.open(memory_folder) as corpus:
        hits = corpus.at("2030").search("island", 1000).hits
        assert sorted(hit.document for hit in hits) == sorted(f"d{at}" for at in range(300))
        figures = corpus.status()
        assert (figures.documents, figures.versions, figures.passages) == (300, 300, 300)
        assert corpus.check() == []
        assert corpus.add(one).unchanged == 200
        assert corpus.add(two).unchanged == 200
        found = [(hit.id, hit.score) for hit in corpus.at("2030").search("q150q island", 20).hits]
    with asof.open(memory_folder / "alone") as corpus:
        corpus.add([asof.Document("x", "nothing")])
        corpus.purge("x")
        corpus.add(one)
        corpus.add(two)
        assert [(hit.id, hit.score) for hit in corpus.at("2030").search("q150q island", 20).hits] == found


CHECKER = """
import sys, time
import asof
with asof.open(sys.argv[1], create=False) as corpus:
    for _ in range(15):
        assert corpus.check() == [], "a merge was taken for damage"
"""


def test_a_check_beside_a_writer_that_merges(memory_folder: Path, start: Start) -> None:
    with asof.open(memory_folder) as corpus:
        corpus.add([asof.Document("d0", "island")])
    checker = start(CHECKER, memory_folder)
    finish(start(WRITER, memory_folder, 5, 40))
    finish(checker)


def test_a_purge_beside_a_merge(memory_folder: Path) -> None:
    """The merge in the background is overtaken by the purge, or the purge waits: nobody fails."""
    with asof.open(memory_folder) as corpus:
        told: list[str] = []
        corpus.manifest.on_note = told.append
        for turn in range(8):
            corpus.maintenance.background = False
            for at in range(8):
                corpus.add([asof.Document(f"d{turn}-{at}", f"island {turn} {at}")])
            corpus.maintenance.background = True
            corpus.add([asof.Document(f"last{turn}", "the last island")])
            assert corpus.purge(f"d{turn}-3") == 1
        assert told == []
    with asof.open(memory_folder) as corpus:
        assert len(corpus.search("island", k=100).hits) == 8 * 8
        assert corpus.check() == []


PURGER = """
import sys
import asof
with asof.open(sys.argv[1]) as corpus:
    for at in range(int(sys.argv[2])):
        assert corpus.purge(f"d{at}") == 1
"""


def test_readers_beside_a_purge(memory_folder: Path, start: Start) -> None:
    """A passage that is erased during a search is found or not: the search does not fail."""
    with asof.open(memory_folder) as corpus:
        corpus.add([asof.Document(f"d{at}", f"island {at}") for at in range(60)])
    with asof.open(memory_folder) as corpus:
        purger = start(PURGER, memory_folder, 50)
        before = 60
        while purger.poll() is None:
            found = len(corpus.search("island", k=100).hits)
            assert 10 <= found <= before
            before = found
        finish(purger)
        assert len(corpus.search("island", k=100).hits) == 10


# -- opening beside a removal -----------------------------------------------------------------------

OPENER = """
import random, sys, time
import asof
from asof.errors import NoCorpus
create = sys.argv[1] == "create"
for folder in map(str.strip, sys.stdin):
    for _ in range(3):
        time.sleep(random.random() * 0.004)
        try:
            with asof.open(folder, create=create) as corpus:
                corpus.search("island")
                if create and folder.endswith(sys.argv[2]):
                    corpus.add([asof.Document(sys.argv[2], "island")])
        except NoCorpus:
            assert not create
    print("done", flush=True)
"""

ROUNDS = 40


def test_who_opens_a_folder_is_not_disturbed_by_who_removes_its_unused_corpus(
    memory_folder: Path, start: Start
) -> None:
    """Each round begins without the folder. Who makes it removes it again, unless something was written."""
    writing, idle, reading = (
        start(OPENER, *each) for each in (("create", "1"), ("create", "-"), ("read", "-"))
    )
    for at in range(ROUNDS):
        folder = memory_folder / f"{at}"
        for process in (writing, idle, reading):
            process.stdin.write(f"{folder}\n")
            process.stdin.flush()
        for process in (writing, idle, reading):
            assert process.stdout.readline() == "done\n", finish(process)
        if at % 10 == 1:
            with asof.open(folder, create=False) as corpus:
                assert [hit.document for hit in corpus.search("island").hits] == ["1"]
        else:
            assert not folder.exists() or sorted(folder.iterdir()) in ([], [folder / ".asof"])
    for process in (writing, idle, reading):
        finish(process)


# -- the lock ---------------------------------------------------------------------------------------

HOLDER = """
import sys
from pathlib import Path
from asof.store.schema import exclusive_lock
with exclusive_lock(Path(sys.argv[1]) / ".asof" / "write.lock", 5):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_writer_is_told_who_holds_the_lock(
    memory_folder: Path, start: Start, run_asof: Any, write_lines: Any
) -> None:
    source = write_lines(memory_folder / "island.jsonl", lines(0, 5))
    with asof.open(memory_folder, wait=0.2) as corpus:
        corpus.add([asof.Document("d", "island")])
        holder = start(HOLDER, memory_folder)
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=rf"process {holder.pid} is writing"):
            corpus.add([asof.Document("e", "another island")])
        # who reads does not wait
        assert len(corpus.search("island").hits) == 1
    result = run_asof("index", source, "--index", memory_folder, "--wait", "0.2")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    assert str(holder.pid) in result.stderr
    finish(holder)
    assert run_asof("index", source, "--index", memory_folder, "--wait", "0.2").returncode == 0
