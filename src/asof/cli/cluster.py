"""`asof cluster`: a corpus in shards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from asof.cli import cluster_storage
from asof.cli.any_corpus import storage_of
from asof.cli.main import DONE, corpus_root, index_option, json_option, print_json
from asof.cli.terminal import plain, show

if TYPE_CHECKING:
    from asof.cluster.status import ClusterStatus, ShardStatus, StorageStatus


@click.group()
def cluster() -> None:
    """Look after a corpus in shards, in a folder or at a URL: asof cluster COMMAND -h says more.

    asof index SOURCE --shards N makes one. With it work, as with any other: index, import, watch, search,
    ask, timeline, diff, facts, graph, report, links, why-not, when, open, serve, mcp, status, correct, purge,
    vacuum and export.
    """


@cluster.command()
@index_option
@json_option
def status(index: Path | str | None, as_json: bool) -> int:
    """Show the shards: what they hold, who writes to them, and how far this machine's copy is behind."""
    from asof.cluster.status import of_folder, of_storage
    from asof.serialize.cluster import cluster_json

    found = of_storage(storage_of(index)) if isinstance(index, str) else of_folder(corpus_root(index))
    if as_json:
        print_json(cluster_json(found))
    else:
        _show(found)
    return DONE


def _show(status: ClusterStatus) -> None:
    from asof.time.span import iso

    for label, value in _storage_rows(status.storage) if status.storage else ():
        show(f"{label:>8}  {plain(value)}", hang=10)
    widths = [max(len(f"{getattr(each, name):,}") for each in status.shards) for name in _COUNTS]
    for each in status.shards:
        counts = ", ".join(
            f"{getattr(each, name):>{width},} {name}" for name, width in zip(_COUNTS, widths, strict=True)
        )
        show(f"{f'shard {each.shard}':>8}  {counts}{plain(_written(each))}", hang=10)
    for name, count in status.formats.items():
        show(f"  format  {count:,} in {plain(name)}", hang=10)
    if status.partial is not None:
        show(
            f" partial  some shards have writes after {iso(status.partial)} that others lack: a writer is at "
            "work, or was killed; the next run completes them", hang=10,
        )  # fmt: skip
    if status.former:
        show(f"  former  {status.former} folders of former shards stay while somebody has them open", hang=10)


_COUNTS = ("documents", "passages", "segments", "bytes")


def _storage_rows(storage: StorageStatus) -> list[tuple[str, str]]:
    kept = f"; {storage.oldest} to {storage.number} are kept" if storage.oldest < storage.number else ""
    copy = f"{storage.copy}: "
    if storage.copied is None:
        copy += "nothing was fetched yet"
    else:
        copy += f"state {storage.copied}" + (f", {storage.behind} behind" if storage.behind else "")
    pins = ", ".join(f"{name} ({number})" for name, number in sorted(storage.pins.items()))
    return [
        ("storage", storage.url), ("state", f"{storage.number}, of {storage.written}{kept}"),
        *([("pins", pins)] if pins else []), ("copy", copy),
    ]  # fmt: skip


def _written(shard: ShardStatus) -> str:
    from asof.time.span import iso

    head = f", written {iso(shard.head)[:19]}Z" if shard.head else ""
    if shard.epoch is None:
        return head
    writer = f", epoch {shard.epoch} ({shard.writer}, {shard.claimed[:19]}Z)" if shard.epoch else ""
    return f"{head}{writer}{'' if shard.here else ', not fetched'}"


@cluster.command()
@click.option(
    "--shards", type=click.IntRange(1, 4096), metavar="N", required=True, help="So many, more than now."
)
@index_option
def grow(shards: int, index: Path | str | None) -> int:
    """Give the corpus more shards; one in one piece becomes one in shards.

    Documents move to the new shards whole, with all that was known of them. Readers go on; writers wait, or
    are fenced at a URL. It takes as much space again as the corpus has.
    """
    from asof.cluster.grow import grow as grow_folder
    from asof.cluster.grow_at_url import grow_at_url
    from asof.store.store import FOLDER

    if isinstance(index, str):
        grow_at_url(storage_of(index), shards)
    else:
        grow_folder(corpus_root(index) / FOLDER, shards)
    click.echo(f"{shards} shards")
    return DONE


for command in (cluster_storage.backup, cluster_storage.restore, cluster_storage.vacuum):
    cluster.add_command(command)
