"""Explains why a passage is not among the hits: not current, excluded by a filter, or dropped by a stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.documents import force_words
from asof.errors import DocumentNotFound
from asof.index.view import View
from asof.queries import Filters, Query, condition_text
from asof.rank.stage import Ranking, Recipe
from asof.revisions.force import followers, times_of_force
from asof.store.names import find_document
from asof.store.reader import PassageHistory, passage_histories
from asof.time.span import BEGINNING, format_distinctly, iso


class StageTrace(NamedTuple):
    """The outcome of one stage of a recipe for a passage."""

    stage: str
    rank: Annotated[int | None, "null: it is out"]
    score: float | None
    candidates: Annotated[int, "how many passages were ranked"]
    notes: Annotated[tuple[str, ...], "of the stage"]


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The reason why a document or passage is not among the hits of a query, or its rank."""

    id: Annotated[str, "the document or passage"]
    rank: Annotated[int | None, "its rank among the hits; null: it is not among them"]
    reason: Annotated[str, "why, in a sentence"]
    steps: Annotated[tuple[StageTrace, ...], "stage by stage until it is out, for its best passage"] = ()
    notes: Annotated[tuple[str, ...], "how the question was read"] = ()


UNDATED_TELLS = "without a date, why-not tells whether there is a later one"


def why_not(name: str, query: Query, view: View, recipe: Recipe, *, dated: bool) -> WhyNot:
    """Explains why a document (by any of its names, see `find_document`) or one passage (by a hit's id)
    is not among the hits, or its rank.

    `dated`: the moment was asked for, so that what was published or learned after it is not known. Raises
    UsageError when there is no such document or passage, and the same for one that is later.
    """
    known = _histories(name, view, dated=dated)
    if not known:
        try:
            name = find_document(view.store, name)
        except DocumentNotFound as error:
            if not dated:
                raise
            raise DocumentNotFound(f"{error}; {UNDATED_TELLS}") from None
        known = _histories(name, view, dated=dated)
        if not known:
            return WhyNot(name, None, "it has no text that could be found")
    rows = _rows(view, known)
    if not len(rows):
        return WhyNot(name, None, _absence(known, view))
    filter_name = _excluding_filter(rows, query.filters, view)
    if filter_name:
        return WhyNot(name, None, f"a filter excludes it: {filter_name}")
    steps = tuple(_steps(rows, query, view, recipe))
    return WhyNot(name, steps[-1].rank, _verdict(steps, query) + _not_in_force(rows, query, view), steps)


def _histories(name: str, view: View, *, dated: bool) -> list[PassageHistory]:
    """The intervals of the passages of that name; `dated`: only of those that had been current by then."""
    found = passage_histories(view.store.db, name)
    return [each for each in found if each.was_visible(view.as_of, view.known_at)] if dated else found


def _not_in_force(rows: NDArray[np.int64], query: Query, view: View) -> str:
    """A remark where none of the rows is in force at the date at which the answer has to hold."""
    force = query.date_of_force(view.as_of)
    after = followers(view, rows, query.date_of_status(view.as_of))
    times = times_of_force(view, rows, view.records(rows), after)
    if any(query.holds(time, view.as_of) for time in times):
        return ""
    words = force_words(times[0], force).removeprefix("not in force: ")
    return f"; it is not in force on {iso(force)[:10]} ({words})"


def _rows(view: View, known: list[PassageHistory]) -> NDArray[np.int64]:
    """Rows of the view that are current, of these passages."""
    rows = np.sort(view.prefix.rows_of(np.array([each.passage for each in known], np.int64)))
    return rows[(rows >= 0) & view.prefix.window().visible(rows)]


def _absence(known: list[PassageHistory], view: View) -> str:
    """The reason why none of the passages is current in the view."""
    learned = [each for each in known if each.added <= view.known_at]
    if not learned:
        first_known, known_at = format_distinctly(min(each.added for each in known), view.known_at)
        return f"this corpus learned of it on {first_known}, after {known_at}"
    right = [each for each in learned if each.ended(view.known_at) != BEGINNING]
    if not right:
        return "its text was corrected or replaced at once, so it was never current"
    published = [each for each in right if each.visible <= view.as_of]
    if not published:
        first = min(right, key=lambda each: each.visible)
        dated = "published" if first.dated else "undated, and current from when it was added:"
        start, as_of = format_distinctly(first.visible, view.as_of)
        return f"{dated} {start}, after {as_of}"
    last = max(published, key=lambda each: each.ended(view.known_at))
    start, end, as_of = format_distinctly(last.visible, last.ended(view.known_at), view.as_of)
    return f"it was current from {start} until {end}, before {as_of}"


def _excluding_filter(rows: NDArray[np.int64], filters: Filters, view: View) -> str:
    """The first filter that none of the rows passes; "" when some pass all."""
    single = {
        "since": Filters(since=filters.since), "until": Filters(until=filters.until),
        "about": Filters(about=filters.about),
        "source": Filters(source=filters.source),
        **{f"path {path}": Filters(paths=(path,)) for path in filters.paths},
        **{f"tag {tag}": Filters(tags=(tag,)) for tag in filters.tags},
        **{
            f"meta {condition_text(key, value)}": Filters(meta=((key, value),))
            for key, value in filters.meta
        },
        "one of several tags": Filters(any_tags=filters.any_tags),
        **{f"-tag {tag}": Filters(no_tags=(tag,)) for tag in filters.no_tags},
        **{f"it contains {wanted!r}": Filters(without=(wanted,)) for wanted in filters.without},
        **{f"it contains none of {', '.join(group)}": Filters(any_of=(group,)) for group in filters.any_of},
        "one of several documents": Filters(documents=filters.documents),
    }  # fmt: skip
    for name, each in single.items():
        if each != Filters() and not len(_passing(rows, each, view)):
            undated = not view.column("dated", rows).any() and name in ("since", "until")
            return f"{name} (it is undated)" if undated else name
    return "" if len(_passing(rows, filters, view)) else "all filters together"


def _passing(rows: NDArray[np.int64], filters: Filters, view: View) -> NDArray[np.int64]:
    window = view.window(filters)
    requested = np.isin(window.rows(np.arange(window.n)), rows)
    allowed = view.allowed(window, filters)
    return np.flatnonzero(requested if allowed is None else requested & allowed)


def _steps(rows: NDArray[np.int64], query: Query, view: View, recipe: Recipe) -> list[StageTrace]:
    """The trace of the best of the rows through the stages, until one drops it."""
    ranking = Ranking(view.window(query.filters))
    steps: list[StageTrace] = []
    for name, stage, step_query in recipe.steps(query):
        before = len(ranking.notes)
        ranking = stage(step_query, ranking, view)
        if not ranking.by and np.isin(rows, ranking.rows).any():
            continue  # it only chose candidates: there is no rank yet
        step = _step(name, rows, ranking, view, ranking.notes[before:])
        steps.append(step)
        if step.rank is None and ranking.places is not None:
            break
    return steps


def _step(
    name: str, rows: NDArray[np.int64], ranking: Ranking, view: View, notes: tuple[str, ...]
) -> StageTrace:
    if not ranking.by:
        return StageTrace(name, None, None, len(ranking.rows), notes)
    score, here = ranking.score, ranking.rows
    matching = score > 0 if ranking.places is None else np.ones(len(score), bool)
    own = np.flatnonzero(np.isin(here, rows) & matching)
    if not len(own):
        return StageTrace(name, None, None, int(matching.sum()), notes)
    best = own[view.tie_order(score[own], here[own])[0]]
    tied = np.flatnonzero((score == score[best]) & matching)
    ahead = int(np.count_nonzero(score > score[best]))
    place = tied[view.tie_order(score[tied], here[tied])].tolist().index(int(best))
    return StageTrace(name, ahead + place + 1, float(score[best]), int(matching.sum()), notes)


def _verdict(steps: tuple[StageTrace, ...], query: Query) -> str:
    last = steps[-1]
    if last.rank is not None:
        return f"it is among the hits, at rank {last.rank}"
    before = next((step for step in reversed(steps) if step.rank is not None), None)
    if before is None:
        return f"it does not match the query ({last.candidates:,} other passages do)"
    if last.stage == "top_k":
        returned = "only the first is a hit" if query.k == 1 else f"only the first {query.k:,} are hits"
        return f"its rank is {before.rank:,} of {before.candidates:,}; {returned} (k = {query.k:,})"
    if last.stage == "rerank_window":
        return (
            f"dropped when the best {last.candidates:,} were re-ranked: "
            f"its rank before was {before.rank:,} of {before.candidates:,}"
        )
    return f"dropped by the stage {last.stage}: its rank before was {before.rank:,} of {before.candidates:,}"
