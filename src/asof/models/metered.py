"""What models cost: calls, tokens and money, counted as they come, with a budget that is not exceeded.

Tokens that no server has counted are estimated without a tokenizer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from asof.errors import ModelError
from asof.models.amounts import OF_TOKENS, TOKENS, USD, amount, number
from asof.models.ports import Model, Prompt, Reply, replies, settings
from asof.models.structured import shape

MILLION = 1_000_000

CHARACTERS_PER_TOKEN = 3
"""Tokenizers of today need about four of English and three of German: what is estimated for these is rather
too much. Of Chinese or Japanese a character is about a token."""


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
    """What was used. `calls`: requests that were answered and paid for; `cached`: replies from the
    cache. `failed`: prompts whose reply has a problem, of which `refused` did not fit into the budget.
    `cost` in US dollars, None without prices.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float | None = None

    def since(self, before: Usage) -> Usage:
        """What was used after `before`, an earlier state of the same meter."""
        cost = None if self.cost is None or before.cost is None else self.cost - before.cost
        return Usage(
            self.calls - before.calls, self.cached - before.cached, self.failed - before.failed,
            self.refused - before.refused, self.prompt_tokens - before.prompt_tokens,
            self.reply_tokens - before.reply_tokens, cost,
        )  # fmt: skip


@runtime_checkable
class HasCachedReplies(Protocol):
    """A `Model` that knows which replies it has already (`CachedModel`)."""

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]: ...


@dataclass(slots=True, eq=False)
class Meter:
    """What has been used, and what may be. Threads and models may share one: the calls of one question, say.

    `budget`: US dollars, or tokens where there are no `prices`; None: anything.
    """

    prices: Prices | None = None
    budget: float | None = None
    _used: Usage = field(default_factory=Usage, init=False)
    _reserved: tuple[int, int] = field(default=(0, 0), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def used(self) -> Usage:
        """What has been used until now."""
        with self._lock:
            return replace(self._used, cost=self.cost(self._used.prompt_tokens, self._used.reply_tokens))

    @property
    def unit(self) -> str:
        """What the budget is of."""
        return TOKENS if self.prices is None else USD

    def cost(self, prompt: int, reply: int) -> float | None:
        """What so many tokens cost, in US dollars; None without prices."""
        return None if self.prices is None else self.prices.of(prompt, reply)

    def reserve(self, prompts: Sequence[Prompt]) -> int:
        """Reserve the worst cost of the first of these prompts, of as many as fit; return how many."""
        with self._lock:
            for number, prompt in enumerate(prompts):
                prompt_sum, reply_sum = (
                    sum(pair) for pair in zip(self._reserved, worst(prompt), strict=True)
                )
                if not self._fits(self._used.prompt_tokens + prompt_sum, self._used.reply_tokens + reply_sum):
                    return number
                self._reserved = (prompt_sum, reply_sum)
        return len(prompts)

    def affords(self, prompt: int, reply: int) -> bool:
        """Whether so many tokens of prompts and replies fit in beside what is used and what is under way."""
        with self._lock:
            used, reserved = self._used, self._reserved
            return self._fits(
                used.prompt_tokens + reserved[0] + prompt, used.reply_tokens + reserved[1] + reply
            )

    def release(self, reserved: Iterable[tuple[int, int]]) -> None:
        """Give back what was reserved for prompts that are not answered."""
        with self._lock:
            for each in reserved:
                self._release(each)

    def count(self, reply: Reply, reserved: tuple[int, int]) -> None:
        """Count a reply, for which so much was reserved."""
        paid = reply.calls > 0
        with self._lock:
            self._release(reserved)
            used = self._used
            self._used = replace(
                used, calls=used.calls + reply.calls, cached=used.cached + (not paid and not reply.problem),
                failed=used.failed + bool(reply.problem),
                prompt_tokens=used.prompt_tokens + reply.prompt_tokens * paid,
                reply_tokens=used.reply_tokens + reply.reply_tokens * paid,
            )  # fmt: skip

    def hold_back(self, count: int) -> None:
        """Count prompts that are not sent."""
        with self._lock:
            used = self._used
            self._used = replace(used, failed=used.failed + count, refused=used.refused + count)

    def refusal(self, prompt: Prompt) -> Reply:
        """The reply to a prompt that is not sent."""
        self.hold_back(1)
        used, unit = self.used, self.unit
        spent = number(self._taken(used.prompt_tokens, used.reply_tokens), unit)
        most = number(self._taken(*worst(prompt)), unit)
        assert self.budget is not None  # noqa: S101  anything fits into none
        problem = (
            f"the budget is used up: {spent} of {amount(self.budget, unit)} are spent, and this prompt may "
            f"need {most}; not sent{f' ({OF_TOKENS})' if unit == TOKENS else ''}"
        )
        return Reply("", problem=problem, unsent=True)

    def _fits(self, prompt: int, reply: int) -> bool:
        return self.budget is None or self._taken(prompt, reply) <= self.budget

    def _taken(self, prompt: int, reply: int) -> float:
        """What so many tokens take of a budget, in its unit."""
        cost = self.cost(prompt, reply)
        return prompt + reply if cost is None else cost

    def _release(self, reserved: tuple[int, int]) -> None:
        self._reserved = (self._reserved[0] - reserved[0], self._reserved[1] - reserved[1])


@dataclass(slots=True, eq=False)
class MeteredModel:
    """A model whose use is counted; threads may share it.

    `budget`: US dollars, or tokens where there are no `prices`. A prompt is sent only if its worst cost, its
    estimated tokens and `most` for the reply, fits into what is left beside all that is
    under way; else its reply is a problem. Replies that are kept cost nothing and are always given: put this
    around `CachedModel`. A reply that has to be asked for twice may exceed the budget by that one call.

    `shared`: a meter that other models count on too; its prices and its budget hold then.
    """

    model: Model
    prices: Prices | None = None
    budget: float | None = None
    shared: Meter | None = None
    _meter: Meter = field(init=False)
    _before: Usage = field(init=False)

    def __post_init__(self) -> None:
        self._meter = self.shared or Meter(self.prices, self.budget)
        self.prices, self.budget = self._meter.prices, self._meter.budget
        self._before = self._meter.used

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def settings(self) -> str:
        return settings(self.model)

    @property
    def meter(self) -> Usage:
        """What has been used since this was made; on a shared meter by others too, if at the same time."""
        used = self._meter.used.since(self._before)
        return replace(used, cost=self._meter.cost(used.prompt_tokens, used.reply_tokens))

    @property
    def unit(self) -> str:
        """What the budget is of: dollars, or tokens where there are no prices."""
        return self._meter.unit

    def affords(self, prompt: int, reply: int) -> bool:
        """Whether so many tokens more of prompts and replies fit into the budget."""
        return self._meter.affords(prompt, reply)

    def hold_back(self, count: int) -> None:
        """Count prompts that are not sent, so that the budget is enough for others."""
        self._meter.hold_back(count)

    def estimated(self, prompts: Sequence[Prompt]) -> Usage:
        """What these prompts would use at worst, were each answered at the first time. Nothing is sent."""
        cached = self._cached_replies(prompts)
        paid = [worst(prompt) for prompt, reply in zip(prompts, cached, strict=True) if reply is None]
        sent, most = sum(prompt for prompt, _ in paid), sum(reply for _, reply in paid)
        return Usage(
            calls=len(paid), cached=len(prompts) - len(paid), prompt_tokens=sent, reply_tokens=most,
            cost=self._meter.cost(sent, most),
        )  # fmt: skip

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. Raises ModelError."""
        came = dict(self.replies(prompts))
        return [came[at] for at in range(len(prompts))]

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they come.

        Near the end of the budget a batch is sent in parts, so that what is reserved and not used is freed.
        """
        todo = []
        for at, reply in enumerate(self._cached_replies(prompts)):
            if reply is None:
                todo.append(at)
            else:
                self._meter.count(reply, (0, 0))
                yield at, reply
        while todo:
            part = self._meter.reserve([prompts[at] for at in todo])
            if not part:
                at = todo.pop(0)
                yield at, self._meter.refusal(prompts[at])
                continue
            sent, todo = todo[:part], todo[part:]
            yield from self._sent(prompts, sent)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. A stream has no count of tokens: they are estimated, and one that is broken
        off counts as long as it may have become. Raises ModelError, also where the budget is used up.
        """
        cached = self._cached_replies([prompt])[0]
        if cached is not None:
            self._meter.count(cached, (0, 0))
            yield cached.text
            return
        if not self._meter.reserve([prompt]):
            raise ModelError(self._meter.refusal(prompt).problem)
        pieces, whole = [], False
        try:
            for piece in self.model.stream(prompt):
                pieces.append(piece)
                yield piece
            whole = True
        finally:
            text = "".join(pieces)
            calls = 1 if text else 0
            problem = "" if text else "nothing came"
            reply_tokens = tokens(text) if whole else prompt.most
            self._meter.count(
                Reply(text, None, problem, prompt_tokens(prompt), reply_tokens, calls), worst(prompt)
            )

    def _sent(self, prompts: Sequence[Prompt], sent: Sequence[int]) -> Iterator[tuple[int, Reply]]:
        """What came for the prompts at these places, whose worst cost is reserved."""
        reserved = {at: worst(prompts[at]) for at in sent}
        try:
            for number, reply in replies(self.model, [prompts[at] for at in sent]):
                at = sent[number]
                self._meter.count(reply, reserved.pop(at))
                yield at, reply
        finally:
            self._meter.release(reserved.values())

    def _cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        if isinstance(self.model, HasCachedReplies):
            return self.model.cached_replies(prompts)
        return [None] * len(prompts)


def tokens(text: str) -> int:
    """The estimated tokens of a text: characters divided by `CHARACTERS_PER_TOKEN`, rounded up."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def prompt_tokens(prompt: Prompt) -> int:
    """The estimated tokens of all that is sent for a prompt, its schema counted in."""
    schema = shape(prompt.schema) if prompt.schema is not None else ""
    return tokens(prompt.system + prompt.user + schema)


def worst(prompt: Prompt) -> tuple[int, int]:
    """The tokens of a prompt, estimated, and the most of its reply."""
    return prompt_tokens(prompt), prompt.most
