"""The cells of an answer: for each name and period that is asked about, the sentence that says it best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from asof.answer.asked import Asked
from asof.answer.disagree import Dispute, Statement, dispute
from asof.answer.evidence import (
    Phrase,
    Sentence,
    naming,
    of_time,
    own_times,
    speaks_in_text_of,
)
from asof.answer.stating import Shown, Sought, figures_in, shown_figure, stating
from asof.data import Fact, Hit
from asof.index.view import View
from asof.knowledge.known import Known
from asof.knowledge.lines.holding import is_state
from asof.knowledge.scope import holds_in, label
from asof.time.period import Period
from asof.time.span import BEGINNING, Span

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
    """The best sentence for a thing of a cell, the fact in it that says it (and which share of it by its
    relation: `states`), the figure that it shows, how well it fits, and what contradicts it."""

    thing: str
    sentence: Sentence
    fact: Known | None
    states: float
    share: float
    score: float
    figure: Shown | None = None
    dispute: Dispute | None = None


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
    things = [Phrase.of(thing, view) for thing in asked.things]
    made = []
    for name in asked.names or ("",):
        own = about(hits, name)
        phrases = things or [Phrase.of(name, view)]
        whole = Phrase.of(" ".join([name, *asked.things]), view)
        for cell in periods(asked, name, own, said):
            inside = [each for each in said if each.hit in cell.hits]
            for phrase in phrases:
                best = _best(phrase, cell, inside, asked)
                if best is not None:
                    cell.found.append(best)
            if not cell.found and asked.grain is None and not asked.wants_value:
                cell.found += first_hit(whole, cell, inside)
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
    """The sentence that says a phrase best in a cell; a table needs a figure in it where one is asked for."""
    fits = [each for sentence in said if (each := fitting(phrase, cell, sentence, asked)) is not None]
    if asked.grain is not None and asked.wants_value:
        fits = [each for each in fits if figures_in(each.sentence)]
    if not fits:
        return None
    best = max(fits, key=lambda each: each.score)
    if asked.now and cell.span is None:
        best = _newest(best, fits)
    return _undisputed(best, said, newest=not asked.times)


def first_hit(whole: Phrase, cell: Cell, said: Sequence[Sentence]) -> list[Found]:
    """The sentence of a cell's first hit that says most of a question which asks for no figure.

    For a question that no sentence says enough of in its own words ("took the trophy" for "won"): if the hit
    as a whole, with its title, says enough of it, the ranking is believed.
    """
    own = [each for each in said if cell.hits and each.hit is cell.hits[0]]
    if not own or whole.share(frozenset().union(*(each.titled for each in own))) < ENOUGH:
        return []
    best = max(own, key=lambda each: (whole.share(each.stems), len(each.facts), -each.start))
    share = whole.share(best.titled)
    return [Found(whole.text, best, None, 0.0, share, share)]


def fitting(
    phrase: Phrase, cell: Cell, sentence: Sentence, asked: Asked, enough: float = ENOUGH
) -> Found | None:
    """How a sentence fits a phrase; None where it says less than enough of it."""
    own = phrase.share(sentence.stems)
    share = (own + phrase.share(sentence.titled)) / 2
    if not own or share < enough:
        return None
    fact, states = stating(Sought(phrase, cell.name, cell.span, asked.wants_value), sentence)
    score = share + STATES * states + _timely(sentence, cell, asked.now)
    score += FIGURE if asked.wants_value and _has_digit(sentence) else 0.0
    pace = EARLY if cell.span is None else EARLY / max(len(cell.hits), 1)
    score -= pace * next(at for at, hit in enumerate(cell.hits) if hit.id == sentence.hit.id)
    return Found(phrase.text, sentence, fact, states, share, score)


def _has_digit(sentence: Sentence) -> bool:
    return any(sign.isdigit() for sign in sentence.text)


def _newest(best: Found, fits: Sequence[Found]) -> Found:
    """What was published last, of what says a phrase by a fact as well as the best one does."""
    if best.fact is None:
        return best
    stated = [
        each for each in fits
        if each.fact is not None and each.fact.fact.kind == best.fact.fact.kind and not _past(each.sentence)
        and each.states >= best.states and each.share >= best.share
    ]  # fmt: skip
    return max(stated, key=lambda each: (_published(each), each.score), default=best)


def _published(found: Found) -> int:
    """The last instant of the date of publication; what has none is from before all times."""
    published = found.sentence.hit.published
    return BEGINNING if published is None else published.span.last


def _undisputed(best: Found, said: Sequence[Sentence], *, newest: bool) -> Found:
    """What is found with what contradicts it; where that is what should be told, in its place."""
    if best.fact is None:
        return replace(best, figure=shown_figure(best.sentence, None))
    against = dispute(Statement(best.sentence, best.fact), said, newest=newest)
    if against is not None and against.told is not None:
        best = replace(best, sentence=against.told.sentence, fact=against.told.fact)
    return replace(best, figure=shown_figure(best.sentence, best.fact), dispute=against)


def _timely(sentence: Sentence, cell: Cell, now: bool) -> float:
    if cell.span is None:
        return -IN_TIME if now and _past(sentence) else 0.0
    times = [each.fact.span for each in sentence.facts if each.fact.span is not None]
    if not times:
        return 0.0 if of_time(sentence.hit, cell.span) else -IN_TIME
    return IN_TIME if any(holds_in(time, (cell.span,)) for time in times) else -IN_TIME


def _past(sentence: Sentence) -> bool:
    """Whether all that a sentence states is said, in its own words, of a time before the document; what is
    the case since then ("is", "has") is not past."""
    published = sentence.hit.published
    timed = [each.fact for each in sentence.facts if each.fact.when is not None]
    return (
        published is not None
        and bool(timed)
        and all(_before(each, published.span) and not is_state(each) for each in timed)
    )


def _before(fact: Fact, published: Span) -> bool:
    when = fact.when
    return when is not None and when.by == "text" and when.span.last < published.first
