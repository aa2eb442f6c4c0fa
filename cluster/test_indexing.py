"""Indexing into shards is as into one corpus, also where processes and tasks of Ray are killed."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.guarantee import core
from tests.guarantee.observing import Asked, Moment, differences

import asof
from asof.config import Config
from asof.errors import NoCorpus, PublishConflict, SourceError, SourceShrunk
from asof.extensions.cluster.indexing import ShardJob, index_shard, index_sources, survey
from asof.extensions.cluster.shards import ShardedCorpus, create, open_shards, shard_of
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull
from asof.extensions.facts.indexer import ensure_facts
from asof.store.run import IndexReport
from asof.time.moment import read
from asof.time.span import NEVER

OBSERVABLES = {name: each for name, each in core.OBSERVABLES.items() if name != "commands"}
WORDS = ("ferry", "mill", "fare", "bridge", "toll", "crane", "berth", "storm", "bread", "quay")


def write(folder: Path, number: int, words: str = "") -> None:
    """A note of the year 2000 + number."""
    folder.mkdir(exist_ok=True)
    text = words or f"The {WORDS[number % 10]} costs {number} euros in the harbour, and no more than that."
    front = f"---\ndate: {2000 + number % 25}-03-01\n---\n"
    (folder / f"note-{number}.md").write_text(f"{front}# Note {number}\n\n{text}\n")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of 24 notes."""
    for number in range(24):
        write(tmp_path / "notes", number)
    return tmp_path / "notes"


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[asof.Corpus, ShardedCorpus]]:
    """An empty corpus, and one of 3 shards."""
    with asof.open(tmp_path / "one") as one, create(tmp_path / "many", 3) as many:
        yield one, many


def shown(corpus: asof.Corpus) -> Any:
    """What is found as of some years, and all documents then: their ids, titles and paths."""
    moments = [corpus.at(as_of) for as_of in ("2005", "2015", "2030")]
    found = [[(hit.id, hit.title) for hit in then.search(" ".join(WORDS), k=500)] for then in moments]
    return found, [sorted(each[1:] for each in then.view().store.current_documents()) for then in moments]


def alike(both: tuple[asof.Corpus, ShardedCorpus], source: Path, **options: Any) -> IndexReport:
    """The report of a source, which is that of both corpora, as is what they show."""
    one, many = both
    report = many.add(many.whole.source(source), **options)
    assert report == one.add(source, **options)
    assert shown(many.whole) == shown(one)
    return report


def test_a_folder_that_changes(both: tuple[asof.Corpus, ShardedCorpus], notes: Path) -> None:
    assert alike(both, notes).added == 24
    assert alike(both, notes).unchanged == 24
    for number in range(4):  # with its past, each in the shard that has it
        (notes / f"note-{number}.md").rename(notes / f"other-{number}.md")
    assert any(shard_of(f"notes/other-{n}.md", 3) != shard_of(f"notes/note-{n}.md", 3) for n in range(4))
    write(notes, 5, "The storm broke the crane.")
    assert alike(both, notes).changed == 4 + 1
    (notes / "other-0.md").rename(notes / "note-0.md")  # back, to an id that had a past
    write(notes, 1, "A new note where another one was.")
    assert alike(both, notes).added == 1
    (notes / "note-7.md").write_bytes(b"\xff\xfe\x00")
    (notes / "note-8.md").unlink()
    assert len(alike(both, notes).problems) == 1  # of which both shards were told
    for number in range(10, 20):
        (notes / f"note-{number}.md").unlink()
    with pytest.raises(SourceShrunk, match="10 of the 24 documents of 'notes' are missing"):
        both[1].add(both[1].whole.source(notes))
    assert alike(both, notes, allow_shrinking=True).ended == 10


def test_a_file_of_records(both: tuple[asof.Corpus, ShardedCorpus], tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    lines = [f'{{"id": "r{n}", "text": "The mill costs {n} euros.", "published": "2010"}}' for n in range(9)]
    file.write_text("\n".join(lines))
    assert alike(both, file).added == 9
    assert alike(both, file).unchanged == 9
    for corpus in (both[0], both[1].shards[shard_of("r4", 3)]):
        corpus.purge("r4")
    assert alike(both, file).added == 1  # that the other shards have all of the file does not count
    file.write_text("\n".join([*lines[2:], "{"]))
    assert alike(both, file).failed == 1
    file.write_text("\n".join(lines[2:]))
    assert alike(both, file).ended == 2


def indexed(url: str, source: Path, ray: str | None = None) -> IndexReport:
    """The report of indexing into 2 shards at a URL."""
    sources = [{"target": str(source)}]
    (report,) = index_sources(url, sources, shards=2, ray=ray, languages=(), wait=1.0, on_note=print)
    return report


def test_commands(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: Callable[..., str]
) -> None:
    monkeypatch.chdir(tmp_path)
    index, url = ("index", "notes", "--index"), f"file://{tmp_path}/objects"
    (notes / "table.db").write_bytes(b"")
    first = out(*index, "many", "--shards", "2")
    assert "notes: 24 added; 24 new passages" in first
    assert first.count(".db file is not read") == 1  # of which both shards were told
    assert "notes: 24 unchanged" in out(*index, "many")
    assert "--shards 3: many has 2; `divide` of" in out(*index, "many", "--shards", "3", code=2)
    assert "--language: many was made with en" in out(*index, "many", "--language", "de", code=2)
    assert "--watch: only for an index that" in out(*index, "many", "--watch", code=2)
    assert "notes/in lies in notes" in out("index", "notes", "--index", "notes/in", "--shards", "2", code=2)
    assert "state 1, 1; sent" in out("push", f"{url}2", "--index", "many")
    out(*index, "plain")
    assert "not in shards: `divide`" in out(*index, "plain", "--shards", "2", code=2)
    assert "notes: 24 added" in out(*index, url, "--shards", "2")
    assert "notes: 24 unchanged" in out(*index, url)
    assert {each.number for each in Storage(url).state()} == {2}  # empty, then indexed; of no news none
    out("pull", url, "copy")
    assert f"only read: index into {url}" in out(*index, "copy", code=2)
    with asof.open("copy") as copy, asof.open("many") as many, asof.open("plain") as plain:
        assert shown(copy) == shown(many) == shown(plain)


def test_a_writer_that_lost_its_place_publishes_nothing(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"file://{tmp_path}/objects"
    indexed(url, notes)
    job = ShardJob(2, url, str(tmp_path), Config(), 1.0, str(notes))
    surveys = [survey(job, shard) for shard in range(2)]
    write(notes, next(n for n in range(24) if shard_of(f"notes/note-{n}.md", 2) == 0), "A storm came.")
    stack = contextlib.ExitStack()
    corpus, _ = stack.enter_context(job.opened(0, publish=True))
    corpus.add([{"id": "other", "text": "Fog."}])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    assert [index_shard(job, surveys, shard).changed for shard in range(2)] == [1, 0]
    with pytest.raises(PublishConflict, match="was published by another writer"):
        stack.close()
    assert [each.number for each in Storage(url).state()] == [3, 2]  # empty, 24 notes, one of them changed


def rows(url: str, copy: Path) -> set[Any]:
    """All versions in the published state of a corpus, as far as there is one."""
    said = "SELECT name, stated, visible, added FROM versions AS v JOIN documents AS d ON d.id = v.document"
    with contextlib.suppress(NoCorpus):
        pull(Storage(url, make=True), copy)
        with open_shards(copy) as many:
            return {*many.whole.session.read(lambda db: db.execute(said).fetchall())}
    return set()


def commit(repository: Path, at: int) -> None:
    who = {f"GIT_{one}_{what}": "a" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    date = f"{2005 + at // 12}-{1 + at % 12:02}-09T12:00:00Z"
    env = {**os.environ, **who, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", f"{at}"]):
        subprocess.run(["git", "-C", str(repository), *words], env=env, check=True)


def change(folder: Path, at: int, draw: Random) -> None:
    """A note is new, one changes, one gets another name, one is gone."""
    files = draw.sample(sorted(folder.glob("*.md")), 3)
    files[0].rename(folder / f"moved-{at}.md")
    files[1].unlink()
    write(folder, int(files[2].stem.split("-")[1]), f"The {draw.choice(WORDS)} was changed {at} times.")
    write(folder, 100 + at)


def kill_often(folder: Path, kills: int, seed: int = 0) -> int:
    """Index notes, and a repository with its history, into 2 shards at a URL, by commands that are killed so
    often at random moments and run again, also where the machine has nothing of it any more. What was
    published stays, and in the end all is as in one corpus. Returns the number of runs.

        PYTHONPATH=src:. python -c "from cluster.test_indexing import *; kill_often(Path('killed'), 30)"
    """
    draw, url, runs, killed, took, before = Random(seed), f"file://{folder}/objects", 0, 0, 4.0, set[Any]()
    notes, repository, copy = folder / "notes", folder / "repository", folder / "copy"
    command = [sys.executable, "-m", "asof", "index", "--index", url, "--shards", "2", "--yes"]
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "ASOF_CONFIG": os.devnull}
    sources = ["--history", str(repository)], [str(notes)]
    for number, place in itertools.product(range(40), (notes, repository)):
        write(place, number)
    with asof.open(folder / "one") as one:
        while killed < kills:
            commit(repository, killed)
            for words, last in itertools.product(sources, (False, True)):
                began, runs = time.monotonic(), runs + 1
                process = subprocess.Popen([*command, *words], env=env, start_new_session=True)
                try:
                    assert process.wait(120 if last else draw.uniform(0.1, took)) == 0
                    took = time.monotonic() - began
                except subprocess.TimeoutExpired:
                    (os.killpg if draw.random() < 0.7 else os.kill)(process.pid, signal.SIGKILL)
                    killed += 1
                    process.wait()
                now = rows(url, copy)
                assert before <= now
                before = now
                if draw.random() < 0.3:
                    shutil.rmtree(folder / "cache", ignore_errors=True)
            one.add(notes, allow_shrinking=True)
            for place in (notes, repository) if killed < kills else ():
                change(place, killed, draw)
        one.add(repository, history=True)
        with open_shards(copy) as many:
            assert shown(many.whole) == shown(one)
            for each in (one, *many.shards):
                ensure_facts(each.session)
            here, there = (Moment(each, read("2020").last, NEVER) for each in (one, many.whole))
            asked = Asked("what does the ferry cost", "notes/note-5.md", other="2008")
            assert differences(OBSERVABLES, here, there, asked) == {}
    return runs


def test_nothing_is_lost_or_doubled_where_indexers_are_killed(tmp_path: Path) -> None:
    assert kill_often(tmp_path, 2) >= 4


@pytest.mark.usefixtures("ray_cluster")
def test_a_task_of_ray_whose_process_is_killed_runs_again(notes: Path, tmp_path: Path) -> None:
    url, killed = f"file://{tmp_path}/objects", list[int]()

    def kill() -> None:
        while not killed:
            for each in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if each.read_bytes().startswith(b"ray::index_shard") and not killed:
                        os.kill(int(each.parent.name), signal.SIGKILL)
                        killed.append(int(each.parent.name))

    threading.Thread(target=kill, daemon=True).start()
    report = indexed(url, notes, "auto")
    with pytest.raises(SourceError, match="does not exist"):  # what a task raises itself
        indexed(url, tmp_path / "nothing", "auto")
    assert killed
    assert report.added + report.unchanged == 24  # the task begun anew finds what the other one had stored
    pull(Storage(url), tmp_path / "copy")
    with asof.open(tmp_path / "copy") as copy, asof.open(tmp_path / "one") as one:
        one.add(notes)
        assert shown(copy) == shown(one)
