"""Local retrieval over facts (TG-RAG, section III-B, algorithm 1), as a stage.

The facts of the best passages by words are ranked by how near they are to the question (gamma): the cosine of
their vectors where the corpus has an encoder, else the share of its words that they cover. The best of them
form the question's own graph, whose nodes are the names they relate. Personalised PageRank from the nodes of
the facts that hold in the time of the question scores nodes, nodes score facts, and facts score passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import CHANGE, VALUE, Query, Why
from asof.graph.personalized_pagerank import personalized_pagerank
from asof.index.view import View
from asof.knowledge import fact_scores
from asof.knowledge.fact_words import gammas
from asof.knowledge.visible_facts import StatedFact, facts_of
from asof.rank.computed import Column
from asof.rank.expression import Constant, Given, Values, ratio
from asof.rank.features.time_match import match_times
from asof.rank.rerank.append_below import append_below
from asof.rank.stage import Ranking
from asof.schema import choice, within
from asof.text.names import key
from asof.time.scope import holds_in, nearest
from asof.time.span import Span

NEAR_BY_WORDS, NEAR_BY_COSINE = "query words in it", "cosine of question and fact"
"""What gamma is, in explanations."""


@dataclass(frozen=True, slots=True)
class Local:
    """The column `local`:

        s(v) = personalised PageRank of v on the graph of the question, from the nodes of facts in its time
        s(e) = s(v1) + s(v2) if fact e holds in its time, else 0
        s(c) = product of (1 + gamma(e)) · sum of s(e), both over the facts e of passage c in that graph

    The graph has the `facts` best by gamma of the `passages` best passages (and of as many of the question's
    time). `gamma`: "cosine", as published, in a corpus with an encoder; "words"; "auto": cosine where there
    is an encoder. `seeds`: walks begin at the entities of facts in time "equal"ly, as published, or by the
    "cosine" of what describes them. `sum_over`: "passage" as above; "graph" is the letter of Eq. 3, whose sum
    is the same for every passage. Without `ppr`, s(e) = gamma(e). Without `in_time`, or where the question
    names no time, every fact counts. Where it names one, passages of another time are left out; where no fact
    and no passage is of it, nothing is found, and the notes name the nearest times.
    Passages without such facts come below, in their order. The column `facts` has s(c) over the largest of
    all, for a mixture with words.
    """

    facts: int = within(200, 1, 10_000)
    passages: int = within(200, 10, 10_000)
    damping: float = within(0.85, 0.0, 0.999)
    tolerance: float = within(1e-6, 1e-12, 1e-2)
    in_time: bool = True
    ppr: bool = True
    sum_over: str = choice("passage", "graph")
    gamma: str = choice("auto", "cosine", "words")
    seeds: str = choice("equal", "cosine")

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
        graph = Subgraph.of(known, self._gammas(query, view, known), scope, self.facts)
        scored = self._scored(query, matches, view, graph)
        values = scored.values
        positive = np.flatnonzero(values > 0)
        rest = np.flatnonzero((values <= 0) & ((far > 0) if scope else np.ones(len(values), bool)))
        if not len(positive):
            return self._without(matches, rest, known, scope)
        note = f"{len(graph.facts)} facts, {int(graph.within.sum())} of them of the time asked for"
        chosen = np.concatenate([positive, rest])
        matches, best = matches.keep(chosen), float(values.max())
        column = Column.computed(scored, len(values)).taken(chosen)
        ranked = append_below(matches, "local", column.taken(np.arange(len(positive))), 0)
        share = ratio("share of the best s(c)", column, Constant("best s(c)", best))
        return ranked.with_column("facts", share, by=False).note(note, *self._notes(view))

    def _examined(self, matches: Ranking, view: View, far: Values) -> NDArray[np.int64]:
        """The places of the best candidates, and of the best ones of the time asked for."""
        order = view.tie_order(matches.score, matches.rows)
        of_time = order[far[order] > 0][: self.passages]
        return np.union1d(order[: self.passages], of_time)

    def by_cosine(self, view: View) -> bool:
        """Whether gamma is a cosine in this view."""
        return view.encoder is not None and self.gamma != "words"

    def _notes(self, view: View) -> list[str]:
        """What gamma is by, where that is not plain."""
        if view.encoder is not None:
            return [f"gamma: cosines of the encoder {view.encoder.name}"] if self.gamma != "words" else []
        wanted = [name for name in ("gamma", "seeds") if getattr(self, name) == "cosine"]
        return [f"{' and '.join(wanted)} without cosines: this corpus has no vectors"] if wanted else []

    def _gammas(self, query: Query, view: View, known: Sequence[StatedFact]) -> Values:
        if not self.by_cosine(view):
            return gammas(query, view, known)
        from asof.knowledge.fact_vectors import fact_cosines

        return fact_cosines(query, view, known)

    def _seeds(self, query: Query, view: View, graph: Subgraph) -> Values:
        seeds = fact_scores.seeds(graph.nodes, graph.heads, graph.tails, graph.within)
        if self.seeds == "equal" or view.encoder is None:
            return seeds
        from asof.knowledge.fact_vectors import entity_cosines

        weighed = seeds * entity_cosines(query, view, graph.described())
        return weighed if weighed.any() else seeds

    def _scored(self, query: Query, matches: Ranking, view: View, graph: Subgraph) -> Given:
        nodes = np.zeros(graph.nodes)
        if self.ppr and graph.nodes:
            seeds = self._seeds(query, view, graph)
            nodes = personalized_pagerank(
                graph.nodes, graph.heads, graph.tails, None, seeds, damping=self.damping,
                tolerance=self.tolerance,
            )  # fmt: skip
        edges = (
            fact_scores.edge_scores(nodes, graph.heads, graph.tails, graph.within)
            if self.ppr
            else fact_scores.confidence_scores(graph.gamma, graph.within)
        )
        passages = view.column("passage", matches.rows)
        place = {passage: at for at, passage in enumerate(passages.tolist())}
        chunks = np.array([place[each.passage.passage] for each in graph.facts], np.int64)
        weights = fact_scores.chunk_weight(chunks, graph.gamma, len(passages))
        values = fact_scores.chunk_scores(weights, chunks, edges, literal=self.sum_over == "graph")
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

    def described(self) -> dict[str, list[StatedFact]]:
        """The name of each node, in order of their numbers, with the facts of the graph that it is in."""
        described: dict[int, list[StatedFact]] = {at: [] for at in range(self.nodes)}
        names: dict[int, str] = {}
        for known, head, tail in zip(self.facts, self.heads.tolist(), self.tails.tolist(), strict=True):
            for node, name in ((head, _ends(known)[0]), (tail, _ends(known)[1])):
                names[node] = name
                if not described[node] or described[node][-1] is not known:
                    described[node].append(known)
        return {names[node]: facts for node, facts in described.items()}


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
        summed = range(len(self.edges)) if self.stage.sum_over == "graph" else own
        return Why.of(
            "passage by its facts", "product",
            Why.of("nearness of its facts", "product", *[self._nearness(at) for at in own]),
            Why.of("facts in time", "sum", *[self._fact(at) for at in summed]),
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


def _label(known: StatedFact) -> str:
    fact = known.fact
    when = f" ({fact.when.text})" if fact.when and fact.when.text else ""
    return f"{fact.subject} · {fact.relation} · {fact.object}{when}"
