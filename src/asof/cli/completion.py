"""`asof completion`: a script by which a shell completes commands, options, choices and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import click

from asof.cli.main import DONE, cli
from asof.recipes import NAMES

Kind = Literal["flag", "word", "words", "file", "folder"]
"""What stands behind an option: nothing, a word that cannot be known, one of some words, a file, a folder."""


@dataclass(frozen=True, slots=True)
class ArgumentSlot:
    """An option (by its spellings) or an argument (without any), and what may stand there."""

    spellings: tuple[str, ...]
    about: str
    kind: Kind
    words: tuple[str, ...] = ()
    name: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Completed:
    """A command, its line of help, its options and its arguments."""

    name: str
    about: str
    options: tuple[ArgumentSlot, ...]
    arguments: tuple[ArgumentSlot, ...]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """A script by which SHELL completes what is typed after asof: commands, options, choices, files.

    \b
      bash   eval "$(asof completion bash)"      in ~/.bashrc
      zsh    eval "$(asof completion zsh)"       in ~/.zshrc, after compinit
      fish   asof completion fish >~/.config/fish/completions/asof.fish
    """
    write: dict[str, Callable[[tuple[Completed, ...]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
    click.echo(write[shell](described()), nl=False)
    return DONE


def described() -> tuple[Completed, ...]:
    """All commands as the parser has them, and `help`."""
    top = click.Context(cli, info_name="asof", help_option_names=cli.context_settings["help_option_names"])
    names = tuple(cli.list_commands(top))
    completed = []
    for name in names:
        command = cli.get_command(top, name)
        if command is None:
            raise LookupError(name)
        context = click.Context(command, top, info_name=name)
        places = [_place(each, context) for each in command.get_params(context)]
        completed.append(
            Completed(
                name, cli.entries[name].about, tuple(each for each in places if each.spellings),
                tuple(each for each in places if not each.spellings),
            )
        )  # fmt: skip
    of_help = ArgumentSlot((), "", "words", names, "command")
    return (*completed, Completed("help", "What a command does, and its options.", (), (of_help,)))


def _place(param: click.Parameter, context: click.Context) -> ArgumentSlot:
    option = isinstance(param, click.Option)
    spellings = (*param.opts, *param.secondary_opts) if option else ()
    about = (getattr(param, "help", None) or "").rstrip(".")
    name = param.name or ""
    if isinstance(param, click.Option) and (param.is_flag or param.count):
        return ArgumentSlot(spellings, about, "flag")
    kind: Kind = "word"
    words: tuple[str, ...] = ()
    if isinstance(param.type, click.Choice):
        kind, words = "words", tuple(param.type.choices)
    elif isinstance(param.type, click.Path):
        kind = "folder" if param.metavar == "DIR" else "file"
    elif "--recipe" in param.opts or (context.info_name == "recipes" and not option):
        kind, words = "words", NAMES
    return ArgumentSlot(spellings, about, kind, words, name, param.multiple or param.nargs == -1)


# -- bash -------------------------------------------------------------------------------------------------


def bash(commands: tuple[Completed, ...]) -> str:
    """The script for bash, 3.2 or later."""
    values, options, arguments = [], [], []
    for command in commands:
        for each in command.options:
            if each.kind != "flag":
                patterns = "|".join(f'"{command.name} {spelling}"' for spelling in each.spellings)
                values.append(f"        {patterns}) {_bash_of(each)} return ;;")
        spelled = [spelling for each in command.options for spelling in each.spellings]
        options.append(f'        "{command.name} -"*) {_bash_words(spelled)} return ;;')
        if command.arguments:
            arguments.append(f"        {command.name}) {_bash_of(command.arguments[0])} ;;")
    return "\n".join([
        '# asof for bash: eval "$(asof completion bash)" in ~/.bashrc',
        "_asof() {",
        "    local IFS=$'\\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}",
        "    COMPREPLY=()",
        '    if [ "$cur" = "=" ]; then cur=""; fi  # bash takes --unit=x for three words',
        '    if [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi',
        '    if [ "$COMP_CWORD" -eq 1 ]; then',
        f"        {_bash_words([*(each.name for each in commands), '--help', '--version'])} return",
        "    fi",
        '    case "${COMP_WORDS[1]} $prev" in', *values, "    esac",
        '    case "${COMP_WORDS[1]} $cur" in', *options, "    esac",
        '    case "${COMP_WORDS[1]}" in', *arguments, "    esac",
        "}",
        "complete -F _asof asof",
        "",
    ])  # fmt: skip


def _bash_of(place: ArgumentSlot) -> str:
    if place.kind == "words":
        return _bash_words(place.words)
    if place.kind in ("file", "folder"):
        which = "f" if place.kind == "file" else "d"
        return f'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -{which} -- "$cur"));'
    return ""


def _bash_words(words: list[str] | tuple[str, ...]) -> str:
    listed = "\\n".join(words)
    return f"COMPREPLY=($(compgen -W $'{listed}' -- \"$cur\"));"


# -- zsh --------------------------------------------------------------------------------------------------


def zsh(commands: tuple[Completed, ...]) -> str:
    """The script for zsh."""
    lines = [
        "#compdef asof",
        '# asof for zsh: eval "$(asof completion zsh)" in ~/.zshrc, after compinit',
        "_asof() {",
        "    local state line",
        "    local -a top=('(- *)'{-h,--help}'[Show the help]' '(- *)--version[Show the version]')",
        "    _arguments -C $top '1: :->command' '*:: :->rest'",
        "    case $state in",
        "    command)",
        "        local -a commands",
        "        commands=(",
        *(f"            {_quoted(f'{each.name}:{each.about}')}" for each in commands),
        "        )",
        "        _describe command commands ;;",
        "    rest)",
        "        case $words[1] in",
    ]
    for command in commands:
        places = [_zsh_option(each, spelling) for each in command.options for spelling in each.spellings]
        places += [
            _quoted(f"{'*' if each.again else ''}:{each.name}:{_zsh_of(each)}") for each in command.arguments
        ]
        lines.append(f"        {command.name}) _arguments {' '.join(places)} ;;")
    lines += [
        "        esac ;;",
        "    esac",
        "}",
        'if [[ $funcstack[1] = _asof ]]; then _asof "$@"; else compdef _asof asof; fi',
        "",
    ]
    return "\n".join(lines)


def _zsh_option(place: ArgumentSlot, spelling: str) -> str:
    about = re.sub(r"([\[\]:\\])", r"\\\1", place.about)
    again = "*" if place.again else ""
    if place.kind == "flag":
        return _quoted(f"{again}{spelling}[{about}]")
    equals = "=" if spelling.startswith("--") else "+"
    return _quoted(f"{again}{spelling}{equals}[{about}]:{place.name}:{_zsh_of(place)}")


def _zsh_of(place: ArgumentSlot) -> str:
    return {"words": f"({' '.join(place.words)})", "file": "_files", "folder": "_files -/"}.get(
        place.kind, " "
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- fish -------------------------------------------------------------------------------------------------


def fish(commands: tuple[Completed, ...]) -> str:
    """The script for fish."""
    lines = [
        "# asof for fish: asof completion fish >~/.config/fish/completions/asof.fish",
        "complete -c asof -f",
        "complete -c asof -n __fish_use_subcommand -s h -l help -d 'Show the help'",
        "complete -c asof -n __fish_use_subcommand -l version -d 'Show the version'",
    ]
    for command in commands:
        lines.append(
            f"complete -c asof -n __fish_use_subcommand -a {command.name} -d {_fish_quoted(command.about)}"
        )
        condition = f"complete -c asof -n '__fish_seen_subcommand_from {command.name}'"
        for each in command.options:
            spelled = " ".join(
                f"-l {spelling[2:]}" if spelling.startswith("--") else f"-s {spelling[1:]}"
                for spelling in each.spellings
            )
            lines.append(f"{condition} {spelled}{_fish_of(each)} -d {_fish_quoted(each.about)}")
        lines += [
            f"{condition}{' -F' if each.kind == 'file' else _fish_of(each).removeprefix(' -x')}"
            for each in command.arguments
            if each.kind in ("file", "words")
        ]
    return "\n".join([*lines, ""])


def _fish_of(place: ArgumentSlot) -> str:
    if place.kind == "words":
        return f" -x -a {_fish_quoted(' '.join(place.words))}"
    folders = " -x -a '(__fish_complete_directories)'"
    return {"flag": "", "word": " -x", "file": " -r -F", "folder": folders}[place.kind]


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
