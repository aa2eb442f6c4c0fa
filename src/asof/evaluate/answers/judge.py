"""A language model as judge: how much of a right answer an answer has, and which of two answers is better.

Elements of the right answer are correct, refused or incorrect (TG-RAG, section V-B); abstract questions are
judged in pairs. Replies are read as pydantic values, so this module is loaded only where there is a judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import prompt_text
from asof.text.marks import mark_for

DIMENSIONS = ("comprehensiveness", "diversity", "temporal_coverage", "overall")

Side = Literal["first", "second", "tie"]


class Element(BaseModel):
    """A part of a right answer, and what became of it."""

    element: str
    verdict: Literal["correct", "refusal", "incorrect"]


class Elements(BaseModel):
    """What a judge says of an answer whose right answer is known."""

    elements: list[Element]


class Declined(BaseModel):
    """What a judge says of an answer to a question that has none."""

    declines: bool


class Pair(BaseModel):
    """Which of two answers a judge finds better."""

    comprehensiveness: Side
    diversity: Side
    temporal_coverage: Side
    overall: Side


@dataclass(frozen=True, slots=True)
class Case:
    """An answer to be judged: `gold` is the right one, "" where the right thing is to decline."""

    question: str
    gold: str
    said: str


@dataclass(frozen=True, slots=True)
class ElementShares:
    """The shares of the elements that are correct, refused, incorrect; they sum to 1."""

    correct: float
    refusal: float
    incorrect: float


@dataclass(frozen=True, slots=True)
class JudgedCases:
    """The verdict of each case, in their order (None: no reply that can be used), and the replies."""

    verdicts: tuple[ElementShares | None, ...]
    replies: tuple[Reply, ...]


def ratios(correct: int, refusal: int, incorrect: int) -> ElementShares | None:
    """Counts of elements as shares; None when there are none.

    >>> ratios(2, 1, 1)
    ElementShares(correct=0.5, refusal=0.25, incorrect=0.25)
    """
    count = correct + refusal + incorrect
    return ElementShares(correct / count, refusal / count, incorrect / count) if count else None


def verdicts(model: Model, cases: Sequence[Case]) -> JudgedCases:
    """Have answers judged, all in one batch. Raises ModelError."""
    replies = model.complete([_prompt(case) for case in cases])
    return JudgedCases(tuple(map(_verdict, replies)), tuple(replies))


def _prompt(case: Case) -> Prompt:
    if not case.gold:
        user = fenced({"Question": case.question, "Answer": case.said})
        return Prompt(prompt_text("asof.evaluate", "unanswerable"), user, Declined)
    user = fenced({"Question": case.question, "Right answer": case.gold, "Answer to be graded": case.said})
    return Prompt(prompt_text("asof.evaluate", "elements"), user, Elements)


def _verdict(reply: Reply) -> ElementShares | None:
    match reply.value:
        case Declined(declines=declines) if not reply.problem:
            return ElementShares(float(declines), 0.0, float(not declines))
        case Elements(elements=elements) if not reply.problem:
            said = [element.verdict for element in elements]
            return ratios(said.count("correct"), said.count("refusal"), said.count("incorrect"))
    return None


def preferences(
    model: Model, pairs: Sequence[tuple[str, str, str]]
) -> tuple[list[Mapping[str, Side] | None], list[Reply]]:
    """Which of two answers is better, by dimension, for each (question, one answer, other answer).

    Every pair is judged in both orders; a tie where the two judgements disagree, so that the place of an
    answer decides nothing. None where one of them cannot be used. Raises ModelError.
    """
    asked = [order for question, a, b in pairs for order in ((question, a, b), (question, b, a))]
    prompts = [
        Prompt(
            prompt_text("asof.evaluate", "pair"),
            fenced({"Question": q, "First answer": a, "Second answer": b}),
            Pair,
        )
        for q, a, b in asked
    ]
    replies = model.complete(prompts)
    found = [_agreed(*replies[at : at + 2]) for at in range(0, len(replies), 2)]
    return found, replies


def _agreed(straight: Reply, swapped: Reply) -> Mapping[str, Side] | None:
    one, other = straight.value, swapped.value
    if straight.problem or swapped.problem or not isinstance(one, Pair) or not isinstance(other, Pair):
        return None
    back: dict[Side, Side] = {"first": "second", "second": "first", "tie": "tie"}
    agreed: dict[str, Side] = {}
    for dimension in DIMENSIONS:
        here: Side = getattr(one, dimension)
        there = back[getattr(other, dimension)]
        agreed[dimension] = here if here == there else "tie"
    return agreed


def fenced(parts: Mapping[str, str]) -> str:
    """Texts below their names, each between marks that occur in none of them.

    The mark is a digest of the texts: the same texts give the same prompt, and no text can hold its mark.
    """
    mark = mark_for("\0".join(parts.values()))
    return "\n\n".join(f"{name}:\n{mark}\n{text}\n{mark}" for name, text in parts.items())
