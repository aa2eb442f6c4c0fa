"""From a question to an answer: the way through single passages, and the way through reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from asof.answer.asked import ParsedQuestion
from asof.answer.asking import LOCAL_TOKENS
from asof.answer.evidence import SearchedPhrase, evidence
from asof.answer.extractive import AnswerContext, extractive, out_of_reach
from asof.answer.pack import WHOLE, pack
from asof.data import GLOBAL, LOCAL, Answer, Hit
from asof.index.view import View
from asof.knowledge.known import facts_of
from asof.text.budget import header, tokens
from asof.text.question import QuestionReading
from asof.time.span import Span

if TYPE_CHECKING:
    from asof.models.metered import MeteredModel

AUTO = "auto"

Tell = Callable[[str], None]
"""Gets the pieces of an answer that a model writes, as they come."""


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """How a question is answered: `mode` (LOCAL or GLOBAL), how many `tokens` are read, by which `model`
    (None: by quotes)."""

    mode: str = LOCAL
    tokens: int | None = None
    model: MeteredModel | None = None
    tell: Tell | None = None


@dataclass(frozen=True, slots=True)
class RetrievedEvidence:
    """What was found for a question in a view: hits, best first, with their rows; what there is to
    say of how its times were read."""

    view: View
    reading: QuestionReading
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that a model is still to write, from `material` alone: nobody has to wait in the view for
    that. `passages` are the ids of its hits; `quoted` is the answer without a model, and where that fails."""

    as_of: int
    known_at: int
    material: AnswerContext
    passages: tuple[int, ...]
    quoted: Answer
    notes: tuple[str, ...] = ()


def answer(found: RetrievedEvidence, manner: AnswerOptions, *, chosen: bool = True) -> Answer | Pending:
    """Answer a question from what was found; pending, where a model is to write from passages. Where nobody
    has `chosen` reports and they say nothing of it, passages answer. Raises ModelError."""
    material = _material(found, manner.tokens)
    notes = (*found.reading.notes, *found.notes, *material.notes)
    if manner.mode == GLOBAL:
        made = _through_reports(found, material, manner)
        if chosen or not made.refused:
            return _noted(made, notes, manner)
    quoted = extractive(found.view, material)
    if manner.model is None or out_of_reach(material, found.view):
        return _noted(quoted, notes, manner)
    passages = found.view.column("passage", np.array(material.rows, np.int64)).tolist()
    return Pending(found.view.as_of, found.view.known_at, material, tuple(passages), quoted, notes)


def written_by(model: MeteredModel, pending: Pending, manner: AnswerOptions) -> Answer:
    """What a model writes; what is quoted, where it fails. Raises ModelError."""
    from asof.answer.write import written

    told = written(pending, pending.material, pending.passages, model, manner.tell)
    if isinstance(told, str):
        note = f"quoted, because {model.name} gave no answer: {told}"
        told = replace(pending.quoted, notes=(*pending.quoted.notes, note))
    return _noted(told, pending.notes, manner)


def _noted(made: Answer, notes: tuple[str, ...], manner: AnswerOptions) -> Answer:
    cost = manner.model.meter.as_json() if manner.model else None
    return replace(made, notes=(*notes, *made.notes), cost=cost)


def mode_for(mode: str, reading: QuestionReading, languages: str) -> str:
    """The mode that "auto" stands for: reports tell more of what happened at large than single passages."""
    if mode != AUTO:
        return mode
    asked = ParsedQuestion.of(reading, (), languages)
    return GLOBAL if asked.whole and not asked.wants_value else LOCAL


def _material(found: RetrievedEvidence, budget: int | None) -> AnswerContext:
    """The question taken apart, and the passages that fit into the budget."""
    view = found.view
    sizes = [tokens(header(hit.title, hit.published)) + tokens(hit.text) for hit in found.hits]
    limit = LOCAL_TOKENS if budget is None else budget
    packed = pack(sizes, limit)
    taken = sorted(packed.taken)
    hits = tuple(found.hits[at] for at in taken)
    facts = facts_of(view, np.array(sorted(found.rows[at] for at in taken), np.int64))
    languages = " ".join(view.analyzer.languages)
    subjects = {each.fact.subject for each in facts}
    known = {name for name in subjects if name != name.lower()}
    asked, cut = ParsedQuestion.of(found.reading, known, languages).bounded()
    said = evidence(view, hits, facts)
    notes = tuple(note for note in (cut, packed.note("passages", limit)) if note)
    rows = tuple(found.rows[at] for at in taken)
    return AnswerContext(found.reading.query.text, asked, hits, rows, tuple(said), tuple(facts), notes)


def _through_reports(found: RetrievedEvidence, material: AnswerContext, manner: AnswerOptions) -> Answer:
    from asof.answer.digested import digested
    from asof.answer.global_ import points
    from asof.knowledge.resolve import Entities
    from asof.knowledge.summarise import ReportSelection
    from asof.store.sight import sights

    view, asked = found.view, material.asked
    sought = SearchedPhrase.of(" ".join(asked.things), view)

    @cache
    def relevance(text: str) -> float:
        return sought.share(frozenset(view.analyzer.terms(text, view.analyzer.detect(text))))

    entities = Entities.of(view)
    about = asked.names[0] if len(asked.names) == 1 else ""
    passages = view.column("passage", np.array(material.rows, np.int64)).tolist()
    seen = sights(view.store.db, passages, view.as_of, view.known_at)
    digest = points(
        material.question, view, scope_of(asked),
        ReportSelection(entities.canonical, about, relevance if asked.things else None),
        passages=[seen[passage] for passage in passages], model=manner.model, reporter=manner.model,
        budget=WHOLE if manner.tokens is None else manner.tokens,
    )  # fmt: skip
    return digested(digest, about)


def scope_of(asked: ParsedQuestion) -> Span:
    """The whole time that a question is about, from the first of its times to the last; all, without any."""
    if not asked.times:
        return Span(None, None)
    starts, ends = [each.start for each in asked.times], [each.end for each in asked.times]
    start = None if None in starts else min(each for each in starts if each is not None)
    end = None if None in ends else max(each for each in ends if each is not None)
    return Span(start, end)
