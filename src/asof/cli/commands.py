"""The commands by name: those of the core, and those that extensions offer. Loads none of them.

An extension offers its commands by an entry point of the group `asof.commands`, which names a table from
names to `CommandEntry`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from copy import copy
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple

import click

from asof import plugins


class CommandEntry(NamedTuple):
    """A command before it is loaded.

    `target` is "module:attribute" of the click command; `group`: the heading of `asof --help` below which it
    is listed.
    """

    target: str
    group: str
    about: str
    example: str


GROUPS = (
    "Get started", "Search and ask", "See what changed", "Explain results", "Maintain the index", "Serve",
    "Measure",
)  # fmt: skip
"""The headings of `asof --help` in their order; others follow."""


START = """\
asof searches documents that change, as of any date.

  asof demo                                          see it at work; leaves nothing behind
  asof index NOTES                                   index a folder of notes, or a .jsonl file
  asof search "harbour master"                       what is current now
  asof search "harbour master" --as-of 2020-06       what was current then
  asof --help                                        all commands; -h after each: its options"""

COMMANDS = {
    "demo": CommandEntry(
        "asof.cli.demo:demo", "Get started",
        "Index the example notes and ask one question as of three dates.",
        "asof demo --keep island",
    ),
    "index": CommandEntry(
        "asof.cli.index:index", "Get started",
        "Index folders, vaults, .jsonl files, feeds, papers; again to update.",
        "asof index notes",
    ),
    "status": CommandEntry(
        "asof.cli.maintenance:status", "Get started",
        "Show what the index holds, its dates and its size.",
        "asof status --check",
    ),
    "config": CommandEntry(
        "asof.cli.config:config", "Get started",
        "Print an asof.toml with all settings and what they mean.",
        "asof config",
    ),
    "search": CommandEntry(
        "asof.cli.search:search", "Search and ask",
        "Find the best passages for a question, as of any date.",
        'asof search "harbour master" --as-of 2020-06',
    ),
    "ask": CommandEntry(
        "asof.cli.ask:ask", "Search and ask",
        "Answer a question with citations, or say that the evidence is missing.",
        'asof ask "How much did a ticket cost in 2019?"',
    ),
    "open": CommandEntry(
        "asof.cli.search:open", "Search and ask",
        "Open the file of a hit, or print it as it stood.",
        "asof open ferry --as-of 2020",
    ),
    "timeline": CommandEntry(
        "asof.cli.history:timeline", "See what changed",
        "Show how the answer to a question changed over time.",
        'asof timeline "harbour master"',
    ),
    "diff": CommandEntry(
        "asof.cli.history:diff", "See what changed",
        "Compare the answers as of two dates.",
        'asof diff "harbour master" 2019 2023-06',
    ),
    "changes": CommandEntry(
        "asof.cli.history:changes", "See what changed",
        "List what was added, changed or removed since a date.",
        "asof changes --since 2021-06",
    ),
    "list": CommandEntry(
        "asof.cli.history:list_documents", "See what changed",
        "List the documents of a time or a kind, the newest first.",
        "asof list --since 2021",
    ),
    "links": CommandEntry(
        "asof.cli.search:links", "See what changed",
        "List the links from and to a document.",
        "asof links ferry --as-of 2020",
    ),
    "why-not": CommandEntry(
        "asof.cli.search:why_not", "Explain results",
        "Explain why a document is not among the hits.",
        'asof why-not ferry "harbour master"',
    ),
    "when": CommandEntry(
        "asof.cli.history:when", "Explain results",
        "Show how the time in a question is understood.",
        'asof when "prices since last spring"',
    ),
    "recipes": CommandEntry(
        "asof.cli.maintenance:recipes", "Explain results",
        "List the ranking recipes and their settings.",
        "asof recipes asof",
    ),
    "correct": CommandEntry(
        "asof.cli.maintenance:correct", "Maintain the index",
        "Correct the date of a document.",
        "asof correct ferry 2019-05-01",
    ),
    "export": CommandEntry(
        "asof.cli.maintenance:export", "Maintain the index",
        "Write all documents as JSON Lines, or back the index up.",
        "asof export notes.jsonl.gz",
    ),
    "purge": CommandEntry(
        "asof.cli.maintenance:purge", "Maintain the index",
        "Erase a document with all its versions.",
        "asof purge ferry",
    ),
    "vacuum": CommandEntry(
        "asof.cli.maintenance:vacuum", "Maintain the index",
        "Drop the history before a date.",
        "asof vacuum 2015",
    ),
    "embed": CommandEntry(
        "asof.cli.maintenance:embed", "Maintain the index",
        "Change the encoder and compute the vectors again.",
        "asof embed --encoder hashed",
    ),
    "trust": CommandEntry(
        "asof.cli.maintenance:trust", "Maintain the index",
        "Let a folder's asof.toml name models and servers.",
        "asof trust notes",
    ),
}  # fmt: skip
"""The commands of the core."""


@cache
def entries() -> dict[str, CommandEntry]:
    """All commands by name, in the order of `asof --help`."""
    return {name: entry for commands in by_group().values() for name, entry in commands.items()}


@cache
def by_group() -> dict[str, dict[str, CommandEntry]]:
    """All commands below their headings."""
    groups: dict[str, dict[str, CommandEntry]] = {group: {} for group in GROUPS}
    seen: set[str] = set()
    for table in _tables():
        for name, entry in table.items():
            if name not in seen:
                groups.setdefault(entry.group, {})[name] = entry
        seen.update(table)
    return groups


def entry_of(name: str) -> CommandEntry | None:
    """The command of a name; None if there is none."""
    return next((table[name] for table in _tables() if name in table), None)


def load(entry: CommandEntry) -> click.Command:
    """The click command of an entry."""
    command: click.Command = plugins.named(entry.target)
    return command


def _tables() -> Iterator[Mapping[str, CommandEntry]]:
    """The tables of commands: the core's, then those of extensions, which take no name of an earlier one."""
    yield COMMANDS
    for name in plugins.BUILT_IN[plugins.COMMANDS]:
        yield plugins.load(plugins.COMMANDS, name) or {}
    for name in plugins.installed(plugins.COMMANDS):
        yield plugins.load(plugins.COMMANDS, name) or {}


class Commands(click.Group):
    """Commands by name, loaded when called: `--help` loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(entries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = entry_of(cmd_name)
        if entry is None:
            return None
        command = copy(load(entry))
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
            if not set(args) & set(entries()):
                raise
            raise click.UsageError(
                f"no option {error.option_name} before the command; options stand after it: "
                f"{COMMANDS['search'].example}", ctx,
            ) from error  # fmt: skip

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises click.UsageError for a word that is no command, with a suggestion; not for the completions
        of a shell."""
        name = args[0]
        if not ctx.resilient_parsing and entry_of(name) is None:
            raise click.UsageError(f"no command {name!r}; {self._suggestion(args)}", ctx)
        return super().resolve_command(ctx, args)

    def _suggestion(self, args: list[str]) -> str:
        """The intended command line, guessed: another command, or a question."""
        name, words = args[0].lower(), " ".join(args).split()
        question = len(words) > 1 and not any(word.startswith("-") for word in words)
        known = entries()
        near = get_close_matches(name, known, 1, 0.75)
        if near:
            return f"did you mean {near[0]}?"
        if question:
            return f"to look for these words: asof search {shlex.quote(' '.join(words))}"
        return f"there are {', '.join(known)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, commands in by_group().items():
            with formatter.section(group):
                formatter.write_dl([(name, entry.about) for name, entry in commands.items()], col_max=12)
                formatter.write(
                    f"{'':{formatter.current_indent}}e.g. {next(iter(commands.values())).example}\n"
                )
