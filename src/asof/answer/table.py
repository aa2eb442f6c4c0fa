"""The cells of a table: each a question of its own, and the statements that may answer it.

A question for several values ("the fee of A and B in 2019 and 2020") is asked once for each name, period and
topic. A cell takes a value only from a statement about its topic, its name and its period.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from msgspec import Struct

from asof.answer.match import NEXT_WORD, figures_in, is_forecast
from asof.answer.question import (
    MONEY,
    SHARE,
    WORD,
    ParsedQuestion,
    blank_out,
    grain_at,
    listed,
    phrases_of,
)
from asof.answer.statements import (
    HEADING,
    Statement,
    WeightedPhrase,
    document_in_time,
    document_times,
    has_lapsed,
    is_of_publication,
    may_last,
    names,
)
from asof.hits import Hit
from asof.index.view import View
from asof.lang import stop_words
from asof.store.digest import KIND
from asof.text.figures import Figure, language_of, lexicon
from asof.text.passages import unnumbered
from asof.text.question import AS_OF, QuestionReading
from asof.text.statements import ROW
from asof.time.expressions import TimeContext, parse
from asof.time.span import Period, Span, holds_in, label

# -- the cells of a question ---------------------------------------------------------------------------

MAX_CELLS = 32
"""The most cells of a table: each is searched for."""


class TableCell(Struct, frozen=True):
    """A cell: a name and a topic ("": none is asked for) in a period (None: none), and the question for it
    alone. `figure`: only a statement with a figure answers it."""

    name: str
    topic: str
    span: Span | None
    question: str
    figure: bool = False

    @property
    def period(self) -> str:
        """The label of the period, "" for none."""
        return "" if self.span is None else label(self.span)

    @property
    def label(self) -> str:
        """Its name and period."""
        return "  ".join(filter(None, (self.name, self.period)))


def cells_of(
    question: ParsedQuestion, reading: QuestionReading, hits: Sequence[Hit]
) -> tuple[list[TableCell], str]:
    """The cells of a question in order of names, then of time, then of topics; a note if there are more than
    MAX_CELLS. `hits`: of the question; their documents tell which periods there are where each is asked for.
    """
    periods = _periods(question, hits) or [None]
    whom, topics = question.names or ("",), question.topics or ("",)
    count = len(periods) * len(whom) * len(topics)
    cells = [
        TableCell(name, topic, span, _alone(question, reading, name, topic, span), question.wants_value)
        for name, span, topic in islice(product(whom, periods, topics), MAX_CELLS)
    ]
    more = f"the question asks for {count:,} values: the first {MAX_CELLS} are looked up"
    return cells, more if count > MAX_CELLS else ""


def only_cell(question: ParsedQuestion) -> TableCell | None:
    """The cell that a question asks for which wants the figure of one thing at one time; None for another."""
    one = len(question.names) == len(question.topics) == len(question.periods) == 1
    if not (one and question.wants_value and question.grain is None):
        return None
    return TableCell(question.names[0], question.topics[0], question.periods[0], question.text, figure=True)


def _periods(question: ParsedQuestion, hits: Sequence[Hit]) -> list[Span | None]:
    """The periods of the grain that is asked for, inside the times of the question, that documents are about;
    else these times."""
    if question.grain is None:
        return list(question.periods)
    found = set()
    for span in question.times or (Span(None, None),):
        for time in (time for hit in hits for time in document_times(hit)):
            if time.start is not None and time.end is not None and holds_in(time, (span,)):
                period = Period.containing(time.start, question.grain)
                if holds_in(time, (period.span,)):
                    found.add(period)
    return [period.span for period in sorted(found)] or list(question.times)


def _alone(
    question: ParsedQuestion, reading: QuestionReading, name: str, topic: str, span: Span | None
) -> str:
    """The question without the other names, topics and times, nor what asks for each or the highest."""
    text, language = question.text, question.language
    times = [each for each in reading.mentions if each.relation != AS_OF]
    own = next((each for each in times if each.span == span), None)
    extents = [(each.start, each.end) for each in times if each is not own]
    others = [each for each in question.names if each != name and each not in name]
    extents += [found.span() for each in others for found in re.finditer(re.escape(each), text)]
    words = {word for each in question.topics for word in each.split()} - set(topic.split())
    ways = listed(language, "highest") | listed(language, "lowest")
    tokens = list(WORD.finditer(text))
    extents += [each.span() for each in tokens if each[0] in words or each[0].lower() in ways]
    if question.grain is not None and (found := grain_at([each[0].lower() for each in tokens], language)):
        extents.append((tokens[found[1]].start(), tokens[found[2]].end()))
    rest = " ".join(blank_out(text, extents).split()).rstrip(" ?.,")
    return rest if span is None or own is not None else f"{rest} {label(span)}"


# -- the statements that may answer a cell -------------------------------------------------------------

LEAST_TOPIC = 0.75
"""The least share of a topic, by weight, that a statement has with its headings and title."""

_CLAUSE = re.compile(r"[;,]\s+|\s+[(]|[)]")
_NUMBERED = re.compile(
    r"#* ?(?:([0-9]+) [^\W\d_a-zß-öø-ÿ][^.!?:;]*$|([0-9]+(?:\.[0-9]+)+) [^\W\d_a-zß-öø-ÿ])"
)
"""The number before a heading ("19 Reservation of rights"), or before a clause ("6.1 The fee …")."""

_REFERENCE = re.compile(r"(?<!\w)([^\W\d_a-zß-öø-ÿ]\w*)\.? $")
"""What stands before the number of a part: "Clause 18", "Page 26"."""

_PARTS = re.compile(r"; (?=[^;:]+: )")


def stating(cell: TableCell, question: ParsedQuestion, view: View, sentences: Iterable[Statement]) -> list[
    Statement
]:  # fmt: skip
    """The statements about the topic, the name and the period of a cell, with a figure where one is asked
    for."""
    topic = WeightedPhrase.of(cell.topic or cell.name, view, question.asking)
    others = _others(cell, question)
    return [
        each
        for each in sentences
        if topic.share(each.titled_stems) >= LEAST_TOPIC
        and topic.share(each.context_stems) > 0
        and (not cell.name or _is_about(cell.name, others, each))
        and (question.forecast or not is_forecast(each))
        and _is_of_period(cell, others, each)
        and (not cell.figure or topic.share(each.stems) == 1.0 or not _only_lasts(cell, each))
    ]


def _others(cell: TableCell, question: ParsedQuestion) -> frozenset[str]:
    return frozenset(each for each in question.names if each not in cell.name)


def _is_about(name: str, others: frozenset[str], statement: Statement) -> bool:
    """True if a statement names this; or its title, headings or the sentence before do, and it names neither
    one of the others nor something else of that kind ("Birch Society" beside "Alder Society")."""
    if names(statement.text, name):
        return True
    if any(names(statement.text, each) for each in others) or _another(name, statement.text):
        return False
    hit = statement.hit
    before = hit.text[: statement.start].rstrip()
    previous = before[max(before.rfind(". "), before.rfind("\n"), 0) :]
    return any(names(text, name) for text in (hit.title, *hit.place.headings, statement.lead, previous))


def _another(name: str, text: str) -> bool:
    """True if a text has another name that ends with the same word."""
    last = name.split()[-1]
    known = {word.casefold() for word in name.split()} | stop_words(language_of(text, "en"))
    found = re.findall(rf"([^\W\d_]\w+) {re.escape(last)}\b", text)
    return any(word[0].isupper() and word.casefold() not in known for word in found)


def _is_of_period(cell: TableCell, others: frozenset[str], statement: Statement) -> bool:
    """True if a statement, or one of its figures where one is asked for, is of the period of a cell."""
    if cell.figure:
        return bool(_figures_of(cell, others, statement))
    if cell.span is None:
        return True
    named = [span for _, _, span in _times(statement, statement.text)]
    return any(holds_in(each, (cell.span,)) for each in named) if named else _is_untimed_of(cell, statement)


def _only_lasts(cell: TableCell, statement: Statement) -> bool:
    """True if nothing but what a statement says to last is of the period of a cell: it then has to have all
    of the topic itself."""
    span = cell.span
    return span is not None and not (
        document_in_time(statement.hit, span) or _times(statement, statement.text)
    )


def _is_untimed_of(cell: TableCell, statement: Statement) -> bool:
    """True if what names no time itself is of the period of a cell: by the heading above it; else by what its
    document is about, or when it was published; else it says what lasts."""
    span, hit = cell.span, statement.hit
    if span is None:
        return hit.superseded is None and (hit.holds or has_lapsed(hit))
    above = [time.span for time in hit.about if KIND.get(time.by) == HEADING]
    if above:
        return any(holds_in(each, (span,)) for each in above)
    if hit.dated_by == "mtime" and hit.published is not None and document_times(hit) == (hit.published.span,):
        return False  # when a file was copied tells nothing of what it says
    return document_in_time(hit, span) or _lasts_in(span, statement)


def _lasts_in(span: Span, statement: Statement) -> bool:
    """True if a statement says what is the case up to the end of a period, in a document that is of no period
    but that of its publication, by its metadata, and was published before, and nothing had superseded it."""
    hit = statement.hit
    published, later, force = hit.published, hit.superseded, hit.in_force
    return (
        published is not None
        and all(is_of_publication(each, published) for each in hit.about if KIND.get(each.by, 0) < HEADING)
        and published.span.last <= span.last
        and (later is None or later.at > span.last)
        and (force is None or force.span.last >= span.last)
        and may_last(statement, span.last)
    )


# -- the figure of a cell ------------------------------------------------------------------------------


def figure_of(cell: TableCell, question: ParsedQuestion, view: View, statement: Statement) -> str:
    """The figure of a statement that is the value of a cell, as it is written, a bare number with the word
    behind it: the only one of its period, or of these the one beside the topic, or of the kind that is asked
    for. "" if there are several, or none."""
    found = _figures_of(cell, _others(cell, question), statement)
    text = statement.text
    if len(found) > 1:
        language = view.analyzer.detect(statement.hit.text)
        topic = WeightedPhrase.of(cell.topic, view)
        shares = [topic.share(frozenset(view.analyzer.terms(text[slice(*each)], language)))
                  for each in _surroundings(statement, found)]  # fmt: skip
        most = max(shares)
        found = [each for each, share in zip(found, shares, strict=True) if share == most]
    if len(found) > 1 and question.value_kind in (MONEY, SHARE):
        units = set(lexicon(question.language).currencies.values())
        money = question.value_kind == MONEY
        found = [each for each in found if (each.unit.partition("/")[0] in units) == money]
    measured = [each for each in found if each.unit] or found
    if len(measured) != 1:
        return ""
    only = measured[0]
    word = None if only.unit else NEXT_WORD.match(text, only.end)
    counted = word is not None and word[1].lower() not in stop_words(language_of(statement.hit.text, "en"))
    return text[only.start : word.end() if word and counted else only.end].strip()


def _surroundings(statement: Statement, found: Sequence[Figure]) -> list[tuple[int, int]]:
    """Of each of these figures the words that say what it is of: its cell in a row, else those from the
    figure before to the one behind."""
    text = statement.text
    if statement.kind == ROW:
        edges = [0, *(each.end() for each in _PARTS.finditer(text)), len(text)]
        return [
            (max(e for e in edges if e <= each.start), min(e for e in edges if e >= each.end))
            for each in found
        ]
    joins = phrases_of("joining", language_of(statement.hit.text, "en"))
    around: list[tuple[int, int]] = []
    for at, each in enumerate(found):
        behind = found[at + 1].start if at + 1 < len(found) else len(text)
        cut = next((m.start() for m in joins.finditer(text, each.end, behind)), behind)
        cut = next((m.start() for m in _CLAUSE.finditer(text, each.end, cut)), cut)
        around.append((around[-1][1] if around else 0, cut))
    return around


def _figures_of(cell: TableCell, others: frozenset[str], statement: Statement) -> list[Figure]:
    """The figures of a statement that are of the period of a cell, and stand beside none of the other names
    alone; where one stands beside its name, only those that do."""
    found = [each for each in figures_in(statement) if not _is_number_of_part(cell, statement, each)]
    untimed = _is_untimed_of(cell, statement)
    if cell.span is None:
        own = found if untimed else []
    else:
        own = [
            each
            for each, times in _timed(statement, found)
            if (any(holds_in(time, (cell.span,)) for time in times) if times else untimed)
        ]
    if not cell.name:
        return own
    around = dict(
        zip(found, (statement.text[slice(*each)] for each in _surroundings(statement, found)), strict=True)
    )
    beside = [each for each in own if names(around[each], cell.name)]
    return beside or [each for each in own if not any(names(around[each], name) for name in others)]


def _is_number_of_part(cell: TableCell, statement: Statement, figure: Figure) -> bool:
    """True if a figure only numbers a heading, an item, a clause or page that is referred to, or the thing
    that the title names ("Osprey 4.0")."""
    text = statement.text
    heading = _NUMBERED.match(text)
    numbered = max(heading.end(1), heading.end(2)) if heading else len(text) - len(unnumbered(text))
    if figure.start < numbered:
        return True
    before = None if figure.unit else _REFERENCE.search(text, 0, figure.start)
    if before is not None and names(statement.hit.title, text[before.start() : figure.end]):
        return True
    if before is None or names(cell.name, before[1]):
        return False
    return before.start() > 0 or text[figure.end : figure.end + 1] in (":", ".", ")")


def _timed(statement: Statement, found: Sequence[Figure]) -> Iterator[tuple[Figure, Sequence[Span]]]:
    """Each of these figures with the times that its clause, or cell of a row, names: as many figures as times
    are paired in order. A clause without a figure goes on the one before, as in "£5 in 2013, 2014"; one
    without a time is of the time named before it, outside brackets."""
    times, last = _times(statement, statement.text), list[Span]()
    clauses: list[tuple[list[Figure], list[Span]]] = []
    for left, right, bracket in _clauses(statement):
        inside = [each for each in found if left <= each.start < right]
        named = [span for start, _, span in times if left <= start < right]
        if clauses and clauses[-1][0] and named and not inside and statement.kind != ROW:
            clauses[-1][1].extend(named)
        elif inside or named:
            clauses.append((inside, named or list(last)))
        last = named if named and not bracket else last
    for inside, named in clauses:
        paired = len(inside) == len(named)
        yield from ((each, [named[at]] if paired else named) for at, each in enumerate(inside))


def _clauses(statement: Statement) -> Iterator[tuple[int, int, bool]]:
    """The stretches of a statement between commas, semicolons and brackets, or the cells of a row; and
    whether each is in brackets."""
    text, at, bracket = statement.text, 0, False
    for edge in (_PARTS if statement.kind == ROW else _CLAUSE).finditer(text):
        if bracket and ")" not in edge[0]:
            continue
        yield at, edge.end(), bracket
        at, bracket = edge.end(), "(" in edge[0]
    yield at, len(text), bracket


def _times(statement: Statement, text: str) -> list[tuple[int, int, Span]]:
    """The times that a statement names, with their places; relative ones as its passage has them, but for
    those that were to come: "the year" of a report on the last one."""
    language = language_of(statement.hit.text, "en")
    context = TimeContext(language=language)
    found = [(each.start, each.end, each.span) for each in parse(text, context=context)]
    published = statement.hit.published
    for time in statement.hit.about:
        if published is not None and time.span.first > published.span.last:
            continue
        at = text.find(time.text) if time.text else -1
        if at >= 0 and not any(start < at + len(time.text) and at < end for start, end, _ in found):
            found.append((at, at + len(time.text), time.span))
    return sorted(found, key=lambda each: each[:2])
