"""The parts of a question that can be answered by themselves: by rules, or by a language model."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.rank.features.sub_questions import MOST_PARTS
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.models.ports import Model

MAX_TOKENS = 600
LONGEST_PART = 400


class SubQuestions(BaseModel):
    """The sub-questions of a question."""

    questions: Annotated[list[str], Field(max_length=MOST_PARTS)]


def split_by_model(question: str, as_of: int, model: Model) -> tuple[tuple[str, ...], str]:
    """The sub-questions that a model finds, () for a question that is one; a note where its reply is of no
    use. Nothing of the corpus is in the prompt. Raises ModelError."""
    user = f"Asked on {iso(as_of)[:10]}\n\n{between(question)}"
    prompt = Prompt(prompt_text("asof.answer", "parts"), user, schema=SubQuestions, most=MAX_TOKENS)
    reply = model.complete([prompt])[0]
    if reply.problem or not isinstance(reply.value, SubQuestions):
        return (), f"no parts by {model.name}: {reply.problem or 'no list of questions'}; split by rules"
    parts = [" ".join(each.split())[:LONGEST_PART] for each in reply.value.questions]
    return tuple(dict.fromkeys(filter(None, parts))), ""


def combined(
    names: tuple[str, ...], topics: tuple[str, ...], times: tuple[str, ...]
) -> tuple[tuple[str, ...], str]:
    """Every topic of every name at every time as a text of its own; () where there is one alone.

    A note says if there are more than are searched.

    >>> combined(("Otter Mills",), ("revenue", "debt"), ("Q1 2023",))[0]
    ('revenue Otter Mills Q1 2023', 'debt Otter Mills Q1 2023')
    """
    groups = product(topics or ("",), names or ("",), times or ("",))
    parts = [" ".join(filter(None, group)) for group in groups]
    if len(parts) < 2:
        return (), ""
    left = len(parts) - MOST_PARTS
    note = f"the question has {len(parts):,} parts: the first {MOST_PARTS} are searched" if left > 0 else ""
    return tuple(parts[:MOST_PARTS]), note
