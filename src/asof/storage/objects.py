"""What a storage has to offer: whole objects by name, and the making of one only where there is none.

Nothing else is needed, so a folder and the buckets of every cloud are used in the same way: no changing of an
object in place, no locks, no conditions beside "only if absent".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple, Protocol

LARGEST_SMALL = 64 << 20
"""Bytes of the largest object that is read in one piece without saying how many it has to have."""


class Listed(NamedTuple):
    """An object as a listing shows it. `modified`: when it was put, in microseconds since 1970, by the
    clock of the storage."""

    name: str
    bytes: int
    modified: int


class Objects(Protocol):
    """Objects below one prefix. Names are relative to it, of parts with `/` between them.

    Every method may raise StorageUnavailable, or StorageError where a right is missing. Threads may share it.
    """

    @property
    def url(self) -> str:
        """Where they are, for messages."""
        ...

    def get(self, name: str, largest: int = LARGEST_SMALL) -> bytes | None:
        """The whole object; None when there is none. Raises DamagedObject for one larger than `largest`."""
        ...

    def read(self, name: str, first: int, last: int) -> bytes | None:
        """The bytes `first` to `last` (exclusive), all of them; None when there is no such object. Raises
        DamagedObject where it ends before `last`."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Make an object if there is none of this name, in one step; whether it was made.

        After an answer that was lost, the object may be there although this says False: who needs to know
        whose it is reads it.
        """
        ...

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        """Make an object or replace it, in one step; a file is read from its beginning."""
        ...

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        """All objects below a folder whose names follow `after`, in order of their names; "": all."""
        ...

    def delete(self, names: Iterable[str]) -> None:
        """Remove objects, one after another in this order; one that is missing already is removed."""
        ...

    def size(self, name: str) -> int | None:
        """The bytes of an object; None when there is none."""
        ...
