"""An answer without a model: the best sentences are quoted, each with its source and date.

Several names or periods make a table in order of time. If one of several is asked for, it is named when all
values can be compared. What no sentence answers is refused, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from asof.answer.contradictions import Contradiction, contradiction_reason
from asof.answer.evidence import Sentence, WeightedPhrase, name_use
from asof.answer.question import ParsedQuestion
from asof.answer.sentence_match import SentenceMatch, TableCell, match_sentence
from asof.answer.table import table_cells
from asof.data import LOCAL, Answer, Citation, Hit, Value
from asof.index.view import View
from asof.knowledge.time_scope import nearest
from asof.knowledge.visible_facts import StatedFact

MAX_QUOTES = 16
"""The most sentences that are quoted; a note says how many more were found."""

SHORT = 60
"""The most characters of a sentence that stand for a figure in a table."""


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer is made from: the question, and the passages with their sentences and facts.

    `hits` and `rows` are in the same order; `notes` say what was left out.
    """

    question: str
    parsed: ParsedQuestion
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    sentences: tuple[Sentence, ...]
    facts: tuple[StatedFact, ...]
    notes: tuple[str, ...] = ()


def extractive_answer(view: View, context: AnswerContext) -> Answer:
    """The answer in quotes, or a refusal."""
    cells = table_cells(context.parsed, view, context.hits, context.sentences)
    reason = refusal_reason(context, cells)
    if reason:
        near = () if unreachable_reason(context, cells) else _nearest_sentence(view, context, cells)
        return replace(refused(view, context.question, reason), notes=near)
    matches = [match for cell in cells for match in cell.matches]
    contradictions = [match.contradiction for match in matches if match.contradiction is not None]
    for each in contradictions:
        if each.preferred is None:
            return _contradicted(view, context.question, each)
    citations = _numbered((match.sentence.hit, match.sentence.text) for match in matches)
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
    citations = _numbered((each.sentence.hit, each.sentence.text) for each in others)
    number = {(each.id, each.quote): each.n for each in citations}
    quoted = [each for each in others if (each.sentence.hit.id, each.sentence.text) in number]
    reason = contradiction_reason(
        quoted, [number[each.sentence.hit.id, each.sentence.text] for each in quoted]
    )
    answer = refused(view, question, reason)
    return replace(answer, text="\n".join([answer.text, *map(_quoted, citations)]), citations=citations)


def _nearest_sentence(view: View, context: AnswerContext, cells: Sequence[TableCell]) -> tuple[str, ...]:
    """A note with the sentence that has most of the question's topics, though too little; () for none."""
    topics = WeightedPhrase.of(" ".join(context.parsed.topics), view)
    matches = [
        match
        for cell in cells
        for sentence in context.sentences
        if sentence.hit in cell.hits
        and topics.share(sentence.stems) > 0
        and (match := match_sentence(topics, cell, sentence, context.parsed, 0.0)) is not None
    ]
    if not matches:
        return ()
    best = max(matches, key=lambda each: (topics.share(each.sentence.stems), each.score)).sentence
    return (f"nearest sentence: {_with_source(best.text, best.hit)}",)


def refusal_reason(context: AnswerContext, cells: Sequence[TableCell]) -> str:
    """Why there is no answer; "" if any cell has a match."""
    if any(cell.matches for cell in cells):
        return ""
    topics = _listed(context.parsed.topics) if context.parsed.topics else "it"
    return unreachable_reason(context, cells) or f"no sentence that was found has: {topics}"


def nothing_relevant(context: AnswerContext, view: View) -> bool:
    """Whether no passage is about the names and the time of the question: no model needs to be asked."""
    return bool(
        unreachable_reason(context, table_cells(context.parsed, view, context.hits, context.sentences))
    )


def unreachable_reason(context: AnswerContext, cells: Sequence[TableCell]) -> str:
    """Why the passages cannot have an answer, because of their names and times; "" if they can."""
    if not context.hits:
        return "nothing in this corpus matches the question"
    question = context.parsed
    unknown = [name for name in question.names if not any(name_use(hit, name).text for hit in context.hits)]
    if unknown and len(unknown) == len(question.names):
        return f"no passage that was found mentions {_listed(unknown)}"
    if question.times and not any(cell.hits for cell in cells):
        whom = f" about {_listed(question.names)}" if question.names else ""
        times = nearest(context.facts, question.times)
        known = f"; the nearest times that are known: {', '.join(times)}" if times else ""
        when = _listed(list(dict.fromkeys(cell.period for cell in cells)))
        return f"nothing{whom} is known of {when}{known}"
    return ""


def _numbered(quotes: Iterable[tuple[Hit, str]]) -> tuple[Citation, ...]:
    """Citations of quotes, numbered in their order; each quote once, at most MAX_QUOTES."""
    citations: dict[tuple[str, str], Citation] = {}
    for hit, quote in quotes:
        if (hit.id, quote) not in citations and len(citations) < MAX_QUOTES:
            citations[hit.id, quote] = Citation(
                len(citations) + 1, hit.id, hit.document, hit.title, hit.published, hit.about, quote
            )
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
    date = source.published.text if source.published else "undated"
    return f"“{quote}” ({source.title or source.document}, {date})"


def _short(quote: str) -> str:
    """The beginning of a sentence that has no figure to show."""
    return f"“{quote}”" if len(quote) <= SHORT else f"“{quote[:SHORT].rsplit(' ', 1)[0]} …”"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
