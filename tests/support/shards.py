"""Corpora in shards, and rows of all shards as a corpus in one piece has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open_shards
from asof.corpus.corpus import Corpus
from asof.data import Filters
from asof.index.view import View
from asof.store.settings import CorpusSettings


@contextmanager
def new_shards(folder: Path, count: int, *, encoder: Any = None, **settings: Any) -> Iterator[ShardedCorpus]:
    """A new corpus in shards; settings as keywords (unless told, words are not stemmed). It merges no
    segments by itself."""
    chosen = CorpusSettings(**{"stem": False, **settings})
    with open_shards(folder, shards=count, encoder=encoder, settings=chosen) as corpus:
        for shard in corpus.shards:
            shard.maintenance.background = False
        yield corpus


_DOCUMENTS = "JOIN documents AS d ON d.id = {}.document"
_TABLES = {
    "transactions": "SELECT DISTINCT id, what FROM transactions",
    "documents": "SELECT d.name, s.name, s.kind FROM documents AS d JOIN sources AS s ON s.id = d.source",
    "versions": "SELECT d.name, v.content, v.stated, v.published, v.starts, v.ends, v.dated_by, v.visible,"
    f" v.layout, v.added, v.retired, v.id = d.current FROM versions AS v {_DOCUMENTS.format('v')}",
    "heads": "SELECT d.name, h.digest, s.name, h.title, h.meta FROM heads AS h"
    f" JOIN sources AS s ON s.id = h.source {_DOCUMENTS.format('h')}",
    "passages": "SELECT d.name, p.key, p.number, p.visible, p.dated, p.added, p.headings, p.text, p.about"
    f" FROM passages AS p {_DOCUMENTS.format('p')}",
    "ends": "SELECT d.name, p.key, p.visible, p.added, e.at, e.added FROM ends AS e"
    f" JOIN passages AS p ON p.id = e.passage {_DOCUMENTS.format('p')}",
    "links": "SELECT d.name, v.added, l.target FROM links AS l JOIN versions AS v ON v.id = l.version"
    f" {_DOCUMENTS.format('v')}",
    "checkpoints": "SELECT s.name, d.name, c.token FROM checkpoints AS c JOIN sources AS s ON s.id = c.source"
    " JOIN documents AS d ON d.id = c.document",
}


def all_rows(shards: Iterable[Corpus]) -> dict[str, list[Any]]:
    """What stands in the tables of all shards, by what it means: without ids, in an order of its own."""
    found: dict[str, list[Any]] = {name: [] for name in _TABLES}
    for shard in shards:
        with shard.session.connection() as db:
            for name, query in _TABLES.items():
                found[name] += db.execute(query).fetchall()
    found["transactions"] = list(set(found["transactions"]))
    return {name: sorted(rows, key=repr) for name, rows in found.items()}


def visible_rows(shards: Iterable[Corpus], as_of: int, known_at: int | None) -> list[Any]:
    """The passages that the index of all shards shows at (T, K), and what their hits would show."""
    found: list[Any] = []
    for shard in shards:
        found += shard.session.use(as_of, known_at, _shown)
    return sorted(found)


def _shown(view: View) -> list[Any]:
    places = np.arange(view.prefix.rows)
    rows = places[view.window(Filters()).visible(places)]
    visible = view.column("visible", rows).tolist()
    return [
        (each.document, each.key, at, each.text, each.title, each.published, each.dated_by, each.source)
        for at, each in zip(visible, view.records(rows), strict=True)
    ]
