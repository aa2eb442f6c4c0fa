"""A connection to PostgreSQL that takes the SQL which asof has for SQLite, with what `sqlite3.Connection`
offers as far as asof uses it.

Transactions are spelled out, as everywhere in asof: BEGIN reads one state of the corpus (REPEATABLE READ),
BEGIN IMMEDIATE writes, one process at a time (an advisory lock of the corpus), so ids are in the order of
commits.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from asof.errors import Busy, CorpusError
from asof.store.postgres.failures import failure, is_lost
from asof.store.postgres.statements import translated

if TYPE_CHECKING:
    import psycopg

Parameters = Sequence[object] | Mapping[str, object]

COPIED = 16
"""At least so many rows are inserted by COPY."""

HELD_SECONDS = 3_600
"""A lock is not waited for longer than this, whatever is asked."""

_CHANGES = re.compile(r"\s*(?:INSERT|UPDATE|DELETE)\b")
_INSERTED = re.compile(r"INSERT INTO (\w+)(?: \(([\w, ]+)\))? VALUES \((?:\?, )*\?\)")
_SEGMENTS = re.compile(r"\b(?:INTO|FROM|UPDATE) segments\b")


class Server(Protocol):
    """What a connection is made to: the database as it is shown, the schema, the key of the lock of writers,
    the name of the folder's list of segments there."""

    @property
    def name(self) -> str: ...
    @property
    def schema(self) -> str: ...
    @property
    def lock(self) -> int: ...
    @property
    def machine(self) -> str: ...
    def connected(self) -> psycopg.Connection[Any]: ...


class PostgresConnection:
    """A connection that reads and writes. `wait`: seconds for another writer. `total_changes`: how many rows
    were changed by it so far.

    Every method raises errors of asof: Busy, NoSpace, TruthUnreachable, CorpusError (also
    once it was closed).
    """

    def __init__(self, server: Server, wait: float) -> None:
        self._server = server
        self._wait = wait
        self._own: psycopg.Connection[Any] = server.connected()
        self._open = self._writing = self._changed = self._listed = False
        self._ended = False
        self.total_changes = 0

    def close(self) -> None:
        self._ended = True
        self._own.close()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; none is on a connection that was lost."""
        from psycopg.pq import TransactionStatus

        status = self._own.info.transaction_status
        return not self._own.closed and status not in (TransactionStatus.IDLE, TransactionStatus.UNKNOWN)

    # -- statements -----------------------------------------------------------------------------------

    def execute(self, sql: str, parameters: Parameters = ()) -> Any:
        """A cursor with the rows, as tuples."""
        word = sql.split(None, 1)[0].upper() if sql else ""
        if word in ("BEGIN", "COMMIT", "ROLLBACK"):
            return self._transaction(" ".join(sql.upper().split()))
        if word in ("PRAGMA", "VACUUM"):
            return self._setting(sql)
        statement = translated(sql)
        bound = _bound(parameters, statement.lists)
        with self._failing():
            if self._open or _CHANGES.match(sql):
                cursor = self._own.execute(statement.sql, bound)
            else:
                cursor = self._connected_again(lambda own: own.execute(statement.sql, bound))
        self._note(sql, cursor.rowcount)
        return cursor

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Any:
        """A cursor whose `rowcount` is that of all rows together; many plain rows go by COPY."""
        given = list(rows)
        with self._failing():
            cursor = self._own.cursor()
            plain = _INSERTED.fullmatch(sql)
            if plain and len(given) >= COPIED and plain[1] != "segments":
                columns = f" ({plain[2]})" if plain[2] else ""
                with cursor.copy(f"COPY {plain[1]}{columns} FROM STDIN") as copy:
                    for row in given:
                        copy.write_row(row)
                changed = len(given)
            elif given:
                statement = translated(sql)
                cursor.executemany(statement.sql, [_bound(row, statement.lists) for row in given])
                changed = cursor.rowcount
            else:
                return _NoRows()
        self._note(sql, changed)
        return cursor

    def _note(self, sql: str, changed: int) -> None:
        if _CHANGES.match(sql) and changed > 0:
            self.total_changes += changed
            if _SEGMENTS.search(sql):
                self._listed = True
            else:
                self._changed = True

    # -- transactions ---------------------------------------------------------------------------------

    def _transaction(self, words: str) -> Any:
        match words.removesuffix(";"):
            case "BEGIN":
                return self._begin("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            case "BEGIN IMMEDIATE":
                self._begin("BEGIN")
                self._take_turn()
                self._writing, self._changed, self._listed = True, False, False
            case "COMMIT":
                self._count_change()
                with self._failing(committing=self._writing):
                    self._own.execute("COMMIT")
                self._open = self._writing = False
            case _:
                self._open = self._writing = False
                with self._failing():
                    self._own.execute("ROLLBACK")
        return _NoRows()

    def _begin(self, how: str) -> Any:
        with self._failing():
            cursor = self._connected_again(lambda own: own.execute(how))
        self._open = True
        return cursor

    def _connected_again(self, do: Callable[[psycopg.Connection[Any]], Any]) -> Any:
        """What changes nothing, outside of a transaction: a server that was started again has lost its
        connections, and another one is made."""
        import psycopg

        try:
            return do(self._own)
        except psycopg.OperationalError as error:
            if self._ended or not is_lost(error):
                raise
        self._own.close()
        self._own = self._server.connected()
        return do(self._own)

    def _take_turn(self) -> None:
        """Wait until no other process writes. The lock ends with the transaction, or with the connection."""
        import psycopg

        limit = max(1, int(1000 * min(self._wait, HELD_SECONDS)))
        try:
            self._own.execute(f"SET LOCAL lock_timeout = {limit}")
            self._own.execute("SELECT pg_advisory_xact_lock(%s)", (self._server.lock,))
            self._own.execute("SET LOCAL lock_timeout = 0")
        except psycopg.errors.LockNotAvailable as error:
            self._own.execute("ROLLBACK")
            self._open = False
            raise Busy(
                f"{self._holder()} is writing to {self._server.name} and did not finish within "
                f"{self._wait:g} s: wait for it, or give a longer --wait"
            ) from error
        except psycopg.Error as error:
            with contextlib.suppress(psycopg.Error):
                self._own.execute("ROLLBACK")
            raise failure(error, self._server.name) from error

    def _holder(self) -> str:
        """Who writes now, as the server knows it."""
        with self._failing():
            row = self._own.execute(
                "SELECT a.pid, a.usename, coalesce(host(a.client_addr), 'this machine') FROM pg_locks AS l"
                " JOIN pg_stat_activity AS a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.granted"
                " AND ((l.classid::bigint << 32) | l.objid::bigint) = %s LIMIT 1",
                (self._server.lock,),
            ).fetchone()
        return f"{row[1]} from {row[2]} (server process {row[0]})" if row else "another process"

    def _count_change(self) -> None:
        """Tell readers (`PRAGMA data_version`) of what this transaction changed."""
        names = [""] * self._changed + [self._server.machine] * self._listed
        self._changed = self._listed = False
        for name in names if self._writing else ():
            with self._failing():
                self._own.execute(
                    "INSERT INTO changes VALUES (%s, 1) ON CONFLICT (name) DO UPDATE SET n = changes.n + 1",
                    (name,),
                )

    # -- what SQLite is set by ------------------------------------------------------------------------

    def _setting(self, sql: str) -> Any:
        match sql.removeprefix("PRAGMA ").split():
            case ["data_version"]:
                query = "SELECT sum(n)::bigint FROM changes WHERE name IN ('', %s)"
            case ["user_version"]:
                query = "SELECT n FROM changes WHERE name = 'schema'"
            case ["busy_timeout", "=", milliseconds]:
                self._wait = int(milliseconds) / 1000
                return _NoRows()
            case _:  # integrity, deletion of free pages: the server's own business
                return _NoRows()
        values = (self._server.machine,) if "%s" in query else None
        with self._failing():
            if self._open:
                return self._own.execute(query, values)
            return self._connected_again(lambda own: own.execute(query, values))

    @contextmanager
    def _failing(self, *, committing: bool = False) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            if self._ended:
                raise CorpusError(
                    f"the corpus is closed, {self._server.name} is a closed database here: ask inside its "
                    "`with` block, or open it again"
                ) from error
            lost, writing = is_lost(error), self._writing
            if lost:
                self._own.close()
                self._open = self._writing = False
            unknown = committing and lost
            raise failure(error, self._server.name, writing=writing, committing=unknown) from error


class _NoRows:
    """The rows of a statement that gives none."""

    rowcount = 0

    def fetchone(self) -> None:
        return None

    def fetchall(self) -> list[Any]:
        return []

    def __iter__(self) -> Iterator[Any]:
        return iter(())


def _bound(parameters: Parameters, lists: frozenset[str]) -> dict[str, object] | None:
    """Parameters by name; JSON lists as lists of texts."""
    named = (
        dict(parameters)
        if isinstance(parameters, Mapping)
        else {f"p{number}": value for number, value in enumerate(parameters, 1)}
    )
    for name in lists:
        named[name] = [str(each) for each in json.loads(str(named[name]))]
    return named
