"""Exports a corpus as JSON Lines, a line for each version, as `asof index` reads them; backs it up.

A version that turned out to be wrong is not written, nor is when one was added: indexed again, the lines give
the versions that hold now, each visible from the same instant on.
"""

from __future__ import annotations

import gzip
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec import Struct

from asof.errors import BadTime, CorpusError, UsageError
from asof.sources.dates import FISCAL_START, FROM, UNTIL, names_date, stated
from asof.sources.readers import NOTES
from asof.sources.records import ENDED, HEADINGS, ID_THEN, LONGEST_LIST, METADATA
from asof.sources.source import Fields, InputLimits
from asof.store.digest import DOCUMENT, STATUS, is_of_force, time_bounds
from asof.store.reader import NO_ACT, headings_of, text_of
from asof.text.tokens import Analyzer
from asof.time.span import BEGINNING, NEVER, moment
from asof.wire import encode

# -- export --------------------------------------------------------------------------------------------

SUFFIXES = (".jsonl", ".jsonl.gz")

_FIELDS = Fields()
_TAKEN = {*_FIELDS.about, *FISCAL_START}
"""Names that a line's reader takes for times, at any place."""

_LABELS = {
    *_FIELDS.fiscal_year, *_FIELDS.fiscal_quarter, *_FIELDS.fiscal_period, *_FIELDS.quarter, *_FIELDS.year
}  # fmt: skip
"""Names of metadata that are read as periods, too."""

_VERSIONS = (
    "SELECT v.id, d.name, v.layout, v.head IS NULL, v.published, v.starts, v.ends, v.visible, v.added,"
    " h.path, h.title, h.uri, h.language, h.tags, h.meta, h.about, h.fiscal_start, v.content"
    " FROM versions AS v JOIN documents AS d ON d.id = v.document LEFT JOIN heads AS h ON h.id = v.head"
    f" WHERE v.retired IS NULL ORDER BY v.document, v.visible < {NEVER}, v.visible, v.added, v.id"
)
"""The versions that are never seen come first: stated after others they would be edits of them."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class ExportReport(Struct):
    """The result of an export: documents, all their versions (deletions are versions too), bytes of the file;
    `left_out`: metadata that a line cannot hold, as the name is that of a field, or the value too long."""

    documents: int = 0
    versions: int = 0
    left_out: int = 0
    bytes: int = 0


class _Version(NamedTuple):
    """A row of `_VERSIONS`."""

    id: int
    name: str
    layout: bytes | None
    deleted: int
    published: str | None
    starts: int | None
    ends: int | None
    visible: int
    added: int
    path: str
    title: str
    uri: str
    language: str
    tags: str
    meta: str
    about: str
    fiscal_start: int
    content: bytes


def export(
    db: sqlite3.Connection, analyzer: Analyzer, file: Path, *, overwrite: bool = False
) -> ExportReport:
    """Write all that the read transaction of `db` sees to `file`, which appears once it is complete.
    `analyzer`: that of the corpus.

    Raises UsageError for a file that is there already, unless it may be overwritten, and for a name that ends
    in neither .jsonl nor .jsonl.gz; CorpusError for a version that no line can hold; OSError.
    """
    if not file.name.lower().endswith(SUFFIXES):
        endings = f"{' or '.join(SUFFIXES)} (of statements in .csv or .xlsx)"
        raise UsageError(f"{file}: the name of an export ends in {endings}")
    report, longest = ExportReport(), InputLimits().line
    with replacing(file, overwrite=overwrite) as passing, _writing(passing, file) as stream:
        versions = map(_Version._make, db.execute(_VERSIONS))
        for name, group in groupby(versions, lambda each: each.name):
            report.documents += 1
            for version in _effective(list(group)):
                report.versions += 1
                line = f"{_encode(_record(db, analyzer, version, report))}\n".encode()
                if len(line) > longest:
                    raise CorpusError(
                        f"a version of {name!r:.60} has {len(line):,} bytes as JSON, and a line is read to "
                        f"{longest:,}: copy the corpus with `asof export --backup`, or erase the document "
                        "with `asof purge`"
                    )
                stream.write(line)
    report.bytes = file.stat().st_size
    return report


@contextmanager
def replacing(file: Path, *, overwrite: bool) -> Iterator[Path]:
    """The path of a file to write, which gets the name `file` when all is written. Raises UsageError for a
    file that is there already, unless it may be overwritten."""
    _refuse_existing(file, overwrite=overwrite)
    passing = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        yield passing
        _refuse_existing(file, overwrite=overwrite)
        passing.replace(file)
    finally:
        passing.unlink(missing_ok=True)


def _refuse_existing(file: Path, *, overwrite: bool) -> None:
    if file.is_dir():
        raise UsageError(f"{file} is a folder; the name of a file is expected")
    if not overwrite and file.exists():
        raise UsageError(f"{file} is there already: overwrite it with --force, or choose another name")


@contextmanager
def _writing(passing: Path, file: Path) -> Iterator[BinaryIO]:
    with passing.open("xb") as raw:
        if file.suffix.lower() == ".gz":  # without a name and a time in it: equal exports are equal files
            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                yield cast(BinaryIO, packed)
        else:
            yield raw


# -- one line ------------------------------------------------------------------------------------------


def _effective(versions: list[_Version]) -> list[_Version]:
    """The versions of a document without those that are never seen and would be read otherwise: ends before
    all texts, or at an instant at which another version begins, and a text that stands again as of the same
    instant."""
    last = {(each.visible, each.content): each.id for each in versions}
    effective: list[_Version] = []
    for each, following in zip(versions, [*versions[1:], None], strict=True):
        if each.deleted:
            superseded = following is not None and following.visible == each.visible
            is_seen = bool(effective) and each.visible != NEVER and not superseded
        else:
            is_seen = last[each.visible, each.content] == each.id
        if is_seen:
            effective.append(each)
    return effective


def _record(
    db: sqlite3.Connection, analyzer: Analyzer, row: _Version, report: ExportReport
) -> dict[str, Any]:
    date = _date(row)
    if row.deleted:
        return {"id": row.name, ENDED: date}
    meta = json.loads(row.meta)
    tags = json.loads(row.tags)
    text = text_of(db, row.id, row.layout)
    headings = headings_of(db, row.id, row.layout)
    is_plain = bool(headings) or row.name.lower().endswith(NOTES)  # no Markdown, whatever it is called
    record: dict[str, Any] = {
        "id": row.name, "text": text if text.strip() or is_plain else row.title or row.name,
        "title": row.title, **({HEADINGS: headings} if is_plain else {}),
        **({} if date is None else {"published": date}),
        **({} if row.path == row.name else {ID_THEN: row.path}),
    }  # fmt: skip
    if row.language != analyzer.detect(text) or not meta.keys().isdisjoint(_FIELDS.language):
        record["language"] = row.language
    if tags or not meta.keys().isdisjoint(_FIELDS.tags):  # else the metadata would be read as tags
        record["tags"] = tags
    if row.uri or not meta.keys().isdisjoint(_FIELDS.uri):
        record["url"] = row.uri
    record |= {key: value for key, value in _lists(db, row, meta) if value}
    for each in json.loads(row.about):
        if is_of_force(each["by"]):
            record |= {key: each[end] for key, end in ((FROM, "from"), (UNTIL, "until")) if each[end]}
    if row.fiscal_start != 1:
        record[FISCAL_START[0]] = row.fiscal_start
    dates = (*(("changed", "created", "published") if date is None else ("changed",)), FROM, UNTIL)
    for key, value in meta.items():
        taken = (key in record and key not in METADATA) or key in _TAKEN or names_date(key, *dates)
        if taken or (isinstance(value, list) and len(value) > LONGEST_LIST):
            report.left_out += 1
        elif key in METADATA:  # else what is in it would be read as fields of the record
            record.setdefault(METADATA[0], {})[key] = value
        else:
            record[key] = value
    return record


def _lists(db: sqlite3.Connection, row: _Version, meta: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
    times = [each for each in json.loads(row.about) if each["by"] not in _LABELS or each["by"] not in meta]
    yield "about", [_about(each) for each in times if _is_about(each)]
    links = db.execute(
        f"SELECT target, heading, alias, kind FROM links AS l WHERE version = ? AND {NO_ACT} ORDER BY place",
        (row.id,),
    )
    keys = ("target", "heading", "alias", "kind")
    yield "links", [{key: each for key, each in zip(keys, link, strict=True) if each} for link in links]
    aliases = db.execute("SELECT alias FROM aliases WHERE version = ? ORDER BY alias", (row.id,))
    yield "aliases", [alias for (alias,) in aliases]


def _is_about(time: dict[str, str]) -> bool:
    """True for a time that a document is about: not that of its force, nor one without bounds."""
    of_force = time["by"] in (STATUS, DOCUMENT) or is_of_force(time["by"])
    return bool(time["from"] or time["until"]) and not of_force


def _about(time: dict[str, str]) -> str | dict[str, str]:
    """A time as it was stated, if its words alone are unambiguous; else its instants."""
    try:
        read = stated(time["text"], "about")
    except BadTime:
        read = None
    span = {key: time[key] for key in ("from", "until")}
    return time["text"] if read is not None and encode(read.span) == span else {
        key: at for key, at in span.items() if at
    }  # fmt: skip


def _date(row: _Version) -> str | None:
    """The date as it was stated, if it was over when the version was added and says by itself since when that
    is visible; else that instant. None for a version that can always, or never, be seen."""
    if row.visible in (BEGINNING, NEVER):
        return None
    try:
        date = stated(row.published, "metadata")
    except BadTime:
        date = None
    over = row.visible <= row.added  # else another instant may be read from it
    if over and date and time_bounds(date) == (row.starts, row.ends) and date.span.last == row.visible:
        return row.published
    return moment(row.visible).isoformat(timespec="microseconds").replace("+00:00", "Z")


# -- backup: a copy made while others use the database; as `.asof/corpus.db` it is the corpus ----------


def backup(db: sqlite3.Connection, database: Path, file: Path, *, overwrite: bool = False) -> int:
    """Copy the database that `db` reads, which is at `database`, to `file`, which only its owner may read and
    which appears once it is complete; returns its size in bytes.

    Raises UsageError for a file that is there already, unless it may be overwritten, and for a database that
    another process has open; sqlite3.Error, OSError.
    """
    if not file.name:
        raise UsageError(f"{str(file)!r} names no file")
    if file.resolve() == database.resolve() or file.with_name(f"{file.name}-wal").exists():
        raise UsageError(f"{file} is a database that is in use; choose another name")
    with replacing(file, overwrite=overwrite) as passing:
        os.close(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(passing)) as copy:
            db.backup(copy)
    return file.stat().st_size
