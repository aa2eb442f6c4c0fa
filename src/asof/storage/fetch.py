"""Fetching one shard: its database from the chunks that changed, and the segments that are not here yet.

A new folder gets a database of the chunks of the present one that are still right, and of those from the
storage; each has the digest that the manifest leads to before it is written. Nothing of the present folder is
changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import IO

from asof import corpus_files
from asof.corpus_files import NotAFile
from asof.errors import MissingObject
from asof.storage.chunks import chunk_bytes, damaged, digest_in, read_list, read_object
from asof.storage.manifests import SegmentObject, Truth
from asof.storage.names import DIGEST_BYTES, digest_of, object_path
from asof.storage.objects import Objects
from asof.store.shard_layout import SHARD_NAME

THREADS = 8
_PIECE = 8 << 20
_ATTEMPTS = 3


@dataclass(slots=True)
class Fetched:
    """What came from the storage: chunks, segments, and the bytes of both."""

    chunks: int = 0
    segments: int = 0
    bytes: int = 0


def fetch_database(
    objects: Objects, truth: Truth, present: Path | None, folder: Path, fetched: Fetched
) -> None:
    """Write the database of a shard into its new folder, with what is right of that in the `present` one.
    Raises DamagedObject, StorageUnavailable, OSError."""
    names = read_list(objects, truth)
    before = (present or folder) / "corpus.db"
    digests = _digests(before, truth.chunk) if present else []
    places: dict[str, int] = {digest: place for place, digest in enumerate(digests)}
    corpus_files.make_folder(folder)
    with (
        _opened(before) as old,
        os.fdopen(corpus_files.create_file(folder / "corpus.db"), "r+b") as new,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        os.ftruncate(new.fileno(), truth.bytes)

        def write(place: int) -> int:
            """Write a chunk; the bytes that came from the storage."""
            size, name = chunk_bytes(truth, place), names[place]
            at = places.get(digest_in(name))
            content = os.pread(old, size, at * truth.chunk) if at is not None and old is not None else b""
            came = 0
            if digest_of(content) != digest_in(name):  # changed meanwhile, or not here
                content = read_object(objects, name, size)
                came = size
            os.pwrite(new.fileno(), content, place * truth.chunk)
            return came

        for came in pool.map(write, range(len(names))):
            fetched.chunks += bool(came)
            fetched.bytes += came
        new.flush()
        os.fsync(new.fileno())


def fetch_segments(
    objects: Objects, segments: Sequence[SegmentObject], folder: Path, fetched: Fetched
) -> None:
    """Put the segments of a shard in its new folder: those that another folder has, the present one or that
    of a process that was killed, and the others from the storage. Each has its name when it is whole."""
    corpus_files.make_folder(folder / "segments")
    others = [
        folder.parent / name / "segments"
        for name in corpus_files.names(folder.parent)
        if SHARD_NAME.fullmatch(name) and name != folder.name
    ]
    missing = [each for each in segments if not _taken(each, others, folder / "segments")]
    with ThreadPoolExecutor(THREADS) as pool:
        for size in pool.map(partial(_fetch_segment, objects, folder / "segments"), missing):
            fetched.segments += 1
            fetched.bytes += size


def _taken(segment: SegmentObject, others: Sequence[Path], folder: Path) -> bool:
    """Whether one of other folders has a segment, which this one then has, too; a segment is checked when it
    is read."""
    return any(
        corpus_files.link(other / segment.file, folder / segment.file, segment.bytes) for other in others
    )


def _fetch_segment(objects: Objects, folder: Path, segment: SegmentObject) -> int:
    path = folder / segment.file
    passing = path.with_suffix(".part")
    try:
        with os.fdopen(corpus_files.create_file(passing), "wb") as file:
            fetch_into(objects, segment.object, segment.bytes, file)
            os.fsync(file.fileno())
        corpus_files.rename(passing, path, durable=True)
    finally:
        corpus_files.remove(passing)
    return segment.bytes


def fetch_into(objects: Objects, name: str, size: int, file: IO[bytes]) -> None:
    """Write a large object to a file, piece by piece. Raises MissingObject, DamagedObject."""
    for _ in range(_ATTEMPTS):
        digest = blake2b(digest_size=DIGEST_BYTES)
        file.seek(0)
        for first in range(0, size, _PIECE):
            piece = objects.read(object_path(name), first, min(first + _PIECE, size))
            if piece is None:
                raise MissingObject(f"{objects.url} has no object {name}, which a manifest names")
            digest.update(piece)
            file.write(piece)
        file.flush()
        if digest.hexdigest() == digest_in(name):
            return
    raise damaged(objects, name)


def _digests(path: Path, chunk: int) -> list[str]:
    """The digests of the chunks of a file; none where it is not there."""
    with _opened(path) as file, ThreadPoolExecutor(THREADS) as pool:
        if file is None:
            return []
        starts = range(0, os.fstat(file).st_size, chunk)
        return list(pool.map(lambda start: digest_of(os.pread(file, chunk, start)), starts))


@contextmanager
def _opened(path: Path) -> Iterator[int | None]:
    """A descriptor of a file; None where there is none."""
    descriptor = None
    with suppress(FileNotFoundError, NotADirectoryError, NotAFile):
        descriptor = corpus_files.open_file(path)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)
