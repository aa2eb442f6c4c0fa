"""How much of a question a passage says, and how much of it the passages of its series say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.features.query_terms import presence, share, share_why, words_of
from asof.rank.features.titles import titles
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class QueryCoverage:
    """The columns `covered` and `series`, in [0, 1]; the ranking stays as it is.

    `covered`: the share of the question's words that the passage says (`asof.rank.features.query_terms` has
    their
    weights). It knows neither how often nor in how long a text, so that two reports of the same thing have
    the same share whatever their wording.

    `series`: the same over all candidates whose titles have the same words, figures apart: what one edition
    says in other words still is what the question asks. Figures of the question (a version, a number) have to
    stand in the passage itself.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        found = ranking.matching()
        assert found.places is not None  # noqa: S101  they match, so they were chosen
        order = np.argsort(found.places, kind="stable")
        words = words_of(query, view)
        there = np.empty((len(words), len(order)), bool)
        there[:, order] = presence(words, found.window, found.places[order])
        said = there.copy()
        rows = found.rows
        general = np.array([not word.figure for word in words], bool)
        for members in _series(rows, view):
            said[np.ix_(general, members)] = there[np.ix_(general, members)].any(axis=1)[:, None]
        at = {row: place for place, row in enumerate(rows.tolist())}

        def own_why(row: int) -> Why:
            return share_why("query coverage", words, there[:, at[row]].tolist(), view)

        def series_why(row: int) -> Why:
            return share_why("query coverage of its title group", words, said[:, at[row]].tolist(), view)

        return found.with_column("covered", share(words, there), own_why, by=False).with_column(
            "series", share(words, said), series_why, by=False
        )


def _series(rows: NDArray[np.int64], view: View) -> list[NDArray[np.int64]]:
    """Places of candidates with the same words in their titles, of each title that several have."""
    found = titles(view, rows)
    members: dict[tuple[str, ...], list[int]] = {}
    for place, title in enumerate(found.which.tolist()):
        if title >= 0 and found.each[title].key:
            members.setdefault(found.each[title].key, []).append(place)
    return [np.array(each) for each in members.values() if len(each) > 1]
