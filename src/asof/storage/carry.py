"""What a new folder of a shard takes from the present one beside what the storage has: facts that were read
here, and what was derived from passages. Both can be made again; facts that a model read were paid for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from asof import corpus_files
from asof.errors import CorpusError
from asof.store.schema import connect

DERIVED = "derived"

_SAME_INPUT = """
CREATE TEMP TABLE carried AS SELECT e.passage, e.extractor FROM old.extractions AS e
LEFT JOIN main.extractions AS there ON there.passage = e.passage
JOIN old.passages AS o ON o.id = e.passage JOIN main.passages AS n ON n.id = e.passage
JOIN old.documents AS od ON od.id = o.document JOIN main.documents AS nd ON nd.id = n.document
JOIN old.versions AS ov ON ov.id = o.version JOIN main.versions AS nv ON nv.id = n.version
JOIN old.heads AS oh ON oh.id = o.head JOIN main.heads AS nh ON nh.id = n.head
WHERE there.passage IS NULL AND od.name = nd.name AND ov.stated = nv.stated AND oh.digest = nh.digest
AND (o.key, o.number, o.headings, o.text, o.about) = (n.key, n.number, n.headings, n.text, n.about)
"""
"""Passages that were read for facts and are in both databases, with all that an extractor is given
(`store.facts.Excerpt`): ids alone do not say so, where a state was discarded that others did not have."""


def carry_facts(old: Path, new: Path) -> str:
    """Copy the facts of passages that both databases have. Returns what is wrong where that cannot be done
    (the old one is damaged, or of another asof): they are read again when they are asked for."""
    try:
        if old.exists():
            _carry_facts(old, new)
    except (sqlite3.Error, CorpusError) as error:
        return str(error)
    return ""


def _carry_facts(old: Path, new: Path) -> None:
    with closing(connect(new, write=True)) as db:
        db.execute("ATTACH DATABASE ? AS old", (f"{old.absolute().as_uri()}?mode=ro",))
        if not db.execute("SELECT 1 FROM old.extractions LIMIT 1").fetchone():
            return
        versions = [db.execute(f"PRAGMA {name}.user_version").fetchone()[0] for name in ("main", "old")]
        if versions[0] != versions[1]:
            raise CorpusError(f"they are of schema {versions[1]}, and what was fetched of {versions[0]}")
        db.execute("BEGIN IMMEDIATE")
        try:
            db.execute(_SAME_INPUT)
            db.execute("INSERT INTO main.extractions SELECT passage, extractor FROM temp.carried")
            db.execute(
                "INSERT INTO main.facts SELECT f.* FROM old.facts AS f"
                " JOIN temp.carried AS c ON c.passage = f.passage"
            )
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")


def carry_derived(old: Path, new: Path) -> None:
    """Give the new folder of a shard what was derived in the old one: it says itself what it was made from,
    and who reads it looks. These files are never changed, only replaced, so both folders can have them."""
    for file in _segments(old / DERIVED):
        target = new / DERIVED / file.relative_to(old / DERIVED)
        corpus_files.make_folder(target.parent)
        corpus_files.link(file, target)


def _segments(folder: Path) -> Iterator[Path]:
    for name in corpus_files.names(folder):
        if name.endswith(".seg"):
            yield folder / name
        elif "." not in name:
            yield from _segments(folder / name)
