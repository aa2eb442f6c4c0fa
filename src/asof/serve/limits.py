"""What a server takes at most."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

API = "/api/v1"
DOCUMENTS = f"{API}/documents"


@dataclass(frozen=True, slots=True)
class Limits:
    """`body`, `documents`: of a request that adds documents, in bytes and documents; `call`: bytes of any
    other body; `bodies`: of all that are under way; `patience`: seconds for a request to come, and for a part
    of a reply to be taken; `line`: of an address and of one header, in bytes, and `headers`: how many;
    `connections`: from one address; `running`: quick requests that a process works on at once (more only get
    into each other's way), `models`: that wait for a language model, `waiting`: that may wait for a place;
    `rate`: requests a second of a key, `burst`: at once; `wrong_keys`: a minute from one address."""

    body: int = 8 * 2**20
    documents: int = 1_000
    call: int = 256 * 2**10
    bodies: int = 64 * 2**20
    line: int = 16 * 2**10
    headers: int = 100
    patience: float = 20.0
    connections: int = 500
    running: int = 2
    models: int = 4
    waiting: int = 256
    rate: float = 50.0
    burst: float = 200.0
    wrong_keys: int = 30

    def body_of(self, path: str) -> int:
        """The most bytes that a body may have which is sent there."""
        return self.body if path == DOCUMENTS else self.call


@dataclass(slots=True)
class TokenBucket:
    """How often each of many may do something: `rate` a second, `burst` at once."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    most: int = 10_000
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str) -> float:
        """Take one; seconds to wait where none is left, else 0."""
        now = self.clock()
        left, at = self._left.get(name, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.rate)
        if len(self._left) >= self.most and name not in self._left:
            self._left = {each: kept for each, kept in self._left.items() if now - kept[1] < 60.0}
        if left < 1.0:
            self._left[name] = left, now
            return (1.0 - left) / self.rate
        self._left[name] = left - 1.0, now
        return 0.0

    def empty(self, name: str) -> bool:
        """Whether none is left, without taking one."""
        left, at = self._left.get(name, (self.burst, self.clock()))
        return left + (self.clock() - at) * self.rate < 1.0
