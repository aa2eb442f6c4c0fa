"""`asof evaluate --stale`: its options, and its outcome as tables for a reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.text import Text

from asof.cli.main import DONE, NOTHING, PROBLEMS, print_json
from asof.cli.problem_lines import note_problems
from asof.cli.progress import step_progress
from asof.cli.tables import Cells, console, group_name, short, show_columns
from asof.cli.terminal import counted, plain
from asof.time.span import format_instant, iso

if TYPE_CHECKING:
    from rich.console import Console

    from asof.evaluate.staleness.evaluation import StaleEvaluation
    from asof.evaluate.staleness.judged import JudgedCase, JudgedFlag
    from asof.evaluate.staleness.leakage import StaleLeakage
    from asof.evaluate.staleness.metrics import FlaggedHarmless, FoundKind, Share

OPTIONS = ("dataset", "stale", "leakage", "seed", "index", "verbose", "as_json")
"""The parameters of `asof evaluate` that --stale has; and those that only --stale has."""
OWN = ("index", "verbose")
SHOWN_DIFFERENCES = 10
LONGEST_DIFFERENCE = 200
READING_NAMES = {
    "strict": "all flags", "since": "of the last change", "since_set_aside": "same, old values set aside",
}  # fmt: skip


def check_options(given: Iterable[str], *, stale: bool) -> None:
    """Raises click.UsageError for a parameter that goes only with --stale, or not with it."""
    names = {"filter_by": "filter-by", "run_file": "run", "per_query": "per-query", "recipes": "recipe",
             "no_stem": "no-stem", "config_file": "config", "settings": "set", "metrics": "metric",
             "add_one": "add-one", "leave_one_out": "leave-one-out"}  # fmt: skip
    for name in given:
        option = f"--{names.get(name, name)}"
        if stale and name not in OPTIONS:
            raise click.UsageError(f"--stale has no {option}; it has --leakage, --seed, --index, --verbose")
        if not stale and name in OWN:
            raise click.UsageError(f"{option} goes with --stale")


def evaluate_stale(
    dataset: Path, leakage: int, seed: int, index: Path | None, *, verbose: bool, as_json: bool
) -> int:
    """Evaluate, and show or print the outcome: the exit code."""
    from asof.evaluate.report.staleness import stale_evaluation_json
    from asof.evaluate.staleness.evaluation import evaluate

    with step_progress() as progress:
        evaluation = evaluate(dataset, leakage=leakage, seed=seed, index=index, progress=progress)
    if as_json:
        print_json(stale_evaluation_json(evaluation, verbose=verbose))
    else:
        show_stale_evaluation(evaluation, verbose=verbose)
        note_problems(evaluation.problems)
    if evaluation.leakage is not None and not evaluation.leakage.clean:
        return NOTHING
    return PROBLEMS if any(problem.lost for problem in evaluation.problems) else DONE


def show_stale_evaluation(evaluation: StaleEvaluation, *, verbose: bool = False) -> None:
    """How precise the flags are, what was found, what harmless was flagged, what it took, what leaked."""
    to, metrics = console(), evaluation.metrics
    click.secho(plain(_headline(evaluation)), bold=True)
    click.echo("\nright among the first flags of the kinds value, statement and quote")
    _show_precision(to, evaluation)
    if metrics.recall:
        click.echo("\nexpected sentences that are flagged, and of these, those with a right counterpart")
        _show_recall(to, metrics.recall)
    for title, sorts in (("sentences", metrics.harmless), ("links", metrics.harmless_links)):
        if sorts[0].flagged.of:
            click.echo(f"\nharmless {title} that are flagged")
            _show_harmless(to, sorts)
    click.echo()
    for each in metrics.apart:
        click.echo(
            f"{each.kind}: {counted(each.flags, 'flag')}, {each.right:,} right, {each.harmless:,} harmless, "
            f"{each.wrong:,} others, {each.uncounted:,} not counted"
        )
    _show_seconds(evaluation)
    if verbose:
        _show_each(evaluation.cases)
    if evaluation.leakage is not None:
        _show_leakage(evaluation.leakage)
    for note in evaluation.notes:
        click.secho(f"note: {plain(note)}", dim=True)


def _headline(evaluation: StaleEvaluation) -> str:
    expected = sum(len(case.case.expected) for case in evaluation.cases)
    documents = sum(each.documents for each in evaluation.seconds)
    return (
        f"{evaluation.name}: {counted(len(evaluation.cases), 'case')} · {counted(documents, 'document')} · "
        f"{expected:,} expected"
    )


def _show_precision(to: Console, evaluation: StaleEvaluation) -> None:
    precision = evaluation.metrics.precision
    columns: Cells = []
    for at, each in enumerate(next(iter(precision.values()))):
        heading = "all" if each.first is None else f"first {each.first}"
        columns.append((heading, [_share(firsts[at].right) for firsts in precision.values()]))
    show_columns(to, "flags", [READING_NAMES[reading] for reading in precision], columns)


def _show_recall(to: Console, kinds: Sequence[FoundKind]) -> None:
    names = [group_name(f"  {each.type}" if each.type else each.kind) for each in kinds]
    found = [_share(each.found) for each in kinds]
    paired = [_share(each.counterpart) for each in kinds]
    show_columns(to, "expected", names, [("flagged", found), ("counterpart", paired)])


def _show_harmless(to: Console, sorts: Sequence[FlaggedHarmless]) -> None:
    names = [group_name(f"  {each.why}" if each.why else "all") for each in sorts]
    show_columns(to, "harmless", names, [("flagged", [_share(each.flagged) for each in sorts])])


def _share(share: Share) -> Text:
    """A share, and of how many."""
    if share.value is None:
        return Text("-")
    return Text.assemble((short(share.value), "bold"), (f" {share.count:,}/{share.of:,}", "dim"))


def _show_seconds(evaluation: StaleEvaluation) -> None:
    seconds = evaluation.seconds
    first, again = [each.first for each in seconds], [each.again for each in seconds]
    click.echo(
        f"seconds: the first time {sum(first) / len(first):.2f} in the mean, {max(first):.2f} at most; again "
        f"{sum(again) / len(again):.2f} and {max(again):.2f} (up to "
        f"{counted(max(each.documents for each in seconds), 'document')} a case)"
    )


# -- each flag -------------------------------------------------------------------------------------------


def _show_each(cases: Sequence[JudgedCase]) -> None:
    """What is wrong, what is harmless and flagged, and what was missed, with both sentences."""
    for verdict in ("wrong", "harmless"):
        flags = [each for case in cases for each in case.flags if each.verdict == verdict]
        click.secho(f"\n{verdict}: {len(flags):,}", bold=True)
        for each in sorted(flags, key=lambda each: -each.flag.score):
            _show_flag(each)
    missed = [(case, each) for case in cases for each in case.missed]
    click.secho(f"\nmissed: {len(missed):,}", bold=True)
    for case, expected in missed:
        kind = f"{expected.kind}, {expected.type}" if expected.type else expected.kind
        click.echo(plain(f"{case.case.name}: {kind}"))
        _show_quote("-", expected.document, expected.quote)
        _show_quote("+", ", ".join(expected.by) or "-", expected.new)


def _show_flag(each: JudgedFlag) -> None:
    flag = each.flag
    why = f" ({each.why})" if each.why else ""
    click.echo(plain(f"{each.case}: {flag.kind} {short(flag.score)} since {iso(flag.cause)[:10]}{why}"))
    _show_quote("-", flag.quote.document, flag.quote.text)
    if flag.by is not None:
        _show_quote("+", flag.by.document, flag.by.text)
    click.secho(f"  {plain(flag.change)}", dim=True)


def _show_quote(sign: str, document: str, quote: str) -> None:
    click.echo(f"  {sign} {plain(document)}: {plain(' '.join(quote.split()))}")


# -- leakage ---------------------------------------------------------------------------------------------


def _show_leakage(leakage: StaleLeakage) -> None:
    asked = f"{counted(leakage.flags, 'flag')} compared, {leakage.moments:,} corpora cut at earlier moments"
    if leakage.clean:
        click.secho(f"leakage: none ({asked}; the same to the last bit)", bold=True)
    else:
        differ = counted(len(leakage.differences), "difference")
        click.secho(f"leakage: {differ} ({asked})", fg="red", bold=True)
    for each in leakage.differences[:SHOWN_DIFFERENCES]:
        click.echo(
            f"  {plain(each.case)} as of {format_instant(each.as_of)}: {each.what} at rank {each.rank}: "
            f"{_brief(each.whole)} in the whole corpus, {_brief(each.cut)} in the cut one"
        )
    if len(leakage.differences) > SHOWN_DIFFERENCES:
        click.echo(f"  and {len(leakage.differences) - SHOWN_DIFFERENCES:,} more: --json lists them all")


def _brief(value: str | None) -> str:
    text = plain(str(value))
    return text if len(text) <= LONGEST_DIFFERENCE else f"{text[: LONGEST_DIFFERENCE - 1]}…"
