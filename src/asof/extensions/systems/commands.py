"""The commands of the extension `systems`: published systems."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "papers": CommandEntry(
        "asof.extensions.systems.cli_papers:papers", "Search and ask",
        "Answer from new arXiv papers; the ranking learns from feedback.",
        'asof papers "new work on dense retrieval this week"',
    ),
}  # fmt: skip

SHAPES = {
    "feedback": ("asof papers --feedback QUERY_ID --json", "asof.extensions.systems.results:FeedbackResult"),
    "feedback-list": ("asof papers --feedback --json", "asof.extensions.systems.results:RecordedQueries"),
    "papers": ("asof papers --json", "asof.extensions.systems.results:PapersResult"),
}
"""The JSON of these commands: what prints it, and its type by name."""
