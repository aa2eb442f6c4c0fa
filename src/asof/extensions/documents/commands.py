"""The commands of the extension `documents`: documents of other programs."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "import": CommandEntry(
        "asof.extensions.documents.cli:import_", "Get started",
        "Index a feed, a Zotero library, bookmarks and other exports.",
        "asof import zotero ~/Zotero",
    ),
}  # fmt: skip
