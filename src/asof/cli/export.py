"""`asof export` and `asof backup`: a corpus written out as lines, and its database copied."""

from __future__ import annotations

import time
from pathlib import Path

import click

from asof.cli.main import DONE, echo_err, index_option, json_option, open_corpus, print_json
from asof.cli.terminal import counted, plain


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@index_option
@json_option
def export(file: Path, force: bool, index: Path | None, as_json: bool) -> int:
    """Write all documents with all their versions and dates to FILE, a .jsonl or .jsonl.gz.

    Each version is a line that `asof index FILE` reads, in any index. When the versions were added, vectors,
    facts and feedback are not in it: for all of that there is `asof backup`.
    """
    started = time.perf_counter()
    with open_corpus(index) as corpus:
        report = corpus.export(file, overwrite=force)
    seconds = time.perf_counter() - started
    if report.left_out:
        values = counted(report.left_out, "value")
        echo_err(f"{values} of metadata are left out: called as a field of a line, or too long a list")
    if as_json:
        print_json({
            "file": str(file), "documents": report.documents, "versions": report.versions,
            "left_out": report.left_out, "bytes": report.bytes, "took_ms": round(1_000 * seconds, 1),
        })  # fmt: skip
    else:
        click.echo(
            f"{plain(str(file))}: {counted(report.documents, 'document')}, "
            f"{counted(report.versions, 'version')}, {report.bytes:,} bytes in {seconds:.1f} s"
        )
    return DONE


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@index_option
def backup(file: Path, force: bool, index: Path | None) -> int:
    """Copy the database of the index to FILE, which only you may read; others may read and write meanwhile.

    Put into another folder as .asof/corpus.db it is the same index: what is missing beside it is made again.
    """
    with open_corpus(index) as corpus:
        size = corpus.backup(file, overwrite=force)
    click.echo(f"{plain(str(file))}: {size:,} bytes")
    return DONE
