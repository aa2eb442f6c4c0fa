"""The statements of passages that an answer may quote, and what they are about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from asof.answer.boilerplate import common_lines, is_boilerplate
from asof.answer.question import WORD
from asof.documents import PUBLISHED, SourcedTime
from asof.hits import Citation, Hit
from asof.index.spelling import nearest_words
from asof.index.statements import verbs_of_states
from asof.index.view import View
from asof.lang import numerals
from asof.queries import Query
from asof.rank.words import largest_idf, weighted_words
from asof.store.digest import KIND, STATUS, TEXT
from asof.text.figures import NONE, language_of, lexicon
from asof.text.force import clauses, times_in
from asof.text.names import is_label
from asof.text.passages import shown
from asof.text.query import key, parse
from asof.text.statements import ITEM, ROW, SENTENCE, pieces, plain
from asof.text.versions import of_heading, of_passage
from asof.time.span import DAY, Span, holds_in, is_period
from asof.wire import replace

# -- evidence ------------------------------------------------------------------------------------------

HEADING = KIND["heading"]
_FIGURES = re.compile(r"[\d.]+")

EVEN = 0.5
"""The weight of every word beside its idf²: in a corpus of few passages rarity is no evidence."""


class Statement(Struct, frozen=True):
    """A statement of a hit, at `start` to `end` of the hit's text.

    `text`: plain, as it is read alone (`asof.text.statements`, of whose kinds it is); `lead` introduces the
    list, or is the header of the table, that it is a part of. `stems`: those of it; `context_stems`: these
    and those of the headings above it; `titled_stems`: these and those of the title; `above`:
    those of the heading right above it, or of the title. `edition`: the heading
    or the part of the path that names its `version` (an ordinal, 0 for none), "" where its title does.
    """

    hit: Hit
    start: int
    end: int
    text: str
    stems: frozenset[str]
    context_stems: frozenset[str]
    titled_stems: frozenset[str]
    edition: str = ""
    version: int = 0
    kind: str = SENTENCE
    lead: str = ""
    above: frozenset[str] = frozenset()

    @property
    def quoted(self) -> str:
        """The text as it is quoted, behind what names its version."""
        named = not self.edition or self.text.startswith(self.edition)
        return self.text if named else f"{self.edition} › {self.text}"


class WeightedPhrase(NamedTuple):
    """A phrase to look for: for each word its possible stems and its weight.

    The weight is idf², as in `asof.rank.words`, and EVEN; a word that is in no passage has the
    weight of the rarest. `unknown`: these words; `spelled`: all of them as they are written.
    """

    text: str
    words: tuple[tuple[frozenset[str], float], ...]
    unknown: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, view: View, asking: frozenset[str] = frozenset()) -> WeightedPhrase:
        """The words of a text, but for those that may only ask (`asking`) and that no passage has."""
        known = {word.text: word.weight for word in weighted_words(Query(text, text), view)}
        rarest = largest_idf(view) ** 2
        words = [word for word, _ in parse(text, view.analyzer).words if not is_label(word)]
        words = [word for word in words if word in known or word not in asking]
        meant = {word: _spelled(view, word) for word in words if word not in known}
        return cls(
            text,
            tuple(
                (_alternatives(view, meant.get(word) or word), EVEN + known.get(word, rarest))
                for word in words
            ),
            tuple(word for word in words if word not in known and not meant[word]),
            tuple(words),
        )

    def share(self, stems: frozenset[str]) -> float:
        """The share of the weight whose words are among `stems`; 1 for a phrase without words."""
        total = matched = 0.0
        for alternatives, weight in self.words:
            total += weight
            matched += 0.0 if alternatives.isdisjoint(stems) else weight
        return matched / total if total else 1.0


def _spelled(view: View, word: str) -> str:
    """The word of the view that is meant by a long one that no passage has, if one is spelled nearly so; or
    "". A short one is as often another word: "rise" is no "rice"."""
    if len(word) < MISSPELLED or any(map(str.isdigit, word)):
        return ""
    known: dict[str, str] = view.prefix.memo.setdefault("spelled", {})
    if word not in known:
        known[word] = next(iter(nearest_words(view, word)), "")
    return known[word]


MISSPELLED = 5
"""The fewest letters of a word that may be misspelled."""


def _alternatives(view: View, word: str) -> frozenset[str]:
    """The stems that count as a word: its own, and for a number in words its figures, or the other way."""
    spelled = {word, *(each for code in view.analyzer.languages for each in numerals(code).get(word, ()))}
    return frozenset(stem for each in spelled for stem in view.analyzer.alternatives(each))


_NOTHING = re.compile(r"[:：]\s*(?:n/?a|tb[ad]|[-–—?]+)\.?$", re.IGNORECASE)


def statements_of(view: View, hits: Sequence[Hit]) -> list[Statement]:
    """The statements of hits in their order, without headings, boilerplate and fields without a value."""
    found = []
    languages = [view.analyzer.detect(hit.text) for hit in hits]
    common = common_lines(view, zip((hit.text for hit in hits), languages, strict=True))
    for hit, language in zip(hits, languages, strict=True):
        headings = frozenset(view.analyzer.terms(" ".join(hit.place.headings), language))
        title = frozenset(view.analyzer.terms(hit.title, language))
        last = frozenset(view.analyzer.terms(hit.place.headings[-1], language)) if headings else title
        edition, version = edition_of(hit)
        leads: dict[str, frozenset[str]] = {"": frozenset()}
        for start, end, text, kind, lead in pieces(hit.text, hit.place.headings, hit.title):
            if (common and is_boilerplate(hit.text, start, end, common)) or _NOTHING.search(text):
                continue
            own = text[len(lead) :] if kind == ITEM else text
            stems = frozenset(view.analyzer.terms(own, language))
            if kind == ITEM and lead not in leads:
                leads[lead] = frozenset(view.analyzer.terms(lead, language))
            context = headings | stems | (leads[lead] if kind == ITEM else leads[""])
            found.append(Statement(
                hit, start, end, text, stems, context, context | title, edition, version, kind, lead, last,
            ))  # fmt: skip
    return found


def in_force_at(
    view: View, words: WeightedPhrase, statements: Sequence[Statement], instant: int
) -> list[Statement]:
    """The statements without the clauses that hold at another time than an instant, where one beside them
    says as much of a phrase and holds then: of "It costs 30; from 2025 it costs 35" in 2024 the first, in
    2025 the second."""
    over: dict[str, list[tuple[int, int]]] = {}
    found = []
    for each in statements:
        if (spans := over.get(each.hit.id)) is None:
            spans = over[each.hit.id] = _not_held(view, words, each.hit, instant)
        start, end = each.start, each.end
        for first, last in spans:
            start, end = (max(start, last), end) if first <= start < last else (start, end)
            end = first if start < first < end <= last else end
        if start >= end:
            continue
        if (start, end) != (each.start, each.end):
            said = plain(shown(each.hit.text[start:end])).rstrip(" ;,:–—")
            each = replace(each, start=start, end=end, text=said)
        found.append(each)
    return found


def _not_held(view: View, words: WeightedPhrase, hit: Hit, instant: int) -> list[tuple[int, int]]:
    """The stretches of a hit's text that hold at another time than an instant, beside others that hold
    then."""
    if not any(KIND.get(time.by) == TEXT for time in hit.about):
        return []
    language = view.analyzer.detect(hit.text)
    published = hit.published.span if hit.published else None
    every = clauses(hit.text, times_in(hit.text, language, published), language, published)
    stems = [frozenset(view.analyzer.terms(hit.text[each.start : each.end], language)) for each in every]
    shares = [words.share(each) for each in stems]
    pairs = zip(words.words, words.spelled, strict=True)
    asked = frozenset[str]().union(*(each for (each, _), word in pairs if any(map(str.isdigit, word))))
    gone, held = set[int](), dict[int, int]()  # of clauses that say what else is so, the one that holds now
    for n, each in enumerate(every):
        beside = [
            at for at in each.beside
            if (at == n - 1 or shares[at] >= shares[n]) and asked & stems[at] == asked & stems[n]
        ]  # fmt: skip
        if each.force is None or not beside:
            continue
        span = each.force.span
        if not span.first <= instant <= span.last:
            gone.add(n)
            continue
        gone |= {*beside, *(held[at] for at in beside if at in held)}
        held.update(dict.fromkeys(beside, n))
    return [(every[at].start, every[at].end) for at in sorted(gone)]


def edition_of(hit: Hit) -> tuple[str, int]:
    """The innermost heading of a hit that names a version, or the version that its document's id names, and
    the ordinal of that; "" where its title names it."""
    version = of_passage("\n".join(hit.place.headings), hit.title, hit.document)
    if version is None or version == of_heading(hit.title):
        return "", version.at if version else 0
    heading = next((each for each in reversed(hit.place.headings) if of_heading(each)), version.text)
    return heading, version.at


def things_of(hit: Hit) -> frozenset[str]:
    """What a hit may be of, in versions: its document, and the title without figures."""
    return frozenset({hit.document, _FIGURES.sub("", hit.title)})


def tells_more(sentence: str, question: str) -> bool:
    """True if a sentence has a name or a figure that the question lacks, where its script has capitals."""
    asked = set(WORD.findall(question.casefold()))
    words = [word for word in WORD.findall(sentence)[1:] if word.casefold() not in asked]
    return sentence.lower() == sentence.upper() or any(
        word[0].isupper() or any(sign.isdigit() for sign in word) for word in words
    )


def document_times(hit: Hit) -> tuple[Span, ...]:
    """The times that a hit's document is about by its metadata or title; else its date of publication."""
    stated = tuple(time.span for time in hit.about if KIND.get(time.by, 0) < HEADING)
    return stated or ((hit.published.span,) if hit.published else ())


def is_of_publication(time: SourcedTime, published: SourcedTime) -> bool:
    """True if a time that a document is about says no more than when it was published: that day, or by the
    metadata its year."""
    return time.span == published.span or (
        time.by not in KIND and time.span.overlap(published.span) is not None
    )


def has_lapsed(hit: Hit) -> bool:
    """True if a hit was in force, or will be, and is not at the date of force."""
    return not hit.holds and hit.in_force is not None and hit.in_force.by != STATUS


def comes_later(statement: Statement) -> bool:
    """True if a statement, or its passage, says that it holds only from a day after the date of force on."""
    hit = statement.hit
    if has_lapsed(hit) and hit.in_force is not None and hit.in_force.span.first > hit.at:
        return True
    if all(span.first <= hit.at for span in times_named(statement)):
        return False
    language = language_of(hit.text, "en")
    published = hit.published.span if hit.published else None
    parts = clauses(statement.text, times_in(statement.text, language, published), language, published)
    forces = [each.force for each in parts if each.force is not None]
    return len(parts) == len(forces) and all(each.span.start and each.span.first > hit.at for each in forces)


def speaks_outside(source: Hit | Citation, said: str, times: Sequence[Span]) -> float:
    """How far what a passage says is out of force in all of these times, by its metadata or its own words: 1,
    or half where it ended before and nothing followed it; 0 if it is about one of them, or states nothing."""
    force = source.in_force
    if force is None or force.by in (PUBLISHED, STATUS):
        return 0.0
    about = [time.span for time in source.about if KIND.get(time.by) != TEXT or time.text in said]
    if any(span.overlap(each) for span in (force.span, *about) for each in times):
        return 0.0
    return 0.5 if source.superseded is None and force.span.last < times[0].first else 1.0


def document_in_time(hit: Hit, span: Span) -> bool:
    """True if a hit's document is about a time inside a span, or says that the hit is in force at its end."""
    force = hit.in_force
    if force is not None and force.by != PUBLISHED and force.span.first <= span.last <= force.span.last:
        known = force.span.end is not None or force.span.first > hit.as_of
        return known or span.first <= hit.as_of  # else nobody knows whether it still holds then
    return any(lies_in(time, span) for time in document_times(hit))


def lies_in(time: Span, span: Span) -> bool:
    """True if a time lies in a span (`holds_in`); in two years ("2016-17") no other two with one of them."""
    if is_period(span) or is_period(time) or time.start is None or time.end is None:
        return holds_in(time, (span,))
    return span.first <= time.first and time.last <= span.last


def hit_in_time(hit: Hit, span: Span, said: str) -> bool:
    """True if a hit's document is about a time inside a span, or its text or a heading above it names one, or
    `said` of it since when something is the case."""
    named = [time for time in hit.about if KIND.get(time.by, 0) in (HEADING, TEXT)]
    if span.first > hit.as_of:  # nobody knows whether what has no end still holds then
        named = [time for time in named if time.span.end is not None]
    elif any(
        _SINCE.match(time.text) and is_period(time.span) and time.span.first <= span.last for time in named
        if time.text in said
    ):  # fmt: skip
        return True
    return document_in_time(hit, span) or any(is_of(time, span) for time in named)


def is_of(time: SourcedTime, span: Span) -> bool:
    """True if a time lies in a span (`holds_in`), or has half of it at least and is stated by its ends: that
    of a row whose columns say since when and until when, or no period of the calendar (from March 2018 to
    May 2020, and 2019)."""
    if holds_in(time.span, (span,)):
        return True
    common = time.span.overlap(span)
    if common is None or 2 * (common.last + 1 - common.first) < span.last + 1 - span.first:
        return False
    return " – " in time.text or not is_period(time.span)  # as `asof.text.passages.interval_cell` says it


def rows_in_time(statements: Sequence[Statement], times: Sequence[Span]) -> list[Statement]:
    """The statements; of a table whose rows name times those rows that are of one of these times, if some
    are; and so of all entries that begin with a day, of which none is left where other days are asked for."""
    named = {at: times_of for at, each in enumerate(statements) if times and (times_of := _of_row(each))}
    inside = {at for at, own in named.items() if any(is_of(time, span) for time in own for span in times)}
    tables = {_table(statements[at]) for at in inside}
    tables |= {_ENTRIES} if all(0 < span.last - span.first < DAY for span in times) else set()
    return [
        each for at, each in enumerate(statements)
        if at in inside or at not in named or _table(each) not in tables
    ]  # fmt: skip


def _of_row(statement: Statement) -> list[SourcedTime]:
    """The times of a row of a table; of another statement the day with which it begins."""
    own = own_times(statement)
    if statement.kind == ROW:
        return own
    said = statement.text[len(statement.lead) :].lstrip()
    begins = [time for time in own if said.startswith(time.text) and not _SINCE.match(time.text)]
    return [time for time in begins if time.span.last - time.span.first < DAY]


def _table(statement: Statement) -> tuple[str, str]:
    return (statement.hit.id, statement.lead) if statement.kind == ROW else _ENTRIES


_ENTRIES = "", ""
"""In place of the table of a row, for entries of logs."""


def times_named(sentence: Statement) -> list[Span]:
    """The times that a sentence names."""
    return [time.span for time in own_times(sentence)]


def own_times(sentence: Statement) -> list[SourcedTime]:
    """The times that a sentence names, as they are stated."""
    return [time for time in sentence.hit.about if time.text and time.text in sentence.text]


_SINCE = re.compile(r"(?:since|from|as of|seit(?: dem)?|ab|depuis|desde)\b", re.IGNORECASE)

LABEL = 24
"""A label has its colon among so many characters of the sentence."""


def lasts(sentence: Statement, until: int) -> bool:
    """True if a sentence states what is the case ("is", "costs", or a label with its value) up to an instant:
    it names that time, no time, or since when."""
    senses, states = lexicon(language_of(sentence.hit.text, "en")).senses, verbs_of_states()
    known = ((senses.get(word, NONE), word) for word in sentence.text.casefold().split())
    present = any(("copula" in each and "past" not in each) or word in states for each, word in known)
    if not present and ":" not in sentence.text[:LABEL]:
        return False
    return _reaches(sentence, until)


def may_last(sentence: Statement, until: int) -> bool:
    """True if a sentence has no word in the past tense or of what happens once, and what it says may be the
    case up to an instant: it names that time, no time, or since when."""
    return not is_event(sentence.text, sentence.hit.text) and _reaches(sentence, until)


def is_event(said: str, text: str = "") -> bool:
    """True if these words of a text have a verb in the past tense, or of what happens once."""
    senses = lexicon(language_of(text or said, "en")).senses
    words = said.casefold().split()
    return any(not {"past", "event"}.isdisjoint(senses.get(word.strip(".,;"), NONE)) for word in words)


def _reaches(sentence: Statement, until: int) -> bool:
    """True if a sentence names a time with this instant, no time, or since when something is the case."""
    times = [time for time in sentence.hit.about if time.text and time.text in sentence.text]
    if any(time.span.first <= until and _is_since(sentence, time) for time in times):
        return True
    return all(time.span.first <= until <= time.span.last for time in times)


def _is_since(sentence: Statement, time: SourcedTime) -> bool:
    """True if a sentence names a time as the one from which something is the case."""
    before = sentence.text[: sentence.text.find(time.text)].split()[-2:]  # "since Tuesday, 1 June"
    return any(_SINCE.match(words) for words in (time.text, *before))


def names(text: str, name: str) -> bool:
    """True if a text has a name, in whole words."""
    return f" {key(name)} " in f" {key(text)} "
