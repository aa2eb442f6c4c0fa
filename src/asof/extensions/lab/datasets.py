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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache as memoize
from pathlib import Path
from typing import Any

import asof
from asof.config import Config
from asof.corpus.asking import LONGEST_QUESTION
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import BadTime, CorpusError, DamagedStore, NoCorpus, UsageError
from asof.models.ports import Encoder
from asof.sources.dates import stated
from asof.sources.history import open_source
from asof.sources.source import Fields
from asof.store.run import IndexReport
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import NEVER
from asof.values import Document, Problem, storable_value
from asof.wire import field_values, replace

# -- questions, judgements and sentences that answer -----------------------------------------------


_BOM = b"\xef\xbb\xbf"
_JSON = "every line has to be one JSON object"

Relevance = dict[str, dict[str, int]]
"""Grades by question and document; a grade above 0 is relevant."""

Sentences = dict[str, list[tuple[str, str]]]
"""By question: documents, and sentences in them that answer it."""


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


class UnusableLine(ValueError):
    """Why a line cannot be used."""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers and texts of the lines that are not blank. Raises UsageError."""
    try:
        content = path.read_bytes().removeprefix(_BOM)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            yield number, line.decode("utf-8", "surrogateescape").rstrip("\r")


def records(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Numbers and objects of a file of JSON lines; other lines are added to `problems`."""
    for number, line in lines(path):
        try:
            record = storable_value(json.loads(_utf8(line)))
        except (ValueError, RecursionError) as error:
            problems.append(Problem(f"the line is not JSON: {error}", path.name, number, _JSON))
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            message = f"the line is JSON, but no object: {type(record).__name__}"
            problems.append(Problem(message, path.name, number, _JSON))


def _utf8(line: str) -> str:
    """The line, if it is UTF-8. Raises UnusableLine."""
    if any("\udc80" <= sign <= "\udcff" for sign in line):
        raise UnusableLine("it is not UTF-8")
    return line


def questions(paths: Iterable[Path], problems: list[Problem]) -> list[DatasetQuestion]:
    """The questions of some files, in order; a question in two files counts once."""
    by_id: dict[str, DatasetQuestion] = {}
    for path in paths:
        for number, record in records(path, problems):
            try:
                question = _question(record)
            except UnusableLine as error:
                problems.append(Problem(f"the question {error}", path.name, number))
                continue
            if by_id.setdefault(question.id, question) != question:
                message = f"another question has the id {question.id!r}: the first one counts"
                problems.append(Problem(message, path.name, number))
    return list(by_id.values())


def _question(record: dict[str, Any]) -> DatasetQuestion:
    id_, text = _required(record, "id"), _required(record, "text")
    if len(text) > LONGEST_QUESTION:
        raise UnusableLine(f"has {len(text):,} characters; accepted: up to {LONGEST_QUESTION:,}")
    try:
        time = stated(record.get("asked_at"), "metadata")
    except BadTime as error:
        raise UnusableLine(f"has an asked_at that cannot be read: {error}") from error
    kind, without = record.get("type"), record.get("query_doc")
    return DatasetQuestion(
        id_, text, None if time is None else time.span.last,
        "" if kind is None else str(kind), "" if without is None else str(without), record,
    )  # fmt: skip


def _required(record: dict[str, Any], key: str) -> str:
    """A required field: a text, or a number as a text. Raises UnusableLine."""
    value = record.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise UnusableLine(f"has no {key}: a text is expected")
    return value


def judgements(path: Path, problems: list[Problem]) -> Relevance:
    """The grades of qrels.tsv. A first line whose grade is no number is its header."""
    grades: Relevance = {}
    for number, line in lines(path):
        try:
            query, document, grade = _judgement(line)
        except UnusableLine as error:
            if number > 1 or line.count("\t") != 2:
                remedy = "query, document and a whole number, separated by tabs, are expected"
                problems.append(Problem(f"the line {error}", path.name, number, remedy))
            continue
        if grades.setdefault(query, {}).setdefault(document, grade) != grade:
            message = f"{document!r} had another relevance for {query!r} before: the first one counts"
            problems.append(Problem(message, path.name, number))
    return grades


def _judgement(line: str) -> tuple[str, str, int]:
    """Query, document, grade. Raises UnusableLine."""
    parts = [part.strip() for part in _utf8(line).split("\t")]
    if len(parts) != 3:
        raise UnusableLine(f"has {len(parts)} columns")
    if not _whole(parts[2]):
        raise UnusableLine(f"has the relevance {parts[2]!r}")
    return parts[0], parts[1], int(parts[2])


def _whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def sentences(path: Path, problems: list[Problem]) -> Sentences:
    """The sentences of evidence.jsonl; none if there is no such file."""
    by_question: Sentences = {}
    if not path.is_file():
        return by_question
    for number, record in records(path, problems):
        try:
            query, pair = (
                _required(record, "query_id"),
                (_required(record, "doc_id"), _required(record, "sentence")),
            )
        except UnusableLine as error:
            problems.append(Problem(f"the evidence {error}", path.name, number))
            continue
        if pair not in by_question.setdefault(query, []):
            by_question[query].append(pair)
    return by_question


# -- the dataset -----------------------------------------------------------------------------------


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
    name: role if role in {*_BLANK, "id", "text"} else "about"
    for role, names in field_values(FIELDS).items()
    if isinstance(names, tuple)
    for name in names
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
        """The moment of a question; one without a time is asked as of the newest document."""
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


# -- its corpus, cached ----------------------------------------------------------------------------


CACHE_FOLDER = "evaluate"
"""The folder of such corpora in the cache."""

VECTORS = "embeddings.db"
"""The file of vectors in that folder: a text is encoded once, whatever the code, the chunking and the cut of
the corpus (--leakage), so that its vector has the same bits."""

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
    parts = [dataset.fingerprint(), code_version(), settings.dumps(), sorted(dataset.without), writer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@contextmanager
def cached_vectors(
    encoder: Encoder, cache: Path, on_note: Callable[[str], None] | None = None
) -> Iterator[Encoder]:  # fmt: skip
    """The encoder with its vectors cached in the folder `cache`.

    If that cannot be written to, they are cached in memory, and `on_note` gets a line about it.
    """
    from asof.models.encoders import MEMORY, CachedEncoder

    path = cache / CACHE_FOLDER / VECTORS
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        cached = CachedEncoder(encoder, path)
    except (OSError, CorpusError) as error:
        if on_note is not None:
            on_note(f"{error}: vectors are not cached")
        cached = CachedEncoder(encoder, MEMORY)
    with cached:
        yield cached


@contextmanager
def prepared(
    dataset: Dataset, settings: CorpusSettings, cache: Path, encoder: Encoder | None = None,
    progress: Callable[[IndexReport], None] | None = None, on_note: Callable[[str], None] | None = None,
    writer: str = "",
) -> Iterator[Corpus]:  # fmt: skip
    """The open corpus of the dataset, from the folder `cache` or built; one for each `writer` of facts.

    If the cache cannot be written to, it is built in a temporary folder, and `on_note` gets a line about it.
    """
    folder = cache / CACHE_FOLDER / f"{dataset.name[:40]}-{key(dataset, settings, writer)}"
    try:
        corpus = _cached_corpus(folder, encoder) or _build_cached(
            folder, dataset, settings, encoder, progress
        )
    except OSError as error:
        if on_note is not None:
            on_note(f"{cache} cannot be written to ({error.strerror or error}): the corpus is not cached")
        with temporary(dataset, settings, encoder, progress=progress) as corpus:
            yield corpus
        return
    with corpus:
        yield corpus


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
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
    try:
        build(part, dataset, settings, encoder, progress=progress)
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
    dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None = None, *, until: int = NEVER,
    progress: Callable[[IndexReport], None] | None = None,
) -> Iterator[Corpus]:  # fmt: skip
    """A corpus of the documents that were published by `until`, in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="asof-evaluate-") as name:
        build(Path(name), dataset, settings, encoder, until, progress)
        with open_corpus(name, create=False, encoder=encoder, config=Config()) as corpus:
            yield corpus


def build(
    folder: Path, dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None = None,
    until: int = NEVER, progress: Callable[[IndexReport], None] | None = None,
) -> None:  # fmt: skip
    """Index the documents that were published by `until`. The clock is set after all dates, not to today."""
    with open_corpus(folder, settings=settings, encoder=encoder, config=Config()) as corpus:
        corpus.session.clock = itertools.count(dataset.clock, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(dataset.documents(until), progress=progress)
        corpus.tidy()


# -- peak memory of a step: the largest resident size less that before it --------------------------


STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")
"""Writing 5 there sets the largest size back to the present one (Linux, proc(5))."""

MEGABYTE = 1e6


def peak_growth() -> Callable[[], float | None]:
    """Begins a step; the function that it returns ends it, and gives megabytes.

    None where the largest size cannot be set back (not on Linux, nor where the process may not write there):
    what a step takes is then hidden by the height of an earlier one, and would seem to be nothing.
    """
    try:
        RESET.write_text("5")
        before = _kilobytes("VmRSS")
    except (OSError, ValueError):
        return lambda: None
    return lambda: _grown(before)


def _grown(before: int) -> float | None:
    try:
        return (_kilobytes("VmHWM") - before) * 1024 / MEGABYTE
    except (OSError, ValueError):
        return None


def _kilobytes(key: str) -> int:
    """A line of /proc/self/status, in units of 1024 bytes. Raises ValueError where it is missing."""
    for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0])
    raise ValueError(f"{STATUS} has no {key}")
