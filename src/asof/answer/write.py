"""An answer written by a language model, from passages that it may cite by number and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from asof.answer.extractive import AnswerContext, Moments, refused
from asof.data import LOCAL, Answer, Citation, Hit
from asof.errors import ModelError
from asof.models.ports import Prompt
from asof.models.prompts import between, one_line, prompt_text
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.models.ports import Model

REFUSAL = "NO ANSWER:"
LONGEST = 1_024
"""Tokens of an answer."""

_CITED = re.compile(r"\[(-?[0-9]+(?:[ \t]*[,;][ \t]*-?[0-9]+)*)\]")
"""A citation, or several in one pair of brackets: `[2]`, `[2, 5]`."""
_BETWEEN = re.compile(r"[ \t]*[,;][ \t]*")
STRANGE = 8
"""So many numbers of no passage are named."""


def written(
    then: Moments, material: AnswerContext, passages: Sequence[int], model: Model,
    tell: Callable[[str], None] | None = None,
) -> Answer | str:  # fmt: skip
    """The answer of a model to a question about these hits (`passages`: their ids in the store, in order).

    `tell` gets the pieces of the text as they come. A text where the model gave none that can be used: why.
    An answer that cites none of the passages is a refusal; a number of no passage is taken out, and noted.
    Raises ModelError.
    """
    prompt = asking(then, material, passages)
    text = "" if tell is None else _streamed(prompt, model, tell)
    if not text:
        reply = model.complete([prompt])[0]
        if reply.problem:
            return reply.problem
        text = reply.text
    return _read(then, material, text.strip(), model.name)


def _streamed(prompt: Prompt, model: Model, tell: Callable[[str], None]) -> str:
    """The reply as it came; "" where nothing came. What keeps a model from it (a budget, say) it tells only
    when it is asked for a whole reply. Raises ModelError where a reply was broken off."""
    pieces: list[str] = []
    try:
        for piece in model.stream(prompt):
            tell(piece)
            pieces.append(piece)
    except ModelError:
        if pieces:
            raise
    return "".join(pieces)


def asking(then: Moments, material: AnswerContext, passages: Sequence[int]) -> Prompt:
    """What the model is asked: the passages numbered from 1, between marks that none of them holds."""
    parts = [_shown(number, hit) for number, hit in enumerate(material.hits, 1)]
    shown = between("\n\n".join(parts))
    user = f"As of: {iso(then.as_of)}\n\n{shown}\n\nQuestion: {material.question}\n"
    return Prompt(prompt_text("asof.answer", "answer"), user, passages=tuple(passages), most=LONGEST)


def _shown(number: int, hit: Hit) -> str:
    """A passage as the model sees it. What looks like a citation in its own words is put in round brackets:
    neither can it pass for the head of another passage, nor be copied as a citation of one."""
    date = hit.published.text if hit.published else "unknown"
    about = ", ".join(each.text for each in hit.about)
    head = f"{one_line(hit.title or hit.document)}\npublished: {one_line(date)}"
    about = f"; about: {one_line(about)}" if about else ""
    return f"[{number}] " + _CITED.sub(r"(\1)", f"{head}{about}\n{hit.text}")


def _read(then: Moments, material: AnswerContext, text: str, by: str) -> Answer | str:
    if not text:
        return "the reply was empty"
    if text.startswith(REFUSAL):
        reason = text.removeprefix(REFUSAL).strip().rstrip(".") or "the model found no evidence"
        return replace(refused(then, material.question, reason), by=by)
    there = {str(number): number for number in range(1, len(material.hits) + 1)}
    numbers = dict.fromkeys(number for cited in _CITED.findall(text) for number in _BETWEEN.split(cited))
    known = [there[number] for number in numbers if number in there]
    strange = [number for number in numbers if number not in there]
    if not known:
        return replace(
            refused(then, material.question, "the model's answer cites none of the passages"), by=by
        )
    notes: tuple[str, ...] = ()
    if strange:
        text = _CITED.sub(lambda found: _left(_BETWEEN.split(found[1]), there), text)
        notes = (f"the model cited passages that are not there: {_few(strange)}",)
    return Answer(
        material.question, text, False, "", LOCAL, then.as_of, then.known_at,
        tuple(_citation(number, material.hits[number - 1]) for number in sorted(known)), (), notes, by,
    )  # fmt: skip


def _left(cited: Sequence[str], there: Container[str]) -> str:
    """The brackets of a citation with those of its numbers that a passage has; "" without any."""
    left = [number for number in cited if number in there]
    return f"[{', '.join(left)}]" if left else ""


def _few(numbers: Sequence[str]) -> str:
    """The first of these numbers, the long ones cut, and how many more there are."""
    said = ", ".join(number if len(number) <= 20 else f"{number[:20]}…" for number in numbers[:STRANGE])
    more = len(numbers) - STRANGE
    return f"{said} and {more:,} more" if more > 0 else said


def _citation(number: int, hit: Hit) -> Citation:
    quote = " ".join(hit.text.split())
    return Citation(number, hit.id, hit.document, hit.title, hit.published, hit.about, quote)
