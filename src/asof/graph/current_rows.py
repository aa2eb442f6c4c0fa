"""The rows of a corpus as they are now, and the folder of files that are derived from them."""

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
    """The table of the rows of a corpus, which grows as segments come."""

    rows: Rows

    def __init__(self) -> None:
        self._known: Rows | None = None
        self._held: set[str] = set()

    def meet(self, prefix: Prefix) -> bool:
        """Add the rows of a prefix; True if the table had to be made anew, since a row of it is gone.

        A view that was made before the last write has fewer rows: then only those are compared.
        """
        segments = [part.segment for part in prefix.parts]
        rows = self._known
        if rows is not None:
            old = sum(
                segment.n if end_of(segment) <= rows.end else int((segment["passage"] < rows.end).sum())
                for segment in segments
            )
            there = rows.present[: max(known_to(segments) - rows.first, 0)].sum()
            rows = rows.extended(segments) if old == there else None
        if rows is not None:
            new = [segment for segment in segments if segment.path.name not in self._held]
            rows = rows if all(map(rows.holds, new)) else None
        anew = rows is None
        self.rows = self._known = Rows.of(segments) if rows is None else rows
        self._held = {segment.path.name for segment in segments}
        return anew


def is_newest(prefix: Prefix, rows: Rows) -> bool:
    """Whether a prefix knows all that is known now, as far as its segments tell."""
    return prefix.known_at == NEVER and known_to([part.segment for part in prefix.parts]) >= rows.end


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Write derived files while no other process does; raises BlockingIOError if one does."""
    corpus_files.make_folder(folder)
    with corpus_files.try_lock(folder / "lock") as held:
        if held is None:
            raise BlockingIOError
        for name in corpus_files.names(folder):
            if LEFTOVER.fullmatch(name):  # by a process that was killed
                remove_file(folder / name)
        yield


def remove_file(path: Path) -> None:
    """Remove a file that is of no use; where nobody can, it stays."""
    with contextlib.suppress(OSError):
        corpus_files.remove(path)
