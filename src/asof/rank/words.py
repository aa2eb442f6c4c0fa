"""Stages about words: query coverage, title match, and neighbouring text.

A turn of a conversation answers the turn before it: the words of a question may be in one and the answer in
the other. So a passage is also scored by its neighbours, in its document or in a thread of short documents.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.hits import Why
from asof.index import lexical
from asof.index.columns import FIGURE, PLAIN, REPEATED, TitleTable
from asof.index.lexical import Term, hashes_of, idf_why, query_words, rarity, stems_of
from asof.index.segment import Window, WindowPart
from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import Constant, Expression, Given, Values, product, total
from asof.rank.stage import Ranking, places_among
from asof.schema import within
from asof.text.names import asked, is_label
from asof.text.query import figure
from asof.text.tokens import LABEL, term_hash, tokenize

# -- query terms and their weights ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question in a view: its stems, the number of passages that contain it, and its weight."""

    text: str
    terms: tuple[Term, ...]
    df: int
    idf: float
    weight: float

    @property
    def figure(self) -> bool:
        """True if it is a version or another number: such words must match by themselves."""
        return figure(self.text)


def weighted_words(query: Query, view: View) -> tuple[Word, ...]:
    """The words of a question that some passage has, with their weights:

        weight = min(idf, ln(N) / 2)²

    Squared, so that words of half of all passages (won, released) do not outweigh time; bounded at the idf of
    a word that √N passages have: rarer words are not more informative.
    """
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    most = largest_idf(view)
    weighted = []
    for word, _, terms in words:
        if is_label(word):
            continue  # its words count
        df = max(view.dfs([term.hash for term in terms]), default=0)
        if df:
            idf = min(rarity(view.n, df), most)
            weighted.append(Word(word, terms, df, idf, idf * idf))
    return tuple(weighted)


def largest_idf(view: View) -> float:
    """ln(N) / 2: the idf of a word that √N of the N current passages have."""
    return math.log(max(view.n, 2)) / 2


def presence(words: Sequence[Word], window: Window, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask (words, places) of the words in the passages at these places."""
    of_terms = lexical.presence(window, places, [term for word in words for term in word.terms])
    first = np.cumsum([0, *(len(word.terms) for word in words)])[:-1]
    return np.logical_or.reduceat(of_terms, first)


def weighted_share(words: Sequence[Word], present: NDArray[np.bool_]) -> Values:
    """The share of the words' weight in each column of `present` (words, n); 0 without any weight: (n,)."""
    total = np.zeros(present.shape[1])
    for word, row in zip(words, present, strict=True):
        total += np.where(row, word.weight, 0.0)
    whole = total_weight(words)
    return total / whole if whole else total


def total_weight(words: Sequence[Word]) -> float:
    """The weight of all words, summed in their order."""
    whole = 0.0
    for word in words:
        whole += word.weight
    return whole


def weighted_share_why(label: str, words: Sequence[Word], present: Sequence[bool], view: View) -> Why:
    """The tree of one share."""
    if not total_weight(words):
        return Why(f"{label}: no word weighs anything", 0.0)
    trees = [_weight_why(word, view) for word in words]
    trees_present = [tree for tree, is_present in zip(trees, present, strict=True) if is_present]
    return Why.of(
        label,
        "ratio",
        Why.of("weight of those words", "sum", *trees_present),
        Why.of("weight of all query words", "sum", *trees),
    )


def _weight_why(word: Word, view: View) -> Why:
    idf = idf_why(view.n, word.df)
    if idf.value > word.idf:
        idf = Why("idf, at most half of ln N", word.idf)
    return Why.of(f"“{word.text}”", "product", idf, idf)


# -- query coverage of a passage, and of the passages of its title group -------------------------------


@dataclass(frozen=True, slots=True)
class QueryCoverage:
    """The columns `query_coverage` and `title_group_coverage`, in [0, 1]; the ranking stays as it is.

    `query_coverage`: the share of the question's words that the passage has, weighted by rarity
    (`asof.rank.words`). It depends on neither counts nor lengths: two reports of the same
    thing have the same share whatever their wording.

    `title_group_coverage`: the same over all candidates whose titles have the same words, figures apart:
    another edition of a document answers the question in other words. Figures of the question (a version,
    a number) have to be in the passage itself.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        words = weighted_words(query, view)
        present = presence(words, matches.window, matches.chosen)
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


# -- title match: how much of a title the query names, and which words of it it does not ---------------


class _TitleWords(NamedTuple):
    """The words of titles as a question has them: of each the place among the question's stems (`which`, -1:
    none); whether it is a word of the question (`own`) or stands beside some of these (`others`), each once,
    figures neither; whether it is off topic, as it stands before the last of these: another subject ("women's
    singles" by "men's singles"), not a part or a member ("Harbour Guide Deluxe"); and of each title the last
    word of the question in it (`last`, -1: none)."""

    which: NDArray[np.int64]
    own: NDArray[np.bool_]
    others: NDArray[np.bool_]
    off_topic: NDArray[np.bool_]
    last: NDArray[np.int64]


class TitleMatches(NamedTuple):
    """The matches of a question with the titles of some candidates.

    `table`: the titles, and which of them each candidate has. Of each title, all by idf and in [0, 1],
    without figures except in `query_coverage`: the share of the question in it (`query_coverage`), the share
    of it that is of another subject (`off_topic`), and the share of it that is in the question
    (`title_coverage`). `stems` are the stems of the question; `matched`: which of them
    stand in each title (titles, stems). `words`: what each word of a title is.
    """

    table: TitleTable
    query_coverage: Values
    off_topic: Values
    title_coverage: Values
    stems: tuple[str, ...]
    matched: NDArray[np.bool_]
    words: _TitleWords


def match_titles(query: Query, view: View, rows: NDArray[np.int64]) -> TitleMatches:
    """Matches a question with the titles of the documents of these rows."""
    table, terms = view.titles(rows), _question_terms(query, view)
    stems, hashes = tuple(term.word for term in terms), hashes_of(terms)
    words = _title_words(table, hashes)
    which, own, others, off_topic, last = words
    title, n = table.title_of_stem, len(table.ids)
    matched = np.zeros((n, len(stems)), bool)
    asked = which >= 0
    matched[title[asked], which[asked]] = True
    idf = np.zeros(len(table.stems))
    named = own | others
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
        np.where(last >= 0, _share(total(own & ~figures), total(others)), 0.0),
        stems, matched, words,
    )  # fmt: skip


def _title_words(table: TitleTable, hashes: NDArray[np.uint64]) -> _TitleWords:
    which = places_among(table.stems, hashes)
    title, place = table.title_of_stem, np.arange(len(table.stems))
    asked, repeated = which >= 0, (table.kinds & REPEATED) > 0
    figures = np.append((table.kinds & FIGURE)[1:] > 0, False)
    numbered = asked & (place == table.start[title]) & figures & (table.start[title + 1] > place + 2)
    series = np.bincount(which[numbered], minlength=len(hashes)) == len(table.ids)
    telling = (
        asked & ~np.append(series, False)[which]
    )  # all are RFCs: "RFC 3144: ..." says nothing of a topic
    last = np.full(len(table.ids), -1)
    last[title[telling]] = place[telling]  # of equal indices the last one stays
    others = ~asked & ~repeated & ((table.kinds & PLAIN) > 0) & (last[title] >= 0)
    return _TitleWords(which, asked & ~repeated, others, others & (place < last[title]), last)


def _share(some: Values, others: Values) -> Values:
    """some / (some + others); 0 where there are none."""
    return np.divide(some, some + others, out=np.zeros(len(some)), where=some > 0)


def _question_terms(query: Query, view: View) -> tuple[Term, ...]:
    words = query_words(query.lexical, view.analyzer, stop_words=query.stop_words)
    return tuple(dict.fromkeys(term for word in words if not is_label(word.text) for term in word.terms))


def _idfs(
    view: View, stems: NDArray[np.uint64], question: NDArray[np.uint64]
) -> tuple[Values, NDArray[np.int64], list[float]]:
    """The idf of stems of titles; the df and idf of those of the question."""
    different, back = np.unique(np.concatenate([stems, question]), return_inverse=True)
    dfs = view.dfs(different.tolist())
    idf = np.array([rarity(view.n, df) for df in dfs])[back]
    asked = back[len(stems) :]
    return idf[: len(stems)], np.array(dfs, np.int64)[asked], idf[len(stems) :].tolist()


class TitleTrees:
    """The trees of one title's numbers in `TitleMatches`."""

    def __init__(self, title: int, matches: TitleMatches, view: View) -> None:
        table, words = matches.table, matches.words
        here = slice(*table.start[title : title + 2].tolist())
        names = np.array(stems_of(view.prefix, table.stems[here]), object)
        self.own, self.off_topic_terms = (names[mask[here]].tolist() for mask in (words.own, words.off_topic))
        self.is_named = bool(words.last[title] >= 0)
        hash_of = {stem: term_hash(stem) for stem in matches.stems}
        hash_of |= dict(zip(names.tolist(), table.stems[here].tolist(), strict=True))
        self.n, self.dfs = view.n, dict(zip(hash_of, view.dfs(list(hash_of.values())), strict=True))
        self.asked = [stem for stem in matches.stems if self.dfs[stem]]
        self.found = [stem for stem in self.asked if stem in self.own]

    def coverage(self) -> Why:
        if not self.asked:
            return Why("query words in the title: no word weighs anything", 0.0)
        return Why.of(
            "query words in the title", "ratio", self._idf("weight of those words", self.found),
            self._idf("weight of all query words", self.asked),
        )  # fmt: skip

    def off_topic(self) -> Why:
        label, terms = "off-topic title words", self.off_topic_terms
        if not self.is_named:
            return Why("no query word is in the title", 1.0)
        count = Why.of(
            "by count", "ratio",
            Why(_listed(label, terms), float(len(terms))),
            Why("those and the query words in it", float(len(terms) + len(self.own))),
        )  # fmt: skip
        return Why.of("off-topic share of the title", "max", self._part(label, terms), count)

    def _part(self, label: str, terms: Sequence[str]) -> Why:
        """The share of some terms of the title in these and the query words in it."""
        if not terms or not self.own:
            return Why(f"{label}: none", 0.0)
        some = self._idf(_listed(label, terms), terms)
        whole = Why.of("with the query words in it", "sum", some, self._idf("query words in it", self.own))
        return Why.of(label, "ratio", some, whole)

    def _idf(self, label: str, stems: Sequence[str]) -> Why:
        """The tree of the sum of the idf of stems."""
        if not stems:
            return Why(f"{label}: none", 0.0)
        trees = [(stem, idf_why(self.n, self.dfs[stem])) for stem in stems]
        return Why.of(
            label, "sum", *[Why(f"idf of “{stem}”", tree.value, tree.op, tree.parts) for stem, tree in trees]
        )


def _listed(label: str, stems: Sequence[str]) -> str:
    return f"{label}: {', '.join(stems)}" if stems else label


@dataclass(frozen=True, slots=True)
class TitleColumns:
    """The columns `title` and `off_topic_title`, in [0, 1]; see `TitleMatches`. The ranking stays as it is.

        off_topic_title = off_topic · the largest title · (1 - off_topic) of any candidate

    A title of another subject counts as far as the question names some title. Untitled documents have 0 in
    both. Where a document is asked for that acts on another one ("which PEP replaced PEP 563"),
    off_topic_title is 1 for passages of that one and for those that do not name its number, 0 for all others.
    """

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranked = ranking.matching()
        matches = match_titles(query, view, ranked.rows)
        of = matches.table.of
        named = float((matches.query_coverage * (1 - matches.off_topic)).max(initial=0.0))

        def explained(tree: Callable[[TitleTrees], Why]) -> Callable[[int], Why]:
            def why(at: int) -> Why:
                if of[at] < 0:
                    return Why("it has no title", 0.0)
                return tree(TitleTrees(int(of[at]), matches, view))

            return why

        def column(label: str, values: Values, tree: Callable[[TitleTrees], Why]) -> Given:
            return Given(label, np.append(values, 0.0)[of], explained(tree))

        title = column("title", matches.query_coverage, TitleTrees.coverage)
        off_topic: Expression = product(
            "title of another subject",
            column("off-topic share", matches.off_topic, TitleTrees.off_topic),
            Constant("share of the question in a title that is on topic", named),
        )
        beside = _beside_what_is_asked(query, ranked, view)
        if beside.any():
            off_topic = Given("another one is asked for, which names that one", beside.astype(np.float64))
        ranked = ranked.with_column("title", title, by=False, high=1.0)
        return ranked.with_column("off_topic_title", off_topic, by=False, high=1.0)


def _beside_what_is_asked(query: Query, ranking: Ranking, view: View) -> NDArray[np.bool_]:
    """Mask of the candidates (n,) that cannot answer a question for a document that acts on another one
    ("which PEP replaced PEP 563"): all that do not act on it, where that is known (`asof.text.acts`); else
    those of that one, and those that do not name its number."""
    words = tokenize(query.text)
    labels = asked(words, view.analyzer.languages)[1]
    if not any(view.dfs([term_hash(each) for each in labels])):
        return np.zeros(ranking.count, bool)
    from asof.text.acts import kinds_asked

    kinds = kinds_asked(words)
    acting = [act.document for act in view.store.acts_on(labels) if act.kind in kinds]
    beside = ~np.isin(view.column("document", ranking.rows), np.array(acting, np.int64))
    if not beside.all():
        return beside

    def there(words: Sequence[str]) -> NDArray[np.bool_]:
        terms = [Term(word, term_hash(word)) for word in words]
        found = lexical.presence(ranking.window, ranking.chosen, terms)
        return np.asarray(np.logical_or.reduce(found), bool)

    numbers = [each.partition(LABEL)[2] for each in labels]
    return there(labels) | ~there([*numbers, *(each.replace(LABEL, "") for each in labels)])


# -- neighbours in a version of a document, or in a thread of short documents --------------------------

STEPS = np.array([[-2], [-1], [1], [2]])

HOUR = 3_600_000_000

GAP = 5 * 60 * 1_000_000
"""Documents with consecutive numbers are a thread when they are at most so far apart (five minutes)."""

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)
_PASSAGES = (
    "SELECT h.path, p.id, v.visible FROM heads AS h JOIN passages AS p ON p.document = h.document"
    " AND p.head = h.id JOIN versions AS v ON v.id = p.version"
    " WHERE h.path IN (SELECT value FROM json_each(?))"
)


def neighbours(
    view: View, window: Window, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The places two before, one before, one after and two after each of some places (4, n; -1: none), and
    which of these have neighbours in their own document (n)."""
    out = _in_documents(view, window, places)
    within_document: NDArray[np.bool_] = np.logical_or.reduce(out >= 0)
    _fill_threads(view, window, places, out)
    return out, within_document


def _in_documents(view: View, window: Window, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same of the passages of their documents alone."""
    rows = window.rows(places)
    versions = _Versions(*(view.column(name, rows) for name in ("visible", "digest", "document")))
    numbers = view.column("number", rows) + STEPS
    out = np.full(numbers.shape, -1, np.int64)
    for part in window.parts:
        its, of = part.prefix.segment.documents, versions.document
        here = np.flatnonzero((of >= its.start) & (of < its.stop) & ((of - its.start) % its.step == 0))
        if len(here):
            own = places[here] - part.offset + part.first
            found = _numbers_at(part, versions.at(here), numbers[:, here], own)
            out[:, here] = np.maximum(out[:, here], found)
    return out


class _Versions(NamedTuple):
    """Versions of documents (n): when each began, the digest of what the document was called then, and the
    document. Passages of a document that begin at one instant are of one version."""

    visible: NDArray[np.int64]
    digest: NDArray[np.int64]
    document: NDArray[np.int64]

    def at(self, which: NDArray[np.int64]) -> _Versions:
        return _Versions(*(each[which] for each in self))


def _numbers_at(
    part: WindowPart, versions: _Versions, numbers: NDArray[np.int64], own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The places (4, n) of the passages with these numbers, of n versions; -1: not in this part. `own`: the
    rows of passages of them, if they are in this part.

    Nearly always neighbours are the next rows, or there are none. They need not be: rows may have been
    written at different times, with retired rows between them, and those of another document that had the
    same path. Such ones are looked for.
    """
    segment = part.prefix.segment
    moments, digests = segment["visible"], segment["digest"]
    at = np.clip(own + STEPS, part.first, part.last - 1)
    of_version = (moments[at] == versions.visible) & (digests[at] == versions.digest)
    of_version &= at != own
    found = of_version & (segment["number"][at] == numbers) & _visible_of(part, at, versions.document)
    certain = found | ~of_version  # there and beyond is no row of this one, if that between is found
    certain &= (own >= part.first) & (own < part.last)
    out = np.where(found, at - part.first + part.offset, -1)
    left = np.flatnonzero(~np.logical_and.reduce(certain))
    if len(left):
        out[:, left] = _searched(part, versions.at(left), numbers[:, left])
    return out


def _visible_of(part: WindowPart, rows: NDArray[np.int64], document: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask of the rows that are current, and of these documents."""
    return np.asarray(
        ~part.prefix.dead_mask[rows] & (part.prefix.segment["document"][rows] == document), bool
    )


def _searched(part: WindowPart, versions: _Versions, number: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same as `_numbers_at`, by bisection of all rows of an instant."""
    segment, digest = part.prefix.segment, versions.digest
    moments, digests, numbers = (
        segment["visible"][part.first : part.last],
        segment["digest"],
        segment["number"],
    )
    first, end = (np.searchsorted(moments, versions.visible, side) + part.first for side in ("left", "right"))

    def before(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mask of the rows that precede the given ones, by document and number."""
        same, smaller = digests[rows] == digest, digests[rows] < digest
        return np.asarray(smaller | (same & (numbers[rows] < number)), bool)

    low, high = (np.broadcast_to(side, number.shape) for side in (first, end))
    while (wide := low < high).any():  # bisection of all at once
        middle = np.where(wide, (low + high) // 2, part.first)
        earlier = before(middle)
        low = np.where(wide & earlier, middle + 1, low)
        high = np.where(wide & ~earlier, middle, high)
    while True:
        at = np.minimum(low, part.last - 1)
        same = (low < end) & (digests[at] == digest) & (numbers[at] == number)
        other = same & ~_visible_of(part, at, versions.document)
        if not other.any():
            return np.where(same, at - part.first + part.offset, -1)
        low = low + other


def _fill_threads(view: View, window: Window, places: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Fill in documents with consecutive numbers that are close in time: of each its last passage."""
    seek, said = _without_place(view, window, places, out)
    wanted: dict[str, list[tuple[int, int]]] = {}
    for of, record in enumerate(view.records(window.rows(places[seek]))):
        for at, name in _numbered(record.path):
            wanted.setdefault(name, []).append((at, of))
    if not wanted:
        return
    found = view.store.db.execute(_PASSAGES, (json.dumps(list(wanted)),)).fetchall()
    rows = view.prefix.rows_of(np.array([passage for _, passage, _ in found], np.int64))
    there = np.where(rows >= 0, window.places(rows), -1)
    current = np.flatnonzero(there >= 0)
    current = current[window.visible(there[current])]
    keys = [view.column(name, rows[current]) for name in ("passage", "added", "number", "visible")]
    for which in current[np.lexsort(keys)].tolist():
        name, _, moment = found[which]
        for at, of in wanted[name]:
            if abs(moment - int(said[of])) <= GAP:
                out[at, seek[of]] = there[which]


def _without_place(
    view: View, window: Window, places: NDArray[np.int64], out: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The candidates that may be of a thread: without neighbours in their document, and dated to the minute;
    and the instants since which they say what they do."""
    rows = window.rows(places)
    said = view.column("said", rows)
    to_the_hour = (said + 1) % HOUR == 0  # dated to a day or an hour: no thread follows from that
    dated = view.column("dated", rows).astype(bool)
    seek = np.flatnonzero(~(out >= 0).any(axis=0) & ~to_the_hour & dated)
    return seek, said[seek]


def _numbered(name: str) -> Iterator[tuple[int, str]]:
    """The names before and after one by number, with their places in STEPS; none where it ends in none."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        return
    stem, figures = numbered.groups()
    width = len(figures) if figures[0] == "0" else 1
    for at, step in enumerate(STEPS[:, 0].tolist()):
        if int(figures) + step >= 0:
            yield at, f"{stem}{int(figures) + step:0{width}}"


# -- neighbouring text ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NeighbouringText:
    """The column `neighbouring_text`: how well the neighbours of a passage match the words of the question.

        neighbouring_text = s(-1) + s(+1) + (s(-2) + s(+2)) / 2        s: BM25 / the best BM25

    times `document` within a document, whose passages are long enough to match by themselves. It expects the
    column `lexical`, in which passages that do not pass the filters have 0. The neighbours
    of a passage are those of the same version of its document, and documents whose ids end in the next number
    ("call-7/12", "call-7/13") and that were published within five minutes.
    """

    document: float = within(0.5, 0.0, 1.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        beside, within_document = neighbours(view, matches.window, matches.chosen)
        own, words = matches.column("lexical"), matches.whole["lexical"]
        scores: Values = np.where(beside >= 0, words.values[beside], 0.0)
        best = max(float(scores.max(initial=0.0)), float(own.values.max(initial=0.0)))
        near = scores / best if best else scores
        factor = np.where(within_document, self.document, 1.0)

        def nearby(step: int) -> Expression:
            label = ("2 before", "1 before", "1 after", "2 after")[step]

            def tree(at: int) -> Why:
                if not near[step, at]:  # none, one without the words, or one that the filters leave out
                    return Why(f"{label}: nothing", 0.0)
                return Why.of(label, "ratio", words.why(int(beside[step, at])), Why("best of all", best))

            return Given(label, near[step], tree)

        before_2, before_1, after_1, after_2 = map(nearby, range(len(STEPS)))
        two_away = product("two away", total("both", before_2, after_2), Constant("half", 0.5))
        around = total("around it", total("adjacent passages", before_1, after_1), two_away)
        text = product("neighbouring text", around, Given("weight of its neighbours", factor))
        return matches.with_column("neighbouring_text", text, by=False, high=3.0)
