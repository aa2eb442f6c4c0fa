"""A database of PostgreSQL that holds the truth of a corpus, as one folder uses it: connections, and its
tables."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import Busy, MissingExtra, NewerSchema, NoCorpus, UsageError
from asof.store.postgres.address import Address
from asof.store.postgres.connection import PostgresConnection
from asof.store.postgres.failures import failure
from asof.store.postgres.schema import scripts

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 15
"""How long a connection may take to be made."""

JOINED = (
    "INSERT INTO machines VALUES (%s, %s, CASE WHEN %s = 1 THEN -1"
    " ELSE (SELECT n FROM changes WHERE name = 'removed') END) ON CONFLICT DO NOTHING"
)
"""A folder that holds segments already was one of a user who may only read: they are made anew."""
_READERS = (
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    " AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(%s::text::xid8::xid)"
)
"""A row for each reader that began before a transaction."""

POLL_SECONDS = 0.02
_TABLES = "FROM pg_tables WHERE schemaname = %s"


@dataclass(slots=True)
class Truth:
    """A truth, as one folder uses it. `machine`: the name that the folder's list of segments has there."""

    address: Address
    machine: str
    folder: str

    @property
    def name(self) -> str:
        return self.address.name

    @property
    def schema(self) -> str:
        return self.address.schema

    @property
    def lock(self) -> int:
        """The key of the advisory lock that a writer holds."""
        digest = blake2b(f"asof {self.schema}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") >> 1

    def connected(self) -> psycopg.Connection[Any]:
        """A new connection. Raises CorpusError, TruthUnreachable, MissingExtra."""
        psycopg_ = package()
        try:
            own = psycopg_.connect(
                self.address.dsn, autocommit=True, connect_timeout=CONNECT_SECONDS, application_name="asof",
                keepalives=1, keepalives_idle=30,
            )  # fmt: skip
        except psycopg_.Error as error:
            raise failure(error, self.name) from error
        try:
            _adapt(own)
            own.execute(
                "SELECT set_config('search_path', %s, false), set_config('asof.machine', %s, false),"
                " set_config('TimeZone', 'UTC', false), set_config('extra_float_digits', '1', false),"
                " set_config('idle_in_transaction_session_timeout', '0', false),"
                " set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'"
                " THEN 'on' ELSE current_setting('synchronous_commit') END, false)",
                (self.schema, self.machine),
            )
        except psycopg_.Error as error:
            own.close()
            raise failure(error, self.name) from error
        return own

    def connection(self, wait: float) -> PostgresConnection:
        """A connection that reads and writes; it waits so many seconds for another writer."""
        return PostgresConnection(self, wait)

    def settings(self, wait: float) -> str:
        """The stored settings of the corpus; tables of an older asof are brought up to date. Raises
        NoCorpus."""
        with closing(self.connected()) as own, failing(self.name):
            version, stored = self._stored(own)
            if stored is not None and version == len(scripts()):
                self._join(own)
                return stored
        if stored is None:
            raise NoCorpus(f"{self.name} holds no corpus yet: make one with `asof index SOURCE --truth URL`")
        return self.make(stored, wait)

    # -- the schema ---------------------------------------------------------------------------------

    def _version(self, own: psycopg.Connection[Any]) -> int:
        made = own.execute("SELECT to_regclass(%s)", (f"{self.schema}.changes",)).fetchone()
        if made is None or made[0] is None:
            return 0
        row = own.execute("SELECT n FROM changes WHERE name = 'schema'").fetchone()
        version = int(row[0]) if row else 0
        if version > len(scripts()):
            raise NewerSchema(
                f"{self.name} has schema {version}, this asof knows up to {len(scripts())}: use a newer asof"
            )
        return version

    def _stored(self, own: psycopg.Connection[Any]) -> tuple[int, str | None]:
        """The version of the tables, 0 where there are none, and the settings of the corpus."""
        version = self._version(own)
        row = own.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone() if version else None
        return version, str(row[0]) if row else None

    def make(self, settings: str, wait: float) -> str:
        """Make the tables, or bring them up to date, in one transaction; returns the settings of the corpus,
        which are `settings` where it is new. Raises Busy, CorpusError, UsageError."""
        with closing(self.connected()) as own, failing(self.name):
            version, stored = self._stored(own)
            if stored is not None and version == len(scripts()):
                self._join(own)
                return stored
        with closing(self.connected()) as own, failing(self.name), own.transaction():
            own.execute(f"SET LOCAL lock_timeout = {max(1, int(1000 * wait))}")
            own.execute("SELECT pg_advisory_xact_lock(%s)", (self.lock,))
            version = self._version(own)
            if not version:
                self._refuse_other_tables(own)
                own.execute(f"CREATE SCHEMA IF NOT EXISTS {self.schema}")
            for statements in scripts()[version:]:
                own.execute(";\n".join(statements))
            own.execute("UPDATE changes SET n = %s WHERE name = 'schema'", (len(scripts()),))
            own.execute("INSERT INTO meta VALUES ('settings', %s) ON CONFLICT DO NOTHING", (settings,))
            own.execute(JOINED, self._as_member())
            row = own.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()
        return str(row[0]) if row else settings

    def _join(self, own: psycopg.Connection[Any]) -> None:
        """Have the folder among those that use this truth. A user who may only read is not noted there."""
        errors = package().errors
        known = own.execute("SELECT 1 FROM machines WHERE machine = %s", (self.machine,)).fetchone()
        if known is None:
            with suppress(errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction):
                own.execute(JOINED, self._as_member())

    def _as_member(self) -> tuple[str, str, bool]:
        return self.machine, self.folder, Path(self.folder, "segments").exists()

    def vacuum(self, wait: float) -> None:
        """Write all tables anew without removed rows, once nobody reads a state that still has them.

        The server's write-ahead log and its backups are not this program's to erase. Raises Busy after `wait`
        seconds.
        """
        psycopg_ = package()
        busy = Busy(
            f"{self.name}: removed data is still in the files of the server, because another process is "
            f"reading: "
            "end it, then run the same command again"
        )
        with closing(self.connected()) as own, failing(self.name):
            self._wait_for_readers(own, wait, busy)
            own.execute(f"SET lock_timeout = {max(1, int(1000 * wait))}")
            for (table,) in own.execute(f"SELECT format('%%I.%%I', schemaname, tablename) {_TABLES}",
                                        (self.schema,)).fetchall():  # fmt: skip
                try:
                    own.execute(f"VACUUM (FULL) {table}")
                except psycopg_.errors.LockNotAvailable as error:
                    raise busy from error

    def _wait_for_readers(self, own: psycopg.Connection[Any], wait: float, busy: Busy) -> None:
        """Wait until each reader of this database began after now."""
        row = own.execute("SELECT pg_current_xact_id()::text").fetchone()
        until = time.monotonic() + wait
        while own.execute(_READERS, (row and row[0],)).fetchone():
            if time.monotonic() >= until:
                raise busy
            time.sleep(POLL_SECONDS)

    def _refuse_other_tables(self, own: psycopg.Connection[Any]) -> None:
        row = own.execute(f"SELECT tablename {_TABLES} LIMIT 1", (self.schema,)).fetchone()
        if row is not None:
            raise UsageError(
                f"the schema {self.schema} of that database has the table {row[0]}, which is not asof's: "
                f"name "
                "another one, as in ?schema=NAME"
            )

    def bytes(self) -> int:
        """What the tables and their indexes take."""
        with closing(self.connected()) as own, failing(self.name):
            row = own.execute(
                "SELECT coalesce(sum(pg_total_relation_size(format('%%I.%%I', schemaname, "
                "tablename)::regclass)),"
                f" 0)::bigint {_TABLES}",
                (self.schema,),
            ).fetchone()
        return int(row[0]) if row else 0


@contextmanager
def failing(name: str) -> Iterator[None]:
    """Errors of psycopg as errors of asof."""
    psycopg_ = package()
    try:
        yield
    except psycopg_.Error as error:
        raise failure(error, name) from error


def package() -> Any:
    """The package psycopg. Raises MissingExtra."""
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra(
            "a corpus in PostgreSQL needs the extra postgres: pip install 'asof[postgres]'"
        ) from error
    return psycopg


def _adapt(own: psycopg.Connection[Any]) -> None:
    """Values as SQLite gives and takes them: all numbers 64 bits wide, truth values as 0 and 1."""
    from psycopg.adapt import Dumper, Loader
    from psycopg.types.numeric import Int8Dumper

    class Number(Loader):
        """A sum, which is of any width."""

        def load(self, data: Any) -> int | float:
            text = bytes(data)
            return int(text) if text.lstrip(b"-").isdigit() else float(text)

    class TruthValue(Loader):
        def load(self, data: Any) -> int:
            return int(bytes(data) == b"t")

    class Flag(Dumper):
        oid = 20

        def dump(self, obj: Any) -> bytes:
            return b"1" if obj else b"0"

    own.adapters.register_loader("numeric", Number)
    own.adapters.register_loader("bool", TruthValue)
    own.adapters.register_dumper(int, Int8Dumper)
    own.adapters.register_dumper(bool, Flag)
