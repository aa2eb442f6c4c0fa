"""The cost of models: calls, tokens and money, counted as replies arrive, within a budget.

Tokens that the server did not count are estimated without a tokenizer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from msgspec import Struct

from asof.errors import ModelError
from asof.hits import Usage
from asof.models.ports import (
    CompletesReplies,
    Model,
    Prompt,
    Reply,
    ReplyMismatch,
    characters,
    read,
    replies,
    settings,
    shape,
)
from asof.wire import replace

# -- formatting of amounts -----------------------------------------------------------------------------

USD, TOKENS = "USD", "tokens"

OF_TOKENS = "a budget is of tokens where [model] has no prices"
"""The end of a message on a budget of tokens, for users who meant dollars."""


def amount(value: float, unit: str) -> str:
    """An amount with its unit. Dollars have four decimals, small ones three significant digits.

    >>> amount(0.0256, USD), amount(0.00005, USD), amount(1234567, TOKENS)
    ('0.0256 USD', '0.00005 USD', '1,234,567 tokens')
    """
    if unit == TOKENS:
        return f"{value:,.15g} {unit}"
    if 0 < value < 0.001:
        return f"{np.format_float_positional(value, precision=3, fractional=False, trim='-')} {unit}"
    return f"{value:,.4f}".rstrip("0").rstrip(".") + f" {unit}"


def budget_text(value: float, unit: str) -> str:
    """A budget as text; one of tokens with the reason for its unit."""
    return f"{amount(value, unit)}{f' ({OF_TOKENS})' if unit == TOKENS else ''}"


# -- meters and budgets --------------------------------------------------------------------------------

CHARACTERS_PER_TOKEN = 3
"""Tokenizers of today need about four of English and three of German: what is estimated for these is rather
too much. Of Chinese or Japanese a character is about a token."""


class Prices(Struct, frozen=True):
    """US dollars for a million tokens."""

    prompt: float
    reply: float

    def of(self, prompt: int, reply: int) -> float:
        """The price of so many tokens, in US dollars."""
        return (prompt * self.prompt + reply * self.reply) / 1e6


@runtime_checkable
class HasCachedReplies(Protocol):
    """A `Model` that knows which replies are cached (`CachedModel`)."""

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]: ...


@dataclass(slots=True, eq=False)
class Meter:
    """Counts usage, within a budget. Threads and models may share one: the calls of one question, say.

    `budget`: US dollars, or tokens where there are no `prices`; None: anything.
    """

    prices: Prices | None = None
    budget: float | None = None
    _used: Usage = field(default_factory=Usage, init=False)
    _reserved: tuple[int, int] = field(default=(0, 0), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def used(self) -> Usage:
        """The usage so far."""
        with self._lock:
            return replace(self._used, cost=self.cost(self._used.prompt_tokens, self._used.reply_tokens))

    @property
    def unit(self) -> str:
        """The unit of the budget."""
        return TOKENS if self.prices is None else USD

    def cost(self, prompt: int, reply: int) -> float | None:
        """The price of so many tokens, in US dollars; None without prices."""
        return None if self.prices is None else self.prices.of(prompt, reply)

    def reserve(self, prompts: Sequence[Prompt]) -> int:
        """Reserve the worst cost of the first of these prompts, of as many as fit; return how many."""
        with self._lock:
            for at, prompt in enumerate(prompts):
                cost = worst(prompt)
                if not self._fits(*cost):
                    return at
                self._add(cost)
        return len(prompts)

    def release(self, reserved: tuple[int, int]) -> None:
        """Give back what was reserved for a prompt."""
        with self._lock:
            self._add((-reserved[0], -reserved[1]))

    def count(self, reply: Reply) -> None:
        """Count a reply."""
        paid = reply.calls > 0
        with self._lock:
            used = self._used
            self._used = replace(
                used, calls=used.calls + reply.calls, cached=used.cached + (not paid and not reply.problem),
                failed=used.failed + bool(reply.problem),
                prompt_tokens=used.prompt_tokens + reply.prompt_tokens * paid,
                reply_tokens=used.reply_tokens + reply.reply_tokens * paid,
            )  # fmt: skip

    def refusal(self, prompt: Prompt) -> Reply:
        """The reply to a prompt that is not sent, which is counted."""
        with self._lock:
            self._used = replace(self._used, failed=self._used.failed + 1, refused=self._used.refused + 1)
        unit, spent = self.unit, self._taken(self._used.prompt_tokens, self._used.reply_tokens)
        problem = (
            f"the budget is used up: {amount(spent, unit)} of {budget_text(self.budget or 0, unit)} are "
            f"spent, and this prompt may need {amount(self._taken(*worst(prompt)), unit)}; not sent"
        )
        return Reply("", problem=problem, unsent=True)

    def _add(self, cost: tuple[int, int]) -> None:
        self._reserved = (self._reserved[0] + cost[0], self._reserved[1] + cost[1])

    def _fits(self, prompt: int, reply: int) -> bool:
        """True if so much fits beside what is used and reserved."""
        prompt += self._used.prompt_tokens + self._reserved[0]
        reply += self._used.reply_tokens + self._reserved[1]
        return self.budget is None or self._taken(prompt, reply) <= self.budget

    def _taken(self, prompt: int, reply: int) -> float:
        """The share of so many tokens in the budget, in its unit."""
        cost = self.cost(prompt, reply)
        return prompt + reply if cost is None else cost


@dataclass(slots=True, eq=False)
class MeteredModel(CompletesReplies):
    """A model whose usage is counted on `total`, as others' may be; threads may share it.

    A prompt is sent only if its worst cost, its estimated tokens and `most` for the reply, fits into what is
    left of the budget beside all that is under way; else its reply is a problem. Replies that are kept cost
    nothing and are always given: put this around `CachedModel`. A reply that needs a second request may
    exceed the budget by that one call.
    """

    model: Model
    total: Meter = field(default_factory=Meter)
    _before: Usage = field(init=False)

    def __post_init__(self) -> None:
        self._before = self.total.used

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def settings(self) -> str:
        return settings(self.model)

    @property
    def meter(self) -> Usage:
        """The usage since this was made; on a shared meter also by others at the same time."""
        used = self.total.used.plus(self._before, -1)
        return replace(used, cost=self.total.cost(used.prompt_tokens, used.reply_tokens))

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they come.

        Near the end of the budget a batch is sent in parts, so that what is reserved and not used is freed.
        """
        todo = []
        for at, reply in enumerate(self.cached_replies(prompts)):
            if reply is None:
                todo.append(at)
            else:
                self.total.count(reply)
                yield at, reply
        while todo:
            part = self.total.reserve([prompts[at] for at in todo])
            if not part:
                at = todo.pop(0)
                yield at, self.total.refusal(prompts[at])
                continue
            sent, todo = todo[:part], todo[part:]
            yield from self._sent(prompts, sent)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. A stream has no count of tokens: they are estimated, and one that is broken
        off counts as long as it may have become. Raises ModelError, also where the budget is used up.
        """
        cached = self.cached_replies([prompt])[0]
        if cached is not None:
            self.total.count(cached)
            yield cached.text
            return
        if not self.total.reserve([prompt]):
            raise ModelError(self.total.refusal(prompt).problem)
        text, whole = "", False
        try:
            for piece in self.model.stream(prompt):
                text += piece
                yield piece
            whole = True
        finally:
            written = tokens(text) if whole else prompt.most
            problem = "" if text else "nothing came"
            self.total.release(worst(prompt))
            self.total.count(Reply(text, None, problem, prompt_tokens(prompt), written, int(bool(text))))

    def _sent(self, prompts: Sequence[Prompt], sent: Sequence[int]) -> Iterator[tuple[int, Reply]]:
        """The replies to the prompts at these places, whose largest cost is reserved."""
        reserved = {at: worst(prompts[at]) for at in sent}
        try:
            for number, reply in replies(self.model, [prompts[at] for at in sent]):
                at = sent[number]
                self.total.release(reserved.pop(at))
                self.total.count(reply)
                yield at, reply
        finally:
            for cost in reserved.values():
                self.total.release(cost)

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        """The cached reply to each prompt, or None."""
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


# -- reply cache: the same prompt is not paid for twice ------------------------------------------------

DIGEST_BYTES = 16


class CachedReply(NamedTuple):
    """A stored reply, with the tokens that it cost when it was requested."""

    text: str
    prompt_tokens: int = 0
    reply_tokens: int = 0


class ReplyCache(Protocol):
    """The interface of a cache of replies, by digest of the request; see `store/calls.py`."""

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        """The stored replies of these."""
        ...

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        """Store a reply, in place of an older one; it is durable when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class CachedModel(CompletesReplies):
    """A model whose replies are kept. Replies with a problem are not; each other one is kept when it comes.

    A kept reply has no calls; its tokens are those that it cost once. The same prompt twice in a batch is
    asked once. Nothing is kept, and nothing asked, by another thread than that of the caller. A reply is
    erased with the passages that it was first asked with: others that give the same prompt say the same.
    """

    model: Model
    calls: ReplyCache

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def settings(self) -> str:
        return settings(self.model)

    def digest(self, prompt: Prompt) -> bytes:
        """The cache key of a prompt: the model, and all that shapes its reply. Passages do not."""
        schema = None if prompt.schema is None else shape(prompt.schema)
        key = [self.name, self.settings, prompt.system, prompt.user, schema, prompt.most]
        return blake2b(json.dumps(key).encode(), digest_size=DIGEST_BYTES).digest()

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        """The cached reply to each prompt, None where there is none. Raises CorpusError."""
        digests = [self.digest(prompt) for prompt in prompts]
        cached = self.calls.find(list(dict.fromkeys(digests)))
        return [
            _reply(prompt, cached[digest]) if digest in cached else None
            for prompt, digest in zip(prompts, digests, strict=True)
        ]

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply: first the cached ones, then others as they arrive. Raises
        ModelError, CorpusError."""
        places: dict[bytes, list[int]] = {}
        for at, reply in enumerate(self.cached_replies(prompts)):
            if reply is not None:
                yield at, reply
            else:
                places.setdefault(self.digest(prompts[at]), []).append(at)
        prompts_to_send = list(places.items())
        for number, reply in replies(self.model, [prompts[same[0]] for _, same in prompts_to_send]):
            digest, same = prompts_to_send[number]
            if not reply.problem:
                passages = sorted({each for at in same for each in prompts[at].passages})
                cached = CachedReply(characters(reply.text), reply.prompt_tokens, reply.reply_tokens)
                self.calls.keep(digest, self.name, cached, passages)
            yield same[0], reply
            for at in same[1:]:
                yield at, replace(reply, calls=0)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The cached reply at once, or the model's in pieces; it is stored when it is complete (a stream has
        no count of tokens). A prompt with a schema is not stored: its reply is unchecked.
        """
        cached = self.cached_replies([prompt])[0]
        if cached is not None:
            yield cached.text
            return
        text = ""
        for piece in self.model.stream(prompt):
            text += piece
            yield piece
        if prompt.schema is None:
            self.calls.keep(self.digest(prompt), self.name, CachedReply(characters(text)), prompt.passages)


def _reply(prompt: Prompt, cached: CachedReply) -> Reply | None:
    """A cached reply; None if it does not fit any more (the schema's own checks have changed)."""
    value = None
    if prompt.schema is not None:
        try:
            value = read(cached.text, prompt.schema)
        except ReplyMismatch:
            return None
    return Reply(cached.text, value, "", cached.prompt_tokens, cached.reply_tokens)
