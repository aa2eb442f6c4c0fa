"""The table of an answer: for each name and period of the question, the sentence that answers it best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from asof.answer.contradictions import FactStatement, find_contradiction
from asof.answer.evidence import (
    Sentence,
    WeightedPhrase,
    document_in_time,
    document_times,
    mentions_name,
    name_use,
    text_names_time,
)
from asof.answer.fact_match import figure_shown, figures_in
from asof.answer.fallback import first_hit, lasting_states
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_match import SentenceMatch, TableCell, describes_past, match_sentence
from asof.data import Hit
from asof.index.view import View
from asof.time.period import Period
from asof.time.scope import holds_in, label
from asof.time.span import BEGINNING, Span


def table_cells(
    question: ParsedQuestion, view: View, hits: Sequence[Hit], sentences: Sequence[Sentence]
) -> list[TableCell]:
    """The cells of a question, empty ones included, in order of names and then of time."""
    topics = [WeightedPhrase.of(topic, view) for topic in question.topics]
    fact_times = _fact_times(sentences)
    cells = []
    for name in question.names or ("",):
        hits_about = about(hits, name, current=question.current)
        sentences_about = _of(hits_about, sentences)
        naming = [each for each in sentences if not name or mentions_name(each, name)]
        phrases = topics or [WeightedPhrase.of(name, view)]
        whole = WeightedPhrase.of(" ".join([name, *question.topics]), view)
        for cell in periods(question, name, hits_about, fact_times):
            inside = _of(cell.hits, naming)
            best = (_best(phrase, cell, inside, question) for phrase in phrases)
            cell.matches += [match for match in best if match is not None]
            if not cell.matches and question.grain is None and not question.wants_value:
                if cell.span is not None and cell.span.first <= view.as_of:
                    cell.matches += lasting_states(phrases, cell, hits_about, sentences_about, question)
                cell.matches = cell.matches or first_hit(whole, cell, inside)
            cells.append(cell)
    return cells


def _of(hits: Sequence[Hit], sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences of some hits."""
    ids = {hit.id for hit in hits}
    return [each for each in sentences if each.hit.id in ids]


def _fact_times(sentences: Sequence[Sentence]) -> dict[str, list[Span | None]]:
    """The times of the facts of each hit, by its id."""
    times: dict[str, list[Span | None]] = {}
    for sentence in sentences:
        times.setdefault(sentence.hit.id, []).extend(each.fact.span for each in sentence.facts)
    return times


def about(hits: Sequence[Hit], name: str, *, current: bool = False) -> list[Hit]:
    """The hits whose title begins with a name; if there are none, those that have it in their text.

    `current`: also the latter, since any document may have what is current.
    """
    if not name:
        return list(hits)
    uses = [name_use(hit, name) for hit in hits]
    titled = [hit for hit, use in zip(hits, uses, strict=True) if use.title]
    if titled and not current:
        return titled
    return [hit for hit, use in zip(hits, uses, strict=True) if use.text]


def periods(
    question: ParsedQuestion, name: str, hits: Sequence[Hit], fact_times: Mapping[str, list[Span | None]]
) -> list[TableCell]:
    """A cell for each period of the grain that is asked for; else for each time named; else a single one.

    `fact_times`: the times of the facts of each hit, by its id.
    """
    spans: list[tuple[Span | None, str]]
    if not question.times:
        spans = [(None, "")] if question.grain is None else _each_period(question, hits, Span(None, None))
    elif question.grain is None:
        spans = [(span, label(span)) for span in question.times]
    else:
        spans = list(
            dict.fromkeys(each for span in question.times for each in _each_period(question, hits, span))
        )
        if not spans:
            return [TableCell(name, label(span), span) for span in question.times]
    cells = []
    for span, words in spans:
        inside = (
            current_hits(hits) if span is None else [hit for hit in hits if _of_time(hit, span, fact_times)]
        )
        cells.append(TableCell(name, words, span, inside))
    return cells


def current_hits(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that no other of them supersedes; all of them if there are no such hits."""
    ids = {hit.id for hit in hits}
    return [hit for hit in hits if hit.superseded is None or hit.superseded.id not in ids] or list(hits)


def _each_period(question: ParsedQuestion, hits: Sequence[Hit], span: Span) -> list[tuple[Span | None, str]]:
    """The periods of the question's grain that documents are about, inside a span, in order."""
    assert question.grain is not None  # noqa: S101  checked by the caller
    periods = set()
    for hit in hits:
        for time in document_times(hit):
            if time.start is not None and time.end is not None and holds_in(time, (span,)):
                period = Period.containing(time.start, question.grain)
                if holds_in(time, (period.span,)):
                    periods.add(period)
    return [(period.span, str(period)) for period in sorted(periods)]


def _of_time(hit: Hit, span: Span, fact_times: Mapping[str, list[Span | None]]) -> bool:
    return (
        document_in_time(hit, span)
        or text_names_time(hit, span)
        or any(holds_in(each, (span,)) for each in fact_times.get(hit.id, ()))
    )


def _best(
    topic: WeightedPhrase, cell: TableCell, sentences: Sequence[Sentence], question: ParsedQuestion
) -> SentenceMatch | None:
    """The sentence that answers a topic best in a cell; with a figure, if each period is asked for one."""
    matches = [each for sentence in sentences if (each := match_sentence(topic, cell, sentence, question))]
    if question.grain is not None and question.wants_value:
        matches = [each for each in matches if figures_in(each.sentence)]
    if not matches:
        return None
    best = max(matches, key=lambda each: each.score)
    if question.current and cell.span is None:
        best = _newest(best, matches)
    return _with_contradiction(best, sentences, newest=not question.times)


def _newest(best: SentenceMatch, matches: Sequence[SentenceMatch]) -> SentenceMatch:
    """The match published last of those that are as good as the best one and of its kind.

    Of its kind are facts of the same kind; where the best has no fact, sentences that state what is the case.
    """
    if best.fact is None and not _has_state(best.sentence):
        return best
    comparable = [
        each for each in matches
        if _same_kind(each, best) and not describes_past(each.sentence)
        and each.relation_share >= best.relation_share and each.share >= best.share
    ]  # fmt: skip
    return max(comparable, key=lambda each: (_published(each), each.score), default=best)


def _same_kind(one: SentenceMatch, other: SentenceMatch) -> bool:
    """Whether two matches have facts of one kind, or both none and `one` states what is the case."""
    if one.fact is None or other.fact is None:
        return one.fact is other.fact and _has_state(one.sentence)
    return one.fact.fact.kind == other.fact.fact.kind


def _has_state(sentence: Sentence) -> bool:
    return any(known.is_state for known in sentence.facts)


def _published(match: SentenceMatch) -> int:
    """The last instant of the date of publication; an undated document comes before all others."""
    published = match.sentence.hit.published
    return BEGINNING if published is None else published.span.last


def _with_contradiction(
    match: SentenceMatch, sentences: Sequence[Sentence], *, newest: bool
) -> SentenceMatch:
    """The match with what contradicts it; replaced by the statement that is preferred to it, if any is."""
    if match.fact is None:
        return replace(match, figure=figure_shown(match.sentence, None))
    contradiction = find_contradiction(FactStatement(match.sentence, match.fact), sentences, newest=newest)
    if contradiction is not None and contradiction.preferred is not None:
        match = replace(match, sentence=contradiction.preferred.sentence, fact=contradiction.preferred.fact)
    return replace(match, figure=figure_shown(match.sentence, match.fact), contradiction=contradiction)
