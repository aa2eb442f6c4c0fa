"""Which claims of a period a report shows: the most central, the best corroborated, the changed, the new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from asof.knowledge.reports.claims import Claim, degrees
from asof.knowledge.reports.figure_changes import FigureChange

Relevance = Callable[[str], float]
"""Relevance of a text (subject, relation and sentence of a claim) to a question; 0: none."""

Sentence = tuple[str, int, str]
"""A sentence of a version of a document: the document, since when it can be seen, the words."""

MAX_POINTS = 12
"""The most points of a report."""


class ClaimCandidate(NamedTuple):
    """A claim compared with the period before: its change, and whether its measure is new (`novel`). `whole`:
    it is of the period itself, where others are of periods inside it."""

    claim: Claim
    change: FigureChange | None = None
    novel: bool = False
    whole: bool = False


class ChosenClaims(NamedTuple):
    """Claims that one sentence states, the first of which was chosen `because` it is relevant, corroborated,
    changed, new, of the whole period, or central."""

    candidates: tuple[ClaimCandidate, ...]
    because: str


def select_claims(
    candidates: Sequence[ClaimCandidate], most: int = MAX_POINTS, relevance: Relevance | None = None
) -> list[ChosenClaims]:
    """At most so many of the claims, best first, no two from the same sentence.

    The weight of a claim is in how many claims of the period each of its ends stands, summed; each time that
    a subject is chosen, its claims count for less (weight // (1 + times), so that a period is not one
    subject). The lists take turns: claims of several documents (figures first, then those of most documents),
    changed figures, measures that the period before did not have, claims of the whole period, and all of
    them; each in order of weight, figures before the rest. With `relevance` the only list is that of the
    relevant claims, the most relevant first.
    """
    weighed = _weigh(candidates, relevance)
    together: dict[Sentence, list[ClaimCandidate]] = {}
    for each in weighed:
        together.setdefault(each.sentence, []).append(each.candidate)
    lists = _lists(weighed, relevance)
    times_chosen: dict[str, int] = {}
    chosen: list[ChosenClaims] = []
    while len(chosen) < most and any(lists.values()):
        for because, open_ in lists.items():
            if not open_ or len(chosen) == most:
                continue
            best = min(open_, key=partial(_rank, because, times_chosen))
            rest = [each for each in together[best.sentence] if each is not best.candidate]
            chosen.append(ChosenClaims((best.candidate, *rest), because))
            subject = best.candidate.claim.measure[0]
            times_chosen[subject] = times_chosen.get(subject, 0) + 1
            for others in lists.values():
                others[:] = [each for each in others if each.sentence != best.sentence]
    return chosen


class _Weighed(NamedTuple):
    """A candidate with its sort keys, computed once."""

    candidate: ClaimCandidate
    sentence: Sentence
    relevance: float
    documents: int
    weight: int
    order: tuple[object, ...]


def _weigh(candidates: Sequence[ClaimCandidate], relevance: Relevance | None) -> list[_Weighed]:
    degree = degrees([each.claim for each in candidates])
    weighed = []
    for each in candidates:
        claim, lead, words = each.claim, each.claim.lead, claim_text(each.claim)
        sentence = lead.passage.document, lead.passage.visible, words
        score = 0.0 if relevance is None else relevance(f"{lead.fact.subject} {lead.fact.relation} {words}")
        weight = sum(degree[end] for end in claim.ends)
        order = not claim.figure, -lead.fact.confidence, lead.order
        weighed.append(_Weighed(each, sentence, score, claim.documents, weight, order))
    return weighed


def _lists(weighed: Sequence[_Weighed], relevance: Relevance | None) -> dict[str, list[_Weighed]]:
    if relevance is not None:
        return {"relevant": [each for each in weighed if each.relevance > 0]}
    changed = [(each, each.candidate.change) for each in weighed]
    return {
        "corroborated": [each for each in weighed if each.documents > 1],
        "changed": [each for each, change in changed if change is not None and change.ratio != 0],
        "new": [each for each in weighed if each.candidate.novel],
        "whole": [each for each in weighed if each.candidate.whole],
        "central": list(weighed),
    }


def _rank(because: str, times_chosen: Mapping[str, int], each: _Weighed) -> tuple[object, ...]:
    claim = each.candidate.claim
    first = (not claim.figure, -each.documents) if because == "corroborated" else ()
    share = each.weight // (1 + times_chosen.get(claim.measure[0], 0))
    return -each.relevance, first, -share, -each.documents, each.order


def claim_text(claim: Claim) -> str:
    """The words of a claim: its sentence, or what the head of a document states of it."""
    lead = claim.lead
    return lead.sentence or f"{lead.fact.subject}: {lead.fact.relation} {lead.fact.object}"
