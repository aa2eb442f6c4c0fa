"""`asof key`."""

from __future__ import annotations

import click

from asof.cli.main import DONE, NOTHING, echo_err
from asof.cli.terminal import plain


@click.group()
def key() -> None:
    """Make, list and remove keys for `asof serve`."""


@key.command()
@click.argument("name")
@click.option("--scope", type=click.Choice(("read", "write")), default="read", help="Default: read.")
def add(name: str, scope: str) -> int:
    """Make the key NAME, and show it this once: only a hash is stored."""
    from asof import environment
    from asof.serve.keys import Keys
    from asof.time.span import iso

    secret = Keys(*environment.key_file()).add(
        name, "write" if scope == "write" else "read", iso(environment.now())
    )
    click.echo(secret)
    click.secho(
        f"send it as `Authorization: Bearer {secret[:9]}…`; it is not shown again", dim=True, err=True
    )
    return DONE


@key.command(name="list")
def list_keys() -> int:
    """List the names of the keys, their scopes, and when they were made."""
    from asof import environment
    from asof.serve.keys import Keys

    keys = Keys(*environment.key_file()).all()
    for name, each in keys.items():
        click.echo(f"{plain(name)}  {each.scope}  {plain(each.begins)}…  since {each.at[:10]}")
    if not keys:
        click.echo("there is no key")
    return DONE if keys else NOTHING


@key.command()
@click.argument("name")
def remove(name: str) -> int:
    """Remove the key NAME; servers that run stop accepting it at once."""
    from asof import environment
    from asof.serve.keys import Keys

    keys = Keys(*environment.key_file())
    if keys.remove(name):
        click.echo(f"removed: {plain(name)}")
        return DONE
    echo_err(f"there is no key {plain(name)}; there are: {', '.join(map(plain, keys.all())) or 'none'}")
    return NOTHING
