"""The corpus of a dataset, cached in a folder that is named by a digest of all that it is built from."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as memoize
from pathlib import Path

import asof
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import CorpusError, DamagedStore, NoCorpus
from asof.evaluate.runs.dataset import Dataset
from asof.models.ports import Encoder
from asof.store.run import IndexReport
from asof.store.settings import CorpusSettings
from asof.time.span import NEVER

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
    from asof.models.cached_encoder import MEMORY, CachedEncoder

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
