"""A request's body on its way in, and its reply on its way out: neither may keep others waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.types import Message, Receive, Send


class BodyTooLarge(Exception):
    """A body has more bytes than are taken."""


class BodiesTooLarge(Exception):
    """All bodies under way together have more bytes than are kept."""


class Gone(Exception):
    """The client went away."""


@dataclass(slots=True)
class Bodies:
    """The bodies that are being received and worked on: at most `most` bytes in all."""

    most: int
    held: int = 0

    async def receive(self, receive: Receive, most: int, sizes: list[int]) -> bytes:
        """A whole body; what is held of it is added to `sizes`, to be given back by `release`. Raises
        BodyTooLarge, BodiesTooLarge, and Gone if it breaks off."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            piece = message.get("body", b"")
            body += piece
            self.held += len(piece)
            sizes.append(len(piece))
            if len(body) > most:
                raise BodyTooLarge
            if self.held > self.most:
                raise BodiesTooLarge
            if not message.get("more_body"):
                return bytes(body)

    def release(self, sizes: list[int]) -> None:
        self.held -= sum(sizes)
        sizes.clear()


def replayed(body: bytes, receive: Receive) -> Receive:
    """What an application receives of a body that is there already."""
    sent = False

    async def received() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received


@dataclass(slots=True)
class Reply:
    """Messages of a reply: `put` takes them at once, `written` waits until the client has them.

    A client that takes nothing of a message for `patience` seconds is given up.
    """

    send: Send
    patience: float
    _messages: asyncio.Queue[Message | None] = field(default_factory=asyncio.Queue)

    async def put(self, message: Message) -> None:
        self._messages.put_nowait(message)

    async def write(self) -> None:
        """Send what is put until it ends. Raises Gone."""
        while (message := await self._messages.get()) is not None:
            try:
                async with asyncio.timeout(self.patience):
                    await self.send(message)
            except TimeoutError as slow:
                raise Gone from slow

    async def made_by(self, work: Coroutine[None, None, None]) -> None:
        """Run what makes the reply while it is written, and write the rest. Raises Gone, and what the work
        raises."""
        writing, working = asyncio.ensure_future(self.write()), asyncio.ensure_future(work)
        try:
            await asyncio.wait({writing, working}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():  # the client is gone: what is under way is for nobody
                working.cancel()
                with suppress(asyncio.CancelledError):
                    await working
            self._messages.put_nowait(None)
            await writing
            await working
        finally:
            working.cancel()
            writing.cancel()
