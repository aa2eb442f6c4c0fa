"""What sources state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from asof.data import Checkpoint, Statement
from asof.sources.source import Source


def stated(source: Source) -> list[Any]:
    """All that a source states but its checkpoints."""
    return [each for each in source.documents() if not isinstance(each, Checkpoint)]


class Forgetful:
    """A source that is never told its checkpoints."""

    def __init__(self, source: Source) -> None:
        self.source, self.name, self.kind, self.complete = source, source.name, source.kind, source.complete

    def documents(self) -> Iterator[Statement]:
        return iter([each for each in self.source.documents() if not isinstance(each, Checkpoint)])
