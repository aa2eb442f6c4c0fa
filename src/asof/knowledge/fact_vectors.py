"""How near facts and entities are to a question by the corpus's encoder: gamma of TG-RAG, section III-B2.

    gamma(e) = cos(e_q, e_e)

of the vectors of the question and of what describes a relation or an entity (section III-A2), 0 where it is
negative. What describes them are facts of a view, so nothing that came later is in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from asof.data import Query
from asof.index.dense import SCALE
from asof.index.text_vectors import text_vectors
from asof.index.view import View
from asof.knowledge.visible_facts import StatedFact
from asof.rank.candidates.gather import question_vector
from asof.rank.expression import Values

DESCRIBED_BY = 8
"""The facts that describe an entity, at most: the latest of those given."""


def fact_cosines(query: Query, view: View, facts: Sequence[StatedFact]) -> Values:
    """gamma of each fact (n,), in [0, 1]; the view has to have an encoder."""
    return _cosines(query, view, [relation_text(each) for each in facts])


def entity_cosines(query: Query, view: View, described: Mapping[str, Sequence[StatedFact]]) -> Values:
    """The cosine of each entity (n,), in [0, 1], by its name and the facts that describe it."""
    return _cosines(query, view, [entity_text(name, facts) for name, facts in described.items()])


def relation_text(known: StatedFact) -> str:
    """What describes a relation: the title of its document, subject, relation, object, time, and its
    sentence."""
    return f"{known.passage.title}: {_stated(known)}. {known.sentence}".strip()


def entity_text(name: str, facts: Sequence[StatedFact]) -> str:
    """What describes an entity: its name, and the latest DESCRIBED_BY of these facts on it, latest first."""
    latest = sorted(facts, key=lambda each: (_begin(each), each.order), reverse=True)[:DESCRIBED_BY]
    return f"{name}: {'; '.join(_stated(each) for each in latest)}"


def _stated(known: StatedFact) -> str:
    fact = known.fact
    when = f" ({fact.when.text})" if fact.when and fact.when.text else ""
    return f"{fact.subject} {fact.relation} {fact.object}{when}"


def _begin(known: StatedFact) -> int:
    """The first instant of a fact's time; before all others without one."""
    return -(2**63) if known.fact.when is None else known.fact.when.span.first


def _cosines(query: Query, view: View, texts: Sequence[str]) -> Values:
    if not texts:
        return np.zeros(0)
    vectors = text_vectors(view, texts).astype(np.int64)
    products = vectors @ question_vector(query, view).astype(np.int64)
    return np.clip(products / float(SCALE * SCALE), 0.0, 1.0)
