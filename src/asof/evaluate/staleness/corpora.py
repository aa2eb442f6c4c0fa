"""The corpora of cases: their documents, indexed in a temporary folder or in one that is kept."""

from __future__ import annotations

import hashlib
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Problem
from asof.errors import DamagedStore, NoCorpus, UsageError
from asof.evaluate.runs.dataset import SOME_TIME, last
from asof.sources.open import open_source
from asof.store.settings import CorpusSettings
from asof.time.span import NEVER

SETTINGS = CorpusSettings(undated="always")


@dataclass(frozen=True, slots=True)
class CaseDocuments:
    """The versions of a case's documents. `digest`: of the file; `instants`: at which they are published."""

    digest: str
    versions: tuple[Document, ...]
    instants: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(each.id for each in self.versions)

    def newest(self, as_of: int) -> int | None:
        """The instant of the last version at a moment; None where none has a date."""
        return max((each for each in self.instants if each <= as_of), default=None)

    def until(self, instant: int) -> list[Document]:
        """The versions that were published by then, and undated ones."""
        dated = ((last(each), each) for each in self.versions)
        return [each for when, each in dated if when is None or when <= instant]


def read_documents(path: Path) -> CaseDocuments:
    """The documents of a file of JSON lines. Raises SourceError."""
    stated = list(open_source(path, root=path.parent).documents())
    versions = tuple(each for each in stated if isinstance(each, Document))
    instants = {when for each in versions if (when := last(each)) is not None}
    problems = tuple(each for each in stated if isinstance(each, Problem))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return CaseDocuments(digest, versions, tuple(sorted(instants)), problems)


@contextmanager
def corpus_folder(documents: CaseDocuments, index: Path | None) -> Iterator[tuple[Path, bool]]:
    """The folder of the corpus of a case, and whether it is one that was kept below `index`.

    Without `index` it is temporary. Raises UsageError where `index` cannot be written to.
    """
    if index is None:
        with temporary_corpus(documents) as folder:
            yield folder, False
        return
    folder = index / documents.digest[:32]
    try:
        kept = _usable(folder)
        if not kept:
            _build_kept(documents, folder)
    except OSError as error:
        raise UsageError(f"--index {index} cannot be written to: {error.strerror or error}") from error
    yield folder, kept


@contextmanager
def temporary_corpus(documents: CaseDocuments, until: int = NEVER) -> Iterator[Path]:
    """A folder with a corpus of the versions that were published by then."""
    with tempfile.TemporaryDirectory(prefix="asof-stale-") as name:
        build(documents, Path(name), until)
        yield Path(name)


def build(documents: CaseDocuments, folder: Path, until: int = NEVER) -> None:
    """Index the versions that were published by `until`. The clock stands after all dates, not at today."""
    with open_corpus(folder, settings=SETTINGS, config=Config()) as corpus:
        newest = max((each for each in documents.instants if each < NEVER), default=SOME_TIME)
        corpus.session.clock = itertools.count(max(newest, SOME_TIME) + 1_000_000, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(documents.until(until))
        corpus.tidy()


def opened(folder: Path) -> Corpus:
    """The corpus in a folder, without what a configuration there says."""
    return open_corpus(folder, create=False, config=Config())


def _usable(folder: Path) -> bool:
    """Whether a folder holds a corpus; one that is damaged is deleted."""
    if not folder.is_dir():
        return False
    try:
        opened(folder).close()
    except (NoCorpus, DamagedStore):
        shutil.rmtree(folder)
        return False
    return True


def _build_kept(documents: CaseDocuments, folder: Path) -> None:
    """Build the corpus beside the folder, then rename it, so that a partial one is never used."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
    try:
        build(documents, part)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
