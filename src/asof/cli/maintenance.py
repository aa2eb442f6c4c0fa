"""Commands that maintain a corpus: status, correct, purge, vacuum, export, backup, trust, embed, recipes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof import environment
from asof.cli.main import (
    DONE,
    EPILOG,
    NOTHING,
    PROBLEMS,
    TIMES,
    corpus_root,
    echo_err,
    explain_no_hits,
    given,
    index_option,
    json_option,
    open_corpus,
    parameter_options,
    print_json,
    sure,
    time_argument,
)
from asof.cli.terminal import count_progress, counted, plain, problem_lines, show
from asof.errors import AsofError, UsageError
from asof.parameters import ExportParameters
from asof.results import StatusResult

if TYPE_CHECKING:
    from asof.index.manifest import EmbeddingReport
    from asof.models.local import RecommendedEncoder
    from asof.store.status import CorpusStatus


# -- status, correct, purge, vacuum --------------------------------------------------------------------


@click.command()
@click.option("--check", is_flag=True, help="Check every byte of store and index; rebuild what is damaged.")
@index_option
@json_option
def status(check: bool, index: Path | None, as_json: bool) -> int:
    """Show what the corpus contains, how it is dated, and its size."""
    with open_corpus(index) as corpus:
        problems = corpus.check() if check else None
        figures = corpus.status()
    if as_json:
        print_json(StatusResult(figures, problems))
    else:
        show_status(figures)
        for line in problems or ():
            show(plain(line))
        if problems == []:
            click.echo("checked: store and index are sound")
    return PROBLEMS if problems else DONE


UNDATED_VISIBLE = {
    "added": "visible since they were indexed",
    "always": "visible as of any date",
    "never": "never visible",
}
"""The meaning of the values of the setting `undated`."""


def show_status(figures: CorpusStatus) -> None:
    from asof.time.span import format_instant, iso

    settings = figures.settings
    dated = ", ".join(f"{count:,} {how}" for how, count in figures.dated_by.items() if how != "none")
    span = "no date is known"
    if figures.first is not None and figures.last is not None:
        span = f"{iso(figures.first)[:10]} to {iso(figures.last - 1)[:10]}"
    languages = ", ".join(f"{count:,} {code}" for code, count in figures.languages.items())
    current = figures.current_passages
    rows = [
        ("documents", f"{figures.documents:,}, and {figures.ended:,} removed"),
        ("versions", f"{figures.versions:,}"),
        ("passages", f"{current:,}, and {figures.passages - current:,} superseded or removed"),
        ("published", span),
        *([("dated by", dated)] if dated else []),
        ("undated", f"{figures.undated:,} ({UNDATED_VISIBLE[settings.undated]})"),
        ("languages", f"{languages}; {'words by their stems' if settings.stem else 'words as written'}"),
        ("chunking", f"{settings.chunking} (size of a passage)"),
        ("encoder", settings.encoder or "none (words only)"),
        ("segments", f"{len(figures.segments):,} ({sum(size for _, _, size in figures.segments):,} bytes)"),
        ("on disk", f"{figures.bytes:,} bytes"),
        *[("derived", line) for line in figures.derived],
        *[("problem", line) for line in problem_lines(figures.problems)],
        *[("source", f"{each.name} ({each.kind}): {each.documents:,} documents") for each in figures.sources],
    ]  # fmt: skip
    if figures.horizon is not None:
        rows.append(("history", f"since {format_instant(figures.horizon)}; what was before was dropped"))
    for label, value in rows:
        show(f"{label:>10}  {plain(value)}", hang=len(label) + 2)


@click.command(epilog=f"T is a date, a period or a moment: {TIMES}.")
@click.argument("document")
@time_argument("published", "T")
@index_option
def correct(document: str, published: str, index: Path | None) -> int:
    """Correct the date of DOCUMENT: it was published at T. The earlier date stays visible with --known-at.

    DOCUMENT is its id, or its title, file name or part of its path where only one has it.
    """
    with open_corpus(index) as corpus:
        document = corpus.at().called(document)
        corpus.correct(document, published)
    click.echo(f"{plain(document)}: published {published} from now on; indexing its source again keeps this")
    return DONE


@click.command()
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask.")
@index_option
def purge(document: str, yes: bool, index: Path | None) -> int:
    """Erase DOCUMENT with all its versions for good: text, index, caches.

    DOCUMENT is its id, or its title, file name or part of its path where only one has it; with --yes a part
    has to be whole folders and the file's name.
    """
    from asof.corpus.maintenance import erasure_of

    with open_corpus(index) as corpus:
        corpus.tidy()  # finishes a purge that was killed, whose document is not found any more
        going = corpus.maintenance.purged_with(document)
        if not going:
            document = corpus.maintenance.ever_called(document, part=not yes)
            going = corpus.maintenance.purged_with(document)
        names = plain(" with ".join(going))
        question = f"Erase {names} and all its history? This cannot be undone."
        if not yes and not sure(question, "nothing was erased"):
            return NOTHING
        erased = corpus.purge(document)
    later = "remove it from its source too, or it comes back"
    erasure, _ = erasure_of(document)
    if erasure is not None and erasure.lasting:
        later = "it is fetched again only if you index it by its id"
    click.echo(f"{names}: erased, {counted(erased, 'passage')}; {later}")
    return DONE


@click.command(epilog=f"BEFORE is a date, a period or a moment: {TIMES}. Its first instant counts.")
@time_argument("before", "BEFORE")
@click.option("--yes", is_flag=True, help="Do not ask.")
@index_option
def vacuum(before: str, yes: bool, index: Path | None) -> int:
    """Drop the history before BEFORE: what no question as of then or later can see.

    From now on questions as of an earlier time are refused, and so is --known-at before this command.
    """
    from asof.corpus.maintenance import horizon_of

    with open_corpus(index) as corpus:
        horizon_of(before, corpus.session.clock(), corpus.session.times)  # refused before it is asked
        question = f"Drop all history before {before}? This cannot be undone."
        if not yes and not sure(question, "nothing was dropped"):
            return NOTHING
        erased = corpus.vacuum(before)
    click.echo(f"{counted(erased, 'passage')} dropped; questions as of a time before {before} are refused")
    return DONE


# -- export --------------------------------------------------------------------------------------------


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--backup", is_flag=True, help="Copy the database of the index instead, with all that is in it."
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@parameter_options(ExportParameters)
@index_option
@click.pass_context
def export(
    context: click.Context, asked: ExportParameters, file: Path, backup: bool, force: bool,
    index: Path | None,
) -> int:  # fmt: skip
    """Write all documents to FILE: a .jsonl or .jsonl.gz with all their versions and dates, or a .csv or
    .xlsx with the statements that are current.

    Each line of .jsonl is a version, which `asof index FILE` reads, in any index. When the versions were
    added, vectors, facts and feedback are not in it. Each row of .csv or .xlsx is a statement as of a moment:
    a sentence, an item of a list, a row of a table or a field, with its document, place, dates and citation.

    --backup copies the index with all that is in it, while others read and write; only you may read FILE
    then. Put into another folder as .asof/corpus.db it is the same index: what is missing beside it is made
    again.
    """
    is_table = not backup and file.suffix.lower() in TABLES
    chosen = [name for name in given(context) if name in ExportParameters.__struct_fields__]
    if chosen and not is_table:
        name = chosen[0].replace("_", "-")
        raise click.UsageError(f"--{name} goes with a FILE that ends in {' or '.join(TABLES)}")
    if is_table:
        return _export_statements(file, asked, index, overwrite=force)
    if backup:
        with open_corpus(index) as corpus:
            size = corpus.backup(file, overwrite=force)
        click.echo(f"{plain(str(file))}: {size:,} bytes")
        return DONE
    started = time.perf_counter()
    with open_corpus(index) as corpus:
        report = corpus.export(file, overwrite=force)
    seconds = time.perf_counter() - started
    if report.left_out:
        values = counted(report.left_out, "value")
        echo_err(f"{values} of metadata are left out: called as a field of a line, or too long a list")
    click.echo(
        f"{plain(str(file))}: {counted(report.documents, 'document')}, "
        f"{counted(report.versions, 'version')}, {report.bytes:,} bytes in {seconds:.1f} s"
    )
    return DONE


TABLES = (".csv", ".xlsx")
"""The suffixes of files of statements."""


def _export_statements(file: Path, asked: ExportParameters, index: Path | None, *, overwrite: bool) -> int:
    from asof.cli.formats import write_statements
    from asof.store.export import replacing

    started = time.perf_counter()
    with open_corpus(index) as corpus:
        then = asked.at(corpus)
        filters = asked.filters(then)
        with replacing(file, overwrite=overwrite) as passing, passing.open("xb") as out:
            count = write_statements(out, file.suffix.lower()[1:], then, filters)
        if not count:
            explain_no_hits(then, asked.since, asked.until)
    seconds = time.perf_counter() - started
    size = file.stat().st_size
    click.echo(f"{plain(str(file))}: {counted(count, 'statement')}, {size:,} bytes in {seconds:.1f} s")
    return DONE if count else NOTHING


# -- trust ---------------------------------------------------------------------------------------------


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--list", "listed", is_flag=True, help="Show the folders that are trusted.")
@click.option("--revoke", is_flag=True, help="Stop trusting FOLDER.")
def trust(folder: Path | None, listed: bool, revoke: bool) -> int:
    """Let asof.toml of FOLDER (default: that of the corpus here) name models, addresses and keys.

    Without it the file sets only how searches work. Models, addresses and keys come from your own
    configuration, ~/.config/asof/config.toml, or from options. The trust is stored outside of the folder and
    ends when the file changes; see SECURITY.md.
    """
    if listed:
        if folder is not None or revoke:
            raise UsageError("--list goes alone: it shows all folders that are trusted")
        return _list()
    chosen = corpus_root(None) if folder is None else folder
    return _revoke(chosen) if revoke else _trust(chosen)


def _trust(folder: Path) -> int:
    named = environment.trust(folder)
    click.echo(f"trusted: {plain(str(folder.resolve()))}, until its asof.toml changes")
    for table, words in named.items():
        click.echo(f"  [{table}] {plain(words)}")
    if not named:
        click.echo("  it names no model, address or key")
    return DONE


def _revoke(folder: Path) -> int:
    there = environment.distrust(folder)
    click.echo(f"{'no longer' if there else 'was not'} trusted: {plain(str(folder.resolve()))}")
    return DONE if there else NOTHING


def _list() -> int:
    folders = environment.trusted_folders()
    for name, same in folders.items():
        click.echo(plain(name) + ("" if same else "  (asof.toml has changed since: trust it again)"))
    if not folders:
        click.echo("no folder is trusted")
    return DONE if folders else NOTHING


# -- embed ---------------------------------------------------------------------------------------------


@click.command()
@click.option(
    "--encoder", "name", metavar="NAME",
    help="english or multilingual (recommended), hashed, or a model: a folder, package:NAME, a name on the "
    "hub; kept: that of the corpus; none: words only, vectors are removed.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Download the recommended encoder without asking.")
@index_option
def embed(name: str | None, yes: bool, index: Path | None) -> int:
    """Give all passages vectors, so that a question finds what is said in other words.

    The encoder is the one that asof.toml names, else the recommended one. Existing vectors are used, so an
    interrupted run continues. Searches meanwhile use the vectors that there are so far, and say how many are
    missing; those of another encoder serve until the end.
    """
    from asof.corpus.corpus import encoder_named
    from asof.models.local import RECOMMENDED, LocalEncoder, recommended_for

    started = time.perf_counter()
    with open_corpus(index) as corpus:
        before = corpus.store.settings.encoder
        if name is None and (encoder := corpus.models.encoder()) is None:
            if "encoder" in corpus.config.withheld:
                raise corpus.config.lacking("encoder", "no encoder is named")
            name = "kept" if before else recommended_for(corpus.store.settings.languages)
        if name in RECOMMENDED and not _may_download(RECOMMENDED[name], yes):
            return NOTHING
        if name == "kept":
            encoder = corpus.manifest.encoder
        elif name is not None:
            encoder = encoder_named(name, Path.cwd())
            if isinstance(encoder, LocalEncoder) and name not in ("configured", *RECOMMENDED):
                _remember(encoder.name, name)
        with count_progress("embedding", "passages") as advance:
            report = corpus.embed(encoder, advance)
        _show(report, before, time.perf_counter() - started)
    return DONE


def _remember(encoder: str, model: str) -> None:
    """Keep which model an encoder is, so that searches find it; tell the user where that is impossible."""
    folder = Path(model).expanduser()
    try:
        environment.remember(
            environment.ENCODERS, encoder, str(folder.resolve()) if folder.is_dir() else model
        )
    except AsofError as error:
        echo_err(f"{error}; searches need the model in [encoder] of asof.toml")


def _may_download(chosen: RecommendedEncoder, yes: bool) -> bool:
    """Tells what is downloaded from where, and asks once; True if it is here already."""
    if chosen.is_here:
        return True
    click.echo(f"{chosen.about}", err=True)
    question = f"Download it once, {chosen.megabytes} MB from huggingface.co/{chosen.model}?"
    return yes or sure(question, "nothing was downloaded")


def _show(report: EmbeddingReport, before: str, seconds: float) -> None:
    what = f"{plain(report.encoder)}, {report.dimensions or 0} dimensions" if report.encoder else "words only"
    new = f", {report.encoded:,} encoded" if report.encoder else ""
    was = f"; before: {plain(before) or 'words only'}" if report.changed else "; nothing to change"
    click.echo(f"encoder: {what}; {counted(report.passages, 'passage')}{new} in {seconds:.1f} s{was}")


# -- recipes -------------------------------------------------------------------------------------------


@click.command()
@click.argument("name", required=False)
@index_option
def recipes(name: str | None, index: Path | None) -> int:
    """List the recipes; with NAME its stages and all fields that can be set.

    `asof search --recipe NAME` uses one; asof.toml chooses one for good ([search] recipe = "twe") and sets
    its fields ([recipes.twe] decay.tau_min = 365).
    """
    from asof import recipes as known
    from asof.config import FILE
    from asof.schema import plain

    configured = environment.configuration(Path.cwd() if isinstance(index, str) else corpus_root(index))
    chosen = [configured.recipe_named(each) for each in ([name] if name else known.all_names())]
    for each in chosen:
        default = "  (default)" if each.name == configured.recipe else ""
        show(f"{click.style(f'{each.name:<10}', bold=True)} {each.about}{default}", hang=11)
    if name:
        published = dict(known.named(name).fields())
        show(f"stages: {', '.join(chosen[0].stages_by_name())}", hang=8)
        own = dict(environment.own_configuration().recipe_named(name).fields())
        for key, value in chosen[0].fields():
            file = environment.user_configuration() if own.get(key) == value else FILE
            changed = "" if published.get(key) == value else f"  ({file})"
            show(f"  {key} = {json.dumps(plain(value))}{changed}", hang=4)
    return DONE
