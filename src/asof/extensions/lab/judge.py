"""A language model as judge: how much of a reference answer an answer has, and which of two is better.

Elements of the reference answer are correct, refused or incorrect, by the gold evidence where it is known
(TG-RAG, section V-C); answers to abstract questions are judged in pairs. Every verdict comes with its
explanation. Replies are pydantic models, so this module is loaded only if there is a judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.extensions.systems.judgements import fenced
from asof.models.ports import Model, Prompt, Reply, prompt_text

if TYPE_CHECKING:
    from asof.extensions.lab.replies import Side

DIMENSIONS = ("comprehensiveness", "diversity", "temporal_coverage", "overall")

MAX_TOKENS = 2_048
"""The most tokens of a verdict with its explanations."""


@dataclass(frozen=True, slots=True)
class Case:
    """An answer to be judged. `reference`: the right answer, "" if it is right to decline; `evidence`: the
    sentences that it rests on, each with its document."""

    question: str
    reference: str
    answer: str
    evidence: tuple[tuple[str, str], ...] = ()


Shares = dict[str, float]
"""The shares of the elements of a right answer that are `correct`, `refusal`, `incorrect`; they sum to 1."""


def shares(correct: int, refusal: int, incorrect: int) -> Shares | None:
    """Counts of elements as shares; None if there are none.

    >>> shares(2, 1, 1)
    {'correct': 0.5, 'refusal': 0.25, 'incorrect': 0.25}
    """
    counts = {"correct": correct, "refusal": refusal, "incorrect": incorrect}
    total = sum(counts.values())
    return {verdict: count / total for verdict, count in counts.items()} if total else None


def verdicts(model: Model, cases: Sequence[Case]) -> tuple[list[Shares | None], list[Reply]]:
    """The verdict on each answer (None: the reply cannot be used), all asked in one batch, and the replies.
    Raises ModelError."""
    replies = model.complete([_prompt(case) for case in cases])
    pairs = zip(cases, replies, strict=True)
    return [_verdict(reply, answerable=bool(case.reference)) for case, reply in pairs], replies


def _prompt(case: Case) -> Prompt:
    from asof.extensions.lab.replies import Declined, Elements

    if not case.reference:
        user = fenced({"Question": case.question, "Answer": case.answer})
        return Prompt(prompt_text("asof.extensions.lab", "unanswerable"), user, Declined, most=MAX_TOKENS)
    parts = {"Question": case.question, "Right answer": case.reference}
    if case.evidence:
        parts["Evidence"] = "\n".join(f"({document}) {sentence}" for document, sentence in case.evidence)
    user = fenced({**parts, "Answer to be graded": case.answer})
    return Prompt(prompt_text("asof.extensions.lab", "elements"), user, Elements, most=MAX_TOKENS)


def _verdict(reply: Reply, *, answerable: bool) -> Shares | None:
    """The elements of a reply as shares. Where there is no answer, an element that declines is correct."""
    from asof.extensions.lab.replies import Declined, Elements

    if reply.problem or not isinstance(reply.value, Elements | Declined):
        return None
    counts = Counter(each.verdict for each in reply.value.elements)
    if not answerable:
        return shares(counts["refusal"], 0, counts["incorrect"])
    return shares(counts["correct"], counts["refusal"], counts["incorrect"])


@dataclass(frozen=True, slots=True)
class Preference:
    """The better of two answers by dimension, and why: in the order given, and in the other one."""

    sides: Mapping[str, Side]
    reasons: Mapping[str, tuple[str, str]]


def preferences(
    model: Model, pairs: Sequence[tuple[str, str, str]]
) -> tuple[list[Preference | None], list[Reply]]:
    """The better of two answers, by dimension, for each (question, one answer, other answer).

    Every pair is judged in both orders. If the two verdicts disagree it is a tie, so that the place of an
    answer decides nothing. None if one of the replies cannot be used. Raises ModelError.
    """
    from asof.extensions.lab.replies import Pair

    orders = [order for question, a, b in pairs for order in ((question, a, b), (question, b, a))]
    prompts = [
        Prompt(
            prompt_text("asof.extensions.lab", "pair"),
            fenced({"Question": q, "First answer": a, "Second answer": b}),
            Pair,
            most=MAX_TOKENS,
        )
        for q, a, b in orders
    ]
    replies = model.complete(prompts)
    return [_agreed(*replies[at : at + 2]) for at in range(0, len(replies), 2)], replies


def _agreed(straight: Reply, swapped: Reply) -> Preference | None:
    from asof.extensions.lab.replies import Pair

    one, other = straight.value, swapped.value
    if straight.problem or swapped.problem or not isinstance(one, Pair) or not isinstance(other, Pair):
        return None
    swapped_sides: dict[Side, Side] = {"first": "second", "second": "first", "tie": "tie"}
    agreed: dict[str, Side] = {}
    for dimension in DIMENSIONS:
        side: Side = getattr(one, dimension)
        other_side = swapped_sides[getattr(other, dimension)]
        agreed[dimension] = side if side == other_side else "tie"
    reasons = {
        each: (str(getattr(one.explanations, each)), str(getattr(other.explanations, each)))
        for each in DIMENSIONS
    }
    return Preference(agreed, reasons)
