"""The cache of the evidence graph: in memory, and in files that can be deleted at any time.

    shingles-BEGIN-END.seg         postings of a range of rows
    edges-THRESHOLD-CAP.seg        the graph of the rows that were known when it was written
    edges-THRESHOLD-CAP-BANDS.seg  the same of locality-sensitive candidates

Each file names the rows that it was built from (`Rows.stamp`), so after a purge, or with another copy of the
corpus, it is not used and removed. Rows added since a file was written are read from their texts; when they
are many, the files are written again. A folder without write permission is no error: then no file is written.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.graph.current_rows import CurrentRows, alone, is_newest, remove_file
from asof.graph.edges import FILE_FORMAT as EDGES
from asof.graph.edges import Edges
from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.node_table import Rows
from asof.graph.postings import FILE_FORMAT as POSTINGS
from asof.graph.postings import Postings, merge_postings, mergeable, read_postings, segment_postings
from asof.graph.update import Graph, Updater
from asof.index.prefix import Prefix
from asof.index.segment import Segment
from asof.index.view import DerivedCache, View
from asof.text.shingles import VERSION, Shingler
from asof.time.span import NEVER

FOLDER = "evidence"
FORMAT = 1
GRAPHS = 4
"""The most graphs in memory of the current rows (for several thresholds and caps), and of earlier K."""

SHINGLES = re.compile(r"shingles-(\d{1,18})-(\d{1,18})\.seg")

Key = tuple[float, int, int]
"""Threshold, cap, and bands (0: all pairs are compared)."""


def graph_cache(derived: DerivedCache, limits: GraphLimits = DEFAULT) -> GraphCache:
    """The graph cache of a corpus; created with these limits if there is none."""
    memo = derived.memo
    cached: GraphCache = memo.get(FOLDER) or memo.setdefault(
        FOLDER, GraphCache(derived.folder / FOLDER, limits)
    )
    return cached


class GraphCache:
    """The rows, postings and graphs of a corpus. Threads may share it."""

    def __init__(self, folder: Path, limits: GraphLimits = DEFAULT) -> None:
        self.folder = folder
        self.limits = limits
        self._lock = threading.Lock()
        self._table = CurrentRows()
        self._forget()

    def _forget(self) -> None:
        self._parts: list[Postings] = []
        self._opened = False
        self._shingler = Shingler()
        self._now: OrderedDict[Key, Graph] = OrderedDict()
        self._written: dict[Key, NDArray[np.bool_]] = {}
        self._past: OrderedDict[tuple[Key, int, int], Graph] = OrderedDict()

    def graph(self, view: View, threshold: float, cap: int, bands: int = 0) -> tuple[Rows, Graph]:
        """The rows of the corpus, and the graph of those known at the view's K."""
        with self._lock:
            rows = self._update_rows(view.prefix)
            known, key = rows.known(view.prefix), (threshold, cap, bands)
            moment = NEVER  # of which the graph is the past alone
            if int(known.sum()) > self.limits.past_only and bool(
                (known & (rows.columns["visible"] > view.as_of)).any()
            ):
                known, moment = known & (rows.columns["visible"] <= view.as_of), view.as_of
            own = key, view.known_at, moment
            graph = self._now.get(key) or self._load(key, rows)
            if graph is not None and graph.is_of(known):
                return rows, graph
            then = self._past.get(own)
            if then is not None and then.is_of(known):
                return rows, then
            updater = self._updater(view, rows, key)
            graph = updater.anew(known) if graph is None else updater.moved(graph, known)
            if is_newest(view.prefix, rows) and moment == NEVER:
                remember(self._now, key, self._settled(key, graph, rows))
            else:
                remember(self._past, own, graph)
            return rows, graph

    def updater(self, view: View, threshold: float, cap: int, bands: int = 0) -> Updater:
        """The updater for the current rows of the corpus of a view."""
        with self._lock:
            return self._updater(view, self._update_rows(view.prefix), (threshold, cap, bands))

    def _updater(self, view: View, rows: Rows, key: Key) -> Updater:
        self._read_rows(view, rows)
        return Updater(view.store.db, rows, tuple(self._parts), self._shingler, *key, self.limits)

    def _update_rows(self, prefix: Prefix) -> Rows:
        """The table of rows, with those of this prefix; the cache is cleared when the table is rebuilt."""
        if self._table.update(prefix):
            self._forget()
        return self._table.rows

    # -- postings -----------------------------------------------------------------------------------

    def _read_rows(self, view: View, rows: Rows) -> None:
        """Load the postings of all rows: from files, and from the texts of rows that are in none."""
        if not self._opened:
            self._parts = self._from_files(rows)
            self._opened = True
        begin = self._parts[-1].end if self._parts else 0
        for part in read_postings(view.store.db, rows.first, begin, rows.n, self._shingler, self.limits):
            self._parts.append(part)
            while mergeable(self._parts, self.limits.most_postings):
                self._parts[-2:] = [merge_postings(self._parts[-2:])]
            if len(self._parts[-1].hashes) >= self.limits.most_postings:  # there are more than fit in memory
                with contextlib.suppress(OSError), alone(self.folder):
                    self._write_parts(rows)

    def _from_files(self, rows: Rows) -> list[Postings]:
        """The postings in files, without gaps from the first row on."""
        parts: list[Postings] = []
        begin = 0
        files = self._shingle_files()
        while begin < rows.n:
            longest_first = sorted((end, path) for first, end, path in files if first == begin < end)[::-1]
            part = next((part for _, path in longest_first if (part := self._part(path, begin, rows))), None)
            if part is None:
                break
            parts.append(part)
            begin = part.end
        return parts

    def _part(self, path: Path, begin: int, rows: Rows) -> Postings | None:
        try:
            segment = Segment(path, expected=POSTINGS)
            facts = segment.facts
            if (facts["begin"], facts["made"]) == (begin, made_from(rows, begin, min(facts["end"], rows.n))):
                return segment_postings(segment)
        except (DamagedSegment, OSError):
            pass  # as if it were not there
        remove_file(path)
        return None

    # -- files --------------------------------------------------------------------------------------

    def _shingle_files(self) -> list[tuple[int, int, Path]]:
        """The files of postings by their names: first node, node after the last, path."""
        matches = ((SHINGLES.fullmatch(name), self.folder / name) for name in corpus_files.names(self.folder))
        return [(int(match[1]), int(match[2]), path) for match, path in matches if match]

    def _load(self, key: Key, rows: Rows) -> Graph | None:
        """The graph in a file, if it is of rows of this corpus."""
        path = self.folder / edges_file(key)
        if path.name not in corpus_files.names(self.folder):
            return None
        try:
            segment = Segment(path, expected=EDGES)
            if segment.facts["nodes"] <= rows.n and segment.facts["made"] == made_from(
                rows, 0, segment.facts["nodes"]
            ):
                edges, known = Edges.opened(segment)
                self._written[key] = known
                graph = Graph(known, edges)
                remember(self._now, key, graph)
                return graph
        except (DamagedSegment, OSError):
            pass  # as if it were not there
        remove_file(path)
        return None

    def _settled(self, key: Key, graph: Graph, rows: Rows) -> Graph:
        """The graph, written to a file when much of it is not in one."""
        written = self._written.get(key, np.zeros(0, bool))
        n = min(len(written), len(graph.known))
        changed = int((written[:n] != graph.known[:n]).sum() + graph.known[n:].sum())
        if changed < max(self.limits.least_written, rows.n // self.limits.share_written):
            return graph
        edges = graph.edges.folded() if graph.edges.stale.any() else graph.edges
        self._written[key] = graph.known
        with contextlib.suppress(OSError), alone(self.folder):
            self._write_parts(rows)
            edges = edges.save(
                self.folder / edges_file(key), graph.known, made=made_from(rows, 0, rows.n),
                threshold=key[0], cap=key[1], rows=int(graph.known.sum()),
            )  # fmt: skip
        return Graph(graph.known, edges)

    def _write_parts(self, rows: Rows) -> None:
        for at, part in enumerate(self._parts):
            if part.file is None:
                path = self.folder / f"shingles-{part.begin}-{part.end}.seg"
                source_rows = made_from(rows, part.begin, part.end)
                self._parts[at] = part.save(path, end=part.end, made=source_rows)
        ours = {part.file for part in self._parts}
        for _, _, path in self._shingle_files():
            if path not in ours:
                remove_file(path)


def made_from(rows: Rows, begin: int, end: int) -> str:
    """The entry of a file that identifies the rows that it was built from."""
    return f"{FORMAT}.{VERSION}-{rows.first}-{rows.stamp(begin, end)}"


def edges_file(key: Key) -> str:
    threshold, cap, bands = key
    return f"edges-{threshold!r}-{cap}{f'-{bands}' if bands else ''}.seg"


def remember(graphs: OrderedDict[Any, Graph], key: Any, graph: Graph) -> None:
    """Add a graph to an LRU cache, and evict the least recently used one."""
    graphs.pop(key, None)
    graphs[key] = graph
    while len(graphs) > GRAPHS:
        graphs.popitem(last=False)
