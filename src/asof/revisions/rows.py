"""The rows of a corpus by passage number, postings of their texts, and the cache of what they give."""

from __future__ import annotations

import contextlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof import files
from asof.errors import DamagedSegment
from asof.index.columns import Array, FileFormat, longer
from asof.index.features import COLUMNS as FEATURES
from asof.index.features import OF_KEYS, keys
from asof.index.segment import Prefix, Segment
from asof.index.view import LOCK, DerivedCache
from asof.text.query import mixed
from asof.time.span import BEGINNING, NEVER

COLUMNS = {
    "visible": np.int64, "said": np.int64, "run": np.int64, "digest": np.int64, "number": np.int32,
    "document": np.int64, "added": np.int64,
}  # fmt: skip


class Rows(Struct, frozen=True):
    """Constant columns of all rows that a corpus ever had, except erased ones.

    A *node* is a row numbered by its passage: node = passage - `first`. Numbers of passages only grow and are
    never reused, so later rows get later nodes, and nodes do not depend on segments. `present`: the numbers
    in use.
    """

    first: int
    present: NDArray[np.bool_]
    columns: dict[str, Array]

    @property
    def n(self) -> int:
        """The number of nodes, unused numbers included."""
        return len(self.present)

    @property
    def end(self) -> int:
        """The number after the last passage."""
        return self.first + self.n

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> Rows:
        first = min((segment.facts["first"] for segment in segments if segment.n), default=1)
        columns = {name: np.zeros(0, dtype) for name, dtype in COLUMNS.items()}
        return cls(first, np.zeros(0, bool), columns).extended(segments)

    def extended(self, segments: Sequence[Segment]) -> Rows:
        """These rows and those of segments with later ones."""
        n = max(known_to(segments) - self.first, self.n)
        columns = {name: longer(values, n) for name, values in self.columns.items()}
        rows = Rows(self.first, longer(self.present, n), columns)
        for segment in segments:
            nodes = rows.nodes(segment, segment.n)
            rows.present[nodes] = True
            for name, values in columns.items():
                values[nodes] = segment[name]
        return rows

    def agrees(self, segments: Sequence[Segment], since: int) -> bool:
        """True if these are the rows of some segments, as far as both go; `since` of them are known to be."""
        n = min(max(known_to(segments) - self.first, 0), self.n)
        left = np.count_nonzero(self.present[:n]) - sum(segment.n for segment in segments[:since])
        for segment in segments[since:]:
            nodes = self.nodes(segment, segment.n)
            here = np.flatnonzero(nodes < n)
            nodes, left = nodes[here], left - len(here)
            columns = (self.columns[name][nodes] != segment[name][here] for name in ("added", "digest"))
            if (nodes < 0).any() or any(each.any() for each in columns):
                return False
        return bool(left == 0)

    def nodes(self, segment: Segment, rows: int) -> NDArray[np.int64]:
        """The nodes of the first `rows` rows of a segment."""
        nodes: NDArray[np.int64] = segment["passage"][:rows] - self.first
        return nodes

    def known(self, prefix: Prefix) -> NDArray[np.bool_]:
        """Mask of the nodes that count at the K of a prefix: known by then, and not yet known to be wrong
        (retired).

        Rows that become visible after the T of the prefix are included: they are the tail of every list in
        time order, so nothing before them depends on them.
        """
        segments = [part.segment for part in prefix.parts]
        known = self.present.copy()
        known[max(known_to(segments) - self.first, 0) :] = False
        for segment in segments:
            retired = segment["end_at"] == BEGINNING
            if prefix.known_at != NEVER:
                retired &= segment["end_added"] <= prefix.known_at
            nodes = segment["end_passage"][retired] - self.first
            known[nodes[(nodes >= 0) & (nodes < self.n)]] = False
        if prefix.known_at != NEVER:
            known &= self.columns["added"] <= prefix.known_at
        return known

    def by_text(self) -> Rows:
        """The same rows, of which each begins when its text did: see `TextRuns`."""
        return Rows(self.first, self.present, self.columns | {"visible": self.columns["said"]})

    def canonical(self, nodes: Array, *before: Array) -> NDArray[np.int64]:
        """The order of nodes by time, then by constant columns; by `before` first, if given."""
        keys = [self.columns[name][nodes] for name in ("added", "number", "digest", "visible")]
        return np.lexsort([nodes, *keys, *before])

    def stamp(self, nodes: NDArray[np.int64]) -> str:
        """A fingerprint of the rows of some nodes."""
        facts = mixed((nodes + self.first).astype(np.uint64))
        for name in ("added", "digest", "visible"):
            facts = mixed(facts ^ self.columns[name][nodes].astype(np.uint64))
        return f"{len(nodes)}-{int(facts.sum(dtype=np.uint64)):016x}"


HELD = ("dated", "changed", "text", "name", "original")
"""The features of all nodes that are held in memory, beside "ending": whether what a passage states ends
something."""


class FeatureTable(Struct, frozen=True):
    """The features of nodes (`asof.index.features`). Those of `columns` are held for all of them, which are
    read from segments; the others stay in these `segments`."""

    first: int
    columns: dict[str, Array]
    segments: Sequence[Segment] = ()

    @classmethod
    def none(cls) -> Self:
        """One without nodes."""
        held: dict[str, Array] = {name: np.zeros(0, FEATURES[name][0]) for name in HELD}
        return cls(1, held | {"ending": np.zeros(0, np.bool_)})

    def extended(self, rows: Rows, segments: Sequence[Segment]) -> FeatureTable:
        """The table of so many rows, with those of these segments."""
        columns = {name: longer(values, rows.n) for name, values in self.columns.items()}
        for segment in segments:
            nodes = rows.nodes(segment, segment.n)
            for name in HELD:
                columns[name][nodes] = segment[f"feature_{name}"]
            columns["ending"][nodes] = segment["feature_ended"][:, 0] > 0
        return FeatureTable(rows.first, columns)

    def __getitem__(self, name: str) -> Array:
        """A column of all nodes, one that is held."""
        return self.columns[name]

    def of(self, nodes: NDArray[np.int64]) -> NodeFeatures:
        """The features of some nodes."""
        passages, places = nodes + self.first, list[tuple[Segment, NDArray[np.int64], NDArray[np.int64]]]()
        for segment in self.segments:
            if segment.n:
                table, first = segment["row_of"], segment.facts["first"]
                here = np.flatnonzero((passages >= first) & (passages < first + len(table)))
                rows = table[passages[here] - first]
                if (rows >= 0).any():
                    places.append((segment, here[rows >= 0], rows[rows >= 0].astype(np.int64)))
        return NodeFeatures(len(nodes), places)

    def check(self) -> None:
        """Check all features of the segments at once, where all will be used."""
        for segment in self.segments:
            for name in FEATURES:
                segment[f"feature_{name}"]


class NodeFeatures(Struct, frozen=True):
    """The features of `n` nodes: which of them are in each segment, and in which rows."""

    n: int
    places: Sequence[tuple[Segment, NDArray[np.int64], NDArray[np.int64]]]

    def __getitem__(self, name: str) -> Array:
        """A feature of each; zeros for a node that is in no segment."""
        dtype, shape = FEATURES[name]
        values: Array = np.zeros((self.n, *shape), dtype)
        for segment, here, rows in self.places:
            values[here] = segment.take(f"feature_{name}", rows)
        return values


class NodeMap(NamedTuple):
    """Other nodes (m) for some nodes (m, ascending); any other node is its own."""

    nodes: NDArray[np.int64]
    others: NDArray[np.int64]

    def __call__(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        if not len(self.nodes):
            return nodes
        at = np.minimum(np.searchsorted(self.nodes, nodes), len(self.nodes) - 1)
        return np.where(self.nodes[at] == nodes, self.others[at], nodes)


class TextRuns(NamedTuple):
    """The nodes (m) of passages that got another row while their text stood there, as metadata changed, each
    with the first of its run, which stands for all of it; by run, in order of time."""

    members: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows, known: NDArray[np.bool_]) -> Self:
        """The runs of these known nodes."""
        visible, said, run = (rows.columns[name] for name in ("visible", "said", "run"))
        renewed = np.flatnonzero(known & (said < visible))
        if not len(renewed):
            return cls(renewed, renewed)
        members = np.flatnonzero(known & np.isin(run, run[renewed]))
        members = members[np.lexsort([members, visible[members], run[members]])]
        begins = np.diff(run[members], prepend=run[members[:1]] - 1) != 0
        return cls(members, members[np.maximum.accumulate(np.where(begins, np.arange(len(members)), 0))])

    def first(self) -> NodeMap:
        """From each node to the first of its run."""
        order = np.argsort(self.members)
        return NodeMap(self.members[order], self.firsts[order])

    def last(self, visible: Array, as_of: int) -> NodeMap:
        """From the first node of a run to the last that is `visible` (by node) by an instant."""
        seen = np.flatnonzero(visible[self.members] <= as_of)
        lasts = seen[np.diff(self.firsts[seen], append=-1) != 0]
        order = np.argsort(self.firsts[lasts])
        return NodeMap(self.firsts[lasts][order], self.members[lasts][order])

    def joined(
        self, known: NDArray[np.bool_], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """The known nodes but for those that a first node stands for, and the ends, of that its run's."""
        known, ends = known.copy(), ends.copy()
        known[self.members], known[self.firsts] = False, True
        ends[self.firsts] = ends[self.members]  # of several the last is written last
        return known, ends


def known_to(segments: Sequence[Segment]) -> int:
    """The number after the last passage of all; 0 when there is none."""
    ends = (each.facts["first"] + len(each.unchecked("row_of")) for each in segments if each.n)
    return int(max(ends, default=0))


# -- limits: sizes of batches and files, and how many candidates are compared --------------------------


class CandidateLimits(Struct, frozen=True):
    """The number of earlier passages that a passage is compared with. Other limits give another succession.

    Of all passages with a key the last `window` before a passage are compared, the last `window_of_words` for
    a key of words, and the `edits` nearest in the document of those that an edit ended.
    """

    window: int = 12
    window_of_words: int = 4
    edits: int = 32


class GraphLimits(Struct, frozen=True):
    """Limits of memory, time and files, and those of `candidates`. Only the latter affect results.

    least_written, share_written   files are written again when at least so many rows, and one in so many of
                                   all, were added or removed
    rebuild_share       after a change of more than one row in so many all rows are compared again
    texts_at_once       texts in one batch
    most_postings       postings in one part; more are split, and parts are not merged beyond it
    products_at_once, pairs_at_once   multiplications and pairs in one batch
    """

    least_written: int = 256
    share_written: int = 64
    rebuild_share: int = 4
    texts_at_once: int = 8_192
    most_postings: int = 32_000_000
    products_at_once: int = 4_000_000
    pairs_at_once: int = 1 << 16
    candidates: CandidateLimits = CandidateLimits()


DEFAULT = GraphLimits()


# -- postings of a range of passages -------------------------------------------------------------------


class Postings(Struct, frozen=True):
    """The hashes (keys, shingles) of the nodes from `begin` on: `counts` (n) is how many each of them has.

    `hashes` (p), ascending, and the `carriers` (p) of each, as node - `begin`.
    """

    begin: int
    counts: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    carriers: NDArray[np.int32]

    @property
    def end(self) -> int:
        return self.begin + len(self.counts)

    def find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """For each carrier of one of `hashes`: which of them, and the node."""
        first, last = (np.searchsorted(self.hashes, hashes, side) for side in ("left", "right"))
        many = last - first
        which = np.repeat(np.arange(len(first)), many)
        at = np.arange(len(which)) + np.repeat(first - (np.cumsum(many) - many), many)
        return which, self.carriers[at] + np.int32(self.begin)


def key_postings(rows: Rows, segments: Sequence[Segment], read: NDArray[np.bool_]) -> Iterator[Postings]:
    """The keys of the nodes of segments that are not `read`, those of one segment after another."""
    for segment in segments:
        nodes = rows.nodes(segment, segment.n)
        new = np.flatnonzero(~read[nodes])
        if len(new):
            found, owner = keys({name: segment[f"feature_{name}"][new] for name in OF_KEYS})
            first, last = int(nodes[new].min()), int(nodes[new].max())
            carriers: NDArray[np.int32] = (nodes[new][owner] - first).astype(np.int32)
            counts = np.bincount(carriers, minlength=last - first + 1).astype(np.int32)
            order = np.argsort(found, kind="stable")
            yield Postings(first, counts, found[order], carriers[order])


def merge_postings(parts: Sequence[Postings]) -> Postings:
    """Parts as one."""
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    hashes = np.concatenate([part.hashes for part in parts])
    carriers = np.concatenate([part.carriers + np.int32(part.begin - begin) for part in parts])
    order = np.argsort(hashes, kind="stable")  # merges what is in order already
    counts = np.zeros(end - begin, np.int32)
    for part in parts:
        counts[part.begin - begin : part.end - begin] += part.counts
    return Postings(begin, counts, hashes[order], carriers[order])


# -- what is derived from the rows of a corpus: in memory, and in files that can be deleted at any time --

LEFTOVER = re.compile(r"(edges-[0-9.e-]+|chains)\.tmp")

MOST_KEPT = 4
"""The most graphs, or prefixes, in memory of one kind."""

Key = TypeVar("Key")
Made = TypeVar("Made")


class CurrentRows:
    """The table of the rows of a corpus, made again after each write. Threads may share it.

    `generation`: how often a row of it was removed.
    """

    def __init__(self) -> None:
        self._rows: Rows | None = None
        self._segment_names: list[str] = []
        self._lock = threading.Lock()
        self.generation = 0

    def update(self, prefix: Prefix) -> tuple[Rows, int]:
        """The table with the rows of a prefix, and its generation.

        A view from before the last write has fewer rows: the longer table stays.
        """
        segments = [part.segment for part in prefix.parts]
        names = [segment.path.name for segment in segments]
        with self._lock:
            rows, known = self._rows, self._segment_names
            same = [one == other for one, other in zip(names, known, strict=False)]
            since = [*same, False].index(False)
            if rows is None or not rows.agrees(segments, since):
                self.generation += 1
                self._rows, self._segment_names = Rows.of(segments), names
            elif known_to(segments) >= rows.end:
                self._rows, self._segment_names = rows.extended(segments[since:]), names
            assert self._rows is not None  # noqa: S101
            return self._rows, self.generation


class RowCache:
    """Data derived from the rows of a corpus, in memory and in the folder `NAME` of derived files.

    A file names the rows that it was made from (`made_from`); one of other rows, of another format or damaged
    is removed. Rows added since are read from their texts; when they are many, the file is written again.
    Without write permission no file is written. Threads may share a cache: `lock` is held while it is used.
    """

    NAME: ClassVar[str]

    def __init__(self, derived: DerivedCache, limits: GraphLimits = DEFAULT) -> None:
        self.folder = derived.folder / self.NAME
        self.limits = limits
        self.lock = threading.Lock()
        self.parts: list[Postings] = []
        self._table: CurrentRows = derived.memo.setdefault("rows", CurrentRows())
        self._generation = 0
        self.forget()

    @classmethod
    def of(cls, derived: DerivedCache, limits: GraphLimits = DEFAULT) -> Self:
        """The cache of a corpus; created with these limits if there is none."""
        cached: Self = derived.memo.get(cls.NAME) or derived.memo.setdefault(cls.NAME, cls(derived, limits))
        return cached

    def forget(self) -> None:
        """Forget what was made of the rows: some of them were removed."""
        self.parts = []

    def rows(self, prefix: Prefix) -> Rows:
        """The table of rows, with those of this prefix."""
        rows, generation = self._table.update(prefix)
        if generation != self._generation:
            self._generation = generation
            self.forget()
        return rows

    def add_part(self, part: Postings) -> None:
        """Add the postings of the next rows. The last parts are merged to keep each twice as large as the
        next."""
        self.parts.append(part)
        while len(self.parts) > 1:
            before, last = (len(each.hashes) for each in self.parts[-2:])
            if before > 2 * last or before + last > self.limits.most_postings:
                break
            self.parts[-2:] = [merge_postings(self.parts[-2:])]

    def read_file(
        self, name: str, expected: FileFormat, read: Callable[[Segment], Made | None]
    ) -> Made | None:
        """What `read` gives of a file; a file that is damaged, or of which it gives None, is removed.

        Raises OSError where it cannot be read for another reason (rights, a disk that fails).
        """
        path = self.folder / name
        if name not in files.names(self.folder):
            return None
        try:
            made = read(Segment(path, expected=expected))
            if made is not None:
                return made
        except DamagedSegment:
            pass  # as if it were not there
        remove_file(path)
        return None

    def is_worth_writing(self, written: NDArray[np.bool_], known: NDArray[np.bool_], rows: Rows) -> bool:
        """True if many known nodes differ from those of the file that is there."""
        n = min(len(written), len(known))
        changed = np.count_nonzero(written[:n] != known[:n]) + np.count_nonzero(known[n:])
        return bool(changed >= max(self.limits.least_written, rows.n // self.limits.share_written))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock for writing files, without those that a killed process left; raises BlockingIOError
        if another process holds it."""
        files.make_folder(self.folder)
        with files.try_lock(self.folder / LOCK) as lock:
            if lock is None:
                raise BlockingIOError
            for name in files.names(self.folder):
                if LEFTOVER.fullmatch(name):
                    remove_file(self.folder / name)
            yield


def remember(kept: OrderedDict[Key, Made], key: Key, made: Made) -> None:
    """Add to an LRU cache, and evict the least recently used one of more than `MOST_KEPT`."""
    kept.pop(key, None)
    kept[key] = made
    while len(kept) > MOST_KEPT:
        kept.popitem(last=False)


def is_newest(prefix: Prefix, rows: Rows) -> bool:
    """True if a prefix has every row and every end that is known now."""
    return prefix.known_at == NEVER and known_to([part.segment for part in prefix.parts]) >= rows.end


def remove_file(path: Path) -> None:
    """Remove an unusable file, if this process may."""
    with contextlib.suppress(OSError):
        files.remove(path)
