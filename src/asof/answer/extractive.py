"""Extractive answers: the best sentences are quoted, each with its source and date; no model is needed.

Several names or periods give a table in order of time. If the question asks for one of several, that one is
named when all values can be compared. A question that no sentence answers is refused, with the reason.
Parts: the successor of something ("who came after X"), the table, the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Protocol

import msgspec
from msgspec import Struct

from asof.answer.answerable import unanswerable_reason, unreachable_cells
from asof.answer.choose import Candidates, Excerpt, best_quotes, quote_of, states_something
from asof.answer.match import (
    Contradiction,
    SentenceMatch,
    TableCell,
    contradiction_reason,
    differing,
    figure_shown,
    figures_in,
    find_contradiction,
    match_sentence,
)
from asof.answer.question import WORD, ParsedQuestion
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    document_times,
    has_lapsed,
    hit_in_time,
    mentions_name,
    name_use,
    tells_more,
)
from asof.index.view import View
from asof.text.passages import is_field
from asof.text.query import key
from asof.text.tokens import tokenize
from asof.text.versions import AFTER, BEFORE, CHANGED, AskedVersion, asked, phrases
from asof.time.span import Period, Span, holds_in, label
from asof.values import LOCAL, Answer, Citation, Hit, Value, force_words
from asof.wire import replace

# -- successor: the earliest later statement of the same kind that does not name it --------------------

SAME_KIND = 0.6
"""The least share of the words that mark the kind of a statement which another of the same kind has."""

COMMON = 2
"""A word marks the kind of a statement if so many sentences about other things have it."""


def successor_quotes(
    question: ParsedQuestion, words: WeightedPhrase, view: View, sentences: Sequence[Statement]
) -> list[Excerpt]:
    """The quote of what came after `question.after`, then that of what it came after; [] if none is found.

    The statement on what it came after is the earliest of the sentences that name it and have most of the
    question. Its own words are those with figures, as in "Ubuntu 20.04", or else all. Of the later published
    sentences that have none of its own words, all other words of the question that the statement has, and
    at least SAME_KIND of the words that tell its kind, the earliest is taken; of several of one day the most
    similar. Where its title names it, theirs begin with the same word.
    """
    after = key(question.after)
    at = _stating(words, sentences, after) if after else None
    published = None if at is None else sentences[at].hit.published
    if at is None or published is None:
        return []
    stating, named = sentences[at], _terms(view, question.after)
    own = frozenset(filter(_is_figure, named)) or named
    asked = (_terms(view, words.text) & stating.titled_stems) - own
    beginning = _first_word(stating) if _names(stating.hit.title, after) else ""
    others = [
        (number, each)
        for number, each in enumerate(sentences)
        if own.isdisjoint(each.stems)
        and asked <= each.titled_stems
        and _first_word(each).startswith(beginning)
    ]
    kind = _kind(view, stating, own, [each for _, each in others])
    later = [
        (day.span.last, -said, number)
        for number, each in others
        if (day := each.hit.published) is not None
        and day.span.first > published.span.last
        and (said := len(each.stems & kind)) >= SAME_KIND * max(len(kind), 1)
    ]
    if not asked or not later:
        return []
    return [quote_of(sentences, min(later)[2]), quote_of(sentences, at)]


def _stating(words: WeightedPhrase, sentences: Sequence[Statement], name: str) -> int | None:
    """The earliest of the dated sentences that, with their title, name this and have most of the question."""
    shares = [
        (words.share(each.titled_stems), -each.hit.published.span.first, -at)
        for at, each in enumerate(sentences)
        if each.hit.published is not None and _names(f"{each.hit.title} {each.text}", name)
    ]
    return -max(shares)[2] if shares else None


def _names(text: str, name: str) -> bool:
    return f" {name} " in f" {key(text)} "


def _first_word(sentence: Statement) -> str:
    return key(sentence.hit.title).partition(" ")[0]


def _kind(view: View, stating: Statement, own: frozenset[str], others: Sequence[Statement]) -> frozenset[str]:
    """The words that mark the kind of a statement: in COMMON other sentences, no figures or words of
    times."""
    counts = Counter(stem for each in others for stem in each.stems & stating.stems)
    times = frozenset(term for time in stating.hit.about for term in _terms(view, time.text))
    return frozenset(
        stem for stem in stating.stems - own - times if counts[stem] >= COMMON and not _is_figure(stem)
    )


def _terms(view: View, text: str) -> frozenset[str]:
    return frozenset(view.analyzer.terms(text, view.analyzer.detect(text)))


def _is_figure(stem: str) -> bool:
    return any(sign.isdigit() for sign in stem)


# -- table: for each name and period of the question, the sentence that answers it best ----------------


def table_cells(
    question: ParsedQuestion, view: View, hits: Sequence[Hit], sentences: Sequence[Statement],
    authority: Mapping[str, int],
) -> list[TableCell]:  # fmt: skip
    """The cells of a question, empty ones included, in order of names and then of time."""
    topics = [WeightedPhrase.of(topic, view) for topic in question.topics]
    cells = []
    for name in question.names or ("",):
        hits_about = about(hits, name, current=question.current)
        naming = [each for each in sentences if not name or mentions_name(each, name)]
        phrases = topics or [WeightedPhrase.of(name, view)]
        for cell in periods(question, name, hits_about):
            inside = _of(cell.hits, naming)
            best = (_best(phrase, cell, inside, question, authority) for phrase in phrases)
            cell.matches += [match for match in best if match is not None]
            cells.append(cell)
    return cells


def _of(hits: Sequence[Hit], sentences: Sequence[Statement]) -> list[Statement]:
    """The sentences of some hits."""
    ids = {hit.id for hit in hits}
    return [each for each in sentences if each.hit.id in ids]


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


def periods(question: ParsedQuestion, name: str, hits: Sequence[Hit]) -> list[TableCell]:
    """A cell for each period of the grain that is asked for; else for each time named; else a single one."""
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
        inside = current_hits(hits) if span is None else [hit for hit in hits if hit_in_time(hit, span)]
        cells.append(TableCell(name, words, span, inside))
    return cells


def current_hits(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that no other of them supersedes and that are in force, or first and were so; else all."""
    ids = {hit.id for hit in hits}
    current = [hit for hit in hits if hit.superseded is None or hit.superseded.id not in ids] or list(hits)
    return [
        hit for hit in current if hit.holds or (hit is current[0] is hits[0] and has_lapsed(hit))
    ] or current


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


def _best(
    topic: WeightedPhrase, cell: TableCell, sentences: Sequence[Statement], question: ParsedQuestion,
    authority: Mapping[str, int],
) -> SentenceMatch | None:  # fmt: skip
    """The sentence that answers a topic best in a cell; with a figure, if each period is asked for one."""
    matches = [each for sentence in sentences if (each := match_sentence(topic, cell, sentence, question))]
    if question.grain is not None and question.wants_value:
        matches = [each for each in matches if figures_in(each.sentence)]
    if not matches:
        return None
    best = max(matches, key=lambda each: each.score)
    return _with_contradiction(best, sentences, authority, newest=not question.times)


def _with_contradiction(
    match: SentenceMatch, sentences: Sequence[Statement], authority: Mapping[str, int], *, newest: bool
) -> SentenceMatch:
    """The match with its contradiction; replaced by the statement preferred to it, if there is one."""
    contradiction = find_contradiction(match.sentence, sentences, authority, newest=newest)
    if contradiction is not None and contradiction.preferred is not None:
        match = replace(match, sentence=contradiction.preferred)
    return replace(match, figure=figure_shown(match.sentence), contradiction=contradiction)


# -- answer --------------------------------------------------------------------------------------------

MAX_QUOTES = 16
"""The most sentences that are quoted; a note says how many more were found."""

SURE = 0.75
"""A sentence with this share of what is asked answers a question alone."""

SHORT = 60
"""The most characters of a sentence that take the place of a figure in a table."""


class AnswerContext(Struct, frozen=True):
    """The input of an answer: the question, and the passages with their sentences.

    `words`: the searched words of the question. `hits` and `rows` are in the same order; `notes` tell what
    was left out. `authority`: the place of each hit in the order of authority, by its id; {} without one.
    """

    question: str
    words: WeightedPhrase
    parsed: ParsedQuestion
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    sentences: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    authority: Mapping[str, int] = msgspec.field(default_factory=dict)


def extractive_answer(view: View, context: AnswerContext) -> Answer:
    """The answer in quotes, or a refusal with the nearest passages. Where nothing that is quoted is in force
    at the moment of the question, the answer begins with that."""
    answer = _extracted(view, context)
    if answer.refused or context.parsed.times or ((asks := asked(context.question)) and asks.version):
        return answer
    return replace(answer, text="\n".join([*_not_in_force(answer.citations, view.as_of), answer.text]))


def _extracted(view: View, context: AnswerContext) -> Answer:
    question = context.parsed
    cells = table_cells(question, view, context.hits, context.sentences, context.authority)
    reason = ""
    if question.asks_for_figures:
        reason = unreachable_cells(question, context.hits, cells)
    following = successor_quotes(question, context.words, view, context.sentences)
    asks = asked(context.question)
    if asks is not None and not following and (versions := _of_versions(view, context, asks)):
        return versions
    of_version = asks is not None and asks.version is not None
    if not reason and not following and not of_version and _is_sure(context, cells):
        first = cells[0].matches[0].sentence if len(cells) == 1 and cells[0].matches else None
        differ = None if first is None else _differing_answer(view, context, first)
        return differ or _table_answer(view, context, cells)
    found = Candidates.of(question, context.words, context.hits, context.sentences)
    if not following and not reason:
        reason = unanswerable_reason(question, context.words, context.hits, found, view)
    if reason:
        return _refused_beside(view, context, reason, best_quotes(question, context.words, found, inf))
    quotes = following or best_quotes(question, context.words, found, encoder=view.encoder)
    if not quotes:
        return _refused_beside(view, context, "no sentence that was found states anything", [])
    contradiction = find_contradiction(
        quotes[0].statement, context.sentences, context.authority, newest=not question.times
    )
    if contradiction is None and (differ := _differing_answer(view, context, quotes[0].statement)):
        return differ
    if contradiction is not None and contradiction.preferred is None:
        return _contradicted(view, context.question, contradiction)
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    notes = [] if contradiction is None else [_contradiction_note(contradiction)]
    notes += [f"[{n}] has {len(each.whole)} items" for n, each in enumerate(quotes, 1) if each.whole]
    if context.words.unknown:
        notes.append(f"of the question no passage has: {', '.join(context.words.unknown)}")
    text = "\n".join(map(quoted, citations))
    return Answer(
        context.question, text, False, "", LOCAL, view.as_of, view.known_at, citations, (), tuple(notes)
    )  # fmt: skip


def _of_versions(view: View, context: AnswerContext, asks: AskedVersion) -> Answer | None:
    """The answer to what changed in a version: its statements, those of the kind of change that is asked for;
    or to which version is right before or after one: its name. A refusal where no passage of the thing that
    is asked about is of that version; None for another question."""
    named = asks.version
    if named is None or not (asks.change or asks.kind in (BEFORE, AFTER)):
        return None
    own = [each for each in context.sentences if each.version and states_something(each)]
    own = [each for each in own if _is_of_product(each.hit, context.question)]
    lines = []
    if asks.change:
        found = [each for each in own if named.first <= each.version < named.behind]
        found = [each for each in found if each.hit.document == found[0].hit.document]
        if asks.change != CHANGED:
            kind = phrases(asks.change)
            found = [
                each for each in found if kind.search(" ".join([*each.hit.place.headings[-1:], each.text]))
            ]
        reason = f"nothing that was {asks.change} in {named.text} was found"
    else:
        of_it = [each for each in own if named.first <= each.version < named.behind]
        there = frozenset[str]().union(*(each.things for each in of_it))
        beside = [each for each in own if not of_it or not there.isdisjoint(each.things)]
        before = asks.kind == BEFORE
        beside = [each for each in beside if before == (each.version < named.first)]
        beside = [each for each in beside if before or each.version >= named.behind]
        found = sorted(beside, key=lambda each: -each.version if before else each.version)[:1]
        lines = [f"{each.edition or each.hit.title} [1]" for each in found]
        reason = f"no version {asks.kind} {named.text} was found"
    found = [each for each in found if not is_field(each.hit.text, each.start)] or found
    citations = _numbered((each.hit, each.quoted, None) for each in found)
    if not citations:
        return _refused_beside(view, context, reason, [])
    text = "\n".join([*lines, *map(quoted, citations)])
    notes = _left_out(len({(each.hit.id, each.quoted) for each in found}) - len(citations))
    return Answer(
        context.question, text, False, "", LOCAL, view.as_of, view.known_at, citations, (), notes
    )  # fmt: skip


def _left_out(sentences: int) -> tuple[str, ...]:
    """A note on sentences that were found and are not quoted."""
    if not sentences:
        return ()
    return (f"{sentences} more sentence{'s were' if sentences > 1 else ' was'} found and left out",)


def _is_of_product(hit: Hit, question: str) -> bool:
    """True if half of the names in a question, words with a capital behind the first, are in a hit or in the
    names of its document."""
    names = {word.casefold() for word in WORD.findall(question)[1:] if word[0].isupper() and word.isalpha()}
    said = {*tokenize(f"{hit.document} {hit.title} {' '.join(hit.place.headings)} {hit.text}")}
    return 2 * len(names & said) >= len(names)


def _differing_answer(view: View, context: AnswerContext, sentence: Statement) -> Answer | None:
    """The answer to a question for a figure where current statements differ: what each says, those of the
    highest authority first, then the newest. None where they agree, and for a question that names a time."""
    question = context.parsed
    if not question.figure or question.times or question.asks_for_table:
        return None
    found = differing(context.words, sentence, context.sentences, context.authority)
    citations = _numbered((each.hit, each.quoted, None) for each, _ in found)
    if len(citations) < 2:
        return None
    pairs = zip(found, citations, strict=False)  # of more than MAX_QUOTES the first
    said = ", ".join(f"{stated.text} [{citation.n}]" for (_, stated), citation in pairs)
    text = "\n".join([f"The sources differ: {said}.", *map(quoted, citations)])
    return Answer(context.question, text, False, "", LOCAL, view.as_of, view.known_at, citations)


def _not_in_force(citations: Sequence[Citation], at: int) -> tuple[str, ...]:
    """A line that says so where the first passage that is quoted is not in force at an instant."""
    if not citations or citations[0].holds:
        return ()
    when = force_words(citations[0].in_force, at)
    yet = " yet" if when.startswith("takes") else ""
    verb = "is " if when.startswith("not ") else ""
    return (f"Nothing that is in force says so{yet}; this {verb}{when}:",)


def _is_sure(context: AnswerContext, cells: Sequence[TableCell]) -> bool:
    """True if the cells answer the question by sentences that have nearly all of what is asked: any cell of a
    table; a single one where a figure is asked for, if the sentence tells more than the question does."""
    question = context.parsed
    if question.asks_for_table:
        return any(match.share >= SURE for cell in cells for match in cell.matches)
    return question.wants_value and all(
        len(cell.matches) == max(len(question.topics), 1)
        and all(match.share >= SURE for match in cell.matches)
        and all(tells_more(match.sentence.text, context.question) for match in cell.matches)
        for cell in cells
    )


def _refused_beside(view: View, context: AnswerContext, reason: str, quotes: Sequence[Excerpt]) -> Answer:
    """A refusal with the nearest passages."""
    answer = refused(view, context.question, reason)
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    lines = [answer.text, *(["Nearest:"] if citations else []), *map(quoted, citations)]
    return replace(answer, text="\n".join(lines), citations=citations)


def _table_answer(view: View, context: AnswerContext, cells: Sequence[TableCell]) -> Answer:
    """A table of the cells, with a quote for each value."""
    matches = [match for cell in cells for match in cell.matches]
    contradictions = [match.contradiction for match in matches if match.contradiction is not None]
    for each in contradictions:
        if each.preferred is None:
            return _contradicted(view, context.question, each)
    citations = _numbered((match.sentence.hit, match.sentence.quoted, None) for match in matches)
    number = {(each.id, each.quote): each.n for each in citations}
    values = tuple(
        Value(cell.name, cell.period, match.topic, _figure(match), number[_quote_of(match)])
        for cell in cells
        for match in cell.matches
        if _quote_of(match) in number
    )
    notes = [*_missing(context, cells), *map(_contradiction_note, contradictions)]
    notes += _left_out(len(set(map(_quote_of, matches))) - len(citations))
    is_table = len(cells) > 1 or len(values) > 1
    table = _table(context, cells, values, citations) if is_table else []
    text = "\n".join([*table, *map(quoted, citations)])
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
    citations = _numbered((each.hit, each.quoted, None) for each in others)
    number = {(each.id, each.quote): each.n for each in citations}
    said = [each for each in others if (each.hit.id, each.quoted) in number]
    reason = contradiction_reason(said, [number[each.hit.id, each.quoted] for each in said])
    answer = refused(view, question, reason)
    return replace(answer, text="\n".join([answer.text, *map(quoted, citations)]), citations=citations)


def _numbered(quotes: Iterable[tuple[Hit, str, tuple[int, int] | None]]) -> tuple[Citation, ...]:
    """Citations of quotes and what they emphasise, numbered in order; each quote once, at most MAX_QUOTES."""
    citations: dict[tuple[str, str], Citation] = {}
    for hit, quote, emphasis in quotes:
        if (hit.id, quote) not in citations and len(citations) < MAX_QUOTES:
            citations[hit.id, quote] = Citation.of(len(citations) + 1, hit, quote, emphasis)
    return tuple(citations.values())


def _contradiction_note(contradiction: Contradiction) -> str:
    return "; ".join(f"it contradicts {_with_source(each.quoted, each.hit)}" for each in contradiction.others)


def _quote_of(match: SentenceMatch) -> tuple[str, str]:
    return match.sentence.hit.id, match.sentence.quoted


def _figure(match: SentenceMatch) -> str:
    return "" if match.figure is None else match.figure.text


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
            notes.append(f"not found{where}: {', '.join(missing) or 'anything'}")
    return notes


def quoted(citation: Citation) -> str:
    """A line that quotes a citation with its source."""
    return f"[{citation.n}] {_with_source(citation.quote, citation)}"


def _with_source(quote: str, source: Citation | Hit) -> str:
    return f"“{quote}” ({source.citation})"


def _short(quote: str) -> str:
    """The beginning of a sentence that has no figure to show."""
    return f"“{quote}”" if len(quote) <= SHORT else f"“{quote[:SHORT].rsplit(' ', 1)[0]} …”"
