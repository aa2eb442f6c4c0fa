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
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.guarantee import core
from tests.guarantee.observing import Asked, Moment, differences

import asof
from asof.cli.main import cli, run
from asof.config import Config
from asof.errors import NoCorpus, PublishConflict, SourceError, SourceShrunk
from asof.extensions.cluster import indexing
from asof.extensions.cluster.indexing import ShardJob
from asof.extensions.cluster.shards import ShardedCorpus, create, open_shards, shard_of
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull
from asof.extensions.facts.indexer import ensure_facts
from asof.store.run import IndexReport
from asof.time.moment import read
from asof.time.span import NEVER

OBSERVABLES = {name: each for name, each in core.OBSERVABLES.items() if name != "commands"}
WORDS = ("ferry", "mill", "fare", "bridge", "toll", "crane", "berth", "storm", "bread", "quay")


def write(folder: Path, number: int, words: str = "") -> Path:
    """A note of the year 2000 + number."""
    folder.mkdir(exist_ok=True)
    file = folder / f"note-{number}.md"
    text = words or f"The {WORDS[number % 10]} costs {number} euros in the harbour, and no more than that."
    file.write_text(f"---\ndate: {2000 + number % 25}-03-01\n---\n# Note {number}\n\n{text}\n")
    return file


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of notes."""
    for number in range(24):
        write(tmp_path / "notes", number)
    return tmp_path / "notes"


def shown(corpus: asof.Corpus) -> Any:
    """What is found as of some years, and all documents then: their ids, titles and paths."""
    moments = [corpus.at(as_of) for as_of in ("2005", "2015", "2030")]
    found = [[(hit.id, hit.title) for hit in then.search(" ".join(WORDS), k=500)] for then in moments]
    return found, [sorted(each[1:] for each in then.view().store.current_documents()) for then in moments]


# -- what goes right, in one process -------------------------------------------------------------------


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[asof.Corpus, ShardedCorpus]]:
    """An empty corpus, and one of 3 shards."""
    with asof.open(tmp_path / "one") as one, create(tmp_path / "many", 3) as many:
        yield one, many


def test_a_folder_that_changes_is_indexed_as_into_one_corpus(
    both: tuple[asof.Corpus, ShardedCorpus], notes: Path
) -> None:
    one, many = both

    def index(**options: Any) -> IndexReport:
        report = many.add(many.whole.source(notes), **options)
        assert report == one.add(notes, **options)
        assert shown(many.whole) == shown(one)
        return report

    assert index().added == 24
    assert index().unchanged == 24
    for number in range(4):  # with its past, each in the shard that it has
        (notes / f"note-{number}.md").rename(notes / f"other-{number}.md")
    write(notes, 5, "The storm broke the crane.")
    assert (index().changed, index().unchanged) == (5, 24)
    strays = [n for n in range(4) if shard_of(f"notes/other-{n}.md", 3) != shard_of(f"notes/note-{n}.md", 3)]
    assert strays
    (notes / "other-0.md").rename(notes / "note-0.md")  # back, where an id of it is that of the past
    write(notes, 1, "A new note where another one was.")
    assert index().added == 1
    (notes / "note-7.md").write_bytes(b"\xff\xfe\x00")
    (notes / "note-8.md").unlink()
    index()
    gone = [notes / f"note-{number}.md" for number in range(10, 20)]
    for each in gone:
        each.unlink()
    for corpus, source in ((one, notes), (many, many.whole.source(notes))):
        with pytest.raises(SourceShrunk, match="10 of the 24 documents of 'notes' are missing"):
            corpus.add(source)  # type: ignore[attr-defined]
    assert index(allow_shrinking=True).ended == 10


def test_a_file_of_records_is_indexed_as_into_one_corpus(
    both: tuple[asof.Corpus, ShardedCorpus], tmp_path: Path
) -> None:
    one, many = both
    file = tmp_path / "records.jsonl"
    lines = [
        f'{{"id": "r{n}", "text": "A {WORDS[n % 10]} of {n} euros.", "published": "2010"}}' for n in range(9)
    ]

    def index(*text: str) -> IndexReport:
        file.write_text("\n".join(text))
        report = many.add(many.whole.source(file))
        assert report == one.add(file)
        assert shown(many.whole) == shown(one)
        return report

    assert index(*lines).added == 9
    assert index(*lines).unchanged == 9
    for corpus in (one, many.shards[shard_of("r4", 3)]):
        corpus.purge("r4")
    assert index(*lines).added == 1  # that other shards have all of the file does not count
    assert (index(*lines[2:], "{").failed, index(*lines[2:]).ended) == (1, 2)


# -- commands, and corpora at a URL --------------------------------------------------------------------


def test_commands(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def out(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["asof", *words])
        assert run(cli) == code
        printed = capsys.readouterr()
        return " ".join((printed.out + printed.err).split())

    monkeypatch.chdir(tmp_path)
    index, url = ("index", "notes", "--index"), f"file://{tmp_path}/objects"
    (notes / "table.db").write_bytes(b"")
    first = out(*index, "many", "--shards", "2")
    assert "notes: 24 added; 24 new passages" in first
    assert first.count(".db file is not read") == 1  # as both shards are told
    write(notes, 30)
    assert "notes: 1 added, 24 unchanged; 1 new passage" in out(*index, "many")
    assert "--shards 3: many has 2; `divide` of" in out(*index, "many", "--shards", "3", code=2)
    assert "--language: many was made with en" in out(*index, "many", "--language", "de", code=2)
    assert "--tell, --watch: only for an index that" in out(*index, "many", "--watch", "--tell", "x", code=2)
    assert "notes/in lies in notes" in out("index", "notes", "--index", "notes/in", "--shards", "2", code=2)
    assert "state 1, 1; sent" in out("push", f"{url}2", "--index", "many")
    out(*index, "plain")
    assert "not in shards: `divide`" in out(*index, "plain", "--shards", "2", code=2)
    assert "notes: 25 added" in out(*index, url, "--shards", "2")
    assert "notes: 25 unchanged" in out(*index, url)
    out("pull", url, "copy")
    assert f"index into {url}" in out(*index, "copy", code=2)
    assert {each.number for each in Storage(url).state()} == {2}  # empty, then indexed; nothing new, nothing
    with asof.open("copy") as copy, asof.open("many") as many, asof.open("plain") as plain:
        assert shown(copy) == shown(many) == shown(plain)


def test_a_writer_that_lost_its_place_publishes_nothing(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"file://{tmp_path}/objects"
    how: Any = {"shards": 2, "ray": None, "languages": (), "wait": 1.0, "on_note": print}
    assert [each.added for each in indexing.index_sources(url, [{"target": str(notes)}], **how)] == [24]
    job = ShardJob(2, "", url, str(tmp_path), Config(), 1.0, str(notes))
    surveys = [indexing.survey(job, shard)[0] for shard in range(2)]
    write(notes, next(n for n in range(24) if shard_of(f"notes/note-{n}.md", 2) == 0), "A storm came.")
    stack = ExitStack()
    corpus, _ = stack.enter_context(job.opened(0, publish=True))
    corpus.add([{"id": "other", "text": "Fog."}])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    for shard in range(2):
        indexing.index_shard(job, surveys, shard)
    with pytest.raises(PublishConflict, match="was published by another writer"):
        stack.close()
    assert [each.number for each in Storage(url).state()] == [3, 2]  # empty, 24 notes, one of them changed


# -- killed --------------------------------------------------------------------------------------------


def rows(url: str, copy: Path) -> set[Any]:
    """All versions in the published state of a corpus."""
    try:
        pull(Storage(url, make=True), copy)
    except NoCorpus:
        return set()
    said = "SELECT d.name, v.stated, v.visible, v.added FROM versions AS v JOIN documents AS d"
    with open_shards(copy) as many:
        return {*many.whole.session.read(lambda db: db.execute(f"{said} ON d.id = v.document").fetchall())}


def change(notes: Path, repository: Path, at: int, draw: Random) -> None:
    """In both folders a note is new, one changes, one gets another name, one is gone."""
    for folder in (notes, repository):
        files = draw.sample(sorted(folder.glob("*.md")), 3)
        files[0].rename(folder / f"moved-{at}.md")
        files[1].unlink()
        write(folder, int(files[2].stem.split("-")[1]), f"The {draw.choice(WORDS)} was changed {at} times.")
        write(folder, 100 + at)
    commit(repository, at)


def commit(repository: Path, at: int) -> None:
    date = f"20{5 + at // 12:02}-{1 + at % 12:02}-09T12:00:00Z"
    who = {f"GIT_{one}_{what}": "a" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", f"{at}"]):
        subprocess.run(["git", "-C", str(repository), *words], env=env, check=True)


def kill_often(folder: Path, kills: int, seed: int = 0) -> int:
    """Index notes, and the history of a repository, into 2 shards at a URL by commands that are killed so
    often at random moments, and then run again; sometimes on a machine that has nothing of it. What was
    published stays, and in the end all is as in one corpus. Returns the number of runs.

        PYTHONPATH=src:. python -c "from cluster.test_indexing import *; kill_often(Path('/tmp/killed'), 30)"
    """
    draw, url, notes, repository = (
        Random(seed),
        f"file://{folder}/objects",
        folder / "notes",
        folder / "repository",
    )
    for number in range(40):
        write(notes, number)
        write(repository, number)
    commit(repository, 0)
    command = [sys.executable, "-m", "asof", "index", "--index", url, "--shards", "2", "--yes"]
    env = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "ASOF_CONFIG": os.devnull}
    killed, runs, took, before = 0, 0, 4.0, set[Any]()
    with asof.open(folder / "one") as one:
        while killed < kills:
            for words, last in itertools.product(
                (["--history", str(repository)], [str(notes)]), (False, True)
            ):
                began, runs = time.monotonic(), runs + 1
                process = subprocess.Popen([*command, *words], env=env, start_new_session=True)
                try:
                    assert process.wait(120 if last else draw.uniform(0.1, 1.1 * took)) == 0
                    took = time.monotonic() - began
                except subprocess.TimeoutExpired:
                    (os.killpg if draw.random() < 0.7 else os.kill)(process.pid, signal.SIGKILL)
                    process.wait()
                    killed += 1
                now = rows(url, folder / "copy")
                assert before <= now
                before = now
                if draw.random() < 0.3:
                    shutil.rmtree(folder / "cache", ignore_errors=True)
            one.add(notes, allow_shrinking=True)
            if killed < kills:
                change(notes, repository, killed, draw)
        one.add(repository, history=True)
        with open_shards(folder / "copy") as many:
            for each in (one, *many.shards):
                ensure_facts(each.session)
            for date in ("2007", "2016", "2024"):
                as_of = read(date).last
                here, there = Moment(one, as_of, NEVER), Moment(many.whole, as_of, NEVER)
                asked = Asked("what does the ferry cost", "notes/note-5.md", other="2010")
                assert differences(OBSERVABLES, here, there, asked) == {}
            assert shown(many.whole) == shown(one)
    return runs


def test_nothing_is_lost_or_doubled_where_indexers_are_killed(tmp_path: Path) -> None:
    assert kill_often(tmp_path, 3) >= 6


def test_a_task_of_ray_whose_process_is_killed_runs_again(notes: Path, tmp_path: Path) -> None:
    import ray

    killed: list[int] = []

    def kill() -> None:
        while not killed:
            for each in Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if not killed and each.read_bytes().startswith(b"ray::index_shard"):
                        killed.append(int(each.parent.name))
                        os.kill(killed[0], signal.SIGKILL)

    url = f"file://{tmp_path}/objects"
    how: Any = {"shards": 2, "ray": "auto", "languages": (), "wait": 1.0, "on_note": print}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    try:
        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        (report,) = indexing.index_sources(url, [{"target": str(notes)}], **how)
        killer.join(10)
        with pytest.raises(SourceError, match="does not exist"):  # what a task raises itself
            list(indexing.index_sources(url, [{"target": "nothing"}], **how))
    finally:
        ray.shutdown()
    assert killed
    assert report.added + report.unchanged == 24
    pull(Storage(url), tmp_path / "copy")
    with asof.open(tmp_path / "copy") as copy, asof.open(tmp_path / "one") as one:
        one.add(notes)
        assert shown(copy) == shown(one)
