"""Tables of LanceDB, from a scripted package: the real one takes 350 MB (see adapters/)."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import datetime
from types import SimpleNamespace

import pytest

import asof
from asof.errors import MissingExtra, SourceError, UsageError
from asof.imports.stores.lance import SCHEME
from asof.sources.scheme import SourceContext

TYPES = {
    "id": "string", "vector": "fixed_size_list<item: float>[2]", "more": "list<item: double>",
    "raw": "binary", "text": "string", "created_at": "timestamp[us]", "metadata": "struct<author: string>",
    "tags": "list<item: string>",
}  # fmt: skip
ROWS = [
    {
        "id": "a", "text": "The ferry sails.", "created_at": datetime(2021, 3, 1, 10),  # noqa: DTZ001
        "metadata": {"author": "Ann"}, "tags": ["x", "y"],
    },
    {"id": "b", "text": "The ferry is sold.", "created_at": None, "metadata": None, "tags": None},
]  # fmt: skip


@dataclass
class Batch:
    """As much of pyarrow's RecordBatch as is used."""

    rows: list[dict[str, object]]
    schema = ()

    def to_pylist(self):
        return self.rows


class Table:
    """As much of lancedb's table, and of its query, as is used; a search without a limit may stop early."""

    def __init__(self, rows):
        self.rows = rows
        self.schema = [SimpleNamespace(name=name, type=kind) for name, kind in TYPES.items()]

    def count_rows(self):
        return len(self.rows)

    def search(self):
        return self

    def select(self, names):
        assert names == ["id", "text", "created_at", "metadata", "tags"]
        return self

    def limit(self, count):
        assert count == max(1, len(self.rows))
        return self

    def to_batches(self, batch_size):
        if self.rows == "damaged":
            raise RuntimeError("LanceError: no manifest")
        return [Batch([row]) for row in self.rows]


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "db" / "docs.lance").mkdir(parents=True)
    table = Table(list(ROWS))
    database = SimpleNamespace(open_table={"docs": table}.get)
    module = SimpleNamespace(connect={"db": database}.get)
    monkeypatch.setitem(sys.modules, "lancedb", module)
    return table


def opened(target, root, **options):
    return SCHEME.open(target, SourceContext(root, 0), **options)


@pytest.mark.parametrize("target", ["lancedb:db#docs", "lancedb:db"])
def test_rows_are_read_without_vectors_and_bytes(table, tmp_path, target):
    first, second, problem = opened(target, tmp_path).documents()
    assert (first.id, first.text, first.tags) == ("lancedb:db#docs!/a", "The ferry sails.", ("x", "y"))
    assert (str(first.published), first.meta) == ("2021-03-01T10:00:00", {"author": "Ann"})
    assert (second.published, second.meta) == (None, {})
    assert str(problem) == (
        "lancedb:db#docs: 1 of 2 documents have no date (name the column of the date: ?time=NAME, of "
        "created_at, metadata, tags)"
    )


def test_importing_again_changes_nothing_and_what_is_gone_ends(table, tmp_path):
    with asof.open(tmp_path) as corpus:
        corpus.maintenance.background = False
        assert corpus.add("lancedb:db#docs").added == 2
        again = corpus.add("lancedb:db#docs")
        assert (again.added, again.changed, again.unchanged, again.ended) == (0, 0, 2, 0)
        del table.rows[1]
        assert corpus.add("lancedb:db#docs").ended == 1


def test_an_empty_table_states_nothing(table, tmp_path):
    table.rows = []
    assert list(opened("lancedb:db", tmp_path).documents()) == []


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("lancedb:db#other", "no table 'other'; there are: docs"),
        ("lancedb:db?text=words", "text=words: no column is called so; the columns are id, text, created_at"),
        ("lancedb:db?text=vector", "text=vector: no column is called so"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(table, tmp_path, target, said):
    with pytest.raises(UsageError, match=said):
        opened(target, tmp_path)


def test_a_folder_without_tables_is_refused(tmp_path):
    with pytest.raises(SourceError, match="holds no table of LanceDB"):
        opened(f"lancedb:{tmp_path}", tmp_path)


def test_a_damaged_table_is_refused(table, tmp_path):
    source = opened("lancedb:db", tmp_path)
    table.rows = "damaged"
    with pytest.raises(SourceError, match="lancedb:db#docs cannot be read: LanceError: no manifest"):
        list(source.documents())


def test_without_the_package_it_is_named(tmp_path, monkeypatch):
    (tmp_path / "docs.lance").mkdir()
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(MissingExtra, match="pip install lancedb"):
        opened(f"lancedb:{tmp_path}", tmp_path)
