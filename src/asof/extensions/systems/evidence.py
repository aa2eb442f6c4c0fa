"""The evidence graph: which current passages state the same, so that they corroborate each other.

TWE-RAG, section 2.2: nodes are passages, an edge joins two whose shingles overlap enough (`overlap.py`), and
a passage with heavy edges to many others is central. Differences, because the corpus changes:

- Only current passages are nodes of a view, and the cap on shingles counts earlier passages only.
- Only other documents corroborate: all versions of a document are one voice.
- Weights are whole numbers, so that degrees have the same bits for any division of rows into segments.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import files as corpus_files
from asof.errors import DamagedSegment
from asof.extensions.systems.overlap import FILE_FORMAT, Edges, edges_of
from asof.index.segment import Prefix, Segment
from asof.index.view import View
from asof.revisions.rows import Postings, RowCache, Rows, is_newest, remember
from asof.text.query import VERSION, mixed
from asof.text.tokens import Analyzer

# -- the graph of a corpus, in memory and in a file ------------------------------------------------


# -- shingles: runs of three words, by which two texts are found to say the same (Broder 1997) ---------
# The words are lower-cased tokens, not stemmed. A shingle is 64 bits that depend on its three words alone.

WORDS = 3


class Shingler:
    """Makes the shingles of texts. It caches words; one thread at a time may use it."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(stem=False)
        self._language = self._analyzer.languages[0]  # of no effect without stemming

    def __call__(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The distinct shingles of each text: hashes (p), ascending, and the text that contains each (p).

        A text of fewer than three words has none. Equal hashes lie in the order of their texts.
        """
        self._analyzer.reset_if_large()
        words = [self._analyzer.ids(text, self._language) for text in texts]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        flat = np.fromiter(chain.from_iterable(words), np.int64, int(lengths.sum()))
        owner = np.repeat(np.arange(len(texts), dtype=np.int32), lengths)
        if len(flat) < WORDS:
            return np.zeros(0, np.uint64), np.zeros(0, np.int32)
        hashed = self._analyzer.hashes()[flat]
        one_text = owner[:-2] == owner[2:]
        shingles = mixed(mixed(mixed(hashed[:-2]) + hashed[1:-1]) + hashed[2:])[one_text]
        owner = owner[:-2][one_text]
        order = np.argsort(shingles, kind="stable")
        shingles, owner = shingles[order], owner[order]
        again = np.flatnonzero((shingles[1:] == shingles[:-1]) & (owner[1:] == owner[:-1])) + 1
        return np.delete(shingles, again), np.delete(owner, again)


# -- graphs of a corpus ---------------------------------------------------------------------------------

FOLDER = "evidence"
FORMAT = 2


class GraphCache(RowCache):
    """The shingles of a corpus, and its last graphs: in memory, and those of what is known now in files,
    `edges-THRESHOLD-CAP.seg`."""

    NAME = FOLDER

    def forget(self) -> None:
        super().forget()
        self._shingler = Shingler()
        self._graphs: OrderedDict[tuple[str, str], Edges] = OrderedDict()

    def graph(self, view: View, threshold: float, cap: int) -> tuple[Rows, Edges]:
        """The rows of the corpus, and the edges among those known at the view's K.

        Passages that become visible after the view's T are nodes too: they come last in every list in order
        of time, so no edge of earlier ones depends on them.
        """
        with self.lock:
            rows = self.rows(view.prefix)
            known = rows.known(view.prefix)
            name, made = f"edges-{threshold!r}-{cap}.seg", made_from(rows, known)
            edges = self._graphs.get((name, made))
            newest = edges is None and is_newest(view.prefix, rows)
            if newest:
                edges = self.read_file(name, FILE_FORMAT, lambda segment: _of_rows(segment, made))
            if edges is None:
                self._read_texts(view.store.db, rows)
                edges = edges_of(self.parts, known, rows, threshold, cap, self.limits.products_at_once)
                if newest:
                    with contextlib.suppress(OSError), self.alone():
                        edges.save(
                            self.folder / name, made=made, threshold=threshold, cap=cap, nodes=rows.n,
                            rows=int(known.sum()),
                        )  # fmt: skip
            remember(self._graphs, (name, made), edges)
            return rows, edges

    def _read_texts(self, db: sqlite3.Connection, rows: Rows) -> None:
        """Add the postings of the rows that came since."""
        begin = self.parts[-1].end if self.parts else 0
        for low in range(begin, rows.n, self.limits.texts_at_once):
            high = min(low + self.limits.texts_at_once, rows.n)
            self.add_part(read_postings(db, rows.first, low, high, self._shingler))


def _of_rows(segment: Segment, made: str) -> Edges | None:
    return Edges.opened(segment) if segment.facts["made"] == made else None


def made_from(rows: Rows, known: NDArray[np.bool_]) -> str:
    """A fingerprint of the nodes that a graph was made from."""
    return f"{FORMAT}.{VERSION}-{rows.stamp(np.flatnonzero(known))}"


def read_postings(db: sqlite3.Connection, first: int, begin: int, end: int, shingler: Shingler) -> Postings:
    """The shingles of nodes `begin` to `end` (exclusive) from the texts of passages `first` + node."""
    texts = db.execute(
        "SELECT id, text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id", (first + begin, first + end - 1)
    ).fetchall()
    hashes, owner = shingler([text for _, text in texts])
    nodes = np.array([passage for passage, _ in texts], np.int64) - first - begin
    carriers = nodes.astype(np.int32)[owner]
    return Postings(begin, np.bincount(carriers, minlength=end - begin).astype(np.int32), hashes, carriers)


# -- the graph of a view ---------------------------------------------------------------------------


THRESHOLD = 0.05
CAP = 256


class Evidence:
    """The evidence graph of a view: `edges` among its current rows, between different documents.

    `nodes`: of the view's rows; `alive`: by node, whether it is current. `degrees`: for each row of the view
    the sum of the weights of its edges, whole numbers in units of 1 / EDGE_SCALE; 0 for rows that are not
    current. `largest` is the largest of them.
    """

    def __init__(self, prefix: Prefix, rows: Rows, edges: Edges) -> None:
        """`edges`: those of the corpus."""
        self.rows = rows
        nodes = [rows.nodes(part.segment, part.hi) for part in prefix.parts]
        self.nodes = np.concatenate([np.zeros(0, np.int64), *nodes])
        self.alive = np.zeros(rows.n, bool)
        self.alive[self.nodes] = True
        for part, here in zip(prefix.parts, nodes, strict=True):
            self.alive[here[part.dead]] = False
        self.edges = edges.among(self.alive)
        self.degrees = self.edges.sums(rows.n)[self.nodes]
        self.largest = int(self.degrees.max(initial=0))
        self._row_of = np.full(rows.n, -1)
        self._row_of[self.nodes] = np.arange(len(self.nodes))

    def neighbours(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that corroborate a row, in order of time, and the weights of the edges to them."""
        nodes, weights = self.edges.neighbours(int(self.nodes[row]))
        order = self.rows.canonical(nodes)
        return self._row_of[nodes[order]], weights[order].astype(np.int64)


def evidence(view: View, *, threshold: float = THRESHOLD, cap: int = CAP) -> Evidence:
    """The evidence graph of a view; cached with it.

    An edge needs J > `threshold`. Of the passages with a shingle the first `cap` in time share it (0: all).
    """
    threshold = float(threshold)
    key = f"evidence {threshold!r} {cap}"
    cached: Evidence | None = view.prefix.memo.get(key)
    if cached is None:
        rows, edges = GraphCache.of(view.derived).graph(view, threshold, cap)
        cached = view.prefix.memo[key] = Evidence(view.prefix, rows, edges)
    return cached


def status(folder: Path) -> list[str]:
    """Lines for `asof status` about the files, if any; `folder` is the one of all derived files."""
    lines = []
    for name in corpus_files.names(folder / FOLDER):
        if not name.endswith(".seg"):
            continue
        try:
            segment = Segment(folder / FOLDER / name, expected=FILE_FORMAT)
        except DamagedSegment:
            lines.append(f"evidence graph: {name} is damaged; it will be rebuilt")
            continue
        facts, edges = segment.facts, len(segment.unchecked("high"))
        lines.append(
            f"evidence graph: {facts['rows']:,} passages, {edges:,} edges"
            f" (J > {facts['threshold']:g}, cap {facts['cap'] or 'none'}); {segment.size:,} bytes"
        )
    return lines
