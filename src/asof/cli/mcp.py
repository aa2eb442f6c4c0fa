"""`asof mcp`."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import click

from asof.cli.main import DONE, index_option, open_corpus
from asof.errors import MissingExtra


@click.command()
@index_option
def mcp(index: Path | None) -> int:
    """Serve the corpus to an assistant over the Model Context Protocol, on standard input and output.

    For a client's configuration: the command asof, with the arguments mcp, --index and a folder. `asof serve`
    serves the same at /mcp over HTTP.
    """
    missing = [name for name in ("mcp", "pydantic") if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(f"a server for assistants needs {' and '.join(missing)}: pip install 'asof[mcp]'")
    import anyio

    from asof.mcp.server import serve_stdio

    with open_corpus(index) as corpus:
        anyio.run(serve_stdio, corpus)
    return DONE
