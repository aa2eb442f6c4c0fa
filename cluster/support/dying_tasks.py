"""Tasks that prepare texts and die of it: at the first attempt, or at every one."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from asof.cluster.ray import texts
from asof.data import Document
from asof.store.prepare import PreparedText


def dies_once(marks: str, settings: str, group: list[Document]) -> list[PreparedText]:
    """The first attempt with each group kills its process; `marks`: a folder for a file for each."""
    mark = Path(marks, group[0].id)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return texts.prepared(settings, group)


def dies(settings: str, group: list[Document]) -> list[PreparedText]:
    """Every attempt kills its process."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def dies_once_in(marks: str) -> Callable[[str, list[Document]], list[PreparedText]]:
    """See `dies_once`."""

    def task(settings: str, group: list[Document]) -> list[PreparedText]:
        return dies_once(marks, settings, group)

    return task
