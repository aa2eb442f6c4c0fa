"""What sources state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from asof.documents import Checkpoint, SafeToCommit, SourceEvent
from asof.sources.source import Resumable, Source


def stated(source: Source) -> list[Any]:
    """All that a source states but its checkpoints."""
    return [each for each in source.documents() if not isinstance(each, Checkpoint)]


class Forgetful:
    """A source that is never told its checkpoints."""

    def __init__(self, source: Source) -> None:
        self.source, self.name, self.kind, self.complete = source, source.name, source.kind, source.complete
        self.replaces_history = getattr(source, "replaces_history", False)

    def documents(self) -> Iterator[SourceEvent]:
        return iter([each for each in self.source.documents() if not isinstance(each, Checkpoint)])


class Stopped:
    """A source that somebody stops with Ctrl-C after so many statements, each of which was committed."""

    def __init__(self, source: Any, after: int) -> None:
        self.source, self.name, self.kind, self.complete = source, source.name, source.kind, source.complete
        self.replaces_history = getattr(source, "replaces_history", False)
        self.after = after

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        assert isinstance(self.source, Resumable)
        self.source.resume(checkpoints)

    def documents(self) -> Iterator[SourceEvent]:
        for number, statement in enumerate(self.source.documents()):
            if number == self.after:
                raise KeyboardInterrupt
            yield statement
            yield SafeToCommit()
