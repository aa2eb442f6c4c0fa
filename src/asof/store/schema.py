"""Tables, connections, settings and the lock of `corpus.db`.

Instants are microseconds since 1970. A transaction's id *is* its wall time (made strictly increasing), so
`added <= K` compares a row with a moment of knowledge directly.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from asof.errors import Busy, CorpusError, DamagedStore, NoCorpus, NoSpace, OtherSchema, UsageError
from asof.files import check_file, file_at, file_of, log_is_empty, missing_right, open_lock
from asof.schema import AcceptedValue, boolean, check, text
from asof.store.digest import AUTO, NONE
from asof.text.tokens import Analyzer
from asof.wire import one_of, replace

# -- tables and connections ----------------------------------------------------------------------------

LAST_NAME = "replace(path, rtrim(path, replace(path, '/', '')), '')"
"""SQL for what follows the last / of a path. The index of it is used where it stands like this."""

SCHEMA_VERSION = 10
SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- AUTOINCREMENT: an id that was erased is never given again (segments hold ranges of ids)

-- one row a write; id is the wall time of the commit, strictly increasing
CREATE TABLE transactions (id INTEGER PRIMARY KEY, what TEXT NOT NULL);

-- kind, branch: the way in which it is read (store/store.py)
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, branch TEXT NOT NULL,
    added INTEGER NOT NULL
);

-- what of a source could not be read in its last run, as in documents.Problem
CREATE TABLE problems (
    source INTEGER NOT NULL REFERENCES sources, message TEXT NOT NULL, file TEXT NOT NULL,
    line INTEGER NOT NULL, remedy TEXT NOT NULL, document TEXT NOT NULL, lost INTEGER NOT NULL
);

-- current: the version that comes last in order of (visible, added, id), retired ones left out
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    source INTEGER NOT NULL REFERENCES sources, current INTEGER
);
CREATE INDEX documents_by_source ON documents (source);

-- attributes that all passages of a version share; one row for equal attributes of one document. path:
-- what it was called then; `documents.name` is what it was called last. searched: the digest of those with
-- which each passage is searched.
-- keywords: the searched values of the metadata (a function of meta, tags and the settings)
CREATE TABLE heads (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents,
    digest BLOB NOT NULL, source INTEGER NOT NULL, searched BLOB NOT NULL, path TEXT NOT NULL,
    title TEXT NOT NULL, uri TEXT NOT NULL, language TEXT NOT NULL,
    tags TEXT NOT NULL, meta TEXT NOT NULL, about TEXT NOT NULL, keywords TEXT NOT NULL,
    fiscal_start INTEGER NOT NULL
);
CREATE INDEX heads_by_document ON heads (document);
CREATE TABLE tags (tag TEXT NOT NULL, head INTEGER NOT NULL REFERENCES heads, PRIMARY KEY (tag, head))
    WITHOUT ROWID;

-- every version ever stated. head NULL: a deletion. stated: digest of the source's statement, dates included;
-- content: the same without its dates. layout: the passages in order (key, start, end).
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents,
    head INTEGER REFERENCES heads,
    content BLOB NOT NULL, stated BLOB NOT NULL,
    published TEXT, starts INTEGER, ends INTEGER, dated_by TEXT NOT NULL,
    visible INTEGER NOT NULL, layout BLOB, added INTEGER NOT NULL, retired INTEGER
);
CREATE INDEX versions_by_document ON versions (document);
CREATE TABLE links (
    version INTEGER NOT NULL REFERENCES versions, place INTEGER NOT NULL, target TEXT NOT NULL,
    heading TEXT NOT NULL, alias TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (version, place)
) WITHOUT ROWID;
CREATE INDEX links_by_target ON links (target);
CREATE TABLE aliases (alias TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (alias, version))
    WITHOUT ROWID;

-- one row for each validity interval of a passage with attributes that are searched alike; version: since
-- which it stands there without a gap, also with others, so `visible` is not before that of its version;
-- head: of the version since which it has them, later ones can have others that are not searched with it;
-- about: the times that it is about (store/digest.py), of which those of its head are the document's
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL REFERENCES documents, key BLOB NOT NULL,
    version INTEGER NOT NULL REFERENCES versions, head INTEGER NOT NULL REFERENCES heads,
    number INTEGER NOT NULL, visible INTEGER NOT NULL, dated INTEGER NOT NULL, added INTEGER NOT NULL,
    headings TEXT NOT NULL, text TEXT NOT NULL, about TEXT NOT NULL
);
CREATE INDEX passages_by_document ON passages (document);

-- all ends of a row: it is not current from `at` on, as known since `added`. There can be several: a late
-- back-dated version ends a row earlier than was known before. A row that was wrong from the beginning
-- (retired) ends before all time.
CREATE TABLE ends (
    id INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER NOT NULL REFERENCES passages, at INTEGER NOT NULL,
    added INTEGER NOT NULL
);
CREATE INDEX ends_by_passage ON ends (passage);

-- vectors of passages (int16, little-endian), by encoder; digest: of the text that was encoded, so that the
-- same text is encoded once
CREATE TABLE vectors (
    passage INTEGER NOT NULL REFERENCES passages, encoder TEXT NOT NULL, vector BLOB NOT NULL,
    digest BLOB, PRIMARY KEY (passage, encoder)
) WITHOUT ROWID;
CREATE INDEX vectors_by_digest ON vectors (digest, encoder);

-- the segment files that make up the index: which passages and which ends each one holds, by ranges of ids
CREATE TABLE segments (
    file TEXT PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL,
    ends_first INTEGER NOT NULL, ends_last INTEGER NOT NULL,
    rows INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;

-- which extractor read a passage for facts
CREATE TABLE extractions (passage INTEGER PRIMARY KEY REFERENCES passages, extractor TEXT NOT NULL);

-- facts that sentences state; keys: names as they are compared (extensions/facts). A fact is in a view
-- exactly where its passage is. first and last: instants of its time, NULL where none is known
CREATE TABLE facts (
    passage INTEGER NOT NULL REFERENCES passages, number INTEGER NOT NULL,
    subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL,
    subject_key TEXT NOT NULL, object_key TEXT NOT NULL, kind TEXT NOT NULL,
    first INTEGER, last INTEGER, time_text TEXT NOT NULL, time_by TEXT NOT NULL,
    start INTEGER NOT NULL, end INTEGER NOT NULL,
    value REAL, unit TEXT NOT NULL, basis TEXT NOT NULL, confidence REAL NOT NULL,
    PRIMARY KEY (passage, number)
) WITHOUT ROWID;
CREATE INDEX facts_by_subject ON facts (subject_key);
CREATE INDEX facts_by_object ON facts (object_key);
CREATE INDEX facts_by_time ON facts (first);
CREATE INDEX facts_named ON facts (kind) WHERE kind = 'name';

-- replies of language models by the digest of the prompt, and the passages whose words were in it: an erased
-- passage takes its replies with it
CREATE TABLE calls (
    digest BLOB PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, reply_tokens INTEGER NOT NULL, added INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE call_passages (
    passage INTEGER NOT NULL, digest BLOB NOT NULL REFERENCES calls, PRIMARY KEY (passage, digest)
) WITHOUT ROWID;

-- recorded queries; recipe and fields: the ranking, with all of its numbers
CREATE TABLE asked (
    id TEXT PRIMARY KEY, question TEXT NOT NULL, as_of INTEGER NOT NULL, known_at INTEGER NOT NULL,
    recipe TEXT NOT NULL, fields TEXT NOT NULL, filters TEXT NOT NULL, unit TEXT NOT NULL,
    added INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX asked_by_added ON asked (added);

-- hits shown, with the tree of each score (JSON in zlib: a tenth of it); erased with their passage
CREATE TABLE shown (
    asked TEXT NOT NULL REFERENCES asked, rank INTEGER NOT NULL, passage INTEGER NOT NULL,
    hit TEXT NOT NULL, document TEXT NOT NULL, score REAL NOT NULL, why BLOB NOT NULL,
    PRIMARY KEY (asked, rank)
) WITHOUT ROWID;
CREATE INDEX shown_by_passage ON shown (passage);

-- judgements of hits, all of them: kind grade, click, model; grade NULL withdraws the judgement before
CREATE TABLE judgements (
    id INTEGER PRIMARY KEY AUTOINCREMENT, asked TEXT NOT NULL REFERENCES asked, rank INTEGER NOT NULL,
    kind TEXT NOT NULL, grade REAL, added INTEGER NOT NULL
);
CREATE INDEX judgements_by_asked ON judgements (asked);

-- states of learning of a recipe (JSON), all of them: as known at K it is the last added by K
CREATE TABLE learned (
    id INTEGER PRIMARY KEY AUTOINCREMENT, recipe TEXT NOT NULL, state TEXT NOT NULL, added INTEGER NOT NULL
);

-- what a source has stated of a document (0: of all), as a token of its own (store/writing.py)
CREATE TABLE checkpoints (
    source INTEGER NOT NULL REFERENCES sources, document INTEGER NOT NULL, token BLOB NOT NULL,
    PRIMARY KEY (source, document)
) WITHOUT ROWID;
CREATE INDEX checkpoints_by_document ON checkpoints (document);

-- documents by what a reader may call them: title, alias, file name (store/names.py)
CREATE INDEX heads_by_title ON heads (title COLLATE NOCASE);
CREATE INDEX aliases_by_alias ON aliases (alias COLLATE NOCASE);
CREATE INDEX heads_by_path ON heads (path);
CREATE INDEX heads_by_last_name ON heads ({LAST_NAME} COLLATE NOCASE);

-- not used any more
CREATE TABLE dismissals (
    id INTEGER PRIMARY KEY AUTOINCREMENT, stale TEXT NOT NULL, dismissed INTEGER NOT NULL,
    added INTEGER NOT NULL
);
CREATE INDEX dismissals_by_stale ON dismissals (stale);
"""

READ_CACHE_KIB = 16_384
BUSY_MS = 60_000
REPLACED = 100
"""So often is a file opened again that another process seems to have replaced meanwhile; then it is taken as
it is, since some file systems give one file several numbers."""


def connect(
    path: Path, *, write: bool = False, make: bool = False, durable: bool = True
) -> sqlite3.Connection:  # fmt: skip
    """A connection to `corpus.db`; autocommit, so that every transaction is spelled out. `make`: the file is
    made if there is none. `durable`: what is written outlasts a loss of power.

    Raises NoCorpus when there is none, also when another process removes it while it is opened; OtherSchema
    when another version of asof wrote it, DamagedStore when it is no valid database.
    """
    for left in reversed(range(REPLACED)):
        file = file_at(path)
        if file is None and not make:
            raise NoCorpus(
                f"there is no {path}, or another process removed it: make one by `asof index SOURCE`"
            )
        try:
            db = _connected(path, write, make, durable)
        except CorpusError:
            if not left or file_at(path) == file:
                raise
            continue
        if not left or make or file_at(path) == file:
            break
        db.close()  # it is a connection to a file that has no name any more
    return db


def _connected(path: Path, write: bool, make: bool, durable: bool) -> sqlite3.Connection:
    for suffix in ("", "-wal", "-shm", "-journal"):
        try:
            check_file(path.with_name(f"{path.name}{suffix}"), sole=write or bool(suffix))
        except OSError as error:
            raise CorpusError(str(error.strerror)) from error
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw' if write else 'ro'}"
    shared = path.with_name(f"{path.name}-shm").exists()  # then another process may have it open for writing
    if not write and not shared and not os.access(path.parent, os.W_OK) and log_is_empty(path):
        uri += "&immutable=1"  # no process can write here: SQLite would still want to make its -shm file
    try:
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_MS / 1000,
                             check_same_thread=False)  # fmt: skip
    except sqlite3.Error as error:
        raise _refused(error, path, write) from error
    try:
        db.execute("PRAGMA trusted_schema = OFF")  # the file may come from anybody
        db.execute(f"PRAGMA cache_size = -{READ_CACHE_KIB}")
        if write:
            if not durable:
                db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA journal_mode = WAL")
            if durable:
                db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = OFF")
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        db.close()
        raise _refused(error, path, write) from error
    if version not in (0, SCHEMA_VERSION):
        db.close()
        again = f"move {path.parent} away, and index the sources again"
        way = "use a newer asof" if version > SCHEMA_VERSION else again
        raise OtherSchema(f"{path} has schema {version}, this asof reads {SCHEMA_VERSION}: {way}")
    return db


def _refused(error: sqlite3.Error, path: Path, write: bool) -> CorpusError:
    """SQLite's "unable to open database file" names neither the file nor the right."""
    right = missing_right(path, write=write)
    return CorpusError(right) if right else store_error(error, path)


def create_schema(db: sqlite3.Connection) -> None:
    """Make the tables of a new database, in one transaction."""
    if not db.execute("PRAGMA user_version").fetchone()[0]:
        db.executescript(f"BEGIN IMMEDIATE;\n{SCHEMA}\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """A transaction that writes: committed at the end, undone after an error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        if db.in_transaction:
            db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has rolled it back
            db.execute("ROLLBACK")
        raise


def store_error(error: sqlite3.Error, path: Path | str = "corpus.db") -> CorpusError:
    """The error of asof that describes an SQLite error to the user."""
    text = str(error)
    if "full" in text or "disk I/O" in text:
        return NoSpace(
            f"{path}: the disk is full or a limit on file sizes is reached ({text}); "
            "the corpus is as it was before this write: free some disk space and run the same command again"
        )
    if "malformed" in text or "not a database" in text:
        return DamagedStore(f"{path} is not a sound database ({text}): restore it from a copy")
    return CorpusError(f"{path}: {text}")


def get_meta(db: sqlite3.Connection, key: str) -> str | None:
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def set_meta(db: sqlite3.Connection, key: str, value: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


# -- settings that are fixed when a corpus is created, because the index depends on them ---------------

UNDATED = ("added", "always", "never")

_ACCEPTED = {
    "languages": AcceptedValue(
        lambda value: isinstance(value, tuple | list) and all(isinstance(each, str) for each in value),
        'a tuple of codes such as ("en",)',
    ),
    "stem": boolean(),
    "chunking": text('a text such as "120w"'),
    "encoder": AcceptedValue(lambda value: isinstance(value, str), "the name of an encoder"),
}


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """The settings by which texts are analysed, fixed by the first run.

    Only `encoder` can change (`asof embed`). `undated`: visible since they were `added`, `always` (as of any
    date), or `never`. `search`: `auto` stands for all keys of metadata.
    Raises UsageError for a value that is not accepted; `checked` also checks the chunking.
    """

    languages: tuple[str, ...] = ("en",)
    stem: bool = True
    chunking: str = "120w"
    undated: Annotated[str, one_of("added", "always", "never"), "from when undated texts are seen"] = "added"
    encoder: Annotated[str, "whose vectors the corpus holds; empty: none"] = ""
    search: Annotated[str | tuple[str, ...], "the metadata that is searched: `auto`, `none`, or names"] = AUTO

    def __post_init__(self) -> None:
        check({name: getattr(self, name) for name in _ACCEPTED}, _ACCEPTED)
        if self.undated not in UNDATED:
            raise UsageError(f"undated is {self.undated!r}; accepted: {', '.join(UNDATED)}")
        if isinstance(self.search, str) and self.search not in (AUTO, NONE):
            raise UsageError(f"search is {self.search!r}; accepted: {AUTO}, {NONE}, names of keys in a list")

    def checked(self) -> CorpusSettings:
        """These settings; raises UsageError when the chunking cannot be read."""
        from asof.text.passages import Chunking

        Chunking.parse(self.chunking)
        return self

    def analyzer(self) -> Analyzer:
        return Analyzer(self.languages, self.stem)

    def dumps(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def loads(cls, text: str) -> CorpusSettings:
        values: dict[str, Any] = json.loads(text)
        values |= {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
        return cls(**values)


def encoder_of(db: sqlite3.Connection) -> str:
    """The encoder of the stored vectors, in the transaction of `db`."""
    stored = get_meta(db, "settings")
    return CorpusSettings.loads(stored).encoder if stored else ""


def change_encoder(db: sqlite3.Connection, settings: CorpusSettings, encoder: str) -> CorpusSettings:
    """The settings with another encoder, stored in the transaction of `db`."""
    changed = replace(settings, encoder=encoder)
    set_meta(db, "settings", changed.dumps())
    return changed


# -- file lock: one writer at a time --------------------------------------------------------------------

POLL_SECONDS = 0.01


@contextmanager
def exclusive_lock(path: Path, wait: float) -> Iterator[None]:
    """Hold the exclusive lock on `path`; the kernel releases it when the process ends in any way.

    Raises Busy, naming the holder's process id, after `wait` seconds; FileNotFoundError if the holder removed
    the folder.
    """
    descriptor = open_lock(path)
    try:
        deadline, left = time.monotonic() + wait, REPLACED
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if not left or file_at(path) == file_of(descriptor):
                    break
                removed, descriptor = descriptor, open_lock(path)  # its holder has removed it
                os.close(removed)
                left -= 1
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
                    raise Busy(
                        f"process {holder} is writing to {path.parent} and did not finish within "
                        f"{wait:g} s: wait for it, or give a longer --wait"
                    ) from None
                time.sleep(POLL_SECONDS)
        os.pwrite(descriptor, f"{os.getpid():<20}".encode(), 0)
        yield
    finally:
        os.close(descriptor)
