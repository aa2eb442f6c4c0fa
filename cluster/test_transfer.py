"""A corpus at a URL: pushed, pulled, vacuumed, interrupted anywhere, by several, from hostile storages."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

import asof
from asof.errors import DamagedStore, NoCorpus, OtherSchema, PublishConflict, StorageError, UsageError
from asof.extensions.cluster import transfer
from asof.extensions.cluster.shards import divide, open_shards
from asof.extensions.cluster.storage import ShardManifest, Storage, checked_url
from asof.extensions.cluster.transfer import pull, push, vacuum
from asof.wire import encode, replace

NOTES = [
    {"id": f"note-{n}", "text": f"The ferry costs {n} euros.", "published": f"{2010 + n}-03-01"}
    for n in range(8)
]


def written(folder: Path, *notes: dict[str, str]) -> None:
    with asof.open(folder) as corpus:
        corpus.add(list(notes))


def found(folder: Path | str, as_of: str = "2030") -> set[str]:
    with asof.open(folder, create=False) as corpus:
        return {hit.document for hit in corpus.at(as_of).search("ferry", k=50)}


def said(folder: Path) -> list[Any]:
    """All that a search says as of some dates, with scores and their trees."""
    with asof.open(folder, create=False) as corpus:
        moments = [corpus.at(as_of) for as_of in ("2012", "2014", "2030")]
        results = [then.search("what does the ferry cost", k=5) for then in moments]
        return [[encode(hit, "explain") for hit in each] for each in results]


def names(storage: Storage) -> set[str]:
    kinds = ("manifests", "chunks", "segments")
    return {f"{kind}/{name}" for kind in kinds for name in storage.listed(f"shard-0/{kind}")}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    written(folder, *NOTES[:4])
    return folder


class Interrupted(BaseException):
    """Ends a push or a pull at some point."""


class CountingStorage(Storage):
    """Calls `do` before the request number `at`, from 1 on."""

    def __init__(self, url: str, at: int, do: Callable[[], None]) -> None:
        self.at, self.do, self.count, self.lock = at, do, 0, threading.Lock()
        super().__init__(url, make=True)

    def _asked(self, name: str, done: str) -> Any:
        with self.lock:
            self.count += bool(name)  # "" while it is opened
            due = bool(name) and self.count == self.at
        if due:
            self.do()
        return super()._asked(name, done)


def stop() -> None:
    raise Interrupted


# -- what goes right -----------------------------------------------------------------------------------


def test_a_copy_answers_as_its_corpus_and_only_what_changed_is_sent(
    storage: Storage, source: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    first = push(source, storage)
    assert (first.numbers, first.objects) == ([1], 3)  # a segment, a database of one piece, a manifest
    assert push(source, storage) == transfer.PushReport([1])
    assert pull(storage, copy) == transfer.PullReport([1], first.bytes, changed=True)
    assert pull(storage, copy) == transfer.PullReport([1])
    assert said(copy) == said(source) != []
    written(source, NOTES[4])
    assert "note-4" not in found(copy)
    second = push(source, storage)
    assert (second.numbers, second.objects) == ([2], 3)
    assert pull(storage, copy).bytes == second.bytes
    assert said(copy) == said(source)
    states = [each for each in copy.iterdir() if each.is_dir()]
    segments = [each for state in states for each in state.rglob("*.seg")]
    assert len(segments) == 1 + 2  # of which the two of one name are one file
    assert len({each.stat().st_ino for each in segments}) == 2
    assert found(storage.url) == {f"note-{number}" for number in range(5)}


def test_pieces_of_a_database_that_did_not_change_are_sent_once(
    local: Storage, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "CHUNK", 1 << 16)
    written(source, *({"id": f"x{n}", "text": f"{n} " + "ferry and mole " * 500} for n in range(200)))
    first = push(source, local)
    pull(local, tmp_path / "copy")
    written(source, {"id": "one", "text": "one ferry"})
    second = push(source, local)
    assert 0 < second.objects < first.objects / 3
    assert pull(local, tmp_path / "copy").bytes == second.bytes
    assert said(tmp_path / "copy") == said(source)


def test_a_copy_is_only_read(local: Storage, source: Path, tmp_path: Path) -> None:
    push(source, local)
    pull(local, tmp_path / "copy")
    with asof.open(tmp_path / "copy") as corpus, pytest.raises(UsageError, match="only read"):
        corpus.add(NOTES[5:])
    with pytest.raises(UsageError, match="push the folder that is written"):
        push(tmp_path / "copy", local)
    with pytest.raises(UsageError, match="holds something else than a copy of"):
        pull(Storage(f"file://{tmp_path}/other", make=True), tmp_path / "copy")
    with pytest.raises(UsageError, match="name a new folder"):
        pull(local, source)
    divide([source], tmp_path / "shards", 3)
    with pytest.raises(UsageError, match=r"in 1 shard\(s\), .* is of one in 3: push it to another URL"):
        push(tmp_path / "shards", local)


def test_who_has_a_state_open_keeps_it(local: Storage, source: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    push(source, local)
    pull(local, copy)
    with asof.open(copy) as corpus:
        for note in NOTES[4:]:
            written(source, note)
            push(source, local)
            pull(local, copy)
        with asof.open(copy) as newer:
            assert newer.at("2030").view().n == 8
        with corpus.session.store.reader().shards[0] as db:  # a connection that was not open yet
            assert db.execute("SELECT count(*) FROM documents").fetchone() == (4,)
        assert {hit.document for hit in corpus.at("2030").search("ferry", k=50)} == {
            "note-0", "note-1", "note-2", "note-3",
        }  # fmt: skip
        assert sum(each.is_dir() for each in copy.iterdir()) == 3  # this one, the newest, the one before
    written(source, {"id": "last", "text": "ferry"})
    push(source, local)
    pull(local, copy)
    assert sum(each.is_dir() for each in copy.iterdir()) == 2


def test_a_push_sees_one_state_while_others_write(local: Storage, source: Path, tmp_path: Path) -> None:
    def write() -> None:
        for number in range(40):
            written(source, {"id": f"n{number}", "text": f"A ferry for {number}.", "published": "2020"})

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        push(source, local)
        pull(local, tmp_path / "copy")
        with open_shards(tmp_path / "copy") as many:
            assert many.shards[0].manifest.faults(many.shards[0].store.first) == []
    writer.join()
    push(source, local)
    pull(local, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(source)


def test_what_recipes_derived_is_kept_unless_something_was_erased(
    local: Storage, source: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"

    def file() -> Path:
        return copy / json.loads((copy / "shards.json").read_text())["state"] / "derived" / "kind" / "file"

    push(source, local)
    pull(local, copy)
    file().parent.mkdir(parents=True)
    file().write_text("graph")
    written(source, NOTES[4])
    push(source, local)
    pull(local, copy)
    assert file().read_text() == "graph"
    with asof.open(source) as corpus:
        corpus.purge("note-1")
    push(source, local)
    pull(local, copy)
    assert not file().exists()
    assert sum(each.is_dir() for each in copy.iterdir()) == 1  # no state before, with what was erased
    assert said(copy) == said(source)


def test_no_view_of_a_storage_is_read(local: Storage, source: Path, tmp_path: Path, objects: Path) -> None:
    push(source, local)
    pull(local, tmp_path / "copy")
    state = local.newest(0)
    assert state is not None
    file = tmp_path / "forged.db"
    file.write_bytes((objects / "shard-0" / "chunks" / state.chunks[0]).read_bytes())
    with closing(sqlite3.connect(file)) as db:
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, x FROM n"
        db.execute("DROP TABLE transactions")
        db.execute(f"CREATE VIEW transactions (id, what) AS {endless}")
    forged = file.read_bytes()
    digest = sha256(forged).hexdigest()
    local.put(f"shard-0/chunks/{digest}", forged)
    local.publish(replace(state, number=2, bytes=len(forged), chunks=(digest,)).sealed())
    pull(local, tmp_path / "copy")
    with pytest.raises(DamagedStore, match="has the view 'transactions', which is not part"):
        asof.open(tmp_path / "copy", create=False)


# -- two writers ---------------------------------------------------------------------------------------


def test_a_writer_that_lost_its_place_overwrites_nothing(
    storage: Storage, source: Path, tmp_path: Path
) -> None:
    push(source, storage)
    other = tmp_path / "other"
    shutil.copytree(source, other)
    written(other, NOTES[5])
    written(source, NOTES[6])
    push(other, storage)
    with pytest.raises(PublishConflict, match=r"00000002.json was published by another writer, and .*source"):
        push(source, storage)
    pull(storage, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(other)


def test_of_two_writers_at_once_one_gets_the_number(local: Storage, source: Path, tmp_path: Path) -> None:
    push(source, local)
    other = tmp_path / "other"
    shutil.copytree(source, other)
    written(other, NOTES[5])
    written(source, NOTES[6])
    # list and read the manifest, list both kinds of objects, put a piece and a segment, then the manifest
    slow = CountingStorage(local.url, 7, lambda: push(other, local))
    with pytest.raises(PublishConflict, match=r"00000002.json was published by another writer meanwhile"):
        push(source, slow)
    pull(local, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(other)


# -- interrupted ---------------------------------------------------------------------------------------


def test_a_push_interrupted_at_any_request_goes_on(local: Storage, source: Path, tmp_path: Path) -> None:
    push(source, local)
    shutil.copytree(tmp_path / "objects", tmp_path / "before")
    old = found(source)
    written(source, NOTES[4])
    for at in itertools.count(1):
        shutil.rmtree(tmp_path / "objects")
        shutil.copytree(tmp_path / "before", tmp_path / "objects")
        try:
            push(source, CountingStorage(local.url, at, stop))
            break
        except Interrupted:
            pull(local, tmp_path / f"copy-{at}")
            assert found(tmp_path / f"copy-{at}") in (old, old | {"note-4"})
            push(source, local)
            pull(local, tmp_path / f"copy-{at}")
            assert found(tmp_path / f"copy-{at}") == old | {"note-4"}
    assert at > 8


FILES: list[Any] = [0, 0, ""]
"""How many accesses to files below a folder were seen, at which one to stop, the folder."""


ACCESSES = frozenset(["open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"])


def hook(event: str, args: tuple[Any, ...]) -> None:
    if FILES[1] and event in ACCESSES:
        FILES[0] += 1
        if FILES[0] == FILES[1]:
            FILES[1] = 0
            raise Interrupted


sys.addaudithook(hook)


def test_a_pull_interrupted_at_any_request_or_file_goes_on(
    local: Storage, source: Path, tmp_path: Path
) -> None:
    copy, before = tmp_path / "copy", tmp_path / "before"
    push(source, local)
    pull(local, before)
    written(source, NOTES[4])
    push(source, local)
    old, new = found(before), found(source)

    def tries(begin: Callable[[int], Storage]) -> int:
        at = 0
        while True:
            at += 1
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(before, copy)
            try:
                pull(begin(at), copy)
            except Interrupted:
                assert found(copy) in (old, new)
                pull(local, copy)
                assert found(copy) == new
                assert not (copy / "arriving").exists()
            else:
                FILES[1] = 0
                return at

    def at_file(at: int) -> Storage:
        FILES[:2] = 0, at
        return local

    assert tries(lambda at: CountingStorage(local.url, at, stop)) > 4
    assert tries(at_file) > 20


@pytest.mark.parametrize("at", [5, 15, 25, 35, 45])
def test_a_pull_that_is_killed_goes_on(at: int, local: Storage, source: Path, tmp_path: Path) -> None:
    push(source, local)
    script = """
import os, signal, sys
from pathlib import Path
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull
count = 0
def hook(event, args):
    global count
    if event in ("open", "os.rename", "os.mkdir"):
        count += 1
        if count == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
storage = Storage(sys.argv[1])
sys.addaudithook(hook)
pull(storage, Path(sys.argv[2]))
"""
    ended = subprocess.run([sys.executable, "-c", script, local.url, tmp_path / "copy", str(at)], check=False)
    assert ended.returncode in (-signal.SIGKILL, 0)
    pull(local, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(source)


def test_a_pull_on_a_full_disk_goes_on(local: Storage, source: Path, tmp_path: Path) -> None:
    push(source, local)
    script = """
import resource, signal, sys
from pathlib import Path
from asof.errors import NoSpace
from asof.extensions.cluster.storage import Storage
from asof.extensions.cluster.transfer import pull
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    pull(Storage(sys.argv[1]), Path(sys.argv[2]))
except NoSpace as error:
    print(error)
"""
    command = (sys.executable, "-c", script, local.url, tmp_path / "copy")
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "free some disk space" in out
    assert not (tmp_path / "copy" / "shards.json").exists()
    pull(local, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(source)


# -- vacuum --------------------------------------------------------------------------------------------


def test_a_vacuum_leaves_what_a_pull_may_need_within_the_grace(
    storage: Storage, source: Path, tmp_path: Path
) -> None:
    push(source, storage)
    first = names(storage)
    written(source, NOTES[4])
    push(source, storage)
    assert vacuum(storage, 3600) == 0
    assert names(storage) > first
    assert vacuum(storage, 0) == 2  # the first manifest and its copy of the database; the segment stays
    pull(storage, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(source)
    assert vacuum(storage, 0) == 0
    with pytest.raises(UsageError, match="seconds from 0 on"):
        vacuum(storage, float("nan"))


@pytest.mark.parametrize("grace", [0, 3600])
def test_a_pull_during_a_vacuum_brings_a_whole_state(
    grace: int, local: Storage, source: Path, tmp_path: Path
) -> None:
    push(source, local)

    def meanwhile() -> None:
        written(source, *({**note, "text": note["text"] + " And back."} for note in NOTES))
        push(source, local)
        with asof.open(source) as corpus:  # so that the old segment is in no state any more
            corpus.purge("note-0")
        push(source, local)
        vacuum(local, grace)

    for at in itertools.count(4):  # the third lists, the fourth reads the manifest
        slow = CountingStorage(local.url, at, meanwhile)
        report = pull(slow, tmp_path / f"copy-{at}")
        if slow.count < at:
            break
        assert report.numbers == [1] if grace else report.numbers in ([1], [3])
        assert len(found(tmp_path / f"copy-{at}")) in (4, 7)
        shutil.rmtree(source)
        written(source, *NOTES[:4])
        shutil.rmtree(tmp_path / "objects")
        push(source, Storage(local.url, make=True))
    assert at > 6


def test_erased_text_is_in_no_object(local: Storage, source: Path, tmp_path: Path, objects: Path) -> None:
    written(source, {"id": "secret", "text": "The zanzibar password is quetzalcoatl."})
    push(source, local)
    assert b"quetzalcoatl" in b"".join(each.read_bytes() for each in objects.rglob("*") if each.is_file())
    with asof.open(source) as corpus:
        corpus.purge("secret")
    push(source, local)
    vacuum(local, 0)
    left = b"".join(each.read_bytes() for each in objects.rglob("*") if each.is_file()).lower()
    assert b"quetzalcoatl" not in left
    assert b"zanzibar" not in left
    assert b"secret" not in left
    pull(local, tmp_path / "copy")
    assert said(tmp_path / "copy") == said(source)


# -- what a storage may hold ---------------------------------------------------------------------------


def test_every_altered_object_is_named(local: Storage, source: Path, tmp_path: Path, objects: Path) -> None:
    push(source, local)
    for number, path in enumerate(sorted(each for each in objects.rglob("*") if each.is_file())):
        whole = path.read_bytes()
        broken = bytearray(whole)
        broken[len(whole) // 2] ^= 1
        for content in (bytes(broken), whole[:-1], whole[:0], None):
            path.unlink()
            if content is not None:
                path.write_bytes(content)
            copy = tmp_path / f"copy-{number}"
            with pytest.raises((StorageError, NoCorpus)) as error:
                pull(local, copy)
            assert path.name in str(error.value) or (content is None and path.suffix == ".json")
            assert "push" in str(error.value)
            assert not (copy / "shards.json").exists()
            path.write_bytes(whole)
        pull(local, copy)
        assert said(copy) == said(source)


def edited(objects: Path, **changes: Any) -> None:
    path = objects / "shard-0" / "manifests" / "00000001.json"
    content = {**json.loads(path.read_text()), **changes}
    with suppress(msgspec.ValidationError):  # else its checksum is right
        content = msgspec.to_builtins(msgspec.convert(content, ShardManifest).sealed())
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "name", ["../../../evil.seg", "/evil.seg", "x/0123456789abcdef.seg", "0123456789abcdef.seg\n"]
)
def test_no_name_leaves_the_folder(
    name: str, local: Storage, source: Path, tmp_path: Path, objects: Path
) -> None:
    push(source, local)
    segment = json.loads((objects / "shard-0/manifests/00000001.json").read_text())["segments"][0]
    edited(objects, segments=[{**segment, "file": name}])
    with pytest.raises(StorageError, match=r"00000001.json is no manifest"):
        pull(local, tmp_path / "copy")
    assert not list(tmp_path.rglob("evil*"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "format 2 .* use a newer asof"), ({"schema": 1}, "schema 1, .* index anew"),
        ({"shard": 1}, "contradicts"), ({"number": 2}, "contradicts"), ({"shards": 0}, "no manifest"),
        ({"shards": 2}, "lacks shards"), ({"shards": 10**9}, "no manifest"), ({"chunk": 1}, "no manifest"),
        ({"bytes": 10**9}, "contradicts"), ({"chunks": ["../x"]}, "no manifest"),
        ({"segments": None}, "no manifest"),
    ],
)  # fmt: skip
def test_manifests_are_checked(
    changes: dict[str, Any], message: str, local: Storage, source: Path, tmp_path: Path, objects: Path
) -> None:
    push(source, local)
    edited(objects, **changes)
    with pytest.raises((StorageError, OtherSchema), match=message):
        pull(local, tmp_path / "copy")


@pytest.mark.parametrize(
    "url",
    ["s3://", "s3://b", "s3://key:secret@bucket/x", "s3://bucket/../x", "s3://bucket/a?b=c", "http://bucket/x",
     "file://host/x", "file:///a/../b", "notes", "s3://bucket/" + 1000 * "x", "file:///a%00b", "file:///a%2e%2e/b"],
)  # fmt: skip
def test_urls_are_checked(url: str) -> None:
    if url == "file:///a%2e%2e/b":  # a folder that is called so
        assert checked_url(url) == url
        return
    with pytest.raises(UsageError, match="accepted: s3://BUCKET/PREFIX") as error:
        checked_url(url)
    assert "secret" not in str(error.value)


def test_a_storage_without_an_answer_is_an_error_in_time(
    bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StorageError, match=r"could not be listed .* check the URL, the keys"):
        pull(Storage("s3://notes/nothing"), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


class FaultyServer(BaseHTTPRequestHandler):
    """Gives the objects of a folder, and each GET of one at first badly: as `fault` says."""

    protocol_version = "HTTP/1.1"
    fault, seen, root = "", set[str](), Path()

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if "list-type" in parts.query:
            prefix = parse_qs(parts.query)["prefix"][0]
            found = (each for each in self.root.rglob("*") if each.is_file())
            keys = ((f"p/{each.relative_to(self.root)}", each.stat().st_size) for each in found)
            rows = "".join(
                f"<Contents><Key>{key}</Key><Size>{size}</Size><ETag>x</ETag>"
                "<LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>"
                for key, size in keys if key.startswith(prefix)
            )  # fmt: skip
            listing = f"<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
            return self.answer(200, listing.encode())
        content = (self.root / parts.path.removeprefix("/notes/p/")).read_bytes()
        start, end = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        part = content[start : end + 1]
        first = self.path not in self.seen
        self.seen.add(self.path)
        if self.fault == "503" or (self.fault == "503 once" and first):
            return self.answer(503, b"slow down")
        whole = f"bytes {start}-{start + len(part) - 1}/{len(content)}"
        if self.fault == "cut" or (self.fault == "cut once" and first):
            self.answer(206, part[: len(part) // 2], whole, len(part))
            self.close_connection = True
            return None
        return self.answer(206, part, whole)

    def answer(self, code: int, content: bytes, part: str = "", length: int | None = None) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.send_header("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")
        self.send_header("ETag", '"x"')
        if part:
            self.send_header("Content-Range", part)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("fault", ["503 once", "cut once", "503", "cut"])
def test_a_server_that_fails_is_asked_again_and_not_for_ever(
    fault: str, local: Storage, source: Path, tmp_path: Path, objects: Path, bucket: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    push(source, local)
    handler = type("Handler", (FaultyServer,), {"fault": fault, "seen": set(), "root": objects})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        began = time.monotonic()
        if "once" in fault:
            pull(Storage("s3://notes/p"), tmp_path / "copy")
            assert said(tmp_path / "copy") == said(source)
        else:
            with pytest.raises(StorageError, match=r"manifests/00000001.json could not be read"):
                pull(Storage("s3://notes/p"), tmp_path / "copy")
        assert time.monotonic() - began < 60
        server.shutdown()


# -- commands ------------------------------------------------------------------------------------------


def test_commands(local: Storage, source: Path, tmp_path: Path, out: Callable[..., str]) -> None:
    copy = str(tmp_path / "copy")
    assert "no corpus at file:" in out("search", "ferry", "--index", local.url, code=2)
    assert "state 1; sent 3 objects" in out("push", local.url, "--index", str(source))
    assert "The ferry costs 2 euros." in out("search", "ferry", "--index", local.url, "--as-of", "2012-06")
    assert "costs 3 euros" not in out("search", "ferry", "--index", local.url, "--as-of", "2012-06")
    assert "received" in out("pull", local.url, copy)
    assert "no news" in out("pull", local.url, copy)
    assert "The ferry costs 3 euros." in out("search", "ferry", "--index", copy)
    assert "only read" in out("index", str(source), "--index", copy, code=2)
    assert "removed 0 objects" in out("push", local.url, "--index", str(source), "--vacuum", "0")
    assert "no scheme of URLs of corpora 'ftp'" in out("search", "x", "--index", "ftp://a/b", code=2)
