"""A dataset: documents with dates, questions that were asked at a moment, and which documents answer them.

A folder with corpus.jsonl[.gz], queries*.jsonl, qrels.tsv and, where sentences are known, evidence.jsonl.
Unusable lines become problems. Its corpus is cached in a folder named by a digest of all that it is built
from.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache as memoize
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import asof
from asof.config import Config
from asof.corpus.asking import LONGEST_QUESTION
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Problem, storable_value
from asof.errors import BadTime, DamagedStore, NoCorpus, UsageError
from asof.models.ports import Encoder
from asof.sources.dates import stated
from asof.sources.history import open_source
from asof.sources.source import Fields
from asof.store.run import IndexReport
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import NEVER

# -- questions, judgements and sentences that answer -----------------------------------------------


Relevance = dict[str, dict[str, int]]
"""Grades by question and document; a grade above 0 is relevant."""

Sentences = dict[str, list[tuple[str, str]]]
"""By question: documents, and sentences in them that answer it."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    """A question of a dataset. `asked_at`: the instant as of which it is asked, None if none is given.

    `query_doc`: a document that it was made from, which does not count as an answer. `record`: its JSON line.
    """

    id: str
    text: str
    asked_at: int | None = None
    type: str = ""
    query_doc: str = ""
    record: Mapping[str, Any] = field(default_factory=dict)


def parsed_lines(
    path: Path, parse: Callable[[str], T | None], problems: list[Problem]
) -> Iterator[tuple[int, T]]:
    """Numbers of lines and what `parse` makes of them; a line that it refuses by a ValueError is a problem,
    and one of which it makes None is left out. Raises UsageError for a file that cannot be read."""
    try:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            found = parse(line.decode("utf-8").strip("\r")) if line.strip() else None
        except UnicodeDecodeError:
            problems.append(Problem("the line is not UTF-8", path.name, number))
        except (ValueError, RecursionError) as error:
            problems.append(Problem(str(error), path.name, number))
        else:
            if found is not None:
                yield number, found


def _record(line: str) -> dict[str, Any]:
    """A line of JSON. Raises ValueError unless it is an object."""
    try:
        record = storable_value(json.loads(line))
    except ValueError as error:
        raise ValueError(f"the line is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(  # noqa: TRY004  of a line, as others
            f"the line is JSON, but no object: {type(record).__name__}"
        )
    return record


def _required(what: str, record: dict[str, Any], key: str) -> str:
    """A required field: a text, or a number as a text. Raises ValueError."""
    value = record.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"the {what} has no {key}: a text is expected")
    return value


def questions(paths: Iterable[Path], problems: list[Problem]) -> list[DatasetQuestion]:
    """The questions of some files, in order; a question in two files counts once."""
    by_id: dict[str, DatasetQuestion] = {}
    for path in paths:
        for number, question in parsed_lines(path, _question, problems):
            if by_id.setdefault(question.id, question) != question:
                message = f"another question has the id {question.id!r}: the first one counts"
                problems.append(Problem(message, path.name, number))
    return list(by_id.values())


def _question(line: str) -> DatasetQuestion:
    record = _record(line)
    id_, text = (_required("question", record, key) for key in ("id", "text"))
    if len(text) > LONGEST_QUESTION:
        raise ValueError(f"the question has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}")
    try:
        time = stated(record.get("asked_at"), "metadata")
    except BadTime as error:
        raise ValueError(f"the question has an asked_at that cannot be read: {error}") from error
    asked_at = None if time is None else time.span.last
    return DatasetQuestion(
        id_, text, asked_at, str(record.get("type") or ""), str(record.get("query_doc") or ""), record
    )


def judgements(path: Path, problems: list[Problem]) -> Relevance:
    """The grades of qrels.tsv, which may have a header."""
    grades: Relevance = {}
    for number, (query, document, grade) in parsed_lines(path, _judgement, problems):
        if grades.setdefault(query, {}).setdefault(document, grade) != grade:
            message = f"{document!r} had another relevance for {query!r} before: the first one counts"
            problems.append(Problem(message, path.name, number))
    return grades


HEADERS = ("score", "relevance", "rel", "grade", "label")
"""Words above the grades."""


def _judgement(line: str) -> tuple[str, str, int] | None:
    """Query, document, grade; None for a header. Raises ValueError."""
    parts = [part.strip() for part in line.split("\t")]
    expected = "query, document and a whole number, separated by tabs, are expected"
    if len(parts) != 3:
        raise ValueError(f"the line has {len(parts)} columns; {expected}")
    if parts[2].casefold() in HEADERS:
        return None
    if not parts[2].removeprefix("-").isdecimal():
        raise ValueError(f"the line has the relevance {parts[2]!r}; {expected}")
    return parts[0], parts[1], int(parts[2])


def sentences(path: Path, problems: list[Problem]) -> Sentences:
    """The sentences of evidence.jsonl; none if there is no such file."""
    by_question: Sentences = {}
    for _, (query, *pair) in parsed_lines(path, _evidence, problems) if path.is_file() else ():
        if tuple(pair) not in by_question.setdefault(query, []):
            by_question[query].append((pair[0], pair[1]))
    return by_question


def _evidence(line: str) -> tuple[str, str, str]:
    """Query, document, sentence. Raises ValueError."""
    record = _record(line)
    query, document, sentence = (
        _required("evidence", record, key) for key in ("query_id", "doc_id", "sentence")
    )
    return query, document, sentence


# -- the dataset -----------------------------------------------------------------------------------


FIELDS = Fields(published=("timestamp",))
"""A dataset says when a document was published in `timestamp` and nowhere else."""

EXPECTED = (
    'a dataset is a folder with corpus.jsonl or corpus.jsonl.gz {"id", "text", "title", "timestamp"}, '
    'queries*.jsonl {"id", "text", "asked_at"} and qrels.tsv (query, document, relevance; tabs)'
)
SOME_TIME = read("2000").first
"""As of when a corpus without any date is asked; its documents are visible always."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset without the texts of its documents, which stay on disk.

    `dates` holds, for each document, the last instant of its date (of the earliest, if it has versions), None
    for an undated one. `files` are those of the questions; `fields` are the names of the documents' metadata.
    """

    name: str
    corpus: Path
    dates: dict[str, int | None]
    questions: tuple[DatasetQuestion, ...]
    relevance: Relevance
    sentences: Sentences
    problems: tuple[Problem, ...]
    newest: int = SOME_TIME
    files: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()

    @property
    def clock(self) -> int:
        """An instant after every date: when the corpus is built, so that no result depends on today."""
        return max(self.newest, SOME_TIME) + 1_000_000

    def as_of(self, question: DatasetQuestion) -> int:
        """The moment of a question; one without a time is asked as of the newest document."""
        return self.newest if question.asked_at is None else question.asked_at

    def documents(self, until: int = NEVER) -> Iterator[Document]:
        """The documents that were published by then (undated ones too)."""
        for document in _stated(self.corpus):
            if isinstance(document, Document):
                when = last(document)
                if when is None or when <= until:
                    yield document

    def fingerprint(self) -> str:
        """A digest of the bytes of the corpus."""
        with self.corpus.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def load(folder: Path, *, queries: str = "") -> Dataset:
    """Read a dataset; `queries` chooses a file of questions, by its path or its name inside the folder.

    Raises UsageError when a file is missing.
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
    newest = max((date for date in dates.values() if date is not None and date < NEVER), default=SOME_TIME)
    return Dataset(
        folder.resolve().name, corpus, dates, tuple(questions(files, problems)),
        judgements(qrels, problems), sentences(folder / "evidence.jsonl", problems), tuple(problems),
        newest, tuple(file.name for file in files), known,
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
    """The date of each document, and the names of the metadata that occur."""
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
    return dates, frozenset(names)


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


# -- its corpus, cached ----------------------------------------------------------------------------


CACHE_FOLDER = "evaluate"
"""The folder of such corpora in the cache."""

SOURCES = (".py", ".toml", ".md")


@memoize
def code_version() -> str:
    """The version of asof and a digest of its source files: code, lists of words, prompts."""
    package = Path(asof.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*") if path.suffix in SOURCES):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return f"{asof.__version__}-{digest.hexdigest()}"


def key(dataset: Dataset, settings: CorpusSettings, writer: str = "") -> str:
    """A digest of what the corpus depends on: documents, code, options, the model that reads its facts."""
    parts = [dataset.fingerprint(), code_version(), settings.dumps(), writer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _folder(cache: Path) -> Path:
    """The folder of corpora in a cache. Raises UsageError where it cannot be made."""
    folder = cache / CACHE_FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "set XDG_CACHE_HOME to a folder that can be written to"
        raise UsageError(f"{folder} cannot be made: {error.strerror}; {remedy}") from error
    return folder


@dataclass(frozen=True, slots=True)
class EncodedOnce:
    """The vectors of `encoder`, which gets each text once, whatever the cut of the corpus (--leakage): so its
    vector has the same bits."""

    encoder: Encoder
    vectors: dict[tuple[str, bool], NDArray[np.float32]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.encoder.name

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length. Raises what the encoder raises."""
        new = [text for text in dict.fromkeys(texts) if (text, question) not in self.vectors]
        if new or not texts:
            encoded = self.encoder.encode(new, question=question)
            self.vectors.update(((text, question), vector) for text, vector in zip(new, encoded, strict=True))
            if not texts:
                return encoded
        return np.stack([self.vectors[text, question] for text in texts])


@contextmanager
def prepared(
    dataset: Dataset, settings: CorpusSettings, cache: Path, encoder: Encoder | None = None,
    progress: Callable[[IndexReport], None] | None = None, writer: str = "",
) -> Iterator[Corpus]:  # fmt: skip
    """The open corpus of the dataset, from the folder `cache` or built; one for each `writer` of facts."""
    folder = _folder(cache) / f"{dataset.name[:40]}-{key(dataset, settings, writer)}"
    corpus = _cached_corpus(folder, encoder)
    with corpus or _build_cached(folder, dataset, settings, encoder, progress) as opened:
        yield opened


def _cached_corpus(folder: Path, encoder: Encoder | None) -> Corpus | None:
    """The corpus in a folder of the cache; None if there is none, or it is damaged (then it is deleted)."""
    if not folder.is_dir():
        return None
    try:
        return open_corpus(folder, create=False, encoder=encoder, config=Config())
    except (NoCorpus, DamagedStore):
        shutil.rmtree(folder)
        return None


def _build_cached(
    folder: Path, dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None,
    progress: Callable[[IndexReport], None] | None,
) -> Corpus:  # fmt: skip
    """Build the corpus beside the folder, then rename it, so that a partial one is never used."""
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
    try:
        build(part, dataset, settings, encoder, progress)
        try:
            part.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            # another process was as fast, and has made the same
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return open_corpus(folder, create=False, encoder=encoder, config=Config())


@contextmanager
def temporary(
    dataset: Dataset, settings: CorpusSettings, documents: Iterable[Document] = (),
    encoder: Encoder | None = None,
) -> Iterator[Corpus]:  # fmt: skip
    """A corpus of some documents of a dataset in a temporary folder; more can be added."""
    with (
        tempfile.TemporaryDirectory(prefix="asof-evaluate-") as name,
        open_corpus(name, settings=settings, encoder=encoder, config=Config()) as corpus,
    ):
        fill(corpus, dataset, documents)
        yield corpus


def build(
    folder: Path, dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None = None,
    progress: Callable[[IndexReport], None] | None = None,
) -> None:  # fmt: skip
    """Index all documents."""
    with open_corpus(folder, settings=settings, encoder=encoder, config=Config()) as corpus:
        fill(corpus, dataset, dataset.documents(), progress)


def fill(
    corpus: Corpus, dataset: Dataset, documents: Iterable[Document],
    progress: Callable[[IndexReport], None] | None = None,
) -> None:  # fmt: skip
    """Add documents. The clock is set after all dates, not to today; merges are made here."""
    corpus.session.clock = itertools.count(dataset.clock, 1_000_000).__next__
    corpus.maintenance.background = False
    corpus.add(documents, progress=progress)
    corpus.tidy()
