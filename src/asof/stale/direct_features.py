"""The features of pairs of statements as they stand, read once for each pair and kept.

    stale/pairs.seg     the pairs of the newest view

What is kept of a pair follows from the two statements, what is above them, and how rare their words are; the
key of a pair is a hash of all of these. The file can be deleted at any time; it holds hashes and figures, no
text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.graph.current_rows import alone, remove_file
from asof.index.file_format import Array, ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.stale import conflict
from asof.stale.candidates import distinct
from asof.stale.pair_features import Weights, direct, may_differ
from asof.stale.said import Said, gathered
from asof.stale.sides import Sides
from asof.stale.table import Words
from asof.text.shingles import mixed
from asof.version import __version__

FILE = "pairs.seg"
FORMAT = 1

FAMILY, TOUCHED = "family", "touched"
"""Features that follow from other documents, too: they are not kept."""

NAMES = tuple(name for name in conflict.DIRECT if name not in (conflict.BASE, FAMILY, TOUCHED))

FILE_FORMAT = FileFormat(
    {
        "key": ArraySpec("<u8", "n", order="ascending"),
        "place": ArraySpec("<i8", "n", low=-1, below="m"),
        "frame": ArraySpec("<u8", "m", width=2),
        "features": ArraySpec("<f8", "m", width=len(NAMES), low=-1e9, below=1e9),
    },
    {"made": str},
)  # fmt: skip

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class PairFeatures(NamedTuple):
    """Of pairs. `asked`: which ones may differ; of those in their order: `frame` (m, 2), hashes of the words
    of both without figures, and `features` (m, f), in the order of NAMES."""

    asked: NDArray[np.bool_]
    frame: Hashes
    features: NDArray[np.float64]

    def columns(self) -> Mapping[str, NDArray[np.float64]]:
        """The features by name."""
        return dict(zip(NAMES, self.features.T, strict=True))


class _Kept(NamedTuple):
    """Pairs by key, ascending; `place`: of what is known of each, -1 for one that cannot differ."""

    key: Array
    place: Array
    frame: Array
    features: Array


@dataclass(frozen=True)
class DirectFeatures:
    """Reads the features of pairs of a view. `folder`: where they are kept; `newest`: whether this view's
    are."""

    sides: Sides
    weights: Weights
    folder: Path
    newest: bool

    def of(self, older: Numbers, newer: Numbers) -> PairFeatures:
        """The features of pairs of stretches."""
        keys = self._keys(older, newer)
        kept = self._opened()
        at = np.minimum(np.searchsorted(kept.key, keys), max(len(kept.key) - 1, 0))
        known = kept.key[at] == keys if len(kept.key) else np.zeros(len(keys), bool)
        missing = np.flatnonzero(~known)
        more = self._read(older[missing], newer[missing])
        place = np.full(len(keys), -1, np.int64)
        place[known] = kept.place[at[known]]
        new = missing[more.asked]
        place[new] = len(kept.frame) + np.arange(len(new))
        asked = place >= 0
        chosen = place[asked]
        old = chosen < len(kept.frame)
        frame = np.zeros((len(chosen), 2), np.uint64)
        features = np.zeros((len(chosen), len(NAMES)))
        for target, before, added in (
            (frame, kept.frame, more.frame), (features, kept.features, more.features)
        ):  # fmt: skip
            target[old] = before[chosen[old]]
            target[~old] = added[chosen[~old] - len(kept.frame)]
        found = PairFeatures(asked, frame, features)
        if self.newest and len(missing):
            self._write(keys, found)
        return found

    def _read(self, older: Numbers, newer: Numbers) -> PairFeatures:
        """The features of pairs from their texts."""
        self.sides.load(np.concatenate([older, newer]))
        side = self.sides.side
        asked = np.zeros(len(older), bool)
        frames: list[tuple[int, int]] = []
        features: list[list[float]] = []
        for place, (x, y) in enumerate(zip(older.tolist(), newer.tolist(), strict=True)):
            if may_differ(side(x), side(y), self.weights) and not self.sides.passed_over(x, y, y):
                asked[place] = True
                frames.append((self._frame(x), self._frame(y)))
                found = direct(side(x), side(y), self.weights)
                features.append([found[name] for name in NAMES])
        return PairFeatures(
            asked, np.array(frames, np.uint64).reshape(-1, 2), np.array(features).reshape(-1, len(NAMES))
        )

    def _frame(self, stretch: int) -> int:
        words = self.sides.said.vocabulary[list(self.sides.side(stretch).frame)]
        return int.from_bytes(blake2b(words.tobytes(), digest_size=8).digest())

    def _keys(self, older: Numbers, newer: Numbers) -> Hashes:
        """Of each pair the hash of all that its features follow from."""
        stretches = distinct(np.concatenate([older, newer]))
        hashes = mixed(self._statements(stretches))
        one, other = (hashes[np.searchsorted(stretches, each)] for each in (older, newer))
        pairs: Hashes = mixed(mixed(one) + other)
        return pairs

    def _statements(self, stretches: Numbers) -> Hashes:
        """The hash of each statement: its place in a passage that never changes, and the weights of its words
        and of those above it."""
        said, rows = self.sides.said, self.sides.said.rows
        batch, numbers = said.batch, said.spans.statement[stretches]
        passage = batch.passage[numbers]
        facts = mixed(passage.astype(np.uint64))
        for name in ("added", "digest"):
            facts = mixed(facts ^ rows.columns[name][passage - rows.first].astype(np.uint64))
        span = batch.begin[numbers].astype(np.uint64) << np.uint64(32) | batch.end[numbers].astype(np.uint64)
        own = self._weighed(gathered(said.own, numbers), said)
        above = self._weighed(said.above, said)[batch.above[numbers]]
        return mixed(mixed(mixed(facts ^ span) + own) + above)

    def _weighed(self, words: Words, said: Said) -> Hashes:
        """The sum of the hashes of words with their weights."""
        terms = words.terms
        parts = mixed(said.vocabulary[terms] ^ mixed(said.weight[terms].view(np.uint64)))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(parts, dtype=np.uint64)])
        each: Hashes = sums[words.start[1:]] - sums[words.start[:-1]]
        return each

    def _made(self) -> str:
        return f"{FORMAT}-{__version__}-{','.join(self.sides.view.analyzer.languages)}"

    def _opened(self) -> _Kept:
        nothing = _Kept(
            np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros((0, 2), np.uint64),
            np.zeros((0, len(NAMES))),
        )  # fmt: skip
        if FILE not in corpus_files.names(self.folder):
            return nothing
        try:
            segment = Segment(self.folder / FILE, expected=FILE_FORMAT)
            if segment.facts["made"] == self._made():
                return _Kept(segment["key"], segment["place"], segment["frame"], segment["features"])
        except (DamagedSegment, OSError):
            pass  # as if it were not there
        remove_file(self.folder / FILE)
        return nothing

    def _write(self, keys: Hashes, found: PairFeatures) -> None:
        order = np.argsort(keys)
        place = np.where(found.asked, np.cumsum(found.asked) - 1, -1)
        with contextlib.suppress(OSError), alone(self.folder), SegmentWriter(self.folder / FILE) as writer:
            writer.add("key", keys[order])
            writer.add("place", place[order])
            writer.add("frame", found.frame)
            writer.add("features", found.features)
            writer.close(made=self._made())
