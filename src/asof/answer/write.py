"""An answer written by a language model from passages, which it cites by number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from asof.answer.cited import first_of, in_round_brackets, read_citations
from asof.answer.extractive import AnswerContext, Moments, refused
from asof.answer.refusal import NO_EVIDENCE, declines
from asof.data import LOCAL, Answer, Citation, Hit
from asof.errors import ModelError
from asof.models.ports import Prompt
from asof.models.prompts import between, one_line, prompt_text
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.models.ports import Model

REFUSAL = "NO ANSWER:"
MAX_TOKENS = 1_024
"""The most tokens of an answer."""


def write_answer(
    moments: Moments, context: AnswerContext, passages: Sequence[int], model: Model,
    on_text: Callable[[str], None] | None = None,
) -> Answer | str:  # fmt: skip
    """A model's answer to a question about hits; a text that says why, if its reply cannot be used.

    `passages`: the ids of the hits in the store, in order. `on_text` gets the pieces of the answer as they
    come. An answer that cites none of the passages becomes a refusal. A number of no passage is removed, with
    a note. Raises ModelError.
    """
    prompt = answer_prompt(moments, context, passages)
    text = "" if on_text is None else _streamed(prompt, model, on_text)
    if not text:
        reply = model.complete([prompt])[0]
        if reply.problem:
            return reply.problem
        text = reply.text
    return _read(moments, context, text.strip(), model.name)


def _streamed(prompt: Prompt, model: Model, on_text: Callable[[str], None]) -> str:
    """The whole reply; "" if nothing came.

    A model that cannot reply (because of a budget, say) says why only when it is asked for a whole reply.
    Raises ModelError if a reply was broken off.
    """
    pieces: list[str] = []
    try:
        for piece in model.stream(prompt):
            on_text(piece)
            pieces.append(piece)
    except ModelError:
        if pieces:
            raise
    return "".join(pieces)


def answer_prompt(moments: Moments, context: AnswerContext, passages: Sequence[int]) -> Prompt:
    """The passages, numbered from 1, between marks that are in none of them, and the question."""
    parts = [_numbered(number, hit) for number, hit in enumerate(context.hits, 1)]
    evidence = between("\n\n".join(parts))
    user = f"As of: {iso(moments.as_of)}\n\n{evidence}\n\nQuestion: {context.question}\n"
    return Prompt(prompt_text("asof.answer", "answer"), user, passages=tuple(passages), most=MAX_TOKENS)


def _numbered(number: int, hit: Hit) -> str:
    """A passage as the model sees it.

    What looks like a citation in its own words gets round brackets: it can neither pass for the head of
    another passage nor be copied as a citation of one.
    """
    date = hit.published.text if hit.published else "unknown"
    about = ", ".join(each.text for each in hit.about)
    head = f"{one_line(hit.title or hit.document)}\npublished: {one_line(date)}"
    about = f"; about: {one_line(about)}" if about else ""
    return f"[{number}] " + in_round_brackets(f"{head}{about}\n{hit.text}")


def _read(moments: Moments, context: AnswerContext, text: str, by: str) -> Answer | str:
    if not text:
        return "the reply was empty"
    if text.startswith(REFUSAL):
        reason = text.removeprefix(REFUSAL).strip().rstrip(".") or "the model found no evidence"
        return replace(refused(moments, context.question, reason), by=by)
    if declines(text):
        return replace(refused(moments, context.question, NO_EVIDENCE), by=by)
    cited = read_citations(text, len(context.hits))
    if not cited.numbers:
        reason = "the model's answer cites none of the passages"
        return replace(refused(moments, context.question, reason), by=by)
    notes: tuple[str, ...] = ()
    if cited.unknown:
        text = "".join(
            part if isinstance(part, str) else f"[{', '.join(map(str, part))}]" for part in cited.parts
        )
        notes = (f"the model cited passages that do not exist: {first_of(cited.unknown)}",)
    return Answer(
        context.question, text, False, "", LOCAL, moments.as_of, moments.known_at,
        tuple(_citation(number, context.hits[number - 1]) for number in sorted(cited.numbers)), (), notes, by,
    )  # fmt: skip


def _citation(number: int, hit: Hit) -> Citation:
    quote = " ".join(hit.text.split())
    return Citation.of(number, hit, quote)
