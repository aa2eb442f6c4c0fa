"""JSON of `asof.values`: the type of each value, which describes its keys, and its serialiser.

JSON of whole commands is in `asof.results`. An instant is a string in UTC, a span always `{"from", "until"}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict, cast

from asof.time.span import Span, iso
from asof.values import GLOBAL, LOCAL, Answer, Hit, Problem, SourcedTime, Superseded


class Keyword(NamedTuple):
    """A keyword of JSON Schema beside a type, and its value."""

    name: str
    value: str | tuple[str, ...]


Instant = Annotated[str, Keyword("format", "date-time")]
"""An instant in UTC: `2024-03-01T23:59:59.999999Z`."""


def one_of(*values: str) -> Keyword:
    """The values that a text may have."""
    return Keyword("enum", values)


def keys(names: Iterable[str]) -> Keyword:
    """The keys that a mapping has, all of them."""
    return Keyword("required", tuple(names))


SpanJson = TypedDict(
    "SpanJson",
    {
        "from": Annotated[Instant | None, "its first instant; null: open, or not known"],
        "until": Annotated[Instant | None, "the instant after its last one; null: open"],
    },
)
SpanJson.__doc__ = "A stretch of time, half-open."


class TimeJson(SpanJson):
    """A time as a source states it."""

    text: Annotated[str, "its own words"]
    by: Annotated[str, "where it was stated: a field of the metadata, title, heading, text, filename ..."]


class LocationJson(TypedDict):
    """The location of a passage in its document."""

    number: Annotated[int, "its number in the document, from 0"]
    start: Annotated[int, "the offset of its first character"]
    end: Annotated[int, "the offset behind its last character"]
    headings: Annotated[list[str], "from the top"]


class SupersededByJson(TypedDict):
    """A later passage that states the same of the same subject."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    visible: Annotated[Instant, "since when it can be seen"]


class WhyJson(TypedDict):
    """A number that explains itself; it recomputes to the last bit, parts from left to right in doubles."""

    label: Annotated[str, "what the number is"]
    value: Annotated[float, "`op` of the values of `parts`"]
    op: Annotated[str, one_of("given", "sum", "product", "ratio", "max", "exp", "log"), "a leaf: `given`"]
    parts: Annotated[NotRequired[list[WhyJson]], "absent in a leaf"]


class HitJson(TypedDict):
    """A passage that was found."""

    rank: Annotated[int, "from 1, best first"]
    score: Annotated[float, "the value of `why`"]
    id: Annotated[str, "the document's id, `#`, a digest of the passage: it survives edits elsewhere"]
    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    uri: Annotated[str, "where the document is from"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    dated_by: Annotated[
        str,
        one_of("metadata", "frontmatter", "filename", "git", "content", "edit", "mtime", "none"),
        "where `published` was found",
    ]
    about: Annotated[list[TimeJson], "the times that it speaks of, at most 16"]
    location: Annotated[LocationJson, "where it stands in the document"]
    superseded_by: Annotated[SupersededByJson | None, "null: it is current"]
    text: Annotated[str, "the passage"]
    why: Annotated[NotRequired[WhyJson], "how the score came about; only with `--explain`"]


class CitationJson(TypedDict):
    """A passage that an answer rests on."""

    n: Annotated[int, "its number in the answer, from 1"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    about: Annotated[list[TimeJson], "the times that it speaks of"]
    quote: Annotated[str, "what is taken from it"]
    emphasis: Annotated[list[int] | None, "from, to: the characters of the quote that answer; null: all"]
    superseded_by: Annotated[SupersededByJson | None, "null: it is current"]
    valid: Annotated[
        SpanJson | None,
        "when it was in force, `until` null: it still is; null: the answer is of the moment that was asked",
    ]


class ValueJson(TypedDict):
    """A cell of an answer's table."""

    name: Annotated[str, 'the subject; "": the only one']
    period: Annotated[str, 'the label of its period; "": none']
    measure: Annotated[str, "what was measured"]
    value: Annotated[str, 'as it was written; "": see the quote']
    citation: Annotated[int, "the number of its citation"]


class NotedPointJson(TypedDict):
    """A point that a model noted in the evidence of an answer over periods."""

    text: str
    importance: Annotated[float, "how much it matters to the question, 0 to 100"]
    confidence: Annotated[float, "how sure the model is, 0 to 1"]
    periods: Annotated[list[str], "what it is about, as `2024-Q1`"]
    read: Annotated[bool, "whether the answer was written from it; the least sure are left out first"]


class CostJson(TypedDict):
    """The cost of a model."""

    calls: Annotated[int, "requests that were answered"]
    cached: Annotated[int, "replies that were kept from before"]
    failed: Annotated[int, "prompts without a usable reply"]
    refused: Annotated[int, "those of them that did not fit into the budget"]
    prompt_tokens: int
    reply_tokens: int
    usd: Annotated[float | None, "US dollars; null: no prices are set"]


class StepCostJson(CostJson):
    """The cost of one step of a question."""

    step: Annotated[
        str, one_of("times", "parts", "reports", "points", "answer"),
        "the times of the question, its parts (recipes that split it), reports on periods, points of the "
        "evidence, the answer",
    ]  # fmt: skip


class QuestionCostJson(CostJson):
    """The cost of a model for one question."""

    steps: Annotated[list[StepCostJson], "the same, for each step in which the model was asked"]


class AnswerJson(TypedDict):
    """An answer with citations, or a refusal with its reason."""

    question: Annotated[str, "as it was asked"]
    answer: Annotated[str, "what to read: `[n]` stands behind what citation n says"]
    refused: Annotated[bool, "whether there is no answer; the exit code is then 1"]
    reason: Annotated[str, 'why it was refused; "" else']
    mode: Annotated[str, one_of(LOCAL, GLOBAL), "from single passages, or from reports over periods"]
    by: Annotated[str, "`extractive`, or the name of the model"]
    as_of: Annotated[
        Instant, "the moment whose state of the documents answers: an earlier one, if the question names it"
    ]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    citations: list[CitationJson]
    values: Annotated[list[ValueJson], "the table of an answer, in order of time"]
    points: Annotated[list[NotedPointJson], "what a model noted in the evidence, most important first"]
    notes: Annotated[list[str], "how the question was read, what was left out or not found or contradicted"]
    cost: Annotated[QuestionCostJson | None, "null: no model was asked"]


class ProblemJson(TypedDict):
    """Something in the input that could not be used."""

    message: Annotated[str, "what is wrong"]
    file: str
    line: Annotated[int, "0: the whole file"]
    remedy: Annotated[str, "what to do about it"]
    document: Annotated[str, "the id of the document, or empty"]
    lost: Annotated[bool, "whether some text was not taken in; the exit code is then 3"]


def span_json(span: Span) -> SpanJson:
    return {
        "from": None if span.start is None else iso(span.first),
        "until": None if span.end is None else iso(span.last + 1),
    }


def validity_json(start: int | None, end: int | None) -> SpanJson:
    """The span from an instant to before another one; None: open, or not known."""
    return {"from": None if start is None else iso(start), "until": None if end is None else iso(end)}


def time_json(stated: SourcedTime) -> TimeJson:
    return {**span_json(stated.span), "text": stated.text, "by": stated.by}


def optional_time_json(stated: SourcedTime | None) -> TimeJson | None:
    return None if stated is None else time_json(stated)


def times_json(times: Iterable[SourcedTime]) -> list[TimeJson]:
    """A list of times. The store keeps them in this form too: see `asof.store.digest`."""
    return [time_json(each) for each in times]


def hit_json(hit: Hit, *, explain: bool = False) -> HitJson:
    """A hit, with the tree of its score if that is to be explained: the tree is far longer than the rest."""
    value: HitJson = {
        "rank": hit.rank, "score": hit.score, "id": hit.id, "document": hit.document, "title": hit.title,
        "uri": hit.uri, "published": optional_time_json(hit.published),
        "dated_by": hit.dated_by, "about": times_json(hit.about),
        "location": {"number": hit.place.number, "start": hit.place.start, "end": hit.place.end,
                     "headings": list(hit.place.headings)},
        "superseded_by": _superseded_json(hit.superseded), "text": hit.text,
    }  # fmt: skip
    if explain:
        value["why"] = cast(WhyJson, hit.why.as_json())
    return value


def _superseded_json(later: Superseded | None) -> SupersededByJson | None:
    if later is None:
        return None
    return {"id": later.id, "document": later.document, "title": later.title, "visible": iso(later.at)}


def answer_json(answer: Answer) -> AnswerJson:
    return {
        "question": answer.question, "answer": answer.text,
        "refused": answer.refused, "reason": answer.reason,
        "mode": answer.mode, "by": answer.by,
        "as_of": iso(answer.as_of), "known_at": iso(answer.known_at),
        "citations": [
            {
                "n": each.n, "id": each.id, "document": each.document, "title": each.title,
                "published": optional_time_json(each.published), "about": times_json(each.about),
                "quote": each.quote, "emphasis": None if each.emphasis is None else list(each.emphasis),
                "superseded_by": _superseded_json(each.superseded),
                "valid": None if each.valid is None else span_json(each.valid),
            }
            for each in answer.citations
        ],
        "values": [
            {
                "name": each.name, "period": each.period, "measure": each.measure, "value": each.value,
                "citation": each.citation,
            }
            for each in answer.values
        ],
        "points": [
            {
                "text": each.text, "importance": each.importance, "confidence": each.confidence,
                "periods": list(each.periods), "read": each.read,
            }
            for each in answer.points
        ],
        "notes": list(answer.notes),
        "cost": None if answer.cost is None else question_cost_json(answer.cost),
    }  # fmt: skip


def question_cost_json(used: Mapping[str, Any]) -> QuestionCostJson:
    """The cost of a question, from the fields of `QuestionModel.cost`."""
    steps: list[StepCostJson] = [
        {"step": step, **cost_json(each)} for step, each in used.get("steps", {}).items()
    ]
    return {**cost_json(used), "steps": steps}


def cost_json(used: Mapping[str, Any]) -> CostJson:
    """The cost of models, from the fields of `asof.models.metered.Usage`."""
    return {
        "calls": used["calls"], "cached": used["cached"],
        "failed": used["failed"], "refused": used["refused"],
        "prompt_tokens": used["prompt_tokens"], "reply_tokens": used["reply_tokens"], "usd": used["cost"],
    }  # fmt: skip


def problem_json(problem: Problem) -> ProblemJson:
    return {
        "message": problem.message, "file": problem.file, "line": problem.line, "remedy": problem.remedy,
        "document": problem.document, "lost": problem.lost,
    }  # fmt: skip
