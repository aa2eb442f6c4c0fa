"""What a model has to offer so that asof can use it, and what it may offer beside that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pydantic import BaseModel


class Encoder(Protocol):
    """Turns texts into vectors. `name` stays the same exactly as long as the vectors do."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        """Vectors of unit length, shape (len(texts), d).

        `question`: the texts are questions, which some models encode otherwise than passages.
        """
        ...


class Reranker(Protocol):
    """Reads a question together with each of a few texts. `name` says which model it is."""

    @property
    def name(self) -> str: ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite number for each of the texts, in their order; more is better.

        Raises ModelError when there is none: a guess would look like a result.
        """
        ...


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked.

    `system` are our own instructions, `user` what they are about. `schema`: the reply has to be JSON of this
    shape. `passages`: ids of the passages whose words stand in it; what was replied is erased with them.
    `most`: tokens of the reply.
    """

    system: str
    user: str
    schema: type[BaseModel] | None = None
    passages: tuple[int, ...] = ()
    most: int = 1_024


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a language model, or why there is none that can be used (`problem`).

    `text` is its last text, "" if there is none. `value` is the text as the prompt's schema reads it.
    `calls`: requests that were answered and paid for; 0 for a cached reply, whose tokens are what it cost
    once. `unsent`: the prompt was not sent, because it did not fit into a budget.
    """

    text: str
    value: BaseModel | None = None
    problem: str = ""
    prompt_tokens: int = 0
    reply_tokens: int = 0
    calls: int = 0
    unsent: bool = False


class Model(Protocol):
    """A language model. `name` says which one, and where."""

    @property
    def name(self) -> str: ...

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. One that fails is a Reply with a problem.

        Raises ModelError where no reply can be had at all (a wrong key, a server that is not there).
        """
        ...

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces, as they come. Raises ModelError."""
        ...


@runtime_checkable
class StreamingModel(Protocol):
    """A `Model` that gives each reply when it is there, with the place of its prompt, in any order."""

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]: ...


def replies(model: Model, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
    """The place of each prompt and its reply, as they come; from other models all of them at the end."""
    if isinstance(model, StreamingModel):
        return model.replies(prompts)
    return enumerate(model.complete(prompts))


def is_cacheable(model: Model) -> bool:
    """Whether the replies of a model are cached: not those of one that has no name of its own."""
    return bool(getattr(model, "cacheable", True))


def settings(model: Model) -> str:
    """What shapes the replies of a model beside its name and the prompt; "" where it has no such property."""
    return str(getattr(model, "settings", ""))
