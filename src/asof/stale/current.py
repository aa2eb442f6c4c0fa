"""The current passages of a view with their texts, and since when their sentences stand."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.stale.values import Quote
from asof.store.digest import hit_id, layout_places
from asof.text.tokens import term_hash, tokenize
from asof.time.span import BEGINNING, NEVER

Numbers = NDArray[np.int64]


class Place(NamedTuple):
    """The characters `[start, end)` of the text of a current passage, by its number."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PassageText:
    """A current passage: its number, that of its document, what is said of it, its text."""

    passage: int
    document: int
    key: bytes
    name: str
    title: str
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class CurrentPassages:
    """The rows of a view that are in force; `passage`, `document` and `visible` are parallel, by passage."""

    view: View
    passage: Numbers
    document: Numbers
    visible: Numbers
    _texts: dict[int, PassageText] = field(default_factory=dict)
    _starts: dict[str, dict[bytes, int]] = field(default_factory=dict)
    _headings: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, view: View) -> CurrentPassages:
        """Those of a view; read once for it."""
        key = "stale passages"
        if key not in view.memo:
            columns: dict[str, list[Numbers]] = {name: [] for name in ("passage", "document", "visible")}
            for part in view.prefix.parts:
                alive = ~part.dead_mask
                for name, pieces in columns.items():
                    pieces.append(np.asarray(part.segment[name][: part.hi][alive], np.int64))
            none = np.zeros(0, np.int64)
            passage, document, visible = (np.concatenate([none, *pieces]) for pieces in columns.values())
            order = np.argsort(passage)
            view.memo[key] = cls(view, passage[order], document[order], visible[order])
        found: CurrentPassages = view.memo[key]
        return found

    def texts(self, passages: Iterable[int]) -> list[PassageText]:
        """The texts of these passages, in their order."""
        asked = list(passages)
        missing = [passage for passage in asked if passage not in self._texts]
        if missing:
            for passage, document, key, name, title, headings, text in self.view.store.db.execute(
                "SELECT p.id, p.document, p.key, d.name, h.title, p.headings, p.text"
                " FROM json_each(?) AS requested JOIN passages AS p ON p.id = requested.value"
                " JOIN documents AS d ON d.id = p.document JOIN heads AS h ON h.id = p.head",
                (json.dumps(missing),),
            ):
                above = tuple(headings.split("\n")) if headings else ()
                self._texts[passage] = PassageText(passage, document, key, name, title, above, text)
        return [self._texts[passage] for passage in asked]

    def of_documents(self, documents: Collection[int]) -> dict[int, list[int]]:
        """The passages of these documents (by number), in no order."""
        inside = np.flatnonzero(np.isin(self.document, np.fromiter(documents, np.int64, len(documents))))
        grouped: dict[int, list[int]] = defaultdict(list)
        for document, passage in zip(
            self.document[inside].tolist(), self.passage[inside].tolist(), strict=True
        ):
            grouped[document].append(passage)
        return grouped

    def headings(self) -> dict[int, set[str]]:
        """The headings above the passages of each document (by number), as the store has them."""
        if not self._headings:
            for document, headings in self.view.store.db.execute(
                "SELECT DISTINCT p.document, p.headings FROM json_each(?) AS requested"
                " JOIN passages AS p ON p.id = requested.value WHERE p.headings <> ''",
                (json.dumps(self.passage.tolist()),),
            ):
                self._headings[document].add(headings)
        return self._headings

    def edited_documents(self) -> set[int]:
        """The documents (by number) of which passages ended by the time of the view."""
        ended: set[int] = set()
        for part in self.view.prefix.parts:
            dead = part.segment["document"][: part.hi][part.dead_mask]
            ended.update(np.unique(dead).tolist())
        return ended

    def with_words(self, phrases: Iterable[str]) -> list[int]:
        """The passages that have the longest word of one of these phrases in their text, title or headings,
        ascending."""
        analyzer = self.view.analyzer
        longest = {max(tokenize(phrase), key=len) for phrase in phrases}
        stems = {stem for word in longest for stem in analyzer.alternatives(word)}
        hashes = np.array(sorted(map(term_hash, stems)), np.uint64)
        found = [np.zeros(0, np.int64)]
        for part in self.view.prefix.parts:
            postings = part.segment.unchecked("rows")
            for first, last in part.segment.find(hashes):
                if first < last:
                    part.segment.check("rows", first, last)
                    rows = postings[first:last]
                    found.append(np.asarray(part.segment["passage"][rows[rows < part.hi]], np.int64))
        passages: list[int] = np.intersect1d(np.concatenate(found), self.passage).tolist()
        return passages

    def starts(self, names: Iterable[str]) -> None:
        """Read where the passages of these documents (by id) begin in their texts."""
        missing = sorted(set(names) - self._starts.keys())
        for name, layout in self.view.store.layouts(missing).items():
            self._starts[name] = {key: start for key, start, _ in layout_places(layout)}

    def start_of(self, each: PassageText) -> tuple[int, bytes]:
        """Where a passage begins in its document, as an order; after `starts` of the document."""
        return self._starts.get(each.name, {}).get(each.key, 0), each.key

    def edited(self, places: Sequence[Place]) -> list[int]:
        """The instants since which the passages at these places stand as they do."""
        passages = np.array([place.passage for place in places], np.int64)
        edited: list[int] = self.visible[np.searchsorted(self.passage, passages)].tolist()
        return edited

    def quotes(self, places: Sequence[Place]) -> list[Quote]:
        """The sentences at these places, with the instants since which they stand."""
        texts = self.texts(place.passage for place in places)
        self.starts(each.name for each in texts)
        said = [each.text[place.start : place.end] for each, place in zip(texts, places, strict=True)]
        times = standing(self.view, [(each.document, words) for each, words in zip(texts, said, strict=True)])
        quotes = []
        for each, place, words, time in zip(texts, places, said, times, strict=True):
            begin = self._starts[each.name].get(each.key, 0)
            quotes.append(Quote(
                each.name, each.title, hit_id(each.name, each.key), words, begin + place.start,
                begin + place.end, time.since, time.dated,
            ))  # fmt: skip
        return quotes


class Standing(NamedTuple):
    """The instant since which a sentence stands in its document, and whether a source dates it."""

    since: int
    dated: bool


class Interval(NamedTuple):
    """A text of a document that was in force from `visible` until `ended` (NEVER: it still is)."""

    visible: int
    ended: int
    dated: bool
    headings: str
    text: str


def standing(view: View, sentences: Sequence[tuple[int, str]]) -> list[Standing]:
    """Since when documents (by number) have had sentences that they have now, without a break."""
    asked: dict[int, dict[str, Standing]] = defaultdict(dict)
    for document, words in sentences:
        asked[document][words] = Standing(BEGINNING, False)
    for document, intervals in past_passages(view, asked).items():
        for words in asked[document]:
            asked[document][words] = stretch([each for each in intervals if words in each.text])
    return [asked[document][words] for document, words in sentences]


def stretch(intervals: list[Interval]) -> Standing:
    """The beginning of the stretch that intervals make up without a break, from the last one back."""
    since, dated = NEVER, False
    for each in sorted(intervals, key=lambda each: (-each.ended, each.visible)):
        if each.ended < since < NEVER:
            break
        if each.visible < since:
            since, dated = each.visible, each.dated
    return Standing(since, dated)


def past_passages(view: View, documents: Collection[int]) -> dict[int, list[Interval]]:
    """All passages that these documents (by number) have had until the time of the view, and have."""
    found: dict[int, list[Interval]] = defaultdict(list)
    history = _history(view.store.db, documents, view.as_of, view.known_at)
    for document, visible, dated, headings, text, ended in history:
        end = NEVER if ended is None or ended > view.as_of else ended
        if visible < end:  # others were wrong from the beginning
            found[document].append(Interval(visible, end, bool(dated), headings, text))
    return found


def _history(
    db: sqlite3.Connection, documents: Collection[int], as_of: int, known_at: int
) -> Iterable[tuple[int, int, int, str, str, int | None]]:
    return db.execute(
        "SELECT p.document, p.visible, p.dated, p.headings, p.text,"
        " (SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3)"
        " FROM json_each(?1) AS requested JOIN passages AS p ON p.document = requested.value"
        " WHERE p.visible <= ?2 AND p.added <= ?3",
        (json.dumps(list(documents)), as_of, known_at),
    )
