"""`asof ask`: prints an answer with its citations, and what the model cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import verbs
from asof.cli.main import (
    DONE,
    NOTHING,
    echo_err,
    explain_no_hits,
    format_option,
    note_answers,
    open_corpus,
    print_result,
    verb_command,
)
from asof.cli.terminal import counted, moment_text, plain, show, waiting_progress
from asof.hits import QuestionUsage, Usage
from asof.models.metered import USD, amount
from asof.parameters import AskParameters
from asof.text.passages import LEFT_OUT
from asof.wire import field_values

if TYPE_CHECKING:
    from asof.hits import Answer, Citation


def show_cost(cost: QuestionUsage, *, streamed: bool) -> None:
    """Prints the usage on standard error."""
    used = [
        f"{name} {amount(value, USD)}" if name == "cost" else f"{name} {value:,}"
        for name, value in field_values(cost.usage).items()
        if value
    ]
    estimated = " (tokens estimated: a stream has no count of them)" if streamed and used else ""
    echo_err(f"cost: {', '.join(used) or 'no call'}{estimated}")


def used(meter: Usage) -> str:
    """`12 calls, 8,100 tokens read and 900 written, 0.0017 USD`."""
    cost = "no prices are set in [model]" if meter.cost is None else amount(meter.cost, USD)
    tokens = f"{meter.prompt_tokens:,} tokens read and {meter.reply_tokens:,} written"
    return f"{counted(meter.calls, 'call')}, {tokens}, {cost}"


@verb_command(AskParameters, q="QUESTION")
@click.option(
    "--budget", type=click.FloatRange(min=0, max=1e9), default=None, metavar="USD",
    help="What the answer may cost; the model is stopped before (tokens, where no prices are set).",
)  # fmt: skip
@format_option
def ask(
    asked: AskParameters, index: Path | None, as_json: bool, how: str | None, budget: float | None
) -> int:
    """Answer QUESTION from current passages, with citations; or explain why there is no answer.

    Without a model the best sentences are quoted. With [model] in asof.toml the model
    writes the answer from the passages found, and may cite nothing else. Exit code 1: refused.
    """
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        then, streamed = asked.at(corpus), _Streamed()
        answer = verbs.ask(corpus, asked, None if as_json or how else streamed, budget)
        if not (as_json or how or then.use(lambda view: view.n)):
            explain_no_hits(then)
    if not print_result(answer, how, as_json=as_json):
        show_answer(
            answer, dated=asked.as_of is not None or answer.as_of < then.as_of,
            known=asked.known_at is not None, streamed=streamed.text,
        )  # fmt: skip
    return NOTHING if answer.refused else DONE


class _Streamed:
    """Prints the pieces of an answer on the terminal as they arrive."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, piece: str) -> None:
        self.text += piece
        click.echo("\n".join(plain(line) for line in piece.split("\n")), nl=False)


def show_answer(answer: Answer, *, dated: bool, known: bool = False, streamed: str) -> None:
    """The answer, unless it was `streamed`; then its sources. `dated`, `known`: True if `--as-of`,
    `--known-at` was given."""
    if streamed:
        click.echo()
    if streamed.strip() != answer.text:
        quoted = {f"[{each.n}] “": each for each in answer.citations}
        for line in answer.text.split("\n"):
            hang = 4 if line.startswith("[") else 2 if line.startswith("- ") else 0
            citation = quoted.get(line[: line.find("“") + 1])
            show(_emphasised(plain(line), citation), hang=hang)
            if citation is not None:
                _show_place(citation)
    if answer.by != "extractive" and not answer.refused:
        for citation in answer.citations:
            show(f"[{citation.n}] {plain(citation.citation)}", hang=4, dim=True)
    moment = moment_text(answer.as_of, answer.known_at, answer.in_force, dated=dated, known=known)
    show(moment if answer.by == "extractive" else f"{moment} · by {plain(answer.by)}", dim=True)
    for note in answer.notes:
        if not note.startswith(LEFT_OUT):
            show(f"note: {plain(note)}", hang=6, dim=True)
    if answer.cost is not None:
        show_cost(answer.cost, streamed=bool(streamed))


def _emphasised(line: str, citation: Citation | None) -> str:
    """The line of a quote, with the part that answers in bold."""
    if citation is None or citation.emphasis is None:
        return line
    first, last = citation.emphasis
    part = plain(citation.quote[first:last])
    return line.replace(part, click.style(part, bold=True), 1)


def _show_place(citation: Citation) -> None:
    """Prints the document of a quote, when that is in force, and what supersedes it."""
    from asof.cli.show import show_force

    if citation.title not in ("", citation.document):
        show(f"    {plain(citation.document)}", dim=True)
    show_force(citation, indent=4)
