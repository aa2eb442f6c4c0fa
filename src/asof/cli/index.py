"""`asof index`: indexes a path or a source named by a scheme."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import (
    DONE,
    INDEX_HELP,
    NOTHING,
    PROBLEMS,
    corpus_root,
    echo_err,
    json_option,
    print_json,
    sure,
    time_option,
)
from asof.cli.terminal import counted, index_progress, plain
from asof.results import index_json

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.store.run import IndexReport
    from asof.values import Problem


# -- opens or creates the corpus that is written to ----------------------------------------------------

OPTIONS = {"languages": "--language", "stem": "--no-stem", "chunking": "--chunking", "undated": "--undated"}


def opened(index: Path | None, wait: float, asked: dict[str, Any], *, quiet: bool) -> Corpus:
    """The corpus, new or not. Raises UsageError when it was made with other settings than asked for."""
    from asof import config, environment
    from asof.corpus.corpus import open as open_corpus
    from asof.errors import UsageError
    from asof.files import FOLDER

    root = corpus_root(index)

    given = _given(asked)
    configured_here = environment.configuration(root)
    configured = configured_here.index
    wanted = replace(configured, **given)
    new = not environment.holds_corpus(root)
    corpus = open_corpus(root, settings=wanted, wait=wait, on_note=echo_err)
    has = corpus.store.settings
    for key in given:
        if getattr(has, key) != getattr(wanted, key):
            corpus.close()
            raise UsageError(
                f"{OPTIONS[key]}: this corpus was made with {_text(getattr(has, key))}, not "
                f"{_text(getattr(wanted, key))}; settings are those of the first run; "
                "index into another folder with --index"
            )
    for key in OPTIONS:
        setting = getattr(configured, key)
        if (
            key not in given
            and key in configured_here.beside
            and setting not in (getattr(has, key), getattr(config.Config().index, key))
        ):
            echo_err(
                f"{root / config.FILE} says {key} = {_text(setting)}; this corpus was made with "
                f"{_text(getattr(has, key))}, which stays: index into another folder with --index"
            )
    if not quiet and not new and root.resolve() != Path.cwd():
        click.echo(f"index in {plain(str(root / FOLDER))}")
    _note_encoder(corpus)
    return corpus


def _note_encoder(corpus: Corpus) -> None:
    """Print a note if asof.toml names another encoder than the corpus has."""
    from asof import config

    setting, has = corpus.models.encoder(), corpus.store.settings.encoder
    if setting is not None and setting.name != has:
        file = corpus.config.origin.get("encoder", corpus.root / config.FILE)
        echo_err(
            f"{file} names the encoder {setting.name}; this corpus has "
            f"{has or 'none'}, which stays until `asof embed` changes it"
        )


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    """The settings among the options, checked as those of asof.toml are. Raises BadConfig."""
    from asof import config

    values: dict[str, Any] = {key: asked[key] for key in ("chunking", "undated") if asked[key]}
    if asked["language"]:
        values["languages"] = [code.strip() for code in asked["language"].split(",")]
    if asked["no_stem"]:
        values["stem"] = False
    checked = {key: config.read({"index": {key: value}}, OPTIONS[key]).index for key, value in values.items()}
    return {key: getattr(settings, key) for key, settings in checked.items()}


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value).lower()


# -- `asof index SCHEME:...`: options, and the summary of what was fetched -----------------------------


def check(source: str, root: Path, options: Mapping[str, Any], *, history: bool) -> bool:
    """Opens a source that is named by a scheme, before anything is created; False if it is no such source.
    Raises SourceError, and UsageError also for options of schemes beside a path."""
    from asof.environment import configuration, now
    from asof.errors import UsageError
    from asof.sources.source import SourceContext, is_target, open_scheme, scheme_in, scheme_named

    if not is_target(source):
        if given := [
            f"--{name.replace('_', '-')}"
            for name, value in options.items()
            if value is not None and value is not False
        ]:
            raise UsageError(f"{', '.join(given)}: only for sources of a scheme, and {source!r} is none")
        return False
    name, configured = scheme_in(source), configuration(root)
    context = SourceContext(root, now(), configured.sources.get(name, {}), configured.fields)
    open_scheme(source, context, options)
    if history:
        raise UsageError("--history is for folders; a scheme gives all versions that it has")
    scheme = scheme_named(name)
    for line in scheme.notes(source) if scheme else ():
        echo_err(plain(line))
    return True


def fetch(
    corpus: Corpus,
    target: str,
    options: Mapping[str, Any],
    progress: Callable[[IndexReport], None] | None,
    *,
    shrinking: bool = False,
    quiet: bool,
) -> IndexReport:
    """Add a source that a scheme names; a source with a `summary()` has it shown, also where the run broke
    off. `shrinking`: whatever share of its documents ends. Raises SourceError, UsageError."""
    source = corpus.source(target, **options)
    try:
        return corpus.add(source, progress=progress, allow_shrinking=shrinking)
    finally:
        summary: Callable[[], str] | None = getattr(source, "summary", None)
        if not quiet and summary is not None and (words := summary()):
            echo_err(plain(words))


# -- the command ---------------------------------------------------------------------------------------

SHOWN_PROBLEMS = 20


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path())
@click.option(
    "--index", "--into", "into", type=click.Path(path_type=Path), metavar="DIR", help=INDEX_HELP,
)  # fmt: skip
@click.option("--history", is_flag=True, help="Index every version in the git history, by commit date.")
@time_option("--since", "arxiv: only papers submitted since then (default: the last run, or a week ago).")
@time_option("--until", "arxiv: only papers submitted until then (default: now).")
@click.option(
    "--per-day", type=click.IntRange(0, 2_000), metavar="N", help="arxiv: only a day's N newest; 0: all."
)
@click.option("--full", is_flag=True, help="arxiv: with the text of the PDF, for papers named by their ids.")
@click.option("--language", metavar="CODE[,CODE]", help="Languages of the texts, e.g. en,de (new corpora).")
@click.option("--chunking", metavar="SIZE", help="Passages: 120w, 120w/20, 2000c/200, whole (new corpora).")
@click.option("--no-stem", is_flag=True, help="Do not reduce words to their stems (new corpora).")
@click.option(
    "--undated", metavar="WHEN", help="When undated texts are visible: added, always, never (new corpora)."
)
@click.option("--trust-mtime", is_flag=True, help="Use modification times as dates even if they look copied.")
@click.option("--yes", is_flag=True, help="Remove documents that are gone from the source, however many.")
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=60.0,
    metavar="SECONDS",
    help="How long to wait for another writer (default 60).",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=cores, metavar="N", show_default="as many as cores",
    help="Processes that prepare the texts of a large source; the index is the same.",
)  # fmt: skip
@json_option
def index(
    sources: tuple[str, ...],
    into: Path | None,
    history: bool,
    trust_mtime: bool,
    since: str | None,
    until: str | None,
    per_day: int | None,
    full: bool,
    yes: bool,
    wait: float,
    workers: int,
    as_json: bool,
    **settings: Any,
) -> int:
    """Index folders of notes, vaults, single files, .jsonl[.gz]. Run it again to index what changed.

    arxiv:cs.IR+cs.CL fetches the papers of categories from arXiv, arxiv:2401.13222 a paper by its id, each
    with all its versions. Run again, it fetches what is new; interrupted, it resumes.

    A file or line that cannot be read is reported, and the rest is indexed (exit code 3). A first run that
    indexes nothing leaves no index behind (exit code 1, 2 or 3).
    """
    from asof.environment import holds_corpus
    from asof.files import FOLDER
    from asof.sources.source import is_target
    from asof.store.store import removed_if_empty

    root = corpus_root(into)
    papers = {"since": since, "until": until, "per_day": per_day, "full": full}
    for source in sources:
        _readable(source, root, history=history, papers=papers)
    indexed: list[tuple[str, IndexReport, float]] = []
    empty = not holds_corpus(root)
    with removed_if_empty(root), opened(into, wait, settings, quiet=as_json) as corpus:
        for source in sources:
            started = time.perf_counter()
            report = (
                _fetch(corpus, source, papers, yes, quiet=as_json)
                if is_target(source)
                else _index(corpus, source, yes, workers, history=history, trust_mtime=trust_mtime)
            )
            if report is None:
                return NOTHING
            indexed.append((source, report, time.perf_counter() - started))
            if empty and report.written:
                empty = False
                if not as_json:
                    click.echo(plain(f"new index in {_from_here(root / FOLDER)}"))
            if not as_json:
                show_report(*indexed[-1])
        corpus.prepare()
    if as_json:
        print_json(index_json(indexed))
    lost = any(problem.lost for _, report, _ in indexed for problem in report.problems)
    if empty and not as_json:
        echo_err("nothing was indexed, and no index is left behind")
    return PROBLEMS if lost else NOTHING if empty else DONE


def _from_here(path: Path) -> str:
    """A path relative to the current folder, if it is inside it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _readable(source: str, root: Path, *, history: bool, papers: dict[str, Any]) -> None:
    """Refuse a path that is no source before anything is created or read. Raises SourceError, UsageError."""
    from asof.errors import UsageError
    from asof.sources.history import open_source

    if check(source, root, papers, history=history):
        return
    if not source:
        raise UsageError("a source is empty; a folder or a file is expected, . for this folder")
    if ".asof" in Path(source).resolve().parts:
        raise UsageError(f"{source} is (in) the index itself; the folder or file of the texts is expected")
    open_source(Path(source), root=root, history=history)


def _index(
    corpus: Corpus, source: str, yes: bool, workers: int, *, history: bool, trust_mtime: bool,
) -> IndexReport | None:  # fmt: skip
    """The report; None when documents would have ended and the answer was no. Raises SourceError."""
    from asof.errors import SourceShrunk

    with index_progress(source) as advance:
        try:
            return corpus.add(
                source, history=history, trust_mtime=trust_mtime, allow_shrinking=yes, progress=advance,
                workers=workers,
            )  # fmt: skip
        except SourceShrunk as shrunk:
            if not sys.stdin.isatty():
                raise
            question = str(shrunk)
    echo_err(question)
    if not sure("Remove them?", "nothing was removed"):
        return None
    return corpus.add(source, history=history, trust_mtime=trust_mtime, allow_shrinking=True, workers=workers)


def _fetch(
    corpus: Corpus, source: str, papers: dict[str, Any], shrinking: bool, *, quiet: bool
) -> IndexReport:  # fmt: skip
    """The report of what a scheme's source stated. Raises SourceError, UsageError."""
    with index_progress(source) as advance:
        return fetch(corpus, source, papers, advance, shrinking=shrinking, quiet=quiet)


_COUNTS = ("added", "changed", "corrected", "unchanged", "ended", "failed")


def show_report(source: str, report: IndexReport, seconds: float) -> None:
    counts = [
        f"{getattr(report, what):,} {'removed' if what == 'ended' else what}"
        for what in _COUNTS
        if getattr(report, what)
    ]
    new = f"; {counted(report.passages, 'new passage')}"
    summary = f"{', '.join(counts)}{new if report.passages else ''}" if counts else "nothing to read"
    click.echo(f"{plain(source)}: {summary} in {seconds:.1f} s")
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in report.problems:
        alike.setdefault((problem.message, problem.remedy), []).append(problem)
    groups = list(alike.values())
    for problems in groups[:SHOWN_PROBLEMS]:
        more = f" [and {len(problems) - 1:,} more like this: --json lists them]" if len(problems) > 1 else ""
        echo_err(f"  {problems[0]}{more}")
    if len(groups) > SHOWN_PROBLEMS:
        echo_err(f"  and {sum(map(len, groups[SHOWN_PROBLEMS:])):,} more problems: --json lists them all")
