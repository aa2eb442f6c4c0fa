"""The titles of passages, as columns: of each different title its stems and their kinds.

A title is prepared when its passages are indexed, so that a question compares numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from asof.index.file_format import Array
from asof.index.offsets import offsets, stretches
from asof.text.titles import TitleStems, figure
from asof.text.tokens import Analyzer, term_hash

FIGURE, PLAIN, REPEATED = 1, 2, 4
"""Bits of `TitleTable.kinds`: a figure; a word that tells titles of one series from those of others (neither
a figure nor a word of the calendar); a stem that stands in the title before."""

UNTITLED = -1


class TitleTable(NamedTuple):
    """The titles of n rows: row i has the title `of[i]` (UNTITLED: none), one of t different ones.

    `of` int32 (n). Of each title (t): `ids` uint64, ascending, a hash of text and language; `groups` uint64,
    a hash that the titles of a series share (`TitleStems.key`), 0 where a title has no plain word. Title j
    has the stems `start[j]` to before `start[j + 1]`, in their order: `stems` uint64 (hashes), `kinds` uint8.
    """

    of: NDArray[np.int32]
    ids: NDArray[np.uint64]
    groups: NDArray[np.uint64]
    start: NDArray[np.int64]
    stems: NDArray[np.uint64]
    kinds: NDArray[np.uint8]

    @classmethod
    def build(cls, titles: Sequence[tuple[str, str]], analyzer: Analyzer) -> Self:
        """Of each row its title and the language of it."""
        different = {each: term_hash("\0".join(each)) for each in dict.fromkeys(titles) if each[0]}
        in_order = sorted(different, key=different.__getitem__)
        number = {each: at for at, each in enumerate(in_order)}
        read = [TitleStems.of(*each, analyzer) for each in in_order]
        return cls(
            np.array([number.get(each, UNTITLED) for each in titles], np.int32),
            np.array([different[each] for each in in_order], np.uint64),
            np.array([term_hash("\0".join(each.key)) if each.key else 0 for each in read], np.uint64),
            offsets([len(each.stems) for each in read]),
            np.array([term_hash(stem) for each in read for stem in each.stems], np.uint64),
            np.fromiter(chain.from_iterable(map(_kinds, read)), np.uint8),
        )

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The rows of all parts, one part after another; equal titles are one."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        ids = np.concatenate([*(part.ids for part in parts), np.zeros(0, np.uint64)])
        different, first, number = np.unique(ids, return_index=True, return_inverse=True)
        before = np.cumsum([0, *(len(part.ids) for part in parts)])
        of = [
            np.where(part.of >= 0, np.append(number, 0)[part.of + at], UNTITLED)
            for part, at in zip(parts, before.tolist(), strict=False)
        ]
        lengths = np.concatenate([*(np.diff(part.start) for part in parts), _NONE])
        stems = np.concatenate([*(part.stems for part in parts), np.zeros(0, np.uint64)])
        kinds = np.concatenate([*(part.kinds for part in parts), np.zeros(0, np.uint8)])
        groups = np.concatenate([*(part.groups for part in parts), np.zeros(0, np.uint64)])
        every = cls(
            np.concatenate([*of, _NONE]).astype(np.int32),
            different,
            groups[first],
            offsets(lengths),
            stems,
            kinds,
        )
        return every._titles(first)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """These rows, in their order, and their titles only."""
        used, which = np.unique(self.of[rows], return_inverse=True)
        untitled = int(len(used) > 0 and used[0] == UNTITLED)
        chosen = used[untitled:].astype(np.int64)
        of = np.asarray(which - untitled, np.int32)
        return self._replace(of=of, ids=self.ids[chosen], groups=self.groups[chosen])._titles(chosen)

    def _titles(self, chosen: NDArray[np.intp]) -> Self:
        """With the stems of these titles only."""
        begin = self.start[chosen]
        counts = self.start[chosen + 1] - begin
        places = stretches(begin, counts)
        return self._replace(start=offsets(counts), stems=self.stems[places], kinds=self.kinds[places])

    @property
    def title_of_stem(self) -> NDArray[np.int64]:
        """The title that each of `stems` is of."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.start))

    @property
    def group_of(self) -> NDArray[np.uint64]:
        """The group of each row's title (n,); 0 for none."""
        return np.append(self.groups, np.uint64(0))[self.of]

    def columns(self) -> dict[str, Array]:
        """As the arrays of a segment, by name."""
        return dict(zip(COLUMNS, self, strict=True))


_NONE = np.zeros(0, np.int64)
COLUMNS = ("title", "title_id", "title_group", "title_start", "title_stems", "title_kinds")
"""The arrays of a segment that hold them."""


def _kinds(title: TitleStems) -> list[int]:
    plain, before = set(title.plain), set[str]()
    kinds = []
    for stem in title.stems:
        kinds.append(FIGURE * figure(stem) | PLAIN * (stem in plain) | REPEATED * (stem in before))
        before.add(stem)
    return kinds
