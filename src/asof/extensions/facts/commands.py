"""The commands of the extension `facts`: facts, reports, and what is stale."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "stale": CommandEntry(
        "asof.extensions.facts.cli_stale:stale", "See what changed",
        "List what current documents say that is no longer so.",
        "asof stale --since 2024-05",
    ),
    "facts": CommandEntry(
        "asof.extensions.facts.cli:facts", "See what changed",
        "List the facts about a subject with their times.",
        "asof facts ferry --since 2019",
    ),
    "report": CommandEntry(
        "asof.extensions.facts.cli:report", "See what changed",
        "Summarise a period, compared with the one before.",
        "asof report 2023",
    ),
    "precompute": CommandEntry(
        "asof.extensions.facts.cli:precompute", "Maintain the index",
        "Read facts before they are asked for.",
        "asof precompute --budget 2",
    ),
}  # fmt: skip

SHAPES = {
    "facts": ("asof facts --json", "asof.extensions.facts.timeline:FactLine"),
    "report": ("asof report --json", "asof.extensions.facts.reports:PeriodReports"),
    "stale": ("asof stale --json", "asof.extensions.facts.stale:StaleReport"),
    "precompute": ("asof precompute --json", "asof.extensions.facts.indexer:Precomputed"),
}
"""The JSON of these commands: what prints it, and its type by name."""
