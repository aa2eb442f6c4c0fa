"""Watching of sources: one full comparison at the start, then one after each burst of changes.

A comparison reads only files with another size, date or content than before (6,500 notes: 0.4 s), so that the
state after a burst is that of a fresh index by construction, whatever was moved, overwritten or missed.
"""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from asof.corpus.corpus import Corpus
from asof.errors import AsofError, Busy, SourceShrunk, UsageError
from asof.sources import files
from asof.sources.readers import suffix, suffixes
from asof.sources.source import below
from asof.store.run import IndexReport
from asof.store.store import PATHS

QUIET, LONGEST = 100, 1_000
"""Milliseconds without a change that end a burst, and after which a burst is indexed though it goes on."""

LISTENS = 250
"""Milliseconds after which listening without a change is interrupted, to look whether all sources exist."""

POLL = 0.5
"""Seconds between looks at a source that is not there, and at a corpus that somebody else writes to."""


@dataclass(frozen=True, slots=True)
class Notice:
    """An event: `source` was compared (`report`, in `seconds`), or what a person has to know."""

    source: str
    text: str
    report: IndexReport | None = None
    seconds: float = 0.0


@dataclass(slots=True)
class Watcher:
    """Keeps a corpus in step with `sources`, folders and files that lead to what lies in `inside` (None:
    anywhere). `notice` gets each event."""

    corpus: Corpus
    sources: Sequence[Path]
    notice: Callable[[Notice], None]
    inside: Path | None = None
    _missing: set[Path] = field(default_factory=set)
    _suffixes: frozenset[str] = field(default_factory=lambda: frozenset((*suffixes(), ".jsonl", ".gz")))

    def __post_init__(self) -> None:
        self.sources = [each.absolute() for each in self.sources]  # as the events name what changed

    def run(self, stop: threading.Event) -> None:
        """Follow the sources until `stop` is set. A source that vanishes is waited for; none of its documents
        end. Raises UsageError when there is none."""
        if not self.sources:
            raise UsageError("there is nothing to watch: name a folder, as in `asof index notes --watch`")
        while not stop.is_set():
            there = self._present()
            for changed in self._bursts(list(there), stop) if there else ():
                for source in there:
                    if any(path.is_relative_to(source) for path in changed):
                        self._compare(source, stop)
                if self._present() != there:
                    break
            stop.wait(POLL)

    def _present(self) -> dict[Path, int]:
        """The sources that exist, each folder with its number: another one of the same name is listened to
        anew. A notice the first time that one does not."""
        found = {}
        for source in self.sources:
            try:
                about = source.stat()
                if self.inside is not None and below(self.inside, str(source)) is None:
                    raise FileNotFoundError
            except OSError:
                if source not in self._missing:
                    self._missing.add(source)
                    words = "is not there: its documents stay as they are until it is back"
                    self.notice(Notice(str(source), words))
                continue
            self._missing.discard(source)
            found[source] = about.st_ino if stat.S_ISDIR(about.st_mode) else 0
        return found

    def _bursts(self, there: Sequence[Path], stop: threading.Event) -> Iterator[set[Path]]:
        """The paths that changed, burst by burst: first all sources, as soon as they are listened to, so that
        nothing that is saved meanwhile is missed; an empty set from time to time."""
        from watchfiles import watch

        folders = {source if source.is_dir() else source.parent for source in there}
        missed = set(there)
        try:
            for changes in watch(
                *folders, watch_filter=lambda _, path: self._counts(Path(path)), debounce=LONGEST, step=QUIET,
                stop_event=stop, rust_timeout=LISTENS, yield_on_timeout=True, raise_interrupt=False,
                ignore_permission_denied=True,
            ):  # fmt: skip
                yield missed | {Path(path) for _, path in changes}
                missed = set()
        except (OSError, RuntimeError) as error:  # the queue of events was too short, a folder went away
            self.notice(Notice("", f"changes may have been missed ({error}): all is compared again"))

    def _counts(self, path: Path) -> bool:
        """True if a change of this path can change what is indexed: no hidden file, no editor's own."""
        for source in self.sources:
            folder = source if source.is_dir() else source.parent
            if path.is_relative_to(folder):
                parts = path.relative_to(folder).parts
                hidden = any(part.startswith(".") for part in parts)
                kind = suffix(path.name)
                return path.name in files.FILES or (not hidden and (not kind or kind in self._suffixes))
        return path in self.sources

    def _compare(self, source: Path, stop: threading.Event) -> None:
        """Index the current state of a source; errors become notices."""
        while source in self._present() and not stop.is_set():
            started = time.perf_counter()
            try:
                report = self.corpus.add(source)
            except Busy:
                stop.wait(POLL)
                continue
            except SourceShrunk as error:
                self.notice(Notice(str(source), str(error)))
            except AsofError as error:
                if source in self._present():
                    self.notice(Notice(str(source), f"{type(error).__name__}: {error}"))
            else:
                self.notice(Notice(str(source), "", report, time.perf_counter() - started))
            return


def known_sources(corpus: Corpus, notice: Callable[[Notice], None] = lambda _: None) -> list[Path]:
    """The folders and files that a corpus was made of and that lie in its folder, as absolute paths. A notice
    counts the others, which are not followed unasked: a corpus from elsewhere may name any."""
    known, root = corpus.status().sources, corpus.root.absolute()
    named = [each.name for each in known if each.kind in (*PATHS, "jsonl")]
    paths = [root / name for name in named if below(root, name) is not None]
    if others := len(named) - len(paths):
        words = f"{others} of {len(named)} sources not in this folder; to follow one elsewhere, name it"
        notice(Notice(str(root), f"{words}: `asof index SOURCE --watch`"))
    return paths
