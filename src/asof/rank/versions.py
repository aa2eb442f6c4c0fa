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
from asof.rank.stage import Ranking, Traits
from asof.rank.words import weighted_words
from asof.text.tokens import tokenize
from asof.text.versions import BEFORE, FIRST, IN, UNDER, WHICH, AskedVersion, asked


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
    asks for the first, the earlier one. And which rows (n) do not hold yet in the version that it names."""
    one, other = version[:, None], version
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


@dataclass(frozen=True, slots=True)
class VersionAsked:
    """The column `version_asked`, in [-1, 1]: 1 for passages of the version that the question asks for; the
    ranking stays as it is.

    That is the one that it names, where it asks for what changed in it; the last one before that, or the next
    one after it, of those of the candidates on an axis with it, where it asks for that: then those of it
    have -1, as have those of later versions than that in which it is to hold. 0 for all others.
    """

    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        asks = asked(query.text)
        of_it = np.zeros(matches.count)
        if asks is not None and asks.version is not None:
            of_it = _of_version(query, asks, matches, view)
        if not of_it.any():
            none = Constant("no version is asked for", 0.0)
            return matches.with_column("version_asked", none, by=False, high=1.0)
        of_version = Given("of the version that is asked for", of_it)
        return matches.with_column("version_asked", of_version, by=False, high=1.0)


def _of_version(query: Query, asks: AskedVersion, matches: Ranking, view: View) -> Values:
    assert asks.version is not None  # noqa: S101  checked by the caller
    version = view.column("version", matches.rows)
    named = (asks.version.first <= version) & (version < asks.version.behind)
    axis = on_one_axis(view, matches.rows, version, asks, query.text)
    if asks.kind in (IN, UNDER, WHICH):
        beyond = in_order(asks, version, axis)[1]
        only = NAMED * named_only(query, view, matches.rows, version)
        return named.astype(np.float64) * bool(asks.change) - beyond - only
    beside = version < asks.version.first if asks.kind == BEFORE else version >= asks.version.behind
    between = axis & beside & ((version[:, None] < version) == (asks.kind == BEFORE))
    between &= version[:, None] != version
    nearest = axis[:, named].any(axis=1) & beside & ~between.any(axis=1)
    of_it: Values = nearest.astype(np.float64) - named
    return of_it
