"""Chains of revisions: which earlier passage each passage follows, by its features.

Passages that state the same of the same subject at different times form a series: prices, results, minutes,
releases, the versions of a note. Each points to its best earlier one, if it has any (`link.py`), so a series
is a chain that depends on the past alone. Undated passages are in none. Passages added after the view's K or
published after its T do not affect it.

Cache (`RowCache`): `succession/chains.seg` holds the keys of a range of rows, sorted, and their chains.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof import files
from asof.errors import DamagedSegment
from asof.index.columns import ArraySpec, FileFormat, changed_at, longer
from asof.index.features import WORDS_OF, words_in
from asof.index.segment import Prefix, Segment, SegmentWriter
from asof.index.view import View
from asof.revisions.link import Chain, Linker, differing
from asof.revisions.rows import (
    FeatureTable,
    NodeMap,
    Postings,
    RowCache,
    Rows,
    TextRuns,
    is_newest,
    key_postings,
    merge_postings,
    remember,
)
from asof.text.query import VERSION as WORDS_VERSION
from asof.time.span import BEGINNING, NEVER
from asof.wire import replace

# -- cache ---------------------------------------------------------------------------------------------

FOLDER = "succession"
FILE = "chains.seg"
FORMAT = 17

_LINK = ArraySpec("<i4", "nodes", low=-1, below="nodes")
FILE_FORMAT = FileFormat(
    {
        "read": ArraySpec("|u1", "nodes", below=2),
        "counts": ArraySpec("<i4", "nodes", low=0), "keys": ArraySpec("<u8", "keys", order="ascending"),
        "nodes": ArraySpec("<i4", "keys", low=0, below="nodes"), "known": ArraySpec("|u1", "nodes", below=2),
        "ends": ArraySpec("<i8", "nodes"), "before": _LINK, "after": _LINK, "edit": _LINK, "copy": _LINK,
    },
    {"nodes": int, "rows": int, "made": str},
)  # fmt: skip


class SeriesCache(RowCache):
    """The rows, statements and chains of a corpus."""

    NAME = FOLDER

    def forget(self) -> None:
        super().forget()
        self._opened = False
        self._features, self._read = FeatureTable.none(), np.zeros(0, bool)
        self._segments = frozenset[Path]()
        self._chain: Chain | None = None
        self._made_of, self._runs = list[str](), TextRuns(*np.zeros((2, 0), np.int64))
        self._on_disk = np.zeros(0, bool)
        self._earlier: OrderedDict[int, Chain] = OrderedDict()

    def succession(self, view: View) -> Succession:
        """The chains of the rows that are known at the view's K, as the view sees them."""
        with self.lock:
            rows = self.rows(view.prefix)
            by_text = rows.by_text()
            linker = Linker(by_text, self._read_features(view, by_text), tuple(self.parts), self.limits)
            runs, chain = self._linked(view, rows, linker)
        last = runs.last(rows.columns["visible"], view.prefix.as_of)
        return Succession(view.prefix, linker, chain, runs.first(), last)

    def _linked(self, view: View, rows: Rows, linker: Linker) -> tuple[TextRuns, Chain]:
        """The chains; the newest go on from the last ones by the segments that came since."""
        segments, chain, found = [part.segment for part in view.prefix.parts], self._chain, None
        names, since = [segment.path.name for segment in segments], len(self._made_of)
        runs, newest = self._runs, is_newest(view.prefix, rows)
        if newest and chain is not None and names[:since] == self._made_of:
            found = brought_forward(chain, runs, rows, segments[since:])
        if found is None:
            known = rows.known(view.prefix)
            runs = TextRuns.of(rows, known)
            known, ends = runs.joined(known, ends_known(rows, view.prefix))
            earlier = self._earlier.get(view.known_at)
            if earlier is not None and not len(differing(earlier, known, ends)):
                return runs, earlier
            found = known, ends, np.arange(rows.n) if chain is None else differing(chain, known, ends)
        if chain is None:
            chain = linker.anew(*found[:2])
        elif len(found[2]) or not chain.n:
            chain = linker.moved(chain, *found)
        if newest:
            self._made_of, self._runs, self._chain = names, runs, chain
            self._write(linker, chain, view)
        else:
            remember(self._earlier, view.known_at, chain)
        return runs, chain

    def _read_features(self, view: View, rows: Rows) -> FeatureTable:
        """The features of all rows from their segments; reads their keys, too: from the file, and those of
        rows added since from segments."""
        if not self._opened:
            self.read_file(FILE, FILE_FORMAT, lambda segment: self._load(segment, view, rows))
            self._opened = True
        segments = [part.segment for part in view.prefix.parts]
        new = [segment for segment in segments if segment.path not in self._segments]
        if new:
            self._read = longer(self._read, rows.n)
            for part in key_postings(rows, new, self._read):
                self.add_part(part)
            for segment in new:
                self._read[rows.nodes(segment, segment.n)] = True
            self._features = self._features.extended(rows, new)
            self._segments = frozenset(segment.path for segment in segments)
        return replace(self._features.extended(rows, ()), segments=segments)

    # -- the file -----------------------------------------------------------------------------------

    def _load(self, segment: Segment, view: View, rows: Rows) -> Chain | None:
        """Take the contents of the file, if it is of rows of this corpus; returns its chain."""
        n, read = segment.facts["nodes"], segment["read"].astype(bool)
        if n > rows.n or segment.facts["made"] != _made_from(rows, read & rows.present[:n], view):
            return None
        keys = Postings(0, segment["counts"], segment["keys"], segment["nodes"])
        known = segment["known"].astype(bool)
        chain = Chain(known, *(segment[name] for name in ("ends", "before", "after", "edit", "copy")))
        self._read, self.parts, self._chain = read, [keys], chain
        self._on_disk = known
        return chain

    def _write(self, linker: Linker, chain: Chain, view: View) -> None:
        rows, read = linker.rows, self._read
        if not self.is_worth_writing(self._on_disk, chain.known, rows):
            return
        self._on_disk = chain.known
        keys = merge_postings([NO_POSTINGS, *self.parts])  # whose carriers count from the first node
        self.parts = [keys]
        with contextlib.suppress(OSError), self.alone(), SegmentWriter(self.folder / FILE) as writer:
            writer.add("read", read.view(np.uint8))
            writer.add("counts", longer(keys.counts, rows.n))
            writer.add("keys", keys.hashes)
            writer.add("nodes", keys.carriers)
            writer.add("known", chain.known.view(np.uint8))
            for name in ("ends", "before", "after", "edit", "copy"):
                writer.add(name, getattr(chain, name))
            writer.close(nodes=rows.n, made=_made_from(rows, read, view), rows=int(chain.known.sum()))


def brought_forward(
    chain: Chain, runs: TextRuns, rows: Rows, segments: Sequence[Segment]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]] | None:
    """What is known, the ends, and the nodes in which they differ from a chain since these later segments;
    None where one of these is in a run, or in the chain before it was added."""
    visible, said, run = (rows.columns[name] for name in ("visible", "said", "run"))
    added, ended, at = (
        np.concatenate([np.zeros(0, np.int64), *(segment[name] for segment in segments)])
        for name in ("passage", "end_passage", "end_at")
    )
    added, ended = added - rows.first, ended - rows.first
    inside = (ended >= 0) & (ended < rows.n)
    ended, at = ended[inside], at[inside]
    changed = np.unique(np.concatenate([added, ended]))
    in_runs = (said[changed] < visible[changed]) | np.isin(run[changed], run[runs.members])
    if in_runs.any() or (added < chain.n).any():
        return None
    known, ends = longer(chain.known, rows.n), longer(chain.ends, rows.n, NEVER)
    now, until = known[changed] | np.isin(changed, added), ends[changed]
    place = np.searchsorted(changed, ended)
    now[place[at == BEGINNING]] = False
    np.minimum.at(until, place, at)
    return changed_at(known, changed, now), changed_at(ends, changed, until), changed


def ends_known(rows: Rows, prefix: Prefix) -> NDArray[np.int64]:
    """The end of each node's passage, as known at the K of a prefix; NEVER where it has none."""
    ends = np.full(rows.n, NEVER)
    for part in prefix.parts:
        segment = part.segment
        known = segment["end_added"] <= prefix.known_at
        nodes = segment["end_passage"][known] - rows.first
        here = (nodes >= 0) & (nodes < rows.n)
        np.minimum.at(ends, nodes[here], segment["end_at"][known][here])
    return ends


NO_POSTINGS = Postings(0, np.zeros(0, np.int32), np.zeros(0, np.uint64), np.zeros(0, np.int32))


def _made_from(rows: Rows, read: NDArray[np.bool_], view: View) -> str:
    languages = ",".join(view.analyzer.languages)
    return f"{FORMAT}.{WORDS_VERSION}-{languages}-{rows.first}-{rows.stamp(np.flatnonzero(read))}"


# -- succession ----------------------------------------------------------------------------------------

LONGEST = 100_000
"""The most links followed in one direction; a longer chain would be a bug."""

RowNumbers = NDArray[np.int64]


class Succession(Struct, frozen=True):
    """The chains among the rows of a view, ended ones included. Rows are numbers of the view; -1 is none.

    The rows of one text (`TextRuns`) are one node, the `first` of them, and are shown as the `last` of them.
    """

    prefix: Prefix
    linker: Linker
    chain: Chain
    first: NodeMap
    last: NodeMap

    def predecessors(self, rows: RowNumbers) -> RowNumbers:
        """For each row the earlier one that it follows, or -1."""
        nodes = self.nodes(rows)
        return self._rows(np.where(nodes < 0, -1, self.chain.before[nodes]))

    def successors(self, rows: RowNumbers) -> RowNumbers:
        """For each row the one that follows it, or -1: of its own document if one does, else the earliest. A
        copy is followed by what follows that which it repeats."""
        nodes = self.nodes(rows)
        copied, text = self.chain.copy[nodes], self.linker.features["text"]
        repeated = np.where((nodes >= 0) & (copied >= 0) & (text[copied] == text[nodes]), copied, nodes)
        choices = (self.chain.edit, nodes), (self.chain.edit, repeated), (self.chain.after, repeated)
        found = np.full(len(rows), -1, np.int64)
        for following, of in choices:
            found = np.where(found >= 0, found, self._rows(np.where(of < 0, -1, following[of])))
        return found

    def ended_by(self, rows: RowNumbers) -> RowNumbers:
        """For each row the statement that says that what it states has ended, or -1."""
        found, nodes = np.full(len(rows), -1, np.int64), self.nodes(rows)
        of = self.linker.features.of(nodes)
        stated = np.flatnonzero((nodes >= 0) & ((of["subject"] == 0) | of["event"]))
        if len(stated):
            after = self.successors(rows[stated])
            ends = self.linker.features["ending"][self.nodes(after)]
            found[stated] = np.where((after >= 0) & ends, after, -1)
        return found

    def originals(self, rows: RowNumbers) -> RowNumbers:
        """For each row the one that it repeats, or one of the document of which its own is a copy; or -1."""
        nodes = self.nodes(rows)
        return self._rows(np.where(nodes < 0, -1, self.chain.copy[nodes]))

    def series(self, row: int) -> RowNumbers:
        """The chain through a row, in order of time; the row alone if it has none."""
        back = self._walk(row, self.predecessors)
        return np.array([*reversed(back), row, *self._walk(row, self.successors)], np.int64)

    @staticmethod
    def _walk(row: int, step: Callable[[RowNumbers], RowNumbers]) -> list[int]:
        rows: list[int] = []
        for _ in range(LONGEST):
            row = int(step(np.array([row], np.int64))[0])
            if row < 0:
                break
            rows.append(row)
        return rows

    def shared_words(self, rows: RowNumbers) -> NDArray[np.float64]:
        """The Jaccard similarities (n, n) of the content words of rows, of their first characters and
        estimated from word sets (`asof.index.features`); 0 for rows that are not known. Each is read in
        the language of its own version: that of the first of its run may be dropped."""
        sets: NDArray[np.uint64] = self.linker.features.of(self._own_nodes(rows))["body"]
        sets[self.nodes(rows) < 0] = 0
        columns = np.ascontiguousarray(sets.T)
        joined = np.bitwise_count(columns[:, :, None] | columns[:, None, :])
        words, either = words_in(sets), WORDS_OF[np.add.reduce(joined, axis=0, dtype=np.uint16)]
        shared = words[:, None] + words - either
        similarity: NDArray[np.float64] = np.maximum(shared, 0.0) / np.maximum(either, 1.0)
        return similarity

    def ends(self, rows: RowNumbers) -> list[int | None]:
        """The end of each row, as far as the view knows it; None for a current row."""
        nodes = self.nodes(rows)
        ends = np.where(nodes < 0, NEVER, self.chain.ends[nodes]).tolist()
        return [None if end > self.prefix.as_of else end for end in ends]

    def row_of(self, passages: Sequence[int]) -> int:
        """The row of one of these passages (by number): the current one, else the last; -1 for none."""
        rows = self._rows(np.array(passages, np.int64) - self.linker.rows.first)
        rows = rows[(rows >= 0) & (self.nodes(rows) >= 0)]
        current = [row for row, end in zip(rows.tolist(), self.ends(rows), strict=True) if end is None]
        return next(iter(current or reversed(rows.tolist())), -1)

    def nodes(self, rows: RowNumbers) -> RowNumbers:
        """The nodes of rows; -1 for those that are not known, and for row -1."""
        nodes = self.first(self._own_nodes(rows))
        nodes[(nodes >= self.chain.n) | ~self.chain.known[np.minimum(nodes, self.chain.n - 1)]] = -1
        return nodes

    def _own_nodes(self, rows: RowNumbers) -> RowNumbers:
        """The nodes of the passages of rows, of a run too; -1 for row -1 and rows that the view lacks."""
        nodes = np.full(len(rows), -1, np.int64)
        known = np.flatnonzero((rows >= 0) & (rows < self.prefix.rows))
        for at, here, own in self.prefix.by_part(rows[known]):
            nodes[known[here]] = self.prefix.parts[at].segment["passage"][own] - self.linker.rows.first
        return nodes

    def _rows(self, nodes: NDArray[np.signedinteger]) -> RowNumbers:
        """The rows of nodes; -1 for those that are not in the view, and for -1."""
        if (nodes < 0).all():  # most passages follow none
            return nodes.astype(np.int64)
        nodes = self.last(nodes.astype(np.int64))
        passages = nodes + self.linker.rows.first
        return self.prefix.rows_of(np.where(nodes >= 0, passages, -1))


def succession(view: View) -> Succession:
    """The succession of a view; cached with it."""
    cached: Succession | None = view.prefix.memo.get(FOLDER)
    if cached is None:
        cached = view.prefix.memo[FOLDER] = SeriesCache.of(view.derived).succession(view)
    return cached


def status(folder: Path) -> list[str]:
    """A line for `asof status` about the cache file, if any; `folder` is the one of all derived files."""
    path = folder / FOLDER / FILE
    if FILE not in files.names(path.parent):
        return []
    try:
        segment = Segment(path, expected=FILE_FORMAT)
    except DamagedSegment:
        return [f"succession: {path.name} is damaged; it will be rebuilt"]
    links, copies = (int((segment.unchecked(name) >= 0).sum()) for name in ("before", "copy"))
    copied = f", {copies:,} are in copies" if copies else ""
    rows = segment.facts["rows"]
    return [f"succession: {rows:,} passages, {links:,} follow another{copied}; {segment.size:,} bytes"]
