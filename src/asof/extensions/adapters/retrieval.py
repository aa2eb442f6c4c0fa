"""Retrieval for the adapters: a corpus handle, search options, and hits with their metadata.

`Retrieval` asks `Snapshot.search` with `SearchOptions`, which a retriever takes when it is made and, in place
of these, with a question. A `CorpusHandle` opens the corpus at the first question.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import force_words
from asof.errors import UsageError
from asof.hits import Hit
from asof.sources.records import as_record
from asof.time.span import iso
from asof.wire import replace

if TYPE_CHECKING:
    from asof.rank.stage import Recipe
    from asof.time.moment import When


SHOWN = 5
"""So many problems are named where documents cannot be added."""


class CorpusHandle:
    """Gives the corpus to all that share this handle: threads, copies, retrievers with other options.

    A copy is the handle itself. Pickled, it is the path of the folder: a corpus that was opened with a model
    or an encoder of its own is opened without it where that is read.
    """

    def __init__(self, index: str | Path | None = None, corpus: Corpus | None = None) -> None:
        """`index`: the folder in which `.asof` lies. Raises UsageError unless one of the two is given."""
        if (index is None) == (corpus is None):
            raise UsageError(
                "a retriever needs either index, the folder in which .asof lies, or corpus, an open one"
            )
        if corpus is not None and not isinstance(corpus, Corpus):
            raise UsageError(f"corpus is {corpus!r:.60}; accepted: an open corpus, as asof.open gives one")
        self.folder = Path(index) if corpus is None else corpus.root  # type: ignore[arg-type]  # one is given
        self._given = corpus
        self._opened: Corpus | None = None
        self._closing: weakref.finalize[Any, Any] | None = None
        self._lock = threading.Lock()

    def corpus(self, *, create: bool = False) -> Corpus:
        """The corpus, open. Raises NoCorpus where the folder has none, unless it may `create` one, and what
        else `asof.open` does."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                self._opened = open_corpus(self.folder, create=create)
                self._closing = weakref.finalize(self, self._opened.close)
            return self._opened

    def add(self, documents: Iterable[object], ids: Sequence[str] | None = None) -> list[str]:
        """Add documents of a library, new versions where their ids are known; returns these. Raises
        UsageError for one that cannot be read, and what `Corpus.add` raises."""
        seen = Counter[str]()
        records: list[Any] = [as_record(each, seen) for each in documents]
        if odd := [each for each in records if not isinstance(each, Mapping)]:
            raise UsageError(f"{odd[0]!r:.80} is no document with a text and metadata")
        if ids is not None:
            records = [{**each, "id": own} for each, own in zip(records, ids, strict=True)]
        report = self.corpus(create=True).add(records)
        if report.failed:
            raise UsageError("; ".join(each.message for each in report.problems[:SHOWN]))
        return [str(each["id"]) for each in records]

    def delete(self, ids: Iterable[str]) -> None:
        """Erase documents with all of their versions. Raises UsageError for an id that is not known."""
        for each in ids:
            self.corpus().purge(each)

    def close(self) -> None:
        """Close the corpus, if it was opened here; the next question opens it again."""
        with self._lock:
            if self._closing is not None:
                self._closing()
            self._opened = self._closing = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (str(self.folder),)


class SearchOptions(TypedDict, total=False):
    """Options of a search; None, or absent: not given.

    `k`: how many results. `as_of`, `known_at`: see `Corpus.at`. `since`, `until`, `recipe`, `unit`: see
    `Snapshot.search`. `where`: its other filters by their names, such as `{"tags": "harbour"}`.
    """

    k: int | None
    as_of: When | None
    known_at: When | None
    since: When | None
    until: When | None
    recipe: str | Recipe | None
    unit: str | None
    where: Mapping[str, Any] | None


NAMES = tuple(SearchOptions.__annotations__)

FILTERS = ("about", "in_force", "source", "path", "tags", "meta")
"""The filters that `where` accepts."""


def merged(options: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, each replaced by the override of its name where that is given.

    Raises UsageError for an unknown name, and for a `where` that is no mapping of filters.
    """
    _check_names("option", {**options, **overrides}, NAMES)
    given = {name: value for name, value in options.items() if value is not None}
    given |= {name: value for name, value in overrides.items() if value is not None}
    _check_names("filter", given.get("where", {}), FILTERS)
    return given


def _check_names(what: str, given: object, names: tuple[str, ...]) -> None:
    """Raises UsageError for what is no mapping, and for a name that is not among these."""
    if not isinstance(given, Mapping):
        raise UsageError(f"where is {given!r:.60}; accepted: a mapping of {', '.join(names)} to their values")
    for name in given:
        if name not in names:
            raise UsageError(f"there is no {what} {str(name)!r:.60}; accepted: {', '.join(names)}")


TECHNICAL = ("id", "document", "uri", "score", "published_from", "dated_by", "holds", "version")
"""Keys that say nothing to a language model which reads the passage."""


def metadata(hit: Hit) -> dict[str, Any]:
    """The metadata of a hit.

    `id`: that of the hit; `document`: that of its document. `published`: the date as it was stated, None for
    an undated document; `published_from`: its first instant (ISO 8601, UTC), None for one without a start.
    `dated_by`: where the date was found. `superseded`: None, or the later passage that states the same of the
    same subject: its `id`, `document`, `title`, and `at`, the instant since when it is in force. `in_force`:
    None, or what is stated of that ("takes effect on 2025-04-01"); `holds`: whether it is in force at the
    date for which it was asked. `headings`: those above the passage, from the top. `tags`, `meta`: those of
    the document. `citation`: how to cite it ("Travel policy, p. 4, 2024-11-20, version 3 of 5"); `version`:
    None, or the `number` of that version and how many there are (`of`).
    """
    published, later = hit.published, hit.superseded
    start = None if published is None or published.span.start is None else iso(published.span.first)
    return {
        "id": hit.id, "document": hit.document, "title": hit.title, "uri": hit.uri,
        "published": None if published is None else published.text, "published_from": start,
        "dated_by": hit.dated_by, "headings": list(hit.place.headings), "score": hit.score,
        "superseded": None if later is None else {
            "id": later.id, "document": later.document, "title": later.title, "at": iso(later.at),
        },
        "in_force": force_words(hit.in_force, hit.at) or None, "holds": hit.holds,
        "tags": list(hit.tags), "meta": dict(hit.meta), "citation": hit.citation,
        "version": None if hit.version is None else {"number": hit.version.number, "of": hit.version.of},
    }  # fmt: skip


class FoundPassage(NamedTuple):
    """A hit and its metadata (see `metadata`)."""

    hit: Hit
    metadata: dict[str, Any]


class Found(NamedTuple):
    """The passages found for a question, best first, and the notes of the search."""

    passages: tuple[FoundPassage, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A corpus and the options with which it is asked (`SearchOptions`).

    Raises UsageError for options that are not known.
    """

    handle: CorpusHandle
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", merged(self.options, {}))

    def changed(self, overrides: Mapping[str, Any]) -> Retrieval:
        """The same corpus, asked with other options."""
        return replace(self, options=merged(self.options, overrides))

    def search(self, question: str, overrides: Mapping[str, Any] | None = None) -> Found:
        """The passages for a question. `overrides` stand in place of the options, for this question.

        Raises UsageError, BadTime, BeforeHorizon, ModelError, NoCorpus.
        """
        asked = merged(self.options, overrides or {})
        as_of, known_at = asked.pop("as_of", None), asked.pop("known_at", None)
        where = asked.pop("where", {})
        results = self.handle.corpus().at(as_of, known_at).search(question, **asked, **where)
        return Found(tuple(FoundPassage(hit, metadata(hit)) for hit in results.hits), results.notes)
