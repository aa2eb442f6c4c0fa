"""The truth of a shard as chunks: the list of them, and reading objects so that nothing false is used.

A list is a record of 24 bytes for each chunk in order: its digest (16), and the token in its name (8, zeros
where it has none). A shard of 10 GB in chunks of 128 KiB has a list of 1.8 MB.
"""

from __future__ import annotations

from collections.abc import Sequence

from asof.errors import DamagedObject, MissingObject
from asof.storage.manifests import Truth
from asof.storage.names import DIGEST_BYTES, TOKEN_BYTES, digest_of, object_path
from asof.storage.objects import Objects

CHUNK = 128 << 10
"""Bytes of a chunk: a multiple of every page size of SQLite. Smaller ones are more requests and longer
lists, larger ones carry more of what did not change: 100 changed documents of 100,000 are, of a database of
75 MB, 16 MB in chunks of 64 KiB, 42 MB in chunks of 256 KiB and 72 MB in chunks of 1 MiB."""

_RECORD = DIGEST_BYTES + TOKEN_BYTES
_NO_TOKEN = bytes(TOKEN_BYTES)
_READS = 3


def digest_in(name: str) -> str:
    """The digest in the name of an object."""
    return name[: 2 * DIGEST_BYTES]


def dump_list(names: Sequence[str]) -> bytes:
    """The list of these objects."""
    return b"".join(bytes.fromhex(name.replace("-", "")).ljust(_RECORD, b"\0") for name in names)


def load_list(content: bytes) -> list[str]:
    """The objects of a list."""
    records = (content[at : at + _RECORD] for at in range(0, len(content), _RECORD))
    return [_name(record[:DIGEST_BYTES], record[DIGEST_BYTES:]) for record in records]


def _name(digest: bytes, token: bytes) -> str:
    return digest.hex() if token == _NO_TOKEN else f"{digest.hex()}-{token.hex()}"


def chunk_count(truth: Truth) -> int:
    return -(-truth.bytes // truth.chunk)


def list_bytes(truth: Truth) -> int:
    """The bytes of the list of its chunks."""
    return chunk_count(truth) * _RECORD


def chunk_bytes(truth: Truth, place: int) -> int:
    """The bytes of the chunk at a place of the list."""
    return min(truth.chunk, truth.bytes - place * truth.chunk)


def read_list(objects: Objects, truth: Truth) -> list[str]:
    """The objects that a truth lies in, in order. Raises DamagedObject."""
    return load_list(read_object(objects, truth.chunks, list_bytes(truth)))


def read_object(objects: Objects, name: str, size: int) -> bytes:
    """The content of an object, which has the digest in its name. Raises MissingObject, DamagedObject.

    What does not have it is read again first: it may have been cut or altered on the way.
    """
    content: bytes | None = None
    for _ in range(_READS):
        content = objects.get(object_path(name), size)
        if content is None:
            raise MissingObject(f"{objects.url} has no object {name}, which a manifest names")
        if len(content) == size and digest_of(content) == digest_in(name):
            return content
    raise damaged(objects, name)


def damaged(objects: Objects, name: str) -> DamagedObject:
    """The error for an object that is something else than its name says."""
    return DamagedObject(
        f"{objects.url}/{object_path(name)} is not what its name says: restore it from a copy of the storage,"
        " or go back to an earlier manifest"
    )
