"""Stages of the published systems: similarity, centrality, decay, freshness, TempRALM's gap, coverage,
sub-questions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.extensions.systems.evidence import CAP, THRESHOLD, Evidence, evidence
from asof.extensions.systems.latent import latent_space
from asof.extensions.systems.lsa import PUBLISHED, LatentLimits
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.hits import Why
from asof.index.vectors import VECTOR_SCALE, cosines
from asof.index.view import View, at_least, kth_best
from asof.queries import Query
from asof.rank.expression import (
    Constant,
    Expression,
    Given,
    Made,
    Places,
    RankingColumn,
    Values,
    Where,
    exp,
    product,
    ratio,
    total,
)
from asof.rank.gather import (
    Lexical,
    admitted,
    cosine_tree,
    noted_waiting,
    query_terms,
    question_vector,
    stored_vector,
)
from asof.rank.stage import Ranking, Traits
from asof.rank.times import ages
from asof.schema import choice, within
from asof.text.question import MOST_PARTS
from asof.time.intent import STATE
from asof.time.span import BEGINNING, DAY, NEVER, format_instant
from asof.wire import replace

# -- reciprocal rank fusion ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): sum of weight / (k + rank), rank from 1.

    The first `depth` of each column count; a passage that is not among them adds nothing. Scores do not
    matter, only their order, with ties in the order of all ties.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    k: int = within(60, 1, 1_000)
    depth: int = within(1_000, 1, 1_000_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        lists = [
            (name, weight, self._order(ranking, ranking.columns[name].values, view))
            for name, weight in self.weights
            if name in ranking.columns
        ]
        listed = np.unique(np.concatenate([order for _, _, order in lists] or [np.zeros(0, np.int64)]))
        fused = total("relevance", *[self._summand(*each, listed) for each in lists])
        values = np.zeros(ranking.count)
        values[listed] = fused.evaluated()

        def tree(at: int) -> Why:
            place = int(np.searchsorted(listed, at))
            none = place == len(listed) or listed[place] != at
            return Why.of("relevance", "sum") if none else fused.why(place)

        return ranking.with_column("relevance", Given("relevance", values, tree)).note(
            f"fusion: the first {self.depth} of each list count"
        )

    def _summand(self, name: str, weight: float, order: Places, listed: Places) -> Expression:
        """The summand of a list, for the candidates of any list."""
        ranks = np.zeros(len(listed))
        ranks[np.searchsorted(listed, order)] = np.arange(len(order)) + 1
        place = total("k + rank", Constant("k", float(self.k)), Given("rank", ranks))
        return Where(ranks > 0, ratio(name, Constant("weight", weight), place))

    def _order(self, ranking: Ranking, values: Values, view: View) -> Places:
        """The first places of a list, in order."""
        near = at_least(values, kth_best(values, self.depth))
        return near[view.tie_order(values[near], ranking.rows[near])[: self.depth]]


# -- similarity by LSA, or by the corpus's own encoder ---------------------------------------------


Vector = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Latent:
    """The column `latent`: similarity of the question and each passage in the latent space of the view.

    `scale` half: (1 + cos) / 2 (TWE-RAG, section 2.1), cos being 0 for a text without a direction; cosine:
    cos, 0 where it is negative. The space has so many `dimensions`; terms count that stand in at least
    `min_df` passages and at most a share of `max_df` of them, the `max_features` most frequent.
    """

    scale: str = choice("half", "cosine")
    dimensions: int = within(PUBLISHED.dimensions, 2, 1_024)
    max_features: int = within(PUBLISHED.most, 100, 10_000_000)
    min_df: int = within(PUBLISHED.least_df, 1, 1_000)
    max_df: float = within(PUBLISHED.most_df, 0.001, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        limits = LatentLimits(self.dimensions, self.max_features, self.min_df, self.max_df)
        return _latent("latent", self.scale, limits, query, ranking, view)


@dataclass(frozen=True, slots=True)
class Similarity:
    """The column `similarity`: by the corpus's own encoder where it has one, otherwise as `Latent`."""

    scale: str = choice("cosine", "half")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranking = noted_waiting(ranking, view)
        if view.encoder is None or not view.has_vectors:
            return _latent("similarity", self.scale, PUBLISHED, query, ranking, view)
        vector = question_vector(query, view)
        values = cosines(ranking.window, vector, signed=True)
        ranked = _scored(
            "similarity", self.scale, values, vector, partial(stored_vector, view), query, ranking, view
        )
        return ranked.note(f"similarity: vectors of the encoder {view.encoder.name}")


def _latent(
    name: str, scale: str, limits: LatentLimits, query: Query, ranking: Ranking, view: View
) -> Ranking:
    space = latent_space(view, limits)
    vector = space.question(query_terms(query, view.analyzer))
    values = space.cosines(ranking.window, vector)
    ranked = _scored(name, scale, values, vector, space.vector, query, ranking, view)
    return ranked.note(
        f"{name}: latent semantic analysis, fitted to the first {space.fitted} of {space.past} passages"
        + ("" if vector.any() else "; the question has no word of it")
    )


def _scored(
    name: str, scale: str, values: Values, vector: Vector, stored: Callable[[int], Vector], query: Query,
    ranking: Ranking, view: View,
) -> Ranking:  # fmt: skip
    """The ranking with a column of these cosines (of all places of the window) on a scale.

    `stored` gives the vector of a row of the view.
    """
    window = ranking.window
    every = Ranking(window)
    of = on_scale(values, vector, lambda place: stored(every.row(place)), scale)
    column = RankingColumn.computed(of, window.n)
    for part in window.parts:
        column.values[part.dead_places()] = 0.0
    allowed = admitted(query, window, view)
    if allowed is not None:
        column.values[~allowed] = 0.0
    if ranking.places is not None:
        column = column.taken(ranking.places)
    return ranking.with_column(name, column)


def on_scale(values: Values, vector: Vector, stored: Callable[[int], Vector], scale: str) -> Expression:
    """Cosines (n,) of a vector with others on a scale; `stored` gives the vector at a place."""
    half = scale == "half"
    cosine = Given(
        "cosine", values if half else np.maximum(values, 0.0),
        lambda place: cosine_tree(stored(place), vector, signed=half),
    )  # fmt: skip
    if not half:
        return cosine
    above = total("1 + cosine", cosine, Constant("one", 1.0))
    return ratio("similarity from 0 to 1", above, Constant("two", 2.0))


# -- centrality: corroboration by independent documents (TWE-RAG, 2.2) -----------------------------


@dataclass(frozen=True, slots=True)
class Centrality:
    """The column `centrality`, in [0, 1]; it does not rank by itself (TWE-RAG, section 2.2).

    The sum of the overlaps (Jaccard of shingles) with all that corroborate the passage, as a share of the
    largest such sum in the view; 0 when no passage is corroborated, 1 for all when all are equal. PageRank,
    the other measure that the publication names, is not here.

    `threshold` and `cap` are those of `asof.extensions.systems.evidence.evidence`.
    """

    threshold: float = within(THRESHOLD, 0.0, 1.0)
    cap: int = within(CAP, 0, 1_000_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        graph = self.evidence(view)
        if self.cap:
            ranking = ranking.note(
                f"corroboration: of the passages that have a phrase, only the first {self.cap} are counted"
            )
        return ranking.with_column("centrality", _degree(graph, ranking), by=False)

    def evidence(self, view: View) -> Evidence:
        """The graph of a view."""
        return evidence(view, threshold=self.threshold, cap=self.cap)


def _degree(graph: Evidence, ranking: Ranking) -> Expression:
    """Degree centrality."""
    if not graph.largest:
        return Constant("centrality: no passage corroborates another", 0.0)
    degrees = graph.degrees[ranking.rows].astype(np.float64)

    def tree(at: int) -> Why:
        others = len(graph.neighbours(ranking.row(at))[0])
        label = f"overlaps with {others} passages of independent documents, in 1/{EDGE_SCALE:,}"
        return Why(label, float(degrees[at]))

    return ratio(
        "centrality", Given("overlaps", degrees, tree), Constant("largest in the view", float(graph.largest))
    )


# -- adaptive decay with age (TWE-RAG, README 2.3) -------------------------------------------------


RECENT = (
    "current", "currently", "latest", "new", "newest", "now", "recent", "recently", "this year", "today",
)  # fmt: skip
"""The README's "{current, latest, now, recent, …}", with those of its code that ask for the newest; not "who
is", "price", "schedule" and the like, which are subjects."""


@dataclass(frozen=True, slots=True)
class Decay:
    """The column `decay`: delta(q) · exp(-age / tau(q)), age in days.

        delta(q) = delta · r        tau(q) = tau_max - (tau_max - tau_min) · r

    r is 1 where the question has one of the words `recent`, as whole words (the published code also finds
    "now" in "snow"), and `general` elsewhere. The formula gives a general question 538 days; the README's
    "2 years" is not what it computes. An undated passage gets 0: no credit.
    """

    delta: float = within(2.5, 0.0, 10.0)
    tau_min: float = within(90.0, 0.1, 100_000.0)
    tau_max: float = within(730.0, 0.1, 100_000.0)
    general: float = within(0.3, 0.0, 1.0)
    recent: tuple[str, ...] = RECENT

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        share = self.recency(query.text)
        delta, tau = self.adapted(share)
        rows = ranking.rows
        taus = np.full(len(rows), tau)
        days = ages(view.as_of, view.column("said", rows))
        dated = view.column("dated", rows).astype(bool)
        exponent = ratio("age over tau", Given("-age in days", -days), Given("tau in days", taus))
        decayed = product("decay", Constant("delta", delta), exp("exp", exponent))
        undated = Constant("decay: undated, no credit", 0.0)
        return ranking.with_column("decay", Where(dated, decayed, undated), by=False).note(
            f"decay: r = {share:.3g}, delta = {delta:.3g}, tau = {tau:.4g} days"
        )

    def recency(self, question: str) -> float:
        """r of a question: `general` or 1."""
        words = "|".join(map(re.escape, self.recent))
        wished = words and re.search(rf"(?<!\w)(?:{words})(?!\w)", question, re.IGNORECASE)
        return 1.0 if wished else self.general

    def adapted(self, recency: float) -> tuple[float, float]:
        """delta and tau (days) for a question with this share of recency."""
        r = max(recency, self.general)
        return self.delta * r, self.tau_max - (self.tau_max - self.tau_min) * r


# -- freshness by whole days (Adaptive RAG for arXiv, README 1) ------------------------------------


@dataclass(frozen=True, slots=True)
class Freshness:
    """The column `freshness`: exp(-rate · days), days whole; it halves every ln 2 / rate days.

    A document is as fresh as the newest of its passages among the candidates: an edit renews it. .05 is the
    README's rate (13.9 days), its code has .01 (69.3). Undated passages get 0: no credit.
    """

    rate: float = within(0.05, 0.000_1, 1.0)
    traits: ClassVar = Traits(constants=("rate",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        rows = ranking.rows
        newest, dated = self._newest(rows, view)
        days = np.floor(ages(view.as_of, newest))
        tau = ratio("1 / rate", Constant("one", 1.0), Constant("rate", self.rate, self, "rate"))
        fresh = exp("freshness", ratio("days times rate", Given("-whole days", -days), tau))
        undated = Constant("freshness: undated, no credit", 0.0)
        return ranking.with_feature("freshness", Where(dated, fresh, undated))

    def _newest(self, rows: NDArray[np.int64], view: View) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each row when the newest dated passage of its document became visible, and if there is one."""
        visible, dated = view.column("said", rows), view.column("dated", rows).astype(bool)
        documents = view.documents(rows)
        newest = np.full(int(documents.max(initial=0)) + 1, BEGINNING)
        np.maximum.at(newest, documents[dated], visible[dated])
        return newest[documents], newest[documents] > BEGINNING


# -- closeness in time on the scale of the relevance (TempRALM) ------------------------------------


TOTAL = "temporal"
"""The label of the sum of relevance and closeness."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The column `temporal`: s + t, s being the score so far, t the z-scaled inverse of the distance in time.

        t = (1 / distance - mean) / deviation · deviation of s + mean of s

    over the candidates (choose them before: the result depends on them). Distances are between the date of a
    passage and the time of the question, in days, at least `floor`: the published form divides by zero for a
    passage of the same moment. With one distance for all, t is the mean of s; undated passages get that too,
    and do not count in the mean of 1 / distance. The unit cancels, and so does the paper's factor alpha.

    The time of a question is the last instant of the times that it names, else the moment as of which it is
    asked, if that was stated or the question wishes for the present. Without any, t is the mean of s for all.
    `mask`: what was published later than a named time is left out, as published. Without, for questions that
    speculate, it is ranked too, by its distance, as far as it can be seen: nothing after `as_of` can.
    """

    floor: float = within(1.0, 0.000_001, 1_000.0)
    mask: bool = True
    reads_times: ClassVar = True

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        when = question_time(query, view.as_of, masked=self.mask)
        if when is None:
            return _untimed(matches)
        if self.mask and when < view.as_of:
            matches = _masked(matches, when, view)
        relevance, rows = matches.columns[matches.by], matches.rows
        dated = view.column("dated", rows).astype(bool)
        days = np.maximum(distances(when, view.column("said", rows)), self.floor)
        near = 1.0 / days
        middle, spread = moments(near[dated].tolist())
        level, width = moments(relevance.values.tolist())
        mean = Constant("mean relevance of the pool", level)
        reason = "undated" if spread else "one age for all"
        neutral = total("closeness in time", Constant(f"{reason}: {mean.label}", level))
        what = "age in days" if when == view.as_of else f"days from {format_instant(when)}"
        closeness = ratio("closeness", Constant("one", 1.0), Given(what, days))
        above = total("above the mean", closeness, Constant("-mean closeness", -middle))
        deviations = ratio("in deviations", above, Constant("deviation of closeness", spread))
        scaled = product("scaled", deviations, Constant("deviation of relevance", width))
        near_in_time = Where(dated & (spread > 0), total("closeness in time", scaled, mean), neutral)
        return matches.with_column("temporal", total(TOTAL, relevance, near_in_time))


def question_time(query: Query, as_of: int, *, masked: bool = True) -> int | None:
    """The time of a question (`Gap`), an instant; None where it has none.

    A named time without an end, or one that is not over as of `as_of`, counts as `as_of`; without a mask a
    time that is to come counts as it is named.
    """
    if query.about:
        last = max(span.last for span in query.about)
        return as_of if last == NEVER else min(last, as_of) if masked else last
    return as_of if query.stated or query.recency >= STATE else None


def distances(when: int, visible: NDArray[np.int64]) -> Values:
    """Days between an instant and others, on either side."""
    return np.abs(visible - when).astype(np.float64) / DAY


def _untimed(matches: Ranking) -> Ranking:
    """Scores by relevance alone, on the same scale."""
    relevance = matches.columns[matches.by]
    level, _ = moments(relevance.values.tolist())
    neutral = total(
        "closeness in time", Constant("the question has no time: mean relevance of the pool", level)
    )
    return matches.with_column("temporal", total(TOTAL, relevance, neutral)).note(
        "closeness in time is off: the question names no time, and was not asked as of one"
    )


def _masked(matches: Ranking, when: int, view: View) -> Ranking:
    """The candidates that are undated or were published by then."""
    dated = view.column("dated", matches.rows).astype(bool)
    kept = np.flatnonzero(~dated | (view.column("said", matches.rows) <= when))
    left = matches.count - len(kept)
    told = f"{left:,} of {matches.count:,} were published after {format_instant(when)}, the question's time"
    return matches.keep(kept).note(f"{told}: left out (gap.mask)") if left else matches


def moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (of the population), rounded once, so that no order of them shows.

    Equal values deviate by 0; a mean that was rounded would make something of nothing.
    """
    if not values:
        return 0.0, 0.0
    if min(values) == max(values):
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


# -- coverage and volume of a document (Adaptive RAG for arXiv, README 1) --------------------------
#
#     coverage = mean of the similarities above a threshold      volume = ln(1 + how many) / ln(1 + passages)
#
# All candidates count, so these stages come before any cut. Similarities are whole numbers over 4000², so
# their sums are exact in any order.


WHOLE = float(VECTOR_SCALE * VECTOR_SCALE)


class Counted(NamedTuple):
    """For the document of each candidate: the number of its passages among the candidates, of relevant ones,
    and the sum of their similarities (whole numbers over 4000²)."""

    passages: NDArray[np.int64]
    relevant: NDArray[np.int64]
    total: NDArray[np.int64]


def counted(documents: NDArray[np.int64], similarity: Values, above: float) -> Counted:
    """Counts by document (its number), for each candidate."""
    relevant = similarity > above
    whole = np.where(relevant, np.rint(similarity * WHOLE), 0.0)
    counts = (np.bincount(documents), np.bincount(documents, relevant), np.bincount(documents, whole))
    return Counted(*(each.astype(np.int64)[documents] for each in counts))


def counted_at(similarities: Values, above: Values) -> Counted:
    """Counts (m, n) at m thresholds of n documents; their similarities (n, passages) are filled with -inf."""
    relevant = similarities[None] > above[:, None, None]
    whole = np.rint(np.where(np.isfinite(similarities), similarities, 0.0) * WHOLE).astype(np.int64)
    passages = np.broadcast_to(np.isfinite(similarities).sum(axis=1), relevant.shape[:2])
    return Counted(passages, relevant.sum(axis=2), np.where(relevant, whole[None], 0).sum(axis=2))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The column `coverage`: the mean of the similarities above `above` (more than it); 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"
    traits: ClassVar = Traits(constants=("above",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking.with_feature("coverage", _of_counts(self, ranking, view, _coverage))

    def remade(self, above: Values, similarities: Values) -> Values:
        """The coverage (m, n) of n documents at m other thresholds; see `counted_at`."""
        counts = counted_at(similarities, above)
        mean = counts.total.astype(np.float64) / np.maximum(counts.relevant, 1).astype(np.float64)
        return np.where(counts.relevant > 0, mean / WHOLE, 0.0)


@dataclass(frozen=True, slots=True)
class Volume:
    """The column `volume`: ln(1 + relevant passages) / ln(1 + passages) of the document; 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"
    traits: ClassVar = Traits(constants=("above",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return ranking.with_feature("volume", _of_counts(self, ranking, view, _volume))

    def remade(self, above: Values, similarities: Values) -> Values:
        """The volume (m, n) of n documents at m other thresholds; see `counted_at`."""
        counts = counted_at(similarities, above)
        logs = _logs(int(counts.passages.max(initial=0)))
        return np.asarray(logs[counts.relevant] / logs[counts.passages])


def _of_counts(
    stage: Coverage | Volume, ranking: Ranking, view: View, made: Callable[[Counted, float], Expression]
) -> Expression:
    """An expression of counts, which are others for each threshold."""
    numbers, similarity = view.documents(ranking.rows), ranking.column(stage.of).values

    def of(at: int) -> tuple[float, ...]:
        return tuple(similarity[numbers == numbers[at]].tolist())

    made_at = made(counted(numbers, similarity, stage.above), stage.above)
    return Made(made_at, Constant("above", stage.above, stage, "above"), of)


def _coverage(counts: Counted, above: float) -> Expression:
    summed = Given("sum of the relevant products", counts.total.astype(np.float64))
    mean = ratio("mean", summed, Given("relevant passages", counts.relevant.astype(np.float64)))
    none = Constant(f"coverage: no passage above {above:g}", 0.0)
    return Where(counts.relevant > 0, ratio("coverage", mean, Constant("scale", WHOLE)), none)


def _volume(counts: Counted, above: float) -> Expression:  # noqa: ARG001  as `_coverage`
    relevant = _log("relevant passages", counts.relevant)
    return ratio("volume", relevant, _log("passages", np.maximum(counts.passages, 1)))


def _log(name: str, counts: NDArray[np.int64]) -> Expression:
    """ln(1 + n): few numbers differ, so they are looked up."""
    return Given(
        name, _logs(int(counts.max(initial=0)))[counts],
        lambda at: Why.of(f"ln(1 + {name})", "log", Why(f"1 + {name}", 1.0 + int(counts[at]))),
    )  # fmt: skip


def _logs(most: int) -> Values:
    """ln(1 + n) of the numbers from 0 to `most`."""
    return np.array([math.log(1.0 + n) for n in range(most + 1)], np.float64)


# -- sub-questions, each searched by itself, the lists joined (QD-RAG) -----------------------------
#
# Ammann, Golde and Akbik 2025, as TG-RAG compares itself with it (section V-B).


@dataclass(frozen=True, slots=True)
class SubQuestions:
    """The column `parts`: 1 / (k + rank), for the best rank that a passage has in the list of any part.

    The parts are `query.parts`; a question without them is one part. Each list is made `by` the meaning (as
    `Similarity`) or the words (as `Lexical`) of its part, and its first `depth` passages count. So each part
    has its turn: the first of every list come before the second of any.
    """

    by: str = choice("meaning", "words")
    k: int = within(60, 1, 1_000)
    depth: int = within(200, 1, 100_000)
    splits: ClassVar = True

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        stage, name = (Lexical(), "lexical") if self.by == "words" else (Similarity("half"), "similarity")
        parts = query.parts[:MOST_PARTS] or (query.text,)
        best, which = np.full(ranking.count, np.inf), np.zeros(ranking.count, np.int8)
        notes = dict[str, None]()
        for at, part in enumerate(parts):
            found = stage(replace(query, text=part, lexical=part, parts=()), ranking, view)
            notes |= dict.fromkeys(found.notes)
            order = self._order(found.columns[name].values, ranking, view)
            ranks = np.arange(1.0, len(order) + 1)
            better = ranks < best[order]
            best[order[better]], which[order[better]] = ranks[better], at
        values = np.where(np.isfinite(best), 1.0 / (self.k + best), 0.0)

        def tree(at: int) -> Why:
            if not np.isfinite(best[at]):
                return Why("in the list of no part", 0.0)
            part = parts[which[at]]
            place = total("k + rank", Constant("k", float(self.k)), Given("best rank", np.array([best[at]])))
            return ratio(f"in the list of “{part}”", Constant("one", 1.0), place).why(0)

        joined = replace(ranking, notes=tuple(notes)).with_column("parts", Given("parts", values, tree))
        return joined.note(f"{len(parts)} parts: {'; '.join(parts)}") if query.parts else joined

    def _order(self, values: np.typing.NDArray[np.float64], ranking: Ranking, view: View) -> Places:
        """The first places of a list, among matches."""
        matching = np.flatnonzero(values > 0)
        if len(matching) > self.depth:
            matching = matching[at_least(values[matching], kth_best(values[matching], self.depth))]
        order: Places = matching[view.tie_order(values[matching], ranking.rows[matching])][: self.depth]
        return order
