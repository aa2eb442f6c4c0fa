"""`asof ask` with a language model: options on what it writes and costs, an estimate, and what was used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from asof.answer.response_form import LENGTHS
from asof.answer.settings import POLICIES
from asof.cli.main import echo_err, print_json
from asof.cli.terminal import counted, plain, show
from asof.models.amounts import USD, amount, budget_text
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.answer.question_cost import QuestionEstimate
    from asof.data import Answer

F = TypeVar("F", bound=Callable[..., Any])

_STEPS = {
    "times": "times of the question", "parts": "parts of the question",
    "reports": "reports on periods", "points": "points of the evidence",
    "answer": "the answer",
}  # fmt: skip
"""What each step of `asof.answer.question_cost` is called."""

_OPTIONS = (
    click.option(
        "--format", "response_format", metavar="TEXT",
        help='Form of a model\'s answer: "single sentence", "list", "multiple paragraphs" ...',
    ),
    click.option(
        "--length", type=click.IntRange(LENGTHS[0], LENGTHS[-1]), default=None, metavar="WORDS",
        help="About how many words a model's answer has.",
    ),
    click.option(
        "--diverse/--no-diverse", default=None,
        help="A model's answer over periods shows several perspectives, in varied form.",
    ),
    click.option(
        "--reports", type=click.Choice(POLICIES), metavar="WHICH",
        help="Reports that a model writes for an answer over periods: needed (default), all, written (none).",
    ),
    click.option("--estimate", is_flag=True, help="Only say what a model would take at most; none is asked."),
    click.option(
        "--budget", type=click.FloatRange(min=0, max=1e9), default=None, metavar="USD",
        help="What the answer may cost; the model is stopped before (tokens, where no prices are set).",
    ),
)  # fmt: skip


def model_options(command: F) -> F:
    """The options on what a model writes and costs, in the order of the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


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


def show_estimate(estimate: QuestionEstimate, *, as_json: bool) -> None:
    """What an answer would take at most: one line, one for each step, and whether it fits into the budget."""
    if as_json:
        print_json(_estimate_json(estimate))
        return
    way = "reports over periods" if estimate.mode == "global" else "single passages"
    if estimate.cost is None:
        show(f"nothing: no language model is configured; the answer is quoted ({way})")
        _show_notes(estimate)
        return
    most = "at most " if estimate.cost["calls"] else ""
    show(f"{most}{_used(estimate.cost)} ({way})")
    for step, each in estimate.cost["steps"].items():
        show(f"  {_STEPS[step]}: {_used(each)}", hang=4)
    if estimate.budget is not None:
        fits = "it fits into" if estimate.within_budget else "it may be stopped at"
        show(f"{fits} the budget of {budget_text(estimate.budget, estimate.unit)}")
    _show_notes(estimate)


def _show_notes(estimate: QuestionEstimate) -> None:
    for note in estimate.notes:
        show(f"note: {plain(note)}", hang=6, dim=True)


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


def _estimate_json(estimate: QuestionEstimate) -> Mapping[str, Any]:
    from asof.data.json import question_cost_json

    return {
        "question": estimate.question, "mode": estimate.mode, "as_of": iso(estimate.as_of),
        "known_at": iso(estimate.known_at),
        "cost": None if estimate.cost is None else question_cost_json(estimate.cost),
        "budget": estimate.budget, "unit": estimate.unit, "within_budget": estimate.within_budget,
        "notes": list(estimate.notes),
    }  # fmt: skip
