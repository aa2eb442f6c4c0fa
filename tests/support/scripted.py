"""A model with fixed replies, for tests of what is built on a model."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, TypeAlias

from asof.errors import UsageError
from asof.models.ports import CompletesReplies, Prompt, Reply, fitted

if TYPE_CHECKING:
    from pydantic import BaseModel

ScriptedReply: TypeAlias = "str | BaseModel | Reply | Exception"
"""A text, a value (its JSON is the text), a whole reply (one with a problem, say), or an error to raise."""

Script = Mapping[str, ScriptedReply] | Sequence[ScriptedReply] | Callable[[Prompt], ScriptedReply]
"""By the user's words of a prompt; one after another, whatever the prompt; or computed by a function."""


NAME = "scripted"


@dataclass(slots=True, eq=False)
class ScriptedModel(CompletesReplies):
    """A `Model` without a server; `prompts`: all that it was asked, in order. Its replies are cached
    for itself alone, unless it gets another `name`."""

    script: Script
    name: str = NAME
    prompts: list[Prompt] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _own: str = field(default_factory=lambda: token_hex(8), init=False, repr=False)

    @property
    def settings(self) -> str:
        return self._own if self.name == NAME else ""

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        for at, prompt in enumerate(prompts):
            yield at, fitted(prompt, self._ask)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        yield from re.findall(r"\s*\S+\s*|\s+", self._ask(prompt).text)

    def _ask(self, prompt: Prompt) -> Reply:
        with self._lock:
            reply = self._next_reply(prompt)
            self.prompts.append(prompt)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Reply):
            return reply
        text = reply if isinstance(reply, str) else reply.model_dump_json()
        return Reply(text, None, "", len(f"{prompt.system} {prompt.user}".split()), len(text.split()), 1)

    def _next_reply(self, prompt: Prompt) -> ScriptedReply:
        if callable(self.script):
            return self.script(prompt)
        if isinstance(self.script, Mapping):
            known = [user for user in self.script if prompt.user.startswith(user)]
            if known:
                return self.script[max(known, key=len)]
        elif len(self.prompts) < len(self.script):
            return self.script[len(self.prompts)]
        raise UsageError(f"no reply is scripted for prompt {len(self.prompts) + 1}: {prompt.user[:200]!r}")
