"""`pgvector:DSN#TABLE`: the rows of a table or view in PostgreSQL, as they are now.

No password stands in the target, which is shown and stays in the shell's history: libpq takes it from
PGPASSWORD or its password file, or the whole DSN stands in an environment variable (`?dsn_env=NAME`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from asof.arguments import checked
from asof.data import Statement
from asof.environment import variables
from asof.errors import SourceError, UsageError
from asof.imports.stores import target as targets
from asof.imports.stores.columns import Columns
from asof.imports.stores.rows import LONGEST_TEXT, Row
from asof.sources.scheme import SourceContext, SourceScheme

BATCH = 500
"""Rows that are fetched at a time."""

SECONDS = 15
"""How long a connection may take to be made."""

_SECRETS = ("password", "sslpassword")
_AS_THEY_ARE = {"bool", "int2", "int4", "int8", "text", "varchar", "json", "jsonb", "_text", "_varchar"}
_VECTORS = {"vector", "halfvec", "sparsevec", "bit", "varbit", "bytea", "tsvector", "_float4", "_float8"}
_TABLES = (
    "SELECT CASE table_schema WHEN current_schema() THEN '' ELSE table_schema || '.' END || table_name"
    " FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
    " ORDER BY 1"
)


class PgTable:
    """The rows of one table: each is a document, with its other columns as metadata."""

    kind = "pgvector"
    complete = True

    def __init__(
        self,
        name: str,
        dsn: Mapping[str, str],
        table: str,
        options: Mapping[str, str],
        context: SourceContext,
    ) -> None:
        self.name = name
        self._dsn = dsn
        self._table = table
        self._options = options
        self._fields = context.fields

    def documents(self) -> Iterator[Statement]:
        with _connection(self._dsn, self.name) as connection:
            place = f"pgvector:{_place(self._dsn)}"
            table = targets.chosen(self._table, _tables(connection, self._table), "table", place)
            kinds = _kinds(connection, table)
            columns = Columns.of(tuple(kinds), self._options, self._fields, self.name)
            rows = columns.reader(self.name, self._fields)
            yield from rows.documents(_rows(connection, table, kinds, columns))


@checked
def open_pgvector(
    target: str,
    context: SourceContext,
    *,
    table: str | None = None,
    id: str | None = None,  # noqa: A002  the option's name
    text: str | None = None,
    time: str | None = None,
    dsn_env: str | None = None,
) -> PgTable:
    """The source that `pgvector:DSN#TABLE` names; the server is asked when it is added.

    `id`, `text`, `time`: the columns of the key, the text and the date (default: those with usual names).
    `dsn_env`: the environment variable that holds the DSN. Raises UsageError for a DSN that cannot be read or
    holds a password, and where no table is named; MissingExtra without the package psycopg.
    """
    place, names, part = targets.parts(target)
    pairs = [pair for pair in names.split("&") if pair]
    given = {"table": table, "id": id, "text": text, "time": time, "dsn_env": dsn_env}
    own = [pair for pair in pairs if pair.partition("=")[0] in given]
    left = "&".join(pair for pair in pairs if pair not in own)  # libpq's own, such as sslmode
    said = replace(targets.read(f"pgvector:?{'&'.join(own)}", given), part=part)
    dsn = _dsn(f"{place}?{left}" if left else place, said.option("dsn_env"))
    named = said.named("table", "pgvector")
    if not named:
        raise UsageError("pgvector: no table is named; one is expected behind #, as in pgvector:DSN#TABLE")
    return PgTable(f"pgvector:{_place(dsn)}#{named}", dsn, named, said.options, context)


def _dsn(words: str, variable: str) -> dict[str, str]:
    """What the DSN says, by libpq's names. No error repeats any of it, for it may hold a password."""
    psycopg = _psycopg()
    where = "the DSN of the target"
    if variable:
        where = f"the DSN in {variable[:80]}"
        if words:
            raise UsageError("pgvector: a DSN and dsn_env are given; one of them is expected")
        if not (words := variables().get(variable, "")):
            raise UsageError(f"pgvector: the environment variable {variable[:80]} is not set, or empty")
    try:
        read = {key: str(value) for key, value in psycopg.conninfo.conninfo_to_dict(words).items()}
    except psycopg.Error:
        raise UsageError(
            f"pgvector: {where} cannot be read; accepted are postgresql://USER@HOST/DATABASE and "
            "'host=... dbname=... user=...'"
        ) from None
    if not variable and any(name in read for name in _SECRETS):
        raise UsageError(
            "pgvector: the target holds a password, and it is shown and stays in the shell's history: set "
            "PGPASSWORD, or put the DSN into an environment variable: pgvector:?dsn_env=NAME#TABLE"
        )
    return read


def _psycopg() -> Any:
    return targets.package("psycopg", "'psycopg[binary]'", "a table of PostgreSQL")


def _place(dsn: Mapping[str, str]) -> str:
    """HOST[:PORT]/DATABASE, for the source's name: no user, no password."""
    host = dsn.get("host") or variables().get("PGHOST", "")
    port = dsn.get("port") or variables().get("PGPORT", "")
    database = dsn.get("dbname") or variables().get("PGDATABASE", "")
    return f"{host}{f':{port}' if port and port != '5432' else ''}/{database}"


@contextmanager
def _connection(dsn: Mapping[str, str], name: str) -> Iterator[Any]:
    """A connection that only reads, in one snapshot, with times in UTC. Raises SourceError."""
    psycopg = _psycopg()
    options = {"connect_timeout": str(SECONDS), "application_name": "asof", **dsn}
    try:
        with psycopg.connect(**options) as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.execute("SET LOCAL TIME ZONE 'UTC'")
            connection.execute("SET LOCAL datestyle TO 'ISO, YMD'")
            yield connection
    except psycopg.Error as wrong:
        raise SourceError(f"{name}: {_without_secrets(str(wrong), dsn)}") from None


def _tables(connection: Any, wanted: str) -> list[str]:
    """The tables and views that there are; only the wanted one if it is there, in whatever schema."""
    found = [name for (name,) in connection.execute(_TABLES).fetchall()]
    there = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (_quoted(wanted),)).fetchone()[0]
    return [wanted] if there else found


def _kinds(connection: Any, table: str) -> dict[str, str]:
    """The columns that are no vectors, each with the name of its type."""
    found = connection.execute(
        "SELECT a.attname, t.typname FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid"
        " WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        (_quoted(table),),
    )
    return {name: kind for name, kind in found.fetchall() if kind not in _VECTORS}


def _rows(connection: Any, table: str, kinds: Mapping[str, str], columns: Columns) -> Iterator[Row]:
    """All rows in the order of their keys. Times and numbers come as texts, as PostgreSQL writes them, for
    its own go beyond Python's; a text that is too long comes one character longer than the limit."""
    wanted = tuple(dict.fromkeys((columns.id, columns.text, *columns.metadata)))
    expressions = [
        f"left({_name(name)}::text, {LONGEST_TEXT + 1})" if name == columns.text
        else _name(name) if kinds[name] in _AS_THEY_ARE else f"{_name(name)}::text"
        for name in wanted
    ]  # fmt: skip
    query = f"SELECT {', '.join(expressions)} FROM {_quoted(table)} ORDER BY {_name(columns.id)}"
    with connection.cursor(name="asof") as cursor:
        cursor.itersize = BATCH
        cursor.execute(query)
        for values in cursor:
            yield columns.row(
                {name: _moment(name, each, kinds) for name, each in zip(wanted, values, strict=True)}
            )


def _moment(name: str, value: object, kinds: Mapping[str, str]) -> object:
    """A time as ISO 8601 has it: PostgreSQL writes a blank between date and time, and +00 for UTC."""
    if isinstance(value, str) and kinds[name] in ("timestamp", "timestamptz"):
        return re.sub(r"[+]00\Z", "Z", value.replace(" ", "T", 1))
    return value


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted(table: str) -> str:
    """TABLE or SCHEMA.TABLE, each name as it is written."""
    return ".".join(_name(each) for each in table.split(".", 1))


def _without_secrets(message: str, dsn: Mapping[str, str]) -> str:
    """A message of PostgreSQL in one line, without passwords."""
    secrets = [dsn.get(name, "") for name in _SECRETS] + [variables().get("PGPASSWORD", "")]
    for secret in filter(None, secrets):
        message = message.replace(secret, "***")
    return " ".join(message.split())[:300]


SCHEME = SourceScheme(open_pgvector)
