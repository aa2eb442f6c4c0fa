"""Which source a path is, or what `arxiv:...` names."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from asof.errors import SourceError, UsageError
from asof.sources.fields import Fields
from asof.sources.files import Files
from asof.sources.history import History
from asof.sources.jsonl import JsonLines
from asof.sources.page import READERS, suffix
from asof.sources.source import InputLimits, SourceNaming

if TYPE_CHECKING:
    from asof.sources.arxiv.kept import Known
    from asof.sources.arxiv.settings import ArxivSettings
    from asof.sources.arxiv.source import Arxiv

ACCEPTED = f"accepted are a folder, and files that end in .jsonl, .jsonl.gz, {', '.join(READERS)}"


def open_source(
    target: Path,
    *,
    root: Path,
    history: bool = False,
    fields: Fields = Fields(),  # noqa: B008  a frozen value
    trust_mtime: bool = False,
    limits: InputLimits = InputLimits(),  # noqa: B008
) -> Files | JsonLines | History:
    """The source that `target` is, named by its path from `root`, the corpus's folder.

    With `history` every version in a folder's git history is stated. Raises SourceError, which says what is
    accepted, for a path that is not there or of no known kind.
    """
    try:
        folder, file = target.is_dir(), target.is_file()
    except OSError as wrong:
        raise SourceError(f"{target} cannot be read: {wrong.strerror}") from wrong
    naming = SourceNaming.of(target, root)
    if history:
        if not folder:
            raise SourceError(f"{target} is no folder; --history reads a folder in a git work tree")
        return History(naming, limits, fields.fiscal_start)
    if folder:
        return Files(naming, limits, trust_mtime=trust_mtime, fiscal_start=fields.fiscal_start)
    if not file:
        what = "is neither a file nor a folder" if target.exists() else "is not there"
        raise SourceError(f"{target} {what}; {ACCEPTED}")
    if target.name.lower().endswith((".jsonl", ".jsonl.gz")):
        return JsonLines(naming, fields, limits)
    if suffix(target.name) in READERS:
        return Files(naming, limits, trust_mtime=trust_mtime, fiscal_start=fields.fiscal_start)
    raise SourceError(f"{target} is of no kind that can be read; {ACCEPTED}")


def open_arxiv(
    target: str,
    *,
    now: int,
    settings: ArxivSettings,
    since: int | None = None,
    until: int | None = None,
    per_day: int | None = None,
    full: bool = False,
    asked: str = "",
    folder: Path | None = None,
    known: Known | None = None,
) -> Arxiv:
    """The source that `arxiv:...` names. `folder`: where it is kept how far it came, `known`: which versions
    (numbers) of documents (ids) are stored; without both every run begins anew.

    Raises SourceError for what names nothing at arXiv, UsageError for options that do not go with it,
    MissingExtra for `full` where PDFs cannot be read.
    """
    from asof.sources.arxiv.kept import HarvestLog
    from asof.sources.arxiv.settings import MOST_PER_DAY
    from asof.sources.arxiv.source import Arxiv
    from asof.sources.arxiv.target import PREFIX, read
    from asof.sources.arxiv.wanted import HarvestRange

    named = read(target)
    if full:
        from asof.sources.pdf import installed

        installed()
    if per_day is not None and not 0 <= per_day <= MOST_PER_DAY:
        raise UsageError(f"per day: {per_day} papers; accepted are 1 to {MOST_PER_DAY}, and 0 for all")
    if per_day is None:
        per_day = 0 if named.papers else settings.per_day
    kept = None
    if folder is not None and known is not None:
        look = known

        def numbers(papers: Collection[str]) -> dict[str, Collection[int]]:
            found = look([PREFIX + each for each in papers])
            return {name.removeprefix(PREFIX): versions for name, versions in found.items()}

        kept = HarvestLog(folder, f"{named.name}, {per_day} a day", numbers)
    return Arxiv(named, HarvestRange(since, until, per_day, asked), now, settings, kept, full=full)
