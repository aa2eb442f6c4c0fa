"""`asof serve`."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import click

from asof.cli.main import DONE, corpus_root, echo_err, index_option, open_corpus
from asof.errors import MissingExtra, UsageError

NEEDED = ("fastapi", "uvicorn", "prometheus_client", "pydantic")


@click.command()
@index_option
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen (default 127.0.0.1).")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8421, help="Port (default 8421; 0: a free one)."
)
@click.option("--write", is_flag=True, help="Let documents be added and deleted.")
@click.option("--watch", is_flag=True, help="Keep the index in step with its folders, too (asof watch).")
@click.option("--quiet", is_flag=True, help="Print no line for each request.")
@click.option("--need-key", is_flag=True, help="Ask for a key on this machine, too.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="A name under which a proxy calls it.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="A site whose pages may call it.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, metavar="N",
    help="Processes that share the mapped index (default 1).",
)  # fmt: skip
def serve(
    index: Path | None, host: str, port: int, write: bool, watch: bool, quiet: bool, need_key: bool,
    names: tuple[str, ...], origins: tuple[str, ...], workers: int,
) -> int:  # fmt: skip
    """Serve the corpus over HTTP: a page for people at /, JSON below /api/v1.

    Only this machine can reach it. With another --host every request needs a key (`asof key add`), and a
    proxy has to add TLS. Ctrl-C ends it after the requests under way.
    """
    needed = (*NEEDED, "watchfiles") if watch else NEEDED
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        extra = "serve,watch" if watch else "serve"
        raise MissingExtra(f"a server needs {' and '.join(missing)}: pip install 'asof[{extra}]'")
    if workers > 1 and (write or watch):
        raise UsageError("--write and --watch go with one process, the one that writes: leave out --workers")
    from asof import environment
    from asof.serve.keys import Keys
    from asof.serve.run import Address, bound, serve_options, serve_processes

    root = corpus_root(index)
    with open_corpus(index):
        pass  # what is wrong with the index is said before an address is
    keys = Keys(*environment.key_file())
    with bound(Address(host, port)) as (listening, address):
        serve_options(address, keys, write=write, names=names, origins=origins, need_key=need_key)
        told = {
            "root": str(root), "keys": str(keys.path), "host": host, "port": address.port, "write": write,
            "names": names, "origins": origins, "need_key": need_key, "watch": watch,
            "quiet": quiet,
        }  # fmt: skip
        click.echo(f"{address.url}  (Ctrl-C ends it)")
        serve_processes(listening, {**environment.variables()}, json.dumps(told), workers, echo_err)
    return DONE
