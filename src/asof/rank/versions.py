"""Versions as an axis beside time: which passages hold in a version, and which one a question asks for.

The passages of one document with versions (a changelog), and those of documents of one title (a page of each
version, a note on each release), stand on one axis: see `asof.text.versions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.lang import set_of
from asof.queries import Query
from asof.rank.expression import Constant, Given, Values
from asof.rank.gather import admitted
from asof.rank.stage import Ranking, Traits
from asof.rank.words import weighted_words
from asof.revisions.force import validity
from asof.text.tokens import tokenize
from asof.text.versions import FIRST, IN, LAST, UNDER, WHICH, AskedVersion, asked


def on_one_axis(
    view: View, rows: NDArray[np.int64], version: NDArray[np.int64], asks: AskedVersion | None, question: str
) -> NDArray[np.bool_]:
    """Which two of some rows (n, n), of these versions, stand on one axis by which a question goes.

    One that asks for the version itself goes by none. One that asks nothing of versions leaves documents of
    titles with figures to their dates, and goes by none if it asks for the past ("when was X renamed").
    """
    told = asks is None and not set_of("questions", "past").isdisjoint(tokenize(question))
    if told or (asks is not None and asks.kind == WHICH) or not version.any():
        return np.zeros((len(rows), len(rows)), bool)
    titles, document = view.titles(rows), view.column("document", rows)
    group = titles.of + 1 if asks is None else titles.group_of
    same: NDArray[np.bool_] = (document[:, None] == document) | ((group[:, None] == group) & (group > 0))
    return same & (version[:, None] > 0) & (version > 0)


def in_order(
    asks: AskedVersion | None, version: NDArray[np.int64], axis: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each two rows on one `axis` (n, n) whether the second holds instead of the first by their versions:
    the later one does, of those up to the version that the question names where the axis goes so far; if it
    asks for the first, the earlier one; none does if it asks for versions by themselves. And which rows (n)
    do not hold yet in the version that it names."""
    one, other = version[:, None], version
    if asks is not None and asks.picks:
        return np.zeros_like(axis), np.zeros(len(version), bool)
    if asks is not None and asks.kind == FIRST:
        return axis & (one > other), np.zeros(len(version), bool)
    if asks is None or asks.version is None:
        return axis & (one < other), np.zeros(len(version), bool)
    least = asks.version.first
    most = least if asks.kind == UNDER else asks.version.behind
    reached = np.where(axis, other, 0).max(axis=1, initial=0) >= least
    beyond = reached & (version >= most)
    later = axis & np.where(reached[:, None], (other < most) & ((one < other) | (one >= most)), one < other)
    return later, beyond


def named_only(query: Query, view: View, rows: NDArray[np.int64], version: NDArray[np.int64]) -> Values:
    """The share of the question's words (n,), by weight, that rows have only as they are sections of the
    version in which the answer has to hold: what holds then may stand in an earlier one of their document."""
    asks, shares = asked(query.text), np.zeros(len(rows))
    if asks is None or asks.version is None or asks.kind not in (IN, UNDER) or asks.change:
        return shares
    named = (asks.version.first <= version) & (version < asks.version.behind)
    document = view.column("document", rows)
    earlier = document[(version > 0) & (version < asks.version.first)]
    tokens = set(tokenize(asks.version.text))
    words = weighted_words(query, view)
    of_version = sum(word.weight for word in words if not tokens.isdisjoint(tokenize(word.text)))
    whole = sum(word.weight for word in words)
    shares[named & np.isin(document, earlier)] = of_version / whole if whole else 0.0
    return shares


NAMED = 0.75
"""What words give a section of the version that is named, as half of the weight of this column: by their
coverage and their relevance."""


MOST_ASKED = 1_000
"""The most rows, the latest, that are read because a question asks for their versions."""


def rows_asked(query: Query, view: View) -> NDArray[np.int64]:
    """The current rows (n,), that pass the filters, of the versions by which alone passages answer a question
    (`AskedVersion.picks`), whatever their words: all that it means, or of these the nearest on each axis to
    the version beside which one is asked for, or the newest, by the end of the times that it names.

    An axis is a document of several versions, or all documents of titles that differ by figures. Those that
    have the version which the question names count alone, if there are any.
    """
    asks, key = asked(query.text), ("rows asked", query)
    if asks is None or not asks.picks:
        return np.zeros(0, np.int64)
    if key not in view.memo:
        window = view.window(query.filters)
        places, allowed = np.flatnonzero(window.column("version")), admitted(query, window, view)
        places = places[window.visible(places) & (True if allowed is None else allowed[places])]
        view.memo[key] = _meant(query, asks, window.rows(places), view)
    found: NDArray[np.int64] = view.memo[key]
    return found


def _meant(query: Query, asks: AskedVersion, rows: NDArray[np.int64], view: View) -> NDArray[np.int64]:
    version, document = view.column("version", rows), view.documents(rows)
    documents = np.unique(np.array([document, version], np.int64), axis=1)[0]
    group = view.titles(rows).group_of
    own = (np.bincount(documents, minlength=1) > 1)[document] | (group == 0)
    names = np.array([own, np.where(own, document, group)], np.uint64)
    axis = np.unique(names, axis=1, return_inverse=True)[1].reshape(-1)
    meant = (asks.first <= version) & (version < asks.behind)
    if asks.version is not None:
        named = np.isin(axis, axis[(asks.version.first <= version) & (version < asks.version.behind)])
        meant &= named | (not named.any() and not asks.version.may_be_time)
    elif query.about:
        meant &= validity(view, rows).begins <= max(span.last for span in query.about)
    if asks.nearest and meant.any():
        nearest = np.full(int(axis.max()) + 1, -LAST)
        np.maximum.at(nearest, axis[meant], asks.nearest * version[meant])
        meant &= asks.nearest * version == nearest[axis]
    found = rows[meant]
    return found[view.tie_order(np.zeros(len(found)), found)[:MOST_ASKED]]


def with_rows_asked(query: Query, ranking: Ranking, view: View) -> Ranking:
    """The candidates that match, and `rows_asked` beside them, if none were chosen before."""
    if ranking.places is not None or not len(rows := rows_asked(query, view)):
        return ranking.matching()
    return ranking.keep(np.union1d(np.flatnonzero(ranking.score > 0), ranking.window.places(rows)))


@dataclass(frozen=True, slots=True)
class VersionAsked:
    """The column `version_asked`, in [-1, 1]: 1 for passages of the versions that the question asks for by
    themselves (`rows_asked`), -1 for those of later versions than that in which the answer is to hold, 0 for
    all others; the ranking stays as it is."""

    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        asks = asked(query.text)
        of_it = np.isin(matches.rows, rows_asked(query, view)).astype(np.float64)
        if asks is not None and asks.version is not None and not asks.picks:
            version = view.column("version", matches.rows)
            axis = on_one_axis(view, matches.rows, version, asks, query.text)
            of_it -= in_order(asks, version, axis)[1]
            of_it -= NAMED * named_only(query, view, matches.rows, version)
        if not of_it.any():
            none = Constant("no version is asked for", 0.0)
            return matches.with_column("version_asked", none, by=False, high=1.0)
        of_version = Given("of the version that is asked for", of_it)
        return matches.with_column("version_asked", of_version, by=False, high=1.0)
