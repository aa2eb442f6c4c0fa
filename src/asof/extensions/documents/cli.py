"""The command `asof import`."""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asof.cli.index import opened, show_report
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
)
from asof.cli.terminal import index_progress, plain
from asof.results import index_json

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.sources.source import Source
    from asof.store.run import IndexReport


SETTINGS: dict[str, Any] = {"language": None, "chunking": None, "undated": None, "no_stem": False}
"""Settings of a new corpus that `asof index` may set; here asof.toml says it, or it is as usual."""


@click.command(name="import")
@click.argument("kind")
@click.argument("path")
@click.option(
    "--into", "--index", "into", type=click.Path(path_type=Path), metavar="DIR", help=INDEX_HELP,
)  # fmt: skip
@click.option(
    "--pages", type=click.Path(path_type=Path), metavar="FOLDER",
    help="sitemap, bookmarks: the folder with the saved pages.",
)  # fmt: skip
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another option of that kind (repeatable)."
)
@click.option("--yes", is_flag=True, help="Remove documents that are gone from the source, however many.")
@click.option(
    "--wait", type=click.FloatRange(min=0), default=60.0, metavar="SECONDS",
    help="How long to wait for another writer (default 60).",
)  # fmt: skip
@json_option
def import_(
    kind: str, path: str, into: Path | None, pages: Path | None, settings: tuple[str, ...], yes: bool,
    wait: float, as_json: bool,
) -> int:  # fmt: skip
    """Index what lies at PATH, which is of a KIND. It is only read; run it again to index what changed.

    feed: an RSS or Atom file. sitemap: a sitemap.xml, and the saved pages of its addresses. zotero: Zotero's
    data folder. bookmarks: a browser's export as HTML. Other kinds: those of packages.

    `asof index KIND:PATH` does the same. An entry that cannot be read is reported, and the others are indexed
    (exit code 3).
    """
    from asof.environment import configuration, holds_corpus, now
    from asof.sources.source import SourceContext, open_scheme
    from asof.store.store import removed_if_empty

    root = corpus_root(into)
    target = _target(kind, path)
    options = _options(pages, settings)
    configured = configuration(root)
    context = SourceContext(root, now(), configured.sources.get(kind, {}), configured.fields)
    open_scheme(target, context, options)  # refuses what is no such source before anything is made
    empty = not holds_corpus(root)
    started = time.perf_counter()
    with removed_if_empty(root), opened(into, wait, SETTINGS, quiet=as_json) as corpus:
        source = corpus.source(target, **options)
        report = _add(corpus, source, yes)
        if report is None:
            return NOTHING
        corpus.prepare()
    done = (source.name, report, time.perf_counter() - started)
    if as_json:
        print_json(index_json([done]))
    else:
        show_report(*done)
        if empty and not report.written:
            echo_err("nothing was indexed, and no index is left behind")
    lost = any(problem.lost for problem in report.problems)
    return PROBLEMS if lost else NOTHING if empty and not report.written else DONE


def _target(kind: str, path: str) -> str:
    """`KIND:PATH`, a path of this folder as a whole one. Raises UsageError for a kind that there is not."""
    from asof import plugins
    from asof.errors import UsageError
    from asof.sources.source import scheme_named

    kind = kind.lower()
    if kind == "arxiv" or scheme_named(kind) is None:
        kinds = [each for each in plugins.names(plugins.SOURCES) if each != "arxiv"]
        hint = "papers are fetched by `asof index arxiv:...`; " if kind == "arxiv" else ""
        raise UsageError(f"no kind {kind[:80]!r}; {hint}accepted: {', '.join(kinds)}")
    place, more = re.fullmatch(r"([^?#]*)(.*)", path, re.DOTALL).groups()  # type: ignore[union-attr]
    if os.path.lexists(path):
        place, more = path, ""
    if place and os.path.lexists(place):
        place = os.path.abspath(place)  # noqa: PTH100  a link stays one
    return f"{kind}:{place}{more}"


def _options(pages: Path | None, settings: tuple[str, ...]) -> dict[str, Any]:
    """The options of the scheme. Raises UsageError for one that is not NAME=VALUE."""
    from asof.errors import UsageError

    options: dict[str, Any] = {"pages": str(pages)} if pages is not None else {}
    for each in settings:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {each[:80]!r}: NAME=VALUE is expected")
        options[name.strip().replace("-", "_")] = value
    return options


def _add(corpus: Corpus, source: Source, yes: bool) -> IndexReport | None:
    """The report; None when documents would have ended and the answer was no. Raises SourceError."""
    from asof.errors import SourceShrunk

    with index_progress(source.name) as advance:
        try:
            return corpus.add(source, allow_shrinking=yes, progress=advance)
        except SourceShrunk as shrunk:
            if not sys.stdin.isatty():
                raise
            question = str(shrunk)
    echo_err(plain(question))
    if not sure("Remove them?", "nothing was removed"):
        return None
    return corpus.add(source, allow_shrinking=True)
