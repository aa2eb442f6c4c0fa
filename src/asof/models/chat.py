"""A language model behind a server that speaks as OpenAI's does (`/chat/completions`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any

from asof.errors import ModelError, UsageError
from asof.http.breaker import CircuitBreaker, NotSent
from asof.http.retry import GaveUp, RequestRejected, Retry, RetryLater
from asof.models.completion import DONE, piece_in, reply_in, request
from asof.models.openai_http import Connection, OpenAIServer
from asof.models.ports import Prompt, Reply
from asof.models.structured import FORMS, fitted
from asof.models.workers import run_in_threads

SEED = 42


@dataclass(frozen=True, slots=True)
class ChatModel:
    """The model of that name on a server.

    `form`: how a request asks for JSON, one of `structured.FORMS`. `concurrency`: requests at a time.
    `deadline`: seconds for a whole `complete`, None for no end. After `failures` prompts in a row without a
    reply, the rest of a batch is not sent. Each prompt is sent with `temperature` and `seed`; servers do not
    promise that the reply is then always the same. `limit`: how the server names the most tokens of a reply
    (`chat_config.LIMITS`).
    """

    model: str
    server: OpenAIServer
    form: str = "object"
    retry: Retry = field(default_factory=Retry)
    concurrency: int = 8
    deadline: float | None = None
    failures: int = 5
    temperature: float = 0.0
    seed: int = SEED
    limit: str = "max_tokens"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form is {self.form!r}; accepted: {', '.join(FORMS)}")
        for name in ("concurrency", "failures"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; accepted: 1 or more")

    @property
    def name(self) -> str:
        return f"{self.model} at {self.server.shown}"

    @property
    def settings(self) -> str:
        """What shapes a reply beside the model and the prompt, as JSON."""
        return json.dumps([self.temperature, self.seed, self.form])

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order; see `replies`."""
        by_place = dict(self.replies(prompts))
        return [by_place[at] for at in range(len(prompts))]

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they come.

        Raises MissingExtra; and ModelError, after the replies that were under way, where all other prompts
        would fail too: the key or the model's name is wrong, or no connection was made at all.
        """
        if not prompts:
            return
        breaker = CircuitBreaker(self.failures, self.deadline)
        with self.server.connected() as connection:
            reply = partial(self._reply, connection, breaker)
            yield from run_in_threads(reply, prompts, self.concurrency, breaker.stop)
        breaker.settle()

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces, as they come; a schema shapes it, and is not checked.

        Raises MissingExtra; and ModelError, saying what came, when the reply does not come whole. It is
        asked for again only as long as nothing of it came.
        """
        breaker = CircuitBreaker(self.failures, self.deadline)
        came: list[str] = []
        with self.server.connected() as connection:
            try:
                pieces = self.retry.run(partial(self._begun, connection, breaker, prompt), breaker)
                for piece in pieces:
                    came.append(piece)
                    yield piece
            except (GaveUp, RequestRejected, NotSent, RetryLater) as error:
                partial_text = "".join(came)
                after = (
                    f"; {len(partial_text)} characters came: {self.server.plain(partial_text)!r}"
                    if came
                    else ""
                )
                raise ModelError(f"{self.server.message_of(error)}{after}") from error

    def _begun(
        self, connection: Connection, breaker: CircuitBreaker, prompt: Prompt, timeout: float
    ) -> Iterator[str]:
        """The pieces of a reply, of which the first one is there. Raises what `Connection.events` raises."""
        until = perf_counter() + breaker.left()
        pieces = self.server.pieces_without_key(self._pieces(connection, prompt, timeout, until))
        first = next(pieces, "")
        if not first:
            raise RequestRejected("the reply is empty")
        return chain([first], pieces)

    def _pieces(self, connection: Connection, prompt: Prompt, timeout: float, until: float) -> Iterator[str]:
        ended = False
        for event in connection.events({**self._body(prompt), "stream": True}, timeout, until):
            if event == DONE:
                ended = True
                break
            piece, reason = piece_in(event, prompt)
            ended = ended or reason is not None
            if piece:
                yield piece
        if not ended:
            raise RetryLater("the answer was cut off")

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        shaped = {"temperature": self.temperature, "seed": self.seed, self.limit: prompt.most}
        return {"model": self.model, **request(prompt, self.form), **shaped}

    def _reply(self, connection: Connection, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        try:
            return fitted(prompt, partial(self._ask, connection, breaker))
        except ModelError as error:
            breaker.refused(error)
            return Reply("", problem=str(error))

    def _ask(self, connection: Connection, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        """A reply as it came. Raises ModelError where no prompt would get one."""
        try:
            answer = self.retry.run(partial(connection.post, self._body(prompt)), breaker)
            reply = reply_in(answer, prompt)
        except NotSent as unsent:
            return Reply("", problem=str(unsent))
        except (GaveUp, RequestRejected) as failure:
            reason = self.server.message_of(failure)
            breaker.failed(reason, absent=isinstance(failure, GaveUp) and failure.absent)
            return Reply("", problem=reason)
        breaker.succeeded()
        return replace(reply, text=self.server.without_key(reply.text))
