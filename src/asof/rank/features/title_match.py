"""Titles as names: how much of a document's title a question names, and the words that it does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.forward import stems_of
from asof.index.lexical import Bm25, Term, hashes_of, idf_why, query_words
from asof.index.titles import FIGURE, PLAIN, REPEATED, TitleTable
from asof.index.view import View
from asof.rank.expression import Given, Values
from asof.rank.stage import Ranking
from asof.text.titles import TitleMatch, TitleStems
from asof.text.tokens import term_hash


class TitleMatches(NamedTuple):
    """How a question matches the titles of some candidates.

    `table`: the titles, and which of them each candidate has. Of each title, all by idf and in [0, 1],
    without figures except in `query_coverage`: the share of the question in it (`query_coverage`), the share
    of it that is of another subject (`off_topic`) or beyond the question (`extra`), and the share of it that
    is in the question (`title_coverage`). `stems` are the stems of the question; `matched`: which of them
    stand in each title (titles, stems).
    """

    table: TitleTable
    query_coverage: Values
    off_topic: Values
    extra: Values
    title_coverage: Values
    stems: tuple[str, ...]
    matched: NDArray[np.bool_]


def match_titles(query: Query, view: View, rows: NDArray[np.int64]) -> TitleMatches:
    """How a question matches the titles of the documents of these rows (`TitleMatch`, of all at once)."""
    table, terms = view.titles(rows), _question_terms(query, view)
    stems, hashes = tuple(term.word for term in terms), hashes_of(terms)
    which, own, off_topic, extra, last = _title_words(table, hashes)
    title, n = table.title_of_stem, len(table.ids)
    matched = np.zeros((n, len(stems)), bool)
    asked = which >= 0
    matched[title[asked], which[asked]] = True
    idf = np.zeros(len(table.stems))
    named = own | off_topic | extra
    idf[named], df, question_idf = _idfs(view, table.stems[named], hashes)

    def total(some: NDArray[np.bool_]) -> Values:
        """The idf of some stems of each title, summed in their order."""
        return np.bincount(title[some], idf[some], n).astype(np.float64, copy=False)

    def count(some: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(title[some], minlength=n)

    weight, few = total(own), count(off_topic)
    by_count = few / np.maximum(few + count(own), 1)
    other = np.where(few > 0, np.maximum(_share(total(off_topic), weight), by_count), 0.0)
    covered, whole = np.zeros(n), 0.0
    for stem in np.flatnonzero(df).tolist():
        covered += np.where(matched[:, stem], question_idf[stem], 0.0)
        whole += question_idf[stem]
    figures = (table.kinds & FIGURE) > 0
    return TitleMatches(
        table, covered / whole if whole else covered,
        np.where(last >= 0, other, 1.0),
        _share(total(extra), weight),
        _share(total(own & ~figures), total(off_topic | extra)),
        stems, matched,
    )  # fmt: skip


class _TitleWords(NamedTuple):
    """The words of titles as a question has them: of each the place among the question's stems (`which`, -1:
    none); whether it is a word of the question, off topic, or extra, each once; and of each title the last
    word of the question in it (`last`, -1: none)."""

    which: NDArray[np.int64]
    own: NDArray[np.bool_]
    off_topic: NDArray[np.bool_]
    extra: NDArray[np.bool_]
    last: NDArray[np.int64]


def _title_words(table: TitleTable, hashes: NDArray[np.uint64]) -> _TitleWords:
    which = _places_of(table.stems, hashes)
    title, place = table.title_of_stem, np.arange(len(table.stems))
    asked, repeated = which >= 0, (table.kinds & REPEATED) > 0
    last = np.full(len(table.ids), -1)
    last[title[asked]] = place[asked]  # of equal indices the last one stays
    plain = ~asked & ((table.kinds & PLAIN) > 0)
    off_topic = plain & ~repeated & (place < last[title])
    extra = plain & (last[title] >= 0) & (place > last[title])
    if (extra & repeated).any():  # it may stand before the last word of the question, too
        at = np.flatnonzero(extra)
        _, first = np.unique(
            np.stack([title[at].astype(np.uint64), table.stems[at]]), axis=1, return_index=True
        )
        extra = np.isin(place, at[first])
    return _TitleWords(which, asked & ~repeated, off_topic, extra, last)


def _share(some: Values, others: Values) -> Values:
    """some / (some + others); 0 where there are none."""
    return np.divide(some, some + others, out=np.zeros(len(some)), where=some > 0)


def _question_terms(query: Query, view: View) -> tuple[Term, ...]:
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    return tuple(dict.fromkeys(term for word in words for term in word.terms))


def _places_of(values: NDArray[np.uint64], among: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each value its place among different ones; -1: none."""
    if not len(among):
        return np.full(len(values), -1)
    order = np.argsort(among)
    at = order[np.minimum(np.searchsorted(among[order], values), len(among) - 1)]
    return np.where(among[at] == values, at, -1)


def _idfs(
    view: View, stems: NDArray[np.uint64], question: NDArray[np.uint64]
) -> tuple[Values, NDArray[np.int64], list[float]]:
    """The idf of stems of titles; the df and idf of those of the question."""
    different, back = np.unique(np.concatenate([stems, question]), return_inverse=True)
    dfs = view.dfs(different.tolist())
    bm25 = Bm25()
    idf = np.array([bm25.idf(view.n, df) for df in dfs])[back]
    asked = back[len(stems) :]
    return idf[: len(stems)], np.array(dfs, np.int64)[asked], idf[len(stems) :].tolist()


@dataclass(frozen=True, slots=True)
class TitleTrees:
    """The trees of one title's numbers in `TitleMatches`; `stems` are those of the question."""

    match: TitleMatch
    weights: StemWeights
    stems: tuple[str, ...]

    @classmethod
    def of(cls, title: int, matches: TitleMatches, view: View) -> TitleTrees:
        """Of one of the titles."""
        table = matches.table
        first, last = table.start[title : title + 2].tolist()
        hashes = table.stems[first:last]
        stems = tuple(stems_of(view.prefix, hashes))
        plain = tuple(np.array(stems)[(table.kinds[first:last] & PLAIN) > 0].tolist())
        match = TitleMatch.of(TitleStems(stems, plain, ()), frozenset(matches.stems))
        hash_of = {stem: term_hash(stem) for stem in matches.stems} | dict(
            zip(stems, hashes.tolist(), strict=True)
        )
        weights = StemWeights(view.n, dict(zip(hash_of, view.dfs(list(hash_of.values())), strict=True)))
        return cls(match, weights, tuple(stem for stem in matches.stems if weights.dfs[stem]))

    def coverage(self) -> Why:
        matched = tuple(stem for stem in self.stems if stem in self.match.matched)
        return _ratio_why(self.weights, "query words in the title", matched, self.stems)

    def off_topic(self) -> Why:
        match = self.match
        if not match.matched:
            return Why("no query word is in the title", 1.0)
        count = Why.of(
            "by count", "ratio",
            Why(_listed("off-topic title words", match.off_topic), float(len(match.off_topic))),
            Why("those and the query words in it", float(len(match.off_topic) + len(match.matched))),
        )  # fmt: skip
        weight = _part_why(self.weights, "off-topic title words", match.off_topic, match.matched)
        return Why.of("off-topic share of the title", "max", weight, count)

    def extra(self) -> Why:
        return _part_why(self.weights, "extra title terms", self.match.extra, self.match.matched)


@dataclass(frozen=True, slots=True)
class StemWeights:
    """The idf of stems in a view."""

    n: int
    dfs: Mapping[str, int]

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


def _ratio_why(weights: StemWeights, label: str, some: tuple[str, ...], whole: tuple[str, ...]) -> Why:
    if not whole:
        return Why(f"{label}: no word weighs anything", 0.0)
    return Why.of(
        label,
        "ratio",
        weights.why("weight of those words", some),
        weights.why("weight of all query words", whole),
    )


def _part_why(weights: StemWeights, label: str, some: tuple[str, ...], others: tuple[str, ...]) -> Why:
    if not some or not others:
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


@dataclass(frozen=True, slots=True)
class TitleColumns:
    """The columns `title`, `off_topic_title_terms` and `extra_title_terms`, in [0, 1]; see `TitleMatches`.

    Untitled documents have 0 in all three. The ranking stays as it is.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranked = ranking.matching()
        matches = match_titles(query, view, ranked.rows)
        of = matches.table.of
        columns: dict[str, tuple[Values, Callable[[TitleTrees], Why]]] = {
            "title": (matches.query_coverage, TitleTrees.coverage),
            "off_topic_title_terms": (matches.off_topic, TitleTrees.off_topic),
            "extra_title_terms": (matches.extra, TitleTrees.extra),
        }

        def explained(tree: Callable[[TitleTrees], Why]) -> Callable[[int], Why]:
            def why(at: int) -> Why:
                if of[at] < 0:
                    return Why("it has no title", 0.0)
                return tree(TitleTrees.of(int(of[at]), matches, view))

            return why

        for name, (values, tree) in columns.items():
            column = Given(name, np.append(values, 0.0)[of], explained(tree))
            ranked = ranked.with_column(name, column, by=False, high=1.0)
        return ranked


NAMED, MOSTLY = 0.2, 0.5
"""A title is named when it has no off-topic terms, more than NAMED of the question's words, and extra terms
of at most MOSTLY of its own weight."""


def names_a_title(ranking: Ranking) -> bool:
    """Whether the question names the title of some candidate, by the columns of `TitleColumns`."""
    title, off_topic, extra = (
        ranking.column(name).values for name in ("title", "off_topic_title_terms", "extra_title_terms")
    )
    return bool(((off_topic == 0.0) & (extra <= MOSTLY) & (title > NAMED)).any())
