"""Neighbours of a passage: the ones before and after it in its document, or in a thread of short documents.

A turn of a conversation answers the turn before it: the words of a question may be in one and the answer in
the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index import lexical
from asof.index.lexical import Bm25
from asof.index.prefix import Window, WindowPart
from asof.index.select import union
from asof.index.view import View
from asof.rank.candidates.gather import query_terms
from asof.rank.expression import Constant, Expression, Given, product, total
from asof.rank.stage import Ranking
from asof.schema import within
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


@dataclass(frozen=True, slots=True)
class NeighbouringText:
    """The column `neighbouring_text`: how well the neighbours of a passage match the words of the question.

        neighbouring_text = s(-1) + s(+1) + (s(-2) + s(+2)) / 2        s: BM25 / the best BM25

    times `document` within a document, whose passages are long enough to match by themselves. The neighbours
    of a passage are those of the same version of its document, and documents whose ids end in the next number
    ("call-7/12", "call-7/13") and that were published within five minutes.
    """

    k1: float = within(1.5, 0.0, 10.0)
    b: float = within(0.75, 0.0, 1.0)
    document: float = within(0.5, 0.0, 1.0)
    threads: ThreadLimits = THREAD_LIMITS

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        bm25, terms = Bm25(self.k1, self.b), query_terms(query, view.analyzer)
        weighed = lexical.weigh(view.prefix, terms, bm25)
        beside = neighbours(view, matches.window, matches.places, self.threads)
        every = union(np.unique(beside[beside >= 0]), np.sort(matches.places))
        scores = lexical.scores_at(matches.window, every, weighed, bm25)
        best = float(scores.max(initial=0.0))
        shares = np.append(scores / best if best else scores, 0.0)  # the last: no neighbour
        at = np.where(beside >= 0, np.searchsorted(every, beside), len(every))
        near = shares[at]
        own = view.column("document", matches.rows)
        within_document = _same_document(view, matches.window, beside, own)
        factor = np.where(within_document, self.document, 1.0)

        def nearby(step: int) -> Expression:
            label = f"{abs(STEPS[step])} {'before' if STEPS[step] < 0 else 'after'}"

            def tree(at: int) -> Why:
                if beside[step, at] < 0 or not best:
                    return Why(f"{label}: nothing", 0.0)
                other = int(matches.window.rows(beside[step, at : at + 1])[0])
                words = lexical.explain(view.prefix, other, weighed, bm25, "words (BM25)")
                return Why.of(label, "ratio", words, Why("best of all", best))

            return Given(label, near[step], tree)

        before_2, before_1, after_1, after_2 = map(nearby, range(len(STEPS)))
        two_away = product("two away", total("both", before_2, after_2), Constant("half", 0.5))
        around = total("around it", total("adjacent passages", before_1, after_1), two_away)
        text = product("neighbouring text", around, Given("weight of its neighbours", factor))
        return matches.with_column("neighbouring_text", text, by=False, high=3.0)


def _same_document(
    view: View, window: Window, beside: NDArray[np.int64], own: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which candidates have a neighbour of their own document."""
    same = np.zeros(beside.shape[1], bool)
    for row in beside:
        at = np.flatnonzero(row >= 0)
        same[at] |= view.column("document", window.rows(row[at])) == own[at]
    return same


def neighbours(
    view: View, window: Window, places: NDArray[np.int64], threads: ThreadLimits = THREAD_LIMITS
) -> NDArray[np.int64]:
    """The places two before, one before, one after and two after each of some places (4, n); -1: none."""
    rows = window.rows(places)
    visible, digest, number = (view.column(name, rows) for name in ("visible", "digest", "number"))
    steps = np.array(STEPS).reshape(-1, 1)
    out = np.full((len(STEPS), len(places)), -1, np.int64)
    for part in window.parts:
        own = places - part.offset + part.first
        np.maximum(out, _numbers_at(part, visible, digest, number + steps, own), out=out)
    _fill_threads(view, window, places, out, threads)
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
    rows = window.rows(places)
    visible = view.column("visible", rows)
    spans = []
    for part in window.parts:
        moments = part.prefix.segment["visible"][part.first : part.last]
        first = np.searchsorted(moments, visible - limits.gap, "left")
        spans.append((part, first, np.searchsorted(moments, visible + limits.gap, "right")))
    crowd = sum((_living(*span) for span in spans), np.zeros(len(places), np.int64))
    located = (out >= 0).any(axis=0)
    to_the_hour = (visible + 1) % HOUR == 0  # dated to a day or an hour: no thread follows from that
    dated = view.column("dated", rows).astype(bool)
    seek = np.flatnonzero((crowd > 1) & (crowd <= limits.crowd) & ~located & ~to_the_hour & dated)
    if not len(seek):
        return
    documents = _numbered([record.document for record in view.records(rows[seek])])
    hits = []
    for part, first, last in spans:
        segment, count = part.prefix.segment, (last - first)[seek]
        which = np.repeat(np.arange(len(seek)), count)
        inside = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        local = first[seek][which] + inside + part.first
        same = (segment["digest"][local] == documents[:, which]) & ~part.prefix.dead_mask[local]
        at, hit = np.nonzero(same)
        row = local[hit]
        hits.append(
            (at, seek[which[hit]], segment["visible"][row], segment["number"][row],
             row - part.first + part.offset)
        )  # fmt: skip
    at, of, moment, number, place = (np.concatenate(each) for each in zip(*hits, strict=True))
    order = np.lexsort((number, moment))  # of equal indices the last one stays
    out[at[order], of[order]] = place[order]


def _living(part: WindowPart, first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many rows of a part from `first` to `last` are current."""
    dead = part.prefix.dead
    retired = np.searchsorted(dead, last + part.first) - np.searchsorted(dead, first + part.first)
    return np.asarray(last - first - retired, np.int64)


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
