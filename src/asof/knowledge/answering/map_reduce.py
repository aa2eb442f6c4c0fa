"""Map and reduce by a model: each part of the evidence gives points, which are then written as one answer.

Loads pydantic: import it only where a model is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field

from asof.answer.pack import pack_points
from asof.data import NotedPoint
from asof.knowledge.answering.summary import EvidencePiece
from asof.knowledge.reports.report import BY_MODEL, Quote, ReportPoint
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import between, one_line, prompt_text
from asof.text.budget import tokens
from asof.time.period import Period

PART_TOKENS = 4_000
"""Tokens of evidence in a prompt."""

MAP_TOKENS, REDUCE_TOKENS = 1_500, 2_000
"""The most tokens of a reply on a part, and on all points."""


class ExtractedPoint(BaseModel):
    """A point that a part of the evidence supports; `sources` are numbers of pieces."""

    description: str
    importance: Annotated[float, Field(ge=0, le=100)]
    confidence: Annotated[float, Field(ge=0, le=1)]
    sources: list[int]


class ExtractedPoints(BaseModel):
    """A model's reply on a part of the evidence."""

    points: list[ExtractedPoint]


class MergedPoint(BaseModel):
    """A statement of the answer; `points` are numbers of the points that support it."""

    statement: str
    points: list[int]


class MergedPoints(BaseModel):
    """A model's reply on all points."""

    statements: list[MergedPoint]


class ReducedPoints(NamedTuple):
    """The points of an answer, best first, each with its period (None: several), and what was left out.
    `noted`: all points of the evidence, with their weights."""

    points: tuple[tuple[Period | None, ReportPoint], ...]
    notes: tuple[str, ...]
    noted: tuple[NotedPoint, ...] = ()


@dataclass(frozen=True, slots=True)
class _MappedPoint:
    """A sentence on a part of the evidence, its weights, and the pieces that it rests on."""

    text: str
    importance: float
    confidence: float
    pieces: tuple[EvidencePiece, ...]


def map_reduce(
    question: str,
    evidence: Sequence[EvidencePiece],
    model: Model,
    budget: int,
    part_tokens: int = PART_TOKENS,
) -> ReducedPoints | str:
    """A model's answer to a question from this evidence; a text that says why, if there is none.

    Each part of the evidence, of `part_tokens`, gives points with an importance and a confidence (one batch).
    Points of the same words are merged. If they do not fit into `budget` tokens, the least certain are
    dropped; the rest, most important first, is put together. If that fails, the points stay as they are. What
    rests on no piece of evidence is dropped, with a note. Raises ModelError.
    """
    if not evidence:
        return "there is no evidence"
    parts = _parts(evidence, part_tokens)
    replies = model.complete([_map_prompt(question, part) for part in parts])
    read = [_read(reply, part) for part, reply in zip(parts, replies, strict=True)]
    problems = [each for each in read if isinstance(each, str)]
    usable = [each for each in read if not isinstance(each, str)]
    points = _merged(point for of_part, _ in usable for point in of_part)
    if not points:
        return problems[0] if problems else "it found nothing in the evidence that answers the question"
    best, left_out = _best(points, budget)
    notes = []
    if problems:
        notes.append(
            f"{len(problems):,} of {len(parts):,} parts of the evidence were not read: {problems[0]}"
        )
    if dropped := sum(count for _, count in usable):
        notes.append(f"{dropped:,} of the model's points rest on no evidence and were dropped")
    if left_out:
        notes.append(left_out)
    return _reduce(question, best, model, notes)._replace(noted=_noted(points, best))


def _parts(evidence: Sequence[EvidencePiece], part_tokens: int) -> list[list[EvidencePiece]]:
    """The evidence in its order, in parts of a number of tokens; a larger piece is a part of its own."""
    parts: list[list[EvidencePiece]] = [[]]
    used = 0
    for piece in evidence:
        size = tokens(piece.text)
        if parts[-1] and used + size > part_tokens:
            parts.append([])
            used = 0
        parts[-1].append(piece)
        used += size
    return parts


def _map_prompt(question: str, part: Sequence[EvidencePiece]) -> Prompt:
    lines = [
        f"[{number}] {f'Report on {each.period}: ' if each.period else ''}{one_line(each.text)}"
        for number, each in enumerate(part, 1)
    ]
    user = f"Question: {one_line(question)}\n\n{between(*lines)}"
    return Prompt(
        prompt_text("asof.knowledge.answering", "map"), user, ExtractedPoints, _passages(part), MAP_TOKENS
    )


def _read(reply: Reply, part: Sequence[EvidencePiece]) -> tuple[list[_MappedPoint], int] | str:
    """The points of a reply, and how many rest on no evidence; a text that says why there are none."""
    if reply.problem or not isinstance(reply.value, ExtractedPoints):
        return reply.problem or "the reply has no points"
    points, dropped = [], 0
    for each in reply.value.points:
        numbers = [number for number in dict.fromkeys(each.sources) if 1 <= number <= len(part)]
        text = one_line(each.description)
        if numbers and text:
            pieces = tuple(part[number - 1] for number in numbers)
            points.append(_MappedPoint(text, each.importance, each.confidence, pieces))
        else:
            dropped += 1
    return points, dropped


def _merged(points: Iterable[_MappedPoint]) -> list[_MappedPoint]:
    """Points of the same words as one, with the larger weights and the evidence of all."""
    merged: dict[str, _MappedPoint] = {}
    for each in points:
        same = merged.get(each.text.casefold(), each)
        merged[each.text.casefold()] = _MappedPoint(
            same.text, max(same.importance, each.importance), max(same.confidence, each.confidence),
            tuple(dict.fromkeys(same.pieces + each.pieces)),
        )  # fmt: skip
    return list(merged.values())


def _best(points: Sequence[_MappedPoint], budget: int) -> tuple[list[_MappedPoint], str]:
    """The points that fit, most important first, and a note on the others."""
    packed = pack_points(
        [tokens(each.text) for each in points], [each.confidence for each in points],
        [each.importance for each in points], [each.text for each in points], budget,
    )  # fmt: skip
    return [points[at] for at in packed.selected], packed.note("points", budget)


def _noted(points: Sequence[_MappedPoint], best: Sequence[_MappedPoint]) -> tuple[NotedPoint, ...]:
    """All points, the most important first; of equal ones those that fit, then in the order given."""
    rest = [each for each in points if each not in best]
    ordered = sorted([*best, *rest], key=lambda each: -each.importance)
    return tuple(
        NotedPoint(
            each.text, each.importance, each.confidence, tuple(map(str, _periods(each.pieces))), each in best
        )
        for each in ordered
    )


def _reduce(question: str, points: Sequence[_MappedPoint], model: Model, notes: list[str]) -> ReducedPoints:
    """The points put together; the points as they are, if the model's reply cannot be used."""
    user = f"Question: {one_line(question)}\n\n{between(*_point_lines(points))}"
    prompt = Prompt(
        prompt_text("asof.knowledge.answering", "reduce"),
        user,
        MergedPoints,
        _point_passages(points),
        REDUCE_TOKENS,
    )
    reply = model.complete([prompt])[0]
    reduced: list[tuple[Period | None, ReportPoint]] = []
    if not reply.problem and isinstance(reply.value, MergedPoints):
        for each in reply.value.statements:
            supporting = [points[at - 1] for at in dict.fromkeys(each.points) if 1 <= at <= len(points)]
            if supporting and (text := one_line(each.statement)):
                reduced.append(_point(text, [piece for point in supporting for piece in point.pieces]))
        dropped = len(reply.value.statements) - len(reduced)
        if dropped:
            notes.append(f"{dropped:,} of the model's statements rest on no point and were dropped")
    if not reduced:
        notes.append(f"the points were not put together: {reply.problem or 'the reply has no statements'}")
        reduced = [_point(each.text, each.pieces) for each in points]
    return ReducedPoints(tuple(reduced), tuple(notes))


def _point_lines(points: Sequence[_MappedPoint]) -> list[str]:
    """A line for each point: its number, its periods, its text."""
    return [
        f"[{number}] {', '.join(map(str, _periods(each.pieces)))}: {each.text}"
        for number, each in enumerate(points, 1)
    ]


def _point_passages(points: Sequence[_MappedPoint]) -> tuple[int, ...]:
    return _passages([piece for each in points for piece in each.pieces])


def _point(text: str, pieces: Sequence[EvidencePiece]) -> tuple[Period | None, ReportPoint]:
    """A point with its period, if all pieces that it rests on are of one."""
    quotes: dict[Quote, None] = dict.fromkeys(quote for each in pieces for quote in each.point.citations)
    facts = tuple(dict.fromkeys(fact for each in pieces for fact in each.point.facts))
    periods = _periods(pieces)
    return periods[0] if len(periods) == 1 else None, ReportPoint(text, (), BY_MODEL, tuple(quotes), facts)


def _periods(pieces: Iterable[EvidencePiece]) -> list[Period]:
    return sorted({each.period for each in pieces if each.period is not None})


def _passages(pieces: Iterable[EvidencePiece]) -> tuple[int, ...]:
    return tuple(sorted({passage for each in pieces for passage in each.passages}))
