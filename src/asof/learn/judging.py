"""A language model as judge of hits: how well each passage answers, 0 to 3.

Each passage is judged by itself, so that no other one, and no rank, has a part in its grade. Replies are read
as pydantic values, so this module is loaded only where there is a judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from asof.learn.feedback import RecordedQuestion
from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import delimiter_for, one_line, prompt_text
from asof.store.passages import StoredPassage
from asof.time.span import iso

LONGEST = 256
"""Tokens of a reply."""


class RelevanceGrade(BaseModel):
    """The judge's reply about one passage."""

    because: str = Field(max_length=1_000)
    grade: Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class GradedHit:
    """The grade of the hit at `rank`; None where the reply was of no use, and why (`problem`)."""

    rank: int
    grade: float | None
    problem: str = ""


def judge(
    model: Model, question: RecordedQuestion, records: Sequence[StoredPassage | None]
) -> list[GradedHit]:
    """The grades of the hits of a question, judged in one batch. `records`: the passage of each hit; a hit
    without one (erased meanwhile) is left out. Raises ModelError."""
    existing = [(each.rank, record) for each, record in zip(question.shown, records, strict=True) if record]
    replies = model.complete([prompt(question, record) for _, record in existing])
    return [_graded(rank, reply) for (rank, _), reply in zip(existing, replies, strict=True)]


def prompt(question: RecordedQuestion, record: StoredPassage) -> Prompt:
    """The prompt about one passage.

    Question and passage are quoted between delimiters derived from both texts, so that neither can contain
    one: a passage can neither close its frame nor open another.
    """
    date = record.published or "unknown"
    above = " > ".join(one_line(each) for each in record.headings.split("\n") if each)
    head = [f"Title: {one_line(record.title or record.document)}", f"Published: {one_line(date)}"]
    passage = "\n".join([*head, *([f"Headings: {above}"] if above else []), "", record.text])
    mark = delimiter_for(f"{question.text}\0{passage}")
    framed = [f"{name}:\n{mark}\n{text}\n{mark}" for name, text in
              (("Question", question.text), ("Passage", passage))]  # fmt: skip
    user = "\n\n".join([f"Asked as of: {iso(question.as_of)}", *framed])
    return Prompt(prompt_text("asof.learn", "relevance"), user, RelevanceGrade, (record.passage,), LONGEST)


def _graded(rank: int, reply: Reply) -> GradedHit:
    if reply.problem or not isinstance(reply.value, RelevanceGrade):
        return GradedHit(rank, None, reply.problem or "the reply has no grade")
    return GradedHit(rank, float(reply.value.grade))
