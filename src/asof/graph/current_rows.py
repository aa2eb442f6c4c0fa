"""The current rows of a corpus, and the folder of files that are derived from them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from asof import corpus_files
from asof.graph.node_table import Rows, end_of, known_to
from asof.index.prefix import Prefix
from asof.time.span import NEVER

LEFTOVER = re.compile(r"(shingles-[0-9-]+|edges-[0-9.e-]+|chains)\.tmp")


class CurrentRows:
    """The table of the rows of a corpus, which grows with its segments."""

    rows: Rows

    def __init__(self) -> None:
        self._known: Rows | None = None
        self._segment_names: set[str] = set()

    def update(self, prefix: Prefix) -> bool:
        """Add the rows of a prefix; True if the table was rebuilt, because a row of it was removed.

        A view from before the last write has fewer rows: then only these are compared.
        """
        segments = [part.segment for part in prefix.parts]
        rows = self._known
        if rows is not None:
            listed_count = sum(
                segment.n if end_of(segment) <= rows.end else int((segment["passage"] < rows.end).sum())
                for segment in segments
            )
            known_count = rows.present[: max(known_to(segments) - rows.first, 0)].sum()
            rows = rows.extended(segments) if listed_count == known_count else None
        if rows is not None:
            new = [segment for segment in segments if segment.path.name not in self._segment_names]
            rows = rows if all(map(rows.holds, new)) else None
        anew = rows is None
        self.rows = self._known = Rows.of(segments) if rows is None else rows
        self._segment_names = {segment.path.name for segment in segments}
        return anew


def is_newest(prefix: Prefix, rows: Rows) -> bool:
    """Whether a prefix has every row and every end that is known now."""
    return prefix.known_at == NEVER and known_to([part.segment for part in prefix.parts]) >= rows.end


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the lock for writing derived files; raises BlockingIOError if another process holds it."""
    corpus_files.make_folder(folder)
    with corpus_files.try_lock(folder / "lock") as lock:
        if lock is None:
            raise BlockingIOError
        for name in corpus_files.names(folder):
            if LEFTOVER.fullmatch(name):  # left by a process that was killed
                remove_file(folder / name)
        yield


def remove_file(path: Path) -> None:
    """Remove an unusable file, if this process may."""
    with contextlib.suppress(OSError):
        corpus_files.remove(path)
