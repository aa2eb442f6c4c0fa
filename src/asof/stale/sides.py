"""The statements of a view with their texts: what pairs are compared by, and how they are quoted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from asof.data.stale import Quote
from asof.index.view import View, place_of
from asof.stale.of_their_day import historical_headings
from asof.stale.pair_features import Side, Spread
from asof.stale.said import Said
from asof.stale.statements import plain
from asof.store.digest import hit_id
from asof.store.passages import records
from asof.time.span import BEGINNING

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Sides:
    """The stretches of a view by number; texts are read for those that are asked for."""

    view: View
    said: Said
    _texts: dict[int, tuple[str, str]] = field(default_factory=dict)
    _sides: dict[int, Side] = field(default_factory=dict)

    def load(self, stretches: Numbers) -> None:
        """Read the passages of these at once."""
        passages = np.unique(self.said.batch.passage[self.said.spans.statement[stretches]])
        missing = [passage for passage in passages.tolist() if passage not in self._texts]
        query = "SELECT id, text, headings FROM passages WHERE id IN (SELECT value FROM json_each(?))"
        for at in range(0, len(missing), 10_000):
            for passage, text, headings in self.view.store.db.execute(
                query, (str(missing[at : at + 10_000]),)
            ):
                self._texts[passage] = text, headings

    def of_the_past(self, stretch: int) -> bool:
        """Whether the headings above a loaded statement say that it tells of the past."""
        passage = int(self.said.batch.passage[self.said.spans.statement[stretch]])
        return historical_headings(tuple(self._texts[passage][1].split("\n")))

    def passed_over(self, x: int, y: int, like: int) -> bool:
        """Whether a loaded pair tells of the past, or of two rows of a table."""
        past = self.of_the_past(x) or self.of_the_past(y)
        return past or not self.side(x).same_label(self.side(like))

    def side(self, stretch: int) -> Side:
        """A stretch whose passage was loaded."""
        side = self._sides.get(stretch)
        if side is None:
            said = self.said
            number = int(said.spans.statement[stretch])
            batch, above = said.batch, int(said.batch.above[number])
            text = self._texts[int(batch.passage[number])][0][batch.begin[number] : batch.end[number]]
            side = self._sides[stretch] = Side(
                plain(text), tuple(said.own.of(number).tolist()), frozenset(said.above.of(above).tolist())
            )
        return side

    def quotes(self, stretches: Numbers) -> dict[int, Quote]:
        """How these are quoted; they are current."""
        said = self.said
        numbers = said.spans.statement[stretches]
        found = records(self.view.store.db, np.unique(said.batch.passage[numbers]).tolist())
        layouts = self.view.store.layouts({each.document for each in found.values()})
        quotes = {}
        for stretch, number in zip(stretches.tolist(), numbers.tolist(), strict=True):
            record = found[int(said.batch.passage[number])]
            begin, end = int(said.batch.begin[number]), int(said.batch.end[number])
            place = place_of(record, layouts)
            quotes[stretch] = Quote(
                record.document, record.title, hit_id(record.document, record.key), record.text[begin:end],
                place.start + begin, place.start + end, int(said.spans.since[stretch]),
            )  # fmt: skip
        return quotes

    @cached_property
    def edited_last(self) -> Numbers:
        """When each document was edited last, by its number."""
        spans = self.said.spans
        last = np.full(int(spans.document.max(initial=-1)) + 1, BEGINNING)
        until = np.where(spans.until <= self.said.now, spans.until, spans.since)
        np.maximum.at(last, spans.document, until)
        return last

    def spread(self, replaced: Numbers) -> Mapping[int, Spread]:
        """How many documents replaced each of these statements, and how many others keep it."""
        spans = self.said.spans
        digest = self.said.batch.digest[spans.statement]
        gone: dict[int, set[int]] = {}
        for stretch in replaced.tolist():
            gone.setdefault(int(digest[stretch]), set()).add(int(spans.document[stretch]))
        kept: dict[int, set[int]] = {}
        current = self.said.current
        for stretch in current[np.isin(digest[current], np.unique(digest[replaced]))].tolist():
            kept.setdefault(int(digest[stretch]), set()).add(int(spans.document[stretch]))
        return {each: Spread(len(documents), len(kept.get(each, ()))) for each, documents in gone.items()}
