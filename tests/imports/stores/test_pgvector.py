"""Tables of PostgreSQL, from a scripted psycopg; adapters/test_import_stores.py asks a real server."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import asof
from asof.errors import MissingExtra, SourceError, UsageError
from asof.imports.stores.pgvector import SCHEME
from asof.sources.scheme import SourceContext

SECRET = "sesame-secret"  # noqa: S105  what must not be shown
KINDS = [
    ("id", "int8"), ("content", "text"), ("created_at", "timestamptz"), ("price", "numeric"),
    ("meta", "jsonb"), ("embedding", "vector"), ("raw", "bytea"),
]  # fmt: skip
SELECTED = (
    'SELECT "id", left("content"::text, 4000001), "created_at"::text, "price"::text, "meta" FROM "docs" '
    'ORDER BY "id"'
)


class WrongError(Exception):
    """psycopg.Error."""


def conninfo(words):
    """`host=h password=p` as a mapping; as libpq does, the error repeats what it could not read."""
    if not all("=" in word for word in words.split()):
        raise WrongError(f'missing "=" after "{words}" in connection info string')
    return dict(word.split("=", 1) for word in words.split())


class Connection:
    """Answers the queries of the source, and remembers them; it is its own cursor."""

    def __init__(self, rows):
        self.rows = rows
        self.asked = []
        self.answer = []
        self.options = {}

    def execute(self, query, values=()):
        self.asked.append(query)
        wanted = values[0] if values else ""
        if "to_regclass(%s) IS" in query:
            self.answer = [(wanted == '"docs"',)]
        elif "information_schema" in query:
            self.answer = [("docs",), ("other.more",)]
        elif "pg_attribute" in query:
            self.answer = KINDS
        elif query == SELECTED:
            self.answer = self.rows
        return self

    def fetchall(self):
        return self.answer

    def fetchone(self):
        return self.answer[0]

    @contextmanager
    def cursor(self, name):
        assert name  # a cursor of the server: the rows do not come all at once
        yield self

    def __iter__(self):
        return iter(self.answer)


@pytest.fixture
def server(monkeypatch):
    rows = [
        (1, "The ferry sails.", "2021-03-01 09:00:00+00", "1.50", {"author": "Ann"}),
        (2, "The ferry is sold.", "infinity", None, None),
        (3, None, None, None, None),
    ]
    connection = Connection(rows)

    @contextmanager
    def connect(**options):
        if "refused" in options.get("host", ""):
            raise WrongError(f"no entry for\n {options.get('password', '')} {SECRET}")
        connection.options = options
        yield connection

    module = SimpleNamespace(
        Error=WrongError, connect=connect, conninfo=SimpleNamespace(conninfo_to_dict=conninfo),
        IsolationLevel=SimpleNamespace(REPEATABLE_READ="repeatable read"),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "psycopg", module)
    for name in ("PGHOST", "PGPORT", "PGDATABASE", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    return connection


def opened(target, root, **options):
    return SCHEME.open(target, SourceContext(root, 0), **options)


def test_rows_are_read_in_a_transaction_that_only_reads(server, tmp_path):
    stated = list(opened("pgvector:host=h port=5433 dbname=app user=ann#docs", tmp_path).documents())
    first, second, *problems = stated
    assert (first.id, first.text) == ("pgvector:h:5433/app#docs!/1", "The ferry sails.")
    assert (str(first.published), first.meta) == ("2021-03-01T09:00:00Z", {"author": "Ann", "price": "1.50"})
    assert (second.published, second.meta) == (None, {"created_at": "infinity"})
    assert [str(each)[:64] for each in problems] == [
        "pgvector:h:5433/app#docs!/2: 'created_at' cannot be read: 'infin",
        "pgvector:h:5433/app#docs!/3: has no text",
        "pgvector:h:5433/app#docs: 1 of 2 documents have no date (name th",
    ]
    assert (server.read_only, server.isolation_level) == (True, "repeatable read")
    assert (server.options["user"], server.options["connect_timeout"]) == ("ann", "15")
    assert all(query.startswith(("SELECT ", "SET LOCAL ")) for query in server.asked)


def test_importing_again_changes_nothing_and_what_is_gone_ends(server, tmp_path):
    del server.rows[2]
    with asof.open(tmp_path) as corpus:
        corpus.maintenance.background = False
        assert corpus.add("pgvector:host=h#docs").added == 2
        again = corpus.add("pgvector:host=h#docs")
        assert (again.added, again.changed, again.unchanged, again.ended) == (0, 0, 2, 0)
        del server.rows[1]
        assert corpus.add("pgvector:host=h#docs").ended == 1


def test_the_place_may_come_from_the_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("PGHOST", "h")
    monkeypatch.setenv("PGDATABASE", "app")
    assert opened("pgvector:#docs", tmp_path).name == "pgvector:h/app#docs"


def test_a_dsn_in_the_environment_may_hold_a_password_that_is_not_shown(server, tmp_path, monkeypatch):
    monkeypatch.setenv("STORE", f"host=h dbname=app password={SECRET}")
    source = opened("pgvector:?dsn_env=STORE#docs", tmp_path)
    stated = list(source.documents())
    assert server.options["password"] == SECRET
    assert source.name == "pgvector:h/app#docs"
    assert SECRET not in repr(stated)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (f"pgvector:host=h password={SECRET}#docs", "the target holds a password"),
        (f"pgvector:host=h sslpassword={SECRET}#docs", "the target holds a password"),
        (f"pgvector:{SECRET}#docs", "the DSN of the target cannot be read"),
        (f"pgvector:host=h?pasword={SECRET} x#docs", "the DSN of the target cannot be read"),
        ("pgvector:host=h", "no table is named"),
        ("pgvector:host=h?dsn_env=STORE#docs", "a DSN and dsn_env are given"),
        ("pgvector:?dsn_env=STORE#docs", "the environment variable STORE is not set, or empty"),
    ],
)
def test_what_cannot_be_opened_is_refused_without_its_words(server, tmp_path, target, said):
    with pytest.raises(UsageError, match=said) as refused:
        opened(target, tmp_path)
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None  # a traceback would show it


@pytest.mark.parametrize("variable", ["STORE", "PGPASSWORD"])
def test_a_server_that_refuses_is_told_without_the_password(server, tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, SECRET if variable == "PGPASSWORD" else f"host=refused password={SECRET}")
    target = "pgvector:host=refused#docs" if variable == "PGPASSWORD" else "pgvector:?dsn_env=STORE#docs"
    with pytest.raises(SourceError, match=r"pgvector:refused/#docs: no entry for \**") as refused:
        list(opened(target, tmp_path).documents())
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pgvector:host=h#nope", "no table 'nope'; there are: docs, other.more"),
        ("pgvector:host=h#docs?text=words", "the columns are id, content, created_at, price, meta"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(server, tmp_path, target, said):
    with pytest.raises(UsageError, match=said):
        list(opened(target, tmp_path).documents())


def test_names_are_quoted(server, tmp_path):
    with pytest.raises(UsageError, match="no table"):
        list(opened('pgvector:host=h#a.b"; drop table docs', tmp_path).documents())
    assert not any("drop" in query for query in server.asked)


def test_without_the_package_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'psycopg\[binary\]'"):
        opened(f"pgvector:host=h password={SECRET}#docs", tmp_path)
