"""A view: the passages visible at (T, K), their columns and statistics. Stages read nothing else."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof import files
from asof.errors import CorpusError, DamagedStore
from asof.hits import Hit, HitForce, Location, Why
from asof.index.columns import AboutTimes, Array, TitleTable
from asof.index.lexical import Term, having_all
from asof.index.segment import OfParts, Prefix, Segment, Window
from asof.models.ports import Encoder
from asof.queries import Filters
from asof.store.digest import hit_id, place_in
from asof.store.reader import (
    AsOfReader,
    StoredPassage,
    about_of,
    documents_passing,
    published_of,
    records,
    version_numbers,
    visible_instants_after,
)
from asof.text.query import contains_phrase
from asof.text.tokens import Analyzer, term_hash, tokenize
from asof.time.span import BEGINNING, NEVER

LOCK = "lock"
"""The lock file of a folder of derived files, held by a process that writes there."""


class RowTable(Protocol):
    """Columns of rows, of which some can be taken."""

    def take(self, rows: NDArray[np.int64]) -> Self:
        """These rows, in their order."""
        ...


Table = TypeVar("Table", bound=RowTable)
T = TypeVar("T")

FEW = 4_096
"""For at most so many rows, their parts are cached for the rest of a query."""


class DerivedCache(Struct, frozen=True):
    """Cache of data derived from rows, kept between queries: files in `folder`, values in `memo`.

    Both outlive a view and are shared by all views of a corpus, so each entry names what it was made from,
    which readers compare. All of it can be deleted. Data of one view is kept in `Prefix.memo`.
    """

    folder: Path
    memo: dict[str, Any] = msgspec.field(default_factory=dict)


def forget_derived(folder: Path) -> None:
    """Remove the files of a folder of derived files, which may hold texts, but for locks. Raises
    CorpusError."""
    try:
        for kind in files.names(folder):
            for name in files.names(folder / kind):
                if name != LOCK:
                    files.remove(folder / kind / name)
    except OSError as wrong:
        what = wrong.filename or folder
        raise CorpusError(f"{what} cannot be removed: {wrong}; nothing was erased") from wrong


Gather = Callable[[Iterable[tuple[Any, Any]]], Iterable[tuple[Any, Any]]]
"""Makes the stages of a recipe, each with its query, others that give the same."""


@dataclass(frozen=True, slots=True)
class View:
    """The passages visible at (`as_of`, `known_at`), the instants of the query.

    `prefix` holds the index's rows and statistics; rows are numbered from 0 over all its parts. `encoder` is
    the one that the corpus's vectors were made with, if any. `official`: the order of `authority`.
    `gather`: how the first stages of a recipe gather (`asof.extensions.cluster`); None: as they are.
    `memo` caches what several stages of one query need.
    """

    as_of: int
    known_at: int
    prefix: Prefix
    store: AsOfReader
    analyzer: Analyzer
    derived: DerivedCache
    encoder: Encoder | None = None
    official: tuple[str, ...] = ()
    gather: Gather | None = None
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    _records: dict[int, StoredPassage] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n(self) -> int:
        """The number of current passages."""
        return self.prefix.n

    @property
    def has_vectors(self) -> bool:
        """True if a current passage has a vector."""
        return self.encoder is not None and self.prefix.window().n_waiting < self.n

    # -- of all passages ----------------------------------------------------------------------------

    def dfs(self, terms: Sequence[int]) -> list[int]:
        """The document frequency of each of these terms (hashes) among current passages."""
        return self.prefix.dfs(terms)

    # -- of rows ------------------------------------------------------------------------------------

    def column(self, name: str, rows: NDArray[np.int64]) -> Array:
        """A column of the index for these rows, in their order."""
        parts = self.prefix.parts
        if not parts or not len(rows):
            return np.zeros(0, np.int64)
        if len(parts) == 1:
            return parts[0].segment[name][rows]
        out = np.empty(len(rows), parts[0].segment.unchecked(name).dtype)
        for at, here, own in self._by_part(rows):
            out[here] = parts[at].segment[name][own]
        return out

    def marked(
        self, rows: NDArray[np.int64], name: str, made: Callable[[Segment], NDArray[np.bool_]]
    ) -> NDArray[np.bool_]:
        """Which of these rows have a mark; `made` gives the marks of all rows of a segment, and is asked once
        for each while it is open."""
        out = np.zeros(len(rows), bool)
        for at, here, own in self._by_part(rows):
            memo = self.prefix.parts[at].segment.memo
            if name not in memo:
                memo[name] = made(self.prefix.parts[at].segment)
            out[here] = memo[name][own]
        return out

    def unmark(self, rows: NDArray[np.int64], name: str) -> None:
        """Take a mark from rows whose texts turned out to be without what it stands for; they do not
        change."""
        for at, _, own in self._by_part(rows):
            self.prefix.parts[at].segment.memo[name][own] = False

    def documents(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number for the document of each row, from 0 on and small enough to be an array index."""
        documents = np.asarray(self.column("document", rows), np.int64)
        sparse = 8 * len(documents) + 65_536  # ids grow with every document that there ever was
        if len(documents) and not 0 <= documents.min() <= documents.max() < sparse:
            return np.unique(documents, return_inverse=True)[1]
        return documents

    def _by_part(self, rows: NDArray[np.int64]) -> OfParts:
        """`Prefix.by_part`; stages read many columns of the same few rows."""
        if len(rows) > FEW:
            return self.prefix.by_part(rows)
        key = "rows by part", rows.tobytes()
        if key not in self.memo:
            self.memo[key] = self.prefix.by_part(rows)
        kept: OfParts = self.memo[key]
        return kept

    def about(self, rows: NDArray[np.int64]) -> AboutTimes:
        """The times that these rows are about, in their order."""
        return self._gathered("about", rows, lambda segment: segment.about, AboutTimes.joined)

    def titles(self, rows: NDArray[np.int64]) -> TitleTable:
        """The titles of these rows, in their order."""
        return self._gathered("titles", rows, lambda segment: segment.titles, TitleTable.joined)

    def _gathered(
        self, what: str, rows: NDArray[np.int64], table_of: Callable[[Segment], Table],
        joined: Callable[[Iterable[Table]], Table],
    ) -> Table:  # fmt: skip
        """The rows of a table that each segment has, in their order; read once for the stages of a
        question."""
        key, parts = (what, rows.tobytes()), self.prefix.parts
        if key not in self.memo:
            found = self._by_part(rows)
            pieces = [table_of(parts[at].segment).take(own) for at, _, own in found]
            if len(pieces) != 1:
                back = np.empty(len(rows), np.int64)
                back[np.concatenate([rows[:0], *(here for _, here, _ in found)])] = np.arange(len(rows))
                pieces = [joined(pieces).take(back)]
            self.memo[key] = pieces[0]
        table: Table = self.memo[key]
        return table

    def window(self, filters: Filters) -> Window:
        """A window of rows with all that were published between `since` and `until`; `allowed` has the rest
        of these filters."""
        return self.prefix.window(filters.since)

    def allowed(self, window: Window, filters: Filters) -> NDArray[np.bool_] | None:
        """Mask of the places of the window that pass the filters; None if all do."""
        mask: NDArray[np.bool_] | None = None
        if filters.since is not None or filters.until is not None:
            said = window.column("said")
            mask = window.column("dated").astype(bool)
            mask &= said >= (BEGINNING if filters.since is None else filters.since)
            mask &= said <= (NEVER if filters.until is None else filters.until)
            if mask.all():
                mask = None
        masks = [] if mask is None else [mask]
        if filters.about is not None:
            masks.append(self._within(window, *filters.about))
        documents = self.documents_passing(filters)
        if documents is not None:
            masks.append(np.isin(window.column("document"), np.array(documents, np.int64)))
        masks += [~self.containing(window, [tokenize(wanted)]) for wanted in filters.without]
        for group in filters.any_of:
            having = [self.containing(window, [tokenize(wanted)]) for wanted in group]
            masks.append(np.logical_or.reduce(having))
        return np.logical_and.reduce(masks) if masks else None

    def containing(self, window: Window, phrases: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
        """Mask of the places of current passages that contain all phrases, given as tokens: one alone in any
        of its forms, several one after the other.

        The index has no positions: passages with all the words of phrases are read and compared.
        """
        words = dict.fromkeys(word for phrase in phrases for word in phrase)
        terms = [[Term(stem, term_hash(stem)) for stem in self.analyzer.alternatives(word)] for word in words]
        mask = np.zeros(window.n, bool)
        if not terms:
            return mask
        places = having_all(window, terms)
        if all(len(phrase) == 1 for phrase in phrases):
            mask[places] = True
            return mask
        for place, record in zip(places, self.records(window.rows(places)), strict=True):
            tokens = tokenize(record.indexed)
            mask[place] = all(len(each) == 1 or contains_phrase(tokens, each) for each in phrases)
        return mask

    def says_what_is_asked(self, filters: Filters, *texts: str) -> bool:
        """True if texts contain none of `without` and one of each of `any_of`, as `allowed` has it of
        passages."""
        if not filters.without and not filters.any_of:
            return True
        text = "\n".join(texts)
        tokens, stems = tokenize(text), set(self.analyzer.terms(text, self.analyzer.detect(text)))

        def contains(wanted: str) -> bool:
            phrase = tokenize(wanted)
            if len(phrase) == 1:
                return not stems.isdisjoint(self.analyzer.alternatives(phrase[0]))
            return contains_phrase(tokens, phrase)

        return not any(map(contains, filters.without)) and all(any(map(contains, g)) for g in filters.any_of)

    def documents_passing(self, filters: Filters) -> list[int] | None:
        """The numbers of the documents whose attributes pass the filters; None if these name none."""
        attributes = {
            name: getattr(filters, name)
            for name in ("source", "paths", "tags", "meta", "any_tags", "no_tags", "documents")
            if getattr(filters, name)
        }
        return documents_passing(self.store, **attributes) if attributes else None

    def _within(self, window: Window, first: int, last: int) -> NDArray[np.bool_]:
        """Mask of the places about a time in [first, last], or published then if that is not known."""
        masks = [np.zeros(0, bool)]
        for part in window.parts:
            segment, begin, end = part.prefix.segment, part.first, part.last
            said = segment["said"][begin:end]
            then = (said >= first) & (said <= last) & segment["dated"][begin:end].astype(bool)
            about = segment.about.slice(begin, end)
            masks.append((then & ~about.known) | about.overlap(first, last))
        return np.concatenate(masks)

    def authority(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place (n,) of the document of each row in the order of sources, tags and folders (`official`):
        0 is the highest; what none names comes last."""
        places = np.full(len(rows), len(self.official))
        if self.official and len(rows):
            documents = self.column("document", rows)
            among = np.unique(documents).tolist()
            for place, name in reversed(list(enumerate(self.official))):
                places[np.isin(documents, list(documents_named(self.store, name, among)))] = place
        return places

    def rows_of_document(self, *documents: int) -> NDArray[np.int64]:
        """The current rows of a document (by its number), or several, in the order of its text."""
        window = self.prefix.window()
        rows = np.flatnonzero(np.isin(window.column("document"), np.array(documents, np.int64)))
        rows = rows[window.visible(rows)]
        return rows[np.argsort(self.column("number", rows), kind="stable")]

    def first_rows(self, documents: Sequence[int]) -> NDArray[np.int64]:
        """The first current row of each of these documents, by number; none for one without a text."""
        rows = self.rows_of_document(*documents)
        return rows[np.unique(self.column("document", rows), return_index=True)[1]]

    def count_published_since(self, first: int) -> int:
        """The number of current passages that were published from an instant on."""
        window = self.prefix.window(first)
        recent = np.flatnonzero(window.column("said") >= first)
        return int(np.count_nonzero(window.visible(recent)))

    def count_without_times(self, filters: Filters) -> int:
        """The number of current passages of a time slice without a date that are about no known time."""
        count = 0
        for part in self.window(filters).parts:
            segment, begin, end = part.prefix.segment, part.first, part.last
            known = segment["dated"][begin:end].astype(bool) | segment.about.slice(begin, end).known
            known[part.dead_places() - part.offset] = True
            if filters.until is not None:
                known |= segment["said"][begin:end] > filters.until
            count += int((~known).sum())
        return count

    def tie_order(self, scores: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Places in `rows` from best to last: by score, the later one, then by document and place; what a
        file says that came to the path of another one after what that said.

        Never by row number, which reveals what else is in the corpus.
        """
        order = np.argsort(-scores, kind="stable")
        ranked = scores[order]
        equal = ranked[1:] == ranked[:-1]
        if not equal.any():
            return order
        tied = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        some = order[tied]
        of_tied = rows[some]
        order[tied] = some[np.lexsort((
            self.column("passage", of_tied), self.column("added", of_tied), self.column("number", of_tied),
            self.column("digest", of_tied),
            -self.column("said", of_tied), -scores[some],
        ))]  # fmt: skip
        return order

    def cached(self, name: str, make: Callable[[View], T]) -> T:
        """What `make` gives of the view, kept with it.

        All times after the last change of a passage share one prefix. A version may change no passage (a
        note without text, an edit that only adds a link), so the key counts the versions that became visible
        since.
        """
        memo: dict[Any, Any] = self.prefix.memo.setdefault("by version", {})
        if "later" not in memo:
            memo["later"] = visible_instants_after(self.store.db, self.prefix.as_of)
        key = name, bisect_right(memo["later"], self.as_of)
        if key not in memo:
            memo[key] = make(self)
        made: T = memo[key]
        return made

    def records(self, rows: NDArray[np.int64]) -> list[StoredPassage]:
        """The stored passages of these rows, in their order."""
        passages = self.column("passage", rows).tolist()
        missing = [passage for passage in passages if passage not in self._records]
        if missing:
            self._records.update(records(self.store.db, missing))
        return [self._records[passage] for passage in passages]

    def hits(
        self, rows: NDArray[np.int64], scores: NDArray[np.float64], explain: Callable[[int], Why],
        force: Sequence[HitForce] = (),
    ) -> tuple[Hit, ...]:  # fmt: skip
        """The hits of these rows, best first, with their `force`, if it is given; `explain` makes the tree of
        one, by its rank among them, when it is asked for."""
        passages, known = self.records(rows), force or [HitForce()] * len(rows)
        layouts = self.store.layouts({record.document for record in passages})
        versions = version_numbers(self.store, (record.passage for record in passages))
        return tuple(
            Hit(
                rank=rank, score=score, id=hit_id(record.document, record.key), document=record.document,
                title=record.title, uri=record.uri, published=published_of(record), dated_by=record.dated_by,
                about=about_of(record), place=place_of(record, layouts), text=record.text,
                explain=partial(explain, rank - 1), tags=tuple(json.loads(record.tags)),
                meta=json.loads(record.meta), version=versions.get(record.passage), language=record.language,
                superseded=of.superseded, in_force=of.in_force, amended=of.amended, holds=of.holds,
                as_of=of.as_of, at=of.at,
            )
            for rank, (score, record, of) in enumerate(zip(scores.tolist(), passages, known, strict=True), 1)
        )  # fmt: skip


def place_of(record: StoredPassage, layouts: Mapping[str, bytes]) -> Location:
    """The location of a passage in the current version of its document."""
    headings = tuple(record.headings.split("\n")) if record.headings else ()
    found = place_in(layouts.get(record.document, b""), record.key)
    if found is None:
        raise DamagedStore(
            f"the version of {record.document!r} is current but lacks passage {record.key.hex()}"
        )
    return Location(*found, headings)


# -- top k ---------------------------------------------------------------------------------------------
# The maxima of blocks bound the k-th best score from below: k blocks whose maximum is at least x hold at
# least k rows of at least x. One comparison then leaves few rows to sort.

BLOCK = 1_024
SMALL_BLOCK = 64


def kth_best(scores: NDArray[np.float64], k: int) -> float:
    """The k-th largest of `scores`, 0 when fewer than k are positive."""
    bound = _bound(scores, k)
    left = scores[scores >= bound] if bound > 0 else scores[scores > 0]
    if len(left) < k:
        return 0.0
    return float(np.partition(left, len(left) - k)[len(left) - k])


def at_least(scores: NDArray[np.float64], bound: float) -> NDArray[np.int64]:
    """Places of all positive scores that are at least `bound`, ascending."""
    if bound <= 0:
        return np.flatnonzero(scores > 0)
    return np.flatnonzero(scores >= bound)


def _bound(scores: NDArray[np.float64], k: int) -> float:
    block = BLOCK if len(scores) > 4 * k * BLOCK else SMALL_BLOCK
    whole = len(scores) // block * block
    if whole // block < 2 * k:
        return 0.0
    maxima = scores[:whole].reshape(-1, block).max(axis=1)
    return float(np.partition(maxima, len(maxima) - k)[len(maxima) - k])


def documents_named(store: AsOfReader, name: str, among: Sequence[int] = ()) -> set[int]:
    """The numbers of the current documents that a name in the order of authority means: "source:hr",
    "tag:policy", "policies/" (a folder, anywhere), or a pattern of ids."""
    kind, _, rest = name.partition(":")
    if kind in ("source", "tag") and rest:
        wanted: dict[str, Any] = {"source": rest} if kind == "source" else {"tags": (rest,)}
    else:
        wanted = {"paths": (name,)}
    return set(documents_passing(store, among=among, **wanted))
