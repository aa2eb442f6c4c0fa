"""`asof cluster vacuum | backup | restore`: the storage of a corpus at a URL."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.any_corpus import storage_of
from asof.cli.main import DONE, NOTHING, echo_err, index_option, json_option, print_json, sure
from asof.cli.terminal import counted, plain

if TYPE_CHECKING:
    from asof.storage.vacuum import VacuumReport


class Span(click.ParamType[timedelta]):
    """A length of time: 90m, 12h, 7d."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        read = re.fullmatch(r"([0-9]{1,6})(m|h|d)", value) if isinstance(value, str) else None
        if read is None:
            self.fail(f"{value!r} is no length of time; accepted: 90m, 12h, 7d", param, ctx)
        return timedelta(**{{"m": "minutes", "h": "hours", "d": "days"}[read[2]]: int(read[1])})


@click.command("vacuum")
@click.option(
    "--grace", type=Span(), default="24h", metavar="TIME",
    help="How long what nothing names is kept: longer than any push takes (default 24h).",
)  # fmt: skip
@click.option(
    "--keep", type=click.IntRange(1), metavar="N", help="Keep so many of the last states (default 100)."
)
@click.option("--keep-for", type=Span(), metavar="TIME", help="And all of so long ago (default 7d).")
@index_option
@json_option
def vacuum(
    grace: timedelta, keep: int | None, keep_for: timedelta | None, index: Path | str | None, as_json: bool
) -> int:
    """Remove what no state of a corpus at a URL needs: old states that nothing pins, and what a writer that
    was killed left behind. Nothing that can be asked of the corpus goes."""
    return vacuum_storage(index, grace, keep, keep_for, as_json=as_json)


def vacuum_storage(
    index: Path | str | None,
    grace: timedelta | None = None,
    keep: int | None = None,
    keep_for: timedelta | None = None,
    *,
    as_json: bool = False,
) -> int:
    """What `asof vacuum --storage` and `asof cluster vacuum` do."""
    from asof.storage.vacuum import GRACE, KEEP, KEEP_FOR

    report = storage_of(index).vacuum(
        grace or GRACE, keep or KEEP, KEEP_FOR if keep_for is None else keep_for
    )
    if as_json:
        from asof.serialize.cluster import vacuum_json

        print_json(vacuum_json(report))
    else:
        click.echo(_removed(report))
    return DONE


def _removed(report: VacuumReport) -> str:
    young = f"; {counted(report.young, 'object')} that nothing names yet stay" if report.young else ""
    return (
        f"removed: {counted(len(report.manifests), 'old state')}, {counted(report.objects, 'object')}, "
        f"{report.bytes:,} bytes{young}"
    )


@click.command()
@click.argument("url")
@click.option(
    "--state", type=click.IntRange(1), metavar="N", help="The state of that number (default: the last)."
)
@click.option("--force", is_flag=True, help="Also over another corpus at URL.")
@index_option
@json_option
def backup(url: str, state: int | None, force: bool, index: Path | str | None, as_json: bool) -> int:
    """Copy a corpus at a URL to another URL; a second time, only what is new is copied."""
    storage = storage_of(index)
    report = storage.backup(url, state, over=force)
    if as_json:
        from asof.serialize.cluster import backup_json

        print_json(backup_json(report))
    else:
        click.echo(
            f"{plain(url)}: state {report.of} is its state {report.number}; "
            f"{counted(report.objects, 'object')} copied, {report.bytes:,} bytes"
        )
    return DONE


@click.command()
@click.argument("state", type=click.IntRange(1), metavar="STATE")
@click.option("--yes", is_flag=True, help="Do not ask.")
@index_option
def restore(state: int, yes: bool, index: Path | str | None) -> int:
    """Make an earlier STATE of a corpus at a URL the present one (asof cluster status lists those that are
    kept). Writers that are at work are fenced."""
    storage = storage_of(index)
    then = storage.manifest(state)
    question = f"Make the state {state}, of {then.written}, the present one of {storage.url}?"
    if not yes and not sure(question, "nothing was changed"):
        return NOTHING
    restored = storage.restore(state)
    echo_err("whoever was writing may push no more")
    click.echo(f"{plain(storage.url)}: state {restored.number} is what {state} was")
    return DONE
