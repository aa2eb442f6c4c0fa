"""Bodies and replies of clients that are slow, go away, or send too much; places that requests wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from asof.extensions.server.guard import (
    DOCUMENTS,
    Bodies,
    BodiesTooLarge,
    BodyTooLarge,
    Gone,
    Lanes,
    Limits,
    ReplyQueue,
    replayed,
)


def receiving(*messages: dict[str, Any]) -> Any:
    given: Iterator[dict[str, Any]] = iter(messages)

    async def receive() -> dict[str, Any]:
        return next(given)

    return receive


def piece(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize(
    ("messages", "outcome"),
    [
        ([piece(b"ab"), piece(b"c", False)], b"abc"),
        ([piece(b"ab"), piece(b"cde", False)], BodyTooLarge),
        ([piece(b"ab"), {"type": "http.disconnect"}], Gone),
    ],
)
def test_a_body_is_whole_or_refused(messages: list[dict[str, Any]], outcome: Any) -> None:
    bodies, sizes = Bodies(100), list[int]()
    work = bodies.receive(receiving(*messages), 4, sizes)
    if isinstance(outcome, bytes):
        assert asyncio.run(work) == outcome
    else:
        with pytest.raises(outcome):
            asyncio.run(work)
    assert bodies.held == sum(sizes) > 0
    bodies.release(sizes)
    assert bodies.held == 0


def test_all_bodies_together_have_a_limit() -> None:
    bodies = Bodies(5)

    async def two() -> None:
        await bodies.receive(receiving(piece(b"abc", False)), 4, [])
        with pytest.raises(BodiesTooLarge):
            await bodies.receive(receiving(piece(b"def", False)), 4, [])

    asyncio.run(two())


def test_an_application_receives_the_body_once_and_then_what_comes() -> None:
    async def twice() -> list[dict[str, Any]]:
        receive = replayed(b"abc", receiving({"type": "http.disconnect"}))
        return [dict(await receive()), dict(await receive())]

    assert asyncio.run(twice()) == [piece(b"abc", False), {"type": "http.disconnect"}]


# -- replies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [None, ValueError("a fault")])
def test_a_reply_is_written_in_order_up_to_a_fault(fault: ValueError | None) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def work(reply: ReplyQueue) -> None:
        await reply.put({"n": 1})
        await asyncio.sleep(0)
        await reply.put({"n": 2})
        if fault is not None:
            raise fault

    async def run() -> None:
        reply = ReplyQueue(send, 1.0)
        await reply.made_by(work(reply))

    with nullcontext() if fault is None else pytest.raises(ValueError, match="a fault"):
        asyncio.run(run())
    assert sent == [{"n": 1}, {"n": 2}]


def test_what_is_made_does_not_wait_for_a_client_that_takes_nothing() -> None:
    """The work is done at once; the reply is given up after its patience."""
    made: list[str] = []

    async def send(_: Any) -> None:
        await asyncio.sleep(60)

    async def run() -> None:
        reply = ReplyQueue(send, 0.05)

        async def work() -> None:
            await reply.put({})
            await reply.put({})
            made.append("all")

        with pytest.raises(Gone):
            await reply.made_by(work())

    asyncio.run(run())
    assert made == ["all"]


# -- places ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held", "asked", "model", "waits"),
    [
        (("GET", "/api/v1/facts"), ("GET", "/api/v1/search"), False, False),
        (("GET", "/api/v1/facts"), ("GET", "/api/v1/report"), False, True),
        (("POST", DOCUMENTS), ("DELETE", DOCUMENTS), False, True),
        (("POST", DOCUMENTS), ("GET", DOCUMENTS), False, False),
        (("GET", "/api/v1/search"), ("GET", "/api/v1/ask"), False, True),
        (("GET", "/api/v1/search"), ("GET", "/api/v1/ask"), True, False),
    ],
)
def test_who_waits_for_whom(held: tuple[str, str], asked: tuple[str, str], model: bool, waits: bool) -> None:
    async def run() -> bool:
        lanes = Lanes(Limits(running=1, models=1), model)

        async def other() -> None:
            async with lanes.turn(*asked):
                pass

        async with lanes.turn(*held):
            task = asyncio.ensure_future(other())
            await asyncio.sleep(0.01)
            waited = not task.done()
            assert lanes.waiting == waited
        await task
        return waited

    assert asyncio.run(run()) == waits
