"""How many requests a process works on at once: quick ones do not wait for slow ones, nor for models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from asof.serve.limits import API, DOCUMENTS, Limits

SLOW = frozenset(f"{API}/{verb}" for verb in ("facts", "report", "graph", "stale"))
"""Verbs that first read all passages that are new, for facts or statements: many seconds after much was
added."""
ASK = frozenset({f"{API}/ask", f"{API}/ask/stream"})
WRITES = frozenset({"POST", "DELETE"})


def writes(method: str, path: str) -> bool:
    """Whether a request adds or deletes documents."""
    return method in WRITES and path == DOCUMENTS


@dataclass(slots=True)
class Lanes:
    """`model`: questions are answered by a language model, which is mostly waited for."""

    limits: Limits
    model: bool = False
    waiting: int = 0
    _quick: asyncio.Semaphore = field(init=False)
    _slow: asyncio.Semaphore = field(init=False)
    _models: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._quick = asyncio.Semaphore(self.limits.running)
        self._slow = asyncio.Semaphore(1)
        self._models = asyncio.Semaphore(self.limits.models)

    @asynccontextmanager
    async def turn(self, method: str, path: str) -> AsyncIterator[None]:
        """Hold a place of the lane of a request, waiting for it if need be."""
        lane = self._quick
        if path in SLOW or writes(method, path):
            lane = self._slow
        elif path in ASK and self.model:
            lane = self._models
        self.waiting += 1
        try:
            await lane.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            lane.release()
