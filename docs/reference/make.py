"""Writes cli.md, the help of every command as the command prints it: python docs/reference/make.py"""

from __future__ import annotations

from pathlib import Path

import click

from asof.cli.main import cli

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 100


def page() -> str:
    """The text of cli.md."""
    top = click.Context(
        cli, info_name="asof", terminal_width=WIDTH, max_content_width=WIDTH,
        help_option_names=cli.context_settings["help_option_names"],
    )  # fmt: skip
    parts = [
        "# The command line\n\nWritten by `docs/reference/make.py` from the commands themselves.",
        _block("asof", cli.get_help(top)),
    ]
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        if command is None:
            raise LookupError(name)
        context = click.Context(
            command, top, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH,
            help_option_names=top.help_option_names,
        )  # fmt: skip
        parts.append(_block(f"asof {name}", command.get_help(context)))
    return "\n\n".join(parts) + "\n"


def _block(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
