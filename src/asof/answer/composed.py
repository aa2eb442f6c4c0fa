"""A model's text on numbered points: which of them it cites, and whether it can be used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from asof.answer.cited import first_of, read_citations
from asof.answer.refusal import NO_EVIDENCE, declines
from asof.answer.summary import WrittenText
from asof.answer.write import REFUSAL
from asof.knowledge.reports.report import ReportPoint
from asof.models.ports import Reply


class Unwritten(NamedTuple):
    """Why a reply is no text on the points. `refused`: the model says that they do not answer."""

    why: str
    refused: bool = False


def composed_text(reply: Reply, points: Sequence[ReportPoint]) -> WrittenText | Unwritten:
    """The text of a reply, with points in place of their numbers. Numbers of no point are removed, with a
    note."""
    text = reply.text.strip()
    if reply.problem or not text:
        return Unwritten(reply.problem or "the reply was empty")
    if text.startswith(REFUSAL):
        reason = text.removeprefix(REFUSAL).strip().rstrip(".")
        return Unwritten(reason or "the points do not answer the question", refused=True)
    if declines(text):
        return Unwritten(NO_EVIDENCE, refused=True)
    cited = read_citations(text, len(points))
    if not cited.numbers:
        return Unwritten("the text cites none of the points")
    parts: list[str | ReportPoint] = []
    for part in cited.parts:
        parts += [part] if isinstance(part, str) else [points[number - 1] for number in dict.fromkeys(part)]
    notes = (f"the model cited points that do not exist: {first_of(cited.unknown)}",) if cited.unknown else ()
    return WrittenText(tuple(parts), notes)
