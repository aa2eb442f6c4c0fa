"""The commands by group: module, summary and example of each. Imports none of them."""

from __future__ import annotations

import shlex
from copy import copy
from difflib import get_close_matches
from importlib import import_module
from keyword import iskeyword
from typing import ClassVar, NamedTuple

import click


class CommandEntry(NamedTuple):
    """The module of a command, a line that says what it does, and an example of its use."""

    module: str
    about: str
    example: str


START = """\
asof searches documents that change, as of any date.

  asof demo                                          see it at work; leaves nothing behind
  asof index NOTES                                   index a folder of notes, or a .jsonl file
  asof search "harbour master"                       what is current now
  asof search "harbour master" --as-of 2020-06       what was current then
  asof --help                                        all commands; -h after each: its options"""

GROUPS: dict[str, dict[str, CommandEntry]] = {
    "Get started": {
        "demo": CommandEntry(
            "demo", "Index the example notes and ask one question as of three dates.",
            "asof demo --keep island",
        ),
        "index": CommandEntry(
            "index", "Index folders, vaults, .jsonl files; run again to update.", "asof index notes"
        ),
        "import": CommandEntry(
            "import_", "Index a feed, a Zotero library, bookmarks and other exports.",
            "asof import zotero ~/Zotero",
        ),
        "status": CommandEntry(
            "maintenance", "Show what the index holds, its dates and its size.", "asof status --check"
        ),
        "config": CommandEntry(
            "config", "Print an asof.toml with all settings and what they mean.", "asof config"
        ),
    },
    "Serve": {
        "serve": CommandEntry(
            "serve", "Serve a page for people and JSON for programs, on this machine.", "asof serve"
        ),
        "mcp": CommandEntry(
            "mcp", "Serve the corpus to an assistant (Model Context Protocol).", "asof mcp --index notes"
        ),
        "watch": CommandEntry(
            "watch", "Keep the index in step with its folders.", "asof watch notes"
        ),
        "key": CommandEntry(
            "key", "Make, list and remove keys for `asof serve`.", "asof key add laptop --scope read"
        ),
    },
    "Search and ask": {
        "search": CommandEntry(
            "search", "Find the best passages for a question, as of any date.",
            'asof search "harbour master" --as-of 2020-06',
        ),
        "ask": CommandEntry(
            "ask", "Answer a question with citations, or say that the evidence is missing.",
            'asof ask "How much did a ticket cost in 2019?"',
        ),
        "open": CommandEntry(
            "open", "Open the file of a hit, or print it as it stood.", "asof open ferry --as-of 2020"
        ),
        "papers": CommandEntry(
            "papers", "Answer from new arXiv papers; the ranking learns from feedback.",
            'asof papers "new work on dense retrieval this week"',
        ),
        "feedback": CommandEntry(
            "feedback", "Grade the hits of recorded searches, or list them.", "asof feedback"
        ),
    },
    "See what changed": {
        "timeline": CommandEntry(
            "timeline", "Show how the answer to a question changed over time.",
            'asof timeline "harbour master"',
        ),
        "diff": CommandEntry(
            "diff", "Compare the answers as of two dates.", 'asof diff "harbour master" 2019 2023-06'
        ),
        "stale": CommandEntry(
            "stale", "List what current documents say that is no longer so.", "asof stale --since HEAD~1"
        ),
        "links": CommandEntry(
            "links", "List the links from and to a document.", "asof links ferry --as-of 2020"
        ),
        "facts": CommandEntry(
            "facts", "List the facts about a subject with their times.",
            "asof facts ferry --since 2019",
        ),
        "graph": CommandEntry(
            "graph", "Show the entities around one and the facts between them.", "asof graph --around ferry"
        ),
        "report": CommandEntry(
            "report", "Summarise a period, compared with the one before.",
            "asof report 2023",
        ),
    },
    "Explain results": {
        "why-not": CommandEntry(
            "whynot", "Say why a document is not among the hits.",
            'asof why-not ferry "harbour master"',
        ),
        "when": CommandEntry(
            "when", "Show how the time in a question is understood.",
            'asof when "prices since last spring"',
        ),
        "recipes": CommandEntry(
            "recipes", "List the ranking recipes and their settings.", "asof recipes asof"
        ),
    },
    "Maintain the index": {
        "correct": CommandEntry(
            "maintenance", "Correct the date of a document.", "asof correct ferry --published 2019-05-01"
        ),
        "export": CommandEntry(
            "export", "Write all documents with all versions to a file.", "asof export notes.jsonl.gz"
        ),
        "purge": CommandEntry("maintenance", "Erase a document with all its versions.", "asof purge ferry"),
        "vacuum": CommandEntry("maintenance", "Drop the history before a date.", "asof vacuum --before 2015"),
        "embed": CommandEntry(
            "embed", "Change the encoder and compute the vectors again.",
            "asof embed --encoder hashed",
        ),
        "trust": CommandEntry(
            "trust", "Let a folder's asof.toml name models and servers.",
            "asof trust notes",
        ),
    },
    "Measure and tune": {
        "evaluate": CommandEntry(
            "evaluate", "Measure recipes on a dataset, and check for leaks from the future.",
            "asof evaluate dataset --leakage 20",
        ),
        "experiments": CommandEntry(
            "experiments", "List the experiments of the papers that can be run here.", "asof experiments"
        ),
        "experiment": CommandEntry(
            "experiments", "Run an experiment of a paper: its table beside ours.",
            "asof experiment twe/4.1 dataset",
        ),
        "tune": CommandEntry(
            "tune", "Fit a recipe's numbers to judged questions.",
            "asof tune --feedback",
        ),
    },
}  # fmt: skip


SYNONYMS = {
    "add": "index", "init": "index", "update": "index", "find": "search",
    "grep": "search", "query": "search", "question": "ask", "history": "timeline", "log": "timeline",
    "info": "status", "stats": "status", "list": "status", "delete": "purge", "remove": "purge",
    "rm": "purge", "explain": "why-not", "date": "when", "example": "demo", "backup": "export",
    "outdated": "stale", "lint": "stale",
    "dump": "export", "save": "export",
}  # fmt: skip
"""Names of commands in other programs."""


class Commands(click.Group):
    """Commands by name, loaded when asked for: `--help` loads none of them."""

    entries: ClassVar[dict[str, CommandEntry]] = {
        name: entry for commands in GROUPS.values() for name, entry in commands.items()
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        attribute = cmd_name.replace("-", "_") + "_" * iskeyword(cmd_name)
        written: click.Command = getattr(import_module(f"asof.cli.{entry.module}"), attribute)
        command = copy(written)
        command.epilog = f"\b\nExample:\n  {entry.example}" + (
            f"\n\n{command.epilog}" if command.epilog else ""
        )
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`asof help search` is `asof search --help`, `asof version` is `asof --version`.

        Raises click.UsageError for an option in front of the command.
        """
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
        if args == ["version"]:
            args = ["--version"]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not set(args) & set(self.entries):
                raise
            raise click.UsageError(
                f"no option {error.option_name} before the command; options stand after it: "
                f"{self.entries['search'].example}", ctx,
            ) from error  # fmt: skip

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises click.UsageError for a word that is no command, with what may have been meant; nothing where
        a shell asks for completions."""
        name = args[0]
        if name not in self.entries and not ctx.resilient_parsing:
            raise click.UsageError(f"no command {name!r}; {self._suggestion(args)}", ctx)
        return super().resolve_command(ctx, args)

    def _suggestion(self, args: list[str]) -> str:
        """What was probably intended: another command, or a question."""
        name, words = args[0].lower(), " ".join(args).split()
        question = len(words) > 1 and not any(word.startswith("-") for word in words)
        near = [SYNONYMS[name]] if name in SYNONYMS else get_close_matches(name, self.entries, 1, 0.75)
        if near:
            return f"did you mean {near[0]}?"
        if question:
            return f"to look for these words: asof search {shlex.quote(' '.join(words))}"
        return f"there are {', '.join(self.entries)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, entry.about) for name, entry in commands.items()], col_max=12)
                formatter.write(
                    f"{'':{formatter.current_indent}}e.g. {next(iter(commands.values())).example}\n"
                )
