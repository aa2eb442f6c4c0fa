"""Writers and readers that are killed: before every operation, at every change of a file, and at any
moment."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from contextlib import suppress
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.support.storages import (
    Killed,
    Timed,
    Watched,
    content,
    in_folder,
    killed_at,
    missing,
    ready,
    storage_of,
    unnamed,
    write,
)

from asof import corpus_files
from asof.storage import swap, working_copy
from asof.storage.local import LocalObjects
from asof.store import shard_folders, shard_layout
from asof.store.committed import write_committed


class Begun:
    """A storage, a working copy with changes that were not pushed, and a copy of the state before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        storage, self.epochs, root = ready(folder, LocalObjects(folder / "store"))
        storage.pull(folder / "copy")
        self.before = content(root)
        write(root, *((f"note{i}", f"The storm of day {i}.") for i in range(6)))
        self.after = content(root)

    def again(self, number: int) -> Path:
        """All of it anew, in a folder of its own."""
        there = self.folder / f"again{number}"
        for name in ("store", "writer", "copy"):
            shutil.copytree(self.folder / name, there / name)
        for name in ("writer", "copy"):  # the storage is at another place now
            file = there / name / ".asof" / "storage.json"
            old, new = (str(folder / "store") for folder in (self.folder, there))
            file.write_text(file.read_text().replace(old, new))
        return there


def test_a_writer_killed_before_any_operation(memory_folder: Path) -> None:
    """What is committed is the state before or the state after; the same push again makes it the one
    after."""
    begun, seen = Begun(memory_folder), set()
    for step in range(200):
        there = begun.again(step)
        objects = Watched(LocalObjects(there / "store"), killed_at(step))
        done = True
        try:
            storage_of(objects).push(there / "writer", begun.epochs)
        except Killed:
            done = False
        time_of = Timed(LocalObjects(there / "store"))
        storage = storage_of(time_of)
        latest = storage.latest()
        assert latest
        assert missing(storage) == set()
        storage.pull(there / "fresh")
        assert content(there / "fresh") == (begun.before if latest.number == 4 else begun.after)
        seen.add((done, latest.number, bool(unnamed(storage))))
        assert storage.push(there / "writer", begun.epochs).number == 5
        storage.pull(there / "copy")
        assert content(there / "copy") == begun.after
        time_of.put_at = {each.name: time_of.now for each in time_of.names("objects")}
        time_of.now += 2 * 10**10  # more than five hours
        storage.vacuum(timedelta(hours=1))
        assert unnamed(storage) == missing(storage) == set()
        shutil.rmtree(there)
        if done:
            break
    assert {(False, 4, False), (False, 4, True), (True, 5, False)} <= seen


def test_a_reader_killed_before_any_operation(memory_folder: Path) -> None:
    begun = Begun(memory_folder)
    in_folder(memory_folder / "store").push(memory_folder / "writer", begun.epochs)
    for step in range(200):
        there = begun.again(step)
        try:
            storage_of(Watched(LocalObjects(there / "store"), killed_at(step))).pull(there / "copy")
            done = True
        except Killed:
            done = False
        assert content(there / "copy") == (begun.after if done else begun.before)
        in_folder(there / "store").pull(there / "copy")
        assert content(there / "copy") == begun.after
        shutil.rmtree(there)
        if done:
            assert step > 6
            return
    raise AssertionError


def killed_after(patch: pytest.MonkeyPatch, changes: int) -> None:
    """Ends the process after so many changes of files of the working copy, before the next one."""
    left = [changes]

    def counted(function: Any) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return function(*arguments, **named)

        return call

    for name in ("rename", "remove", "create_file", "link"):
        patch.setattr(corpus_files, name, counted(getattr(corpus_files, name)))
    for module in (swap, working_copy):
        patch.setattr(module, "write_durably", counted(module.write_durably))
    patch.setattr(swap, "write_layout", counted(shard_layout.write_layout))
    patch.setattr(swap, "write_committed", counted(write_committed))
    patch.setattr(shutil, "rmtree", counted(shutil.rmtree))


def test_a_reader_killed_at_any_change_of_a_file(memory_folder: Path) -> None:
    """After that, the next pull (of the same or of a later state) leaves all shards of one state."""
    begun, halves = Begun(memory_folder), 0
    in_folder(memory_folder / "store").push(memory_folder / "writer", begun.epochs)
    for step in range(200):
        there = begun.again(step)
        with pytest.MonkeyPatch.context() as patch:
            killed_after(patch, step)
            try:
                in_folder(there / "store").pull(there / "copy")
                done = True
            except Killed:
                done = False
        halves += (there / "copy" / ".asof" / "pulling.json").exists()
        in_folder(there / "store").pull(there / "copy")
        assert content(there / "copy") == begun.after
        left = [
            file.name for file in there.rglob("*") if file.suffix == ".part" or file.name == "pulling.json"
        ]
        assert left == []
        assert not shard_folders.former(there / "copy" / ".asof")
        shutil.rmtree(there)
        if done:
            assert halves > 3
            return
    raise AssertionError


def push_on(there: Path, epochs: dict[int, int], first: int, told: Connection) -> None:
    """Writes and pushes, and tells each number that was committed."""
    storage = in_folder(there / "store")
    for step in range(first, first + 1000):
        write(there / "writer", (f"note{step % 6}", f"Text {step}."))
        told.send((step, storage.push(there / "writer", epochs).number))


@pytest.mark.slow
def test_a_writer_killed_at_any_moment(memory_folder: Path) -> None:
    """kill -9 of a process that writes and pushes; the next one goes on with its working copy."""
    _, epochs, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    fork, random_ = multiprocessing.get_context("fork"), random.Random(21)
    steps, committed, attempt = 0, 4, 0
    while attempt < 15 or committed <= 6:  # a busy machine commits little in these moments
        attempt += 1
        assert attempt < 200
        hears, tells = fork.Pipe(duplex=False)
        process = fork.Process(target=push_on, args=(memory_folder, epochs, steps, tells))
        process.start()
        time.sleep(random_.uniform(0.0, 0.25))
        assert process.pid
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        tells.close()
        try:
            while hears.poll():
                steps, committed = hears.recv()
        except EOFError:
            pass
        hears.close()
        steps += 1
        storage = in_folder(memory_folder / "store")
        latest = storage.latest()
        assert latest
        assert committed <= latest.number <= committed + 1, (
            attempt
        )  # acknowledged is kept, and at most one more
        assert missing(storage) == set()
        storage.pull(memory_folder / "copy")
    storage = in_folder(memory_folder / "store")
    storage.push(root, epochs)
    storage.pull(memory_folder / "copy")
    assert content(memory_folder / "copy") == content(root)


def test_who_opens_a_copy_finishes_what_was_begun(memory_folder: Path) -> None:
    begun, seen = Begun(memory_folder), []
    in_folder(memory_folder / "store").push(memory_folder / "writer", begun.epochs)
    for step in range(4, 30):  # from when most has been fetched
        there = begun.again(step)
        storage = in_folder(there / "store")
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            killed_after(patch, step)
            storage.pull(there / "copy")
        with storage.reading(there / "copy"):
            seen.append(content(there / "copy"))
        shutil.rmtree(there)
    assert begun.before in seen
    assert begun.after in seen
    assert all(each in (begun.before, begun.after) for each in seen)  # never some of both
