"""The cells of an answer: for each name and period that is asked about, the sentence that says it best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from asof.answer.asked import Asked
from asof.answer.evidence import (
    Phrase,
    Sentence,
    naming,
    of_time,
    own_times,
    speaks_in_text_of,
)
from asof.data import CHANGE, VALUE, Hit
from asof.index.view import View
from asof.knowledge.known import Known
from asof.knowledge.scope import holds_in
from asof.text.names import key
from asof.time.period import GRAINS, Period
from asof.time.span import Span

ENOUGH = 0.5
"""A sentence answers when it says at least this share of what is asked, by weight: the mean of its own share
and of that with the title's words."""

IN_TIME, STATES, FIGURE, EARLY = 0.3, 0.3, 0.1, 0.1
"""What counts beside that share: a fact of the sentence holds in the time asked for (or, taken off, only in
another); a fact's relation says what is asked; the sentence has a figure where one is expected. A place in
the ranking takes off EARLY where no time is asked for, since the ranking knows what is in force; else all
places together take off as much."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best sentence for a thing of a cell, the fact in it that says it, and how well it fits."""

    thing: str
    sentence: Sentence
    fact: Known | None
    share: float
    score: float


@dataclass(slots=True)
class Cell:
    """A name ("" where none is asked for) in a period: its label, what was found there for each thing."""

    name: str
    period: str
    span: Span | None
    hits: list[Hit] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)


def cells(asked: Asked, view: View, hits: Sequence[Hit], said: Sequence[Sentence]) -> list[Cell]:
    """The cells of a question, those without anything included: in order of names, then of time."""
    phrases = [Phrase.of(thing, view) for thing in asked.things] or [Phrase("", ())]
    made = []
    for name in asked.names or ("",):
        own = about(hits, name)
        for cell in periods(asked, name, own, said):
            inside = [each for each in said if each.hit in cell.hits]
            for phrase in phrases:
                best = _best(phrase, cell, inside, asked)
                if best is not None:
                    cell.found.append(best)
            made.append(cell)
    return made


def about(hits: Sequence[Hit], name: str) -> list[Hit]:
    """The hits that are about a name: those that it titles, or, without any, those that say it."""
    if not name:
        return list(hits)
    how = [naming(hit, name) for hit in hits]
    titled = [hit for hit, each in zip(hits, how, strict=True) if each.own]
    return titled or [hit for hit, each in zip(hits, how, strict=True) if each.text]


def periods(asked: Asked, name: str, hits: Sequence[Hit], said: Sequence[Sentence]) -> list[Cell]:
    """A cell for each period of the grain that is asked for; for each time that is named; or a single one."""
    spans: list[tuple[Span | None, str]]
    if not asked.times:
        spans = [(None, "")] if asked.grain is None else _each(asked, hits, Span(None, None))
    elif asked.grain is None:
        spans = [(span, label(span)) for span in asked.times]
    else:
        spans = [each for span in asked.times for each in _each(asked, hits, span)]
        if not spans:
            return [Cell(name, label(span), span) for span in asked.times]
    made = []
    for span, words in spans:
        inside = in_force(hits) if span is None else [hit for hit in hits if _holds(hit, span, said)]
        made.append(Cell(name, words, span, inside))
    return made


def in_force(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that nothing among them has superseded: where no time is asked for, what was said before
    counts no more. All, where nothing else is there."""
    ids = {hit.id for hit in hits}
    return [hit for hit in hits if hit.superseded is None or hit.superseded.id not in ids] or list(hits)


def _each(asked: Asked, hits: Sequence[Hit], span: Span) -> list[tuple[Span | None, str]]:
    """The periods of the grain asked for that documents are about, inside a span, in order."""
    assert asked.grain is not None  # noqa: S101  the caller looked
    there = set()
    for hit in hits:
        for time in own_times(hit):
            if time.start is not None and time.end is not None and holds_in(time, (span,)):
                period = Period.containing(time.start, asked.grain)
                if holds_in(time, (period.span,)):
                    there.add(period)
    return [(period.span, str(period)) for period in sorted(there)]


def label(span: Span) -> str:
    """A span in words: a period by its name, else its first and last day."""
    if span.start is not None and span.end is not None:
        for grain in GRAINS:
            period = Period.containing(span.start, grain)
            if period.span == span:
                return str(period)
    start = "" if span.start is None else span.start.date().isoformat()
    end = "" if span.end is None else span.end.date().isoformat()
    return f"before {end}" if not start else f"from {start}" if not end else f"{start} to {end}"


def _holds(hit: Hit, span: Span, said: Sequence[Sentence]) -> bool:
    return (
        of_time(hit, span)
        or speaks_in_text_of(hit, span)
        or any(
            holds_in(each.fact.span, (span,))
            for sentence in said
            if sentence.hit is hit
            for each in sentence.facts
        )
    )


def _best(phrase: Phrase, cell: Cell, said: Sequence[Sentence], asked: Asked) -> Found | None:
    best: Found | None = None
    pace = EARLY if cell.span is None else EARLY / max(len(cell.hits), 1)
    rank_of = {hit.id: at for at, hit in enumerate(cell.hits)}
    for sentence in said:
        own = phrase.share(sentence.stems)
        share = (own + phrase.share(sentence.titled)) / 2
        if not own or share < ENOUGH:
            continue
        fact, states = stating(phrase, sentence, cell, asked)
        score = share + STATES * states + _timely(sentence, cell, asked.now)
        score += FIGURE if asked.wants_value and any(sign.isdigit() for sign in sentence.text) else 0.0
        score -= pace * rank_of[sentence.hit.id]
        if best is None or score > best.score:
            best = Found(phrase.text, sentence, fact, share, score)
    return best


def _timely(sentence: Sentence, cell: Cell, now: bool) -> float:
    if cell.span is None:
        return -IN_TIME if now and _past(sentence) else 0.0
    times = [each.fact.span for each in sentence.facts if each.fact.span is not None]
    if not times:
        return 0.0 if of_time(sentence.hit, cell.span) else -IN_TIME
    return IN_TIME if any(holds_in(time, (cell.span,)) for time in times) else -IN_TIME


def _past(sentence: Sentence) -> bool:
    """Whether all that a sentence states is said, in its own words, of a time before the document."""
    published = sentence.hit.published
    times = [each.fact.when for each in sentence.facts if each.fact.when is not None]
    return (
        published is not None
        and bool(times)
        and all(each.by == "text" and each.span.last < published.span.first for each in times)
    )


def stating(phrase: Phrase, sentence: Sentence, cell: Cell, asked: Asked) -> tuple[Known | None, float]:
    """The fact of a sentence that says a phrase best by its relation, of the cell's time if it has one, and
    what share of the phrase it says."""
    best: Known | None = None
    most = 0.0
    for each in sentence.facts:
        fact = each.fact
        if fact.kind not in (VALUE, CHANGE) and asked.wants_value:
            continue
        if cell.span is not None and not holds_in(fact.span, (cell.span,)):
            continue
        if cell.name and fact.kind in (VALUE, CHANGE) and not _same(fact.subject, cell.name, sentence):
            continue
        stems = frozenset(_stems(f"{fact.relation} {fact.object}", phrase))
        share = phrase.share(stems)
        if share > most:
            best, most = each, share
    return best, most


def _same(subject: str, name: str, sentence: Sentence) -> bool:
    """Whether a fact's subject is who is asked about, or a part of the document's own subject."""
    mine, theirs = set(key(name).split()), set(key(subject).split())
    return bool(mine & theirs) or naming(sentence.hit, name).own


def _stems(text: str, phrase: Phrase) -> list[str]:
    """Those stems of a phrase that a text says, by the words' beginnings."""
    words = key(text).split()
    return [
        stem
        for alternatives, _ in phrase.words
        for stem in alternatives
        if any(word.startswith(stem) for word in words)
    ]
