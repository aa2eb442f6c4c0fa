"""The command group, global options, and the mapping of errors to one line and an exit code."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin

import click
from click.core import ParameterSource

from asof import __version__, plugins
from asof.cli.commands import START, Commands, entry_of
from asof.cli.terminal import plain, plain_json, show
from asof.errors import AsofError, NoCorpus, UsageError

if TYPE_CHECKING:
    import msgspec

    from asof.config import Config
    from asof.corpus.corpus import Corpus
    from asof.corpus.snapshot import Snapshot
    from asof.time.moment import When


DONE, NOTHING, WRONG, PROBLEMS = 0, 1, 2, 3
"""Exit codes: done; nothing found; wrong usage or an error (one line says which); done with problems."""

STOPPED = 130
"""The exit code of Ctrl-C, as in shells."""

TIMES = '2024-03-01, 2024-Q1, "March 2024", "end of 2023", "last spring", "3 months ago"'

F = TypeVar("F", bound=Callable[..., Any])


@click.group(
    cls=Commands, invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)  # fmt: skip
@click.version_option(__version__, "-V", "--version", package_name="asof-search")
@click.pass_context
def cli(context: click.Context) -> None:
    """Search documents that change, as of any date, and see why each passage ranks where it does.

    The index is in .asof of this folder or of the nearest parent that has one. Times: 2024-03-01,
    2024-03, 2024-Q1, "March 2024", yesterday, "3 months ago". asof COMMAND -h shows the options of a command,
    which stand after it. Exit codes: 0 done, 1 nothing found (asof stale:
    something is stale), 2 wrong usage or an error, 3 done with problems.
    """
    if context.invoked_subcommand is None:
        click.echo(START)


def run(command: click.Command) -> int:
    """Run a command; every error of ours becomes one line on standard error."""
    try:
        return _run(command)
    except BrokenPipeError:  # nobody reads what is wrong
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        return WRONG


def _run(command: click.Command) -> int:
    try:
        if shell := os.environ.get("_ASOF_COMPLETE"):
            from click.shell_completion import shell_complete

            return shell_complete(command, {}, "asof", "_ASOF_COMPLETE", shell)
        # Not command.main: that leaves with code 1 when a reader such as `head` has had enough.
        plainly = False if os.environ.get("NO_COLOR") else None
        with command.make_context("asof", sys.argv[1:], color=plainly) as context:
            code = command.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        usage = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else _typed()
        text = error.format_message().replace("\n\t", " ")  # a list of choices
        text = re.sub(r"is not in the range (\d+)<=x<=(\d+)", r"is not between \1 and \2", text)
        text = re.sub("is not a valid (?:integer|float) range", "is no such number", text)
        message = plain(text).removesuffix(".") + _for_example(error)
        show(f"{usage}: {message} (see {usage} --help)", hang=2, err=True)
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped; documents indexed so far are kept", err=True)
        return STOPPED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except AsofError as error:
        show(f"asof: {plain(str(error))}", hang=2, err=True)
        return WRONG
    except OSError as error:
        hint = "; is the current folder still there?" if isinstance(error, FileNotFoundError) else ""
        where = (
            f"{error.filename}: {error.strerror}" if error.filename else f"{error.strerror or error}{hint}"
        )
        show(f"asof: {plain(where)}", hang=2, err=True)
        return WRONG
    return code if isinstance(code, int) else DONE


def _typed() -> str:
    """The command that was typed, for errors that do not name it."""
    return f"asof {sys.argv[1]}" if sys.argv[1:2] and entry_of(sys.argv[1]) else "asof"


def _for_example(error: click.ClickException) -> str:
    """An example of a command that was typed without a required argument."""
    name = error.ctx.info_name if isinstance(error, click.MissingParameter) and error.ctx else None
    entry = entry_of(name) if name else None
    return f"; for example: {entry.example}" if entry else ""


def sure(question: str, otherwise: str) -> bool:
    """Ask on the terminal; `otherwise` is the message for a no. No answer counts as a no."""
    try:
        if click.confirm(plain(question), err=True):
            return True
    except click.Abort:
        click.echo(err=True)
    click.echo(f"{otherwise}; --yes does it without asking", err=True)
    return False


def time_option(name: str, about: str, **more: Any) -> Callable[[F], F]:
    """An option that is a time. A text that is no time, or is open where the option needs a bound (`--since
    "until 2021"`), is refused with the name of the option."""
    return click.option(name, metavar="T", help=about, callback=_checked_time, **more)


def time_argument(name: str, metavar: str) -> Callable[[F], F]:
    """An argument that is a time, checked as an option is."""
    return click.argument(name, metavar=metavar, callback=_checked_time)


_BOUNDS = {"since": ("start",), "before": ("start",), "published": ("start", "end"), "about": ()}
"""The sides of a time that options use; all others use its end."""


def _checked_time(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    from asof import environment
    from asof.errors import BadTime
    from asof.time.moment import read_bounded
    from asof.time.span import nearest_moment

    if value is not None:
        sides = _BOUNDS.get(param.name or "", ("end",))
        try:
            read_bounded(value, nearest_moment(environment.now()), start="start" in sides, end="end" in sides)
        except BadTime as error:
            name = param.opts[0] if isinstance(param, click.Option) else param.make_metavar(ctx)
            raise click.UsageError(f"{name}: {error}", ctx) from error
    return value


INDEX_HELP = "Folder or URL of the index (default: this folder or the nearest parent with .asof)."


def index_option(command: F) -> F:
    """`--index DIR`: the folder whose .asof is meant."""
    return click.option(
        "--index", "index", type=click.Path(path_type=Path), metavar="DIR", help=INDEX_HELP,
    )(command)  # fmt: skip


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def format_option(command: F) -> F:
    """The option of commands whose result can be carried away, see `asof.cli.formats`."""
    formats = click.Choice(("csv", "markdown", "xlsx", "json"))
    about = "Print it as that, to carry away; xlsx needs >FILE."
    return click.option("--format", "how", type=formats, help=about)(command)


def print_result(value: Any, how: str | None, *, as_json: bool, explain: bool = False) -> bool:
    """Prints a result in the format that is asked for; False for text. `explain`: with the trees of scores.

    Raises UsageError for two formats at once, and for trees in a format that has none.
    """
    if how not in (None, "json") and (as_json or explain):
        raise UsageError(f"{'--json' if as_json else '--explain'} does not go with --format {how}")
    if as_json or how == "json":
        print_json(value, *(["explain"] if explain else []))
    elif how is not None:
        from asof.cli.formats import show_as

        for note in show_as(value, how):
            echo_err(f"note: {note}")
    return as_json or how is not None


def snapshot_options(command: F) -> F:
    """The options of commands that ask a corpus as of a moment: both clocks, its folder, and JSON."""
    for option in reversed((
        time_option("--as-of", "What was current then (a date means the end of that day)."),
        time_option("--known-at", "Only what the index contained by then."),
        index_option,
        json_option,
    )):  # fmt: skip
        command = option(command)
    return command


# -- commands that are verbs ---------------------------------------------------------------------------

EPILOG = f"T is a date, a period or a moment: {TIMES}."


def verb_command(
    parameters: type[msgspec.Struct], /, epilog: str = EPILOG, **arguments: str
) -> Callable[[Callable[..., int]], click.Command]:
    """Makes a command of a function, with the parameters of a verb (`asof.parameters`) as options.

    Those that are named here are arguments, in this order and with these names in the help; the last one
    takes all words that are left, unless it is a time. The function gets the parameters, then `index`,
    `as_json` and the options that it has itself.
    """
    from msgspec import structs  # `asof --help` needs none of it

    known = {each.name: _Parameter.of(each) for each in structs.fields(parameters)}

    def made(function: Callable[..., int]) -> click.Command:
        def called(**given: Any) -> int:
            asked = parameters(**{name: given.pop(name) for name in known})
            return function(asked, **given)

        options = [each.option() for name, each in known.items() if name not in arguments]
        named = [
            known[name].argument(metavar, last=name == [*arguments][-1])
            for name, metavar in arguments.items()
        ]
        own: list[click.Parameter] = index_option(json_option(function)).__click_params__  # type: ignore[attr-defined]
        return click.Command(
            function.__name__, callback=called, params=[*named, *options, *reversed(own)],
            help=inspect.getdoc(function), epilog=epilog,
        )  # fmt: skip

    return made


def parameter_options(parameters: type[msgspec.Struct]) -> Callable[[F], F]:
    """Gives a command the parameters of a verb as options; the function gets them as its first argument."""
    from msgspec import structs

    known = {each.name: _Parameter.of(each) for each in structs.fields(parameters)}

    def made(function: F) -> F:
        @wraps(function)
        def called(*args: Any, **given: Any) -> Any:
            return function(parameters(**{name: given.pop(name) for name in known}), *args, **given)

        own = getattr(function, "__click_params__", [])
        called.__click_params__ = [*own, *(each.option() for each in reversed(known.values()))]  # type: ignore[attr-defined]
        return called  # type: ignore[return-value]

    return made


class _Parameter(NamedTuple):
    """A parameter of a verb as an option or an argument. `kind`: its type without None and rules; of a list
    (`many`) that of an `item`."""

    name: str
    hint: Any
    item: Any
    kind: Any
    many: bool
    default: Any
    about: str
    metavar: str
    bounds: tuple[Any, Any]

    @classmethod
    def of(cls, field: msgspec.structs.FieldInfo) -> _Parameter:
        kind, rules = _parted(field.type)
        item, many = kind, get_origin(kind) is tuple
        if many:
            item = get_args(kind)[0]
            kind, _ = _parted(item)
        metavars = (rule.extra["metavar"] for rule in rules if rule.extra)
        return cls(
            field.name, field.type, item, kind, many, None if field.required else field.default,
            next((rule.description for rule in rules if rule.description), ""),
            next(metavars, "N" if kind is int else field.name.upper()),
            next(((rule.ge, rule.le) for rule in rules if rule.ge is not None), (None, None)),
        )  # fmt: skip

    @property
    def is_time(self) -> bool:
        return self.metavar == "T"

    def option(self) -> click.Option:
        flag = "-k" if self.name == "k" else f"--{self.name.replace('_', '-')}"
        words = f"{self.about[:1].upper()}{self.about[1:]}{'; may be repeated' if self.many else ''}"
        if self.kind is bool:
            flag = f"{flag}/--no-{flag[2:]}" if self.default is None else flag
            return click.Option([flag, self.name], is_flag=True, default=self.default, help=f"{words}.")
        choices = get_origin(self.kind) is Literal
        return click.Option(
            [flag, self.name], type=self._type(), multiple=self.many, callback=self._checked,
            metavar=None if choices else self.metavar, default=() if self.many else self.default,
            help=f"{words} (default: {self.default})." if self.kind is int and self.default else f"{words}.",
        )  # fmt: skip

    def argument(self, metavar: str, *, last: bool) -> click.Argument:
        if self.is_time:
            return click.Argument([self.name], metavar=metavar, callback=_checked_time)
        if self.many:
            return click.Argument([self.name], metavar=f"{metavar}...", nargs=-1, callback=self._checked)
        return click.Argument(
            [self.name], metavar=f"{metavar}..." if last else metavar, nargs=-1 if last else 1,
            required=self.default is None,
            callback=lambda _, __, words: joined(words, metavar) if words or self.default is None else "",
        )  # fmt: skip

    def _type(self) -> click.Choice[str] | click.IntRange | None:
        if get_origin(self.kind) is Literal:
            return click.Choice(get_args(self.kind))
        return click.IntRange(*self.bounds) if self.kind is int else None

    def _checked(self, context: click.Context, option: click.Parameter, value: Any) -> Any:
        """The value, which the parameter accepts. Raises click.UsageError."""
        if self.is_time:
            _checked_time(context, option, value)
        import msgspec

        try:
            for each in value if self.many else ():
                msgspec.convert(part := each, self.item)
            return msgspec.convert(part := value, self.hint)
        except msgspec.ValidationError as error:
            from asof.parameters import mistake

            raise click.UsageError(mistake(option.opts[0], part, str(error)), context) from error


def _parted(hint: Any) -> tuple[Any, list[msgspec.Meta]]:
    """A type without None and notes, and its notes."""
    rules: list[msgspec.Meta] = []
    while True:
        if get_origin(hint) is Annotated:
            rules += hint.__metadata__
            hint = hint.__origin__
        elif get_origin(hint) in (Union, UnionType):
            (hint,) = (each for each in get_args(hint) if each is not NoneType)
        else:
            return hint, rules


def joined(words: str | tuple[str, ...], name: str) -> str:
    """The words of the argument `name` as one text. Raises click.UsageError when there are none."""
    text = words if isinstance(words, str) else " ".join(words)
    if not text.strip():
        raise click.UsageError(f"{name} is empty; some words are expected")
    return text


# -- the corpus that is meant, and what is said beside a result ----------------------------------------


def corpus_root(index: Path | None) -> Path:
    """The folder that holds .asof, by the option or by looking upwards; that of a URL is brought to this
    machine. Raises UsageError, and for a URL what `asof.plugins.folder_at` raises."""
    from asof.environment import find_folder

    if url := url_in(index):
        return plugins.folder_at(url)
    if index is not None:
        if index.exists() and not index.is_dir():
            raise UsageError(f"{index} is a file; accepted: a folder, which has or gets .asof in it")
        return index.parent if index.name == ".asof" else index
    folder = find_folder(Path.cwd(), echo_err)
    return folder.parent if folder else Path.cwd()


def url_in(index: Path | None) -> str:
    """The URL that the option names; "" where it names a folder, or is left out."""
    scheme, between, place = str(index).partition(":/")  # a path has one slash where a URL has several
    is_url = between and "/" not in scheme and index is not None and not index.exists()
    return f"{scheme}://{'/' if scheme == 'file' else ''}{place}" if is_url else ""


def open_corpus(index: Path | None, *, create: bool = False) -> Corpus:
    """Open a corpus, an existing one unless `create`: as `asof index` does, and what may be written to.
    Raises NoCorpus, UsageError."""
    from asof.corpus.corpus import open as open_corpus

    root = corpus_root(index)
    try:
        return open_corpus(root, create=create, on_note=echo_err)
    except NoCorpus:
        if index is not None:
            raise
        raise NoCorpus(
            f"no index in {root} or in a folder above it: make one with `asof index .`, "
            "or name the folder of another by --index"
        ) from None


def echo_err(line: str) -> None:
    """Print a line beside the result, on standard error."""
    show(plain(line), hang=2, err=True)


def explain_no_hits(snapshot: Snapshot, since: When | None = None, until: When | None = None) -> None:
    """Print which filter no document passes, if nothing was found because of it."""
    for note in snapshot.unmet(snapshot.filters(since, until)):
        echo_err(f"note: {note}")


def note_answers(config: Config) -> None:
    """Print a note on configuration that is ignored for answers."""
    from asof.answer.ask import answering

    if (offered := answering()) is not None and (note := offered.note(config)):
        echo_err(f"note: {note}")


def print_json(value: Any, *details: str) -> None:
    """Prints the JSON of a value, with these details (`asof.wire.Only`)."""
    from asof.cli.terminal import json_layout
    from asof.wire import encode

    click.echo(plain_json(json_layout(encode(value, *details))))


def given(context: click.Context) -> list[str]:
    """The names of the parameters that are on the command line."""
    return [
        name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
