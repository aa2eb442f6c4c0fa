"""What a language model noted for an answer, and what was used of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asof.cli.main import echo_err
from asof.cli.terminal import counted, plain, show
from asof.models.amounts import USD, amount

if TYPE_CHECKING:
    from asof.data import Answer
    from asof.models.metered import Usage

_STEPS = {
    "times": "times of the question", "parts": "parts of the question",
    "reports": "reports on periods", "points": "points of the evidence",
    "answer": "the answer",
}  # fmt: skip
"""What each step of `asof.answer.question_cost` is called."""


def show_points(answer: Answer) -> None:
    """What a model noted in the evidence, with its weights."""
    for each in answer.points:
        about = f"{', '.join(each.periods)}: " if each.periods else ""
        left_out = "" if each.read else " (left out)"
        weights = f"importance {each.importance:g}, confidence {each.confidence:g}{left_out}"
        show(f"point: {plain(about + each.text)} ({weights})", hang=7, dim=True)


def show_cost(cost: Mapping[str, Any], *, streamed: bool, verbose: bool) -> None:
    """What was used, on standard error; with `verbose` also for each step."""
    used = [
        f"{name} {amount(value, USD)}" if name == "cost" else f"{name} {value:,}"
        for name, value in cost.items()
        if name != "steps" and value
    ]
    estimated = " (tokens estimated: a stream has no count of them)" if streamed and used else ""
    echo_err(f"cost: {', '.join(used) or 'no call'}{estimated}")
    if verbose:
        for step, each in cost.get("steps", {}).items():
            echo_err(f"  {_STEPS[step]}: {_used(each)}")


def _used(cost: Mapping[str, Any]) -> str:
    """`2 calls, 3,100 tokens read and 3,500 written, 0.0026 USD; 4 kept replies cost nothing`."""
    parts = []
    if cost["calls"] or not cost["cached"]:
        priced = "" if cost["cost"] is None else f", {amount(cost['cost'], USD)}"
        tokens = f"{cost['prompt_tokens']:,} tokens read and {cost['reply_tokens']:,} written"
        parts.append(f"{counted(cost['calls'], 'call')}, {tokens}{priced}")
    if cost["cached"]:
        kept = "reply costs" if cost["cached"] == 1 else "replies cost"
        parts.append(f"{cost['cached']:,} kept {kept} nothing")
    return "; ".join(parts)


def used(meter: Usage) -> str:
    """`12 calls, 8,100 tokens read and 900 written, 0.0017 USD`."""
    cost = "no prices are set in [model]" if meter.cost is None else amount(meter.cost, USD)
    tokens = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    return f"{counted(meter.calls, 'call')}, {tokens}, {cost}"
