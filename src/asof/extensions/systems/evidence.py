"""The evidence graph: which current passages state the same, so that they corroborate each other.

TWE-RAG, section 2.2: nodes are passages, an edge joins two whose shingles overlap enough (`overlap.py`), and
a passage with heavy edges to many others is central. Differences, because the corpus changes:

- Only current passages are nodes of a view, and the cap on shingles counts earlier passages only.
- Only *independent* documents corroborate. All versions of a document are one source.
- Weights are whole numbers, so that degrees have the same bits for any division of rows into segments.
"""

from __future__ import annotations

import contextlib
import math
import re
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from asof import files as corpus_files
from asof.errors import DamagedSegment
from asof.extensions.systems.overlap import FILE_FORMAT as EDGES
from asof.extensions.systems.overlap import Edges, Graph, Updater, Weighted, summed
from asof.index.columns import ArraySpec, FileFormat
from asof.index.segment import Prefix, Segment, SegmentWriter
from asof.index.view import View
from asof.plugins import scipy
from asof.revisions.rows import (
    DEFAULT,
    GraphLimits,
    Postings,
    RowCache,
    Rows,
    is_newest,
    merge_postings,
    remember,
    remove_file,
)
from asof.text.query import VERSION, Shingler
from asof.time.span import NEVER

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# -- postings of shingles, read from the texts of passages, and kept in files ----------------------

POSTINGS = FileFormat(
    {
        "counts": ArraySpec("<i4", "n", low=0), "hashes": ArraySpec("<u8", "p", order="ascending"),
        "carriers": ArraySpec("<i4", "p", low=0, below="n"),
    },
    {"begin": int, "end": int, "made": str},
    {"counts": lambda read, facts: facts["end"] == facts["begin"] + len(read("counts"))},
)  # fmt: skip


def save_postings(part: Postings, path: Path, **facts: str | int) -> Postings:
    """Write a file; returns the postings mapped from it."""
    with SegmentWriter(path) as writer:
        writer.add("counts", part.counts)
        writer.add("hashes", part.hashes)
        writer.add("carriers", part.carriers)
        writer.close(begin=part.begin, **facts)
    return segment_postings(Segment(path, expected=POSTINGS))


def segment_postings(segment: Segment) -> Postings:
    """The postings that a file holds, every byte checked. Raises DamagedSegment."""
    return Postings(
        segment.facts["begin"], segment["counts"], segment["hashes"], segment["carriers"], segment.path
    )


def read_postings(
    db: sqlite3.Connection, first: int, begin: int, end: int, shingler: Shingler,
    limits: GraphLimits = DEFAULT,
) -> Iterator[Postings]:  # fmt: skip
    """The postings of nodes `begin` to `end` (exclusive) from the texts of passages `first` + node."""
    batches: list[Postings] = []
    for low in range(begin, end, limits.texts_at_once):
        high = min(low + limits.texts_at_once, end)
        texts = db.execute(
            "SELECT id, text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id",
            (first + low, first + high - 1),
        ).fetchall()
        hashes, owner = shingler([text for _, text in texts])
        nodes = np.array([passage for passage, _ in texts], np.int64) - first - low
        carriers = nodes.astype(np.int32)[owner]
        counts = np.bincount(carriers, minlength=high - low).astype(np.int32)
        batches.append(Postings(low, counts, hashes, carriers))
        if sum(len(batch.hashes) for batch in batches) >= limits.most_postings:
            yield merge_postings(batches)
            batches = []
    if batches:
        yield merge_postings(batches) if len(batches) > 1 else batches[0]


# -- the cache -------------------------------------------------------------------------------------
#
#     shingles-BEGIN-END.seg         postings of a range of rows
#     edges-THRESHOLD-CAP.seg        the graph of the rows that were known when it was written
#     edges-THRESHOLD-CAP-BANDS.seg  the same of locality-sensitive candidates


FOLDER = "evidence"
FORMAT = 1

SHINGLES = re.compile(r"shingles-(\d{1,18})-(\d{1,18})\.seg")

Key = tuple[float, int, int]
"""Threshold, cap, and bands (0: all pairs are compared)."""


class GraphCache(RowCache):
    """The rows, postings and graphs of a corpus: of the current rows for several keys, and of earlier K."""

    NAME = FOLDER

    def forget(self) -> None:
        super().forget()
        self._opened = False
        self._shingler = Shingler()
        self._now: OrderedDict[Key, Graph] = OrderedDict()
        self._written: dict[Key, NDArray[np.bool_]] = {}
        self._past: OrderedDict[tuple[Key, int, int], Graph] = OrderedDict()

    def graph(self, view: View, threshold: float, cap: int, bands: int = 0) -> tuple[Rows, Graph]:
        """The rows of the corpus, and the graph of those known at the view's K."""
        with self.lock:
            rows = self.rows(view.prefix)
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
        with self.lock:
            return self._updater(view, self.rows(view.prefix), (threshold, cap, bands))

    def _updater(self, view: View, rows: Rows, key: Key) -> Updater:
        self._read_rows(view, rows)
        return Updater(view.store.db, rows, tuple(self.parts), self._shingler, *key, self.limits)

    # -- postings -----------------------------------------------------------------------------------

    def _read_rows(self, view: View, rows: Rows) -> None:
        """Load the postings of all rows: from files, and from the texts of rows that are in none."""
        if not self._opened:
            self.parts = self._from_files(rows)
            self._opened = True
        begin = self.parts[-1].end if self.parts else 0
        for part in read_postings(view.store.db, rows.first, begin, rows.n, self._shingler, self.limits):
            self.add_part(part)
            if len(self.parts[-1].hashes) >= self.limits.most_postings:  # there are more than fit in memory
                with contextlib.suppress(OSError), self.alone():
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
        def read(segment: Segment) -> Postings | None:
            facts = segment.facts
            made = made_from(rows, begin, min(facts["end"], rows.n))
            return segment_postings(segment) if (facts["begin"], facts["made"]) == (begin, made) else None

        return self.read_file(path.name, POSTINGS, read)

    # -- files --------------------------------------------------------------------------------------

    def _shingle_files(self) -> list[tuple[int, int, Path]]:
        """The files of postings by their names: first node, node after the last, path."""
        matches = ((SHINGLES.fullmatch(name), self.folder / name) for name in corpus_files.names(self.folder))
        return [(int(match[1]), int(match[2]), path) for match, path in matches if match]

    def _load(self, key: Key, rows: Rows) -> Graph | None:
        """The graph in a file, if it is of rows of this corpus."""

        def read(segment: Segment) -> Graph | None:
            n = segment.facts["nodes"]
            if n > rows.n or segment.facts["made"] != made_from(rows, 0, n):
                return None
            edges, known = Edges.opened(segment)
            return Graph(known, edges)

        graph = self.read_file(edges_file(key), EDGES, read)
        if graph is not None:
            self._written[key] = graph.known
            remember(self._now, key, graph)
        return graph

    def _settled(self, key: Key, graph: Graph, rows: Rows) -> Graph:
        """The graph, written to a file when much of it is not in one."""
        if not self.is_worth_writing(self._written.get(key, np.zeros(0, bool)), graph.known, rows):
            return graph
        edges = graph.edges.folded() if graph.edges.stale.any() else graph.edges
        self._written[key] = graph.known
        with contextlib.suppress(OSError), self.alone():
            self._write_parts(rows)
            edges = edges.save(
                self.folder / edges_file(key), graph.known, made=made_from(rows, 0, rows.n),
                threshold=key[0], cap=key[1], rows=int(graph.known.sum()),
            )  # fmt: skip
        return Graph(graph.known, edges)

    def _write_parts(self, rows: Rows) -> None:
        for at, part in enumerate(self.parts):
            if part.file is None:
                path = self.folder / f"shingles-{part.begin}-{part.end}.seg"
                source_rows = made_from(rows, part.begin, part.end)
                self.parts[at] = save_postings(part, path, end=part.end, made=source_rows)
        ours = {part.file for part in self.parts}
        for _, _, path in self._shingle_files():
            if path not in ours:
                remove_file(path)


def made_from(rows: Rows, begin: int, end: int) -> str:
    """The entry of a file that identifies the rows that it was built from."""
    return f"{FORMAT}.{VERSION}-{rows.first}-{rows.stamp(begin, end)}"


def edges_file(key: Key) -> str:
    threshold, cap, bands = key
    return f"edges-{threshold!r}-{cap}{f'-{bands}' if bands else ''}.seg"


# -- PageRank of a weighted undirected graph (Page and Brin 1998) ----------------------------------


DAMPING = 0.85
TOLERANCE = 1e-12
"""Largest change of a value, as a share of it, at which the iteration ends."""


def mean_visits(weights: csr_array, damping: float = DAMPING) -> NDArray[np.float64]:
    """PageRank of a graph with symmetric weights (n, n), in units of 1/n as published:

        y = (1 - damping) + damping · W y / degree

    A node with no edge has 1 - damping, and its value is lost; spreading it over all nodes, as the standard
    form does, scales all values alike. The values of others depend on their own component only. Each sum is
    in the order of the columns of a row, so the exact bits depend on the order of the nodes only. The
    iteration starts from equal values and ends when no value changes (TOLERANCE).
    """
    n = weights.shape[0]
    degrees = np.asarray(weights.sum(axis=1), np.float64).reshape(n)
    linked = degrees > 0
    values = np.where(linked, 1.0, 1 - damping)
    # the distance to the limit shrinks by `damping` with each step: this many are always enough
    most = math.ceil(math.log(TOLERANCE / max(n, 1)) / math.log(damping)) if damping else 1
    for _ in range(most):
        passed = np.divide(values, degrees, out=np.zeros(n), where=linked)
        after = (1 - damping) + damping * (weights @ passed)
        change = np.abs(after - values) / after if n else np.zeros(0)
        values = after
        if change.max(initial=0.0) <= TOLERANCE:
            break
    return values


# -- the graph of a view ---------------------------------------------------------------------------


THRESHOLD = 0.05
CAP = 256
INDEPENDENT = "document"


@dataclass(slots=True)
class Evidence:
    """The evidence graph of a view: edges among its current rows, between independent documents.

    `degrees`: for each row of the view the sum of the weights of its edges, whole numbers in units of
    1 / SCALE; 0 for rows that are not current. `largest` is the largest of them.
    """

    prefix: Prefix
    rows: Rows
    edges: Edges
    sparse_edges: int  # see `GraphLimits`
    source_groups: NDArray[np.int64] | None  # by node: no edge joins equal numbers, except negative ones
    nodes: NDArray[np.int64] = field(init=False)  # of the view's rows
    alive: NDArray[np.bool_] = field(init=False)  # by node
    degrees: NDArray[np.int64] = field(init=False)
    largest: int = field(init=False)
    _row_of: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        parts = self.prefix.parts
        nodes = [self.rows.nodes(part.segment, part.hi) for part in parts]
        self.nodes = np.concatenate([np.zeros(0, np.int64), *nodes])
        self.alive = np.zeros(self.rows.n, bool)
        self.alive[self.nodes] = True
        for part, here in zip(parts, nodes, strict=True):
            self.alive[here[part.dead]] = False
        every = self.source_groups is None
        sums = self.edges.sums(self.alive, self.sparse_edges) if every else summed(self._edges(), self.rows.n)
        self.degrees = sums[self.nodes]
        self.largest = int(self.degrees.max(initial=0))

    def neighbours(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that corroborate a row, in order of time, and the weights of the edges to them."""
        node = int(self.nodes[row])
        if not self.alive[node]:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        nodes, weights = self.edges.neighbours(node)
        keep = self.alive[nodes]
        if self.source_groups is not None:
            keep &= (self.source_groups[nodes] != self.source_groups[node]) | (self.source_groups[nodes] < 0)
        nodes, weights = nodes[keep], weights[keep]
        order = self.rows.canonical(nodes)
        return self._rows_of(nodes[order]), weights[order].astype(np.int64)

    def pagerank(self, damping: float = DAMPING) -> NDArray[np.float64]:
        """For each row of the view its PageRank as a share of the largest; 0 for rows that are not current.

        Isolated passages scale all values alike, so a share is the same in the published form and in the one
        that redistributes their values. Nodes are in order of time: the same bits for any segments.
        """
        sparse = scipy("sparse")

        low, high, weight = self._edges()
        linked = np.unique(np.concatenate([low, high]))
        linked = linked[self.rows.canonical(linked)]
        place = np.zeros(self.rows.n, np.int64)
        place[linked] = np.arange(len(linked))
        one, other = place[low], place[high]
        weights = sparse.coo_array(
            (
                np.concatenate([weight, weight]).astype(np.float64),
                (np.concatenate([one, other]), np.concatenate([other, one])),
            ),
            (len(linked), len(linked)),
        ).tocsr()
        weights.sort_indices()
        values = np.where(self.alive, 1 - damping, 0.0)
        values[linked] = mean_visits(weights, damping)
        largest = float(values.max(initial=0.0))
        shares: NDArray[np.float64] = values[self.nodes] / (largest or 1.0)
        return shares

    def _edges(self) -> Weighted:
        low, high, weight = self.edges.among(self.alive)
        if self.source_groups is None:
            return low, high, weight
        apart = (self.source_groups[low] != self.source_groups[high]) | (self.source_groups[low] < 0)
        return low[apart], high[apart], weight[apart]

    def _rows_of(self, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
        if self._row_of is None:
            self._row_of = np.full(self.rows.n, -1, np.int32)
            self._row_of[self.nodes] = np.arange(len(self.nodes), dtype=np.int32)
        return self._row_of[nodes].astype(np.int64)


def evidence(
    view: View,
    *,
    threshold: float = THRESHOLD,
    cap: int = CAP,
    independent: str = INDEPENDENT,
    bands: int = 0,
) -> Evidence:
    """The evidence graph of a view; cached with it.

    An edge needs J > `threshold`. Of the passages with a shingle the first `cap` in time share it (0: all).
    `independent`: which passages do not corroborate each other: those of one "document", of one "source", or
    of documents with the same value of a metadata key, for example "publisher"; a document without the key
    corroborates all others. `bands`: only locality-sensitive candidates are compared (`overlap.py`), which
    finds nearly all edges; 0: all pairs are.
    """
    threshold = float(threshold)
    key = f"evidence {threshold!r} {cap} {independent} {bands}"
    cached: Evidence | None = view.prefix.memo.get(key)
    if cached is None:
        cache = GraphCache.of(view.derived)
        rows, graph = cache.graph(view, threshold, cap, bands)
        groups = _source_groups(view, rows, independent)
        cached = Evidence(view.prefix, rows, graph.edges, cache.limits.sparse_edges, groups)
        view.prefix.memo[key] = cached
    return cached


def _source_groups(view: View, rows: Rows, independent: str) -> NDArray[np.int64] | None:
    """For each node the number of its independent source, negative where it has no value of the key.

    None: each document is a source, and no edge joins passages of one document.
    """
    if independent == INDEPENDENT:
        return None
    db = view.store.db
    head_values = _sources_of_heads(db) if independent == "source" else _values_of_heads(db, independent)
    numbers: dict[object, int] = {}
    heads = np.array([head for head, _ in head_values], np.int64)
    group_of_head = np.array([numbers.setdefault(value, len(numbers)) for _, value in head_values], np.int64)
    groups = np.full(rows.n, -1, np.int64)
    if len(heads):
        for part in view.prefix.parts:
            head = part.segment["head"][: part.hi]
            at = np.minimum(np.searchsorted(heads, head), len(heads) - 1)
            groups[rows.nodes(part.segment, part.hi)] = np.where(heads[at] == head, group_of_head[at], -1)
    return groups


def _sources_of_heads(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Ids of heads, in order, and the ids of their sources."""
    return db.execute("SELECT id, source FROM heads ORDER BY id").fetchall()


def _values_of_heads(db: sqlite3.Connection, key: str) -> list[tuple[int, str]]:
    """Ids of heads whose metadata has a key, in order, and the value; empty values are left out."""
    return db.execute(
        "SELECT h.id, m.type || ' ' || m.value FROM heads AS h, json_each(h.meta) AS m"
        " WHERE m.key = ? AND m.value IS NOT NULL AND m.value <> '' ORDER BY h.id",
        (key,),
    ).fetchall()


def status(folder: Path) -> list[str]:
    """Lines for `asof status` about the cache files, if any; `folder` is the one of all derived files."""
    files = [name for name in corpus_files.names(folder / FOLDER) if name.endswith(".seg")]
    if not files:
        return []
    lines, rows, size = [], 0, 0
    for name in files:
        try:
            expected = POSTINGS if SHINGLES.fullmatch(name) else EDGES
            segment = Segment(folder / FOLDER / name, expected=expected)
        except DamagedSegment:
            lines.append(f"evidence graph: {name} is damaged; it will be rebuilt")
            continue
        size += segment.size
        if "known" in segment:
            facts, edges = segment.facts, len(segment.unchecked("high"))
            lines.append(
                f"evidence graph: {facts['rows']:,} passages, {edges:,} edges"
                f" (J > {facts['threshold']:g}, cap {facts['cap'] or 'none'})"
            )
        else:
            rows += len(segment.unchecked("counts"))
    return [*lines, f"evidence graph: shingles of {rows:,} passages; {size:,} bytes in all"]
