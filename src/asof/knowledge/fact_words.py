"""How much of a question single facts cover: gamma of TG-RAG, section III-B2, from words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from asof.data import Query
from asof.index.view import View
from asof.knowledge.visible_facts import StatedFact
from asof.rank.expression import Values
from asof.rank.features.query_terms import weighted_share, weighted_words
from asof.store.passages import StoredPassage

MAX_CACHED = 200_000
"""The number of facts whose stems are cached between questions."""

Stems = frozenset[str]


def gammas(query: Query, view: View, facts: Sequence[StatedFact]) -> Values:
    """The share of the question's words that each fact covers (n,), in [0, 1]; the mean of two readings:

    narrow: the words of its subject, relation and object, and of the title, headings and searched metadata of
    its passage; wide: those of its whole sentence too. Words are weighted by
    `asof.rank.features.query_terms`, from statistics of the view alone.
    """
    words = weighted_words(query, view)
    if not words or not facts:
        return np.zeros(len(facts))
    number_of = {term.word: number for number, word in enumerate(words) for term in word.terms}
    stems = frozenset(number_of)
    narrow = np.zeros((len(words), len(facts)), bool)
    wide = np.zeros((len(words), len(facts)), bool)
    read = view.store.records({each.passage.passage for each in facts})
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
