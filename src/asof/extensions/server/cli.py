"""The commands `asof serve`, `asof mcp` and `asof key`; `asof index --watch`."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import DONE, NOTHING, corpus_root, echo_err, index_option, open_corpus, url_in
from asof.cli.terminal import counted, plain, problem_lines
from asof.errors import UsageError, missing_extra
from asof.plugins import SERVING, load
from asof.wire import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from asof.corpus.corpus import Corpus
    from asof.extensions.server.guard import Keys
    from asof.extensions.server.watching import Notice


# -- asof serve ------------------------------------------------------------------------------------


NEEDED = ("starlette", "uvicorn", "prometheus_client")


def _check_installed(what: str, *needed: str) -> None:
    """Raises MissingExtra unless these libraries are there; none is loaded."""
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        raise missing_extra(what, "server", *missing)


@click.command()
@index_option
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen (default 127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8421, help="Port (default 8421; 0: a free one)."
)
@click.option("--write", is_flag=True, help="Let documents and notes be written.")
@click.option(
    "--watch", is_flag=True, help="Keep the index in step with its folders, too (asof index --watch)."
)
@click.option("--quiet", is_flag=True, help="Print no line for each request.")
@click.option("--need-key", is_flag=True, help="Ask for a key on this machine, too.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A name under which a proxy calls it.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, metavar="N",
    help="Processes that share the mapped index (default 1).",
)  # fmt: skip
@click.option("--ray", default="", metavar="ADDRESS", help="Serve shards on Ray: auto, local, HOST:PORT.")
def serve(
    index: Path | None, host: str, port: int, write: bool, watch: bool, quiet: bool, need_key: bool,
    names: tuple[str, ...], workers: int, ray: str,
) -> int:  # fmt: skip
    """Serve the corpus over HTTP: a page for people at /, JSON below /api/v1.

    Only this machine can reach it. With another --host every request needs a key (`asof key add`), and a
    proxy has to add TLS. Ctrl-C ends it after the requests under way. What is published at the URL of
    --index is served within a minute or so.
    """
    _check_installed("a server", *NEEDED, *(["watchfiles"] if watch else []))
    if (workers > 1) + (write or watch) + bool(ray) > 1:
        raise UsageError("--workers, --ray, and --write or --watch, which want one process, go one at a time")
    if ray:
        on_ray: Any = load(SERVING, "ray")
        where = url_in(index) or str(corpus_root(index).absolute())
        on_ray(ray, index=where, host=host, port=port, names=names, need_key=need_key, quiet=quiet)
        return DONE
    from asof import environment
    from asof.extensions.server.app import Address, bound, serve_options, serve_processes

    root = corpus_root(index)
    with open_corpus(index, create=write):
        pass  # what is wrong with the index is said before an address is
    keys = _keys()
    with bound(Address(host, port)) as (listening, address):
        serve_options(address, keys, write=write, names=names, need_key=need_key)
        told = {
            "root": str(root), "url": url_in(index), "keys": str(keys.path), "host": host, "quiet": quiet,
            "port": address.port, "write": write, "names": names, "need_key": need_key, "watch": watch,
        }  # fmt: skip
        click.echo(f"{address.url}  (Ctrl-C ends it)")
        serve_processes(listening, {**environment.variables()}, json.dumps(told), workers, echo_err)
    return DONE


# -- asof mcp --------------------------------------------------------------------------------------


@click.command()
@index_option
@click.option("--write", is_flag=True, help="Let the assistant remember, correct and forget notes.")
def mcp(index: Path | None, write: bool) -> int:
    """Serve the corpus to an assistant over the Model Context Protocol, on standard input and output.

    For a client's configuration: the command asof, with the arguments mcp, --index and a folder. `asof serve`
    serves the same at /mcp over HTTP.
    """
    _check_installed("a server for assistants", "mcp", "starlette")
    import anyio

    from asof.extensions.server.mcp import serve_stdio

    with open_corpus(index, create=write) as corpus:
        anyio.run(partial(serve_stdio, corpus, write=write))
    return DONE


# -- asof index --watch ----------------------------------------------------------------------------


SHOWN_PROBLEMS = 5


def watch(open_index: Callable[[], Corpus], sources: Sequence[str], *, as_json: bool) -> None:
    """Keep an index in step with folders and files (none: those below its folder) until Ctrl-C.

    Everything is compared at the start; then what is saved is found within a second. A folder that vanishes
    is waited for: none of its documents end.
    """
    _check_installed("watching", "watchfiles")
    from asof.extensions.server.watching import Watcher, known_sources

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    named = [Path(os.path.abspath(each)) for each in sources]  # noqa: PTH100  a link keeps its name
    if missing := [str(path) for path in named if not path.exists()]:
        raise UsageError(f"{missing[0]} is neither a file nor a folder")
    with open_index() as corpus:
        notice = _print_json if as_json else _show
        chosen = named or known_sources(corpus, notice)
        if not as_json:
            names = ", ".join(plain(each.name) for each in chosen)
            click.echo(f"watching {counted(len(chosen), 'source')}: {names}  (Ctrl-C ends it)")
        Watcher(corpus, chosen, notice, None if named else corpus.root).run(stop)


def _print_json(one: Notice) -> None:
    report, took = None if one.report is None else encode(one.report), round(1000 * one.seconds, 1)
    click.echo(json.dumps({"source": one.source, "text": one.text, "report": report, "took_ms": took}))


def _show(one: Notice) -> None:
    at = time.strftime("%H:%M:%S")
    if one.report is None:
        echo_err(f"{at} {one.source}: {one.text}")
        return
    report = one.report
    counts = {
        "added": report.added, "changed": report.changed + report.corrected, "removed": report.ended
    }  # fmt: skip
    did = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    if did:
        click.echo(f"{at} {plain(Path(one.source).name)}: {did} ({one.seconds:.1f} s)")
    for line in problem_lines([each for each in report.new_problems if each.lost], SHOWN_PROBLEMS):
        echo_err(f"{at} {line}")


# -- asof key --------------------------------------------------------------------------------------


@click.group()
def key() -> None:
    """Make, list and remove keys for `asof serve`."""
    _check_installed("asof key", *NEEDED)


def _keys() -> Keys:
    """The keys of this user. Raises UsageError where there is no home folder."""
    from asof import environment
    from asof.extensions.server.guard import Keys

    return Keys(*environment.key_file())


@key.command()
@click.argument("name")
@click.option("--scope", type=click.Choice(("read", "write")), default="read", help="Default: read.")
def add(name: str, scope: str) -> int:
    """Make the key NAME, and show it this once: only a hash is stored."""
    from asof import environment
    from asof.time.span import iso

    secret = _keys().add(name, "write" if scope == "write" else "read", iso(environment.now()))
    click.echo(secret)
    click.secho(
        f"send it as `Authorization: Bearer {secret[:9]}…`; it is not shown again", dim=True, err=True
    )
    return DONE


@key.command(name="list")
def list_keys() -> int:
    """List the names of the keys, their scopes, and when they were made."""
    keys = _keys().all()
    for name, each in keys.items():
        click.echo(f"{plain(name)}  {each.scope}  {plain(each.begins)}…  since {each.at[:10]}")
    if not keys:
        click.echo("there is no key")
    return DONE if keys else NOTHING


@key.command()
@click.argument("name")
def remove(name: str) -> int:
    """Remove the key NAME; servers that run stop accepting it at once."""
    keys = _keys()
    if keys.remove(name):
        click.echo(f"removed: {plain(name)}")
        return DONE
    echo_err(f"there is no key {plain(name)}; there are: {', '.join(map(plain, keys.all())) or 'none'}")
    return NOTHING
