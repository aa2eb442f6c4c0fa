"""Answers a question from its passages; read this module first.

Mode "local" quotes the passages (`extractive`) or has a model write from them (`write`). Mode "global"
answers from reports on periods, which an extension provides (`Answering.overview`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from msgspec import Struct

from asof import plugins
from asof.answer.answerable import unanswerable_reason
from asof.answer.choose import MARGIN, PASSAGES, Candidates, best_quotes
from asof.answer.extractive import AnswerContext, extractive_answer
from asof.answer.match import of_asked_number
from asof.answer.question import ParsedQuestion
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    in_force_at,
    is_event,
    is_of_publication,
    lasts,
    may_last,
    rows_in_time,
    statements_of,
    things_of,
)
from asof.answer.table import TableCell
from asof.documents import PUBLISHED, SourcedTime, holds_at, shortened
from asof.errors import UsageError
from asof.hits import GLOBAL, LOCAL, LONGEST_TITLE, Answer, Citation, Hit, Superseded
from asof.index.view import View
from asof.queries import Filters
from asof.revisions.chains import succession
from asof.revisions.force import STEPS, current_section, followers, validity
from asof.store.digest import KIND, STATUS, TEXT, span_of
from asof.store.reader import VisibleInterval
from asof.text.passages import pack, passage_header, tokens
from asof.text.query import key
from asof.text.question import QuestionReading
from asof.text.versions import IN, UNDER, asked, versions_in
from asof.time.intent import STATE
from asof.time.span import BEGINNING, NEVER, Span, format_instant, nearest_moment
from asof.wire import replace

if TYPE_CHECKING:
    from asof.answer.write import QuestionModel


# -- promote what is current ---------------------------------------------------------------------------
# For a question that names no time, a superseding passage takes the place of the one it superseded.


class Passages(NamedTuple):
    """Hits, best first, and their rows in the view in the same order."""

    hits: tuple[Hit, ...]
    rows: tuple[int, ...]


def promote_current(question: ParsedQuestion, view: View, passages: Passages, most: int) -> Passages:
    """The passages; each of the first `most` that is superseded comes after the current one of its series,
    and one of a dated section that is over after the current section, with its score.

    One that lacks a name or a figure of the question which the superseded passage has is about something else
    ("PHP 8.2" for "PHP 8.1"): the passage then counts as not superseded. One that has been removed, or stands
    before the passage anyway, changes nothing.
    """
    hits, rows = list(passages.hits), list(passages.rows)
    known = dict(zip(rows, hits, strict=True))
    names = wanted(question)
    for hit, row in zip(passages.hits[:most], passages.rows[:most], strict=True):
        last = _current(view, row) if hit.superseded else None if hit.holds else current_section(view, row)
        if last is None:
            continue
        if last not in known:
            (known[last],) = view.hits(
                np.array([last], np.int64), np.array([hit.score]), [hit.why].__getitem__
            )
        place = rows.index(row)
        if not said(names, hit) <= said(names, known[last]):
            hits[place] = replace(hit, superseded=None)
        elif last not in rows[:place]:
            if last in rows:
                at = rows.index(last)
                del hits[at], rows[at]
            hits.insert(place, replace(known[last], rank=hit.rank, score=hit.score, explain=hit.explain))
            rows.insert(place, last)
    return Passages(tuple(hits), tuple(rows))


def _current(view: View, row: int) -> int | None:
    """The row of its series that holds instead of a row, if it is another one and current: the last, unless
    that is stated to hold at another time, or another one from a later day on."""
    chains = succession(view)
    series = chains.series(row)
    held = validity(view, series[-1:])
    at = int(series[-1]) if held.begins[0] <= view.as_of <= held.ends[0] else row
    for _ in range(STEPS):
        (later,) = followers(view, np.array([at], np.int64), view.as_of)
        if later is None or later.row not in series or later.instant > view.as_of:
            break
        at = later.row
    return None if at == row or chains.ends(np.array([at], np.int64))[0] is not None else at


def wanted(question: ParsedQuestion) -> frozenset[str]:
    """The names of a question, and its words with figures."""
    figures = [word for word in key(question.text).split() if any(map(str.isdigit, word))]
    return frozenset({*map(key, question.names), *figures})


def said(wanted: frozenset[str], hit: Hit) -> frozenset[str]:
    """Those of the names that a hit has."""
    if not wanted:
        return wanted
    said = f" {key(f'{hit.title} {hit.text}')} "
    return frozenset(name for name in wanted if f" {name} " in said)


# -- ask -----------------------------------------------------------------------------------------------

AUTO = "auto"

MOST_READ = 5_000
"""Passages up to which "auto" has facts and reports made for a question; of more that takes minutes."""

LOCAL_TOKENS = 12_000
"""The tokens of passages that an answer reads (L_ctx of TG-RAG, section V-D)."""

BUDGET_NEEDS_MODEL = "a budget is for a language model, and none is configured: nothing is spent"

TextCallback = Callable[[str], None]
"""Gets the pieces of an answer that a model writes, as they arrive."""


class AnswerOptions(Struct, frozen=True):
    """Options of an answer: the `mode` (LOCAL or GLOBAL), how many `tokens` are read, and the `model` that
    writes (None: quotes). `on_text` gets the pieces of the text as it is written."""

    mode: str = LOCAL
    tokens: int | None = None
    model: QuestionModel | None = None
    on_text: TextCallback | None = None


class RetrievedPassages(Struct, frozen=True):
    """The passages retrieved for a question in a view: hits, best first, and their rows in the same order.

    `filters`: which passages could be retrieved. `notes`: how the times of the question were read.
    `of_versions`: so many of the first are of the versions that it asks for (`asof.rank.versions`).
    """

    view: View
    reading: QuestionReading
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    filters: Filters
    notes: tuple[str, ...]
    of_versions: int = 0


class PendingAnswer(Struct, frozen=True):
    """An answer that a model still has to write, from `context` alone, so that the view can be released.

    `passages`: the ids of the hits. `quoted`: the answer without a model, used if the model fails.
    """

    as_of: int
    known_at: int
    context: AnswerContext
    passages: tuple[int, ...]
    quoted: Answer
    notes: tuple[str, ...] = ()


class Answering(Protocol):
    """An extension that adds to answers: an entry point `facts` of the group `asof.answering`."""

    def prepare(self, session: Any) -> None:
        """Builds the reports that answers over periods need, unless they exist. Raises CorpusError."""
        ...

    def note(self, config: Any) -> str:
        """A note on configuration that has no effect on answers, or ""."""
        ...

    def overview(
        self, retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, *, requested: bool
    ) -> Answer | None:
        """The answer over the periods of a question. Unless it is `requested`, None where passages answer
        better. Raises ModelError."""
        ...


def answering() -> Answering | None:
    """The installed extension that adds to answers, or None."""
    offered: Answering | None = plugins.load(plugins.ANSWERING, "facts")
    return offered


def overviews() -> Answering:
    """The extension that answers in mode "global". Raises UsageError if there is none."""
    if (offered := answering()) is None:
        raise UsageError(
            'mode "global" answers from reports on periods, which an extension makes that is not installed '
            "(an entry point `facts` of asof.answering)"
        )
    return offered


def answer(
    retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, *, requested: bool = True
) -> Answer | PendingAnswer:
    """Answer a question from its passages; pending, if a model is to write from them.

    `context`: the result of `context_of` for them. `requested`: the user asked for this mode. Otherwise
    passages answer where reports do not. Raises ModelError.
    """
    notes = (*retrieved.reading.notes, *retrieved.notes, *context.notes)
    if options.mode == GLOBAL:
        summarised = overviews().overview(retrieved, context, options, requested=requested)
        if summarised is not None:
            return _finished(summarised, notes, options)
    view = retrieved.view
    quoted = extractive_answer(view, context)
    if options.model is None or not context.hits:
        return _finished(quoted, notes, options)
    passages = view.column("passage", np.array(context.rows, np.int64)).tolist()
    return PendingAnswer(view.as_of, view.known_at, context, tuple(passages), quoted, notes)


def write_pending(model: QuestionModel, pending: PendingAnswer, options: AnswerOptions) -> Answer:
    """The answer that a model writes; the quoted one, if its reply cannot be used. Raises ModelError."""
    from asof.answer.write import write_answer

    written = write_answer(pending, pending.context, pending.passages, model, options.on_text)
    if isinstance(written, str):
        note = f"quoted, because {model.name} gave no answer: {written}"
        written = replace(pending.quoted, notes=(*pending.quoted.notes, note))
    return _finished(written, pending.notes, options)


def _finished(unfinished: Answer, notes: tuple[str, ...], options: AnswerOptions) -> Answer:
    """The answer with notes and the cost of models."""
    model = options.model
    if model is None:
        return replace(unfinished, notes=(*notes, *unfinished.notes))
    stopped = (note,) if (note := model.stopped()) else ()
    return replace(unfinished, notes=(*notes, *unfinished.notes, *stopped), cost=model.cost)


def mode_for(mode: str, reading: QuestionReading) -> str:
    """The mode that "auto" chooses: global for an overview, local for a fact or a figure, and where nothing
    makes overviews. Raises UsageError for "global" there."""
    if mode == GLOBAL:
        overviews()
    if mode != AUTO:
        return mode
    overview = answering() is not None and asked(reading.query.text) is None
    overview = overview and ParsedQuestion.of(reading).overview
    return GLOBAL if overview else LOCAL


def context_of(
    retrieved: RetrievedPassages, budget: int | None, cell: TableCell | None = None
) -> AnswerContext:
    """The parsed question, and the passages that fit into the budget, in tokens (None: LOCAL_TOKENS). `cell`:
    that of a table for which it is asked."""
    view = retrieved.view
    found = Passages(retrieved.hits, retrieved.rows)
    parsed = ParsedQuestion.of(retrieved.reading)
    of_it = retrieved.of_versions
    if not (parsed.times or parsed.beside or of_it) and retrieved.filters == Filters():
        found = promote_current(parsed, view, found, PASSAGES)
    sizes = [tokens(passage_header(hit.title, hit.published)) + tokens(hit.text) for hit in found.hits]
    limit = LOCAL_TOKENS if budget is None else budget
    packed = pack(sizes, limit)
    selected = sorted(packed.selected)
    hits = tuple(found.hits[at] for at in selected)
    rows = tuple(found.rows[at] for at in selected)

    of_it = sum(at < of_it for at in selected)
    count = None if parsed.beside else of_it or PASSAGES
    note = packed.note("passages", limit)
    query = retrieved.reading.query
    words = WeightedPhrase.of(f"{cell.topic} {cell.name}" if cell else query.lexical, view, parsed.asking)
    force = replace(query, filters=retrieved.filters).date_of_force(view.as_of)
    times = parsed.times or ((Span.at(nearest_moment(force)),) if parsed.current else ())
    stated = of_asked_number(parsed, statements_of(view, hits[:count]), view)
    stated = rows_in_time(stated, times)
    if retrieved.reading.intent is None or retrieved.reading.intent.direction != "future":
        stated = in_force_at(view, words, stated, force)
    return AnswerContext(
        query.text, words, parsed, hits, rows, _up_to_version(parsed, stated), (note,) if note else (),
        _authority(view, hits, rows), cell, retrieved.filters.in_force, of_it,
    )  # fmt: skip


def best_statements(retrieved: RetrievedPassages, margin: float = MARGIN) -> list[tuple[Hit, str]]:
    """The hits with the best statements, each with what its statement says; best first, none that scores so
    much less than the best; [] where the passages cannot hold the answer."""
    if not retrieved.hits:
        return []
    context = context_of(retrieved, None)
    found = Candidates.of(context.parsed, context.words, context.hits, context.sentences)
    if unanswerable_reason(context.parsed, context.words, context.hits, found, retrieved.view):
        return []
    best = best_quotes(context.parsed, context.words, found, margin)
    return [(each.hit, each.statement.text) for each in best]


def _up_to_version(question: ParsedQuestion, sentences: Sequence[Statement]) -> tuple[Statement, ...]:
    """The sentences without those of later versions than that in which the answer has to hold, if some of the
    same document or title are of that or an earlier one."""
    asks = asked(question.text)
    several = asks is not None and asks.kind == IN and len(list(versions_in(question.text))) > 1
    if asks is None or asks.version is None or asks.kind not in (IN, UNDER) or question.beside or several:
        return tuple(sentences)
    most = asks.version.first if asks.kind == UNDER else asks.version.behind
    there = set[str]().union(*(things_of(each.hit) for each in sentences if 0 < each.version < most))
    return tuple(each for each in sentences if each.version < most or there.isdisjoint(things_of(each.hit)))


def _authority(view: View, hits: Sequence[Hit], rows: Sequence[int]) -> dict[str, int]:
    """The place of each hit in the order of authority, by its id; {} without an order."""
    places = view.authority(np.array(rows, np.int64)).tolist() if view.official else []
    return dict(zip((hit.id for hit in hits), places, strict=False))


# -- past: answers as of a past time that the question names, where the present has none for it --------
# A version that was edited since, or a document that was removed, is not found in the present. "Who was mayor
# in 2020?" is then asked again "as of 2020", and that answer is used if it rests on passages that were
# current then and are not any more. Its moment is before that of the question: nothing becomes visible that
# was not.

Lives = Mapping[str, Sequence[VisibleInterval]]
"""The validity intervals of passages as of the moment of a question, by ids of hits, in order of time."""

QUOTE = 160
"""The most characters of a sentence in a note."""


class Answered(NamedTuple):
    """An answer, or the input of a model that is to write one, with its context."""

    made: Answer | PendingAnswer
    context: AnswerContext

    @property
    def quoted(self) -> Answer:
        """The answer without a model."""
        return self.made.quoted if isinstance(self.made, PendingAnswer) else self.made


def named_past(reading: QuestionReading) -> Span | None:
    """The one time that a question for a fact names, if it was over at the moment of the question."""
    times = reading.query.about
    if len(times) != 1 or not BEGINNING < times[0].last < reading.as_of:
        return None
    question = ParsedQuestion.of(reading)
    return None if question.times != times or question.asks_for_table or question.beside else times[0]


def read_as_of(reading: QuestionReading, asked: Span) -> QuestionReading:
    """The question with "as of" that time."""
    query = replace(reading.query, about=(), recency=max(reading.query.recency, STATE))
    return replace(reading, query=query, as_of=asked.last)


def is_open(now: Answered, asked: Span) -> bool:
    """True if a past answer may have to replace the present one: that is a refusal, or the first passage that
    it quotes is newer and does not mention the time that is asked about."""
    if now.quoted.refused:
        return True
    first = now.quoted.citations[0]
    published = first.published
    return (
        published is not None
        and published.span.last > asked.last
        and not any(
            time.span.overlap(asked)
            for time in first.about
            if _is_of_quote(time, first) and not is_of_publication(time, published)
        )
    )


def of_its_time(now: Answered, then: Answered, asked: Span, lives: Lives) -> Answered:
    """The answer of the time `asked`, `then`, if it has to replace the present one, which `is_open`; else the
    present one, with a note if the other has an answer.

    It replaces it if the passage that it rests on states what lasts, and names no other time, or tells of no
    event and has ended; and if the present one is a refusal, or that passage has ended or been superseded
    since and the present one quotes from its document or a later passage of its series, too.
    """
    best = next(iter(then.quoted.citations), None)
    if then.quoted.refused or best is None or best.superseded is not None:
        return now
    after = {hit.id: hit.superseded for hit in now.context.hits if hit.superseded is not None}
    life, later = life_at(lives, best.id, asked.last), _later(after, best.id)
    answered = not now.quoted.refused
    if life is None or (answered and life.ended is None and not later):
        return now
    if answered and not any(
        each.document == best.document or each.id in later for each in now.quoted.citations
    ):
        return now
    states = may_last if now.quoted.refused else lasts
    if not _states(states, then.context, best, asked) and (life.ended is None or _is_event(best)):
        return Answered(replace(now.made, notes=(*now.made.notes, _hint(best, asked))), now.context)
    moment = f"of {format_instant(asked.last)}, which the question names"
    quoted = replace(
        then.quoted, text=f"As {moment}:\n{then.quoted.text}",
        citations=tuple(replace(each, superseded=after.get(each.id)) for each in then.quoted.citations),
    )  # fmt: skip
    if isinstance(then.made, Answer):
        return Answered(quoted, then.context)
    hits = tuple(replace(each, superseded=after.get(each.id)) for each in then.context.hits)
    context, notes = replace(then.context, hits=hits), (f"answered as {moment}", *then.made.notes)
    return Answered(replace(then.made, context=context, quoted=quoted, notes=notes), context)


def not_yet_in_force(now: Answered, at: int) -> Citation | None:
    """The first citation of an answer, if it holds only after an instant."""
    best = next(iter(now.quoted.citations), None)
    if best is None or best.holds or best.in_force is None or best.in_force.by == STATUS:
        return None
    return best if best.in_force.span.first > at else None


def until_in_force(now: Answered, coming: Citation, then: Answered, at: int) -> Answered:
    """The answer `then`, of the moment before the document of a citation said what is `coming`, if that
    document said something else that holds at an instant; with the end of that, as of the present moment.
    Else the present answer."""
    best, begins = next(iter(then.quoted.citations), None), coming.in_force
    if then.quoted.refused or best is None or begins is None or best.document != coming.document:
        return now
    if best.quote == coming.quote or best.in_force is None or not holds_at(best.in_force, at):
        return now
    first = BEGINNING if best.in_force.span.start is None else best.in_force.span.first
    end = min(begins.span.first, best.in_force.span.last + 1)
    held = replace(best, in_force=replace(best.in_force, span=span_of(first, end)))
    note = f"from {format_instant(begins.span.first)} on: {shortened(coming.quote, QUOTE)}"
    quoted = replace(
        then.quoted, as_of=now.quoted.as_of, citations=(held, *then.quoted.citations[1:]),
        notes=(*then.quoted.notes, note),
    )  # fmt: skip
    if isinstance(then.made, Answer):
        return Answered(quoted, then.context)
    return Answered(replace(then.made, as_of=now.quoted.as_of, quoted=quoted), then.context)


def with_lives(answer: Answer, lives: Lives) -> Answer:
    """An answer as of a past time, with the interval in which each passage that it cites was in force, as is
    known at the moment of the question."""
    citations = (
        each
        if (life := life_at(lives, each.id, answer.as_of)) is None
        else replace(each, in_force=_in_force(each, life))
        for each in answer.citations
    )
    return replace(answer, citations=tuple(citations))


def life_at(lives: Lives, passage: str, instant: int) -> VisibleInterval | None:
    """The validity interval of a passage at an instant."""
    at = (each for each in lives.get(passage, ()) if each.visible <= instant)
    return next((each for each in at if each.ended is None or instant < each.ended), None)


def _in_force(citation: Citation, life: VisibleInterval) -> SourcedTime:
    """The time in which a passage is in force until it ended or was superseded."""
    stated = citation.in_force or SourcedTime(span_of(life.visible, NEVER), "", PUBLISHED)
    ends = [min(stated.span.last + 1, NEVER), NEVER if life.ended is None else life.ended]
    ends += [] if citation.superseded is None else [citation.superseded.at]
    begin = BEGINNING if stated.span.start is None else stated.span.first
    return replace(stated, span=span_of(begin, max(min(ends), begin + 1)))


def _later(after: Mapping[str, Superseded], passage: str) -> set[str]:
    """The ids of the passages that superseded a passage, one after another."""
    found: set[str] = set()
    while (follower := after.get(passage)) is not None and follower.id not in found:
        passage = follower.id
        found.add(passage)
    return found


def _is_of_quote(time: SourcedTime, citation: Citation) -> bool:
    """True if a time of a passage is inside the quotation, or applies to all of the passage."""
    return KIND.get(time.by) != TEXT or time.text in citation.quote


def _states(
    states: Callable[[Statement, int], bool], context: AnswerContext, citation: Citation, asked: Span
) -> bool:
    """True if a citation `states` (`lasts`, `may_last`) what is the case at the end of the time `asked`."""
    begin, end = citation.emphasis or (0, len(citation.quote))
    said = citation.quote[begin:end]
    return any(
        states(each, asked.last)
        for each in context.sentences
        if each.hit.id == citation.id and said == each.text
    )


def _is_event(citation: Citation) -> bool:
    """True if a citation has a verb in the past tense, or of what happens once."""
    begin, end = citation.emphasis or (0, len(citation.quote))
    return is_event(citation.quote[begin:end], citation.quote)


def _hint(best: Citation, asked: Span) -> str:
    """A note on the passage that the answer as of a time would quote."""
    source = shortened(best.title or best.document, LONGEST_TITLE)
    day = format_instant(asked.last)
    return (
        f"until after {day}, which the question names, {source} said “{shortened(best.quote, QUOTE)}”:"
        f" --as-of {day} answers from what held then"
    )
