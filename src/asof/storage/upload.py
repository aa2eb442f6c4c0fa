"""What a push makes: objects by their digest, and the sign that it is still at work."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import IO, Self

from asof.errors import DamagedObject, StorageError
from asof.storage.names import DIGEST_BYTES, PUSHING, TOKEN_BYTES, digest_of, object_path
from asof.storage.objects import Objects

SHORTEST_GRACE = 3600.0
"""Seconds for which vacuum leaves alone what no manifest names."""

_BEAT, _LIMIT = 600.0, 1800.0
"""Seconds after which a push says that it is at work; and after which, unsaid, it may not commit any more."""

_LOOK = 60.0

_IN_ONE = 64 << 20
"""Bytes of the largest object that is sent in one request."""

_PIECE = 1 << 20


@dataclass(slots=True)
class Lease:
    """Keeps what a push has uploaded from being removed, however long it takes: an object that says for how
    many seconds it has been at work, put when it first takes ten minutes, and then every ten."""

    objects: Objects
    _begun: float = field(default_factory=lambda: _elapsed())
    _said: float = field(default_factory=lambda: _elapsed())
    _token: str = field(default_factory=lambda: secrets.token_hex(TOKEN_BYTES))
    _made: bool = False
    _lock: Lock = field(default_factory=Lock)
    _over: Event = field(default_factory=Event)

    def __enter__(self) -> Self:
        Thread(target=self._keep_beating, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        with self._lock:
            if self._made:
                self.objects.delete([self.path])

    @property
    def path(self) -> str:
        return f"{PUSHING}/{self._token}.json"

    def beat(self) -> None:
        """Say that the push is at work, if it is time to."""
        with self._lock:
            if not self._over.is_set() and _elapsed() - self._said >= _BEAT:
                self.check()
                now = _elapsed()
                self.objects.put(self.path, json.dumps({"seconds": now - self._begun}).encode())
                self._said, self._made = now, True

    def check(self) -> None:
        """Raises StorageError when nothing was heard of the push for so long that its objects may be gone."""
        silent = _elapsed() - self._said
        if silent > _LIMIT:
            raise StorageError(
                f"this push to {self.objects.url} stood still for {silent / 60:.0f} minutes, and what it has"
                " uploaded may have been removed: nothing was committed; run the same command again"
            )

    def _keep_beating(self) -> None:
        """While one large object is on its way."""
        while not self._over.wait(_LOOK):
            with suppress(StorageError):  # where it stays silent, `check` says so before the commit
                self.beat()


def lease_seconds(content: bytes | None) -> float:
    """For how long the push was at work when it said so; 0 for what is no such object."""
    try:
        seconds = json.loads(content or b"")["seconds"]
    except (ValueError, TypeError, KeyError):
        return 0.0
    return float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 1e9 else 0.0


def upload(objects: Objects, content: bytes) -> str:
    """Make an object of this content, which no vacuum that is under way can be about to remove; its name."""
    name = digest_of(content)
    if objects.create(object_path(name), content):
        return name
    name = f"{name}-{secrets.token_hex(TOKEN_BYTES)}"
    objects.put(object_path(name), content)
    return name


def upload_file(objects: Objects, file: IO[bytes], size: int) -> str:
    """Make an object of a file; its name. Raises DamagedObject where the file has another size."""
    from hashlib import blake2b

    file.seek(0)
    if size <= _IN_ONE:
        content = file.read(size + 1)
        if len(content) != size:
            raise DamagedObject(f"a segment has {len(content):,} bytes instead of {size:,}")
        return upload(objects, content)
    digest, read = blake2b(digest_size=DIGEST_BYTES), 0
    while piece := file.read(_PIECE):
        digest.update(piece)
        read += len(piece)
    if read != size:
        raise DamagedObject(f"a segment has {read:,} bytes instead of {size:,}")
    name = f"{digest.hexdigest()}-{secrets.token_hex(TOKEN_BYTES)}"
    objects.put(object_path(name), file)
    return name


def _elapsed() -> float:
    """Seconds, those in which the machine slept counted where the system knows them."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
