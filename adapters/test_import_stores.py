"""Documents out of the stores of LlamaIndex, LangChain and PostgreSQL, as these write them.

Chroma (400 MB) and LanceDB (350 MB) are not installed here: tests/imports/stores has their formats.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.load import dumps
from langchain_core.vectorstores import InMemoryVectorStore
from llama_index.core import Document as LlamaDocument
from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore

import asof

TEXT = "\n\n".join(
    f"Ferry {number} sails at noon. It is red, and carries forty cars." for number in range(20)
)
PASSWORD = "sesame-secret"  # noqa: S105  of a server that lives as long as a test
TABLE = """
CREATE TABLE docs (id bigint PRIMARY KEY, content text, created_at timestamptz, price numeric, meta jsonb,
  embedding float4[]);
INSERT INTO docs VALUES (1, 'The ferry sails.', '2021-03-01 10:00+01', 1.5, '{"author": "Ann"}', '{1, 2}'),
  (2, 'The ferry is sold.', 'infinity', NULL, NULL, NULL), (3, NULL, '2022-01-01', NULL, NULL, NULL),
  (4, repeat('x', 4000001), '2022-01-01', NULL, NULL, NULL), (5, 'Old.', '0044-03-15 BC', NULL, NULL, NULL);
"""


def words(text: str) -> list[str]:
    return text.split()


def splitter(size: int) -> SentenceSplitter:
    return SentenceSplitter(chunk_size=size, chunk_overlap=size // 4, tokenizer=words)


@pytest.mark.parametrize("levels", [1, 2])
def test_the_nodes_of_llama_index_are_its_documents_again(tmp_path: Path, levels: int) -> None:
    document = LlamaDocument(text=TEXT, id_="ferries", metadata={"date": "2021-03"})
    parsers = {"large": splitter(80), "small": splitter(40)}
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(parsers), node_parser_map=parsers)
    store = SimpleDocumentStore()
    nodes = (splitter(40) if levels == 1 else parser).get_nodes_from_documents([document])
    assert len(nodes) > 3
    store.add_documents(nodes)
    store.persist(str(tmp_path / "docstore.json"))
    with asof.open(tmp_path) as corpus:
        [read] = corpus.source(f"docstore:{tmp_path}/docstore.json").documents()
    assert (read.text, str(read.published)) == (TEXT, "2021-03")


def test_the_documents_of_langchain_are_read(tmp_path: Path) -> None:
    documents = [Document(id="a", page_content="The ferry sails.", metadata={"date": "2021-03"})]
    (tmp_path / "list.json").write_text(dumps(documents))
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=3))
    store.add_documents(documents)
    store.dump(str(tmp_path / "store.json"))
    with asof.open(tmp_path) as corpus:
        for name in ("list.json", "store.json"):
            [read] = corpus.source(f"docstore:{tmp_path}/{name}").documents()
            assert (read.id, read.text) == (f"docstore:{name}!/a", "The ferry sails.")
            assert str(read.published) == "2021-03"


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """The folder of the socket of a PostgreSQL that wants a password; skips where none is installed."""
    pytest.importorskip("psycopg", reason="pip install 'psycopg[binary]'")
    tools = [*sorted(Path("/usr/lib/postgresql").glob("*/bin")), *map(Path, os.get_exec_path())]
    tool = next((each for each in tools if (each / "initdb").is_file()), None)
    if tool is None:
        pytest.skip("no PostgreSQL is installed: apt-get install postgresql")
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()  # it does not run as root
    folder = Path(tempfile.mkdtemp(prefix="asof"))

    def run(*command: str | Path) -> None:
        subprocess.run(
            [tool / command[0], *command[1:]], check=True, user=user, cwd=folder, capture_output=True
        )

    try:
        (folder / "password").write_text(PASSWORD)
        for path in (folder, folder / "password"):
            shutil.chown(path, user)
        run("initdb", "-D", "data", "-U", "asof", "-A", "scram-sha-256", "--pwfile=password")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", "data", "-o", options, "-l", "log", "-w", "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder)


def test_a_table_of_postgresql_is_read(server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    dsn = f"host={server} user=asof dbname=postgres"
    with psycopg.connect(dsn, password=PASSWORD) as connection:
        connection.execute(TABLE)
    with asof.open(tmp_path) as corpus:
        with pytest.raises(asof.errors.SourceError, match="no password supplied"):
            corpus.add(f"pgvector:{dsn}#docs")
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        report = corpus.add(f"pgvector:{dsn}#docs")
        assert (report.added, report.failed) == (3, 2)  # row 3 has no text, that of row 4 is too long
        said = "\n".join(map(str, report.problems))
        assert "2 of 3 documents have no date" in said  # infinity, and 44 BC
        assert PASSWORD not in said
        again = corpus.add(f"pgvector:{dsn}#docs")
        assert (again.added, again.changed, again.unchanged) == (0, 0, 3)
        [hit] = corpus.at("2021-03").search("ferry")
        assert (hit.document, hit.text) == (f"pgvector:{server}/postgres#docs!/1", "The ferry sails.")
