"""Replies as they come: what was paid for is counted and kept before the batch has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from asof.models.ports import Model, Prompt, Reply


@runtime_checkable
class StreamingModel(Protocol):
    """A `Model` that gives each reply when it is there, with the place of its prompt, in any order."""

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]: ...


def replies(model: Model, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
    """The place of each prompt and its reply, as they come; from other models all of them at the end."""
    if isinstance(model, StreamingModel):
        return model.replies(prompts)
    return enumerate(model.complete(prompts))


def kept(model: Model) -> bool:
    """Whether the replies of a model are kept: not those of one that has no name of its own."""
    said: bool = getattr(model, "kept", True)
    return said


def settings(model: Model) -> str:
    """What shapes the replies of a model beside its name and the prompt; "" where it says nothing of it."""
    said: str = getattr(model, "settings", "")
    return said
