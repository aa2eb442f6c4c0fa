"""An answer without a model: the best sentences are quoted, each with its source and date.

Several names or periods make a table in order of time. If one of several is asked for, it is named when all
values can be compared. What no sentence answers is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

from asof.answer.answerability import unanswerable_reason, unreachable_cells
from asof.answer.best_sentences import Quote, best_quotes
from asof.answer.contradictions import (
    Contradiction,
    FactStatement,
    contradiction_reason,
    find_contradiction,
)
from asof.answer.evidence import Sentence, WeightedPhrase, tells_more
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_facts import SentenceFact
from asof.answer.sentence_match import SentenceMatch, TableCell, match_sentence
from asof.answer.successor import successor_quotes
from asof.answer.table import table_cells
from asof.data import LOCAL, Answer, Citation, Hit, Value
from asof.data.sourced_time import shortened
from asof.index.view import View

MAX_QUOTES = 16
"""The most sentences that are quoted; a note says how many more were found."""

SURE = 0.75
"""A sentence with this share of what is asked, or of what its fact is about, answers a question alone."""

TITLE = 120
"""The most characters of a title behind a quote."""

SHORT = 60
"""The most characters of a sentence that stand for a figure in a table."""


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made from: the question, and the passages with their sentences and facts.

    `words`: what is searched of the question. `hits` and `rows` are in the same order; `notes` say what was
    left out.
    """

    question: str
    words: WeightedPhrase
    parsed: ParsedQuestion
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    sentences: tuple[Sentence, ...]
    facts: tuple[SentenceFact, ...]
    notes: tuple[str, ...] = ()


def extractive_answer(view: View, context: AnswerContext) -> Answer:
    """The answer in quotes, or a refusal with what comes nearest."""
    question = context.parsed
    cells = table_cells(question, view, context.hits, context.sentences)
    reason = ""
    if question.asks_for_figures:
        reason = unreachable_cells(question, context.hits, cells, context.facts)
    following = successor_quotes(question, context.words, view, context.sentences)
    if not reason and not following and _is_sure(context, cells):
        return _table_answer(view, context, cells)
    reason = reason or unanswerable_reason(
        question, context.words, context.hits, context.sentences, context.facts, view
    )
    if reason:
        nearest = best_quotes(question, context.words, context.hits, context.sentences, inf)
        return _refused_beside(view, context, reason, nearest)
    quotes = following or best_quotes(question, context.words, context.hits, context.sentences)
    if not quotes:
        return _refused_beside(view, context, "no sentence that was found states anything", [])
    contradiction = _contradiction(view, context, quotes[0])
    if contradiction is not None and contradiction.preferred is None:
        return _contradicted(view, context.question, contradiction)
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    notes = [] if contradiction is None else [_contradiction_note(contradiction)]
    if context.words.unknown:
        notes.append(f"of the question no passage has: {', '.join(context.words.unknown)}")
    text = "\n".join(map(_quoted, citations))
    return Answer(
        context.question, text, False, "", LOCAL, view.as_of, view.known_at, citations, (), tuple(notes)
    )  # fmt: skip


def _is_sure(context: AnswerContext, cells: Sequence[TableCell]) -> bool:
    """Whether the cells answer the question by sentences that have nearly all of what is asked: any cell of a
    table; a single one also by what a sentence states as a fact, if it tells more than the question does and
    no reason is asked for."""
    question = context.parsed
    if question.explains and not question.wants_value:
        return False
    if question.asks_for_table:
        return any(match.share >= SURE for cell in cells for match in cell.matches)
    return all(
        len(cell.matches) == max(len(question.topics), 1)
        and all(
            tells_more(match.sentence.text, context.question)
            and (match.relation_share >= SURE or (question.wants_value and match.share >= SURE))
            for match in cell.matches
        )
        for cell in cells
    )


def _refused_beside(view: View, context: AnswerContext, reason: str, quotes: Sequence[Quote]) -> Answer:
    """A refusal, and the passages that come nearest."""
    answer = refused(view, context.question, reason)
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    lines = [answer.text, *(["Nearest:"] if citations else []), *map(_quoted, citations)]
    return replace(answer, text="\n".join(lines), citations=citations)


def _contradiction(view: View, context: AnswerContext, quote: Quote) -> Contradiction | None:
    """What contradicts the fact that a quote states of what is asked, if it states any."""
    question = context.parsed
    cell = TableCell("", "", None, list(context.hits))
    topics = [WeightedPhrase.of(topic, view) for topic in question.topics] or [context.words]
    for sentence in context.sentences:
        if sentence.hit is not quote.hit or not quote.start <= sentence.start < quote.end:
            continue
        for topic in topics:
            match = match_sentence(topic, cell, sentence, question)
            if match is not None and match.fact is not None:
                stated = FactStatement(sentence, match.fact)
                return find_contradiction(stated, context.sentences, newest=not question.times)
    return None


def _table_answer(view: View, context: AnswerContext, cells: Sequence[TableCell]) -> Answer:
    """A table of the cells, with a quote for each value."""
    matches = [match for cell in cells for match in cell.matches]
    contradictions = [match.contradiction for match in matches if match.contradiction is not None]
    for each in contradictions:
        if each.preferred is None:
            return _contradicted(view, context.question, each)
    citations = _numbered((match.sentence.hit, match.sentence.text, None) for match in matches)
    number = {(each.id, each.quote): each.n for each in citations}
    values = tuple(
        Value(cell.name, cell.period, match.topic, _figure(match), number[_quote_of(match)])
        for cell in cells
        for match in cell.matches
        if _quote_of(match) in number
    )
    notes = [*_missing(context, cells), *map(_contradiction_note, contradictions)]
    left_out = len(set(map(_quote_of, matches))) - len(citations)
    if left_out:
        notes.append(f"{left_out} more sentence{'s were' if left_out > 1 else ' was'} found and left out")
    is_table = len(cells) > 1 or len(values) > 1
    table = _table(context, cells, values, citations) if is_table else []
    text = "\n".join([*table, *map(_quoted, citations)])
    return Answer(
        context.question, text, False, "", LOCAL, view.as_of, view.known_at, citations,
        values if is_table else (), tuple(notes),
    )  # fmt: skip


class Moments(Protocol):
    """The moments of an answer; a `View` has them."""

    @property
    def as_of(self) -> int: ...
    @property
    def known_at(self) -> int: ...


def refused(moments: Moments, question: str, reason: str, mode: str = LOCAL) -> Answer:
    """A refusal with its reason."""
    return Answer(question, f"No answer: {reason}.", True, reason, mode, moments.as_of, moments.known_at, ())


def _contradicted(view: View, question: str, contradiction: Contradiction) -> Answer:
    """A refusal that cites the sources that contradict each other."""
    others = contradiction.others
    citations = _numbered((each.sentence.hit, each.sentence.text, None) for each in others)
    number = {(each.id, each.quote): each.n for each in citations}
    quoted = [each for each in others if (each.sentence.hit.id, each.sentence.text) in number]
    reason = contradiction_reason(
        quoted, [number[each.sentence.hit.id, each.sentence.text] for each in quoted]
    )
    answer = refused(view, question, reason)
    return replace(answer, text="\n".join([answer.text, *map(_quoted, citations)]), citations=citations)


def _numbered(quotes: Iterable[tuple[Hit, str, tuple[int, int] | None]]) -> tuple[Citation, ...]:
    """Citations of quotes and what they emphasise, numbered in their order; each quote once, at most
    MAX_QUOTES."""
    citations: dict[tuple[str, str], Citation] = {}
    for hit, quote, emphasis in quotes:
        if (hit.id, quote) not in citations and len(citations) < MAX_QUOTES:
            citations[hit.id, quote] = Citation.of(len(citations) + 1, hit, quote, emphasis)
    return tuple(citations.values())


def _contradiction_note(contradiction: Contradiction) -> str:
    return "; ".join(
        f"it contradicts {_with_source(each.sentence.text, each.sentence.hit)}"
        for each in contradiction.others
    )


def _quote_of(match: SentenceMatch) -> tuple[str, str]:
    return match.sentence.hit.id, match.sentence.text


def _figure(match: SentenceMatch) -> str:
    if match.figure is not None:
        return match.figure.text
    return match.fact.fact.object if match.fact is not None else ""


def _table(
    context: AnswerContext, cells: Sequence[TableCell], values: Sequence[Value], citations: Sequence[Citation]
) -> list[str]:
    """The lines of the table, below the one that was asked for, and a blank line; [] without values."""
    lines = []
    quotes = {each.n: each.quote for each in citations}
    for each in values:
        head = "  ".join(part for part in (each.name, each.period, each.measure) if part)
        lines.append(f"{head}: {each.value or _short(quotes[each.citation])} [{each.citation}]")
    extreme = superlative_match(context.parsed, cells)
    if extreme is not None:
        cell, match = extreme
        which = "highest" if context.parsed.superlative > 0 else "lowest"
        lines.insert(0, f"{which}: {'  '.join(cell.label)}, {_figure(match)}")
    return [*lines, ""] if lines else []


def superlative_match(
    question: ParsedQuestion, cells: Sequence[TableCell]
) -> tuple[TableCell, SentenceMatch] | None:
    """The cell with the highest (lowest) value, if the question asks for it and all can be compared."""
    if not question.superlative or len(question.topics) > 1:
        return None
    matches = [(cell, match) for cell in cells for match in cell.matches]
    valued = [(match.figure.amount, cell, match) for cell, match in matches if match.figure is not None]
    if not 2 <= len(valued) == len(matches) or len({amount.unit for amount, _, _ in valued}) > 1:
        return None
    _, cell, match = max(valued, key=lambda each: question.superlative * each[0].value)
    return cell, match


def _missing(context: AnswerContext, cells: Sequence[TableCell]) -> list[str]:
    """Notes on the topics of a question that were not found."""
    notes = []
    for cell in cells:
        matched = {match.topic for match in cell.matches}
        missing = [topic for topic in context.parsed.topics if topic not in matched]
        if missing or not (cell.matches or context.parsed.topics):
            where = f" for {' '.join(cell.label)}" if cell.label else ""
            notes.append(f"not found{where}: {_listed(missing) or 'anything'}")
    return notes


def _quoted(citation: Citation) -> str:
    return f"[{citation.n}] {_with_source(citation.quote, citation)}"


def _with_source(quote: str, source: Citation | Hit) -> str:
    date = source.published.day if source.published else "undated"
    return f"“{quote}” ({shortened(source.title or source.document, TITLE)}, {date})"


def _short(quote: str) -> str:
    """The beginning of a sentence that has no figure to show."""
    return f"“{quote}”" if len(quote) <= SHORT else f"“{quote[:SHORT].rsplit(' ', 1)[0]} …”"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
