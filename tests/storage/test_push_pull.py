"""A working copy is pushed, and another one is brought to what was pushed."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.storages import Watched, content, in_folder, ready, storage_of, write, written

from asof.cluster.opening import open_shards
from asof.errors import DamagedObject, Fenced, NoCorpus, StaleCopy, UnpushedChanges, UsageError
from asof.storage.chunks import read_list
from asof.storage.fetch import Fetched
from asof.storage.local import LocalObjects
from asof.storage.manifests import CorpusManifest
from asof.storage.names import object_path
from asof.storage.pull import Pull
from asof.storage.push import Push
from asof.storage.storage import Storage
from asof.storage.working_copy import WorkingCopy
from asof.store.store import Store


@pytest.fixture
def store(memory_folder: Path) -> Watched:
    return Watched(LocalObjects(memory_folder / "store"))


def pulled(storage: Storage, root: Path) -> tuple[CorpusManifest, Fetched]:
    pull = Pull(storage.history, WorkingCopy(root, storage.url))
    return pull.latest(), pull.fetched


def test_a_copy_is_the_corpus(memory_folder: Path, store: Watched) -> None:
    storage, _, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    manifest = storage_of(store).pull(copy)
    assert content(copy) == content(root) == {f"note{i}": f"The ferry of day {i}." for i in range(4)}
    for shard in range(2):
        dumps = []
        for each in (root, copy):
            with closing(Store.open(each / ".asof" / "shards" / f"{shard:02}").reader()) as db:
                dumps.append(list(db.iterdump()))
        assert dumps[0] == dumps[1]
        state, (segment,) = manifest.shards[shard], manifest.shards[shard].segments
        assert (state.documents, state.passages) == (segment.rows, segment.rows)
        assert segment.visible  # undated: visible when they were added
        assert segment.visible[0] == segment.visible[1] == state.head
        assert segment.end_at is None
    with open_shards(copy) as corpus:
        corpus.check()
        assert sum(len(list(shard.search("ferry", recipe="bm25"))) for shard in corpus.shards) == 4
    assert storage.pull(root).number == manifest.number  # that of the writer itself stays as it is


def test_only_what_changed_is_sent_and_fetched(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    pulled(storage, copy)
    store.counts.clear()
    assert storage.push(root, epochs).number == 4  # nothing new: no commit
    assert store.counts["create"] == store.counts["put"] == 0
    with written(root, ("note9", "A storm.")) as corpus:
        changed = corpus.layout.of_document("note9")
    before = {each.name for each in store.names("objects")}
    manifest = storage.push(root, epochs)
    # the two chunks of 128 KiB of this small database, the list of them, and the new segment
    assert len({each.name for each in store.names("objects")} - before) == 4
    latest, fetched = pulled(storage, copy)
    assert latest == manifest
    assert (fetched.chunks, fetched.segments) == (2, 1)
    assert content(copy)["note9"] == "A storm."
    assert pulled(storage, copy)[1] == Fetched()
    assert [len(state.segments) for state in manifest.shards] == [1 + (changed == 0), 1 + (changed == 1)]


def test_of_a_database_the_pages_that_changed_are_sent_and_fetched(
    memory_folder: Path, store: Watched
) -> None:
    storage, root = storage_of(store), memory_folder / "writer"
    write(root, *((f"note{i:03}", f"The ferry of day {i}. " * 40) for i in range(400)))
    storage.create(2)
    epochs = {shard: storage.claim(shard, "me") for shard in range(2)}
    writer, reader = (WorkingCopy(memory_folder / name, storage.url) for name in ("writer", "copy"))

    def push() -> int:
        before = {each.name for each in store.names("objects")}
        Push(storage.history, writer, epochs, chunk=4096).run()
        return len({each.name for each in store.names("objects")} - before)

    assert push() > 150
    Pull(storage.history, reader).latest()
    write(root, ("note007", "No ferry."))
    sent = push()
    pull = Pull(storage.history, reader)
    pull.latest()
    assert pull.fetched.chunks == sent - 2  # a list of chunks, and a segment
    assert 3 < pull.fetched.chunks < 30  # a page of each table and index that has a new row
    assert content(memory_folder / "copy") == content(root)


def test_only_some_shards_are_fetched(memory_folder: Path, store: Watched) -> None:
    storage, _, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy, shards=[1])
    assert not (copy / ".asof" / "shards" / "00").exists()
    some = content(copy)
    storage.pull(copy)
    assert content(copy) == content(root) != some
    with pytest.raises(UsageError, match="no shard 2"):
        storage.pull(copy, shards=[2])


def test_who_has_the_old_files_open_keeps_them(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy)
    with open_shards(copy) as old:
        asked = [list(shard.search("ferry", recipe="bm25")) for shard in old.shards]
        readers = [shard.store.reader() for shard in old.shards]
        for step in range(3):  # the files of the state before the last one go with the second pull
            write(root, (f"note{step}", f"The storm of day {step}."))
            storage.push(root, epochs)
            storage.pull(copy)
            texts = [text for db in readers for (text,) in db.execute("SELECT text FROM passages")]
            assert sorted(texts) == [f"The ferry of day {i}." for i in range(4)]
        assert [list(shard.search("ferry", recipe="bm25")) for shard in old.shards] == asked
        for db in readers:
            db.close()
    assert content(copy) == content(root)


def test_a_log_of_the_old_file_is_not_read_with_the_new_one(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy)
    shard = Store.open(copy / ".asof" / "shards" / "00")
    with closing(shard.writer()) as db, closing(shard.reader()) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM calls").fetchone()  # keeps the log from being emptied
        db.execute(
            "INSERT INTO calls VALUES (x'01', 'model', 'reply', 1, 1, 1)"
        )  # no transaction of the corpus
        write(root, *((f"new{i}", f"The storm of day {i}.") for i in range(8)))
        storage.push(root, epochs)
        storage.pull(copy)
        assert content(copy) == content(root)
        assert reader.execute("SELECT count(*) FROM passages").fetchone()[0] < 8
    assert content(copy) == content(root)


@pytest.mark.parametrize(
    "blocked", [False, True], ids=["the file itself", "a copy, as a reader blocks the log"]
)
def test_what_is_pushed_is_committed(memory_folder: Path, store: Watched, blocked: bool) -> None:
    storage, epochs, root = ready(memory_folder, store)
    shard = Store.open(root / ".asof" / "shards" / "00")
    with closing(shard.reader()) as reader, closing(shard.writer()) as db:
        if blocked:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM passages").fetchone()
        write(root, *((f"new{i}", f"The storm of day {i}.") for i in range(8)))
        db.execute("PRAGMA cache_size = 1")  # pages of the transaction are written to the log as it goes

        alone = threading.Lock()  # chunks are sent by several threads

        def rolled_back(operation: str, name: str) -> None:
            """In the middle of the push a transaction begins, which will be taken back."""
            with alone:
                if operation == "create" and not db.in_transaction:
                    db.execute("BEGIN")
                    db.execute("UPDATE passages SET text = 'never said' || hex(randomblob(5000))")

        store.before = rolled_back
        storage.push(root, epochs)
        assert db.in_transaction
        db.execute("ROLLBACK")
    copy = memory_folder / "copy"
    storage_of(LocalObjects(memory_folder / "store")).pull(copy)
    assert content(copy) == content(root)
    assert len(content(copy)) == 12


def test_an_altered_object_is_not_used(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy)
    before = content(copy)
    write(root, ("note9", "A storm."), ("note8", "A calm."))
    manifest = storage.push(root, epochs)
    for state in manifest.shards:
        for name in (state.truth.chunks if state.truth else "", state.segments[-1].object):
            path = object_path(name)
            whole = store.get(path) or b""
            for wrong in (whole[:-1] + bytes([whole[-1] ^ 1]), whole[:-1], bytes(len(whole))):
                store.put(path, wrong)
                with pytest.raises(DamagedObject):
                    storage.pull(copy)
                assert content(copy) == before
            store.put(path, whole)
    storage.pull(copy)
    assert content(copy) == content(root)


def test_a_chunk_of_a_database_that_was_altered_is_not_used(memory_folder: Path, store: Watched) -> None:
    """A byte in the middle of a page: SQLite would read it, so only the digest tells."""
    storage, _, _ = ready(memory_folder, store)
    latest = storage.latest()
    assert latest
    for state in latest.shards:
        assert state.truth
        chunks = [object_path(name) for name in read_list(store, state.truth)]
        whole = [store.get(path) or b"" for path in chunks]
        at, text = next(
            (at, each.index(b"The ferry")) for at, each in enumerate(whole) if b"The ferry" in each
        )
        store.put(chunks[at], whole[at][:text] + b"A" + whole[at][text + 1 :])
        with pytest.raises(DamagedObject, match="is not what its name says"):
            storage.pull(memory_folder / "fresh")
        assert content(memory_folder / "fresh") == {}
        store.put(chunks[at], whole[at])
    storage.pull(memory_folder / "fresh")
    assert len(content(memory_folder / "fresh")) == 4


def test_a_damaged_file_of_the_copy_is_not_taken_over(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy)
    write(root, *((f"new{i}", f"The storm of day {i}.") for i in range(8)))
    storage.push(root, epochs)
    for shard in range(2):
        database = copy / ".asof" / "shards" / f"{shard:02}" / "corpus.db"
        damaged = bytearray(database.read_bytes())
        damaged[-2000:] = bytes(2000)
        database.write_bytes(damaged)
    storage.pull(copy)
    assert content(copy) == content(root)


def test_of_two_writers_the_older_one_is_fenced(memory_folder: Path, store: Watched) -> None:
    notes: list[str] = []
    storage, epochs, root = ready(memory_folder, store)
    other, newer = storage_of(store, notes), memory_folder / "newer"
    taken = other.claim(1, "second")
    other.pull(newer)
    assert "second takes the place of first. If that one is still at work" in notes[-1]
    write(root, *((f"lost{i}", "Of the first writer.") for i in range(6)))
    before = storage.latest()
    with pytest.raises(
        Fenced, match=r"shard 1 of .*: second claimed it .* \(epoch 2\), so this writer \(epoch 1\)"
    ):
        storage.push(root, epochs)
    assert storage.latest() == before
    write(newer, *((f"kept{i}", "Of the second writer.") for i in range(6)))
    other.push(newer, {1: taken})
    latest = other.push(newer, {0: other.claim(0, "second"), 1: taken})
    copy = memory_folder / "copy"
    assert storage.pull(copy) == latest
    assert {name for name in content(copy) if name.startswith("kept")} == {f"kept{i}" for i in range(6)}
    assert not any(name.startswith("lost") for name in content(copy))


def test_who_is_fenced_in_the_middle_commits_nothing(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    write(root, ("note9", "A storm."))
    other = in_folder(memory_folder / "store")

    def claims(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("manifests/"):
            store.before = lambda *_: None
            other.claim(0, "second")

    store.before = claims
    with pytest.raises(Fenced, match="nothing of this push was committed"):
        storage.push(root, epochs)
    latest = other.latest()
    assert latest
    assert latest.shards[0].writer == "second"
    assert sum(state.passages for state in latest.shards) == 4


def test_a_copy_of_another_state_is_not_pushed(memory_folder: Path, store: Watched) -> None:
    storage, _, _ = ready(memory_folder, store)
    newer = memory_folder / "newer"
    write(newer, ("other", "Another corpus."))
    claimed = {shard: storage.claim(shard, "second") for shard in range(2)}
    with pytest.raises(StaleCopy, match=r"is not what .*newer was made from"):
        storage.push(newer, claimed)
    with pytest.raises(UnpushedChanges, match="has changes that"):
        storage.pull(newer)
    storage.pull(newer, discard=True)
    assert "other" not in content(newer)
    storage.push(newer, claimed)
    elsewhere = in_folder(memory_folder / "elsewhere")
    elsewhere.create(2)
    assert [elsewhere.claim(shard, "me") for shard in (0, 0, 1, 1)] == [1, 2, 1, 2]
    with pytest.raises(StaleCopy, match="is a copy of"):
        elsewhere.push(newer, claimed)


def test_changes_that_were_not_pushed_stay_while_nobody_else_changed_the_shard(
    memory_folder: Path, store: Watched
) -> None:
    storage, _, root = ready(memory_folder, store)
    write(root, ("note9", "A storm."))
    storage.claim(0, "second")  # a claim changes nothing of what the copy was made from
    storage.pull(root)
    assert "note9" in content(root)
    storage.pull(root, discard=True)
    assert "note9" not in content(root)


def test_an_earlier_manifest_is_fetched(memory_folder: Path, store: Watched) -> None:
    storage, epochs, root = ready(memory_folder, store)
    first, number = content(root), storage.pin("then").number
    write(root, ("note0", "No ferry today."), ("note9", "A storm."))
    storage.push(root, epochs)
    copy = memory_folder / "copy"
    storage.pull(copy)
    assert storage.pull(copy, number).number == number
    assert content(copy) == first
    storage.pull(copy)
    assert content(copy) == content(root) != first


def test_the_number_of_shards_changes_with_all_of_them(memory_folder: Path, store: Watched) -> None:
    from asof.cluster.making import make_shard
    from asof.store.settings import CorpusSettings
    from asof.store.shard_layout import ShardLayout, write_layout

    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    storage.pull(copy)
    make_shard(root / ".asof" / "shards" / "02", 2, CorpusSettings(), 5.0)
    write_layout(root / ".asof", ShardLayout.of(3))
    with pytest.raises(StaleCopy, match=r"has 2 shards and .* 3: fetch it, or push all shards together"):
        storage.push(root, epochs)
    latest = storage.push(root, {**epochs, 2: storage.claim(2, "first")})
    assert (latest.count, len(latest.shards)) == (3, 3)
    storage.pull(copy)
    with open_shards(copy) as corpus:
        assert corpus.layout.count == 3


def test_a_batch_that_only_some_shards_have_is_not_shown_as_whole(
    memory_folder: Path, store: Watched
) -> None:
    storage, epochs, root = ready(memory_folder, store)
    copy = memory_folder / "copy"
    assert storage.pull(copy).whole is None
    with open_shards(root) as corpus:
        until = corpus.last_write()
        with (
            corpus.shards[0].session.writing() as db,
            corpus.shards[0].store.write(
                db, lambda: until + 5, corpus.shards[0].session.manifest.publish, what="index"
            ) as torn,
        ):
            from asof.data import SourcedTime
            from asof.store.corrections import correct
            from asof.time.moment import read

            name = next(f"note{i}" for i in range(4) if corpus.layout.of_document(f"note{i}") == 0)
            correct(torn, name, SourcedTime(read("2020-01-01"), "2020-01-01", "metadata"))
        assert corpus.committed() == until
    assert storage.push(root, epochs).whole == until
    storage.pull(copy)
    with open_shards(copy) as corpus:
        assert corpus.committed() == until
    write(root, ("note9", "A storm."))
    assert storage.push(root, epochs).whole is None
    storage.pull(copy)
    with open_shards(copy) as corpus:
        assert corpus.committed() is None


def test_what_is_not_there_is_said(memory_folder: Path) -> None:
    storage = in_folder(memory_folder / "store")
    with pytest.raises(NoCorpus, match="no corpus at"):
        storage.pull(memory_folder / "copy")
    storage.create(1)
    storage.claim(0, "me")
    with pytest.raises(NoCorpus, match=r"shards\.json is missing"):
        storage.push(memory_folder / "none", {0: 1})
    with pytest.raises(UsageError, match="needs the shards to push"):
        storage.push(memory_folder / "none", {})
