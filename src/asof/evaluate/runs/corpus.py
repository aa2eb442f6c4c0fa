"""The corpus of a dataset: built once, kept in a folder that is named by all that it was built from."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as once
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

ROOM = "evaluate"
"""The folder for such corpora in the folder of the cache."""

VECTORS = "embeddings.db"
"""The file of vectors in that folder: of other code, another chunking, or a corpus that is cut (--leakage),
the same texts are not encoded again, and have the same bits."""

SOURCES = (".py", ".toml", ".md")


@once
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
    """What the corpus is a function of, as a digest: documents, code, options, what reads its facts."""
    parts = [dataset.fingerprint(), code_version(), settings.dumps(), sorted(dataset.without), writer]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@contextmanager
def kept_vectors(
    encoder: Encoder, cache: Path, tell: Callable[[str], None] | None = None
) -> Iterator[Encoder]:  # fmt: skip
    """The encoder with its vectors kept in the folder `cache`; where it cannot be written to, until the end
    of this, and `tell` gets a line about that."""
    from asof.models.kept_encoder import MEMORY, CachedEncoder

    path = cache / ROOM / VECTORS
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = CachedEncoder(encoder, path)
    except (OSError, CorpusError) as error:
        if tell is not None:
            tell(f"{error}: vectors are not kept")
        kept = CachedEncoder(encoder, MEMORY)
    with kept:
        yield kept


@contextmanager
def prepared(
    dataset: Dataset, settings: CorpusSettings, cache: Path, encoder: Encoder | None = None,
    progress: Callable[[IndexReport], None] | None = None, tell: Callable[[str], None] | None = None,
    writer: str = "",
) -> Iterator[Corpus]:  # fmt: skip
    """The corpus of the dataset, open, out of the folder `cache` or new; one for each `writer` of facts.

    Where the cache cannot be written to, it is made in a temporary folder; `tell` gets a line about that.
    """
    folder = cache / ROOM / f"{dataset.name[:40]}-{key(dataset, settings, writer)}"
    try:
        corpus = _kept(folder, encoder) or _made(folder, dataset, settings, encoder, progress)
    except OSError as error:
        if tell is not None:
            tell(f"{cache} cannot be written to ({error.strerror or error}): the corpus is not kept")
        with temporary(dataset, settings, encoder, progress=progress) as corpus:
            yield corpus
        return
    with corpus:
        yield corpus


def _kept(folder: Path, encoder: Encoder | None) -> Corpus | None:
    """The corpus in a folder of the cache; None when there is none, or none that is sound."""
    if not folder.is_dir():
        return None
    try:
        return open_corpus(folder, create=False, encoder=encoder, configured=Config())
    except (NoCorpus, DamagedStore):
        shutil.rmtree(folder)
        return None


def _made(
    folder: Path, dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None,
    progress: Callable[[IndexReport], None] | None,
) -> Corpus:  # fmt: skip
    """Build beside the folder and rename: what was interrupted is never taken for whole."""
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
    return open_corpus(folder, create=False, encoder=encoder, configured=Config())


@contextmanager
def temporary(
    dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None = None, *, until: int = NEVER,
    progress: Callable[[IndexReport], None] | None = None,
) -> Iterator[Corpus]:  # fmt: skip
    """A corpus of the documents that were published by `until`, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="asof-evaluate-") as name:
        build(Path(name), dataset, settings, encoder, until, progress)
        with open_corpus(name, create=False, encoder=encoder, configured=Config()) as corpus:
            yield corpus


def build(
    folder: Path, dataset: Dataset, settings: CorpusSettings, encoder: Encoder | None = None,
    until: int = NEVER, progress: Callable[[IndexReport], None] | None = None,
) -> None:  # fmt: skip
    """Index the documents that were published by `until`. The clock stands after all dates, not at today."""
    with open_corpus(folder, settings=settings, encoder=encoder, configured=Config()) as corpus:
        corpus.clock = itertools.count(dataset.clock, 1_000_000).__next__
        corpus.background = False
        corpus.add(dataset.documents(until), progress=progress)
        corpus.tidy()
