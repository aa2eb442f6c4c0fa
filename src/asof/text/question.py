"""Reads a question: the words to search, the moment to search at, and the times that it names.

Reading precedes the view: "as of June 2021" moves the moment of the snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from msgspec import Struct

from asof.lang import FIRST, tables
from asof.queries import Query
from asof.text.passages import sentences
from asof.text.tokens import any_of
from asof.text.versions import asked
from asof.time.expressions import TimeContext, TimeExpression, parse
from asof.time.intent import INSTANCE, STATE, WISHED, Intent, intent, recency
from asof.time.span import Span, format_instant, instant, nearest_moment

MOST_PARTS = 16
"""The most sub-questions that are searched."""

AS_OF = "as of"

MAX_TIMES = 64
"""The most times of a question that are used, the first that it names."""

_BEFORE_NAME = re.compile(r"[ -][^\W\d_a-zß-öø-ÿ]")  # a blank or hyphen, then a capital letter


class QuestionReading(Struct, frozen=True):
    """A question as it was read.

    `query` has its words and intent; `as_of` is the instant to search at, at most the one it was asked at;
    `mentions` are the times it names; `notes` tell what was decided; `language`: the codes it was read in.
    """

    query: Query
    as_of: int
    mentions: tuple[TimeExpression, ...] = ()
    intent: Intent | None = None
    notes: tuple[str, ...] = ()
    language: str = FIRST

    def times(self, asked_at: int) -> tuple[Span, ...]:
        """The times that it names, also by "as of", for a recipe that searches it as it was typed."""
        if self.as_of == asked_at:
            return self.query.about
        return (*self.query.about, Span(None, nearest_moment(self.as_of + 1)))


def read(
    question: str, asked_at: datetime, *, zone: tzinfo = UTC, language: str = FIRST, fiscal_start: int = 1,
    moves: bool = True,
) -> QuestionReading:  # fmt: skip
    """Read a question that is asked at an aware moment.

    `language` may name several codes, parted by blanks; `fiscal_start` is the first month of the fiscal year.
    "As of 2021" moves the moment that is looked at and asks what held then, also in the past tense; without
    `moves` it asks for the newest until then.
    """

    context = TimeContext(zone, fiscal_start, language)
    times, windowed = parse(question, asked_at, context), False
    if (then := _named_anchor(times, asked_at)) is not None:  # "last year as of 2019"
        times = parse(question, then, context)
        windowed = any(
            each.relative and all(other.first <= instant(then) for other in each.alternatives)
            for each in times
        )
    times = tuple(each for each in times if not _is_rate(question, each, asked_at, language))
    detected = intent(question, times, asked_at, language)
    as_of, recency, about, notes = instant(asked_at), detected.recency, [], []
    if len(times) > MAX_TIMES:
        notes.append(f"the question names {len(times):,} times: the first {MAX_TIMES} count")
    for mention in times[:MAX_TIMES]:
        if mention.relation != AS_OF or mention.core.last >= as_of:
            about.append(mention.span)
        elif moves:
            as_of = mention.core.last
            recency = max(recency, STATE)
            notes.append(f"read as of {format_instant(as_of)}: “{mention.text}”")
        else:
            if not windowed:
                about.append(Span(None, mention.core.end))
            recency = max(recency, STATE)
            what = "other times count from then" if windowed else "newest first until then"
            notes.append(f"nothing is known to have been published “{mention.text}”: {what}")
    said = [*detected.wishes, *(_extent(question, each) for each in times)]
    if (asks := asked(question)) is not None:
        said += asks.words
    lexical = without(question, said)
    if recency < WISHED and (len(sentences(question)) > 1 or _lasting(detected)):
        recency = 0.0
    query = Query(question, lexical, recency, about=tuple(dict.fromkeys(about)))
    return QuestionReading(query, as_of, times, detected, tuple(notes), language)


def _named_anchor(times: Sequence[TimeExpression], asked_at: datetime) -> datetime | None:
    """The past moment from which "last year" in a question counts: the one that it names by "as of"."""
    named = {each.core.last for each in times if each.relation == AS_OF and not each.relative}
    if len(named) != 1 or not any(each.relative for each in times):
        return None
    last = named.pop()
    return nearest_moment(last) if last < instant(asked_at) else None


def _is_rate(question: str, mention: TimeExpression, asked_at: datetime, language: str) -> bool:
    """True if a time tells per what a figure is asked for: "how many books can I borrow in a week"."""
    if not mention.relative or mention.span.first <= instant(asked_at):
        return False
    for code in language.split():
        one = {word for words in tables(code, "time").get("one", {}).values() for word in words.split()}
        if not one.isdisjoint(mention.text.lower().split()):
            return any_of(tables(code, "questions").get("figure", ())).search(question) is not None
    return False


def _lasting(detected: Intent) -> bool:
    """True if a question in the present is about something permanent ("what is the mechanism of …")."""
    return detected.direction == "timeless" and detected.recency > INSTANCE


def read_verbatim(question: str, asked_at: int) -> QuestionReading:
    """A question as the published systems take it: all its words, and whether they ask for the newest."""
    return QuestionReading(Query(question, question, recency(question), stop_words=True), asked_at)


def without(question: str, extents: Sequence[tuple[int, int]]) -> str:
    """The question without some stretches of it; unchanged if no word would be left."""
    pieces, at = [], 0
    for start, end in sorted(extents):
        pieces.append(question[at:start])
        at = max(at, end)
    rest = " ".join([*pieces, question[at:]])
    return rest if re.search(r"\w", rest) else question


def _extent(question: str, mention: TimeExpression) -> tuple[int, int]:
    """The range to remove from the words: the mention, unless it is part of a name ("2024 Olympics")."""
    named = not mention.relative and _BEFORE_NAME.match(question, mention.end)
    return (mention.start, mention.start) if named else (mention.start, mention.end)
