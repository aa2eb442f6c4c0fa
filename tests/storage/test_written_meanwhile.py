"""What is written to a working copy while another state of it is fetched: it is kept, or refused, never lost
in silence."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.storage.test_crashes import killed_after
from tests.support.storages import (
    Killed,
    Watched,
    content,
    in_folder,
    ready,
    storage_of,
    write,
    written,
)

import asof
from asof.data import Document
from asof.errors import CorpusError, UnpushedChanges
from asof.storage import swap
from asof.storage.local import LocalObjects
from asof.storage.working_copy import WorkingCopy

ANOTHER_PROCESS = """
import sys
from pathlib import Path
from tests.support.storages import write
write(Path(sys.argv[1]), *((f"mine{each}", "Written meanwhile.") for each in range(4)))
"""
"""It writes a transaction to both shards of a copy: ids 0 to 3 are of the shards 0, 1, 1 and 0."""


def behind(folder: Path, shards: int = 2) -> tuple[dict[int, int], Path, Path]:
    """A storage, in `store`: the epochs of its writer, that one's copy, and another copy that is one state
    behind."""
    storage, epochs, root = ready(folder, LocalObjects(folder / "store"), shards)
    copy = folder / "copy"
    storage.pull(copy)
    with written(root, *((f"note{i}", f"The storm of day {i}.") for i in range(6)), shards=shards):
        pass
    storage.push(root, epochs)
    return epochs, root, copy


class Once:
    """Does something before the first operation on an object: a pull has looked at the copy, and fetches."""

    def __init__(self, do: object) -> None:
        self.do, self.done = do, False

    def __call__(self, operation: str, name: str) -> None:
        if name.startswith("objects/") and not self.done:
            self.done = True
            self.do()  # type: ignore[operator]


def test_what_another_process_writes_during_a_pull_is_kept(memory_folder: Path) -> None:
    _, root, copy = behind(memory_folder)
    command = [sys.executable, "-c", ANOTHER_PROCESS, str(copy)]
    writes = Once(lambda: subprocess.run(command, check=True))
    storage = storage_of(Watched(LocalObjects(memory_folder / "store"), writes))
    before = content(copy)
    with pytest.raises(UnpushedChanges, match="has changes that"):
        storage.pull(copy)
    assert writes.done
    assert content(copy) == before | {f"mine{each}": "Written meanwhile." for each in range(4)}
    storage.pull(copy, discard=True)
    assert content(copy) == content(root)


def test_what_is_written_to_the_only_shard_during_a_pull_is_kept(memory_folder: Path) -> None:
    """As a corpus in one piece, which is written to under its own lock."""
    _, root, copy = behind(memory_folder, shards=1)
    with asof.open(copy) as corpus:
        assert isinstance(corpus, asof.Corpus)
        writes = Once(lambda: corpus.add([Document("mine", "Written meanwhile.")]))
        storage = storage_of(Watched(LocalObjects(memory_folder / "store"), writes))
        with pytest.raises(UnpushedChanges, match="has changes that"):
            storage.pull(copy)
        assert content(copy, 1)["mine"] == "Written meanwhile."
        storage.pull(copy, discard=True)
        assert content(copy, 1) == content(root, 1)
        with pytest.raises(CorpusError, match="another state of it was fetched, and nothing was"):
            corpus.add([Document("more", "Written too late.")])
        with pytest.raises(CorpusError, match="open it again"):
            corpus.purge("note1")
    with asof.open(copy) as corpus:
        corpus.add([Document("more", "Written in time.")])
    assert content(copy, 1)["more"] == "Written in time."


@pytest.mark.parametrize("shards", [1, 2])
def test_a_reader_killed_anywhere_loses_nothing_of_what_is_written_then(
    memory_folder: Path, shards: int
) -> None:
    """Before each change of a file the pull ends; a process that has had the copy open writes, or is told
    that it cannot; the next pull keeps what was written."""
    behind(memory_folder, shards)
    kept = refused = 0
    for step in range(200):
        there = memory_folder / f"again{step}"
        for name in ("store", "copy"):
            shutil.copytree(memory_folder / name, there / name)
        file = there / "copy" / ".asof" / "storage.json"
        file.write_text(file.read_text().replace(str(memory_folder / "store"), str(there / "store")))
        storage = in_folder(there / "store")
        with asof.open(there / "copy") as corpus:
            with pytest.MonkeyPatch.context() as patch:
                killed_after(patch, step)
                try:
                    storage.pull(there / "copy")
                    done = True
                except Killed:
                    done = False
            try:
                corpus.add([Document(f"mine{each}", "Written meanwhile.") for each in range(4)])
            except CorpusError:
                refused += 1
                storage.pull(there / "copy")
                assert content(there / "copy")["note5"] == "The storm of day 5."
            else:
                kept += 1
                with pytest.raises(UnpushedChanges):
                    storage.pull(there / "copy")
                texts = content(there / "copy")
                assert [texts[f"mine{each}"] for each in range(4)] == ["Written meanwhile."] * 4
        shutil.rmtree(there)
        if done:
            break
    assert kept > 6
    assert refused > 6  # from the intent on: whole, list, state, two changes that end it, what is removed


def test_a_swap_that_another_process_finished_is_not_done_again(memory_folder: Path) -> None:
    """Who waited to finish it would bring back the state of then; what was written since would be taken
    back."""
    _, root, folder = behind(memory_folder)
    storage = in_folder(memory_folder / "store")
    copy = WorkingCopy(folder, storage.url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swap, "write_committed", killed)
        with pytest.raises(Killed):
            storage.pull(folder)
    assert copy.intent.exists()
    opening = threading.Thread(target=swap.finish, args=(copy,))
    with copy.still():
        opening.start()
        opening.join(0.2)
        assert opening.is_alive()  # it waits
        swap._finish(copy)
        state = copy.state()
        assert (state.number, copy.intent.exists()) == (5, False)
        copy.save(replace(state, number=9))
    opening.join()
    assert copy.state().number == 9
    assert content(folder) == content(root)


def killed(*_: object) -> None:
    raise Killed


def test_a_pull_that_waited_for_a_push_keeps_what_was_pushed(memory_folder: Path) -> None:
    """It has asked for the latest manifest before; of that one it would make the copy again."""
    epochs, root, _ = behind(memory_folder)
    watched = Watched(LocalObjects(memory_folder / "store"))

    def pushes(operation: str, name: str) -> None:
        if operation == "get" and name.startswith("manifests/"):
            watched.after = lambda *_: None
            write(root, ("note9", "A calm."))
            assert in_folder(memory_folder / "store").push(root, epochs).number == 6

    watched.after = pushes
    assert storage_of(watched).pull(root).number == 6
    assert content(root)["note9"] == "A calm."
    assert in_folder(memory_folder / "store").copied(root) == 6
