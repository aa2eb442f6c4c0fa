"""A language model as judge: how much of a reference answer an answer has, and which of two is better.

Elements of the reference answer are correct, refused or incorrect (TG-RAG, section V-B); answers to abstract
questions are judged in pairs. Replies are pydantic models, so this module is loaded only if there is a judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from asof.models.ports import Model, Prompt, Reply
from asof.models.prompts import delimiter_for, prompt_text

DIMENSIONS = ("comprehensiveness", "diversity", "temporal_coverage", "overall")

Side = Literal["first", "second", "tie"]


class Element(BaseModel):
    """A part of a reference answer, and its verdict."""

    element: str
    verdict: Literal["correct", "refusal", "incorrect"]


class Elements(BaseModel):
    """The verdict on an answer that has a reference answer."""

    elements: list[Element]


class Declined(BaseModel):
    """The verdict on an answer to an unanswerable question."""

    declines: bool


class Pair(BaseModel):
    """Which of two answers is better."""

    comprehensiveness: Side
    diversity: Side
    temporal_coverage: Side
    overall: Side


@dataclass(frozen=True, slots=True)
class Case:
    """An answer to be judged. `reference`: the right answer, "" if it is right to decline."""

    question: str
    reference: str
    answer: str


@dataclass(frozen=True, slots=True)
class ElementShares:
    """The shares of the elements that are correct, refused, incorrect; they sum to 1."""

    correct: float
    refusal: float
    incorrect: float


@dataclass(frozen=True, slots=True)
class JudgedCases:
    """The verdict of each case in order (None: the reply cannot be used), and the replies."""

    verdicts: tuple[ElementShares | None, ...]
    replies: tuple[Reply, ...]


def ratios(correct: int, refusal: int, incorrect: int) -> ElementShares | None:
    """Counts of elements as shares; None if there are none.

    >>> ratios(2, 1, 1)
    ElementShares(correct=0.5, refusal=0.25, incorrect=0.25)
    """
    count = correct + refusal + incorrect
    return ElementShares(correct / count, refusal / count, incorrect / count) if count else None


def verdicts(model: Model, cases: Sequence[Case]) -> JudgedCases:
    """The verdicts on answers, all asked in one batch. Raises ModelError."""
    replies = model.complete([_prompt(case) for case in cases])
    return JudgedCases(tuple(map(_verdict, replies)), tuple(replies))


def _prompt(case: Case) -> Prompt:
    if not case.reference:
        user = fenced({"Question": case.question, "Answer": case.answer})
        return Prompt(prompt_text("asof.evaluate", "unanswerable"), user, Declined)
    user = fenced(
        {"Question": case.question, "Right answer": case.reference, "Answer to be graded": case.answer}
    )
    return Prompt(prompt_text("asof.evaluate", "elements"), user, Elements)


def _verdict(reply: Reply) -> ElementShares | None:
    match reply.value:
        case Declined(declines=declines) if not reply.problem:
            return ElementShares(float(declines), 0.0, float(not declines))
        case Elements(elements=elements) if not reply.problem:
            counts = Counter(element.verdict for element in elements)
            return ratios(counts["correct"], counts["refusal"], counts["incorrect"])
    return None


def preferences(
    model: Model, pairs: Sequence[tuple[str, str, str]]
) -> tuple[list[Mapping[str, Side] | None], list[Reply]]:
    """Which of two answers is better, by dimension, for each (question, one answer, other answer).

    Every pair is judged in both orders. If the two verdicts disagree it is a tie, so that the place of an
    answer decides nothing. None if one of the replies cannot be used. Raises ModelError.
    """
    orders = [order for question, a, b in pairs for order in ((question, a, b), (question, b, a))]
    prompts = [
        Prompt(
            prompt_text("asof.evaluate", "pair"),
            fenced({"Question": q, "First answer": a, "Second answer": b}),
            Pair,
        )
        for q, a, b in orders
    ]
    replies = model.complete(prompts)
    return [_agreed(*replies[at : at + 2]) for at in range(0, len(replies), 2)], replies


def _agreed(straight: Reply, swapped: Reply) -> Mapping[str, Side] | None:
    one, other = straight.value, swapped.value
    if straight.problem or swapped.problem or not isinstance(one, Pair) or not isinstance(other, Pair):
        return None
    swapped_sides: dict[Side, Side] = {"first": "second", "second": "first", "tie": "tie"}
    agreed: dict[str, Side] = {}
    for dimension in DIMENSIONS:
        side: Side = getattr(one, dimension)
        other_side = swapped_sides[getattr(other, dimension)]
        agreed[dimension] = side if side == other_side else "tie"
    return agreed


def fenced(parts: Mapping[str, str]) -> str:
    """Texts below their names, each between marks that occur in none of them.

    The mark is a digest of the texts: equal texts give equal prompts, and no text can contain its mark.
    """
    mark = delimiter_for("\0".join(parts.values()))
    return "\n\n".join(f"{name}:\n{mark}\n{text}\n{mark}" for name, text in parts.items())
