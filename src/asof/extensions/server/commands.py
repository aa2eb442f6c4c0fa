"""The commands of the extension `server`: servers for people, programs and assistants."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "serve": CommandEntry(
        "asof.extensions.server.cli:serve", "Serve",
        "Serve a page for people and JSON for programs, on this machine.",
        "asof serve",
    ),
    "mcp": CommandEntry(
        "asof.extensions.server.cli:mcp", "Serve",
        "Serve the corpus to an assistant (Model Context Protocol).",
        "asof mcp --index notes",
    ),
    "key": CommandEntry(
        "asof.extensions.server.cli:key", "Serve",
        "Make, list and remove keys for `asof serve`.",
        "asof key add laptop --scope read",
    ),
}  # fmt: skip
