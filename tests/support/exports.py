"""Exports: a corpus with all that one can hold, a corpus made of one, their lines, and what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from tests.support.corpora import Clock, new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.data import Document, Ended, Heading, Link

ROWS = (
    "SELECT d.name, hex(p.key), p.number, p.visible, p.dated, p.added, p.headings, p.text, p.about,"
    " v.visible, v.added, (SELECT group_concat(at || ':' || added) FROM (SELECT at, added FROM ends"
    " WHERE passage = p.id ORDER BY added, at) AS ended) FROM passages AS p"
    " JOIN documents AS d ON d.id = p.document"
    " JOIN versions AS v ON v.id = p.version ORDER BY p.id"
)


@contextmanager
def restored(file: Path, now: int = 0) -> Iterator[Corpus]:
    """A corpus of an export, its clock at `now`; it is made with other settings than it gets."""
    with new_corpus(clock=Clock(now, 0) if now else None, chunking="whole") as corpus:
        corpus.add(file)
        yield corpus


def rows(corpus: Corpus) -> list[Any]:
    return db_of(corpus).execute(ROWS).fetchall()


TABLES = {
    "documents": "SELECT d.name, s.name, d.current IS NULL FROM documents AS d JOIN sources AS s"
    " ON s.id = d.source ORDER BY d.id",
    "heads": "SELECT d.name, s.name, h.digest, h.title, h.uri, h.language, h.tags, h.meta, h.about,"
    " h.keywords, h.fiscal_start FROM heads AS h JOIN documents AS d ON d.id = h.document JOIN sources AS s"
    " ON s.id = h.source ORDER BY h.id",
    "versions": "SELECT * FROM versions ORDER BY id", "links": "SELECT * FROM links",
    "aliases": "SELECT * FROM aliases", "tags": "SELECT * FROM tags", "sources": "SELECT * FROM sources",
    "transactions": "SELECT * FROM transactions", "meta": "SELECT * FROM meta",
}  # fmt: skip


def tables(corpus: Corpus) -> dict[str, list[Any]]:
    """All that an export holds, as it is stored."""
    return {name: db_of(corpus).execute(query).fetchall() for name, query in TABLES.items()} | {
        "passages": rows(corpus)
    }


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def write(file: Path, values: list[dict[str, Any]]) -> Path:
    """Write lines with the last one that fits them."""
    text = "".join(f"{json.dumps(value)}\n" for value in values if "end" not in value)
    versions = [value for value in values if "version" in value or "deletion" in value]
    documents = {repr(value.get("version", value.get("deletion"))) for value in versions}
    end = {"documents": len(documents), "versions": len(versions),
           "digest": blake2b(text.encode(), digest_size=16).hexdigest()}  # fmt: skip
    file.write_text(f"{text}{json.dumps({'end': end})}\n", "utf-8")
    return file


FULL = Document(
    "a.md", "# One\nBread.\n# Two\nBread rose.\n# Two\nBread rose.\n", "Äpfel \u2028", "2020-03",
    about=["2019", "2021-Q1"], links=[Link("b", "h", "x", "embed"), "c"], tags=["bread", "news"],
    aliases=["apples", "pears"], meta={"n": 1.5, "deep": {"b": [None, True, "x"], "a": 10**20}, "s": "Mill"},
    outline=[Heading(0, 1, "One"), Heading(13, 1, "Two"), Heading(31, 1, "Two")], uri="https://a/b?c",
    language="en", fiscal_start=7,
)  # fmt: skip


@contextmanager
def full_corpus(file: Path) -> Iterator[Corpus]:
    """A corpus with all that an export can hold, and its export as a file."""
    with new_corpus(languages=("de", "en"), chunking="10w", undated="never", search=("s", "tags")) as corpus:
        corpus.add([FULL, Document("b", "undated text"), Document("e", "", "only a title", "2021")])
        corpus.add([Document("a.md", "Other words.", "Äpfel", "2022"), Ended("b", "2023")])
        corpus.correct("e", "2021-05-05")
        report = corpus.export(file)
        assert (report.documents, report.versions, report.bytes) == (3, 6, file.stat().st_size)
        yield corpus
