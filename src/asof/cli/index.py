"""`asof index`: indexes a path or a source named by a scheme."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.main import (
    DONE,
    NOTHING,
    PROBLEMS,
    corpus_root,
    echo_err,
    given,
    index_option,
    json_option,
    open_corpus,
    print_json,
    sure,
    url_in,
)
from asof.cli.terminal import count_progress, counted, index_progress, plain, problem_lines
from asof.errors import UsageError
from asof.files import FOLDER, SHARDS
from asof.results import IndexResult
from asof.wire import replace

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.store.run import IndexReport


# -- opens or creates the corpus that is written to ----------------------------------------------------

SETTINGS = ("languages", "stem", "chunking", "undated")


def opened(index: Path | None, wait: float, language: str | None, *, quiet: bool) -> Corpus:
    """The corpus, new or not. Raises UsageError when it was made with other languages than asked for."""
    from asof import config, environment
    from asof.corpus.corpus import open as open_for_writing

    root = corpus_root(index)
    configured_here = environment.configuration(root)
    configured = wanted = configured_here.index
    if language:
        wanted = replace(configured, languages=_languages(language))
    new = not environment.holds_corpus(root)
    corpus = open_for_writing(root, settings=wanted, wait=wait, on_note=echo_err)
    has = corpus.store.settings
    if language and has.languages != wanted.languages:
        corpus.close()
        raise UsageError(
            f"--language: this corpus was made with {_text(has.languages)}, not {_text(wanted.languages)}; "
            "settings are those of the first run; index into another folder with --index"
        )
    for key in SETTINGS:
        setting = getattr(configured, key)
        if (
            key in configured_here.beside
            and not (language and key == "languages")
            and setting not in (getattr(has, key), getattr(config.Config().index, key))
        ):
            echo_err(
                f"{root / config.FILE} says {key} = {_text(setting)}; this corpus was made with "
                f"{_text(getattr(has, key))}, which stays: index into another folder with --index"
            )
    if not quiet and not new and root.resolve() != Path.cwd():
        click.echo(f"index in {plain(str(root / FOLDER))}")
    _note_encoder(corpus, new=new)
    return corpus


def _languages(text: str) -> tuple[str, ...]:
    from asof import config

    codes = [code.strip() for code in text.split(",")]
    return config.read({"index": {"languages": codes}}, "--language").index.languages


def _note_encoder(corpus: Corpus, *, new: bool) -> None:
    """Print a note if nothing names the encoder of a new corpus, or asof.toml another than the corpus has."""
    from asof import config

    if new and corpus.config.automatic and corpus.manifest.encoder is not None:
        echo_err(
            f"searched by words and by meaning ({corpus.manifest.encoder.name}); for words only: `asof embed "
            f'--encoder none`, or encoder = "none" in [index] of {config.FILE} beforehand'
        )
    setting, has = corpus.models.encoder(), corpus.store.settings.encoder
    if setting is not None and setting.name != has:
        file = corpus.config.origin.get("encoder", corpus.root / config.FILE)
        echo_err(
            f"{file} names the encoder {setting.name}; this corpus has "
            f"{has or 'none'}, which stays until `asof embed` changes it"
        )


def _text(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value).lower()


# -- the options of a source, checked before anything is made ------------------------------------------


def scheme_options(source: str, texts: tuple[str, ...]) -> dict[str, Any]:
    """The values of `--set NAME=VALUE` for the scheme of a source: a number or true and false where the
    scheme takes one, else the text. Raises UsageError for what is not NAME=VALUE."""
    from asof.sources.source import scheme_in, scheme_named

    scheme = scheme_named(scheme_in(source))
    accepted = inspect.signature(scheme.open).parameters if scheme else {}
    options: dict[str, Any] = {}
    for each in texts:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {each[:80]!r}: NAME=VALUE is expected")
        name = name.strip().replace("-", "_")
        kind = str(accepted[name].annotation) if name in accepted else ""
        if "int" in kind and value.isdecimal():
            options[name] = int(value)
        elif "bool" in kind and value in ("true", "false"):
            options[name] = value == "true"
        else:
            options[name] = value
    return options


def check(
    source: str, root: Path, texts: tuple[str, ...], *, history: bool | None, branch: str = ""
) -> dict[str, Any]:
    """Refuse what is no source before anything is created or read; the options of its scheme, if it has one.
    Raises SourceError, UsageError."""
    from asof.environment import configuration, now
    from asof.sources.history import open_source
    from asof.sources.source import SourceContext, is_target, open_scheme, scheme_in, scheme_named

    if is_target(source):
        options, name, configured = scheme_options(source, texts), scheme_in(source), configuration(root)
        context = SourceContext(root, now(), configured.sources.get(name, {}), configured.fields)
        open_scheme(source, context, options)
        if history or branch:
            raise UsageError("--history is for folders; a scheme gives all versions that it has")
        scheme = scheme_named(name)
        for line in scheme.notes(source) if scheme else ():
            echo_err(plain(line))
        return options
    if texts:
        raise UsageError(f"--set {texts[0][:80]}: only for sources of a scheme, and {source!r} is none")
    if not source:
        raise UsageError("a source is empty; a folder or a file is expected, . for this folder")
    if ".asof" in Path(source).resolve().parts:
        raise UsageError(f"{source} is (in) the index itself; the folder or file of the texts is expected")
    if branch and history is False:
        raise UsageError("--no-history goes with no branch: leave one of them out")
    open_source(Path(source), root=root, history=bool(history), branch=branch)
    return {}


# -- the command ---------------------------------------------------------------------------------------


@click.command()
@click.argument("sources", nargs=-1, metavar="SOURCE...", type=click.Path())
@index_option
@click.option(
    "--history/--no-history", default=None,
    help="Index every version of the branch in git, by commit date (default: as before).",
)  # fmt: skip
@click.option("--branch", default="", metavar="NAME", help="The history of this branch (default: of HEAD).")
@click.option(
    "--set", "options", multiple=True, metavar="NAME=VALUE",
    help="An option of the scheme, e.g. since=2024-03 (again: and that).",
)  # fmt: skip
@click.option("--language", metavar="CODE[,CODE]", help="Languages of the texts, e.g. en,de (new corpora).")
@click.option("--trust-mtime", is_flag=True, help="Use modification times as dates even if they look copied.")
@click.option(
    "--yes", is_flag=True,
    help="Remove documents that are gone from the source, however many; change how it is read.",
)  # fmt: skip
@click.option(
    "--wait", type=click.FloatRange(min=0), default=60.0, metavar="SECONDS",
    help="How long to wait for another writer (default 60).",
)  # fmt: skip
@click.option(
    "--shards", type=click.IntRange(1, 1_024), metavar="S",
    help="Divide a new index into so many parts, each written by a process of its own.",
)  # fmt: skip
@click.option(
    "--ray", metavar="ADDRESS", help="Have a Ray cluster write the parts (auto: the one around here)."
)
@click.option("--watch", is_flag=True, help="Then follow the folders until Ctrl-C (no SOURCE: those in DIR).")
@json_option
@click.pass_context
def index(
    context: click.Context, /, sources: tuple[str, ...], index: Path | None, history: bool | None,
    branch: str, options: tuple[str, ...], language: str | None, trust_mtime: bool, yes: bool, wait: float,
    shards: int | None, ray: str | None, watch: bool, as_json: bool,
) -> int:  # fmt: skip
    """Index folders of notes, vaults, single files, .jsonl[.gz]. Run it again to index what changed.

    SCHEME:... names what is kept elsewhere, which is only read: feed:FILE (RSS, Atom),
    zotero:FOLDER; arxiv:cs.IR+cs.CL fetches the papers of categories from arXiv, arxiv:2401.13222 a paper
    by its id, each with all its versions (--set since, until, per_day, full). Run again, it fetches what
    is new; interrupted, it resumes.

    In a corpus with an encoder (asof embed), words come first. Vectors come then: at a terminal in the
    background, else before the command ends.

    A file, line or entry that cannot be read is reported once, and the rest is indexed (exit code 3 if
    anything new was lost). A first run that indexes nothing leaves no index behind (exit code 1, 2 or 3).

    With --shards the index is one for a cluster: DIR is a folder outside of SOURCE, or a URL (s3://BUCKET/PREFIX
    ...), where each part is published when it is written. Further runs into it need no --shards.
    """
    from asof.environment import holds_corpus

    url = url_in(index)
    root = Path.cwd() if url else corpus_root(index)
    into_shards = bool(url or shards or ray or (root / SHARDS).is_file())
    if into_shards and watch:
        raise UsageError("--watch: only for an index that is not in shards")
    if watch:
        return _watch(context, sources, lambda: opened(index, wait, language, quiet=as_json))
    if not sources:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    checked = [(source, check(source, root, options, history=history, branch=branch)) for source in sources]
    if into_shards:
        return _index_shards(context, url or str(root), checked)
    indexed: list[tuple[str, IndexReport, float]] = []
    empty = new = not holds_corpus(root)
    with opened(index, wait, language, quiet=as_json) as corpus:
        for source, chosen in checked:
            started = time.perf_counter()
            report = _add(
                corpus, source, chosen, yes, history=history, branch=branch, trust_mtime=trust_mtime,
                quiet=as_json,
            )  # fmt: skip
            if report is None:
                return NOTHING
            indexed.append((source, report, time.perf_counter() - started))
            if empty and report.written:
                empty = False
                if not as_json:
                    click.echo(plain(f"new index in {_from_here(root / FOLDER)}"))
            if not as_json:
                show_report(*indexed[-1])
        if new and not as_json and not language and (hint := languages_hint(corpus)):
            echo_err(hint)
        corpus.prepare()
        _embed(corpus)
    if empty and not as_json:
        echo_err("nothing was indexed, and no index is left behind")
    return _done(indexed, empty=empty, as_json=as_json)


def _done(indexed: Sequence[tuple[str, IndexReport, float]], *, empty: bool, as_json: bool) -> int:
    if as_json:
        print_json(IndexResult.of(indexed))
    lost = any(problem.lost for _, report, _ in indexed for problem in report.new_problems)
    return PROBLEMS if lost else NOTHING if empty else DONE


def _index_shards(context: click.Context, index: str, checked: Sequence[tuple[str, Any]]) -> int:
    """Index into a folder of shards, or at a URL. Raises what `asof.plugins.SHARDING` does."""
    from asof import plugins

    into: Any = plugins.load(plugins.SHARDING, "cluster")
    had, as_json = context.params, context.params["as_json"]
    how = {name: had[name] for name in ("history", "branch", "trust_mtime")}
    jobs = [{"target": source, "options": chosen, "sure": had["yes"], **how} for source, chosen in checked]
    reports: Iterator[IndexReport] = into(
        index, jobs, shards=had["shards"], ray=had["ray"], wait=had["wait"], on_note=echo_err,
        languages=_languages(had["language"]) if had["language"] else (),
    )  # fmt: skip
    indexed, started = list[tuple[str, "IndexReport", float]](), time.perf_counter()
    for (source, _), report in zip(checked, reports, strict=True):
        indexed.append((source, report, time.perf_counter() - started))
        started = time.perf_counter()
        if not as_json:
            show_report(*indexed[-1])
    empty = not any(report.written or report.unchanged for _, report, _ in indexed)
    return _done(indexed, empty=empty, as_json=as_json)


MOST_READ, LEAST_WORDS, LEAST_SHARE = 2_000, 5, 0.01
"""The most documents of which the language is looked at; the least words of grammar of it that one has; the
least share of documents of a language that is told."""


def languages_hint(corpus: Corpus) -> str:
    """A line if documents seem to be in languages that a corpus does not have; "" if none do."""
    from asof.config import FILE
    from asof.lang import codes, detect, stop_words
    from asof.text.tokens import DETECTION, LONG_ENOUGH, tokenize

    has = corpus.session.languages
    known = {code: stop_words(code) for code in dict.fromkeys((*has, *codes("words")))}
    texts: list[tuple[str]] = corpus.session.read(lambda db: db.execute(
        "SELECT group_concat(text, char(10)) FROM passages WHERE document IN"
        " (SELECT id FROM documents ORDER BY id LIMIT ?) GROUP BY document", (MOST_READ,)
    ).fetchall())  # fmt: skip
    words = (tokenize(text[:LONG_ENOUGH])[:DETECTION] for (text,) in texts)
    found = Counter(detect(each, known, has[0], least=LEAST_WORDS) for each in words)
    least = LEAST_SHARE * len(texts)
    others = [(code, count) for code, count in found.most_common() if code not in has and count >= least]
    if not others:
        return ""
    seem = counted(sum(count for _, count in others), "document")
    first = f"of the first {MOST_READ:,}, " if len(texts) == MOST_READ else ""
    told = ", ".join(f"{code}: {count:,}" for code, count in others)
    wanted = [*has, *(code for code, _ in others)]
    return (
        f"{first}{seem} may be in a language that this corpus does not have ({told}): put languages = "
        f"{json.dumps(wanted)} below [index] of {FILE}, remove {FOLDER}, and index again"
    )


def _embed(corpus: Corpus) -> None:
    """Make the vectors that are missing: where a person waits for the prompt in a process of its own, else
    here. Raises ModelError, MissingExtra, UsageError, also where the process of its own could make none."""
    waiting, encoder = corpus.session.read(corpus.manifest.waiting), corpus.manifest.encoder
    if encoder is None or not waiting:
        return
    if not sys.stdout.isatty():
        with count_progress("embedding", "passages") as advance:
            corpus.embed(encoder, advance)
        return
    encoder.encode(["."])
    command = (sys.executable, "-P", "-m", "asof", "embed", "--encoder", "kept", "--index", str(corpus.root))
    no = subprocess.DEVNULL
    subprocess.Popen(command, stdin=no, stdout=no, stderr=no, start_new_session=True)  # noqa: S603  -P: safe
    echo_err(f"vectors of {counted(waiting, 'passage')} are made in the background, see `asof status`")


def _watch(context: click.Context, sources: tuple[str, ...], open_new: Callable[[], Corpus]) -> int:
    """Follow sources, which are indexed first, until Ctrl-C; without any, those in its folder.
    Raises UsageError, MissingExtra."""
    from asof import plugins
    from asof.sources.source import is_target

    if wrong := set(given(context)) & {"history", "branch", "options", "trust_mtime", "yes"}:
        raise UsageError(f"--watch indexes as without {', '.join(sorted(map(_option, wrong)))}: leave it out")
    if targets := [each for each in sources if is_target(each)]:
        raise UsageError(f"--watch is for folders and files, and {targets[0]} is a source of a scheme")
    follow: Any = plugins.load(plugins.WATCHING, "server")
    follow(
        open_new if sources else lambda: open_corpus(context.params["index"]), sources,
        as_json=context.params["as_json"],
    )  # fmt: skip
    return DONE


def _option(name: str) -> str:
    """A parameter as it is given."""
    return "--" + {"options": "set"}.get(name, name).replace("_", "-")


def _from_here(path: Path) -> str:
    """A path relative to the current folder, if it is inside it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _add(
    corpus: Corpus, target: str, options: Mapping[str, Any], sure_of_it: bool, *, history: bool | None,
    branch: str, trust_mtime: bool, quiet: bool,
) -> IndexReport | None:  # fmt: skip
    """The report; None when it was asked whether documents have ended, or whether the way changes, and the
    answer was no. A source with a `summary()` has it shown, also where the run broke off. Raises SourceError,
    UsageError."""
    from asof.errors import SourceShrunk, WayChanged

    source = corpus.source(target, history=history, branch=branch, trust_mtime=trust_mtime, **options)
    try:
        with index_progress(target) as advance:
            try:
                return corpus.add(
                    source, allow_shrinking=sure_of_it, change_way=sure_of_it, encode=False, progress=advance
                )
            except (SourceShrunk, WayChanged) as refused:
                if not sys.stdin.isatty():
                    raise
                question, shrunk = str(refused), isinstance(refused, SourceShrunk)
        echo_err(question)
        if not sure(*_QUESTIONS[shrunk]):
            return None
        return corpus.add(source, allow_shrinking=shrunk, change_way=not shrunk, encode=False)
    finally:
        summary: Callable[[], str] | None = getattr(source, "summary", None)
        if not quiet and summary is not None and (words := summary()):
            echo_err(plain(words))


_QUESTIONS = (
    ("Change how it is read?", "nothing was read"), ("Remove them?", "nothing was removed"),
)  # fmt: skip
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
    for line in problem_lines(report.new_problems):
        echo_err(f"  {line}")
