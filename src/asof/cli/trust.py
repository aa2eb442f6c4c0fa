"""`asof trust`."""

from __future__ import annotations

from pathlib import Path

import click

from asof.cli.main import DONE, NOTHING, corpus_root
from asof.cli.terminal import plain
from asof.errors import UsageError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@click.option("--list", "listed", is_flag=True, help="Show the folders that are trusted.")
@click.option("--revoke", is_flag=True, help="Stop trusting FOLDER.")
def trust(folder: Path | None, listed: bool, revoke: bool) -> int:
    """Let asof.toml of FOLDER (default: that of the corpus here) name models, addresses and keys.

    Without it the file sets only how searches work. Models, addresses and keys come from your own
    configuration, ~/.config/asof/config.toml, or from options. The trust is stored outside of the folder and
    ends when the file changes; see docs/guides/trust.md.
    """
    if listed:
        if folder is not None or revoke:
            raise UsageError("--list goes alone: it shows all folders that are trusted")
        return _list()
    chosen = corpus_root(None) if folder is None else folder
    return _revoke(chosen) if revoke else _trust(chosen)


def _trust(folder: Path) -> int:
    from asof import environment

    named = environment.trust(folder)
    click.echo(f"trusted: {plain(str(folder.resolve()))}, until its asof.toml changes")
    for table, words in named.items():
        click.echo(f"  [{table}] {plain(words)}")
    if not named:
        click.echo("  it names no model, address or key")
    return DONE


def _revoke(folder: Path) -> int:
    from asof import environment

    there = environment.distrust(folder)
    click.echo(f"{'no longer' if there else 'was not'} trusted: {plain(str(folder.resolve()))}")
    return DONE if there else NOTHING


def _list() -> int:
    from asof import environment

    folders = environment.trusted_folders()
    for name, same in folders.items():
        click.echo(plain(name) + ("" if same else "  (asof.toml has changed since: trust it again)"))
    if not folders:
        click.echo("no folder is trusted")
    return DONE if folders else NOTHING
