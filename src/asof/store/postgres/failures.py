"""What psycopg raises, as errors of asof with words for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.errors import Busy, CorpusError, NoSpace, TruthUnreachable, UsageError

if TYPE_CHECKING:
    import psycopg

UNCHANGED = "the corpus is as it was before this write"
UNKNOWN = (
    "whether the last write was taken in is not known: run the same command again, which changes nothing "
    "that is stored already"
)
"""What is so when a connection is lost while a transaction is being committed."""

MOST = 300
"""Characters of a message of PostgreSQL."""


def is_lost(error: psycopg.Error) -> bool:
    """Whether a connection is lost with this error: libpq says so itself, or the server as it ends it."""
    from psycopg import InterfaceError, OperationalError

    state: str | None = error.sqlstate
    if state is None:
        return isinstance(error, OperationalError | InterfaceError)
    return state.startswith(("08", "57P"))


def failure(
    error: psycopg.Error, name: str, *, writing: bool = False, committing: bool = False
) -> CorpusError | UsageError:
    """The error of asof. `name`: the database as it is shown; `writing`, `committing`: where a transaction
    was when the connection was lost."""
    from psycopg import errors

    said = " ".join(str(error).split())[:MOST]
    outcome = UNKNOWN if committing else f"{UNCHANGED}: run the same command again"
    match error:
        case errors.LockNotAvailable():
            return Busy(f"{name}: another process is writing and did not finish: {said}")
        case errors.DiskFull() | errors.ConfigurationLimitExceeded() | errors.OutOfMemory():
            return NoSpace(
                f"{name}: the server has no space left ({said}); {UNCHANGED}: free some there and run "
                f"the same command again"
            )
        case errors.TooManyConnections():
            return Busy(f"{name}: the server takes no more connections: {said}; try again later")
        case errors.SerializationFailure() | errors.DeadlockDetected() | errors.QueryCanceled():
            return Busy(f"{name}: {said}; {UNCHANGED}: run the same command again")
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification():
            return CorpusError(f"{name}: {said}; the password is read from PGPASSWORD or ~/.pgpass")
        case errors.InvalidCatalogName():
            return CorpusError(
                f"{name}: there is no such database: make it with `createdb`, or name another one"
            )
        case errors.InsufficientPrivilege():
            return CorpusError(
                f"{name}: {said}: the user needs CREATE in the database for a new corpus, and all rights "
                f"in its schema"
            )
        case errors.ReadOnlySqlTransaction():
            return CorpusError(f"{name} takes no writes ({said}): name the primary server")
        case errors.ProgramLimitExceeded():
            return CorpusError(f"{name}: a text is longer than PostgreSQL takes there: {said}; {UNCHANGED}")
        case errors.OperationalError() | errors.InterfaceError():
            if "password" in said or "authentication" in said or "no pg_hba.conf entry" in said:
                return CorpusError(f"{name}: {said}; the password is read from PGPASSWORD or ~/.pgpass")
            if 'database "' in said and "does not exist" in said:
                return CorpusError(f"{name}: {said}: make it with `createdb`, or name another one")
            return TruthUnreachable(
                f"{name} does not answer: {said}; "
                f"{outcome if writing or committing else 'try again when it is there'}"
            )
        case errors.DataError() if "NUL" in said or "0x00" in said:
            return UsageError("a text holds the character NUL (\\0), which PostgreSQL does not take")
        case _:
            return CorpusError(f"{name}: {said}")
