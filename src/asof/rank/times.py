"""Stages about time: ages, time match, recency, terminations, and the order by time within a tie group.

A question that asks for the newest, or names a time, is answered by passages of different words and lengths,
which relevance orders by wording. `TimePreference` takes those whose match scores differ little as a tie
group and lets their dates decide.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.index.columns import AboutTimes, about_or_published
from asof.index.lexical import Term, presence
from asof.index.segment import Window
from asof.index.view import View
from asof.rank.expression import (
    Constant,
    Expression,
    Given,
    RankingColumn,
    Values,
    Where,
    exp,
    log,
    product,
    ratio,
    total,
)
from asof.rank.stage import Ranking, Traits
from asof.rank.words import largest_coverage, names_a_title, weighted_words
from asof.revisions.chains import succession
from asof.schema import within
from asof.store.digest import METADATA, TEXT, TITLE
from asof.text.passages import sentences
from asof.text.tokens import term_hash, tokenize
from asof.time.intent import mentions_termination, termination_words
from asof.time.span import Span
from asof.values import CHANGES, Query

# -- ages at the moment of the query -------------------------------------------------------------------

DAY = 86_400_000_000


def ages(as_of: int, visible: NDArray[np.int64]) -> Values:
    """Ages in days, never negative."""
    return np.maximum(as_of - visible, 0).astype(np.float64) / DAY


@dataclass(frozen=True, slots=True)
class CandidateAges:
    """Ages in days of some candidates, and which of them are known."""

    days: Values
    dated: NDArray[np.bool_]

    @classmethod
    def of(cls, view: View, rows: NDArray[np.int64]) -> CandidateAges:
        """The ages of these rows as of the view."""
        return cls(ages(view.as_of, view.column("said", rows)), view.column("dated", rows).astype(bool))

    def logs(self, among: NDArray[np.bool_]) -> Expression:
        """log10(1 + age); where it is unknown, that of the middle age among some."""
        middle = Constant("undated: 1 + the median age in days", 1 + self._middle(among))
        age = Where(self.dated, Given("1 + age in days", 1 + self.days), middle)
        return ratio("log10(1 + age)", log("ln(1 + age)", age), log("ln 10", Constant("ten", 10.0)))

    def since_newest(self, among: NDArray[np.bool_]) -> CandidateAges:
        """Ages as of the newest of some candidates; no moment of a question is in them."""
        newest = self.days[among & self.dated].min(initial=np.inf)
        return CandidateAges(np.maximum(self.days - newest, 0.0), self.dated)

    def _middle(self, among: NDArray[np.bool_]) -> float:
        known = np.sort(self.days[self.dated & among])
        return float(known[len(known) // 2]) if len(known) else 0.0


# -- time match: which candidates are about a time that the query names --------------------------------

YEAR, LONG = 365 * DAY, 366 * DAY

OF_TIME = 1.0
MENTIONS_TIME = 0.5
PUBLISHED = 0.8
NEAR, NEAR_FOR = 0.3, 5 * 365.25 * DAY
"""The value of a passage published right beside a time, and the distance at which exp(-1) of it is left."""


def match_times(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) whether it is about one of the times: OF_TIME, MENTIONS_TIME or 0.

    The times in a document's metadata or title decide, if there are any, else its date of publication. A
    passage whose text names one of the times mentions it.
    """
    if not len(rows) or not spans:
        return np.zeros(len(rows))
    visible, dated = view.column("said", rows), view.column("dated", rows).astype(bool)
    return _matches(visible, dated, view.about(rows), spans)


def time_evidence(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) how much it is of one of the times, in [0, 1].

    1 for one that is about such a time (in metadata, title, headings or text), or was published within it and
    is about no time at all; PUBLISHED for one that was published within it and is about other times; NEAR ·
    exp(-distance / NEAR_FOR) for one that was published before or after it.
    """
    visible, dated, about = view.column("said", rows), view.column("dated", rows), view.about(rows)
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
    """Those of some places of a window (indices, ascending), or of all (None), that are about one of the
    times or mention it: those whose `match_times` is not 0.

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
        columns = segment["said"], segment["dated"]
        masks.append(about_or_published(segment.about, *columns, spans, part.first, part.last))
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


# -- requested times as evidence beside the words ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestedTime:
    """The column `requested_time`: the score, more where a passage is of a time that the question names.

        requested_time = score + time_weight · of_time + bounds_weight · named_bounds
                         + off_topic_weight · (1 - off_topic_title_terms)

    `of_time` is 1 for passages that are about one of the times, less for those that were published near it
    (`time_evidence`); `named_bounds` is the share of the first and the last year of a longer time that a
    passage names ("from 1894 to 1897"). Where a time is named, editions of one thing differ by little else
    than their time and their subject: so words of a title that are of another subject count too, if the
    question names some title.

    Nothing changes for a question without a time, and for one that asks for the newest (recency 1):
    `TimePreference` chooses among the passages of that time.
    """

    time_weight: float = within(0.6, 0.0, 2.0)
    bounds_weight: float = within(0.6, 0.0, 2.0)
    off_topic_weight: float = within(0.7, 0.0, 2.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        if not query.about or query.recency == 1.0:
            return matches
        of_time = time_evidence(view, matches.rows, query.about)
        count, score = int((of_time >= PUBLISHED).sum()), matches.scores
        weight = Constant("weight", self.time_weight)
        parts: list[Expression] = [
            score, product("time", Given("of the time in the question", of_time), weight)
        ]  # fmt: skip
        bounds = named_bounds(view, matches.rows, query.about)
        if bounds.any():
            named = Given("share of the time's ends that are named", bounds)
            parts.append(product("ends of the time", named, Constant("weight", self.bounds_weight)))
        if names_a_title(matches):
            off_topic = product(
                "-off-topic words", matches.column("off_topic_title_terms"), Constant("-1", -1.0)
            )
            on_topic = total("title on topic", Constant("one", 1.0), off_topic)
            parts.append(product("title", on_topic, Constant("weight", self.off_topic_weight)))
        high = (
            None
            if score.high is None
            else score.high + self.time_weight + self.bounds_weight + self.off_topic_weight
        )
        return matches.with_column("requested_time", total("score and named time", *parts), high=high).note(
            f"{count or 'no'} match{'es' * (count != 1)} of the time in the question"
        )


# -- just published: passages published shortly before the query, where that sets them apart -----------


@dataclass(frozen=True, slots=True)
class JustPublished:
    """The column `just_published`, in [0, 1]; the ranking stays as it is. Undated passages get 0.

        just_published = exp(-age / days) * (1 - of the day / of the year) * (1 - largest coverage)
                       * min(1, 4 * query_coverage / largest query_coverage)

    What has just happened is asked about more often than what happened on any other day: a passage of the day
    (ages in days; `days` is 1) is more likely to be meant than by its words alone. That is worth nothing
    where most of the current passages of the last year (`year`, in days) have that one date, as where dates
    are years; and little where some candidate covers the whole question (`largest_coverage`), so that its
    words alone say which passage is meant. Passages older than LAST times `days` get 0, and so do those whose
    date is that of a change of their document (CHANGES): a note that was edited today is no news.
    """

    days: float = within(1.0, 0.01, 1_000.0)
    year: float = within(365.0, 1.0, 100_000.0)
    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        ages = CandidateAges.of(view, matches.rows)
        coverage = matches.column("query_coverage").values
        recent = product(
            "just published",
            exp("exp(-age)", Given("-age in days", -ages.days / self.days)),
            Constant("share of the year's passages that are older", 1 - self._share_of_day(view)),
            Constant("share of the question that none covers", 1 - largest_coverage(matches)),
            Given(
                "four times its share of what the best covers, at most 1",
                np.minimum(1.0, 4 * coverage / max(coverage.max(initial=0.0), LEAST)),
            ),
        )
        young = ages.dated & (ages.days <= LAST * self.days)
        young[young] = _published(view, matches.rows[young])
        of_day = Where(young, recent, Constant("not just published", 0.0))
        return matches.with_column("just_published", of_day, by=False, high=1.0)

    def _share_of_day(self, view: View) -> float:
        """The share of the current passages of the last year that are of the last day; 1 without any."""
        of_day, of_year = (
            view.count_published_since(view.as_of - int(days * DAY) + 1) for days in (self.days, self.year)
        )
        return of_day / of_year if of_year else 1.0


def _published(view: View, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the rows whose date is that of a publication, not of a change."""
    return np.array([record.dated_by not in CHANGES for record in view.records(rows)], bool)


LAST, LEAST = 14, 1e-9
"""After so many times `days` less than a millionth is left; a coverage that can be divided by."""


# -- terminations: passages that state an end, which do not answer what is newest or current -----------


def terminated(query: Query, matches: Ranking, view: View) -> NDArray[np.bool_] | None:
    """The candidates (n,) that state that something has ended, in their sentences about the question; None
    for a question that asks for an end itself."""
    if mentions_termination(query.text):
        return None
    ended = np.zeros(matches.count, bool)
    stems = _question_stems(query, view)
    read = np.flatnonzero(_have_termination_words(matches, view))
    for place, record in zip(read.tolist(), view.records(matches.rows[read]), strict=True):
        if mentions_termination(record.text):
            best = _best_sentences(record.text, stems, record.language, view)
            ended[place] = mentions_termination(best)
    return ended


def _have_termination_words(matches: Ranking, view: View) -> NDArray[np.bool_]:
    """The candidates (n,) with all words of some term for an end, by the index: no other needs to be read."""
    order = np.argsort(matches.chosen)
    terms = {term: at for at, term in enumerate(termination_terms(view))}
    present = presence(matches.window, matches.chosen[order], list(terms))
    out = np.zeros(len(order), bool)
    for phrase in _phrases(view):
        words = [present[[terms[term] for term in word]].any(axis=0) for word in phrase]
        out[order] |= np.logical_and.reduce(words)
    return out


def termination_terms(view: View) -> set[Term]:
    """The terms of the words that state an end."""
    return {term for phrase in _phrases(view) for word in phrase for term in word}


def _phrases(view: View) -> list[list[list[Term]]]:
    """Phrases that state an end: for each of their words the terms, any of which matches."""
    phrases: list[list[list[Term]]] = view.derived.memo.setdefault("termination", [])
    if not phrases:
        phrases += [
            [
                [Term(stem, term_hash(stem)) for stem in view.analyzer.alternatives(word)]
                for word in tokenize(each)
            ]
            for each in termination_words()
        ]
    return phrases


def _question_stems(query: Query, view: View) -> frozenset[str]:
    """The stems of the question's words."""
    return frozenset(term.word for word in weighted_words(query, view) for term in word.terms)


def _best_sentences(text: str, stems: frozenset[str], language: str, view: View) -> str:
    """The sentences of a text that have most of the question's words."""
    pieces = [text[start:end] for start, end in sentences(text)] or [text]
    counts = [
        len(stems & {view.analyzer.stem(word, language) for word in tokenize(piece)}) for piece in pieces
    ]
    return " ".join(piece for piece, count in zip(pieces, counts, strict=True) if count == max(counts))


# -- same kind: editions, versions, results, turns of a conversation -----------------------------------

EXAMINED = 24
"""The number of best passages of a tie group that are examined."""

SAME_WORDS = 0.4
"""The smallest Jaccard similarity of words of texts of one kind."""


def shared_words(view: View, rows: NDArray[np.int64]) -> Values:
    """The Jaccard similarities (n, n) of the stems of the texts of a few rows."""
    sets = [view.analyzer.terms(record.text, record.language) for record in view.records(rows)]
    number = {stem: at for at, stem in enumerate(sorted(set().union(*sets)))}
    holds = np.zeros((len(sets), max(len(number), 1)))
    for at, stems in enumerate(sets):
        holds[at, [number[stem] for stem in stems]] = 1.0
    shared: Values = holds @ holds.T
    sizes = holds.sum(axis=1)
    similarity: Values = shared / np.maximum(sizes[:, None] + sizes[None, :] - shared, 1.0)
    return similarity


def same_kind_share(ranking: Ranking, near: NDArray[np.bool_], view: View, examined: int = EXAMINED) -> float:
    """The share of passages of a tie group (`near`) that belong to a series (`asof.revisions.chains`) or
    share most words with one of another document and date; 0 for a single one.

    Only the best `examined` of the group are read.
    """
    places = np.flatnonzero(near)
    rows = ranking.rows
    best = places[view.tie_order(ranking.score[places], rows[places])[:examined]]
    if len(best) < 2:
        return 0.0
    chosen = rows[best]
    linked = _follow_others(view, chosen)
    if linked.all():
        return 1.0
    visible, document = view.column("said", chosen), view.column("document", chosen)
    apart = (visible[:, None] != visible) & (document[:, None] != document)
    same = shared_words(view, chosen) >= SAME_WORDS
    return float((linked | (same & apart).any(axis=1)).mean())


def _follow_others(view: View, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the rows that are of a series with another document; an edit of a passage is none."""
    chains = succession(view)
    document = view.column("document", rows)
    found = np.zeros(len(rows), bool)
    for at in np.flatnonzero(chains.in_series(rows)).tolist():
        series = view.column("document", chains.series(int(rows[at])))
        found[at] = bool((series != document[at]).any())
    return found


# -- time preference -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimePreference:
    """The column `time_preference`, in [0, 1]; it falls with the rank whether or not time is used.

    Where words ask for the newest (recency 1), a tie group comes first. It has the upper half of the
    interval, all others the lower half:

        match_score = (1 - u) · (query_coverage + title_group_coverage) / 2 + u · normalized
                      + title_weight · title + just_published_weight · just_published
                      - off_topic_title_terms - extra_title_terms · extra_title_terms(title)
                      - termination_penalty
        time_preference = 1/2 + exp(match_score - recency_weight · log10(1 + age in days) - M) / 2
                          in the tie group, M: the largest match score that the question allows
        time_preference = score / (2 · B)        of all others

    B is the least power of two from the score's largest value on, so that the division is exact and different
    scores stay different.

    u = 1 - the largest (query_coverage + title_group_coverage) / 2, at least `uncertainty`: where no passage
    covers nearly all of the question, its relevance counts more. A tie group has match scores
    within `tie_margin` of the best, and at least `relevance_floor` of the best relevance (`normalized`).
    Title terms (see `TitleColumns`) count where the question names some title. The termination penalty is
    subtracted for passages that state that something has ended, unless the question asks for that. Where the
    question names a time as well, only passages of that time are in the tie group.

    Where it asks for a state or an instance without such words (recency between 0 and 1), the same holds if
    the tie group has reports of one kind: mostly the same words, in several documents. Otherwise age
    decides less: the tie group has scores within `cautious_margin` of the best, the score replaces the match
    score (and its largest value replaces M), and the weight of age is multiplied by (1 - u)².

    In all other questions the tie group has scores within `equal_margin` of the best, as a share of it, and
    ages are counted from the newest of it: of two statements of one thing the newer one comes first, whatever
    the words of the question are. So it is where all times that are named are still to come. If these have
    one date, or another time is named and no wish for the newest,

        time_preference = score / B

    An undated passage has no age; it gets the median age of the tie group.
    """

    recency_weight: float = within(0.3, 0.0, 2.0)
    tie_margin: float = within(0.2, 0.0, 1.0)
    title_weight: float = within(0.1, 0.0, 1.0)
    just_published_weight: float = within(1.5, 0.0, 10.0)
    extra_title_terms: float = within(0.1, 0.0, 1.0)
    termination_penalty: float = within(0.8, 0.0, 2.0)
    equal_margin: float = within(0.03, 0.0, 1.0)
    cautious_margin: float = within(0.2, 0.0, 1.0)
    same_kind_threshold: float = within(0.5, 0.0, 1.0)
    uncertainty: float = within(0.1, 0.0, 1.0)
    relevance_floor: float = within(0.5, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        known = [span for span in query.about if span.first <= view.as_of]
        if not len(matches.score) or (known and query.recency < 1.0):
            return _bounded(matches, _bound(matches))
        ages = CandidateAges.of(view, matches.rows)
        if query.recency == 0.0 or (query.about and not known):
            return self._newest_of_equals(matches, ages, view)
        match = self._match_score(query, matches, view)
        most = 1 + self.title_weight + self.just_published_weight * _largest(matches.column("just_published"))
        if query.about:
            inside = match_times(view, matches.rows, query.about) >= MENTIONS_TIME
            if inside.any() and _largest(match, inside) >= NO_LESS * _largest(match):
                group = self._tie_group(matches, match, inside)
                count, equal = int(inside.sum()), int(group.sum())
                return _led(matches, match, most, group, ages, self.recency_weight).note(
                    f"{count} match{'es' * (count != 1)} of the time in the question"
                    + (f", {equal} equally good" if equal > 1 else "")
                )
            matches = matches.note("no passage of the time in the question is as relevant")
        group = self._tie_group(matches, match, np.ones(len(ages.days), bool))
        if query.recency == 1.0 or same_kind_share(matches, group, view) >= self.same_kind_threshold:
            ranking = _led(matches, match, most, group, ages, self.recency_weight)
            return _noted(ranking, group, "newest first")
        before, covered = matches.scores, largest_coverage(matches)
        group = before.values >= _largest(before) - self.cautious_margin
        ranking = _led(matches, before, _bound(matches), group, ages, self.recency_weight * covered**2)
        return _noted(ranking, group, "newer ones slightly first", " of several kinds")

    def _newest_of_equals(self, matches: Ranking, ages: CandidateAges, view: View) -> Ranking:
        """The newest of the passages as good as the best come first, all others in their order; of one
        document the age of its passages says nothing."""
        score, bound = matches.scores, _bound(matches)
        group = score.values >= (1 - self.equal_margin) * _largest(score)
        dated = group & ages.dated
        documents = view.column("document", matches.rows[dated])
        if len(np.unique(ages.days[dated])) < 2 or len(np.unique(documents)) < 2:
            return _bounded(matches, bound)
        led = _led(matches, score, bound, group, ages.since_newest(group), self.recency_weight)
        return _noted(led, group, "newest first")

    def _tie_group(
        self, matches: Ranking, match: RankingColumn, among: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """The tie group among some candidates."""
        share = matches.column("normalized").values
        best = float(match.values[among].max())
        relevant = share >= float(share[among].max()) * self.relevance_floor
        group: NDArray[np.bool_] = (relevant & (match.values >= best - self.tie_margin)) | (
            match.values == best
        )
        return group & among

    def _match_score(self, query: Query, matches: Ranking, view: View) -> RankingColumn:
        share, covered, series = (
            matches.column(name) for name in ("normalized", "query_coverage", "title_group_coverage")
        )
        most = largest_coverage(matches)
        uncertainty = max(1 - most, self.uncertainty)
        title, off_topic, extra, recent = (
            matches.column(name)
            for name in ("title", "off_topic_title_terms", "extra_title_terms", "just_published")
        )
        half = Constant("half", 0.5)
        coverage = product("mean coverage", total("both coverages", covered, series), half)
        parts: list[Expression] = [
            product("weighted coverage", coverage, Constant("1 - uncertainty", 1 - uncertainty)),
            product("relevance", share, Constant("uncertainty", uncertainty)),
            product("title match", title, Constant("weight", self.title_weight)),
            product("just published", recent, Constant("weight", self.just_published_weight)),
        ]
        if names_a_title(matches):
            parts.append(_less("off-topic title words", off_topic, 1.0))
            parts.append(_less("extra title terms", extra, self.extra_title_terms))
        match = RankingColumn.computed(total("match score", *parts), matches.count)
        ended = terminated(query, matches, view)
        if ended is None or not ended.any():
            return match
        penalty = Constant("it states that something has ended", -self.termination_penalty)
        return RankingColumn.computed(total("match score", *parts, Where(ended, penalty)), matches.count)


def _noted(ranking: Ranking, group: NDArray[np.bool_], order: str, kinds: str = "") -> Ranking:
    """The ranking with a note on how a tie group is ordered; a group of one has no order."""
    count = int(group.sum())
    return ranking.note(f"{count} equally good matches{kinds}: {order}") if count > 1 else ranking


def _largest(column: RankingColumn, among: NDArray[np.bool_] | None = None) -> float:
    """The largest value, of some candidates."""
    return float(column.values[slice(None) if among is None else among].max())


def _bound(matches: Ranking) -> float:
    """The largest value of the score: the bound of its column if any, else that of the candidates."""
    column = matches.columns[matches.by]
    high = float(column.values.max(initial=0.0)) if column.high is None else column.high
    return high if high > 0 else 1.0


def _power_of_two(high: float) -> float:
    """The least power of two that is not below a positive number; a division by it is exact."""
    mantissa, exponent = math.frexp(high)
    return math.ldexp(1.0, exponent - (mantissa == 0.5))


def _bounded(matches: Ranking, high: float) -> Ranking:
    """The score divided by a bound."""
    scale = Constant("bound of the score, a power of two", _power_of_two(high))
    return matches.with_column("time_preference", ratio("score", matches.scores, scale), high=1.0)


def _led(
    matches: Ranking,
    match: RankingColumn,
    most: float,
    group: NDArray[np.bool_],
    ages: CandidateAges,
    weight: float,
) -> Ranking:
    """A tie group by match score (at most `most`) and age, above all others by their score."""
    scale = Constant("twice the power of two", 2.0 * _power_of_two(_bound(matches)))
    age = product("age", ages.logs(group), Constant("-weight of age", -weight))
    exponent = total("match and age", match, age, Constant("-largest match score", -most))
    upper = product("half of exp", exp("exp(match and age)", exponent), Constant("half", 0.5))
    above = total("equally good match", upper, Constant("above all other matches", 0.5))
    below = ratio("other match", matches.scores, scale)
    return matches.with_column("time_preference", Where(group, above, below), high=1.0)


NO_LESS = 0.75
"""If the newest of a time is asked for, passages of that time come first when their best match score is at
least this share of the best one."""


def _less(label: str, column: RankingColumn, weight: float) -> Expression:
    return product(f"less {label}", column, Constant("-weight", -weight))
