"""Columns about time: named times, what was just published, terminations, and what is superseded.

Each is a number of a candidate that `Combine` weighs beside its words. A question has one date of
force: the moment that it is asked as of, or the end of the past time that it names. Of passages that state
the same, the latest that had begun by then is in force, and the others are `superseded`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.documents import ANNULS, CHANGES, CORRECTS, SUPERSEDES, UPDATES
from asof.hits import Why
from asof.index.columns import AboutTimes
from asof.index.lexical import Term, having, presence
from asof.index.segment import Segment, Window
from asof.index.view import View
from asof.lang import of_all
from asof.queries import Query
from asof.rank.expression import (
    Constant,
    Expression,
    Given,
    Values,
    Where,
    exp,
    product,
    total,
)
from asof.rank.stage import Ranking, Traits
from asof.rank.versions import in_order, named_only, on_one_axis
from asof.rank.words import largest_coverage, weighted_words
from asof.revisions.chains import succession
from asof.revisions.force import acts_on_rows, ends_all, validity
from asof.schema import within
from asof.store.digest import HEADING, METADATA, TEXT, TITLE
from asof.text.names import asked
from asof.text.passages import sentences
from asof.text.tokens import Analyzer, term_hash, tokenize
from asof.text.versions import asked as asked_version
from asof.time.intent import mentions_termination
from asof.time.span import DAY, Span, iso

# -- ages at the moment of the query -------------------------------------------------------------------


def ages(as_of: int, visible: NDArray[np.int64]) -> Values:
    """Ages in days, never negative."""
    return np.maximum(as_of - visible, 0).astype(np.float64) / DAY


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


def stated_times(about: AboutTimes, spans: Sequence[Span], kinds: tuple[int, int]) -> NDArray[np.bool_]:
    """For each row (n) and each time whether the row states it at these kinds of places."""
    states = [about.overlap(span.first, span.last, kinds) for span in spans]
    return np.array(states, bool).reshape(len(spans), len(about.offsets) - 1).T


def time_evidence(view: View, rows: NDArray[np.int64], spans: Sequence[Span]) -> Values:
    """For each passage (n,) how much it is of one of the times, in [0, 1].

    1 for one that is about such a time (in metadata, title, headings or text), or was published within it and
    is about no time at all; PUBLISHED for one that was published within it and is about other times; NEAR ·
    exp(-distance / NEAR_FOR) for one that was published before or after it. A passage whose text names only
    others of such times is not about one because a longer one is named above it: "June" in the title of a log
    says nothing of a day beside those of the text.
    """
    visible, dated, about = view.column("said", rows), view.column("dated", rows), view.about(rows)
    speaks, distance = np.zeros(len(rows), bool), np.full(len(rows), np.inf)
    for span in spans:
        short = about.no_longer(span.last - span.first)
        others = short.stated((TEXT, TEXT)) & ~short.overlap(span.first, span.last)
        within = about.overlap(span.first, span.last, (TEXT, TEXT))
        speaks |= within | (about.overlap(span.first, span.last) & ~others)
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
        segment, here = part.prefix.segment, slice(part.first, part.last)
        said, dated = segment["said"][here], segment["dated"][here].astype(bool)
        about, mask = segment.about.slice(part.first, part.last), np.zeros(len(said), bool)
        for span in spans:
            mask |= dated & (said >= span.first) & (said <= span.last)
            mask |= about.overlap(span.first, span.last)
        masks.append(mask)
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
        mentions |= published | about.overlap(span.first, span.last)
    return np.where(of_it, OF_TIME, np.where(mentions, MENTIONS_TIME, 0.0))


# -- named times as evidence beside the words ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeEvidence:
    """The column `time_evidence`, in [0, 2]: how much a passage is of a time that the question names.

        time_evidence = of_time + named_bounds

    `of_time` is 1 for passages that are about one of the times, less for those that were published near it
    (`time_evidence`); `named_bounds` is the share of the first and the last year of a longer time that a
    passage names ("from 1894 to 1897"). 0 for a question without a time. The ranking stays as it is.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        if not query.about:
            return matches.with_column("time_evidence", Constant("no time is named", 0.0), by=False, high=0.0)
        of_time = time_evidence(view, matches.rows, query.about)
        bounds = named_bounds(view, matches.rows, query.about)
        parts: list[Expression] = [Given("of the time in the question", of_time)]
        if bounds.any():
            parts.append(Given("share of the time's ends that are named", bounds))
        count = int((of_time >= PUBLISHED).sum())
        return matches.with_column("time_evidence", total("named time", *parts), by=False, high=2.0).note(
            f"{count or 'no'} match{'es' * (count != 1)} of the time in the question"
        )


# -- just published: passages published shortly before the query, where that sets them apart -----------


@dataclass(frozen=True, slots=True)
class JustPublished:
    """The column `just_published`, in [0, 1]; the ranking stays as it is. Undated passages get 0.

        just_published = exp(-age / days) * (1 - of the day / of the year) * (1 - largest coverage)
                       * min(1, 4 * query_coverage / largest query_coverage)

    What has just happened is asked about more often than what happened on any other day: a passage of the day
    (ages in days) is more likely to be meant than by its words alone. That is worth nothing where most of the
    current passages of the last year have that one date, as where dates are years; and little where some
    candidate covers the whole question (`largest_coverage`), so that its words alone say which passage is
    meant. Passages older than LAST times `days` get 0, and so do those whose date is that of a change of
    their document (CHANGES): a note that was edited today is no news.
    """

    days: float = within(1.0, 0.01, 1_000.0)
    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        days = ages(view.as_of, view.column("said", matches.rows))
        young = view.column("dated", matches.rows).astype(bool) & (days <= LAST * self.days)
        young[young] = _published(view, matches.rows[young])
        if not young.any():
            none = Constant("nothing was just published", 0.0)
            return matches.with_column("just_published", none, by=False, high=1.0)
        coverage = matches.column("query_coverage").values
        recent = product(
            "just published",
            exp("exp(-age)", Given("-age in days", -days / self.days)),
            Constant("share of the year's passages that are older", 1 - self._share_of_day(view)),
            Constant("share of the question that none covers", 1 - largest_coverage(matches)),
            Given(
                "four times its share of what the best covers, at most 1",
                np.minimum(1.0, 4 * coverage / max(coverage.max(initial=0.0), LEAST)),
            ),
        )
        of_day = Where(young, recent, Constant("not just published", 0.0))
        return matches.with_column("just_published", of_day, by=False, high=1.0)

    def _share_of_day(self, view: View) -> float:
        """The share of the current passages of the last year that are of the last day; 1 without any."""
        of_day, of_year = (
            view.count_published_since(view.as_of - int(days * DAY) + 1) for days in (self.days, YEAR / DAY)
        )
        return of_day / of_year if of_year else 1.0


def _published(view: View, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the rows whose date is that of a publication, not of a change."""
    return np.array([record.dated_by not in CHANGES for record in view.records(rows)], bool)


LAST, LEAST = 14, 1e-9
"""After so many times `days` less than a millionth is left; a coverage that can be divided by."""


# -- terminations: passages that state an end, which do not answer what holds --------------------------


@dataclass(frozen=True, slots=True)
class Terminations:
    """The column `termination`: 1 for candidates that state that something has ended, in their sentences
    about the question; 0 for all others, and for a question that asks for an end itself, or that neither asks
    for what holds nor names a time. The ranking stays as it is."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        ended = np.zeros(matches.count, bool)
        if query.recency or query.about:
            ended = terminated(query, matches, view)
        states = Given("it states that something has ended", ended.astype(np.float64))
        return matches.with_column("termination", states, by=False, high=1.0)


def terminated(query: Query, matches: Ranking, view: View) -> NDArray[np.bool_]:
    """The candidates (n,) that state that something has ended, in their sentences about the question; none
    for a question that asks for an end itself."""
    ended = np.zeros(matches.count, bool)
    if mentions_termination(query.text):
        return ended
    stems, none = _question_stems(query, view), list[int]()
    read = np.flatnonzero(
        view.marked(matches.rows, "termination", partial(_termination_marks, analyzer=view.analyzer))
    )
    for place, record in zip(read.tolist(), view.records(matches.rows[read]), strict=True):
        if mentions_termination(record.text):
            best = _best_sentences(record.text, stems, record.language, view)
            ended[place] = mentions_termination(best)
        else:
            none.append(place)
    view.unmark(matches.rows[np.array(none, np.int64)], "termination")
    return ended


def _termination_marks(segment: Segment, analyzer: Analyzer) -> NDArray[np.bool_]:
    """Mask of the rows of a segment (n) with all words of some term for an end: no other needs to be read."""
    marks = np.zeros(segment.n, bool)
    for phrase in map(tokenize, of_all("words", "ended")):
        words = [[Term(stem, term_hash(stem)) for stem in analyzer.alternatives(word)] for word in phrase]
        marks[reduce(np.intersect1d, having(segment, words))] = True
    return marks


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


# -- superseded: of passages that state the same, those that are not in force --------------------------


@dataclass(frozen=True, slots=True)
class Supersession:
    """The column `superseded`, in [0, 1]: how surely another candidate states the same and is in force
    instead. The ranking stays as it is.

        superseded(i) = the largest wish · same(i, j) · near(i, j) of all j in force instead of i
        near(i, j) = 1 - (match(i) - match(j)) / margin, from 0 to 1            wish = (1 + recency) / 2

    j is in force instead of i if it holds at the date of force, and i began before j, or only after that date
    and does not speak of it; or j has a higher authority (`View.authority`). A passage holds as its metadata
    says (`valid_from`, `valid_until`), else since it was published; its begin is not after the date of force
    if its metadata, title or headings name a time that the question names. Where this names several times, a
    passage of one is not superseded by one that is not of it. One without a date may be older or newer: it is
    superseded half, and supersedes nothing.

    same(i, j) = 1 where the words of the question ask for the newest (recency 1), and for two dated sections
    of one document (a changelog, a list of prices) if it asks for a time; else, of two documents, the larger
    of 2 · s³, at most 1, of the Jaccard similarity s of their content words, and of the share of the question
    that the title of i covers, if that of j differs in figures only.

        match = (1 - u) · (query_coverage + title_group_coverage) / 2 + u · normalized
                - off_topic_title - termination            u = 1 - the largest mean coverage

    Where i is not in force by what is stated of it, wish is 1, it need not have begun before, and same is at
    least the share of the words of its title that the title of j has, from ONE_TITLE on. Where it is
    not at a date that is given beside the question, or where one of the two documents acts on the other, or
    on the part that i is of (`asof.revisions.force`), wish and same are 1,
    match is the coverage of the question, and the margin is three times as wide if i is not in force. Neither
    is so for a document that the question names by its number, and where it asks for an end.

    Passages of versions that stand on one axis (`asof.rank.versions`) state the same, and their order is that
    of versions: j is in force instead of i if it is the later of those up to the version of the question.

    Where i does not hold at a date that is given beside the question, wish is GIVEN.

    So a newer passage of another subject, or one that says less of the question, supersedes nothing. Where
    nothing covers the whole question, its relevance counts more. The `COMPARED` best candidates are compared.
    """

    margin: float = within(0.2, 0.01, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        tree, share = self._superseded(query, matches, view)
        column, given = Given("superseded", share, tree), query.filters.in_force is not None
        ranked = matches.with_column("superseded", column, by=False, high=GIVEN if given else 1.0)
        count = int((ranked.column("superseded").values >= CLEARLY).sum())
        if not count:
            return ranked
        if query.recency == 1.0:
            return ranked.note(f"newest first: {count} come after others")
        day = iso(query.date_of_force(view.as_of))[:10]
        return ranked.note(f"what holds on {day} comes first: {count} state the same")

    def _superseded(self, query: Query, matches: Ranking, view: View) -> tuple[Callable[[int], Why], Values]:
        """The tree of each candidate's largest share, and these shares (n,)."""
        order = view.tie_order(matches.score, matches.rows)[:COMPARED]
        force = query.date_of_force(view.as_of)
        spans, rows = query.about, matches.rows[order]
        begins, ends, dated, section, stated = validity(view, rows)
        about = view.about(rows)
        ends, acted = _acted_on(view, rows, ends, force)
        titled, told = (stated_times(about, spans, (METADATA, kind)) for kind in (HEADING, TEXT))
        begins = np.where(titled.any(axis=1) & ~stated, np.minimum(begins, force), begins)
        match = self._match(matches)[order]
        version = view.column("version", rows)
        match = match - named_only(query, view, rows, version)
        near = np.clip(1 - (match[:, None] - match) / self.margin, 0.0, 1.0)
        official = view.authority(rows)
        later = (begins[:, None] < begins) | ((begins > force) & ~told.any(axis=1))[:, None]
        if len(spans) > 1:
            of = told | np.array([(span.first <= begins) & (begins <= span.last) for span in spans]).T
            later &= ~(of[:, None] & ~of).any(axis=2)
        asks = asked_version(query.text)
        axis = on_one_axis(view, rows, version, asks, query.text)
        by_version, beyond = in_order(asks, version, axis)
        later = (later & (official[:, None] == official)) | (official[:, None] > official)
        in_force = dated & (begins <= force) & (ends >= force)
        given = query.filters.in_force is not None
        lapsed = (ends < force) | ((begins > force) & (stated | given))
        named = _named(query, matches, view)[order] | mentions_termination(query.text)
        lapsed = (lapsed & ~named) | beyond
        acted[named] = 0.0
        instead = np.where(lapsed[:, None], True, np.where(dated[:, None], later, UNDATED)) * in_force
        acts = (acted > 0) | (lapsed[:, None] & given)
        wish = np.where(acts | lapsed[:, None], 1.0, (1 + query.recency) / 2)
        wish[lapsed & given] = GIVEN
        same = _states_the_same(query, matches, view, order, section)
        same[acts] = 1.0
        same = np.maximum(same, _of_one_title(view, rows, lapsed))
        if axis.any():
            instead = np.where(axis, by_version * (in_force | ~dated), instead)
            same = np.maximum(same, axis)
            if asks is not None:
                of_axis = np.clip(1 - (match[:, None] - match) / (3 * self.margin), 0.0, 1.0)
                near = np.where(axis, of_axis, near)
        if acts.any():
            covered = matches.column("query_coverage").values[order]
            margin = self.margin * (1.0 + 2.0 * lapsed[:, None])
            near = np.where(acts, np.clip(1 - (covered[:, None] - covered) / margin, 0.0, 1.0), near)
            near = np.where((acted > AMENDED) & (query.recency > 0), 1.0, near)
        shares = same * near * instead * wish
        by = shares.argmax(axis=1, keepdims=True) if len(order) else np.zeros((0, 1), np.int64)
        columns = np.zeros((6, matches.count))
        columns[:, order] = [
            np.take_along_axis(of, by, axis=1)[:, 0] for of in (shares, same, near, instead, wish, acted)
        ]
        share, same_of, near_of, instead_of, wish_of, acts_of = columns
        newest = query.recency == 1.0

        def tree(at: int) -> Why:
            if not share[at]:
                return Why("nothing states the same instead", 0.0)
            how = (
                "it acts on it"
                if acts_of[at]
                else "the newest is asked for"
                if newest
                else "it states the same"
            )
            return Why.of(
                "superseded", "product", Why(how, float(same_of[at])),
                Why("it says as much of the question", float(near_of[at])),
                Why("it holds instead", float(instead_of[at])),
                Why("it is not in force" if wish_of[at] >= 1 else "(1 + recency) / 2", float(wish_of[at])),
            )  # fmt: skip

        return tree, share

    @staticmethod
    def _match(matches: Ranking) -> Values:
        """What each candidate says of the question (n,), whatever its wording and length."""
        share, covered, of_group, off_topic, ended = (
            matches.column(name).values
            for name in (
                "normalized", "query_coverage", "title_group_coverage", "off_topic_title", "termination",
            )
        )  # fmt: skip
        doubt = 1 - largest_coverage(matches)
        match: Values = (1 - doubt) * (covered + of_group) / 2 + doubt * share - off_topic - ended
        return match


def _named(query: Query, matches: Ranking, view: View) -> NDArray[np.bool_]:
    """Mask of the candidates (n,) that are of a document which the question names by its number."""
    labels = asked(tokenize(query.text), view.analyzer.languages)[0]
    terms = [Term(label, term_hash(label)) for label in labels]
    if not any(view.dfs([term.hash for term in terms])):
        return np.zeros(matches.count, bool)
    found: NDArray[np.bool_] = np.logical_or.reduce(presence(matches.window, matches.chosen, terms))
    return found


def _acted_on(
    view: View, rows: NDArray[np.int64], ends: NDArray[np.int64], force: int
) -> tuple[NDArray[np.int64], Values]:
    """The ends of force of rows (n), also by what supersedes their document or provision at the instant
    `force`; and for each two (n, n) whether the document of one then acts on that of the other."""
    documents, ends = view.column("document", rows), ends.copy()
    acted = np.zeros((len(rows), len(rows)))
    for at, acts in enumerate(acts_on_rows(view, rows)):
        for act in acts:
            if force >= act.until:
                continue
            if ends_all(act):
                ends[at] = min(ends[at], act.since - 1)
            acting = documents == act.by if act.row < 0 else rows == act.row
            if acting.any() and (act.part or act.kind != UPDATES):
                strength = 1.0 if act.part or act.kind in (SUPERSEDES, ANNULS, CORRECTS) else AMENDED
                by = strength * acting
                acted[at], acted[:, at] = np.maximum(acted[at], by), np.maximum(acted[:, at], by)
    return ends, acted


GIVEN = 2.0
"""The wish for what holds at a date that is given beside the question: no better title outweighs it."""

AMENDED = 0.5
"""The mark of an act of which it is not known what part of a document it changes; 1: of all others."""

UNDATED = 0.5
"""How far a passage without a date is superseded by one with a date."""

COMPARED = 100
"""The number of best candidates that are compared with each other."""

CLEARLY = 0.25
"""A note counts the candidates of which so much or more is superseded."""


def _of_one_title(view: View, rows: NDArray[np.int64], of: NDArray[np.bool_]) -> Values:
    """For some of these rows (`of`) and each row (n, n) the share of the words of its title, by their rarity,
    that the title of the other one has; 0 below ONE_TITLE."""
    shares = np.zeros((len(rows), len(rows)))
    if not of.any():
        return shares
    titles = view.titles(rows)
    stems, which = np.unique(titles.stems, return_inverse=True)
    weights = np.log1p(view.n / (1 + np.array(view.dfs(stems.tolist()), np.float64)))
    has = np.zeros((len(titles.ids) + 1, len(stems)), bool)  # the last row: without a title
    has[np.repeat(np.arange(len(titles.ids)), np.diff(titles.start)), which] = True
    for title in np.unique(titles.of[of]).tolist():
        own = np.flatnonzero(has[title])
        share = (has[:, own] * weights[own]).sum(axis=1) / max(weights[own].sum(), LEAST)
        shares[of & (titles.of == title)] = share[titles.of]
    return np.where(shares >= ONE_TITLE, shares, 0.0)


ONE_TITLE = 0.5
"""The share of a title's words by which another document is of the same subject."""


def _states_the_same(
    query: Query, matches: Ranking, view: View, order: NDArray[np.int64], section: NDArray[np.bool_]
) -> Values:
    """For each two of some candidates (n, n) how surely they state the same (`Supersession`); `section`:
    those in sections that a heading dates."""
    if query.recency == 1.0:
        return np.ones((len(order), len(order)))
    rows = matches.rows
    shared = succession(view).shared_words(rows[order])
    same: Values = np.minimum(1.0, 2 * shared * shared * shared)
    group, title = view.titles(rows).group_of[order], matches.column("title").values[order]
    if (np.unique(group[group > 0], return_counts=True)[1] > 1).any():
        titled = (group[:, None] == group) & (group > 0)[:, None]
        same = np.maximum(same, np.where(titled, title[:, None], 0.0))
    document = view.column("document", rows)[order]
    of_list = section[:, None] & section & (query.recency > 0 or bool(query.about))
    return np.where(document[:, None] == document, of_list.astype(np.float64), same)
