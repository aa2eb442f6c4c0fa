"""Titles as names: how much of a document's title a question names, and the words that it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.lexical import Bm25, idf_why
from asof.index.view import View
from asof.rank.features.titles import titles
from asof.rank.stage import Ranking, Values
from asof.text.query import parse
from asof.text.titles import TitleMatch, TitleStems, figure
from asof.text.tokens import term_hash


@dataclass(frozen=True, slots=True)
class TitleMatches:
    """How a question matches the titles of some candidates; arrays in their order.

    `title_of`: which of `titles` each has (-1: none). Of each title, all by idf and in [0, 1], without
    figures except in `query_coverage`: the share of the question in it (`query_coverage`), the share of it
    that is of another subject (`off_topic`) or beyond the question (`extra`), and the share of it that is in
    the question (`title_coverage`). `stems` are the stems of the question.
    """

    title_of: NDArray[np.int64]
    titles: tuple[TitleStems, ...]
    matches: tuple[TitleMatch, ...]
    query_coverage: Values
    off_topic: Values
    extra: Values
    title_coverage: Values
    weights: StemWeights
    stems: tuple[str, ...]

    def coverage_why(self, title: int) -> Why:
        matched = tuple(stem for stem in self.stems if stem in self.matches[title].matched)
        return _ratio_why(self.weights, "query words in the title", matched, self.stems)

    def off_topic_why(self, title: int) -> Why:
        match = self.matches[title]
        if not match.matched:
            return Why("no query word is in the title", 1.0)
        count = Why.of(
            "by count", "ratio",
            Why(_listed("off-topic title words", match.off_topic), float(len(match.off_topic))),
            Why("those and the query words in it", float(len(match.off_topic) + len(match.matched))),
        )  # fmt: skip
        weight = _part_why(self.weights, "off-topic title words", match.off_topic, match.matched)
        return Why.of("off-topic share of the title", "max", weight, count)

    def extra_why(self, title: int) -> Why:
        match = self.matches[title]
        return _part_why(self.weights, "extra title terms", match.extra, match.matched)


@dataclass(frozen=True, slots=True)
class StemWeights:
    """The idf of stems in a view."""

    n: int
    dfs: Mapping[str, int]
    idf: Mapping[str, float]

    @classmethod
    def of(cls, stems: Sequence[str], view: View) -> StemWeights:
        dfs = dict(zip(stems, view.prefix.dfs([term_hash(stem) for stem in stems]), strict=True))
        return cls(view.n, dfs, {stem: Bm25().idf(view.n, df) for stem, df in dfs.items()})

    def sum(self, stems: Sequence[str]) -> float:
        """Their idf, summed in order."""
        total = 0.0
        for stem in stems:
            total += self.idf[stem]
        return total

    def why(self, label: str, stems: Sequence[str]) -> Why:
        """The tree of that sum."""
        if not stems:
            return Why(f"{label}: none", 0.0)
        trees = [idf_why(self.n, self.dfs[stem]) for stem in stems]
        return Why.of(
            label, "sum",
            *[Why(f"idf of “{stem}”", tree.value, tree.op, tree.parts)
              for stem, tree in zip(stems, trees, strict=True)],
        )  # fmt: skip


def match_titles(query: Query, view: View, rows: NDArray[np.int64]) -> TitleMatches:
    """How a question matches the titles of the documents of these rows."""
    title_table = titles(view, rows)
    stems = tuple(
        dict.fromkeys(
            stem
            for word, _ in parse(query.lexical, view.analyzer, stop_words=query.stop_words).words
            for stem in view.analyzer.alternatives(word)
        )
    )
    matches = tuple(TitleMatch.of(title, frozenset(stems)) for title in title_table.each)
    near = [
        stem for each in matches if each.matched for stem in (*each.matched, *each.off_topic, *each.extra)
    ]
    weights = StemWeights.of(tuple(dict.fromkeys([*stems, *near])), view)
    stems = tuple(stem for stem in stems if weights.dfs[stem])
    return TitleMatches(
        title_table.which, title_table.each, matches,
        _shares(stems, matches, weights),
        np.array([off_topic_weight(each, weights) for each in matches]),
        np.array([_part(each.extra, each.matched, weights) for each in matches]),
        np.array([_title_coverage(each, weights) for each in matches]),
        weights, stems,
    )  # fmt: skip


def off_topic_weight(match: TitleMatch, weights: StemWeights) -> float:
    """The share of another subject's words in the named part of a title: by idf or by count, the larger one.

    1 for a title without any word of the question.
    """
    if not match.matched:
        return 1.0
    if not match.off_topic:
        return 0.0
    count = len(match.off_topic) / (len(match.off_topic) + len(match.matched))
    return max(_part(match.off_topic, match.matched, weights), count)


def _part(some: tuple[str, ...], others: tuple[str, ...], weights: StemWeights) -> float:
    if not some or not others:
        return 0.0
    own = weights.sum(some)
    return own / (own + weights.sum(others)) if own else 0.0


def _shares(stems: tuple[str, ...], matches: Sequence[TitleMatch], weights: StemWeights) -> Values:
    """The share of the question in each title; computed once for titles that match the same words."""
    whole = weights.sum(stems)
    share: dict[tuple[str, ...], float] = {}
    for matched in {each.matched for each in matches}:
        share[matched] = weights.sum([stem for stem in stems if stem in matched]) / whole if whole else 0.0
    return np.array([share[each.matched] for each in matches])


def _ratio_why(weights: StemWeights, label: str, some: tuple[str, ...], whole: tuple[str, ...]) -> Why:
    if not weights.sum(whole):
        return Why(f"{label}: no word weighs anything", 0.0)
    return Why.of(
        label,
        "ratio",
        weights.why("weight of those words", some),
        weights.why("weight of all query words", whole),
    )


def _part_why(weights: StemWeights, label: str, some: tuple[str, ...], others: tuple[str, ...]) -> Why:
    if not some or not others or not weights.sum(some):
        return Why(f"{label}: none", 0.0)
    own = weights.why(_listed(label, some), some)
    return Why.of(
        label,
        "ratio",
        own,
        Why.of("with the query words in it", "sum", own, weights.why("query words in it", others)),
    )


def _listed(label: str, stems: tuple[str, ...]) -> str:
    return f"{label}: {', '.join(stems)}" if stems else label


def _title_coverage(match: TitleMatch, weights: StemWeights) -> float:
    plain = tuple(stem for stem in match.matched if not figure(stem))
    if not plain:
        return 0.0
    left = weights.sum((*match.off_topic, *match.extra))
    own = weights.sum(plain)
    return own / (own + left) if own else 0.0


@dataclass(frozen=True, slots=True)
class TitleColumns:
    """The columns `title`, `off_topic_title_terms` and `extra_title_terms`, in [0, 1]; see `TitleMatches`.

    Untitled documents have 0 in all three. The ranking stays as it is.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranked = ranking.matching()
        rows = ranked.rows
        names = match_titles(query, view, rows)
        at = dict(zip(rows.tolist(), names.title_of.tolist(), strict=True))
        columns: dict[str, tuple[Values, Callable[[int], Why]]] = {
            "title": (names.query_coverage, names.coverage_why),
            "off_topic_title_terms": (names.off_topic, names.off_topic_why),
            "extra_title_terms": (names.extra, names.extra_why),
        }
        for name, (values, why) in columns.items():
            ranked = ranked.with_column(
                name, _spread(values, names.title_of), _of_title(why, at), by=False, high=1.0
            )
        return ranked


def _spread(values: Values, title: NDArray[np.int64]) -> Values:
    """The number of each candidate's title, 0 where it has none."""
    out = np.zeros(len(title))
    out[title >= 0] = values[title[title >= 0]]
    return out


def _of_title(why: Callable[[int], Why], title_of: Mapping[int, int]) -> Callable[[int], Why]:
    return lambda row: why(title_of[row]) if title_of[row] >= 0 else Why("it has no title", 0.0)
