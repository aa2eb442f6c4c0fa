"""The same work for many things on a few threads; results as they come."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

JOIN_SECONDS = 1.0
"""Seconds that abandoned threads are waited for. They are daemons: a process that is interrupted ends then,
and not when a server has answered."""


def run_in_threads(
    work: Callable[[T], R], things: Sequence[T], threads: int, stop: Callable[[], None]
) -> Iterator[tuple[int, R]]:
    """The place of each thing and what `work` gives for it, in order of completion.

    No more than `threads` are worked on at a time, begun in their order. An exception of `work` is raised
    here. `stop` is called when nobody wants the rest: it should make work that is under way end soon.
    """
    todo = deque(enumerate(things))
    done: SimpleQueue[tuple[int, Future[R]]] = SimpleQueue()

    def run() -> None:
        while True:
            try:
                at, thing = todo.popleft()
            except IndexError:
                return
            result: Future[R] = Future()
            try:
                result.set_result(work(thing))
            except BaseException as error:  # noqa: BLE001 - raised again where results are waited for
                result.set_exception(error)
                todo.clear()  # nobody will want the rest
            done.put((at, result))

    workers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, len(things)))]
    for worker in workers:
        worker.start()
    finished = False
    try:
        for _ in things:
            at, result = done.get()
            yield at, result.result()
        finished = True
    finally:
        if not finished:
            todo.clear()
            stop()
        until = time.monotonic() + JOIN_SECONDS
        for worker in workers:
            worker.join(max(until - time.monotonic(), 0.0))
