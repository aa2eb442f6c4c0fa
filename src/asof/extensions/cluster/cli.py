"""The commands `asof push` and `asof pull`: a corpus at a URL."""

from __future__ import annotations

from pathlib import Path

import click

from asof.cli.main import DONE, corpus_root, index_option
from asof.cli.terminal import counted, show

DAY = 86_400
"""Seconds of a day."""


@click.command()
@click.argument("url")
@index_option
@click.option(
    "--vacuum", "days", type=click.FloatRange(0, 36_500), metavar="DAYS",
    help="Remove what has not belonged to the published index for so many days; 0: all of it, now.",
)  # fmt: skip
def push(url: str, index: Path | None, days: float | None) -> int:
    """Publish the index at URL: s3://BUCKET/PREFIX, gs:// and az:// likewise, or file:///FOLDER.

    Only what has changed is sent, and others may write to the index meanwhile. Who reads from URL sees the
    state before or this one. Keys come from the environment (AWS_ACCESS_KEY_ID ...). What `asof purge` erased
    is gone from URL after a push with --vacuum 0, if no other push is under way then; a pull begins anew.
    """
    from asof.extensions.cluster import transfer
    from asof.extensions.cluster.storage import Storage

    folder = corpus_root(index)
    storage = Storage(url, make=True)
    report = transfer.push(folder, storage)
    states = ", ".join(map(str, report.numbers))
    show(f"{storage.url}: state {states}; sent {counted(report.objects, 'object')}, {report.bytes:,} bytes")
    if days is not None:
        show(f"removed {counted(transfer.vacuum(storage, days * DAY), 'object')}")
    return DONE


@click.command()
@click.argument("url")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def pull(url: str, folder: Path) -> int:
    """Bring the index that was published at URL to FOLDER, or FOLDER up to date.

    `--index FOLDER` then asks it; it is only read. Only what has changed is sent. Who has FOLDER open keeps
    that state, and the state before stays in FOLDER until the next one comes, or something was erased.
    `--index URL` does the same, in a folder of the user's caches.
    """
    from asof.extensions.cluster import transfer
    from asof.extensions.cluster.storage import Storage

    report = transfer.pull(Storage(url), folder)
    states = ", ".join(map(str, report.numbers))
    news = f"received {report.bytes:,} bytes" if report.changed else "no news"
    show(f"{folder}: state {states}; {news}")
    return DONE
