"""Which passages stand beside which: in one version of a document, or in a thread of short documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.index.prefix import Window, WindowPart
from asof.index.view import View
from asof.store.digest import name_digest

STEPS = (-2, -1, 1, 2)

NEAR = 8
"""The rows before and after a passage among which its neighbours nearly always are."""

HOUR = 3_600_000_000

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ThreadLimits:
    """Documents with consecutive numbers are a thread when they are at most `gap` microseconds apart. Where
    more than `crowd` passages are within that time, threads cannot be told apart and none is searched for."""

    gap: int = 300_000_000
    crowd: int = 256


THREAD_LIMITS = ThreadLimits()


def neighbours(
    view: View, window: Window, places: NDArray[np.int64], threads: ThreadLimits = THREAD_LIMITS
) -> NDArray[np.int64]:
    """The places two before, one before, one after and two after each of some places (4, n); -1: none."""
    out = _in_documents(view, window, places)
    _fill_threads(view, window, places, out, threads)
    return out


def _in_documents(view: View, window: Window, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same of the passages of their documents alone."""
    rows = window.rows(places)
    visible, digest, number = (view.column(name, rows) for name in ("visible", "digest", "number"))
    document = view.column("document", rows)
    numbers = number + np.array(STEPS).reshape(-1, 1)
    out = np.full((len(STEPS), len(places)), -1, np.int64)
    for part in window.parts:
        least, most = part.prefix.segment.documents
        here = np.flatnonzero((document >= least) & (document <= most))
        if len(here):
            own = places[here] - part.offset + part.first
            found = _numbers_at(part, visible[here], digest[here], numbers[:, here], own)
            out[:, here] = np.maximum(out[:, here], found)
    return out


def _numbers_at(
    part: WindowPart, visible: NDArray[np.int64], digest: NDArray[np.int64], number: NDArray[np.int64],
    near: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """The places (4, n) of the passages with these numbers, of documents at an instant (n each); -1: not in
    this part. They are looked for around the rows `near` (n) first.

    Passages of a document that begin at one instant are of one version. Their rows need not be adjacent: they
    may have been written at different times, with retired rows between them.
    """
    segment, dead = part.prefix.segment, part.prefix.dead_mask
    moments, documents, numbers = (
        segment["visible"][part.first : part.last],
        segment["digest"],
        segment["number"],
    )
    first, end = (np.searchsorted(moments, visible, side) + part.first for side in ("left", "right"))

    def before(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows come before the wanted ones, by document and number."""
        same, smaller = documents[rows] == digest, documents[rows] < digest
        return np.asarray(smaller | (same & (numbers[rows] < number)), bool)

    low = np.broadcast_to(np.clip(near - NEAR, first, end), number.shape)
    high = np.broadcast_to(np.clip(near + NEAR, first, end), number.shape)
    low = np.where((low > first) & ~before(np.maximum(low - 1, part.first)), first, low)
    high = np.where((high < end) & before(np.minimum(high, part.last - 1)), end, high)
    while (wide := low < high).any():  # bisection of all at once
        middle = np.where(wide, (low + high) // 2, part.first)
        earlier = before(middle)
        low = np.where(wide & earlier, middle + 1, low)
        high = np.where(wide & ~earlier, middle, high)
    while True:
        at = np.minimum(low, part.last - 1)
        same = (low < end) & (documents[at] == digest) & (numbers[at] == number)
        if not (same & dead[at]).any():
            return np.where(same, at - part.first + part.offset, -1)
        low = low + (same & dead[at])


def _fill_threads(
    view: View, window: Window, places: NDArray[np.int64], out: NDArray[np.int64], limits: ThreadLimits
) -> None:
    """Fill in documents with consecutive numbers that are close in time: of each its last passage."""
    seek, visible = _without_place(view, window, places, out)
    if not len(seek):
        return
    crowd = crowds_in(window, visible, limits.gap)
    few = (crowd > 1) & (crowd <= limits.crowd)
    seek, visible = seek[few], visible[few]
    if not len(seek):
        return
    documents = _numbered([record.document for record in view.records(window.rows(places[seek]))])
    at, of, place = documents_near(window, visible, documents, limits.gap)
    out[at, seek[of]] = place


def _without_place(
    view: View, window: Window, places: NDArray[np.int64], out: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The candidates that may be of a thread: without neighbours in their document, and dated to the minute;
    and the instants at which they became visible."""
    rows = window.rows(places)
    visible = view.column("visible", rows)
    to_the_hour = (visible + 1) % HOUR == 0  # dated to a day or an hour: no thread follows from that
    dated = view.column("dated", rows).astype(bool)
    seek = np.flatnonzero(~(out >= 0).any(axis=0) & ~to_the_hour & dated)
    return seek, visible[seek]


def crowds_in(window: Window, visible: NDArray[np.int64], gap: int) -> NDArray[np.int64]:
    """How many current passages became visible within `gap` of each instant (n,)."""
    crowd = np.zeros(len(visible), np.int64)
    for part, first, last in _spans(window, visible, gap):
        dead = part.prefix.dead
        crowd += last - first
        crowd -= np.searchsorted(dead, last + part.first) - np.searchsorted(dead, first + part.first)
    return crowd


def _spans(
    window: Window, visible: NDArray[np.int64], gap: int
) -> Iterator[tuple[WindowPart, NDArray[np.int64], NDArray[np.int64]]]:
    """For each part of the window the first and the end of its rows within `gap` of each instant."""
    for part in window.parts:
        moments = part.prefix.segment["visible"][part.first : part.last]
        yield (
            part, np.searchsorted(moments, visible - gap, "left"),
            np.searchsorted(moments, visible + gap, "right"),
        )  # fmt: skip


def documents_near(
    window: Window, visible: NDArray[np.int64], documents: NDArray[np.int64], gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The last passages of documents (digests; 4, n) within `gap` of instants (n): which of the four and of
    the n each is, and its place. Of one index the last one counts."""
    hits = [(np.zeros(0, np.int64),) * 5]
    for part, first, last in _spans(window, visible, gap):
        segment, count = part.prefix.segment, last - first
        which = np.repeat(np.arange(len(visible)), count)
        inside = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        local = first[which] + inside + part.first
        same = (segment["digest"][local] == documents[:, which]) & ~part.prefix.dead_mask[local]
        at, hit = np.nonzero(same)
        row = local[hit]
        hits.append(
            (at, which[hit], segment["visible"][row], segment["number"][row], row - part.first + part.offset)
        )
    at, of, moment, number, place = (np.concatenate(each) for each in zip(*hits, strict=True))
    order = np.lexsort((number, moment))
    return at[order], of[order], place[order]


def _numbered(names: list[str]) -> NDArray[np.int64]:
    """Digests (4, n) of the ids before and after these by number; -1 where an id ends in no number."""
    out = np.full((len(STEPS), len(names)), -1, np.int64)
    for place, name in enumerate(names):
        numbered = _NUMBERED.fullmatch(name)
        if numbered is None:
            continue
        stem, figures = numbered.groups()
        for at, step in enumerate(STEPS):
            number = int(figures) + step
            if number >= 0:
                out[at, place] = name_digest(f"{stem}{number:0{len(figures) if figures[0] == '0' else 1}}")
    return out
