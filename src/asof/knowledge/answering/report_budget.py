"""Reports within the budget of a question: what points and the answer may take is left for them.

Without it the reports, which are asked for first, would use up a budget, and nothing would be made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asof.answer.question_cost import QuestionModel
from asof.knowledge.answering.summary import EvidencePiece
from asof.knowledge.reports.generate import MAX_REPLY_TOKENS
from asof.models.metered import tokens as estimated_tokens
from asof.models.metered import worst
from asof.models.ports import Model, Prompt, Reply
from asof.text.budget import tokens

INSTRUCTIONS = 1_000
"""Tokens of instructions and schema in a prompt on points, at most about."""


@dataclass(frozen=True, slots=True)
class ReportBudget:
    """A model for reports that leaves `prompt` and `reply` tokens of its budget.

    A report that does not fit beside them, and beside those before it, is not asked for.
    """

    model: QuestionModel
    prompt: int
    reply: int

    @property
    def name(self) -> str:
        return self.model.name

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        """The replies that are kept."""
        return self.model.cached_replies(prompts)

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt that is kept or fits, in their order. Raises ModelError."""
        prompt, reply = self.prompt, self.reply
        sent = []
        for at, kept in enumerate(self.cached_replies(prompts)):
            most = (0, 0) if kept is not None else worst(prompts[at])
            if kept is not None or self.model.affords(prompt + most[0], reply + most[1]):
                prompt, reply = prompt + most[0], reply + most[1]
                sent.append(at)
        replies = dict(zip(sent, self.model.complete([prompts[at] for at in sent]), strict=True))
        self.model.hold_back([each for at, each in enumerate(prompts) if at not in replies])
        why = "what is left of the budget is for the answer"
        unsent = Reply("", problem=why, unsent=True)
        return [replies.get(at, unsent) for at in range(len(prompts))]

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. Raises ModelError."""
        return self.model.stream(prompt)


def within_budget(reporter: Model, pieces: Sequence[EvidencePiece], reports: int, budget: int) -> Model:
    """The model for so many reports on a question. `pieces` are evidence on it without them; in all, `budget`
    tokens of evidence are read."""
    if not isinstance(reporter, QuestionModel):
        return reporter
    from asof.knowledge.answering.map_reduce import MAP_TOKENS, PART_TOKENS, REDUCE_TOKENS

    written = reports * MAX_REPLY_TOKENS
    parts = 1 + min(budget, sum(tokens(each.text) for each in pieces) + written) // PART_TOKENS
    prompt = sum(estimated_tokens(each.text) for each in pieces) + written
    return ReportBudget(
        reporter,
        prompt + parts * (INSTRUCTIONS + MAP_TOKENS) + INSTRUCTIONS,
        parts * MAP_TOKENS + REDUCE_TOKENS,
    )
