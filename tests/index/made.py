"""What tests of the index are made of: rows, segments and corpora of a few words."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from tests.store.made import document
from tests.support.corpora import memory_folder, new_corpus

from asof.index.build import build
from asof.index.segment import Segment
from asof.store.writing import EndRow, IndexRow
from asof.text.tokens import Analyzer

__all__ = ["document", "fresh", "row", "segmented"]


def row(id_: int, text: str, visible: int = 0, added: int = 0, *, number: int = 0) -> IndexRow:
    """An index row from its passage id, text and when it became visible; its first words are its title."""
    return IndexRow(
        id_, visible, added, visible, id_, visible >= 0, id_ // 3, 7 * (id_ // 3), number, "en", text, (),
        text[:3],
    )  # fmt: skip


@contextmanager
def segmented(
    *groups: tuple[Sequence[IndexRow], Sequence[EndRow]], vectors: Sequence[Any] = ()
) -> Iterator[list[Segment]]:
    """Segments of groups of (rows, ends), in a folder that goes away. Vectors (n, d) where given; None in the
    place of one: it is waited for."""
    with memory_folder() as folder:
        segments = []
        for at, (group, given) in enumerate(itertools.zip_longest(groups, vectors)):
            path = folder / f"{at}.seg"
            rows, ends = group
            stored = {
                each.id: np.array(vector, "<i2").tobytes()
                for each, vector in zip(rows, () if given is None else given, strict=given is not None)
                if vector is not None
            }
            size, checksum = build(path, rows, ends, Analyzer(stem=False), stored, "test")
            assert path.stat().st_size == size
            segments.append(Segment(path, checksum))
        yield segments


def fresh(encoder: Any = None, **more: Any) -> Any:
    """A new corpus without stemming; its clock stands at 2025 and goes on by a second at each look."""
    return new_corpus(encoder=encoder, **{"stem": False, **more})
