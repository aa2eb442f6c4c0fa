"""What an export has to keep of a corpus, and a corpus made of one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.corpora import Clock, new_corpus
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.store.reader import text_of

VERSIONS = (
    "SELECT d.name, v.visible, v.head IS NULL, h.title, h.uri, h.language, h.tags, h.meta, h.about,"
    " h.fiscal_start, v.id, v.layout FROM versions AS v JOIN documents AS d ON d.id = v.document"
    " LEFT JOIN heads AS h ON h.id = v.head WHERE v.retired IS NULL"
    " ORDER BY d.name, v.visible, v.added, v.id"
)


@contextmanager
def again(file: Path, now: int = 0, **settings: Any) -> Iterator[Corpus]:
    """A new corpus of an export, its clock at `now`."""
    with new_corpus(clock=Clock(now, 0) if now else None, **settings) as corpus:
        report = corpus.add(file)
        assert [str(each) for each in report.problems] == []
        yield corpus


def held(corpus: Corpus) -> list[tuple[Any, ...]]:
    """Every version that holds: its document, since when it is seen, whether it ends the document, its
    attributes, the spans of the times that it is about, links, aliases and text."""
    db, found = db_of(corpus), []
    for name, visible, ended, *attributes, about, fiscal, version, layout in db.execute(VERSIONS).fetchall():
        links = db.execute("SELECT target, heading, alias, kind FROM links WHERE version = ? ORDER BY place",
                           (version,)).fetchall()  # fmt: skip
        aliases = db.execute("SELECT alias FROM aliases WHERE version = ? ORDER BY alias", (version,))
        spans = [(each["from"], each["until"]) for each in json.loads(about or "[]")]
        found.append((
            name, visible, bool(ended), *attributes, spans, fiscal, links, aliases.fetchall(),
            "" if ended else text_of(db, version, layout),
        ))  # fmt: skip
    return found


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]
