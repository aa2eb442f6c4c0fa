"""How the time in a question was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant, SpanJson, one_of, span_json
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.text.question import QuestionReading
    from asof.time.expressions import TimeMention

DIGITS = 4
"""Decimals of recency and volatility."""


class MentionJson(TypedDict):
    """A time that a text names."""

    text: Annotated[str, "its words"]
    start: Annotated[int, "the offset of the first character"]
    end: Annotated[int, "the offset behind the last character"]
    span: Annotated[SpanJson, "the time that is meant, relation included"]
    grain: Annotated[
        str,
        one_of(
            "second", "minute", "hour", "day", "week", "month", "quarter", "half", "season", "year", "decade",
            "century",
        ),
        "the unit in which it speaks",
    ]  # fmt: skip
    relation: Annotated[
        str,
        one_of("in", "since", "until", "before", "after", "between", "as of", "by", "around"),
        "to that unit of time",
    ]
    fiscal: Annotated[bool, "whether it is a period of a fiscal year"]
    alternatives: Annotated[list[SpanJson], "other readings, best first"]


class WhenJson(TypedDict):
    """How the time in a question was read."""

    asked_at: Annotated[Instant, "when the question is asked: `--as-of`, else now"]
    as_of: Annotated[Instant, "the moment that is looked at: an earlier one where the words move it"]
    mentions: Annotated[list[MentionJson], "in order, without overlap"]
    recency: Annotated[float, "how much it asks for the newest, 0 to 1; 1 only by words that say so"]
    direction: Annotated[str | None, one_of("past", "recent", "future", "timeless"), "that it looks to"]
    volatility: Annotated[float | None, "how fast its answer changes: 0 never, 1 within hours"]
    lexical: Annotated[str, "what of the text the index is asked"]
    reasons: Annotated[list[str], "the words and structures that decided recency, direction, volatility"]
    notes: Annotated[list[str], 'what was decided about "as of"']


def when_json(reading: QuestionReading, asked_at: int) -> WhenJson:
    query, intent = reading.query, reading.intent
    return {
        "asked_at": iso(asked_at),
        "as_of": iso(reading.as_of),
        "mentions": [_mention_json(each) for each in reading.mentions],
        "recency": round(query.recency, DIGITS),
        "direction": intent.direction if intent else None,
        "volatility": round(intent.volatility, DIGITS) if intent else None,
        "lexical": query.lexical,
        "reasons": list(intent.reasons) if intent else [],
        "notes": list(reading.notes),
    }


def _mention_json(mention: TimeMention) -> MentionJson:
    return {
        "text": mention.text, "start": mention.start, "end": mention.end, "span": span_json(mention.span),
        "grain": mention.grain, "relation": mention.relation, "fiscal": mention.fiscal,
        "alternatives": [span_json(each) for each in mention.alternatives],
    }  # fmt: skip
