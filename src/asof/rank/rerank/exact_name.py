"""Documents that are called exactly what was typed come first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.prefix import Window
from asof.index.view import View
from asof.rank.candidates.phrases import admitted
from asof.rank.expression import Constant, product, total
from asof.rank.selections import Joined, Where
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class ExactName:
    """The column `exact_name`: the passages of the documents whose title, alias, file name or id is what was
    typed come first, in their order, whether or not they match.

        exact_name = 1/2 + score / 2        of these documents; a score of 0 for what does not match
        exact_name = score / 2              of all others

    for scores in [0, 1]. Nothing changes where no current document has that name.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        documents = view.called(query.text)
        if not documents or ranking.scores.high != 1.0:
            return ranking
        matches = ranking.matching()
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        named = _places(documents, query, ranking.window, view)
        if not len(named):
            return ranking
        more = np.setdiff1d(named, matches.places)
        before = Joined(matches.scores, Constant("no match", 0.0), matches.count, len(more))
        places = np.concatenate([matches.places, more])
        mask = np.isin(places, named)
        half = product("half of the score", before, Constant("half", 0.5))
        first = Constant("documents of that name come first", 0.5)
        joined = replace(matches, places=places, columns={}, by="")
        return joined.with_column(
            "exact_name", Where(mask, total("of that name", first, half), half), high=1.0
        ).note(f"{len(documents)} document{'s are' if len(documents) > 1 else ' is'} called that")


def _places(documents: list[int], query: Query, window: Window, view: View) -> NDArray[np.int64]:
    """The places of the current passages of documents that pass the filters."""
    named = np.flatnonzero(np.isin(window.column("document"), documents))
    allowed = admitted(query, window, view)
    return named[window.visible(named) if allowed is None else window.visible(named) & allowed[named]]
