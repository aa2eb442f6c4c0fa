"""Connections: closed when nothing comes or goes on them, and so many from one address."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from asof.serve.limits import Limits

LIMITS = Limits()


class PatientConnection(H11Protocol):
    """A connection that is ended when no request has come whole for `Limits.patience` seconds, or when it was
    closed and its client does not take what is left; and at once if its address has too many.

    uvicorn has a limit for the pause after a reply alone: headers may come as slowly as they like.
    """

    open_connections: ClassVar[Counter[str]] = Counter()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._quiet_since = self.loop.time()
        self._clock: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self.open_connections[self._address] += 1
        if self.open_connections[self._address] > LIMITS.connections:
            transport.abort()
            return
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_connections[self._address] -= 1
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)

    def _look(self) -> None:
        """End the connection if it has been quiet for too long; else look again soon."""
        closing = self.transport.is_closing()
        if self.cycle is not None and not self.cycle.response_complete and not closing:
            self._quiet_since = self.loop.time()
        if self.loop.time() - self._quiet_since > LIMITS.patience:
            self.transport.abort()
            return
        self._clock = self.loop.call_later(LIMITS.patience / 8, self._look)
