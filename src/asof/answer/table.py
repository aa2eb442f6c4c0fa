"""The cells of a table: each a question of its own, and the statements that may answer it.

A question for several values ("the fee of A and B in 2019 and 2020") is asked once for each name, period and
topic. A cell takes a value only from a statement about its topic, its name and its period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise, product, zip_longest
from typing import NamedTuple

from msgspec import Struct

from asof.answer.choose import durations, has_value, number_in_words
from asof.answer.match import NEXT_WORD, figures_in, is_forecast
from asof.answer.question import (
    COUNT,
    DURATION,
    MONEY,
    PERSON,
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
    lies_in,
    may_last,
    names,
)
from asof.hits import Hit
from asof.index.view import View
from asof.lang import calendar_words, of_all, set_of, stop_words
from asof.store.digest import KIND
from asof.text.figures import Figure, language_of, lexicon
from asof.text.passages import unnumbered
from asof.text.query import key
from asof.text.question import AS_OF, QuestionReading
from asof.text.statements import FIELD, ROW
from asof.text.tables import cells
from asof.text.tokens import any_of
from asof.time.expressions import TimeContext, is_one_year, parse
from asof.time.span import GRAINS, Period, Span, holds_in, label
from asof.wire import replace

# -- the cells of a question ---------------------------------------------------------------------------

MAX_CELLS = 32
"""The most cells of a table: each is searched for."""


class TableCell(Struct, frozen=True):
    """A cell: a name and a topic ("": none is asked for) in a period (None: none), and the question for it
    alone. `figure`: only a statement with a figure answers it. `written`: the period as the question has it,
    where it is a year of accounts or of a school ("2016-17")."""

    name: str
    topic: str
    span: Span | None
    question: str
    figure: bool = False
    written: str = ""

    @property
    def period(self) -> str:
        """The label of the period, "" for none."""
        return self.written or ("" if self.span is None else label(self.span))

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
    written = {each.span: each.text for each in reading.mentions if is_one_year(each)}
    asked = [
        TableCell(
            name, topic, span, _alone(question, reading, name, topic, span), question.wants_value,
            written.get(span, "") if span else "",
        )
        for name, span, topic in islice(product(whom, periods, topics), MAX_CELLS)
    ]  # fmt: skip
    more = f"the question asks for {count:,} values: the first {MAX_CELLS} are looked up"
    return asked, more if count > MAX_CELLS else ""


def joined(question: ParsedQuestion, hits: Sequence[Hit]) -> ParsedQuestion:
    """The question with one name, or topic, for two between which an "and" joins no two things that are asked
    for: in the hits what is behind it stands behind it alone ("the Data and Information Manager")."""
    if len(question.names) < 2 and len(question.topics) < 2:
        return question
    said = " ".join(f" {key(f'{hit.title} {hit.text}')} " for hit in hits)
    tokens, joining = key(question.text).split(), phrases_of("joining", question.language)
    names, topics = list(question.names), list(question.topics)
    for at in range(1, len(tokens) - 1):
        behind = {" ".join(tokens[at + 1 : at + 3]), tokens[at + 1]}
        if joining.fullmatch(tokens[at]) and any(
            0 < said.count(f" {tokens[at - 1]} {tokens[at]} {each} ") == said.count(f" {each} ")
            for each in behind
        ):
            _merge(names, tokens[at - 1 : at + 2], f" {tokens[at]} ")
            _merge(topics, tokens[at - 1 : at + 2], " ")
    return replace(question, names=tuple(names), topics=tuple(topics))


def _merge(parts: list[str], around: Sequence[str], joint: str) -> None:
    """Makes one part of the one that has the first of these words and the one that has the last."""
    ends = (around[0], around[-1])
    one, two = (next((each for each in parts if word in key(each).split()), None) for word in ends)
    if one is not None and two is not None and one != two:
        more = [word for word in two.split() if word not in one.split()]
        parts[parts.index(one)] = joint.join([one, " ".join(more)])
        parts.remove(two)


def only_cell(question: ParsedQuestion) -> TableCell | None:
    """The cell that a question asks for which wants the figure of one thing at one time; None for another."""
    one = len(question.names) == len(question.topics) == len(question.periods) == 1
    if not (one and question.wants_value and question.grain is None):
        return None
    return TableCell(question.names[0], question.topics[0], question.periods[0], question.text, figure=True)


def _periods(question: ParsedQuestion, hits: Sequence[Hit]) -> list[Span | None]:
    """The periods of the grain that is asked for, inside the time of the question, that documents are about;
    else its times, and where it names several."""
    if question.grain is None or len(question.periods) > 1:
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

_CLAUSE = re.compile(r"[;,]\s+|\s+[(]|[)]")
_NUMBERED = re.compile(
    r"#* ?(?:([0-9]+) [^\W\d_a-zß-öø-ÿ][^.!?:;]*$|([0-9]+(?:\.[0-9]+)+) [^\W\d_a-zß-öø-ÿ])"
)
"""The number before a heading ("19 Reservation of rights"), or before a clause ("6.1 The fee …")."""

_REFERENCE = re.compile(r"(?<!\w)([^\W\d_a-zß-öø-ÿ]\w*)\.? $")
"""What stands before the number of a part: "Clause 18", "Page 26"."""

_PARTS = re.compile(r"; (?=[^;:]+: )")

Stems = frozenset[str]


class _Sought(NamedTuple):
    """What a cell asks for: the stems of the word that says it ("premium"), those of the other words of its
    topic ("flat"), and of all of them; the names that are asked for beside its own."""

    cell: TableCell
    question: ParsedQuestion
    view: View
    topic: WeightedPhrase
    head: Stems
    subject: Stems
    others: frozenset[str]

    @classmethod
    def of(cls, cell: TableCell, question: ParsedQuestion, view: View) -> _Sought:
        asked = cell.topic or cell.name
        kept = " ".join(word for word in asked.split() if word.casefold() not in question.asking)
        topic = WeightedPhrase.of(kept or asked, view, question.asking)
        head, subject = frozenset[str](), frozenset[str]()
        word = question.head_of(cell.topic)
        for spelled, (stems, _) in zip(topic.spelled, topic.words, strict=True):
            if spelled == word:
                head |= stems
            else:
                subject |= stems
        others = frozenset(each for each in question.names if each not in cell.name)
        return cls(cell, question, view, topic, head, subject, others)

    def stems(self, text: str, language: str) -> Stems:
        """The stems of a text."""
        return frozenset(self.view.analyzer.terms(text, language))


def stating(
    cell: TableCell, question: ParsedQuestion, view: View, sentences: Sequence[Statement]
) -> list[Statement]:
    """The statements about all of the topic, the name and the period of a cell, with a figure of the kind
    that is asked for where one is."""
    sought = _Sought.of(cell, question, view)
    if question.value_kind == PERSON:
        sentences = [*_holding(question, sentences)]
    others = _OtherSubjects.of(sought, sentences)
    about = [
        each
        for each in sentences
        if sought.topic.share(each.titled_stems) == 1.0
        and sought.topic.share(each.context_stems) > 0
        and (not cell.name or _is_about(cell.name, sought.others, each))
        and not others.has(sought, each)
        and (question.forecast or not is_forecast(each))
    ]
    if cell.figure and not question.value_kind:
        about = _without_lengths(about)
    stated = [
        each
        for each in about
        if _is_of_period(sought, each)
        and (not cell.figure or sought.topic.share(each.stems) == 1.0 or not _only_lasts(cell, each))
    ]
    stated = _without_older(cell, stated)
    stated = [each for each in stated if _stands_beside(sought, each)] or stated
    word = question.head_of(cell.topic)  # as it is spelled: "insurer" is not "insurance"
    return [each for each in stated if word in each.text.casefold()] or stated


def _without_older(cell: TableCell, stated: list[Statement]) -> list[Statement]:
    """These statements without those that only say what lasts and were published before another such one."""
    days = [
        0 if each.hit.published is None or not _only_lasts(cell, each) else each.hit.published.span.last
        for each in stated
    ]
    newest = max(days, default=0)
    return [each for each, day in zip(stated, days, strict=True) if day in (0, newest)]


def _holding(question: ParsedQuestion, sentences: Sequence[Statement]) -> Iterator[Statement]:
    """The statements with a name that the question lacks; one on who leaves with the next one, if that says
    who comes, else not: "Sam Ode resigned as treasurer. Idris Cole was elected"."""
    goes, comes = _phrases("leaves", "steps_down"), _phrases("begins", "succeeds", "over")
    for each, after in zip_longest(sentences, sentences[1:]):
        if goes.search(each.text.casefold()) and not comes.search(each.text.casefold()):
            follows = after is not None and after.hit is each.hit and after.start == each.end
            if not follows or not comes.search(after.text.casefold()):
                continue
            stems = {name: getattr(each, name) | getattr(after, name) for name in _STEMS}
            each = replace(each, end=after.end, text=f"{each.text} {after.text}", **stems)
        if has_value(question, each, each.text):
            yield each


_STEMS = "stems", "context_stems", "titled_stems"


@cache
def _phrases(*lists: str) -> re.Pattern[str]:
    """Finds the phrases of lists of `lang/*/states.toml`, of all languages."""
    return any_of([phrase for each in lists for phrase in of_all("states", each)])


def _stands_beside(sought: _Sought, statement: Statement) -> bool:
    """True if a figure of a statement that may be the value stands beside the word for what is asked for; or
    a cell of a row, below it."""
    if _columns(sought, statement):
        return True
    language, every = language_of(statement.hit.text, "en"), figures_in(statement)
    own = set(_figures_of(sought, statement))
    return any(
        each in own and not sought.head.isdisjoint(sought.stems(statement.text[slice(*around)], language))
        for each, around in zip(every, _surroundings(statement, every), strict=True)
    )


class _OtherSubjects(NamedTuple):
    """What else statements are about: the tables in which a cell of a row is the subject, those in which one
    is the name, and the stems with which titles and headings end that lack the subject ("garage" of "Rent of
    the garage")."""

    tables: frozenset[tuple[str, str]]
    named: frozenset[tuple[str, str]]
    ends: Stems

    @classmethod
    def of(cls, sought: _Sought, sentences: Sequence[Statement]) -> _OtherSubjects:
        rows, ends = [each for each in sentences if each.kind == ROW], set[str]()
        own, name = sought.subject | sought.head, sought.cell.name
        tables = {
            _table(each) for each in rows
            if any(stems and stems <= sought.subject for stems in _stems_of_cells(sought, each))
        }  # fmt: skip
        named = {_table(each) for each in rows if name and names(each.text, name)}
        for title in {text for each in sentences for text in (each.hit.title, *each.hit.place.headings)}:
            words = [word for word in WORD.findall(title) if word.isalpha()]
            ends |= sought.stems(words[-1], language_of(title, "en")) - own if words else set()
        return cls(frozenset(tables), frozenset(named), frozenset(ends))

    def has(self, sought: _Sought, statement: Statement) -> bool:
        """True if a statement says something else to have what is asked for: "the rent of the garage", or it
        stands below the subject and names another one; if it is a row of something else."""
        if _table(statement) in self.named and not names(statement.text, sought.cell.name):
            return True
        if not sought.subject:
            return False
        own = not sought.subject.isdisjoint(statement.stems)
        if statement.kind == ROW:
            return not own and _table(statement) in self.tables
        if not own and not self.ends.isdisjoint(statement.stems):
            return True
        belongs = list(_belonging(sought, statement))
        return bool(belongs) and not any(belongs)


def _table(statement: Statement) -> tuple[str, str]:
    """The table of a row: its document and header."""
    return (statement.hit.document, statement.lead) if statement.kind == ROW else ("", "")


def _stems_of_cells(sought: _Sought, row: Statement) -> Iterator[Stems]:
    """The stems of each cell of a row."""
    language = language_of(row.hit.text, "en")
    for _, start, end in _cells_in(row.text):
        yield sought.stems(row.text[start:end], language)


def _belonging(sought: _Sought, statement: Statement) -> Iterator[bool]:
    """For each place where a statement says to what belongs what is asked for ("the rent of the garage", "the
    garage's rent"), whether that is the subject or the name of the cell."""
    text, language = statement.text, language_of(statement.hit.text, "en")
    stop, belongs = stop_words(language), listed(language, "belongs")
    times = calendar_words(language).union(*(listed(language, grain) for grain in GRAINS))
    known = sought.subject | sought.stems(sought.cell.name, language)
    words = list(WORD.finditer(text))
    for at, word in enumerate(words):
        if sought.head.isdisjoint(sought.stems(word[0], language)):
            continue
        owner = words[at - 1][0] if at else ""
        if owner.endswith(("'s", "’s")):
            yield not known.isdisjoint(sought.stems(owner[:-2], language))
        if at + 1 == len(words) or words[at + 1][0].lower() not in belongs:
            continue
        end = _PHRASE_END.search(text, words[at + 1].end())
        behind = WORD.findall(text, words[at + 1].end(), end.start() if end else len(text))
        behind = [each for each in behind if each.lower() not in stop][:LONGEST_OWNER]
        if behind and behind[0].lower() not in times:  # "income for the year"
            yield any(not known.isdisjoint(sought.stems(each, language)) for each in behind)


_PHRASE_END = re.compile(r"[,;:.!?()](?:\s|$)|\s[^\w\s]?\d")
LONGEST_OWNER = 3
"""So many words of content behind "of" are read for what something belongs to."""


def _without_lengths(about: list[Statement]) -> list[Statement]:
    """These statements without those that have a length of time and no money, where at least as many have
    money: reserves of £5,000, not of two months."""
    kinds = [{_kind_of(each, figure) for figure in figures_in(each)} for each in about]
    money = sum(MONEY in each for each in kinds)
    lengths = [DURATION in each and MONEY not in each for each in kinds]
    if not money or sum(lengths) > money:
        return about
    return [each for each, length in zip(about, lengths, strict=True) if not length]


def _kind_of(statement: Statement, figure: Figure) -> str:
    """The kind of a figure of a statement: MONEY, DURATION, or "" for another one."""
    language = language_of(statement.hit.text, "en")
    if figure.unit.partition("/")[0] in set(lexicon(language).currencies.values()):
        return MONEY
    length = not figure.unit and durations(language).match(statement.text, figure.end - 1)
    return DURATION if length else ""


def _is_about(name: str, others: frozenset[str], statement: Statement) -> bool:
    """True if a statement names this; or its title, headings or the sentence before do, and it names neither
    one of the others nor something else of that kind ("Birch Society" beside "Alder Society")."""
    if names(statement.text, name):
        return True
    if any(names(statement.text, each) for each in others) or _another(name, statement.text):
        return False
    hit = statement.hit
    before = hit.text[: statement.start].rstrip()
    previous = "" if statement.kind == ROW else before[max(before.rfind(". "), before.rfind("\n"), 0) :]
    return any(names(text, name) for text in (hit.title, *hit.place.headings, statement.lead, previous))


def _another(name: str, text: str) -> bool:
    """True if a text has another name that ends with the same word."""
    last = name.split()[-1]
    known = {word.casefold() for word in name.split()} | stop_words(language_of(text, "en"))
    found = re.findall(rf"([^\W\d_]\w+) {re.escape(last)}\b", text)
    return any(word[0].isupper() and word.casefold() not in known for word in found)


def _is_of_period(sought: _Sought, statement: Statement) -> bool:
    """True if a statement, or one of its figures where one is asked for, is of the period of a cell."""
    cell = sought.cell
    if cell.figure:
        if _figures_of(sought, statement):
            return True
        if figures_in(statement) or not number_in_words(sought.question, statement.text):
            return not sought.question.wants_number and _has_column(sought, statement)
    if cell.span is None:
        return True
    named = [span for _, _, span in _times(statement, statement.text)]
    return any(lies_in(each, cell.span) for each in named) if named else _is_untimed_of(cell, statement)


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
        return any(lies_in(each, span) for each in above)
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
        and (may_last(statement, span.last) or _is_set(statement))
    )


def _is_set(statement: Statement) -> bool:
    """True if a statement without a time says to what a value was changed: "was raised to 10 GB"."""
    text, language = statement.text, language_of(statement.hit.text, "en")
    words, to = WORD.findall(text.lower()), set_of("states", "to")
    changed = not listed(language, "altered").isdisjoint(words) and not _times(statement, text)
    return changed and any(
        not to.isdisjoint(text[: each.start].split()[-1:]) for each in figures_in(statement)
    )


# -- the figure of a cell ------------------------------------------------------------------------------


def figure_of(cell: TableCell, question: ParsedQuestion, view: View, statement: Statement) -> str:
    """The figure of a statement that is the value of a cell, as it is written, a bare number with the word
    behind it: the only one of its period, or of these the one beside the topic, or of the kind that is asked
    for. "" if there are several, or none, and for a person."""
    if question.value_kind == PERSON:
        return ""
    sought, text = _Sought.of(cell, question, view), statement.text
    found = _figures_of(sought, statement)
    column = _columns(sought, statement) or []
    if not found and len(column) == 1:
        return text[slice(*column[0])].strip(" ;")
    if not found:
        return number_in_words(question, text)
    if len(found) > 1:
        language = view.analyzer.detect(statement.hit.text)
        around = _surroundings(statement, found)
        shares = [sought.topic.share(sought.stems(text[slice(*each)], language)) for each in around]
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
    loss = statement.kind == ROW and text[: only.start][-1:] == "(" and text[only.end :][:1] == ")"
    said = text[only.start - loss : only.end + loss]
    if (unit := _unit_above(statement, only)) or loss:
        return f"{said} ({unit})" if unit else said
    word = None if only.unit else NEXT_WORD.match(text, only.end)
    counted = word is not None and word[1].lower() not in stop_words(language_of(statement.hit.text, "en"))
    return text[only.start : word.end() if word and counted else only.end].strip()


def _surroundings(statement: Statement, found: Sequence[Figure]) -> list[tuple[int, int]]:
    """Of each of these figures the words that say what it is of: its cell in a row, else those from the
    figure before to the one behind."""
    text = statement.text
    if statement.kind == ROW:
        parts = [*_cells_in(text)]
        return [next((start, end) for start, _, end in parts if start <= each.start < end) for each in found]
    joins = phrases_of("joining", language_of(statement.hit.text, "en"))
    around: list[tuple[int, int]] = []
    for at, each in enumerate(found):
        behind = found[at + 1].start if at + 1 < len(found) else len(text)
        cut = next((m.start() for m in joins.finditer(text, each.end, behind)), behind)
        cut = next((m.start() for m in _CLAUSE.finditer(text, each.end, cut)), cut)
        around.append((around[-1][1] if around else 0, cut))
    return around


def _figures_of(sought: _Sought, statement: Statement) -> list[Figure]:
    """The figures of a statement that are of the kind that is asked for and of the period of a cell, and
    stand beside none of the other names alone; where one stands beside its name, only those that do; of a
    row, those below the header that says what is asked for."""
    cell = sought.cell
    found = _in_columns(statement, figures_in(statement))
    found = [each for each in found if not _is_number_of_part(cell, statement, each)]
    found = _of_kind(sought, statement, found)
    columns = _columns(sought, statement)
    if columns is not None:
        found = [each for each in found if any(start <= each.start < end for start, end in columns)]
    untimed = _is_untimed_of(cell, statement)
    if cell.span is None:
        own = found if untimed else []
    else:
        own = [
            each
            for each, times in _timed(statement, found)
            if (any(lies_in(time, cell.span) for time in times) if times else untimed)
        ]
    if not cell.name:
        return own
    around = dict(
        zip(found, (statement.text[slice(*each)] for each in _surroundings(statement, found)), strict=True)
    )
    beside = [each for each in own if names(around[each], cell.name)]
    return beside or [each for each in own if not any(names(around[each], name) for name in sought.others)]


def _cells_in(row: str) -> Iterator[tuple[int, int, int]]:
    """Where each cell of a row begins with its header, where what it says begins, and where it ends."""
    edges = [0, *(each.end() for each in _PARTS.finditer(row)), len(row)]
    for start, end in pairwise(edges):
        header, colon, _ = row[start:end].partition(": ")
        yield start, start + len(header + colon) if colon else start, end


_SIDE_BY_SIDE = re.compile(r"\s+|\)\s+\(")


def _in_columns(statement: Statement, found: list[Figure]) -> list[Figure]:
    """Those of these figures of a row that are no part of a header, nor of its name where others have a cell.
    Of those that stand side by side without a header, the first of a row, which is of the document's year; in
    a sentence none: nobody knows of what they are."""
    text = statement.text
    beside = [pair for pair in pairwise(found) if _SIDE_BY_SIDE.fullmatch(text, pair[0].end, pair[1].start)]
    if statement.kind != ROW:
        unsure = {each for pair in beside for each in pair}
        return [each for each in found if each not in unsure]
    first, *others = _cells_in(text)
    said = [each for each in found if any(start <= each.start < end for _, start, end in (first, *others))]
    below = [each for each in said if each.start >= first[2]] if first[0] == first[1] else []
    later = {other for _, other in beside}
    return [each for each in below or said if each not in later]


def _unit_above(statement: Statement, figure: Figure) -> str:
    """The unit of a bare figure of a row, as the header of its cell or of the table, or the name of the row
    says it: "£000", "EUR million"; "" for another figure."""
    if figure.unit or statement.kind != ROW:
        return ""
    text, language = statement.text, language_of(statement.hit.text, "en")
    words = lexicon(language)
    known, parts = {*words.currencies, *words.units, *words.scales}, [*_cells_in(text)]
    header = next(text[left:start] for left, start, end in parts if left <= figure.start < end)
    name = text[slice(*parts[0][1:])] if figure.start >= parts[0][2] else ""
    for each in (header, name, *cells(statement.lead)[:1]):
        for said in (*_BRACKETS.findall(each), each.removesuffix(": ")):
            tokens = [token.casefold() for token in _UNIT.findall(said)]
            if not known.isdisjoint(tokens) and known.union(stop_words(language), ["000"]).issuperset(tokens):
                return _YEARS.sub("", said).strip(" ;")
    return ""


_BRACKETS = re.compile(r"\(([^()]+)\)")
_UNIT = re.compile(r"[^\W\d_]+|[^\w\s'’().,:;]|000")
_YEARS = re.compile(r"\b(?:19|20)\d\d\b")


def _of_kind(sought: _Sought, statement: Statement, found: list[Figure]) -> list[Figure]:
    """Those of these figures that may be of the kind that is asked for: what something costs is no length of
    time, nor a number behind which stands no thing; how many there are is no money. Where no kind is asked
    for, a length of time is left out beside another figure with a unit."""
    wanted = sought.question.value_kind
    kinds = {each: _kind_of(statement, each) for each in found}
    if wanted == MONEY:
        return [each for each in found if kinds[each] != DURATION and _is_counted(statement, each)]
    if wanted == COUNT:
        return [each for each in found if kinds[each] != MONEY]
    if wanted or not any(each.unit for each in found):
        return found
    return [each for each in found if kinds[each] != DURATION]


def _is_counted(statement: Statement, figure: Figure) -> bool:
    """True if a figure has a unit, or a thing behind it, or stands in a row or a field."""
    word = NEXT_WORD.match(statement.text, figure.end)
    if figure.unit or word is None or statement.kind in (ROW, FIELD):
        return bool(figure.unit) or statement.kind in (ROW, FIELD)
    return not word[1].istitle() and word[1] not in stop_words(language_of(statement.hit.text, "en"))


def _columns(sought: _Sought, statement: Statement) -> list[tuple[int, int]] | None:
    """The extents of the cells of a row below the headers that say what is asked for, by its word for that or
    else by the most of its topic; [] where the row has none there. None where no header does, and for what
    is no row."""
    if statement.kind != ROW:
        return None
    language, text = language_of(statement.hit.text, "en"), statement.text
    known = sought.subject | sought.head | sought.stems(sought.cell.name, language)
    below = {
        text[left:start].removesuffix(": ") or text[start:end]: (start, end)
        for left, start, end in _cells_in(text)
    }
    headers = [each for each in dict.fromkeys(cells(statement.lead)) if each]
    headers = [
        each for each in headers
        if each not in below or known.isdisjoint(sought.stems(text[slice(*below[each])], language))
    ]  # fmt: skip
    stems = {each: sought.stems(each, language) for each in headers}
    headers = [each for each in headers if not sought.head.isdisjoint(stems[each])] or headers
    shares = {each: sought.topic.share(stems[each]) for each in headers}
    most = max(shares.values(), default=0.0)
    if most == 0.0:
        return None
    return [below[each] for each in headers if shares[each] == most and each in below]


def _has_column(sought: _Sought, statement: Statement) -> bool:
    """True if a row has one cell below what is asked for, and is of the period of the cell."""
    span, columns = sought.cell.span, _columns(sought, statement)
    if columns is None or len(columns) != 1:
        return False
    times = [time for _, _, time in _times(statement, statement.text)]
    if span is None or not times:
        return _is_untimed_of(sought.cell, statement)
    return any(lies_in(time, span) for time in times)


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
    for left, right, bracket in _clauses(statement, times, found):
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


def _clauses(
    statement: Statement, times: Sequence[tuple[int, int, Span]], found: Sequence[Figure]
) -> Iterator[tuple[int, int, bool]]:
    """The stretches of a statement between commas, semicolons and brackets, or the cells of a row; and
    whether each is in brackets. Words that join end one with a time where a figure follows, but not between
    two times: "was let in 2021 and cost £5 in 2022"."""
    text, at, bracket, row = statement.text, 0, False, statement.kind == ROW
    joins = phrases_of("joining", language_of(statement.hit.text, "en"))
    edges = list((_PARTS if row else _CLAUSE).finditer(text))
    for edge in sorted([*edges, *([] if row else joins.finditer(text))], key=lambda each: each.start()):
        if edge not in edges:
            after = next((end.start() for end in edges if end.start() >= edge.end()), len(text))
            timed = any(at <= start < edge.start() for start, _, _ in times)
            between = any(
                not text[edge.end() : start].strip() for start, _, _ in times if start >= edge.end()
            )
            if not timed or between or not any(edge.end() <= each.start < after for each in found):
                continue
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
