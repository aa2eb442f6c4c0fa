"""The commands by what they are for: where each is written, what it does, how it is typed. Loads nothing."""

from __future__ import annotations

import shlex
from copy import copy
from difflib import get_close_matches
from importlib import import_module
from typing import ClassVar, NamedTuple

import click


class Room(NamedTuple):
    """Where a command is written, what it does in a line, and a line that uses it."""

    module: str
    about: str
    example: str


START = """\
asof searches documents that change, as of any date.

  asof demo                                          see it at work; leaves nothing behind
  asof index NOTES                                   take in a folder of notes, or a .jsonl file
  asof search "harbour master"                       what is current now
  asof search "harbour master" --as-of 2020-06       what was current then
  asof --help                                        all commands; -h after each: its options"""

GROUPS: dict[str, dict[str, Room]] = {
    "Start": {
        "demo": Room(
            "demo", "Index the example notes and ask one question as of three dates.",
            "asof demo --keep island",
        ),
        "index": Room(
            "index", "Take in folders, vaults, .jsonl files; again: what changed.", "asof index notes"
        ),
        "status": Room(
            "keep", "What the corpus holds, how it is dated, how big it is.", "asof status --check"
        ),
        "config": Room(
            "config", "An asof.toml with all that can be set, and what it means.", "asof config"
        ),
        "completion": Room(
            "completion", "Let bash, zsh or fish complete commands, options and files.",
            "asof completion bash",
        ),
    },
    "Ask": {
        "search": Room(
            "search", "The best passages for a question, as of any date, with reasons.",
            'asof search "harbour master" --as-of 2020-06',
        ),
        "ask": Room(
            "ask", "An answer with citations, as of any date; refuses when the evidence is missing.",
            'asof ask "How much did a ticket cost in 2019?"',
        ),
        "papers": Room(
            "papers", "Answer from new papers of arXiv; the ranking learns from feedback.",
            'asof papers "new work on dense retrieval this week"',
        ),
        "feedback": Room(
            "feedback", "Say how well hits answered; what was asked and said so far.", "asof feedback"
        ),
    },
    "Look at change": {
        "timeline": Room(
            "timeline", "How the answer to a question changed, statement by statement.",
            'asof timeline "harbour master"',
        ),
        "diff": Room(
            "diff", "The answers as of two dates side by side.", 'asof diff "harbour master" 2019 2023-06'
        ),
        "links": Room(
            "links", "What a document links to, and what links to it.", "asof links ferry --as-of 2020"
        ),
        "facts": Room(
            "facts", "What is known of a subject: facts with their times, and what replaced what.",
            "asof facts ferry --since 2019",
        ),
        "graph": Room(
            "graph", "The entities around one, and the facts between them.", "asof graph --around ferry"
        ),
        "report": Room(
            "report", "What happened in a period: its central facts, against the period before.",
            "asof report 2023",
        ),
    },
    "Understand": {
        "why-not": Room(
            "whynot", "Why a document is not among the hits, or at which rank it is.",
            'asof why-not ferry "harbour master"',
        ),
        "when": Room(
            "when", "How the time in a question is read; needs no corpus.",
            'asof when "prices since last spring"',
        ),
        "recipes": Room(
            "recipes", "The ways of ranking, and what can be set about them.", "asof recipes asof"
        ),
    },
    "Keep": {
        "correct": Room(
            "keep", "Say that a document was dated wrongly.", "asof correct ferry --published 2019-05-01"
        ),
        "purge": Room("keep", "Erase a document and all its versions for good.", "asof purge ferry"),
        "vacuum": Room("keep", "Drop history before a date.", "asof vacuum --before 2015"),
        "embed": Room(
            "embed", "Another encoder for a corpus: its vectors made anew, or none.",
            "asof embed --encoder hashed",
        ),
        "trust": Room(
            "trust", "Let a folder's asof.toml say where texts are sent.",
            "asof trust notes",
        ),
    },
    "Measure": {
        "evaluate": Room(
            "evaluate", "What recipes are worth on a dataset, and whether they see the future.",
            "asof evaluate dataset --leakage 20",
        ),
        "tune": Room(
            "tune", "Fit a recipe's numbers to judgements, and what that gains on the rest.",
            "asof tune --feedback",
        ),
    },
}  # fmt: skip


MEANT = {
    "add": "index", "import": "index", "init": "index", "update": "index", "find": "search",
    "grep": "search", "query": "search", "question": "ask", "history": "timeline", "log": "timeline",
    "info": "status", "stats": "status", "list": "status", "delete": "purge", "remove": "purge",
    "rm": "purge", "explain": "why-not", "date": "when", "example": "demo",
}  # fmt: skip
"""What commands are called elsewhere."""


class Commands(click.Group):
    """Commands by name, loaded when asked for: `--help` loads none of them."""

    rooms: ClassVar[dict[str, Room]] = {
        name: room for commands in GROUPS.values() for name, room in commands.items()
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.rooms)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        room = self.rooms.get(cmd_name)
        if room is None:
            return None
        written: click.Command = getattr(import_module(f"asof.cli.{room.module}"), cmd_name.replace("-", "_"))
        command = copy(written)
        command.epilog = f"\b\nExample:\n  {room.example}" + (
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
            if not set(args) & set(self.rooms):
                raise
            raise click.UsageError(
                f"no option {error.option_name} before the command; options stand after it: "
                f"{self.rooms['search'].example}", ctx,
            ) from error  # fmt: skip

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Raises click.UsageError for a word that is no command, with what may have been meant."""
        name = args[0]
        if name not in self.rooms:
            raise click.UsageError(f"no command {name!r}; {self._meant(args)}", ctx)
        return super().resolve_command(ctx, args)

    def _meant(self, args: list[str]) -> str:
        """What the words may have been meant to be: another command, or a question."""
        name, words = args[0].lower(), " ".join(args).split()
        question = len(words) > 1 and not any(word.startswith("-") for word in words)
        near = [MEANT[name]] if name in MEANT else get_close_matches(name, self.rooms, 1, 0.75)
        if near:
            return f"did you mean {near[0]}?"
        if question:
            return f"to look for these words: asof search {shlex.quote(' '.join(words))}"
        return f"there are {', '.join(self.rooms)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group, commands in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, room.about) for name, room in commands.items()], col_max=12)
                formatter.write(
                    f"{'':{formatter.current_indent}}e.g. {next(iter(commands.values())).example}\n"
                )
