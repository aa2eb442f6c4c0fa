"""The source that a path is."""

from __future__ import annotations

from pathlib import Path

from asof.errors import SourceError
from asof.sources.fields import Fields
from asof.sources.files import Files
from asof.sources.history import History
from asof.sources.jsonl import JsonLines
from asof.sources.readers import suffix, suffixes
from asof.sources.source import InputLimits, SourceNaming


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
        what = "is neither a file nor a folder" if target.exists() else "does not exist"
        raise SourceError(f"{target} {what}; {_accepted()}")
    if target.name.lower().endswith((".jsonl", ".jsonl.gz")):
        return JsonLines(naming, fields, limits)
    if suffix(target.name) in suffixes():
        return Files(naming, limits, trust_mtime=trust_mtime, fiscal_start=fields.fiscal_start)
    raise SourceError(f"{target} is of no kind that can be read; {_accepted()}")


def _accepted() -> str:
    return f"accepted are a folder, and files that end in .jsonl, .jsonl.gz, {', '.join(suffixes())}"
