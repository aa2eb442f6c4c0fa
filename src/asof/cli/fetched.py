"""`asof index arxiv:...`: which options go with it, and what is told of what was fetched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from asof.cli.main import tell
from asof.cli.plain import plain

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.store.run import IndexReport

PREFIX = "arxiv:"


def is_arxiv(source: str) -> bool:
    """Whether a source lies at arXiv: what begins so is no path (a file of that name is ./arxiv:...)."""
    return source[: len(PREFIX)].lower() == PREFIX


def check(source: str, options: Mapping[str, Any], *, history: bool) -> None:
    """Refuse what names nothing at arXiv, and options that do not go with a source, before anything is made.
    Raises SourceError, UsageError."""
    from asof.errors import UsageError

    if is_arxiv(source):
        from asof.sources.arxiv.target import read
        from asof.sources.arxiv.wish import table

        for each in read(source).categories:
            if each not in table().titles and not each.endswith(".*"):
                tell(plain(f"{each} is no category that is known here; arXiv is asked for it all the same"))
        if history:
            raise UsageError("--history is for folders; all versions of papers are fetched as it is")
    elif given := [
        f"--{name.replace('_', '-')}"
        for name, value in options.items()
        if value is not None and value is not False
    ]:
        raise UsageError(f"{', '.join(given)}: only for arxiv:..., and {source!r} is none")


def fetch(
    corpus: Corpus,
    source: str,
    options: Mapping[str, Any],
    progress: Callable[[IndexReport], None] | None,
    *,
    quiet: bool,
) -> IndexReport:
    """Take in papers; what was fetched is told also where it broke off. Raises SourceError, UsageError."""
    papers = corpus.papers(source, **options)
    try:
        return corpus.add(papers, progress=progress)
    finally:
        if not quiet and papers.figures.requests:
            tell(plain(papers.figures.said()))
