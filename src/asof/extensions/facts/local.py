"""Local retrieval over facts, and the recipe `tgrag` (TG-RAG, arXiv 2510.13590, section III-B, algorithm 1).

The facts of the best passages by words are ranked by gamma, their nearness to the question. The best of them
form the question's graph, whose nodes are the names they relate. Personalised PageRank (`pagerank.py`) from
the nodes of the facts within the question's time T_q scores nodes, nodes score facts, and facts score
passages:

    s(e) = 1[time of e in T_q] · (s(subject) + s(object))             (2)
    s(c) = w(c) · sum over the facts e of c of s(e)                   (3)
    w(c) = product over the facts e of c of (1 + confidence(e))

Facts are columns, and all sums and products are in their order, which depends on their content alone.
PageRank walks along the facts of all times; only after that the scope counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.extensions.facts.pagerank import personalized_pagerank
from asof.extensions.facts.store import CHANGE, VALUE
from asof.extensions.facts.visible import StatedFact, facts_of
from asof.hits import Why
from asof.index.vectors import VECTOR_SCALE, quantise
from asof.index.view import View
from asof.queries import Query
from asof.rank.combine import Combine, MaxNormalize
from asof.rank.expression import Constant, Given, RankingColumn, Values, ratio
from asof.rank.gather import Lexical, TopK, question_vector
from asof.rank.rerank import RoundRobinByDocument, append_below
from asof.rank.stage import Ranking, Recipe
from asof.rank.times import match_times
from asof.rank.words import weighted_share, weighted_words
from asof.schema import choice, within
from asof.store.reader import StoredPassage, records
from asof.text.query import key
from asof.time.span import Span, holds_in, nearest

# -- scores of facts and passages ------------------------------------------------------------------


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def seed_weights(n: int, heads: Integers, tails: Integers, within: Mask) -> Floats:
    """1 for the entities (n,) of the facts that are within the scope, 0 for all others: where walks begin."""
    touched = np.zeros(n)
    touched[heads[within]] = 1
    touched[tails[within]] = 1
    return touched


def edge_scores(entities: Floats, heads: Integers, tails: Integers, within: Mask | None = None) -> Floats:
    """s(e) of each fact from the scores of entities (2); with no `within`, of facts of all times alike."""
    scores = entities[heads] + entities[tails]
    return scores if within is None else np.where(within, scores, 0.0)


def confidence_scores(confidence: Floats, within: Mask | None = None) -> Floats:
    """s(e) without the graph: the confidence of each fact that is within the scope."""
    return confidence.copy() if within is None else np.where(within, confidence, 0.0)


def chunk_weight(chunks: Integers, confidence: Floats, many: int) -> Floats:
    """w(c) of passages 0 to many - 1; 1 for one without a fact, infinite beyond 1,023 certain facts."""
    weights = np.ones(many)
    with np.errstate(over="ignore"):
        np.multiply.at(weights, chunks, 1 + confidence)
    return weights


def chunk_scores(weights: Floats, chunks: Integers, edges: Floats) -> Floats:
    """s(c) of each passage from the scores of facts, with w(c) as `weights` (3)."""
    many = len(weights)
    sums = np.bincount(chunks, edges, many)
    return np.multiply(weights, sums, out=np.zeros(many), where=sums > 0)


# -- gamma by vectors ------------------------------------------------------------------------------
#
#     gamma(e) = cos(e_q, e_e), 0 where it is negative      (section III-B2)
#
# of the vectors of the question and of a description of a relation (section III-A2).


MAX_VECTORS = 200_000
"""The most vectors of descriptions in memory, where they are kept between questions."""


def fact_cosines(query: Query, view: View, facts: Sequence[StatedFact]) -> Values:
    """gamma of each fact (n,), in [0, 1]; the view has to have an encoder."""
    if not facts:
        return np.zeros(0)
    vectors = text_vectors(view, [relation_text(each) for each in facts]).astype(np.int64)
    products = vectors @ question_vector(query, view).astype(np.int64)
    return np.clip(products / float(VECTOR_SCALE * VECTOR_SCALE), 0.0, 1.0)


def relation_text(known: StatedFact) -> str:
    """The description of a relation: the title of its document, subject, relation, object, time, and its
    sentence."""
    return f"{known.passage.title}: {_label(known, ' ')}. {known.sentence}".strip()


def text_vectors(view: View, texts: Sequence[str]) -> NDArray[np.int16]:
    """Vectors (n, d) of texts by the encoder of the view, which has to have one, as whole numbers; each text
    is encoded once in a process. Raises ModelError."""
    assert view.encoder is not None  # noqa: S101  callers check
    vectors: dict[tuple[str, bytes], NDArray[np.int16]] = view.derived.memo.setdefault("text vectors", {})
    name = view.encoder.name
    digests = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
    keys = [(name, digest) for digest in digests]
    found = {key: vector for key in keys if (vector := vectors.get(key)) is not None}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
    if missing:
        found |= dict(zip(missing, quantise(view.encoder.encode(list(missing.values()))), strict=True))
        if len(vectors) + len(missing) > MAX_VECTORS:
            vectors.clear()
        vectors.update(found)
    return np.stack([found[key] for key in keys])


# -- gamma by words: the share of the question that a fact covers ----------------------------------


MAX_CACHED = 200_000
"""The number of facts whose stems are cached between questions."""

Stems = frozenset[str]


def gammas(query: Query, view: View, facts: Sequence[StatedFact]) -> Values:
    """The share of the question's words that each fact covers (n,), in [0, 1]; the mean of two readings:

    narrow: the words of its subject, relation and object, and of the title, headings and searched metadata of
    its passage; wide: those of its whole sentence too. Words are weighted by
    `asof.rank.words`, from statistics of the view alone.
    """
    words = weighted_words(query, view)
    if not words or not facts:
        return np.zeros(len(facts))
    number_of = {term.word: number for number, word in enumerate(words) for term in word.terms}
    stems = frozenset(number_of)
    narrow = np.zeros((len(words), len(facts)), bool)
    wide = np.zeros((len(words), len(facts)), bool)
    read = records(view.store.db, {each.passage.passage for each in facts})
    above = {passage: stems & _above(record, view) for passage, record in read.items()}
    for at, each in enumerate(facts):
        passage = each.passage.passage
        own, sentence = _stems(each, read[passage].language, view)
        for stem in above[passage] | (own & stems):
            narrow[number_of[stem], at] = True
        for stem in sentence & stems:
            wide[number_of[stem], at] = True
    return (weighted_share(words, narrow) + weighted_share(words, wide | narrow)) * 0.5


def _stems(known: StatedFact, language: str, view: View) -> tuple[Stems, Stems]:
    """The stems of a fact, and of its sentence. They depend on its words alone."""
    fact = known.fact
    cached: dict[Any, tuple[Stems, Stems]] = view.derived.memo.setdefault("fact stems", {})
    cache_key = known.passage.passage, fact.start, fact.end, fact.subject, fact.relation, fact.object
    stems = cached.get(cache_key)  # read once: another thread may clear the cache
    if stems is None:
        if len(cached) > MAX_CACHED:
            cached.clear()
        own = view.analyzer.terms(f"{fact.subject} {fact.relation} {fact.object}", language)
        sentence = view.analyzer.terms(known.passage.text[fact.start : fact.end], language)
        stems = cached[cache_key] = frozenset(own), frozenset(sentence)
    return stems


def _above(record: StoredPassage, view: View) -> Stems:
    """The stems of title, headings and searched metadata."""
    return frozenset(
        view.analyzer.terms(f"{record.title}\n{record.headings}\n{record.keywords}", record.language)
    )


# -- the stage -------------------------------------------------------------------------------------


NEAR_BY_WORDS, NEAR_BY_COSINE = "query words in it", "cosine of question and fact"
"""The name of gamma in explanations."""


@dataclass(frozen=True, slots=True)
class Local:
    """The column `local`:

        s(v) = personalised PageRank of v on the graph of the question, from the nodes of facts in its time
        s(e) = s(v1) + s(v2) if fact e holds in its time, else 0
        s(c) = product of (1 + gamma(e)) · sum of s(e), both over the facts e of passage c in that graph

    The graph has the `facts` best by gamma of the `passages` best passages (and of as many of the question's
    time). `gamma`: "cosine", as published, in a corpus with an encoder; "words"; "auto": cosine where there
    is an encoder. (By the letter of Eq. 3 the sum is over the whole graph, the same for every passage.)
    Without `ppr`, s(e) = gamma(e). Without `in_time`, or where the question names no time, every fact counts.
    Where it names one, passages of another time are left out; where no fact and no passage is of it, nothing
    is found, and the notes name the nearest times. Passages without such facts come below, in their order.
    The column `facts` has s(c) over the largest of all, for a mixture with words.
    """

    facts: int = within(200, 1, 10_000)
    passages: int = within(200, 10, 10_000)
    damping: float = within(0.85, 0.0, 0.999)
    tolerance: float = within(1e-6, 1e-12, 1e-2)
    in_time: bool = True
    ppr: bool = True
    gamma: str = choice("auto", "cosine", "words")

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.passages

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        scope = query.about if self.in_time else ()
        far = match_times(view, matches.rows, scope)
        examined = self._examined(matches, view, far)
        known = facts_of(view, np.sort(matches.rows[examined]))
        near = fact_cosines if self.by_cosine(view) else gammas
        graph = Subgraph.of(known, near(query, view, known), scope, self.facts)
        scored = self._scored(matches, view, graph)
        values = scored.values
        positive = np.flatnonzero(values > 0)
        rest = np.flatnonzero((values <= 0) & ((far > 0) if scope else np.ones(len(values), bool)))
        if not len(positive):
            return self._without(matches, rest, known, scope)
        note = f"{len(graph.facts)} facts, {int(graph.within.sum())} of them of the time asked for"
        chosen = np.concatenate([positive, rest])
        matches, best = matches.keep(chosen), float(values.max())
        column = RankingColumn.computed(scored, len(values)).taken(chosen)
        ranked = append_below(matches, "local", column.taken(np.arange(len(positive))))
        share = ratio("share of the best s(c)", column, Constant("best s(c)", best))
        return ranked.with_column("facts", share, by=False).note(note, *self._notes(view))

    def _examined(self, matches: Ranking, view: View, far: Values) -> NDArray[np.int64]:
        """The places of the best candidates, and of the best ones of the time asked for."""
        order = view.tie_order(matches.score, matches.rows)
        of_time = order[far[order] > 0][: self.passages]
        return np.union1d(order[: self.passages], of_time)

    def by_cosine(self, view: View) -> bool:
        """True if gamma is a cosine in this view."""
        return view.encoder is not None and self.gamma != "words"

    def _notes(self, view: View) -> list[str]:
        """The basis of gamma, where that is not plain."""
        if view.encoder is not None:
            return [f"gamma: cosines of the encoder {view.encoder.name}"] if self.gamma != "words" else []
        return ["gamma without cosines: this corpus has no vectors"] if self.gamma == "cosine" else []

    def _scored(self, matches: Ranking, view: View, graph: Subgraph) -> Given:
        nodes = np.zeros(graph.nodes)
        if self.ppr and graph.nodes:
            seeds = seed_weights(graph.nodes, graph.heads, graph.tails, graph.within)
            nodes = personalized_pagerank(
                graph.nodes, graph.heads, graph.tails, seeds, damping=self.damping,
                tolerance=self.tolerance,
            )  # fmt: skip
        edges = (
            edge_scores(nodes, graph.heads, graph.tails, graph.within)
            if self.ppr
            else confidence_scores(graph.gamma, graph.within)
        )
        passages = view.column("passage", matches.rows)
        place = {passage: at for at, passage in enumerate(passages.tolist())}
        chunks = np.array([place[each.passage.passage] for each in graph.facts], np.int64)
        weights = chunk_weight(chunks, graph.gamma, len(passages))
        values = chunk_scores(weights, chunks, edges)
        near = NEAR_BY_COSINE if self.by_cosine(view) else NEAR_BY_WORDS
        return Given("s(c)", values, _Explained(self, graph, nodes, edges, chunks, near).why)

    def _without(
        self, matches: Ranking, rest: NDArray[np.int64], known: Sequence[StatedFact], scope: Sequence[Span]
    ) -> Ranking:
        times = ((when.span, when.text) for each in known if (when := each.fact.when) is not None)
        near = nearest(times, scope) if scope else []
        nearest_times = f"; the nearest times that are known: {', '.join(near)}" if near else ""
        what = "of the time asked for" if scope else "that says any of it"
        return matches.keep(rest).note(f"no fact {what}{nearest_times}")


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The facts nearest to a question and the nodes that they relate: columns in the order of `facts`."""

    facts: tuple[StatedFact, ...]
    gamma: Values
    within: NDArray[np.bool_]
    heads: NDArray[np.int64]
    tails: NDArray[np.int64]
    nodes: int

    @classmethod
    def of(cls, known: Sequence[StatedFact], gamma: Values, scope: Sequence[Span], most: int) -> Subgraph:
        """The `most` facts of the largest gamma above 0; of equal ones the first in canonical order."""
        best = sorted(range(len(known)), key=lambda at: (-gamma[at], known[at].order))[:most]
        chosen = sorted((at for at in best if gamma[at] > 0), key=lambda at: known[at].order)
        facts = tuple(known[at] for at in chosen)
        ends = [_ends(each) for each in facts]
        number = {name: at for at, name in enumerate(sorted({name for pair in ends for name in pair}))}
        inside = [not scope or holds_in(each.fact.span, scope) for each in facts]
        return cls(
            facts, gamma[chosen], np.array(inside, bool),
            np.array([number[head] for head, _ in ends], np.int64),
            np.array([number[tail] for _, tail in ends], np.int64), len(number),
        )  # fmt: skip


def _ends(known: StatedFact) -> tuple[str, str]:
    """The names that a fact relates: its subject and its object, or the measure where the object is a
    figure."""
    fact = known.fact
    return key(fact.subject), key(fact.relation if fact.kind in (VALUE, CHANGE) else fact.object)


@dataclass(frozen=True, slots=True)
class _Explained:
    """The tree of a passage's score."""

    stage: Local
    graph: Subgraph
    nodes: Values
    edges: Values
    chunks: NDArray[np.int64]
    near: str

    def why(self, at: int) -> Why:
        own = np.flatnonzero(self.chunks == at).tolist()
        return Why.of(
            "passage by its facts", "product",
            Why.of("nearness of its facts", "product", *[self._nearness(at) for at in own]),
            Why.of("facts in time", "sum", *[self._fact(at) for at in own]),
        )  # fmt: skip

    def _nearness(self, at: int) -> Why:
        return Why.of(
            f"1 + gamma of {_label(self.graph.facts[at])}", "sum",
            Why("one", 1.0), Why(self.near, float(self.graph.gamma[at])),
        )  # fmt: skip

    def _fact(self, at: int) -> Why:
        known, graph = self.graph.facts[at], self.graph
        if not graph.within[at]:
            return Why(f"{_label(known)}: of another time", 0.0)
        if not self.stage.ppr:
            return Why(f"{_label(known)}: gamma", float(graph.gamma[at]))
        head, tail = _ends(known)
        return Why.of(
            _label(known), "sum",
            Why(f"PageRank of {head}", float(self.nodes[graph.heads[at]])),
            Why(f"PageRank of {tail}", float(self.nodes[graph.tails[at]])),
        )  # fmt: skip


def _label(known: StatedFact, between: str = " · ") -> str:
    fact = known.fact
    when = f" ({fact.when.text})" if fact.when and fact.when.text else ""
    return f"{between.join((fact.subject, fact.relation, fact.object))}{when}"


# -- the recipe ------------------------------------------------------------------------------------
#
# Relations are facts by any extractor; gamma is by vectors where the corpus has an encoder. Without
# `local.ppr` or `local.in_time` it is an ablation of table VII. Published: K = 20 relations of passages of
# 1,200 tokens; passages of 120 words are a tenth as long. A passage is also worth its words: texts with few
# known facts would otherwise come last. Passages of the documents that a question names alternate, so that a
# budget of tokens holds something of each company and quarter.


TGRAG = Recipe(
    "tgrag",
    "TG-RAG: facts of the question's time, personalised PageRank over what they relate, their passages",
    (
        Lexical(k1=1.2, b=0.7),
        Local(facts=200, passages=200),
        MaxNormalize("lexical"),
        Combine((("normalized", 1.0), ("facts", 0.3)), "relevance"),
        RoundRobinByDocument(),
        TopK(),
    ),
)
