"""Re-ranking of the first candidates: windows, cross-encoders, several documents, names, copies.

These stages are inserted before the last cut; candidates that they do not look at stay below, in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.errors import ModelError
from asof.index import lexical
from asof.index.lexical import Bm25, having_all, query_words
from asof.index.segment import Window
from asof.index.view import View
from asof.models.ports import Reranker
from asof.queries import Query
from asof.rank.expression import (
    Constant,
    Expression,
    Given,
    Joined,
    Places,
    RankingColumn,
    Taken,
    Values,
    Where,
    product,
    ratio,
    total,
)
from asof.rank.gather import TopK, admitted, query_terms
from asof.rank.stage import Ranking, Recipe, places_among
from asof.rank.times import of_time, stated_times, time_evidence
from asof.rank.versions import with_rows_asked
from asof.rank.words import match_titles
from asof.revisions.chains import succession
from asof.schema import within
from asof.store.digest import METADATA, TITLE
from asof.store.names import called
from asof.text.names import is_label
from asof.text.versions import asked as asked_version
from asof.wire import replace

# -- shared by all -------------------------------------------------------------------------------------


def append_below(ranking: Ranking, name: str, above: RankingColumn) -> Ranking:
    """The ranking by a column of which `above` has the numbers of the first candidates; all others
    come below them.

    Their score is the lowest of the first over 1 + their place below, if the column's numbers lie in [0, 1],
    and otherwise the lowest less their place. Equal scores share a place.
    """
    n = len(above.values)
    later = np.arange(n, ranking.count)
    before = Taken(ranking.scores, later)
    below = dense_ranks(ranking.score[later]).astype(np.float64)
    # a tree of its own would repeat in each passage below
    lowest = Constant("lowest score above", float(above.values.min()))
    earlier = product("score before, which gives the place", before, Constant("weight", 0.0))
    label = "after the passages ranked first"
    if above.high == 1.0:
        lower = ratio("below that score", lowest, Given("1 + place below", 1.0 + below))
        moved = total(label, lower, earlier)
    else:
        moved = total(label, lowest, Given("-place below", -below), earlier)
    return ranking.with_column(name, Joined(above, moved, n, ranking.count - n), high=above.high)


def dense_ranks(scores: Values) -> Places:
    """1 for the best, 2 for the next lower score, ..."""
    _, places = np.unique(-scores, return_inverse=True)
    return places.astype(np.int64) + 1


def reranked(recipe: Recipe, stage: Rerank) -> Recipe:
    """The recipe with a `Rerank` before its last cut, after `asof.recipes.by_document`: stages after it would
    expect positive scores."""
    stages = list(recipe.stages)
    stages.insert(len(stages) - isinstance(stages[-1], TopK), stage)
    return replace(recipe, name=f"{recipe.name}-reranked", stages=tuple(stages))


# -- windows: expensive stages get the first candidates only -------------------------------------------


@dataclass(frozen=True, slots=True)
class RerankWindow:
    """The `n` best candidates by score go on (ties as everywhere); the others are deferred to `AppendRest`.

    `n` does not depend on the number of hits shown, so neither do the first of them. Where the question names
    a time, the `of_time` best that were published within it or mention it go on as well: among the editions
    of many years the right ones need not be among the best by words. So do those of versions where it speaks
    of one.
    """

    n: int = within(100, 10, 10_000)
    of_time: int = within(200, 10, 10_000)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.n

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matching = with_rows_asked(query, ranking, view)
        chosen = self.nearest(query, matching.score, matching.chosen, matching.window, view)
        if len(chosen) == matching.count:
            return matching
        return replace(matching.keep(chosen), deferred=matching).note(self.note(len(chosen), matching.count))

    def nearest(
        self, query: Query, score: Values, places: Places, window: Window, view: View,
        best: Callable[[Values, Places, View, int], Places] | None = None,
    ) -> NDArray[np.int64]:  # fmt: skip
        """Those of some places of a window with these scores that are looked at closely, ascending: the first
        by what `best` says."""
        best = best or _best
        rows, near = window.rows(places), np.zeros(len(places), bool)
        if query.about:
            then = of_time(view, window, places, query.about)
            near[then[best(score[then], rows[then], view, self.of_time)]] = True
        if asked_version(query.text) is not None:
            then = np.flatnonzero(view.column("version", rows))
            near[then[best(score[then], rows[then], view, self.of_time)]] = True
        near[best(score, rows, view, self.n)] = True
        return np.flatnonzero(near)

    @staticmethod
    def note(chosen: int, of: int) -> str:
        """The note that so many of the matching passages were looked at closely."""
        return f"the best {chosen:,} of {of:,} matching passages were re-ranked"


def _best(score: Values, rows: NDArray[np.int64], view: View, n: int) -> NDArray[np.int64]:
    """Places of the n best, ties as everywhere."""
    if len(score) <= n:
        return np.arange(len(score))
    bound = np.partition(score, len(score) - n)[len(score) - n]
    first = np.flatnonzero(score >= bound)
    return first[view.tie_order(score[first], rows[first])[:n]]


@dataclass(frozen=True, slots=True)
class AppendRest:
    """Puts the passages that `RerankWindow` deferred below the re-ranked ones, in order (`append_below`)."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        deferred = ranking.deferred
        if deferred is None:
            return ranking
        examined, score = ranking.count, ranking.scores
        if query.k <= examined and (score.high is None or score.values.min() > 0):
            return replace(ranking, deferred=None)  # all others come below
        others = np.flatnonzero(~np.isin(deferred.chosen, ranking.chosen))
        chosen = np.concatenate([places_among(ranking.chosen, deferred.chosen), others])
        joined = replace(
            deferred, places=deferred.chosen[chosen], columns={deferred.by: deferred.scores.taken(chosen)},
            notes=ranking.notes, halting=ranking.halting,
        )  # fmt: skip
        return append_below(joined, "re-ranked", score)


# -- cross-encoders ------------------------------------------------------------------------------------
# The last step of RAGtriever's ranking (S1: fusion, backlinks, recency, reranker): the first 10 results by
# score are reordered by a cross-encoder.

LARGEST = 1e9
"""The largest score accepted: beyond it the places below could not be told apart."""


@dataclass(frozen=True, slots=True)
class Rerank:
    """The column `reranked`: the model's number for question and text, of the first `top` candidates by the
    present score (ties as everywhere). What comes after keeps its order below: the lowest of these less its
    place among the rest (1, 2, ...; equal scores share a place).

    The model gets the question as it was typed and the texts of the candidates as they are indexed (title,
    headings, words), each different text once, up to `characters` of it: nothing that is not in the view.

    Raises ModelError when the model does not give one finite number a text.
    """

    reranker: Reranker
    top: int = within(10, 1, 1_000)
    characters: int = within(20_000, 100, 1_000_000)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.top

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        count = len(matches.score)
        if not count:
            return matches
        near = matches.shortlist(max(query.k, self.top))
        order = view.tie_order(near.score, near.rows)
        near = near.keep(order)
        texts = [record.indexed for record in view.records(near.rows[: self.top])]
        numbers = self._numbers(query.text, [text[: self.characters] for text in texts])
        cut = sum(len(text) > self.characters for text in texts)
        return self._ranked(near, numbers).note(
            f"reranked: the first {len(texts)} of {count} candidates, by {self.reranker.name}",
            *([f"reranked: {cut} of them by their first {self.characters} characters"] if cut else []),
        )

    def _numbers(self, question: str, texts: Sequence[str]) -> list[float]:
        """The model's score for each text. Equal texts are scored once, so they do not differ by rounding."""
        different = list(dict.fromkeys(texts))
        name, numbers = self.reranker.name, self.reranker.scores(question, different)
        if len(numbers) != len(different):
            raise ModelError(f"{name} gave {len(numbers)} numbers for {len(different)} texts")
        for number in numbers:
            if not math.isfinite(number) or abs(number) > LARGEST:
                raise ModelError(
                    f"{name} gave the number {number}; finite ones up to {LARGEST:g} are accepted"
                )
        known = dict(zip(different, map(float, numbers), strict=True))
        return [known[text] for text in texts]

    def _ranked(self, near: Ranking, numbers: list[float]) -> Ranking:
        before = near.scores.taken(np.arange(len(numbers)))
        model = Given(self.reranker.name, np.array(numbers, np.float64))
        earlier = product("score before", before, Constant("weight", 0.0))
        reranked = total("reranked", model, earlier)
        return append_below(near, "reranked", RankingColumn.computed(reranked, len(numbers)))


# -- diversity: less for each better passage of the same document ----------------------------------------


@dataclass(frozen=True, slots=True)
class SpreadDocuments:
    """The column `spread`: the score, less for each better passage of the same document, so that the first
    hits show several documents.

        spread = score - weight · log2(1 + better passages of its document)
    """

    weight: float = within(0.1, 0.0, 2.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        order = view.tie_order(matches.score, matches.rows)
        better = np.empty(matches.count)
        better[order] = places_among_equals(view.column("document", matches.rows[order]))
        shared = Given("log2(1 + better passages of its document)", np.log2(1 + better))
        less = product("shown already", shared, Constant("-weight", -self.weight))
        return matches.with_column("spread", total("score, spread", matches.scores, less))


def places_among_equals(values: NDArray[np.int64]) -> Places:
    """The number of equal values before each."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=values[order][:1] - 1))
    sizes = np.diff(np.append(starts, len(values)))
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return places


# -- exact names: documents that are called exactly as the query come first ----------------------------


def _labelled(query: Query, window: Window, view: View, *, alone: bool) -> list[Places]:
    """The places of the passages with each label of a question ("PEP 649", see `asof.text.names`) that any
    has; `alone`: if it has no other words."""
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    named = [word for word in words if is_label(word.text)]
    if alone and len(words) > 3 * len(named):  # a series, a number, and their label
        return []
    found = (having_all(window, [word.terms]) for word in named)
    return [places for places in found if len(places)]


NONE: Places = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class ExactName:
    """The column `exact_name`: the passages of the documents whose title, alias, file name or id equals the
    query, else those of its number in a series ("PEP 649"), come first, whether or not they match.

        exact_name = 1/2 + score / 2        of these documents; a score of 0 for what does not match
        exact_name = score / 2              of all others

    for scores in [0, 1]. Nothing changes where no current document has that name.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        window, documents = ranking.window, called(view.store, query.text)
        if ranking.scores.high != 1.0:
            return ranking
        if documents:
            named = np.flatnonzero(np.isin(window.column("document"), documents))
        else:
            named = np.unique(np.concatenate([NONE, *_labelled(query, window, view, alone=True)]))
        named = _allowed(named, query, window, view)
        if not len(named):
            return ranking
        matches = ranking.matching()
        count = len(np.unique(view.column("document", window.rows(named))))
        joined, before = _joined(matches, np.setdiff1d(named, matches.chosen))
        mask = np.isin(joined.chosen, named)
        half = product("half of the score", before, Constant("half", 0.5))
        first = Constant("documents of that name come first", 0.5)
        return joined.with_column(
            "exact_name", Where(mask, total("of that name", first, half), half), high=1.0
        ).note(f"{count} document{'s are' if count > 1 else ' is'} called that")


def _joined(matches: Ranking, more: Places) -> tuple[Ranking, Expression]:
    """The candidates and more of them, without columns, and their scores: 0 for what does not match."""
    score = Joined(matches.scores, Constant("no match", 0.0), matches.count, len(more))
    return replace(matches, places=np.concatenate([matches.chosen, more]), columns={}, by=""), score


def _allowed(places: Places, query: Query, window: Window, view: View) -> Places:
    """Those of some places that are current and pass the filters."""
    if not len(places):
        return places
    allowed = admitted(query, window, view)
    return places[window.visible(places) if allowed is None else window.visible(places) & allowed[places]]


# -- copies, and statements that have ended --------------------------------------------------------------

BEHIND = 1 - 1 / 4096
"""The share of the score of its leader that a passage has at most."""


@dataclass(frozen=True, slots=True)
class Leaders:
    """The column `led`: the score; that of a passage with a leader among the candidates is at most just below
    that of the leader.

        led = max(score, scores of the statements that it ends)            of what leads
        led = min(score, (1 - 1/4096) · led of the leader)                 of what has a leader
        led = score                                                        of all others

    The leader of a copy (`asof.revisions.copies`) is what is current of that which it repeats; that of a
    statement without a title the one which says that it has ended, from its date on ("Mara moved from Lyon to
    Ghent" leads "Mara lives in Lyon", though it has less of a question where she lives).
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        leader, ended = self._leaders(query, matches, view)
        if (leader < 0).all():
            return ranking
        missing = np.setdiff1d(matches.window.places(leader[ended]), [-1, *matches.chosen.tolist()])
        missing = _allowed(missing, query, matches.window, view)
        leader = np.append(leader, np.full(len(missing), -1))
        joined, score = _joined(matches, missing)
        before, at = score.evaluated(np.arange(joined.count)), places_among(leader, joined.rows)
        led = np.flatnonzero((at >= 0) & (at != np.arange(joined.count)))
        of_ended, at = led[np.append(ended, np.zeros(len(missing), bool))[led]], at[led]
        raised = np.array(before, np.float64)
        np.maximum.at(raised, at[np.isin(led, of_ended)], raised[of_ended])
        leads, of_leader, behind = raised > before, raised.copy(), np.zeros(joined.count, bool)
        of_leader[led] = raised[at]
        behind[led] = raised[led] > BEHIND * of_leader[led]
        if not (leads.any() or behind.any()):
            return ranking
        limit = Given("score of the leader", of_leader)
        limited = product("behind its leader", limit, Constant("less", BEHIND))
        ends = Where(leads, Given("score of what it ends", raised), score)
        return joined.with_column("led", Where(behind, limited, ends), high=matches.scores.high)

    @staticmethod
    def _leaders(query: Query, matches: Ranking, view: View) -> tuple[Places, NDArray[np.bool_]]:
        """For each candidate the row of its leader, -1 for none; and whether that ends it."""
        chains = succession(view)
        leader, repeated = _last_to_end(query, view, matches.rows), chains.originals(matches.rows)
        copies = np.flatnonzero(repeated >= 0)
        leader[copies] = [chains.series(row)[-1] for row in repeated[copies].tolist()]
        return leader, (leader >= 0) & (repeated < 0)


def _last_to_end(query: Query, view: View, rows: Places) -> Places:
    """For each row the last of the statements that ended it, one another, by the date of force; -1 for
    none."""
    last, following = np.full(len(rows), -1, np.int64), rows
    for _ in range(MOST_ENDED):
        following = succession(view).ended_by(following)
        said = view.column("said", np.maximum(following, 0))
        following = np.where(said <= query.date_of_force(view.as_of), following, -1)
        if (following < 0).all():
            break
        last = np.where(following >= 0, following, last)
    return last


MOST_ENDED = 16
"""The most statements in a row of which each ends the one before that are followed."""


# -- round robin over documents, for the subjects and periods that a question asks for -----------------


@dataclass(frozen=True, slots=True)
class RoundRobinByDocument:
    """The column `round_robin`: passages of several documents that a question names, in turn.

    Documents are requested by their numbers in a series, if a question has several ("PEP 649 vs PEP 563").
    Else one is requested when the question contains its title, at least `title_coverage` of it by weight,
    figures left out, and its metadata or its title state a time that the question names. Its best passage
    comes in the first round, its second in the second, …: best by how much they are of the time
    (`time_evidence`), of equals by BM25 of the question's words without those of the titles, which all
    passages of the document share, then by their scores. Within a round the score decides. All other
    candidates follow in their order. A context of limited size then has passages of each company, each
    quarter.

        round_robin = 1/2 + (rounds - round + score) / (2 · rounds)        of the documents that are asked for
        round_robin = score / 2                                            of all others

    for scores in [0, 1], as those of `UnitScore`; the result is in [0, 1] as well. Scores without a
    bound (recipe `tgrag`) become 10 000 - round + score / 1000, and stay the same for all others.

    Nothing changes where no document has two such passages.
    """

    title_coverage: float = within(0.35, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        rows = matches.rows
        labelled = _labelled(query, matches.window, view, alone=False)
        if len(rows) < 2 or (not query.about and len(labelled) < 2):
            return matches
        names = match_titles(query, view, rows)
        title_of = names.table.of
        requested = (title_of >= 0) & (np.append(names.title_coverage, 0.0)[title_of] >= self.title_coverage)
        requested &= stated_times(view.about(rows), query.about, (METADATA, TITLE)).any(axis=1)
        if len(labelled) > 1:
            requested = np.isin(matches.chosen, np.concatenate(labelled))
        chosen = np.flatnonzero(requested)
        documents = view.column("document", rows[chosen])
        count = len(np.unique(documents))
        if count == len(chosen):
            return matches
        titles = title_of[chosen][title_of[chosen] >= 0]
        subject = {names.stems[at] for at in np.flatnonzero(names.matched[titles].any(axis=0))}
        terms = [term for term in query_terms(query, view.analyzer) if term.word not in subject]
        weighed = lexical.weigh(view.prefix, terms, Bm25())
        places = matches.chosen[chosen]
        sort = np.argsort(places)
        bm25 = np.empty(len(chosen))
        bm25[sort] = lexical.scores_at(matches.window, places[sort], weighed, Bm25())
        evidence = time_evidence(view, rows[chosen], query.about)
        order = view.tie_order(matches.score[chosen], rows[chosen])
        order = order[np.lexsort((-bm25[order], -evidence[order]))]
        turn = np.empty(len(chosen), np.int64)
        turn[order] = places_among_equals(documents[order]) + 1
        return matches.with_column(
            "round_robin", _in_turn(matches, chosen, turn), high=matches.scores.high
        ).note(f"passages of {count} documents that the question names, in turn")


def _in_turn(matches: Ranking, chosen: Places, turn: Places) -> Expression:
    """The chosen candidates by their turns (n,), above all others."""
    score, rounds = matches.scores, int(turn.max())
    mask, turns = np.zeros(matches.count, bool), np.zeros(matches.count)
    mask[chosen], turns[chosen] = True, turn
    if score.high != 1.0:
        first = Constant("passages of the wanted documents come first", FIRST)
        within_round = product("score before", score, Constant("scale", SCALE))
        return Where(
            mask, total("in turn", first, Given("-round of its document", -turns), within_round), score
        )
    later = total("score with later rounds", score, Given("rounds after its own", rounds - turns))
    by_round = ratio("by round", later, Constant("twice the rounds", 2.0 * rounds))
    first = Constant("passages of the wanted documents come first", 0.5)
    return Where(
        mask, total("in turn", first, by_round), product("after those", score, Constant("half", 0.5))
    )


FIRST, SCALE = 10_000.0, 0.001
"""For scores without a bound: more than any score or round, and the weight of a score within a round."""
