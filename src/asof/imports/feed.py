"""`feed:PATH`: the entries of a feed that lies in a file. Those that have left it do not end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from asof.arguments import checked
from asof.data import Checkpoint, Document, Problem, SourcedTime, Statement, Unchanged
from asof.data.document import LONGEST_ID
from asof.errors import BadTime
from asof.imports import said_dates
from asof.imports.feed_entries import FeedEntry, entries
from asof.imports.target import naming_of, tree_of, whole
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import InputLimits, SourceNaming, token

PREFIX = "feed:"
COUNT = 8
"""The bytes of a checkpoint that say how many documents a feed states."""


class Feed:
    """The documents of a feed, one for each entry. A feed holds the last entries only: it is not complete."""

    kind = "feed"
    complete = False

    def __init__(self, naming: SourceNaming, limits: InputLimits = InputLimits()) -> None:  # noqa: B008
        self.name = PREFIX + naming.name
        self.naming = naming
        self.limits = limits
        self._before = b""

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._before = checkpoints.get("", b"")

    def documents(self) -> Iterator[Statement]:
        """The entries in the order of the file; nothing new while it holds the same bytes. Raises
        SourceError."""
        raw = whole(self.naming, self.limits.file)
        state = token(self.name, repr(self.limits), raw)
        if self._before[:-COUNT] == state:
            yield Unchanged(count=int.from_bytes(self._before[-COUNT:]))
            return
        tree = tree_of(raw, self.naming.shown)
        seen: set[str] = set()
        sound = True
        for number, entry in enumerate(entries(tree, self.naming.shown), 1):
            if entry.id and entry.id in seen:
                sound = False
                yield self._problem(
                    entry, f"its id {entry.id[:100]!r} is that of an entry above; it is left out"
                )
                continue
            seen.add(entry.id)
            for item in self._stated(entry, number):
                sound = sound and not isinstance(item, Problem)
                yield item
        if sound:
            yield Checkpoint("", state + len(seen).to_bytes(COUNT))

    def _stated(self, entry: FeedEntry, number: int) -> Iterator[Document | Problem]:
        text = entry.words.text or entry.title
        name = PREFIX + entry.id
        if not entry.id or len(name) > LONGEST_ID:
            what = (
                "has neither an id nor a link" if not entry.id else f"has an id of {len(name):,} characters"
            )
            yield self._problem(entry, f"entry {number} {what}", "a feed names each entry by an id")
            return
        if not text:
            yield self._problem(entry, f"entry {number} has neither a text nor a title", document=name)
            return
        notes: list[Problem] = []
        published = self._date(entry, entry.published, notes)
        changed = self._date(entry, entry.changed, notes)
        yield from notes
        authors = {"author": list(entry.authors)} if entry.authors else {}
        yield Document(
            name, text, entry.title, published or changed, changed, tags=entry.tags, meta=authors,
            outline=entry.words.outline if entry.words.text else (), uri=entry.link,
        )  # fmt: skip

    def _date(self, entry: FeedEntry, words: str, notes: list[Problem]) -> SourcedTime | None:
        try:
            return said_dates.of_text(words)
        except BadTime as wrong:
            notes.append(self._problem(entry, f"its date cannot be read: {wrong}", lost=False))
            return None

    def _problem(
        self, entry: FeedEntry, message: str, remedy: str = "", document: str = "", *, lost: bool = True
    ) -> Problem:
        return Problem(message, self.naming.shown, entry.line, remedy, document, lost)


@checked
def open_feed(target: str, context: SourceContext) -> Feed:
    """The source that `feed:PATH` names. Raises SourceError for a path that is not there."""
    return Feed(naming_of(target, context))


SCHEME = SourceScheme(open_feed)
