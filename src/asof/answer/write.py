"""Answers written by a language model from numbered passages, which it cites as `[2]` or `[2, 5]`.

The cost of a question is counted by step, the steps of TG-RAG (section III-B, tables III and IV): reports,
points of the evidence, the answer; and the parts of a question that a recipe splits. Rules read its times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from asof.answer.extractive import AnswerContext, Moments, refused
from asof.errors import ModelError
from asof.hits import LOCAL, Answer, Citation, Hit, QuestionUsage, StepUsage, Usage
from asof.models.metered import MeteredModel, budget_text
from asof.models.ports import CITED, Prompt, Reply, between, in_round_brackets, one_line, prompt_text
from asof.time.span import iso
from asof.wire import replace

if TYPE_CHECKING:
    from asof.models.ports import Model


# -- citations -----------------------------------------------------------------------------------------

_BETWEEN = re.compile(r"[ \t]*[,;][ \t]*")
MAX_UNKNOWN = 8
"""The most unknown numbers that a note names."""


class CitedText(NamedTuple):
    """A text in pieces: words, and the numbers of a pair of brackets, each from 1 to the count of what was
    shown. `unknown`: other numbers, each once, which are in no piece."""

    parts: tuple[str | tuple[int, ...], ...]
    unknown: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that are cited, in order of their first citation."""
        return tuple(dict.fromkeys(n for part in self.parts if not isinstance(part, str) for n in part))


def read_citations(text: str, count: int) -> CitedText:
    """The pieces of a text on `count` numbered things.

    Where the removal of an unknown number makes a citation of the text around it (`[[99]3]`), this gets round
    brackets, as it was not cited. Numbers of any length are compared as texts.
    """
    number_of = {str(number): number for number in range(1, count + 1)}
    parts: list[str | tuple[int, ...]] = []
    unknown: dict[str, None] = {}
    words, at = "", 0
    for match in CITED.finditer(text):
        numbers = _BETWEEN.split(match[1])
        unknown.update((each, None) for each in numbers if each not in number_of)
        words, at = words + text[at : match.start()], match.end()
        if known := tuple(number_of[each] for each in numbers if each in number_of):
            parts += [in_round_brackets(words), known]
            words = ""
    parts.append(in_round_brackets(words + text[at:]))
    return CitedText(tuple(part for part in parts if part), tuple(unknown))


def first_of(numbers: Sequence[str]) -> str:
    """The first of these numbers, long ones cut, and how many more there are."""
    listed = ", ".join(number if len(number) <= 20 else f"{number[:20]}…" for number in numbers[:MAX_UNKNOWN])
    more = len(numbers) - MAX_UNKNOWN
    return f"{listed} and {more:,} more" if more > 0 else listed


# -- refusals ------------------------------------------------------------------------------------------

NO_EVIDENCE = "no explicit evidence for the question"
"""The refusal that TG-RAG prescribes to a model (appendix, local query prompt)."""

_CITED = re.compile(r"\[[0-9 ,;]*\]")


def declines(text: str) -> bool:
    """True if a text is the refusal of TG-RAG's prompt and nothing else; case, punctuation and citations
    apart.

    >>> declines("**No explicit evidence for the question.**"), declines("No explicit evidence for 2023; 4%.")
    (True, False)
    """
    return " ".join(re.findall(r"\w+", _CITED.sub(" ", text).casefold())) == NO_EVIDENCE


# -- write ---------------------------------------------------------------------------------------------

REFUSAL = "NO ANSWER:"
MAX_TOKENS = 1_024
"""The most tokens of an answer."""


def write_answer(
    moments: Moments, context: AnswerContext, passages: Sequence[int], model: Model,
    on_text: Callable[[str], None] | None = None,
) -> Answer | str:  # fmt: skip
    """A model's answer to a question about hits; a text with the reason, if its reply cannot be used.

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
    """The whole reply; "" if it is empty.

    A model that cannot reply (because of a budget, say) gives the reason only for a whole reply. Raises
    ModelError if a reply was broken off.
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
    force = "" if context.in_force is None else f"In force on: {iso(context.in_force)}\n"
    user = f"As of: {iso(moments.as_of)}\n{force}\n{evidence}\n\nQuestion: {context.question}\n"
    return Prompt(prompt_text("asof.answer", "answer"), user, passages=tuple(passages), most=MAX_TOKENS)


def _numbered(number: int, hit: Hit) -> str:
    """A passage as the model sees it, with its times and its status.

    What looks like a citation in its own words gets round brackets: it can neither pass for the head of
    another passage nor be copied as a citation of one.
    """
    date = hit.published.text if hit.published else "unknown"
    about = ", ".join(each.text for each in hit.about)
    head = f"{one_line(hit.title or hit.document)}\npublished: {one_line(date)}"
    about = f"; about: {one_line(about)}" if about else ""
    status = "".join(f"\nstatus: {one_line(each)}" for each in hit.status)
    return f"[{number}] " + in_round_brackets(f"{head}{about}{status}\n{hit.text}")


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
    numbered = ((n, context.hits[n - 1]) for n in sorted(cited.numbers))
    return Answer(
        context.question, text, False, "", LOCAL, moments.as_of, moments.known_at,
        tuple(Citation.of(n, hit, one_line(hit.text)) for n, hit in numbered), (), notes, by,
    )  # fmt: skip


# -- cost of a question, by step -----------------------------------------------------------------------

REPORTS, POINTS, ANSWER = "reports", "points", "answer"

STEPS = (REPORTS, POINTS, ANSWER)
"""The steps in their order."""

_STEP_OF = {"WrittenReport": REPORTS, "ExtractedPoints": POINTS}
"""The step by the schema of a reply; a reply with another one, or none, is the answer."""


def step_of(prompt: Prompt) -> str:
    """The step of a prompt."""
    return ANSWER if prompt.schema is None else _STEP_OF.get(prompt.schema.__name__, ANSWER)


class QuestionModel(Struct, eq=False):
    """The model of one question, which is asked for one batch at a time. `steps`: what each step took."""

    metered: MeteredModel
    steps: dict[str, Usage] = msgspec.field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.metered.name

    @property
    def settings(self) -> str:
        return self.metered.settings

    @property
    def used(self) -> Usage:
        """The usage of the question so far."""
        return self.metered.meter

    @property
    def cost(self) -> QuestionUsage:
        """The usage so far, and that of each step that used the model."""
        steps = tuple(StepUsage(step, self.steps[step]) for step in STEPS if step in self.steps)
        return QuestionUsage(self.used, steps)

    def stopped(self) -> str:
        """A note that the budget stopped the question, "" if it did not."""
        unsent, budget = self.used.refused, self.metered.total.budget
        if not unsent or budget is None:
            return ""
        prompts = "1 prompt was" if unsent == 1 else f"{unsent:,} prompts were"
        return f"stopped at the budget of {budget_text(budget, self.metered.total.unit)}: {prompts} not sent"

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        """A reply for each prompt, in their order. Raises ModelError."""
        before = self.used
        try:
            return self.metered.complete(prompts)
        finally:
            self._count(prompts, before)

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces. Raises ModelError."""
        before = self.used
        try:
            yield from self.metered.stream(prompt)
        finally:
            self._count([prompt], before)

    def _count(self, prompts: Sequence[Prompt], before: Usage) -> None:
        """Count what was used since then for the step of these prompts, which is the same for all."""
        for prompt in prompts[:1]:
            step = step_of(prompt)
            self.steps[step] = self.used.plus(before, -1).plus(self.steps.get(step, Usage(cost=0.0)))
