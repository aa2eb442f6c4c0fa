"""Replies that are kept: what was asked once is not paid for again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, Protocol

from asof.models.completion import characters
from asof.models.ports import Model, Prompt, Reply, replies, settings
from asof.models.structured import ReplyMismatch, read, shape

DIGEST_BYTES = 16


class CachedReply(NamedTuple):
    """A reply as it is kept, with the tokens that it cost when it was asked for."""

    text: str
    prompt_tokens: int = 0
    reply_tokens: int = 0


class ReplyCache(Protocol):
    """Where replies are kept, by the digest of what was asked; see `store/calls.py`."""

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        """The replies that are kept of these."""
        ...

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        """Keep a reply, in place of an older one; it is on the disk when this returns."""
        ...

    def concern(self, passages: Mapping[bytes, Sequence[int]]) -> None:
        """Note that kept replies were asked for with the words of these passages too."""
        ...


@dataclass(frozen=True, slots=True)
class CachedModel:
    """A model whose replies are kept. Replies with a problem are not; each other one is kept when it comes.

    A kept reply has no calls; its tokens are those that it cost once. The same prompt twice in a batch is
    asked once. Nothing is kept, and nothing asked, by another thread than that of the caller.
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
        """What a prompt is kept by: the model, and all that shapes its reply. Passages do not."""
        schema = None if prompt.schema is None else shape(prompt.schema)
        key = [self.name, self.settings, prompt.system, prompt.user, schema, prompt.most]
        return blake2b(json.dumps(key).encode(), digest_size=DIGEST_BYTES).digest()

    def cached_replies(self, prompts: Sequence[Prompt]) -> list[Reply | None]:
        """The cached reply to each prompt, None where there is none. Raises CorpusError."""
        digests = [self.digest(prompt) for prompt in prompts]
        cached = self.calls.find(list(dict.fromkeys(digests)))
        answers = [
            _reply(prompt, cached[digest]) if digest in cached else None
            for prompt, digest in zip(prompts, digests, strict=True)
        ]
        concerned: dict[bytes, set[int]] = {}
        for prompt, digest, answer in zip(prompts, digests, answers, strict=True):
            if answer is not None:
                concerned.setdefault(digest, set()).update(prompt.passages)
        if any(concerned.values()):
            self.calls.concern({digest: sorted(passages) for digest, passages in concerned.items()})
        return answers

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. Raises ModelError, CorpusError."""
        came = dict(self.replies(prompts))
        return [came[at] for at in range(len(prompts))]

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply: first those that are kept, then others as they come."""
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
                yield at, _again(reply)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The kept reply at once, or the model's in pieces; it is kept when it is whole (a stream has no
        count of tokens). A prompt with a schema is not kept: nobody has checked the reply.
        """
        cached = self.cached_replies([prompt])[0]
        if cached is not None:
            yield cached.text
            return
        pieces = []
        for piece in self.model.stream(prompt):
            pieces.append(piece)
            yield piece
        if prompt.schema is None:
            self.calls.keep(
                self.digest(prompt), self.name, CachedReply(characters("".join(pieces))), prompt.passages
            )


def _reply(prompt: Prompt, cached: CachedReply) -> Reply | None:
    """A kept reply; None if it does not fit any more (the schema's own checks have changed)."""
    value = None
    if prompt.schema is not None:
        try:
            value = read(cached.text, prompt.schema)
        except ReplyMismatch:
            return None
    return Reply(cached.text, value, "", cached.prompt_tokens, cached.reply_tokens)


def _again(reply: Reply) -> Reply:
    """The reply to the same prompt once more, which nobody paid for."""
    return Reply(reply.text, reply.value, reply.problem, reply.prompt_tokens, reply.reply_tokens)
