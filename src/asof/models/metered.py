"""What a model costs: calls, tokens and money, counted as they come, with a budget that is not exceeded."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from asof.errors import ModelError
from asof.models.ports import Model, Prompt, Reply
from asof.models.streaming import replies, settings
from asof.models.tokens import prompt_tokens, tokens

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens."""

    prompt: float
    reply: float

    def of(self, prompt: int, reply: int) -> float:
        """What so many tokens cost, in US dollars."""
        return (prompt * self.prompt + reply * self.reply) / MILLION


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used. `calls`: requests that were answered and paid for; `kept`: replies that were there
    already. `failed`: prompts whose reply has a problem, of which `refused` did not fit into the budget.
    `cost` in US dollars, None without prices.
    """

    calls: int = 0
    kept: int = 0
    failed: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float | None = None


@runtime_checkable
class HasCachedReplies(Protocol):
    """A `Model` that can tell which replies it has already (`CachedModel`)."""

    def found(self, prompts: Sequence[Prompt]) -> list[Reply | None]: ...


@dataclass(slots=True, eq=False)
class MeteredModel:
    """A model whose use is counted; threads may share it.

    `budget`: US dollars, or tokens where there are no `prices`. A prompt is sent only if its worst cost, its
    estimated tokens (`models/tokens.py`) and `most` for the reply, fits into what is left beside all that is
    under way; else its reply is a problem. Replies that are kept cost nothing and are always given: put this
    around `CachedModel`. A reply that has to be asked for twice may exceed the budget by that one call.
    """

    model: Model
    prices: Prices | None = None
    budget: float | None = None
    _used: Usage = field(default_factory=Usage)
    _held: tuple[int, int] = (0, 0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def settings(self) -> str:
        return settings(self.model)

    @property
    def meter(self) -> Usage:
        """What has been used until now."""
        with self._lock:
            return replace(self._used, cost=self._cost(self._used.prompt_tokens, self._used.reply_tokens))

    def estimated(self, prompts: Sequence[Prompt]) -> Usage:
        """What these prompts would use at worst, were each answered at the first time. Nothing is sent."""
        kept = self._kept(prompts)
        paid = [worst(prompt) for prompt, reply in zip(prompts, kept, strict=True) if reply is None]
        asked, most = sum(prompt for prompt, _ in paid), sum(reply for _, reply in paid)
        return Usage(
            calls=len(paid), kept=len(prompts) - len(paid), prompt_tokens=asked, reply_tokens=most,
            cost=self._cost(asked, most),
        )  # fmt: skip

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. Raises ModelError."""
        came = dict(self.replies(prompts))
        return [came[at] for at in range(len(prompts))]

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they come.

        Near the end of the budget a batch is sent in parts, so that what was held and not needed counts.
        """
        todo = []
        for at, reply in enumerate(self._kept(prompts)):
            if reply is None:
                todo.append(at)
            else:
                self._count(reply, (0, 0))
                yield at, reply
        while todo:
            part = self._hold([prompts[at] for at in todo])
            if not part:
                at = todo.pop(0)
                yield at, self._refusal(prompts[at])
                continue
            sent, todo = todo[:part], todo[part:]
            yield from self._sent(prompts, sent)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. A stream has no count of tokens: they are estimated, and one that is broken
        off counts as long as it may have become. Raises ModelError, also where the budget is used up.
        """
        kept = self._kept([prompt])[0]
        if kept is not None:
            self._count(kept, (0, 0))
            yield kept.text
            return
        if not self._hold([prompt]):
            raise ModelError(self._refusal(prompt).problem)
        said, whole = [], False
        try:
            for piece in self.model.stream(prompt):
                said.append(piece)
                yield piece
            whole = True
        finally:
            text = "".join(said)
            calls = 1 if text else 0
            problem = "" if text else "nothing came"
            told = tokens(text) if whole else prompt.most
            self._count(Reply(text, None, problem, prompt_tokens(prompt), told, calls), worst(prompt))

    def _sent(self, prompts: Sequence[Prompt], sent: Sequence[int]) -> Iterator[tuple[int, Reply]]:
        """What came for the prompts at these places, whose worst cost is held."""
        held = {at: worst(prompts[at]) for at in sent}
        try:
            for number, reply in replies(self.model, [prompts[at] for at in sent]):
                at = sent[number]
                self._count(reply, held.pop(at))
                yield at, reply
        finally:
            with self._lock:
                for given_up in held.values():
                    self._release(given_up)

    def _kept(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        if isinstance(self.model, HasCachedReplies):
            return self.model.found(prompts)
        return [None] * len(prompts)

    def _hold(self, prompts: Sequence[Prompt]) -> int:
        """Hold the worst cost of the first of these prompts, of as many as fit, and say how many."""
        with self._lock:
            for number, prompt in enumerate(prompts):
                asked, most = (sum(pair) for pair in zip(self._held, worst(prompt), strict=True))
                if not self._fits(self._used.prompt_tokens + asked, self._used.reply_tokens + most):
                    return number
                self._held = (asked, most)
        return len(prompts)

    def _fits(self, prompt: int, reply: int) -> bool:
        if self.budget is None:
            return True
        cost = self._cost(prompt, reply)
        return (prompt + reply if cost is None else cost) <= self.budget

    def _cost(self, prompt: int, reply: int) -> float | None:
        return None if self.prices is None else self.prices.of(prompt, reply)

    def _release(self, held: tuple[int, int]) -> None:
        self._held = (self._held[0] - held[0], self._held[1] - held[1])

    def _count(self, reply: Reply, held: tuple[int, int]) -> None:
        paid = reply.calls > 0
        with self._lock:
            self._release(held)
            used = self._used
            self._used = replace(
                used, calls=used.calls + reply.calls, kept=used.kept + (not paid and not reply.problem),
                failed=used.failed + bool(reply.problem),
                prompt_tokens=used.prompt_tokens + reply.prompt_tokens * paid,
                reply_tokens=used.reply_tokens + reply.reply_tokens * paid,
            )  # fmt: skip

    def _refusal(self, prompt: Prompt) -> Reply:
        """The reply to a prompt that is not sent."""
        with self._lock:
            used = self._used
            self._used = replace(used, failed=used.failed + 1, refused=used.refused + 1)
            cost, needed = self._cost(used.prompt_tokens, used.reply_tokens), self._cost(*worst(prompt))
        if cost is None or needed is None:
            spent = f"{used.prompt_tokens + used.reply_tokens:,} of {self.budget:,.0f} tokens"
            wanted = f"{sum(worst(prompt)):,}"
        else:
            spent, wanted = f"{cost:.4f} of {self.budget:.4f} USD", f"{needed:.4f}"
        return Reply(
            "",
            problem=f"the budget is used up: {spent} are spent, and this prompt may need {wanted}; not sent",
            unsent=True,
        )


def worst(prompt: Prompt) -> tuple[int, int]:
    """The tokens of a prompt, estimated, and the most of its reply."""
    return prompt_tokens(prompt), prompt.most
