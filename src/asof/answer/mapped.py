"""Evidence to points to an answer, by a model: parts of the evidence are read alone, then put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from asof.answer import pack
from asof.knowledge.reports.report import Quote, ReportPoint
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import between, one_line, prompt_text
from asof.text.budget import tokens
from asof.time.period import Period

if TYPE_CHECKING:
    from asof.answer.global_ import EvidencePiece

PART = 4_000
"""Tokens of evidence that are read at once."""

LONGEST_PART, LONGEST_WHOLE = 1_500, 2_000
"""Tokens of a reply on a part, and on all points."""


class MappedPoints(NamedTuple):
    """The points of an answer, best first, each with its period (None: several), and what was dropped."""

    points: tuple[tuple[Period | None, ReportPoint], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Noted:
    """What a part of the evidence says: a sentence, what it is worth, and the pieces that it rests on."""

    text: str
    importance: float
    confidence: float
    pieces: tuple[EvidencePiece, ...]


def mapped(question: str, evidence: Sequence[EvidencePiece], model: Model, budget: int) -> MappedPoints | str:
    """What a model says to a question from this evidence; a text where it says nothing to use: why.

    Each part of the evidence, PART tokens, gives points with an importance and a confidence (one batch).
    Points of the same words are one. Of those that do not fit into `budget` tokens the least certain are
    dropped; the rest, most important first, is put together. If that fails, the points stand as they are.
    What rests on no piece of evidence is dropped, and the notes say so. Raises ModelError.
    """
    if not evidence:
        return "there is no evidence"
    parts = _parts(evidence)
    replies = model.complete([_asking(question, part) for part in parts])
    read = [_read(reply, part) for part, reply in zip(parts, replies, strict=True)]
    problems = [each for each in read if isinstance(each, str)]
    found = [each for each in read if not isinstance(each, str)]
    noted = _merged(each for some, _ in found for each in some)
    if not noted:
        return problems[0] if problems else "it found nothing in the evidence that answers the question"
    best, left_out = _best(noted, budget)
    notes = []
    if problems:
        notes.append(f"{len(problems):,} of {len(parts):,} parts of the evidence not read: {problems[0]}")
    if dropped := sum(count for _, count in found):
        notes.append(f"{dropped:,} of the model's points rest on no evidence and were dropped")
    if left_out:
        notes.append(left_out)
    return _whole(question, best, model, notes)


def _parts(evidence: Sequence[EvidencePiece]) -> list[list[EvidencePiece]]:
    """The evidence in its order, cut where PART tokens are full."""
    parts: list[list[EvidencePiece]] = [[]]
    used = 0
    for piece in evidence:
        size = tokens(piece.text)
        if parts[-1] and used + size > PART:
            parts.append([])
            used = 0
        parts[-1].append(piece)
        used += size
    return parts


def _asking(question: str, part: Sequence[EvidencePiece]) -> Prompt:
    from asof.answer.shapes import ExtractedPoints

    lines = [
        f"[{number}] {f'Report on {each.period}: ' if each.period else ''}{one_line(each.text)}"
        for number, each in enumerate(part, 1)
    ]
    user = f"Question: {one_line(question)}\n\n{between(*lines)}"
    return Prompt(prompt_text("asof.answer", "map"), user, ExtractedPoints, _passages(part), LONGEST_PART)


def _read(reply: Reply, part: Sequence[EvidencePiece]) -> tuple[list[_Noted], int] | str:
    """The points of a reply, and how many rest on nothing; a text where it has none: why."""
    from asof.answer.shapes import ExtractedPoints

    if reply.problem or not isinstance(reply.value, ExtractedPoints):
        return reply.problem or "the reply has no points"
    noted, dropped = [], 0
    for each in reply.value.points:
        numbers = [number for number in dict.fromkeys(each.sources) if 1 <= number <= len(part)]
        text = one_line(each.description)
        if numbers and text:
            pieces = tuple(part[number - 1] for number in numbers)
            noted.append(_Noted(text, each.importance, each.confidence, pieces))
        else:
            dropped += 1
    return noted, dropped


def _merged(noted: Iterable[_Noted]) -> list[_Noted]:
    """Points of the same words as one, with the higher worth and the evidence of all."""
    found: dict[str, _Noted] = {}
    for each in noted:
        same = found.get(each.text.casefold(), each)
        found[each.text.casefold()] = _Noted(
            same.text, max(same.importance, each.importance), max(same.confidence, each.confidence),
            tuple(dict.fromkeys(same.pieces + each.pieces)),
        )  # fmt: skip
    return list(found.values())


def _best(noted: Sequence[_Noted], budget: int) -> tuple[list[_Noted], str]:
    """The points that fit, most important first, and what to tell of the others."""
    packed = pack.points(
        [tokens(each.text) for each in noted], [each.confidence for each in noted],
        [each.importance for each in noted], [each.text for each in noted], budget,
    )  # fmt: skip
    return [noted[at] for at in packed.taken], packed.note("points", budget)


def _whole(question: str, noted: Sequence[_Noted], model: Model, notes: list[str]) -> MappedPoints:
    """The points put together; as they are where the model's reply cannot be used."""
    from asof.answer.shapes import MergedPoints

    lines = [
        f"[{number}] {', '.join(map(str, _periods(each.pieces)))}: {each.text}"
        for number, each in enumerate(noted, 1)
    ]
    asked = f"Question: {one_line(question)}\n\n{between(*lines)}"
    held = _passages([piece for each in noted for piece in each.pieces])
    prompt = Prompt(prompt_text("asof.answer", "reduce"), asked, MergedPoints, held, LONGEST_WHOLE)
    reply = model.complete([prompt])[0]
    found: list[tuple[Period | None, ReportPoint]] = []
    if not reply.problem and isinstance(reply.value, MergedPoints):
        for each in reply.value.statements:
            rests_on = [noted[at - 1] for at in dict.fromkeys(each.points) if 1 <= at <= len(noted)]
            if rests_on and (text := one_line(each.statement)):
                found.append(_point(text, [piece for one in rests_on for piece in one.pieces]))
        left = len(reply.value.statements) - len(found)
        if left:
            notes.append(f"{left:,} of the model's statements rest on no point and were dropped")
    if not found:
        notes.append(f"points as they were noted: {reply.problem or 'nothing was made of them'}")
        found = [_point(each.text, each.pieces) for each in noted]
    return MappedPoints(tuple(found), tuple(notes))


def _point(text: str, pieces: Sequence[EvidencePiece]) -> tuple[Period | None, ReportPoint]:
    """A point under its period, if all that it rests on is of one."""
    quotes: dict[Quote, None] = dict.fromkeys(quote for each in pieces for quote in each.point.citations)
    facts = tuple(dict.fromkeys(fact for each in pieces for fact in each.point.facts))
    periods = _periods(pieces)
    return periods[0] if len(periods) == 1 else None, ReportPoint(text, (), "told", tuple(quotes), facts)


def _periods(pieces: Iterable[EvidencePiece]) -> list[Period]:
    return sorted({each.period for each in pieces if each.period is not None})


def _passages(pieces: Iterable[EvidencePiece]) -> tuple[int, ...]:
    return tuple(sorted({passage for each in pieces for passage in each.passages}))
