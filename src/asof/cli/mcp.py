"""`asof mcp`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from asof.cli.any_corpus import open_any
from asof.cli.main import DONE, index_option
from asof.errors import MissingExtra

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus


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

    with open_any(index) as corpus:
        # one in shards has what is exact there, and refuses the rest
        anyio.run(serve_stdio, cast("Corpus", corpus))
    return DONE
