"""Which claims of a period a report shows: the most central, the best corroborated, the changed, the new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from asof.knowledge.reports.claims import Claim, degrees
from asof.knowledge.reports.figure_changes import FigureChange

Relevance = Callable[[str], float]
"""How much of a question a text says (a sentence behind its subject and relation); 0: nothing."""

Sentence = tuple[str, int, str]
"""A sentence of a version of a document: the document, since when it can be seen, the words."""

MAX_POINTS = 12
"""So many points a report has at most."""


class ClaimCandidate(NamedTuple):
    """A claim with what is known of the period before: its change, and whether its measure is new. `whole`:
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

    The weight of a claim is in how many claims of the period each of its ends stands, summed; each time
    that a subject is chosen, its claims count for less (weight // (1 + times), so that a period is not one
    subject). The lists take turns: claims of several documents (figures first, then those of most documents),
    changed figures, measures that the period before did not have, what is of the whole period, and all of
    them; each in order of weight, figures before the rest. With `relevance` there is one list: what says
    anything of the question, the most of it first.
    """
    weighed = _weigh(candidates, relevance)
    together: dict[Sentence, list[ClaimCandidate]] = {}
    for each in weighed:
        together.setdefault(each.sentence, []).append(each.candidate)
    lists = _lists(weighed, relevance)
    taken: dict[str, int] = {}
    found: list[ChosenClaims] = []
    while len(found) < most and any(lists.values()):
        for because, open_ in lists.items():
            if not open_ or len(found) == most:
                continue
            best = min(open_, key=partial(_rank, because, taken))
            rest = [each for each in together[best.sentence] if each is not best.candidate]
            found.append(ChosenClaims((best.candidate, *rest), because))
            subject = best.candidate.claim.measure[0]
            taken[subject] = taken.get(subject, 0) + 1
            for others in lists.values():
                others[:] = [each for each in others if each.sentence != best.sentence]
    return found


class _Weighed(NamedTuple):
    """A candidate with all that ranks it, looked up once."""

    candidate: ClaimCandidate
    sentence: Sentence
    relevance: float
    documents: int
    weight: int
    order: tuple[object, ...]


def _weigh(candidates: Sequence[ClaimCandidate], relevance: Relevance | None) -> list[_Weighed]:
    degree = degrees([each.claim for each in candidates])
    found = []
    for each in candidates:
        claim, lead, words = each.claim, each.claim.lead, claim_text(each.claim)
        sentence = lead.passage.document, lead.passage.visible, words
        asked = 0.0 if relevance is None else relevance(f"{lead.fact.subject} {lead.fact.relation} {words}")
        weight = sum(degree[end] for end in claim.ends)
        order = not claim.figure, -lead.fact.confidence, lead.order
        found.append(_Weighed(each, sentence, asked, claim.documents, weight, order))
    return found


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


def _rank(because: str, taken: Mapping[str, int], each: _Weighed) -> tuple[object, ...]:
    claim = each.candidate.claim
    first = (not claim.figure, -each.documents) if because == "corroborated" else ()
    share = each.weight // (1 + taken.get(claim.measure[0], 0))
    return -each.relevance, first, -share, -each.documents, each.order


def claim_text(claim: Claim) -> str:
    """The words of a claim: its sentence, or what the head of a document states of it."""
    lead = claim.lead
    return lead.sentence or f"{lead.fact.subject}: {lead.fact.relation} {lead.fact.object}"
