"""What a newer document contradicts, in an answer: the newer one is read first, and the conflict is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from asof.answer.evidence import Sentence
from asof.answer.in_force import Passages, said, wanted
from asof.answer.question import ParsedQuestion
from asof.data import Answer, Citation, Hit
from asof.data.sourced_time import shortened
from asof.data.stale import Quote, Stale
from asof.index.view import View
from asof.stale.of_passages import StalePassages
from asof.store.passages import passage_histories
from asof.text.sentences import shown
from asof.time.span import iso

NAMED = 3
"""So many conflicts are named in a note."""

LONGEST = 160
"""The most characters of each sentence there."""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The stale sentences of the passages of an answer, best first, by the ids of hits.

    `outdated`: the ids of those whose newer sentence stands before them.
    """

    by_passage: Mapping[str, tuple[Stale, ...]] = field(default_factory=dict)
    outdated: frozenset[str] = frozenset()

    def marked(self, sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
        """The sentences, each with whether it is outdated."""
        return tuple(replace(each, outdated=self._is_outdated(each)) for each in sentences)

    def _is_outdated(self, sentence: Sentence) -> bool:
        begin = sentence.hit.place.start
        return any(
            each.quote.start < begin + sentence.end and begin + sentence.start < each.quote.end
            for each in self.by_passage.get(sentence.hit.id, ())
            if each.id in self.outdated
        )

    def named(self, answer: Answer) -> Answer:
        """The answer; each citation with what of its quote is stale, and a note on each conflict that a
        citation has a side of."""
        if not self.by_passage:
            return answer
        cited = tuple(replace(each, stale=self._stale(each)) for each in answer.citations)
        listed = [each for those in self.by_passage.values() for each in those if _told(each, cited)]
        notes = list(dict.fromkeys(map(_note, listed)))
        if len(notes) > NAMED:
            notes[NAMED:] = [f"newer documents say otherwise of {len(notes) - NAMED} more sentences"]
        return replace(answer, citations=cited, notes=(*answer.notes, *notes))

    def _stale(self, citation: Citation) -> Stale | None:
        listed = self.by_passage.get(citation.id, ())
        return next((each for each in listed if _quoted(each.quote, citation)), None)


def with_newer(
    question: ParsedQuestion, view: View, passages: Passages, stale: StalePassages, most: int
) -> tuple[Passages, frozenset[str]]:
    """The passages; before each of the first `most` that is stale stands the passage of the newer sentence,
    with its score. And the ids of the stale sentences that have theirs before them.

    One that lacks a name or a figure of the question which the stale passage has changes nothing.
    """
    listed = list(zip(passages.hits, passages.rows, strict=True))
    found = stale.of(hit.id for hit in passages.hits[:most])
    asked, outdated = wanted(question), set()
    pairs = [(hit, each) for hit in passages.hits[:most] for each in found.get(hit.id, ())]
    for hit, each in pairs:
        places = {other.id: at for at, (other, _) in enumerate(listed)}
        newer = "" if each.by is None else each.by.passage
        place, at = places[hit.id], places.get(newer)
        other = _current(view, newer, hit) if at is None else listed[at]
        if other is None or at == place or not said(asked, hit) <= said(asked, other[0]):
            continue
        outdated.add(each.id)
        if at is None or at > place:
            if at is not None:
                del listed[at]
            alike = replace(other[0], rank=hit.rank, score=hit.score, explain=hit.explain)
            listed.insert(place, (alike, other[1]))
    made = Passages(tuple(hit for hit, _ in listed), tuple(row for _, row in listed))
    return made, frozenset(outdated)


def _current(view: View, id_: str, like: Hit) -> tuple[Hit, int] | None:
    """The current passage with the id of a hit, and its row; it scores like another hit."""
    passages = np.array([each.passage for each in passage_histories(view.store.db, id_)], np.int64)
    for part in view.prefix.parts:
        rows = part.segment.rows_of(passages)
        for row in (part.offset + np.setdiff1d(rows[rows < part.hi], part.dead)).tolist():
            (hit,) = view.hits(np.array([row], np.int64), np.array([like.score]), [like.why].__getitem__)
            if hit.id == id_:
                return hit, row
    return None


def _quoted(quote: Quote, citation: Citation) -> bool:
    """Whether a citation quotes a sentence, or a part of it."""
    own, text = shown(quote.text), citation.quote
    return own in text or " ".join(quote.text.split()) in text or text in own


def _told(stale: Stale, cited: Iterable[Citation]) -> bool:
    """Whether one of the citations quotes a side of a conflict."""
    sides = {quote.passage: quote for quote in (stale.quote, stale.by) if quote is not None}
    return any(each.id in sides and _quoted(sides[each.id], each) for each in cited)


def _note(stale: Stale) -> str:
    by = stale.by
    assert by is not None  # noqa: S101  of a hit
    return (
        f"{by.document}{_of_day(by)} says “{shortened(shown(by.text), LONGEST)}”; "
        f"{stale.quote.document} still says “{shortened(shown(stale.quote.text), LONGEST)}”"
    )


def _of_day(quote: Quote) -> str:
    """The date of a sentence as it was stated; nothing where no source dates it."""
    day = quote.published.day if quote.published else iso(quote.since)[:10] if quote.dated else ""
    return f" of {day}" if day else ""
