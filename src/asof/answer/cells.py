"""The cells of an answer: for each name and period that is asked about, the sentence that says it best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from asof.answer.asked import ParsedQuestion
from asof.answer.disagree import FactStatement, dispute
from asof.answer.evidence import (
    SearchedPhrase,
    Sentence,
    names,
    naming,
    of_time,
    own_times,
    speaks_in_text_of,
)
from asof.answer.fitting import BestSentence, TableCell, fitting, past
from asof.answer.otherwise import first_hit, held
from asof.answer.stating import figures_in, shown_figure
from asof.data import Hit
from asof.index.view import View
from asof.knowledge.lines.holding import is_state
from asof.knowledge.scope import holds_in, label
from asof.time.period import Period
from asof.time.span import BEGINNING, Span


def cells(
    asked: ParsedQuestion, view: View, hits: Sequence[Hit], said: Sequence[Sentence]
) -> list[TableCell]:
    """The cells of a question, those without anything included: in order of names, then of time."""
    things = [SearchedPhrase.of(thing, view) for thing in asked.things]
    stated = _stated(said)
    made = []
    for name in asked.names or ("",):
        own = about(hits, name, now=asked.now)
        of_own = _of(own, said)
        named = [each for each in said if not name or names(each, name)]
        phrases = things or [SearchedPhrase.of(name, view)]
        whole = SearchedPhrase.of(" ".join([name, *asked.things]), view)
        for cell in periods(asked, name, own, stated):
            inside = _of(cell.hits, named)
            for phrase in phrases:
                best = _best(phrase, cell, inside, asked)
                if best is not None:
                    cell.found.append(best)
            if not cell.found and asked.grain is None and not asked.wants_value:
                began = cell.span is not None and cell.span.first <= view.as_of
                cell.found += held(phrases, cell, own, of_own, asked) if began else []
                cell.found = cell.found or first_hit(whole, cell, inside)
            made.append(cell)
    return made


def _of(hits: Sequence[Hit], said: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of some hits."""
    ids = {hit.id for hit in hits}
    return [each for each in said if each.hit.id in ids]


def _stated(said: Sequence[Sentence]) -> dict[str, list[Span | None]]:
    """The times of what the sentences of each hit (by id) state."""
    times: dict[str, list[Span | None]] = {}
    for sentence in said:
        times.setdefault(sentence.hit.id, []).extend(each.fact.span for each in sentence.facts)
    return times


def about(hits: Sequence[Hit], name: str, *, now: bool = False) -> list[Hit]:
    """The hits that are about a name: those that it titles, or, without any, those that say it. Who is in
    force `now` may be told under any title."""
    if not name:
        return list(hits)
    how = [naming(hit, name) for hit in hits]
    titled = [hit for hit, each in zip(hits, how, strict=True) if each.own]
    if titled and not now:
        return titled
    return [hit for hit, each in zip(hits, how, strict=True) if each.text]


def periods(
    asked: ParsedQuestion, name: str, hits: Sequence[Hit], stated: Mapping[str, list[Span | None]]
) -> list[TableCell]:
    """A cell for each period of the grain that is asked for; for each time that is named; or a single one.

    `stated`: the times of what each hit states, by its id.
    """
    spans: list[tuple[Span | None, str]]
    if not asked.times:
        spans = [(None, "")] if asked.grain is None else _each(asked, hits, Span(None, None))
    elif asked.grain is None:
        spans = [(span, label(span)) for span in asked.times]
    else:
        spans = list(dict.fromkeys(each for span in asked.times for each in _each(asked, hits, span)))
        if not spans:
            return [TableCell(name, label(span), span) for span in asked.times]
    made = []
    for span, words in spans:
        inside = in_force(hits) if span is None else [hit for hit in hits if _holds(hit, span, stated)]
        made.append(TableCell(name, words, span, inside))
    return made


def in_force(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that nothing among them has superseded: where no time is asked for, what was said before
    counts no more. All, where nothing else is there."""
    ids = {hit.id for hit in hits}
    return [hit for hit in hits if hit.superseded is None or hit.superseded.id not in ids] or list(hits)


def _each(asked: ParsedQuestion, hits: Sequence[Hit], span: Span) -> list[tuple[Span | None, str]]:
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


def _holds(hit: Hit, span: Span, stated: Mapping[str, list[Span | None]]) -> bool:
    return (
        of_time(hit, span)
        or speaks_in_text_of(hit, span)
        or any(holds_in(each, (span,)) for each in stated.get(hit.id, ()))
    )


def _best(
    phrase: SearchedPhrase, cell: TableCell, said: Sequence[Sentence], asked: ParsedQuestion
) -> BestSentence | None:
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


def _newest(best: BestSentence, fits: Sequence[BestSentence]) -> BestSentence:
    """What was published last, of what says a phrase as well as the best one does: by a fact of the kind of
    its fact, or, where it has none, in a sentence that says what is the case."""
    if best.fact is None and not _states(best.sentence):
        return best
    stated = [
        each for each in fits
        if _alike(each, best) and not past(each.sentence)
        and each.states >= best.states and each.share >= best.share
    ]  # fmt: skip
    return max(stated, key=lambda each: (_published(each), each.score), default=best)


def _alike(one: BestSentence, other: BestSentence) -> bool:
    """Whether two say a phrase in the same way."""
    if one.fact is None or other.fact is None:
        return one.fact is other.fact and _states(one.sentence)
    return one.fact.fact.kind == other.fact.fact.kind


def _states(sentence: Sentence) -> bool:
    return any(is_state(each.fact) for each in sentence.facts)


def _published(found: BestSentence) -> int:
    """The last instant of the date of publication; what has none is from before all times."""
    published = found.sentence.hit.published
    return BEGINNING if published is None else published.span.last


def _undisputed(best: BestSentence, said: Sequence[Sentence], *, newest: bool) -> BestSentence:
    """What is found with what contradicts it; where that is what should be told, in its place."""
    if best.fact is None:
        return replace(best, figure=shown_figure(best.sentence, None))
    against = dispute(FactStatement(best.sentence, best.fact), said, newest=newest)
    if against is not None and against.told is not None:
        best = replace(best, sentence=against.told.sentence, fact=against.told.fact)
    return replace(best, figure=shown_figure(best.sentence, best.fact), dispute=against)
