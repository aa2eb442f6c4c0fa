"""Extractive answers: the best sentences are quoted, each with its source and date; no model is needed.

Several names or periods give a table in order of time. If the question asks for one of several, that one is
named when all values can be compared. A question that no sentence answers is refused, with the reason.
Parts: the successor or predecessor of something ("who came after X"), the table, the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Protocol

import msgspec
from msgspec import Struct

from asof.answer.answerable import missing_value, unanswerable_reason
from asof.answer.choose import (
    Candidates,
    Excerpt,
    best_quotes,
    has_number,
    has_value,
    may_give,
    quote_of,
    states_something,
)
from asof.answer.match import (
    CONTRADICT,
    Contradiction,
    contradiction_reason,
    differing,
    find_contradiction,
    stated_value,
)
from asof.answer.question import COUNT, DATE, MONEY, PERSON, WORD, ParsedQuestion, phrases_of
from asof.answer.statements import (
    Statement,
    WeightedPhrase,
    comes_later,
    edition_of,
    names,
    speaks_outside,
    statements_of,
    things_of,
)
from asof.answer.table import TableCell, figure_of, only_cell, stating
from asof.documents import CORRECTS, PUBLISHED, force_words
from asof.hits import LOCAL, Answer, Citation, Hit, Value
from asof.index.view import View
from asof.lang import set_of
from asof.revisions.force import current_hits
from asof.text.figures import figures
from asof.text.passages import is_field
from asof.text.query import key
from asof.text.statements import ITEM
from asof.text.tokens import tokenize
from asof.text.versions import ADDED, CHANGED, FIRST, RANGE, WHICH, AskedVersion, asked, phrases, told_first
from asof.time.span import BEGINNING, Span, iso, label
from asof.wire import replace

# -- successor and predecessor: the next statement of the same kind that does not name it --------------

SAME_KIND = 0.6
"""The least share of the words that mark the kind of a statement which another of the same kind has."""

COMMON = 2
"""A word marks the kind of a statement if so many sentences about other things have it."""


def quotes_beside(
    question: ParsedQuestion, words: WeightedPhrase, view: View, sentences: Sequence[Statement]
) -> list[Excerpt]:
    """The quote of what came right after (or before) `question.beside`, then that of this; [] if none is
    found.

    The statement on this is the earliest of the sentences that name it and have most of the
    question. Its own words are those with figures, as in "Ubuntu 20.04", or else all. Of the later (earlier)
    published sentences that have none of its own words, all other words of the question that the statement
    has, and at least SAME_KIND of the words that tell its kind, the nearest in time is taken; of several of
    one day the most similar. Where its title names it, theirs begin with the same word.
    """
    beside = key(question.beside)
    at = _stating(words, sentences, beside) if beside else None
    published = None if at is None else sentences[at].hit.published
    if at is None or published is None:
        return []
    stating, named = sentences[at], _terms(view, question.beside)
    own = frozenset(filter(_is_figure, named)) or named
    asked = (_terms(view, words.text) & stating.titled_stems) - own
    beginning = _first_word(stating) if names(stating.hit.title, beside) else ""
    others = [
        (number, each)
        for number, each in enumerate(sentences)
        if own.isdisjoint(each.stems)
        and asked <= each.titled_stems
        and _first_word(each).startswith(beginning)
    ]
    kind = _kind(view, stating, own, [each for _, each in others])
    back = bool(question.before)
    found = [
        (-day.span.first if back else day.span.last, -said, number)
        for number, each in others
        if (day := each.hit.published) is not None
        and (day.span.last < published.span.first if back else day.span.first > published.span.last)
        and (said := len(each.stems & kind)) >= SAME_KIND * max(len(kind), 1)
    ]
    if not asked or not found:
        return []
    return [quote_of(sentences, min(found)[2]), quote_of(sentences, at)]


def _stating(words: WeightedPhrase, sentences: Sequence[Statement], name: str) -> int | None:
    """The earliest of the dated sentences that, with their title, name this and have most of the question."""
    shares = [
        (words.share(each.titled_stems), -each.hit.published.span.first, -at)
        for at, each in enumerate(sentences)
        if each.hit.published is not None and names(f"{each.hit.title} {each.text}", name)
    ]
    return -max(shares)[2] if shares else None


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


# -- answer --------------------------------------------------------------------------------------------

MAX_QUOTES = 16
"""The most sentences that are quoted; a note says how many more were found."""


SHORT = 120
"""The most characters of a sentence that take the place of a figure in a table."""

NOT_FOUND = "not found"
"""The value of a cell of a table for which no statement was found."""


class AnswerContext(Struct, frozen=True):
    """The input of an answer: the question, and the passages with their sentences.

    `words`: the searched words of the question. `hits` and `rows` are in the same order; `notes` tell what
    was left out. `authority`: the place of each hit in the order of authority, by its id; {} without one.
    `cell`: the cell of a table that the question is for; only a statement about that answers it. `in_force`:
    the date at which the answer has to hold, if one was given beside the question. `of_versions`: the
    sentences are those of so many first hits, which are of the versions that are asked for.
    """

    question: str
    words: WeightedPhrase
    parsed: ParsedQuestion
    hits: tuple[Hit, ...]
    rows: tuple[int, ...]
    sentences: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    authority: Mapping[str, int] = msgspec.field(default_factory=dict)
    cell: TableCell | None = None
    in_force: int | None = None
    of_versions: int = 0


def extractive_answer(view: View, context: AnswerContext) -> Answer:
    """The answer in quotes, or a refusal with the nearest passages. Where what is quoted is not in force at
    the moment of the question, or at the times that it names, the answer begins with that."""
    answer = _extracted(view, context)
    asks, times = asked(context.question), context.parsed.times
    by_version = asks is not None and (asks.version or asks.change or asks.picks)
    if answer.refused or context.cell or context.parsed.beside or by_version:
        return answer
    answer = with_amendments(view, context.words.text, answer)
    return replace(answer, text="\n".join([*_not_in_force(answer.citations, times), answer.text]))


def with_amendments(view: View, text: str, answer: Answer) -> Answer:
    """The answer, and behind its quotes one of each document that corrects the first passage which is quoted,
    or amends a part that it is of: the statement that has the most of this text. `view`: without what was
    visible before."""
    first, told = answer.citations[0], {each.document for each in answer.citations}
    by = (each.document for each in first.amended if each.part or each.kind == CORRECTS)
    numbers = view.store.numbers_of(name for name in dict.fromkeys(by) if name and name not in told)
    if not numbers:
        return answer
    words, citations = WeightedPhrase.of(text, view), [*answer.citations]
    for number in numbers[: MAX_QUOTES - len(citations)]:
        statements = statements_of(view, current_hits(view, view.rows_of_document(number)))
        if statements:
            best = max(statements, key=lambda each: words.share(each.titled_stems))
            citations.append(Citation.of(len(citations) + 1, best.hit, best.quoted))
    lines = [answer.text, *map(quoted, citations[len(answer.citations) :])]
    return replace(answer, text="\n".join(lines), citations=tuple(citations))


def _extracted(view: View, context: AnswerContext) -> Answer:
    question, asks = context.parsed, asked(context.question)
    if context.cell is not None:
        return _cell_answer(view, context, context.cell)
    following = quotes_beside(question, context.words, view, context.sentences)
    of_versions = None if asks is None or following else _of_versions(view, context, asks)
    if of_versions is not None and context.of_versions:
        return of_versions
    cell = only_cell(question)
    if cell is not None and ((made := _cell_answer(view, context, cell)).citations):
        return replace(made, values=())
    if of_versions is not None:
        return of_versions
    unknown = not following and question.beside[:1].isupper() and question.value_kind == PERSON
    if unknown:
        context = replace(context, sentences=_naming(question, context.sentences))
    found = Candidates.of(question, context.words, context.hits, context.sentences)
    reason = ""
    if unknown and not found.statements:
        side = "before" if question.before else "after"
        reason = f"no statement on who came {side} {question.beside} was found"
    elif not following:
        reason = unanswerable_reason(question, context.words, context.hits, found, view)
    if reason:
        return _refused_beside(
            view, context, reason, best_quotes(question, context.words, found.nearest, inf)
        )
    quotes = following or best_quotes(
        question, context.words, found, encoder=view.encoder, authority=context.authority
    )
    if not quotes:
        return _refused_beside(view, context, "no sentence that was found states anything", [])
    told = {each.hit.id for each in quotes}
    if not following and (reason := missing_value(question, context.words, context.sentences, told)):
        return _refused_beside(view, context, reason, quotes)
    contradiction = find_contradiction(
        quotes[0].statement, context.sentences, context.authority, newest=not question.times
    )
    if contradiction is None and (differ := _differing_answer(view, context, quotes[0].statement)):
        return differ
    if contradiction is not None and contradiction.preferred is None:
        return _contradicted(view, context.question, contradiction)
    if contradiction is not None and (preferred := contradiction.preferred) is not None:
        known = [*contradiction.others, preferred]
        first = quote_of(context.sentences, context.sentences.index(preferred))
        quotes = [first, *(each for each in quotes if each.statement not in known)]
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    notes = [] if contradiction is None else [_contradiction_note(contradiction)]
    notes += [f"[{n}] has {len(each.whole)} items" for n, each in enumerate(quotes, 1) if each.whole]
    if (
        question.value_kind == COUNT
        and question.figure
        and not any(_says_number(question, each) for each in citations)
    ):
        notes.append("no quote says how many: nothing was counted, and there may be more than are quoted")
    if (missed := _MISSED.get(question.value_kind)) and not any(
        has_value(question, each.statement, each.text)
        or (question.value_kind == MONEY and may_give(question, each.text))
        for each in quotes
    ):
        notes.append(f"no quote {missed}")
    notes += _older(context, [each.statement for each in quotes])
    if context.words.unknown:
        notes.append(f"of the question no passage has: {', '.join(context.words.unknown)}")
    return answer_of(view, context.question, map(quoted, citations), citations, notes=tuple(notes))


_MISSED = {PERSON: "names a person", MONEY: "gives an amount of money"}
"""What is noted where no quote has a value of the kind that is asked for."""


def _naming(question: ParsedQuestion, sentences: Sequence[Statement]) -> tuple[Statement, ...]:
    """The sentences with a name that the question lacks, of passages with the name beside which it asks."""
    return tuple(
        each
        for each in sentences
        if names(f"{each.hit.title} {each.hit.text}", question.beside)
        and has_value(question, each, each.text)
    )


def lacks_number(question: ParsedQuestion, answer: Answer) -> bool:
    """True if a question asks how much or how many, and no quote has a number, or says that it is free."""
    if answer.values or not question.figure or question.value_kind in ("", DATE):
        return False
    free = phrases_of("free", question.language)
    return not any(
        _says_number(question, each) or free.search(each.quote.lower()) for each in answer.citations
    )


def _says_number(question: ParsedQuestion, citation: Citation) -> bool:
    """True if what a citation is quoted for has a number that its title lacks, and that is in no name."""
    title, (begin, end) = WORD.findall(citation.title), citation.emphasis or (0, len(citation.quote))
    said = (word for word in WORD.findall(citation.quote[begin:end]) if word not in title)
    return has_number(question, " ".join(each for each in said if each[0].isdigit() or each.isalpha()))


def _of_versions(view: View, context: AnswerContext, asks: AskedVersion) -> Answer | None:
    """The answer to what changed in versions: their statements, those of the kind of change that is asked for
    (all of what is new in them); or to which one is the newest, or right before or after one: its name. A
    refusal with the nearest where no passage of the thing that is asked about is of them; None for another
    question."""
    named, change = asks.version, asks.change
    if not asks.picks:
        return _with_change(view, context, asks) if change and asks.kind in (WHICH, FIRST) else None
    if not context.of_versions:
        told = asks.kind != RANGE or any(each.version for each in context.sentences)
        if named is None or (asks.kind == RANGE and named.may_be_time) or not told:
            return None
    ids = {hit.id for hit in context.hits[: context.of_versions]}
    of_it = [each for each in context.sentences if each.hit.id in ids]
    found, lines = [each for each in of_it if not change or _tells(each)], []
    if change not in ("", CHANGED) and not context.parsed.overview:
        found = [each for each in found if change in _kinds(each)]
    found = [each for each in found if not is_field(each.hit.text, each.start)] or found
    if not change:
        found = list({each.hit.document: each for each in reversed(found)}.values())[::-1]
        lines = [f"{each.edition or each.hit.title} [{n}]" for n, each in enumerate(found[:MAX_QUOTES], 1)]
    if not found:
        place = f"{asks.kind} {named.text}" if named else "in it"
        place = context.question[slice(*asks.words[0])] if asks.kind == RANGE else place
        reason = f"{f'nothing that was {change}' if change else 'no version'} {place} was found"
        near = Candidates.of(context.parsed, context.words, context.hits, of_it or context.sentences)
        return _refused_beside(view, context, reason, best_quotes(context.parsed, context.words, near))
    answer = _quoting(view, context, found, lines)
    left = len({(each.hit.id, each.quoted) for each in found}) - len(answer.citations)
    notes = (f"{left} more sentence{'s were' if left > 1 else ' was'} found and left out",) if left else ()
    return replace(answer, notes=notes)


MOST_OF_IT = 0.5
"""The least share of what changed that a statement on its change has."""


def _with_change(view: View, context: AnswerContext, asks: AskedVersion) -> Answer | None:
    """The answer to which version changed something: the statements that have most of it and are of the kind
    of change that is asked for, those below a heading of that kind first; a refusal where it is only said
    that there is such a thing, and not that it was removed, deprecated or fixed. None if nothing has it."""
    words, kind = zip(context.words.words, context.words.spelled, strict=True), phrases(asks.change)
    thing = context.words._replace(words=tuple(each for each, word in words if not kind.fullmatch(word)))
    own = [each for each in context.sentences if each.version and asks.first <= each.version < asks.behind]
    own = [each for each in own if _tells(each)]
    most = max((thing.share(each.titled_stems) for each in own), default=0.0)
    own = [each for each in own if thing.words and thing.share(each.titled_stems) == most >= MOST_OF_IT]
    found = [each for each in own if asks.change in _kinds(each)]
    sign = 1 if asks.kind == FIRST else -1
    found.sort(key=lambda each: (_kinds(each)[0] != asks.change, sign * each.version))
    if own and not found and asks.change not in (ADDED, CHANGED):
        near = best_quotes(context.parsed, thing, Candidates.of(context.parsed, thing, context.hits, own))
        return _refused_beside(view, context, f"no version in which it was {asks.change} was found", near)
    return _quoting(view, context, found) if found else None


def _tells(sentence: Statement) -> bool:
    """True if a sentence tells of a change: an item of a list may be short."""
    return sentence.kind == ITEM or states_something(sentence)


def _kinds(sentence: Statement) -> list[str]:
    """The kinds of change that the heading right above a sentence, what leads to it and its text tell of."""
    return [*map(told_first, ("".join(sentence.hit.place.headings[-1:]), sentence.lead, sentence.text))]


def of_one_thing(
    question: ParsedQuestion, lexical: str, hits: Mapping[int, Hit], ranked: Sequence[Hit]
) -> dict[int, Hit]:
    """Of the hits of versions that a question asks for, by their rows, those of the thing that it is about,
    in the order of versions: with half of the names in it; with a version in their headings or title rather
    than in their path; where its words that are searched tell of a thing, those of the document (titles that
    differ by figures) that is `ranked` first."""
    if (asks := asked(question.text)) is None:
        return {}
    no_thing = set_of("words", "stop") | set_of("words", "version")
    words = {each for each in tokenize(lexical) if each.isalpha() and not told_first(each)} - no_thing
    names, newest = {each.casefold() for each in question.capitals if each.isalpha()}, asks.version is None
    names = names | words if newest else names
    own = {row: hit for row, hit in hits.items() if (2 - newest) * _named(hit, names, newest) >= len(names)}
    own = {row: hit for row, hit in own.items() if edition_of(hit)[0] in ("", *hit.place.headings)} or own
    ids = {hit.id for hit in own.values()}
    best = next((hit for hit in ranked if words and hit.id in ids), None)
    if best is not None:
        things = frozenset({best.document}) if edition_of(best)[0] else things_of(best)
        own = {row: hit for row, hit in own.items() if not things.isdisjoint(things_of(hit))}
    places = {row: (edition_of(hit)[1], hit.document, hit.place.number) for row, hit in own.items()}
    return {row: own[row] for row in sorted(own, key=places.__getitem__)}


def _named(hit: Hit, names: set[str], newest: bool) -> int:
    """How many of these names a hit has, or of one of the newest version the names of its document."""
    said = f"{hit.document} {hit.title} {' '.join(hit.place.headings)} {'' if newest else hit.text}"
    return len(names.intersection(tokenize(said)))


def _quoting(
    view: View, context: AnswerContext, sentences: Iterable[Statement], lines: Iterable[str] = ()
) -> Answer:
    """The answer that quotes sentences, behind some lines."""
    citations = _numbered((each.hit, each.quoted, None) for each in sentences)
    return answer_of(view, context.question, [*lines, *map(quoted, citations)], citations)


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
    lines = [f"The sources differ: {said}.", *map(quoted, citations)]
    notes = _older(context, [each for each, _ in found[: len(citations)]])
    return answer_of(view, context.question, lines, citations, notes=notes)


def _older(context: AnswerContext, quoted: Sequence[Statement]) -> tuple[str, ...]:
    """A note on those of the statements that an answer quotes which give another figure for what is asked
    than the first, and were published before it: until when they held, if that holds instead."""
    figure = context.parsed.figure and not context.parsed.times and not comes_later(quoted[0])
    own = stated_value(quoted[0]) if figure else None
    day = quoted[0].hit.published
    if own is None or day is None:
        return ()
    older = [
        f"[{n}]" for n, each in enumerate(quoted, 1)
        if context.words.share(each.stems) == 1.0 and (value := stated_value(each)) is not None
        and value.unit == own.unit and value.value != own.value
        and each.hit.published is not None and each.hit.published.span.last < day.span.first
    ]  # fmt: skip
    force = quoted[0].hit.in_force
    since = max(day.span.first, BEGINNING if force is None else force.span.first)
    held = f"{', '.join(older)} held until {iso(since)[:10]}, if [1] holds instead"
    return (held,) if older else ()


def _not_in_force(citations: Sequence[Citation], times: Sequence[Span]) -> tuple[str, ...]:
    """A line that says so where the first passage that is quoted is not in force, or in none of these times,
    none of which it names."""
    first = next(iter(citations), None)
    if first is None or (speaks_outside(first, first.quote, times) == 0 if times else first.holds):
        return ()
    when = force_words(first.in_force, times[-1].first if times else first.at)
    then = ",".join(f" {'in ' if label(each)[0].isdigit() else ''}{label(each)}" for each in times)
    yet = " yet" if when.startswith("takes") and not times else ""
    verb = "is " if when.startswith("not ") else ""
    return (f"Nothing that is in force{then} says so{yet}; this {verb}{when}:",)


def _refused_beside(view: View, context: AnswerContext, reason: str, quotes: Sequence[Excerpt]) -> Answer:
    """A refusal with the nearest passages."""
    answer = refused(view, context.question, reason)
    citations = _numbered((each.hit, each.text, each.emphasis) for each in quotes)
    lines = [answer.text, *(["Nearest:"] if citations else []), *map(quoted, citations)]
    return replace(answer, text="\n".join(lines), citations=citations)


def _cell_answer(view: View, context: AnswerContext, cell: TableCell) -> Answer:
    """The answer to the question of a cell: its value, with the statement about it that is chosen as for any
    question; a refusal where none is found, or where they contradict each other."""
    question = context.parsed
    stated = stating(cell, question, view, context.sentences)
    found = Candidates.of(question, context.words, context.hits, stated, in_time=True)
    timeless = replace(question, times=()) if stated else question  # what is stated is of the time
    if reason := unanswerable_reason(timeless, context.words, context.hits, found, view):
        return refused(view, context.question, reason)
    quotes = best_quotes(question, context.words, found, encoder=view.encoder, authority=context.authority)
    if not quotes:
        return refused(view, context.question, "no statement is about it")
    chosen = quotes[0].statement
    contradiction = find_contradiction(chosen, stated, context.authority, newest=not question.times)
    if contradiction is not None and contradiction.preferred is None:
        return _contradicted(view, context.question, contradiction)
    if contradiction is not None and contradiction.preferred is not None:
        chosen = contradiction.preferred
    citation = Citation.of(1, chosen.hit, chosen.quoted)
    shown = figure_of(cell, question, view, chosen) or _short(citation.quote)
    values = (Value(cell.name, cell.period, cell.topic, shown, 1),)
    notes = () if contradiction is None else (_contradiction_note(contradiction),)
    return answer_of(view, context.question, [quoted(citation)], (citation,), values, notes)


def table_answer(
    moments: Moments,
    question: ParsedQuestion,
    cells: Sequence[TableCell],
    answers: Sequence[Answer],
    beyond: str,
) -> Answer:
    """The table of these cells and their answers, with a quote for each value; where several were asked for
    the highest or lowest, that one first. A refusal where no cell has an answer. `beyond`: a note on cells
    that are not among these, or ""."""
    numbers: dict[tuple[str, str], Citation] = {}
    values, notes = [], [beyond] if beyond else []
    for cell, answer in zip(cells, answers, strict=True):
        said = next(iter(answer.values), Value(cell.name, cell.period, cell.topic, NOT_FOUND, None))
        if said.citation is not None:
            own = answer.citations[0]
            said = replace(said, citation=numbers.setdefault(
                (own.id, own.quote), replace(own, n=len(numbers) + 1)).n)  # fmt: skip
        notes += answer.notes
        if answer.reason.startswith(CONTRADICT):
            notes.append(f"{cell.label}: {answer.reason}".removeprefix(": "))
        values.append(said)
    citations = tuple(numbers.values())
    lines = [
        f"{'  '.join(filter(None, (each.name, each.period, each.measure)))}: {each.value}"
        + (_cited_in(citations[each.citation - 1], cell) if each.citation else "")
        for cell, each in zip(cells, values, strict=True)
    ]
    reason = "" if citations else f"nothing was found for any of the {len(cells)} values"
    lines = [*([f"No answer: {reason}."] if reason else _extreme(question, values, beyond)), *lines]
    return Answer(
        question.text, "\n".join([*lines, "", *map(quoted, citations)]).rstrip(), bool(reason), reason, LOCAL,
        moments.as_of, moments.known_at, citations, tuple(values), tuple(dict.fromkeys(notes)),
    )  # fmt: skip


def is_better_whole(question: ParsedQuestion, whole: Answer, table: Answer) -> bool:
    """True if the answer to a whole question is better than the table: that is empty, or, where the question
    may have one answer for all, the first quote has all names, the cells have one and the same, or only one
    of its times has any and no person is asked for."""
    if table.refused:
        return question.asks_for_each or not question.times
    if question.asks_for_table or whole.refused:
        return False
    if len(question.times) > 1:
        found = sum(each.citation is not None for each in table.values)
        return question.several or found < (1 if question.value_kind == PERSON else 2)
    of_all = len(table.citations) < 2 or not _unnamed(question, whole.citations[:1])
    return of_all or question.several


def left_out_names(question: ParsedQuestion, answer: Answer) -> tuple[str, ...]:
    """A note on the names of a question that asks for each of which nothing is quoted."""
    gone = [] if answer.refused else _unnamed(question, answer.citations)
    return (f"nothing is quoted of: {', '.join(gone)}",) if gone else ()


def _unnamed(question: ParsedQuestion, citations: Sequence[Citation]) -> list[str]:
    said = [" ".join((each.title, *each.headings, each.quote)) for each in citations]
    return [name for name in question.names if not any(names(text, name) for text in said)]


def _cited_in(citation: Citation, cell: TableCell) -> str:
    """The number of a citation in a line of a table; for a cell without a time, also when what it says
    was, or will be, in force."""
    force = citation.in_force
    lapsed = cell.span is None and not citation.holds and force is not None and force.by != PUBLISHED
    return f" [{citation.n}]" + (f", {force_words(force, citation.at)}" if lapsed else "")


def _extreme(question: ParsedQuestion, values: Sequence[Value], beyond: str) -> list[str]:
    """A line with the highest (lowest) of the values, if the question asks for it and they are figures of one
    unit; or that it is unknown, since a value was not found or not looked up."""
    if not question.superlative or len(question.topics) > 1 or len(values) < 2:
        return []
    which = "highest" if question.superlative > 0 else "lowest"
    labels = ["  ".join(filter(None, (each.name, each.period))) for each in values]
    gone = [label for label, each in zip(labels, values, strict=True) if each.citation is None]
    if gone or beyond:
        return [f"{which}: unknown; {', '.join(gone)} {NOT_FOUND}" if gone else f"{which}: unknown; {beyond}"]
    parts = [each.value.partition(" (") for each in values]
    read = [figures(number, question.language) for number, _, _ in parts]
    units = {(each[0].unit, unit) for each, (_, _, unit) in zip(read, parts, strict=True) if each}
    losses = any(number.startswith("(") for number, _, _ in parts)  # which are below 0
    if losses or any(len(each) != 1 for each in read) or len(units) > 1:
        return []
    best = max(range(len(values)), key=lambda at: question.superlative * read[at][0].value)
    return [f"{which}: {labels[best]}, {values[best].value}"]


class Moments(Protocol):
    """The moments of an answer; a `View` has them."""

    @property
    def as_of(self) -> int: ...
    @property
    def known_at(self) -> int: ...


def answer_of(
    moments: Moments, question: str, lines: Iterable[str], citations: tuple[Citation, ...],
    values: tuple[Value, ...] = (), notes: tuple[str, ...] = (),
) -> Answer:  # fmt: skip
    """An answer from single passages."""
    text = "\n".join(lines)
    return Answer(
        question, text, False, "", LOCAL, moments.as_of, moments.known_at, citations, values, notes
    )  # fmt: skip


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


def quoted(citation: Citation) -> str:
    """A line that quotes a citation with its source."""
    return f"[{citation.n}] {_with_source(citation.quote, citation)}"


def _with_source(quote: str, source: Citation | Hit) -> str:
    return f"“{quote}” ({source.citation})"


def _short(quote: str) -> str:
    """The beginning of a sentence that has no figure to show."""
    return f"“{quote}”" if len(quote) <= SHORT else f"“{quote[:SHORT].rsplit(' ', 1)[0]} …”"
