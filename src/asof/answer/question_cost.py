"""What the model of one question took, step by step.

The steps are those in which the published system asks a model (TG-RAG, section III-B): the times of the
question, reports, points of the evidence, the answer; and the parts of the question, for a recipe that splits
it. Its tables III and IV count prompt and reply tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from asof.models.amounts import budget_text
from asof.models.metered import HasCachedReplies, MeteredModel, Usage
from asof.models.ports import Prompt, Reply

TIMES, PARTS, REPORTS, POINTS, ANSWER = "times", "parts", "reports", "points", "answer"

STEPS = (TIMES, PARTS, REPORTS, POINTS, ANSWER)
"""The steps in their order."""

_STEP_OF = {
    "QuestionTimes": TIMES,
    "SubQuestions": PARTS,
    "WrittenReport": REPORTS,
    "ExtractedPoints": POINTS,
}
"""By the schema of a reply; what has another one, or none, is the answer."""


def step_of(prompt: Prompt) -> str:
    """The step that a prompt belongs to."""
    return ANSWER if prompt.schema is None else _STEP_OF.get(prompt.schema.__name__, ANSWER)


@dataclass(slots=True, eq=False)
class QuestionModel:
    """The model of one question, which is asked for one batch at a time. `steps`: what each step took."""

    metered: MeteredModel
    steps: dict[str, Usage] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.metered.name

    @property
    def settings(self) -> str:
        return self.metered.settings

    @property
    def used(self) -> Usage:
        """What the question took until now."""
        return self.metered.meter

    @property
    def cost(self) -> dict[str, Any]:
        """The fields of `Usage`, and under "steps" those of each step that asked for anything."""
        steps = {step: asdict(self.steps[step]) for step in STEPS if step in self.steps}
        return {**asdict(self.used), "steps": steps}

    def stopped(self) -> str:
        """A note that the budget stopped the question, "" if it did not."""
        unsent, budget = self.used.refused, self.metered.budget
        if not unsent or budget is None:
            return ""
        prompts = "1 prompt was" if unsent == 1 else f"{unsent:,} prompts were"
        return f"stopped at the budget of {budget_text(budget, self.metered.unit)}: {prompts} not sent"

    def affords(self, prompt: int, reply: int) -> bool:
        """Whether so many tokens more of prompts and replies fit into the budget."""
        return self.metered.affords(prompt, reply)

    def hold_back(self, prompts: Sequence[Prompt]) -> None:
        """Count prompts of a step that are not sent, so that the budget is enough for the answer."""
        before = self.used
        self.metered.hold_back(len(prompts))
        self._count(prompts, before)

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        """The reply to each prompt that is kept, None where there is none."""
        model = self.metered.model
        if isinstance(model, HasCachedReplies):
            return model.cached_replies(prompts)
        return [None] * len(prompts)

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. Raises ModelError."""
        before = self.used
        try:
            return self.metered.complete(prompts)
        finally:
            self._count(prompts, before)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. Raises ModelError."""
        before = self.used
        try:
            yield from self.metered.stream(prompt)
        finally:
            self._count([prompt], before)

    def _count(self, prompts: Sequence[Prompt], before: Usage) -> None:
        """Count what was used since then for the step of these prompts, which is the same for all."""
        for prompt in prompts[:1]:
            step = step_of(prompt)
            self.steps[step] = added(self.steps.get(step), self.used.since(before))


def added(one: Usage | None, other: Usage) -> Usage:
    """The sum of two usages."""
    if one is None:
        return other
    cost = None if one.cost is None or other.cost is None else one.cost + other.cost
    return Usage(
        one.calls + other.calls, one.cached + other.cached, one.failed + other.failed,
        one.refused + other.refused, one.prompt_tokens + other.prompt_tokens,
        one.reply_tokens + other.reply_tokens, cost,
    )  # fmt: skip
