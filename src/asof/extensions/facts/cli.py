"""The commands `asof facts`, `asof report` and `asof precompute`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import environment
from asof.cli.ask import used
from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    TIMES,
    corpus_root,
    echo_err,
    explain_no_hits,
    format_option,
    index_option,
    json_option,
    note_answers,
    open_corpus,
    print_json,
    print_result,
    verb_command,
)
from asof.cli.terminal import (
    count_progress,
    counted,
    moment_text,
    plain,
    problem_lines,
    readable,
    shortened,
    show,
    waiting_progress,
)
from asof.errors import UsageError
from asof.extensions.facts import verbs
from asof.extensions.facts.verbs import FactsParameters, ReportParameters
from asof.hits import Usage
from asof.models.metered import TOKENS, USD, budget_text
from asof.time.span import format_instant, iso
from asof.wire import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from asof.config import Config
    from asof.documents import Problem, SourcedTime
    from asof.extensions.facts.consistency import CorroboratingPassage
    from asof.extensions.facts.extraction import ExtractionReport
    from asof.extensions.facts.names import NameMerge
    from asof.extensions.facts.reports import PeriodReport, PeriodReports, ReportCitation, ReportPoint
    from asof.extensions.facts.timeline import FactEntry, FactLine
    from asof.extensions.facts.visible import StatedFact
    from asof.hits import Usage


# -- labels of facts -------------------------------------------------------------------------------


WIDTH = 60
"""The most characters of an object in a line."""


def time_label(when: SourcedTime | None) -> str:
    """The time of a fact: its period by its canonical name (a fiscal one by its own words), else its days;
    "" where none is known."""
    if when is None:
        return ""
    from asof.time.span import label

    words = label(when.span)
    return f"{words} ({plain(when.text)})" if "fiscal" in when.text.casefold() else words


def stretch_label(start: int | None, end: int | None) -> str:
    """From when until when a state holds (instants; `end` is not in it); "since" where no end is stated."""
    if end is None:
        return "" if start is None else f"since {iso(start)[:10]}"
    return f"until {iso(end)[:10]}" if start is None else f"{iso(start)[:10]} - {iso(end)[:10]}"


def head(
    subject: str, names: Sequence[str], as_of: int, known_at: int, counted: str, *, dated: bool, known: bool
) -> str:
    """The first line: who, when, how many."""
    also = f" ({', '.join(plain(name) for name in names)})" if names else ""
    moment = moment_text(as_of, known_at, dated=dated, known=known)
    return f"{click.style(plain(subject) + also, bold=True)}{click.style(f' {moment} · {counted}', dim=True)}"


def unknown(subject: str, near: Sequence[str]) -> str:
    """The message for a name that no fact has."""
    suggestion = f"; did you mean {' or '.join(plain(name) for name in near)}?" if near else ""
    return f"no fact about {plain(subject)}{suggestion}"


# -- asof facts ------------------------------------------------------------------------------------


@verb_command(FactsParameters, subject="SUBJECT")
@click.option("--why", is_flag=True, help="The sentence behind each fact, and why names mean the same.")
@format_option
def facts(asked: FactsParameters, index: Path | None, as_json: bool, how: str | None, why: bool) -> int:
    """List the facts about SUBJECT by time, with what superseded what.

    All names of SUBJECT in the documents count. A figure holds for its period, a state until the next one.
    Facts that several documents state, and contradictions, are marked.
    """
    if why and how not in (None, "json"):
        raise click.UsageError(f"--why does not go with --format {how}")
    clocks = {"dated": asked.as_of is not None, "known": asked.known_at is not None}
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        line = verbs.facts(corpus, asked)
        if not line.groups and not (as_json or how):
            explain_no_hits(asked.at(corpus), asked.since, asked.until)
    if not print_result(line, how, as_json=as_json):
        show_facts(line, why=why, **clocks)
    return DONE if line.groups else NOTHING


def show_facts(line: FactLine, *, why: bool, dated: bool, known: bool) -> None:
    """The facts of a subject, by relation. `dated`, `known`: which clocks were set."""
    if not line.known:
        show(unknown(line.query, line.near))
        return
    others, counts = other_names(line)[:MOST_NAMES], counted(line.count, "fact")
    show(head(line.subject, others, line.as_of, line.known_at, counts, dated=dated, known=known))
    if line.left_out:
        show(f"({line.left_out:,} older left out; -k {line.left_out + line.count} shows all)", dim=True)
    for merge in line.merges if why else ():
        show(f"  {_merge(merge)}", hang=2, dim=True)
    if not line.groups:
        click.echo("nothing found")
    for group in line.groups:
        who = "" if group.subject == line.subject else f"{plain(group.subject)}: "
        show(f"  {who}{plain(group.relation)}", fg="cyan")
        _show_entries(group.entries, why=why)


MOST_NAMES = 3


def other_names(line: FactLine) -> list[str]:
    """One spelling of each other name of the subject, those of most documents first."""
    from asof.text.query import key

    spelled = {key(name): name for name in reversed(line.names)}
    return [name for each, name in reversed(spelled.items()) if each != key(line.subject)]


def _show_entries(entries: tuple[FactEntry, ...], *, why: bool) -> None:
    """Shows a line for each fact, in columns: time, fact, place."""
    rows = [(_when(each), shortened(plain(each.known.fact.object), WIDTH)) for each in entries]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for cells, entry in zip(rows, entries, strict=True):
        row = "   ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True) if width)
        show(f"    {row}   {click.style(f'[{plain(entry.known.passage.document)}]', dim=True)}", hang=2)
        for mark, colour in _marks(entry):
            show(f"      {mark}", hang=2, fg=colour)
        if why:
            show(f"      {_evidence(entry.known)}", hang=2, dim=True)


def _when(entry: FactEntry) -> str:
    from asof.extensions.facts.consistency import is_state

    if is_state(entry.known.fact):
        return stretch_label(entry.start, entry.end)
    return time_label(entry.known.fact.when)


def _marks(entry: FactEntry) -> list[tuple[str, str]]:
    marks = []
    if entry.superseded is not None:
        marks.append((f"superseded by {_other(entry.superseded)}", "yellow"))
    if entry.corroborated:
        documents = ", ".join(plain(each.document) for each in entry.corroborated)
        marks.append((f"also stated by {documents}", "green"))
    marks += [(f"contradicted by {_other(each)}", "red") for each in entry.contradicted]
    if entry.ended is not None:
        marks.append((f"removed on {format_instant(entry.ended)}", "yellow"))
    return marks


def _other(other: CorroboratingPassage) -> str:
    return f"{shortened(plain(other.object), WIDTH)} [{plain(other.document)}] ({format_instant(other.at)})"


def _evidence(fact: StatedFact) -> str:
    """The sentence of a fact, and how its time is known."""
    stated = fact.fact.when
    dated = f"; time read from {_source(stated.by, stated.text)}" if stated else "; no time is known"
    sentence = f'"{readable(fact.sentence)}"' if fact.sentence else "(stated by the head of the document)"
    return f"{sentence} - visible since {format_instant(fact.passage.visible)}{dated}"


def _source(by: str, text: str) -> str:
    if by == "published":
        return "the date of publication"
    where = {"text": "its words", "title": "the title", "heading": "a heading"}.get(
        by, f"metadata ({plain(by)})"
    )
    return f"{where}: {plain(text)}" if text else where


def _merge(merge: NameMerge) -> str:
    reason = f'"{readable(merge.sentence)}"' if merge.sentence else "its title and metadata"
    where = "" if merge.everywhere else " (in this document only)"
    return (
        f"{plain(merge.other)} is {plain(merge.name)}: {reason}"
        f" [{plain(merge.document)}] ({format_instant(merge.at)}){where}"
    )


# -- asof report -----------------------------------------------------------------------------------


@verb_command(ReportParameters, f"PERIOD and T are dates, periods or moments: {TIMES}.", period="PERIOD")
@format_option
def report(asked: ReportParameters, index: Path | None, as_json: bool, how: str | None) -> int:
    """Summarise PERIOD from the facts of its days, months and quarters.

    At most twelve points: what several documents say, what changed against the period before, what is new,
    and what most facts turn on. Without a model they are sentences of the documents; with [model] in
    asof.toml the model writes them, from facts that it has to cite.
    """
    with open_corpus(index) as corpus, waiting_progress(corpus):
        note_answers(corpus.config)
        reports = verbs.report(corpus, asked)
        if not reports.reports and not (as_json or how):
            explain_no_hits(asked.at(corpus))
    if not print_result(reports, how, as_json=as_json):
        show_reports(reports, dated=asked.as_of is not None, known=asked.known_at is not None)
    return DONE if reports.reports else NOTHING


def show_reports(reports: PeriodReports, *, dated: bool, known: bool) -> None:
    """Reports, one below the other. `dated`, `known`: which clocks were set."""
    moment = moment_text(reports.as_of, reports.known_at, dated=dated, known=known)
    for at, each in enumerate(reports.reports):
        if at:
            click.echo()
        _show(each, moment)
    for note in reports.notes:
        show(f"({plain(note)})", dim=True)


def _show(report: PeriodReport, moment: str) -> None:
    by = "" if report.by == "extract" else f" · by {plain(report.by)}"
    click.echo(click.style(plain(report.title), bold=True) + click.style(f"  {moment}{by}", dim=True))
    show(f"  {readable(report.summary, LONGEST_SUMMARY)}")
    if report.rating is not None:
        from asof.extensions.facts.reports import MAX_RATING

        why = f": {plain(report.rating_explanation)}" if report.rating_explanation else ""
        show(f"  rated {report.rating:g} of {MAX_RATING}{why}", dim=True)
    for point in report.points:
        _show_point(point)
    for note in report.notes:
        show(f"  ({plain(note)})", dim=True)


MOST_CITED = 3  # citations of a point
LONGEST_SUMMARY = 2_000  # characters


def _show_point(point: ReportPoint) -> None:
    show(f"  - {readable(point.text_with_subject)}", hang=2)
    for change in point.changes:
        show(f"    {plain(change)}", fg="cyan")
    for quote in point.citations[:MOST_CITED]:
        show(f"    {_from(quote)}", hang=2, dim=True)
    if len(point.citations) > MOST_CITED:
        click.secho(f"    and {len(point.citations) - MOST_CITED:,} more", dim=True)


def _from(quote: ReportCitation) -> str:
    """The source of a point: its time in words, the document, and the date of publication."""
    when = f"{plain(quote.when.text)}: " if quote.when and quote.when.text else ""
    published = f", {plain(quote.published.text)}" if quote.published else ""
    return f"{when}{shortened(plain(quote.title or quote.document), 80)}{published} [{plain(quote.document)}]"


# -- asof precompute: facts ahead of questions, and their cost -------------------------------------


@click.command()
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="Stop before facts cost more.")
@index_option
@json_option
def precompute(budget: float | None, index: Path | None, as_json: bool) -> int:
    """Read new passages for facts, as [facts] says, so that no question has to wait for it.

    What fails or exceeds the budget is left for the next run (exit code 3).
    """
    from asof.extensions.facts.indexer import Precomputed, precompute_facts

    _check(environment.configuration(corpus_root(index)), budget)
    with open_corpus(index) as corpus:
        started = time.perf_counter()
        with count_progress("facts", "passages") as advance:
            extraction = precompute_facts(corpus, progress=advance, budget=budget)
        seconds = time.perf_counter() - started
    if as_json:
        print_json(Precomputed(extraction))
    else:
        _show_extraction(extraction, seconds, budget)
    return DONE if extraction.complete else PROBLEMS


def _check(config: Config, budget: float | None) -> None:
    """Raises UsageError for a budget without prices, MissingExtra where a model is to be asked."""
    from asof.corpus.session import check_llm_extra
    from asof.extensions.facts.model import MODEL, ExtractionSettings

    if budget is not None and config.model is not None and config.model.prices is None:
        raise UsageError("--budget is in US dollars: [model] needs prices = {prompt = 0.15, reply = 0.60}")
    if config.model is not None and ExtractionSettings.of(config.tables).extractor == MODEL:
        check_llm_extra()


def _show_extraction(extraction: ExtractionReport, seconds: float, budget: float | None) -> None:
    failed = f", {len(extraction.problems):,} could not be read" if extraction.problems else ""
    counts = f"{counted(extraction.passages, 'passage')} read, {counted(extraction.facts, 'fact')}"
    _show_done(f"facts: {counts}{failed}", seconds, extraction.cost)
    if extraction.dropped:
        why = ", ".join(f"{count:,} {reason}" for reason, count in sorted(extraction.dropped.items()))
        echo_err(f"  facts of replies that were dropped: {why}")
    _show_problems(extraction.problems)
    if extraction.left:
        spent = extraction.cost is not None and extraction.cost.refused
        why = _used_up(budget, extraction.cost) if spent else "the model did not reply"
        _show_left(counted(extraction.left, "passage"), why)


def _show_done(what: str, seconds: float, cost: Usage | None) -> None:
    click.echo(f"{what} in {seconds:.1f} s{f'; {used(cost)}' if cost is not None and cost.calls else ''}")


def _show_problems(found: Sequence[Problem]) -> None:
    for line in problem_lines(replace(problem, file=problem.document) for problem in found):
        echo_err(f"  {line}")


def _show_left(what: str, why: str) -> None:
    echo_err(f"  {what} left: {why}; the next run goes on with them")


def _used_up(budget: float | None, meter: Usage | None) -> str:
    unit = TOKENS if meter is None or meter.cost is None else USD
    return f"the budget of {budget_text(budget or 0.0, unit)} is used up"
