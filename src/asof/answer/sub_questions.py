"""The parts of a question that can be answered by themselves: by rules, or by a language model."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.text.question import MOST_PARTS
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.models.ports import Model

MAX_TOKENS = 600
LONGEST_PART = 400


class SubQuestions(BaseModel):
    """The sub-questions of a question."""

    questions: Annotated[list[str], Field(max_length=MOST_PARTS)]


def split_by_model(question: str, as_of: int, model: Model) -> tuple[tuple[str, ...] | None, str]:
    """The sub-questions that a model finds, () for a question that is one, None where its reply is of no use;
    and a note on what cannot be used of it. Nothing of the corpus is in the prompt. Raises ModelError."""
    user = f"Asked on {iso(as_of)[:10]}\n\n{between(question)}"
    prompt = Prompt(prompt_text("asof.answer", "parts"), user, schema=SubQuestions, most=MAX_TOKENS)
    reply = model.complete([prompt])[0]
    if reply.problem or not isinstance(reply.value, SubQuestions):
        return None, f"no parts by {model.name}: {reply.problem or 'no list of questions'}; split by rules"
    found = [" ".join(each.split()) for each in reply.value.questions]
    parts = tuple(dict.fromkeys(each for each in found if 0 < len(each) <= LONGEST_PART))
    long = sum(len(each) > LONGEST_PART for each in found)
    if long and not parts:
        return (
            None,
            f"no parts by {model.name}: all are longer than {LONGEST_PART} characters; split by rules",
        )
    dropped = (
        f"{long:,} of the {len(found):,} parts by {model.name} are longer than {LONGEST_PART} characters"
    )
    return parts, f"{dropped} and were dropped" if long else ""


def combined(
    names: tuple[str, ...], topics: tuple[str, ...], times: tuple[str, ...], more_times: int = 0
) -> tuple[tuple[str, ...], str]:
    """Every topic of every name at every time as a text of its own; () where there is one alone.

    A note says if there are more than are searched. `more_times`: how many times there are beyond these.

    >>> combined(("Otter Mills",), ("revenue", "debt"), ("Q1 2023",))[0]
    ('revenue Otter Mills Q1 2023', 'debt Otter Mills Q1 2023')
    """
    count = max(1, len(topics)) * max(1, len(names)) * max(1, len(times) + more_times)
    if count < 2:
        return (), ""
    groups = islice(product(topics or ("",), names or ("",), times or ("",)), MOST_PARTS)
    parts = tuple(" ".join(filter(None, group)) for group in groups)
    more = count > MOST_PARTS
    return parts, f"the question has {count:,} parts: the first {MOST_PARTS} are searched" if more else ""
