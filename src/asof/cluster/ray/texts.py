"""Texts prepared by tasks of Ray, wherever it runs them; the one process that writes takes what they return.

What a task returns is what the writer would compute itself, so it may be run again where its process or its
machine is lost, and the corpus is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from asof.cluster.ray.library import ray
from asof.data import Document
from asof.errors import CorpusError
from asof.store.prepare import PreparedText, TextPreparation
from asof.store.settings import CorpusSettings

RETRIES = 5
"""How often a task is run again whose process was lost."""

AHEAD = 2
"""Groups of documents under way for each processor of the cluster: no more are held in its memory."""


class RayTexts:
    """Prepares groups of documents by tasks (a `TextPool`). `most` are under way at a time, by default two
    for each processor: who begins another one waits. What is larger than the memory for objects, Ray keeps
    on disk."""

    def __init__(self, settings: CorpusSettings, most: int | None = None) -> None:
        library = ray()
        self._settings = settings.dumps()
        self._most = most or AHEAD * max(int(library.cluster_resources().get("CPU", 1)), 1)
        self._task = library.remote(num_cpus=1, max_retries=RETRIES)(prepared)
        self._under_way: list[Any] = []

    def begin(self, group: list[Document]) -> Callable[[], list[PreparedText]]:
        if len(self._under_way) >= self._most:
            _, self._under_way = ray().wait(self._under_way, num_returns=1, fetch_local=False)
        task = self._task.remote(self._settings, group)
        self._under_way.append(task)
        return lambda: _result(task)

    def close(self) -> None:
        for task in self._under_way:
            ray().cancel(task, force=True)
        self._under_way = []


def _result(task: Any) -> list[PreparedText]:
    errors = ray().exceptions
    try:
        made: list[PreparedText] = ray().get(task)
    except errors.RayTaskError:
        raise  # a fault of ours, with its place
    except errors.RayError as error:
        raise CorpusError(
            f"a task of Ray that prepares texts was lost {RETRIES + 1} times, perhaps for want of memory "
            f"({str(error).splitlines()[0]:.200}); what was committed stays: run the same command again, or "
            "without --ray"
        ) from error
    return made


# -- in a task --------------------------------------------------------------------------------------------


def prepared(settings: str, group: list[Document]) -> list[PreparedText]:
    """What is made of each document of a group."""
    return [_preparation(settings).prepared(each) for each in group]


@cache
def _preparation(settings: str) -> TextPreparation:
    return TextPreparation.of(CorpusSettings.loads(settings))
