"""A corpus that follows its folders: what is saved, moved or deleted, and what has to be left alone."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import asof
from asof.errors import UsageError
from asof.extensions.server.watching import Notice, Watcher, known_sources

DEADLINE = 20.0


def until(true: Callable[[], bool], what: str = "") -> None:
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, f"it did not come to this: {what}"
        time.sleep(0.02)


def texts(corpus: asof.Corpus) -> dict[str, str]:
    then = corpus.at()
    return {each.id: then.text(each.id) or "" for each in then.documents(most=1000)}


@contextmanager
def watching(root: Path, *sources: Path) -> Iterator[tuple[asof.Corpus, list[Notice]]]:
    """A corpus in `root` that follows these, once all has been compared."""
    notices: list[Notice] = []
    stop = threading.Event()
    with asof.open(root) as corpus:
        thread = threading.Thread(target=Watcher(corpus, sources, notices.append).run, args=(stop,))
        thread.start()
        until(lambda: len(notices) >= len(sources), "a first comparison")
        try:
            yield corpus, notices
        finally:
            stop.set()
            thread.join(DEADLINE)
            assert not thread.is_alive()


@pytest.fixture
def vault(tmp_path):
    folder = tmp_path / "vault"
    (folder / "deep").mkdir(parents=True)
    (folder / "quay.md").write_text("The quay is long.")
    (folder / "deep" / "mole.md").write_text("The mole is short.")
    return folder


def test_what_is_saved_moved_and_deleted_is_followed(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, _):
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "The pier is new." in texts(corpus).values())
        (vault / "quay.md").write_text("The quay is longer.")
        until(lambda: "The quay is longer." in texts(corpus).values())
        (vault / "deep" / "mole.md").rename(vault / "breakwater.md")
        until(lambda: "vault/breakwater.md" in texts(corpus) and "vault/deep/mole.md" not in texts(corpus))
        (vault / "pier.md").unlink()
        until(lambda: "vault/pier.md" not in texts(corpus))
        assert corpus.at().search("quay").hits


def test_what_is_saved_during_the_first_comparison_is_found(tmp_path, vault):
    stop = threading.Event()

    def notice(one: Notice) -> None:
        if not (vault / "pier.md").exists():
            (vault / "pier.md").write_text("The pier is new.")

    with asof.open(tmp_path / "index") as corpus:
        thread = threading.Thread(target=Watcher(corpus, [vault], notice).run, args=(stop,))
        thread.start()
        until(lambda: "vault/pier.md" in texts(corpus))
        stop.set()
        thread.join(DEADLINE)


def test_another_folder_of_the_same_name_is_followed(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, _):
        shutil.copytree(vault, tmp_path / "other")
        vault.rename(tmp_path / "before")
        (tmp_path / "other").rename(vault)
        (vault / "quay.md").write_text("The other quay.")
        until(lambda: texts(corpus)["vault/quay.md"] == "The other quay.")
        time.sleep(1.0)  # whoever listens to the folder that was moved away hears nothing of this
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "vault/pier.md" in texts(corpus))


def test_of_a_burst_the_last_text_holds(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, notices):
        before = len(notices)
        for number in range(100):
            (vault / "quay.md").write_text(f"The quay, number {number}.")
        until(lambda: texts(corpus)["vault/quay.md"] == "The quay, number 99.")
        assert len(notices) - before < 10


def test_files_of_editors_and_hidden_ones_change_nothing(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, notices):
        before = len(notices)
        hidden = (".quay.md.swp", ".git/x.md", ".asof/x.md")
        for name in (*hidden, "quay.md~", "#quay.md#", "quay.tmp", "quay.md.bak"):
            (vault / name).parent.mkdir(exist_ok=True)
            (vault / name).write_text("temporary")
        atomic = vault / "quay.md.part"
        atomic.write_text("The quay, saved by renaming.")
        atomic.rename(vault / "quay.md")
        until(lambda: texts(corpus)["vault/quay.md"] == "The quay, saved by renaming.")
        assert set(texts(corpus)) == {"vault/quay.md", "vault/deep/mole.md"}
        assert not any(notice.report is None for notice in notices[before:])


def test_a_folder_that_vanishes_is_waited_for(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, notices):
        before = texts(corpus)
        vault.rename(tmp_path / "elsewhere")
        until(lambda: any("is not there" in notice.text for notice in notices))
        time.sleep(0.3)
        assert texts(corpus) == before
        assert sum("is not there" in notice.text for notice in notices) == 1
        (tmp_path / "elsewhere" / "quay.md").write_text("The quay, back again.")
        (tmp_path / "elsewhere").rename(vault)
        until(lambda: texts(corpus)["vault/quay.md"] == "The quay, back again.")
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "vault/pier.md" in texts(corpus))


def test_a_folder_that_is_nearly_emptied_is_refused_and_said(tmp_path, vault):
    for number in range(40):
        (vault / f"n{number}.md").write_text(f"Note {number}.")
    with watching(tmp_path / "index", vault) as (corpus, notices):
        for path in vault.glob("n*.md"):
            path.unlink()
        until(lambda: any("missing" in notice.text for notice in notices))
        (vault / "quay.md").write_text("Still watched.")
        assert len(texts(corpus)) > 20


def test_a_problem_is_said_and_watching_goes_on(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, notices):
        (vault / "bad.md").write_bytes(b"\x00" * 40 + b"\xff\xfe" + os.urandom(64))
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "vault/pier.md" in texts(corpus))
        assert notices[-1].report is not None


def test_several_sources_of_several_kinds(tmp_path, vault):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(json.dumps({"id": "a", "text": "One."}) + "\n")
    with watching(tmp_path / "index", vault, lines) as (corpus, _):
        with lines.open("a") as file:
            file.write(json.dumps({"id": "b", "text": "Two."}) + "\n")
        until(lambda: "b" in texts(corpus))
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "vault/pier.md" in texts(corpus))


def test_what_is_ignored_leaves_the_index_and_comes_back(tmp_path, vault):
    with watching(tmp_path / "index", vault) as (corpus, _):
        (vault / "a.md").write_text("A.")
        (vault / "b.md").write_text("B.")
        until(lambda: len(texts(corpus)) == 4)
        (vault / ".asofignore").write_text("a.md\n")
        until(lambda: "vault/a.md" not in texts(corpus))
        (vault / ".asofignore").unlink()
        until(lambda: "vault/a.md" in texts(corpus))


def test_a_corpus_that_is_opened_by_a_relative_path_is_followed(vault, monkeypatch):
    monkeypatch.chdir(vault)
    with asof.open(".") as corpus:
        corpus.add(".")
        assert known_sources(corpus) == [vault]
    with watching(Path(), Path()) as (corpus, _):
        (vault / "pier.md").write_text("The pier is new.")
        until(lambda: "pier.md" in texts(corpus))


@pytest.mark.parametrize("name", ["{out}", "../out", "link", "link/deep", "gone", "\0", "n" * 300, "self"])
def test_a_name_in_the_database_that_leads_elsewhere_is_not_followed(tmp_path, vault, name):
    root, out = vault, tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    (out / ".obsidian").mkdir()
    (out / "diary.md").write_text("The PIN is 9913.")
    (root / "link").symlink_to(out)
    (root / "self").symlink_to("self")
    with asof.open(root) as corpus:
        corpus.add(root / "quay.md")
        corpus.add(root / "deep")
    with closing(sqlite3.connect(root / ".asof" / "corpus.db")) as db, db:
        db.execute("UPDATE sources SET name = ?, kind = 'folder' WHERE id = 1", (name.format(out=out),))
    notices: list[Notice] = []
    with asof.open(root) as corpus:
        assert known_sources(corpus, notices.append) == [root / "deep"]
        assert [each.vault for each in corpus.status().sources] == ["", ""]
    ((source, words),) = [(each.source, each.text) for each in notices]
    assert source == str(root)
    assert words.startswith("1 of 2 sources not in this folder; ")
    assert words.endswith("`asof index SOURCE --watch`")


def test_a_folder_that_becomes_a_link_is_not_followed_unless_it_was_named(tmp_path, vault):
    out, notices = tmp_path / "out", list[Notice]()
    out.mkdir()
    (out / "diary.md").write_text("The PIN is 9913.")
    with asof.open(vault) as corpus:
        corpus.add(vault / "deep")
        shutil.rmtree(vault / "deep")
        (vault / "deep").symlink_to(out)
        watcher = Watcher(corpus, [vault / "deep"], notices.append, inside=corpus.root)
        watcher._compare(vault / "deep", threading.Event())
        assert [each.text[:12] for each in notices] == ["is not there"]
        assert texts(corpus) == {"deep/mole.md": "The mole is short."}
        Watcher(corpus, [vault / "deep"], notices.append)._compare(vault / "deep", threading.Event())
        assert texts(corpus)["deep/diary.md"] == "The PIN is 9913."


def test_nothing_to_watch(tmp_path):
    with asof.open(tmp_path) as corpus, pytest.raises(UsageError, match="nothing to watch"):
        Watcher(corpus, known_sources(corpus), lambda _: None).run(threading.Event())


@pytest.mark.slow
def test_the_end_of_many_changes_is_a_fresh_index(tmp_path):
    chance, vault = random.Random(7), tmp_path / "vault"
    for folder in ("a", "b", "c"):
        (vault / folder).mkdir(parents=True)
    for number in range(60):
        (vault / "abc"[number % 3] / f"n{number}.md").write_text(f"Note {number}.")
    asking = threading.Event()
    with watching(tmp_path / "index", vault) as (corpus, _):

        def ask() -> None:
            while not asking.is_set():
                corpus.at().search("note")

        searching = threading.Thread(target=ask)
        searching.start()
        for step in range(80):
            paths = sorted(vault.rglob("*.md"))
            path, kind = chance.choice(paths), chance.random()
            if kind < 0.5:
                path.write_text(f"{path.name}, step {step}.")
            elif kind < 0.7:
                path.rename(vault / chance.choice("abc") / f"m{step}.md")
            elif kind < 0.8 and len(paths) > 50:
                path.unlink()
            else:
                (vault / chance.choice("abc") / f"new{step}.md").write_text(f"New at {step}.")
            if chance.random() < 0.1:
                time.sleep(0.15)
        wanted = {f"vault/{path.relative_to(vault)}": path.read_text() for path in vault.rglob("*.md")}
        until(lambda: texts(corpus) == wanted)
        asking.set()
        searching.join()
        assert corpus.check() == []
    with asof.open(tmp_path / "fresh") as fresh:
        fresh.add(vault)
        assert texts(fresh) == wanted


@pytest.mark.slow
def test_the_command_ends_cleanly(tmp_path, vault):
    shutil.copytree(vault, tmp_path / "root" / "notes")
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "asof"]
    root = tmp_path / "root"
    subprocess.run([*command, "index", "notes"], cwd=root, env=environment, check=True, capture_output=True)
    with subprocess.Popen(
        [*command, "index", "--watch", "--json"], cwd=root, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        assert first["report"]["unchanged"] == 2
        (root / "notes" / "pier.md").write_text("The pier is new.")
        assert json.loads(process.stdout.readline())["report"]["added"] == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0
