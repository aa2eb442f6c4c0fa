"""The commands of the extension `cluster`: corpora at a URL."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "push": CommandEntry(
        "asof.extensions.cluster.cli:push", "Maintain the index",
        "Publish the index in an object storage (s3://, gs://, az://, file:///).",
        "asof push s3://bucket/notes",
    ),
    "pull": CommandEntry(
        "asof.extensions.cluster.cli:pull", "Maintain the index",
        "Bring a published index to a folder, or bring it up to date.",
        "asof pull s3://bucket/notes notes",
    ),
}  # fmt: skip
