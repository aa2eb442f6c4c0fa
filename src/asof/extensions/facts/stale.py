"""Stale statements: sentences of current documents that rest on what is no longer so.

`find_stale` joins links (`stale_links.py`) and times that have passed (`expired_dates.py`); `stale_report` is
the worst of them as `asof stale` lists them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from asof.arguments import checked
from asof.corpus.snapshot import Snapshot
from asof.documents import SourcedTime, as_texts, document_file
from asof.errors import DocumentNotFound, UsageError
from asof.extensions.facts.current import STALE_KINDS, UNWRITTEN, Stale, StaleQuote
from asof.extensions.facts.expired_dates import passed_times
from asof.extensions.facts.stale_links import stale_links
from asof.index.view import View
from asof.sources.files import content
from asof.sources.markdown import Inline
from asof.sources.readers import NotText, Unreadable, decoded
from asof.sources.source import InputLimits, SourceNaming, source_file
from asof.store.digest import span_of
from asof.time.moment import When
from asof.time.span import Instant
from asof.wire import FLAT, HIDDEN, As

# -- finding ---------------------------------------------------------------------------------------


@checked
def find_stale(
    then: Snapshot, paths: str | Iterable[str] = (), *, since: When | None = None,
    kinds: str | Iterable[str] = (),
) -> tuple[Stale, ...]:  # fmt: skip
    """The stale statements of current passages, worst first.

    `paths`: only in documents whose id is one of these, lies below one, or matches a glob. `since`: only what
    became stale from the first instant of that time on. `kinds`: only these of
    `asof.extensions.facts.current.STALE_KINDS`, by default all but links to notes that are not written.
    Raises UsageError, BeforeHorizon.
    """
    wanted, below = as_texts(kinds, "kinds"), as_texts(paths, "paths")
    if unknown := [kind for kind in wanted if kind not in STALE_KINDS]:
        raise UsageError(f"kind is {unknown[0]!r}; accepted: {', '.join(STALE_KINDS)}")
    begin = then.filters(since=since).since
    return tuple(
        each for each in then.use(stale)
        if (begin is None or each.cause >= begin)
        and (each.kind in wanted if wanted else each.kind != UNWRITTEN)
        and (not below or any(lies_in(each.quote.document, path) for path in below))
    )  # fmt: skip


def stale(view: View) -> tuple[Stale, ...]:
    """All stale sentences of the current passages of a view, worst first, each once in a document."""
    found = [*stale_links(view), *passed_times(view)]
    best_last = sorted(found, key=order, reverse=True)
    once = {(each.quote.document, each.quote.text): each for each in best_last}
    return tuple(sorted(once.values(), key=order))


def order(each: Stale) -> tuple[float, int, str, int, str]:
    """By score, then the latest cause, then by place: the same whatever else is in the corpus."""
    return -each.score, -each.cause, each.quote.document, each.quote.start, each.id


def lies_in(document: str, path: str) -> bool:
    """True if the id of a document is a path, lies below it, or matches it as a glob."""
    return document == path or document.startswith(path.rstrip("/") + "/") or fnmatchcase(document, path)


# -- the lines of a sentence -----------------------------------------------------------------------


def line_of(quote: StaleQuote, text: str, root: Path | None) -> tuple[int, Path | None]:
    """The line of a sentence, from 1, and the file in which it is; None where it is one of the document's
    text, since no file holds the sentence as it was read. `text`: its document's; `root`: the folder in which
    files are looked at, None for what stood in the past, when files were other ones."""
    file = None if root is None else source_file(root, quote.document)
    found = None if file is None else _line_in(file, quote.text, text[quote.start :])
    return (text.count("\n", 0, quote.start) + 1, None) if found is None else (found, file)


def _line_in(file: Path, words: str, rest: str) -> int | None:
    """The line of the words in a file, of which `rest` follows in the text that was read; None: not there.

    What a reader leaves out of a text stands at its top (frontmatter): places are counted from the end.
    """
    try:
        raw = content(SourceNaming(file.parent, "", ""), file.name, InputLimits().file)
        lines = decoded(raw).text.split("\n")
    except (Unreadable, NotText):
        return None
    first, count = words.partition("\n")[0], rest.count(words)
    plain = Inline().words  # the words of a line without marks of Markdown
    having = [n for n, line in enumerate(lines, 1) if first in line or first in plain(line)]
    return having[-count] if 0 < count <= len(having) else None


# -- the report ------------------------------------------------------------------------------------


MOST = 20
"""The number that is listed unless another is given."""


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A sentence of a current document."""

    quote: Annotated[StaleQuote, FLAT]
    line: Annotated[int, "its line in the file as it lies there; else, and of the past, in the text, from 1"]
    file: Annotated[Path | None, HIDDEN]
    published: Annotated[SourcedTime | None, "when the document said it first; null: not known"]


@dataclass(frozen=True, slots=True)
class PlacedStale:
    """A sentence of a current document that is stale."""

    stale: Annotated[Stale, FLAT]
    quote: Annotated[PlacedQuote, FLAT]
    by: Annotated[PlacedQuote | None, "the first of what it links to; null: there is none"]


@dataclass(frozen=True, slots=True)
class StaleReport:
    """The statements of current documents that are no longer true."""

    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    found: Annotated[tuple[PlacedStale, ...], As("stale"), "worst first"]
    more: Annotated[int, "how many did not fit in"]


def stale_report(
    then: Snapshot, listed: Iterable[Stale], most: int = MOST, *,
    files: Path | None = None,
) -> StaleReport:  # fmt: skip
    """The first `most` of those `listed`, with their places.

    `files`: the folder in which lines are looked up; None: in the
    texts, as for what stood in the past.
    """
    chosen = list(listed)
    placed = then.use(lambda view: _placed(view, chosen[:most], files))
    found = tuple(PlacedStale(each, *both) for each, both in zip(chosen, placed, strict=False))
    return StaleReport(then.as_of, then.known_at, found, len(chosen) - len(found))


def _placed(
    view: View, listed: list[Stale], files: Path | None
) -> list[tuple[PlacedQuote, PlacedQuote | None]]:
    texts: dict[str, str] = {}

    def placed(quote: StaleQuote) -> PlacedQuote:
        if quote.document not in texts:
            texts[quote.document] = view.store.text(quote.document) or ""
        known = quote.dated
        date = _published_at(view.store.db, quote.document, quote.since, view.known_at) if known else None
        return PlacedQuote(quote, *line_of(quote, texts[quote.document], files), date)

    return [(placed(each.quote), None if each.by is None else placed(each.by)) for each in listed]


def _published_at(db: sqlite3.Connection, name: str, visible: int, known_at: int) -> SourcedTime | None:
    """The date of the version of a document that is visible since an instant, or None."""
    row = db.execute(
        "SELECT v.published, v.starts, v.ends, v.dated_by FROM versions AS v JOIN documents AS d"
        " ON d.id = v.document WHERE d.name = ?1 AND v.visible = ?2 AND v.added <= ?3"
        " AND (v.retired IS NULL OR v.retired > ?3) AND v.starts IS NOT NULL AND v.ends IS NOT NULL"
        " ORDER BY v.id DESC LIMIT 1",
        (name, visible, known_at),
    ).fetchone()
    if row is None:
        return None
    published, starts, ends, by = row
    return SourcedTime(span_of(starts, ends), published or "", by)


# -- documents by path, id, pattern of ids, or title -----------------------------------------------


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
        if parts := tuple(each for each in names if document_file(each) == name):
            return parts
    if not given.strip("./"):
        raise UsageError(f"{given!r} holds no document; accepted: {ACCEPTED}")
    try:
        return (then.called(given),)
    except DocumentNotFound as wrong:
        raise UsageError(f"{wrong}; accepted: {ACCEPTED}") from None


def _names(view: View) -> list[str]:
    store = view.store
    return [name for _, name, *_ in store.current_documents()]
