"""`asof export`."""

from __future__ import annotations

import time
from pathlib import Path

import click

from asof.cli.main import DONE, index_option, json_option, open_corpus, print_json
from asof.cli.terminal import counted, plain


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@index_option
@json_option
def export(file: Path, force: bool, index: Path | None, as_json: bool) -> int:
    """Write all documents with all their versions and dates to FILE, a .jsonl or .jsonl.gz.

    `asof index FILE` in another folder reads it into a new index that gives the same answers as of any date.
    Vectors, facts, replies of models and feedback are not in it; see docs/guides/export.md.
    """
    started = time.perf_counter()
    with open_corpus(index) as corpus:
        report = corpus.export(file, overwrite=force)
    seconds = time.perf_counter() - started
    if as_json:
        print_json({
            "file": str(file), "documents": report.documents, "versions": report.versions,
            "bytes": report.bytes, "took_ms": round(1_000 * seconds, 1),
        })  # fmt: skip
    else:
        click.echo(
            f"{plain(str(file))}: {counted(report.documents, 'document')}, "
            f"{counted(report.versions, 'version')}, {report.bytes:,} bytes in {seconds:.1f} s"
        )
    return DONE
