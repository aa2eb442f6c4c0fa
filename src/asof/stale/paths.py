"""Which documents are meant by a path, an id, a pattern of ids, or a title."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from asof.corpus.snapshot import Snapshot
from asof.data.document import file_of
from asof.errors import DocumentNotFound, UsageError
from asof.index.view import View
from asof.sources.source import SourceNaming
from asof.stale.find import lies_in
from asof.store.links import current_documents

ACCEPTED = "a file or folder that is indexed, a document's id or title, a pattern of ids such as 'notes/*'"
ALL = "."


def documents_meant(then: Snapshot, given: Iterable[str], root: Path | None = None) -> tuple[str, ...]:
    """The documents that are meant, as `find_stale` accepts them: empty for all of them.

    `root`: the folder of the corpus, where what is given may also be a path from the current one. Raises
    UsageError for what means no current document, or several by a title.
    """
    asked = list(given)
    names = then.use(_names) if asked else []
    found = [_meant(then, each, names, root) for each in asked]
    return () if not all(found) else tuple(name for each in found for name in each)


def _meant(then: Snapshot, given: str, names: list[str], root: Path | None) -> tuple[str, ...]:
    relative = SourceNaming.of(Path(given), root).name if root is not None and given else given
    if relative == ALL:
        return ()
    for name in dict.fromkeys((relative, given)):
        if any(lies_in(each, name) for each in names):
            return (name,)
        if parts := tuple(each for each in names if file_of(each) == name):
            return parts
    if not given.strip("./"):
        raise UsageError(f"{given!r} holds no document; accepted: {ACCEPTED}")
    try:
        return (then.called(given),)
    except DocumentNotFound as wrong:
        raise UsageError(f"{wrong}; accepted: {ACCEPTED}") from None


def _names(view: View) -> list[str]:
    store = view.store
    return [name for _, name, _ in current_documents(store.db, store.as_of, store.known_at)]
