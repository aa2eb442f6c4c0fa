"""How much of a question a passage covers, and how much of it the passages of its title group cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Given
from asof.rank.features.query_terms import presence, weighted_share, weighted_share_why, weighted_words
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class QueryCoverage:
    """The columns `query_coverage` and `title_group_coverage`, in [0, 1]; the ranking stays as it is.

    `query_coverage`: the share of the question's words that the passage has, weighted by rarity
    (`asof.rank.features.query_terms`). It depends on neither counts nor lengths: two reports of the same
    thing have the same share whatever their wording.

    `title_group_coverage`: the same over all candidates whose titles have the same words, figures apart:
    another edition of a document answers the question in other words. Figures of the question (a version,
    a number) have to be in the passage itself.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        order = np.argsort(matches.places, kind="stable")
        words = weighted_words(query, view)
        present = np.empty((len(words), len(order)), bool)
        present[:, order] = presence(words, matches.window, matches.places[order])
        rows = matches.rows
        general = np.array([not word.figure for word in words], bool)
        in_group = np.where(general[:, None], _in_groups(present, view.titles(rows).group_of), present)

        def share(label: str, present: NDArray[np.bool_]) -> Given:
            return Given(
                label, weighted_share(words, present),
                lambda at: weighted_share_why(label, words, present[:, at].tolist(), view),
            )  # fmt: skip

        own, of_group = share("query coverage", present), share("query coverage of its title group", in_group)
        matches = matches.with_column("query_coverage", own, by=False, high=1.0)
        return matches.with_column("title_group_coverage", of_group, by=False, high=1.0)


def largest_coverage(ranking: Ranking) -> float:
    """The largest share of the question that any candidate covers, half by itself, half with its group."""
    own, of_group = (ranking.column(name).values for name in ("query_coverage", "title_group_coverage"))
    return float(((own + of_group) * 0.5).max(initial=0.0))


def _in_groups(present: NDArray[np.bool_], groups: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """For each of n candidates and their title groups (n,; 0: none): the words that any of its group has."""
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.diff(groups[order], prepend=groups[order][:1] + np.uint64(1)))
    of_group = np.logical_or.reduceat(present[:, order], first, axis=1)
    out = np.empty_like(present)
    out[:, order] = np.repeat(of_group, np.diff(np.append(first, len(order))), axis=1)
    return np.where(groups == 0, present, out)
