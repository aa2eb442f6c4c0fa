"""Which candidates are about a time that a question names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from asof.index.about import AboutTimes
from asof.index.about_index import about_or_published
from asof.index.prefix import Window
from asof.index.view import View
from asof.rank.expression import Values
from asof.store.about import METADATA, TEXT, TITLE
from asof.time.span import Span

DAY = 24 * 3600 * 1_000_000  # microseconds

YEAR = 365 * DAY
LONG = 366 * DAY

OF_TIME = 1.0
MENTIONS_TIME = 0.5
PUBLISHED = 0.8
NEAR, NEAR_FOR = 0.3, 5 * 365.25 * DAY
"""What a passage has that was published right beside a time, and how far from it exp(-1) of that is left."""


def match_times(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) whether it is about one of the times: OF_TIME, MENTIONS_TIME or 0.

    The times in a document's metadata or title decide, if there are any, else its date of publication. A
    passage whose text names one of the times mentions it.
    """
    if not len(rows) or not spans:
        return np.zeros(len(rows))
    visible, dated = view.column("visible", rows), view.column("dated", rows).astype(bool)
    return _matches(visible, dated, view.about(rows), spans)


def time_evidence(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) how much it is of one of the times, in [0, 1].

    1 for one that speaks of such a time (in metadata, title, headings or text), or was published within it
    and speaks of no time at all; PUBLISHED for one that was published within it and speaks of other times;
    NEAR · exp(-distance / NEAR_FOR) for one that was published before or after it.
    """
    visible, dated, about = view.column("visible", rows), view.column("dated", rows), view.about(rows)
    speaks, distance = np.zeros(len(rows), bool), np.full(len(rows), np.inf)
    for span in spans:
        speaks |= about.overlap(span.first, span.last)
        outside = np.maximum(visible - float(span.last), float(span.first) - visible)
        distance = np.minimum(distance, np.maximum(outside, 0.0))
    distance[~dated.astype(bool)] = np.inf
    published = distance == 0
    near = np.where(published, PUBLISHED, NEAR * np.exp(-distance / NEAR_FOR))
    return np.where(speaks | (published & ~about.known), 1.0, near)


def named_bounds(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) the share of the ends of a long time that it names, in [0, 1]; of several most.

    A time of more than LONG begins with a year and ends with one; a passage names such an end if it speaks
    of a time that begins or ends in that year. 0 where no time is long or has both ends.
    """
    shares = np.zeros(len(rows))
    long = [span for span in spans if span.start and span.end and span.last - span.first > LONG]
    if long and len(rows):
        about = view.about(rows)
        for span in long:
            ends = (span.first, span.first + YEAR - 1), (span.last - YEAR + 1, span.last)
            shares = np.maximum(shares, sum(about.bounded_in(*each) for each in ends) / len(ends))
    return shares


def of_time(
    view: View, window: Window, places: NDArray[np.int64] | None, spans: Sequence[Span]
) -> NDArray[np.int64]:
    """Which of some places of a window (indices, ascending), or of all (None), are about one of the times or
    mention it: those whose `match_times` is not 0.

    A passage that is about a time speaks of it or was published then, as does one that mentions it, so where
    that is said makes no difference. Many places are looked up among all of the window.
    """
    if places is None:
        return np.flatnonzero(_window_mask(window, spans))
    if len(places) > FEW and len(places) * MANY > window.n:
        return np.flatnonzero(_window_mask(window, spans)[places])
    return np.flatnonzero(match_times(view, window.rows(places), spans) > 0)


def _window_mask(window: Window, spans: Sequence[Span]) -> NDArray[np.bool_]:
    """For each place of the window (n,) whether its `match_times` is not 0."""
    masks = [np.zeros(0, bool)]
    for part in window.parts:
        segment = part.prefix.segment
        columns = segment["visible"], segment["dated"]
        masks.append(about_or_published(segment.by_time, *columns, spans, part.first, part.last))
    return np.concatenate(masks)


FEW, MANY = 4_096, 1_000
"""Up to so many places are matched one by one, and also more of them in a window of so many times as many."""


def _matches(
    visible: NDArray[np.int64], dated: NDArray[np.bool_], about: AboutTimes, spans: Sequence[Span]
) -> Values:
    stated = about.stated((METADATA, TITLE))
    of_it, mentions = np.zeros(len(visible), bool), np.zeros(len(visible), bool)
    for span in spans:
        published = dated & (visible >= span.first) & (visible <= span.last)
        of_it |= np.where(stated, about.overlap(span.first, span.last, (METADATA, TITLE)), published)
        mentions |= published | about.overlap(span.first, span.last, (METADATA, TEXT))
    return np.where(of_it, OF_TIME, np.where(mentions, MENTIONS_TIME, 0.0))
