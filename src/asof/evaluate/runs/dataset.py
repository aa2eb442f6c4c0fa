"""A dataset: documents with dates, questions that were asked at a moment, and which documents answer them.

A folder with corpus.jsonl[.gz], queries*.jsonl, qrels.tsv and, where sentences are known, evidence.jsonl.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from asof.data import Document, Problem
from asof.errors import UsageError
from asof.evaluate.runs.questions import (
    DatasetQuestion,
    Relevance,
    Sentences,
    judgements,
    questions,
    sentences,
)
from asof.sources.fields import Fields
from asof.sources.open import open_source
from asof.time.moment import read
from asof.time.span import NEVER

FIELDS = Fields(published=("timestamp",))
"""A dataset says when a document was published in `timestamp` and nowhere else."""

EXPECTED = (
    'a dataset is a folder with corpus.jsonl or corpus.jsonl.gz {"id", "text", "title", "timestamp"}, '
    'queries*.jsonl {"id", "text", "asked_at"} and qrels.tsv (query, document, relevance; tabs)'
)
METADATA = "metadata"
SOME_TIME = read("2000").first
"""As of when a corpus without any date is asked; its documents are visible always."""

_BLANK: dict[str, Any] = {
    "title": "", "published": None, "changed": None, "about": (), "links": (), "tags": (), "aliases": (),
    "uri": "", "language": "",
}  # fmt: skip
"""The attributes of a document besides id, text and metadata, with their values when they are blanked."""

_ATTRIBUTES = {
    name: role.name if role.name in {*_BLANK, "id", "text"} else "about"
    for role in fields(FIELDS)
    if isinstance(getattr(FIELDS, role.name), tuple)
    for name in getattr(FIELDS, role.name)
}
"""By the name of a field in corpus.jsonl, the attribute of a document that it becomes."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset without the texts of its documents, which stay on disk.

    `dates` holds, for each document, the last instant of its date (of the earliest, if it has versions), None
    for an undated one. `without` are fields that are blanked; `files` are those of the questions; `fields`
    are the names that occur in corpus.jsonl.
    """

    name: str
    corpus: Path
    dates: dict[str, int | None]
    questions: tuple[DatasetQuestion, ...]
    relevance: Relevance
    sentences: Sentences
    problems: tuple[Problem, ...]
    without: tuple[str, ...] = ()
    newest: int = SOME_TIME
    files: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()

    @property
    def clock(self) -> int:
        """An instant after every date: when the corpus is built, so that no result depends on today."""
        return max(self.newest, SOME_TIME) + 1_000_000

    def as_of(self, question: DatasetQuestion) -> int:
        """When a question is asked; one without a time is asked as of the newest document."""
        return self.newest if question.asked_at is None else question.asked_at

    def documents(self, until: int = NEVER) -> Iterator[Document]:
        """The documents that were published by then (undated ones too), without the blanked fields."""
        for document in _stated(self.corpus):
            if isinstance(document, Document):
                when = last(document)
                if when is None or when <= until:
                    yield blanked(document, self.without)

    def fingerprint(self) -> str:
        """A digest of the bytes of the corpus."""
        digest = hashlib.sha256()
        with self.corpus.open("rb") as file:
            while piece := file.read(2**20):
                digest.update(piece)
        return digest.hexdigest()


def load(folder: Path, *, queries: str = "", without: Sequence[str] = ()) -> Dataset:
    """Read a dataset; `queries` chooses a file of questions, by its path or its name inside the folder.

    `without` blanks fields of the documents: a field's name, or `metadata` for all but id, text, title and
    timestamp. Raises UsageError when a file is missing or a field occurs nowhere.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; {EXPECTED}")
    corpus = _one(folder, "corpus.jsonl", "corpus.jsonl.gz")
    qrels = _one(folder, "qrels.tsv")
    files = [_chosen(folder, queries)] if queries else sorted(folder.glob("queries*.jsonl"))
    if not files:
        raise UsageError(f"{folder} has no queries*.jsonl; {EXPECTED}")
    problems: list[Problem] = []
    dates, known = _scan(corpus, problems)
    if not dates:
        raise UsageError(f"{corpus} holds no document that can be read; {EXPECTED}")
    _check(without, known)
    return Dataset(
        folder.resolve().name, corpus, dates, tuple(questions(files, problems)),
        judgements(qrels, problems), sentences(folder / "evidence.jsonl", problems), tuple(problems),
        tuple(dict.fromkeys(without)), _newest(dates), tuple(file.name for file in files), known,
    )  # fmt: skip


def _one(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise UsageError(f"{folder} has no {' or '.join(names)}; {EXPECTED}")


def _chosen(folder: Path, name: str) -> Path:
    for path in (folder / name, Path(name)):
        if path.is_file():
            return path
    names = ", ".join(sorted(path.name for path in folder.glob("queries*.jsonl"))) or "none"
    raise UsageError(f"--queries {name}: no such file here or in {folder}, which has: {names}")


def _scan(corpus: Path, problems: list[Problem]) -> tuple[dict[str, int | None], frozenset[str]]:
    """The date of each document, and the names of the fields that occur."""
    dates: dict[str, int | None] = {}
    names: set[str] = set()
    for item in _stated(corpus):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        when = last(item)
        before = dates.setdefault(item.id, when)
        if when is None or (before is not None and when < before):
            dates[item.id] = when
        names.update(item.meta)
        names.update(_named(name) for name, blank in _BLANK.items() if getattr(item, name) != blank)
    return dates, frozenset(names)


def _named(attribute: str) -> str:
    """The usual name in corpus.jsonl of an attribute."""
    names: tuple[str, ...] = getattr(FIELDS, attribute)
    return names[0]


def _stated(corpus: Path) -> Iterator[Document | Problem]:
    """The documents of the lines. A second line with the id and the date of an earlier one is a problem."""
    keys: set[tuple[str, int | None]] = set()
    for item in open_source(corpus, root=corpus.parent, fields=FIELDS).documents():
        if isinstance(item, Document):
            key = (item.id, last(item))
            if key in keys:
                message = f"the document {item.id!r} occurs twice with the same date; the first one counts"
                yield Problem(message, corpus.name, document=item.id)
                continue
            keys.add(key)
        if isinstance(item, Document | Problem):
            yield item


def last(document: Document) -> int | None:
    """The last instant of a document's date, from which it is visible; None when it is undated."""
    return None if document.published is None else document.published.span.last


def _newest(dates: dict[str, int | None]) -> int:
    """The newest date; SOME_TIME without any."""
    return max((date for date in dates.values() if date is not None and date < NEVER), default=SOME_TIME)


def _check(without: Sequence[str], known: Collection[str]) -> None:
    accepted = {*known, METADATA}
    for name in without:
        if name not in accepted and not (name in _ATTRIBUTES and _named(_ATTRIBUTES[name]) in known):
            raise UsageError(
                f"--without {name}: no document has this field; accepted: {', '.join(sorted(accepted))}"
            )


def blanked(document: Document, without: Sequence[str]) -> Document:
    """The document without some of its fields, which are named as in corpus.jsonl."""
    if not without:
        return document
    attributes = {_ATTRIBUTES[name] for name in without if name in _ATTRIBUTES}
    if METADATA in without:
        attributes |= _BLANK.keys() - {"title", "published"}
    meta = {} if METADATA in without else {k: v for k, v in document.meta.items() if k not in without}
    return replace(document, meta=meta, **{name: _BLANK[name] for name in attributes})
