"""Stages of RAGtriever for linked notes: backlinks, tiers of age, headings and tags; numbers by source.

(Its design of 2026-01, components 2 and 3; boosts by heading and tag are in its code, off in its defaults.)
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, product, total
from asof.rank.gather import query_terms
from asof.rank.stage import Ranking, Traits
from asof.rank.times import ages
from asof.revisions.links import backlinks
from asof.schema import checked, nearest, within
from asof.store.reader import matching_heads
from asof.text.tokens import tokenize
from asof.values import Query
from asof.wire import replace

# -- numbers of a stage that differ by source ------------------------------------------------------


BySource = tuple[tuple[str, float], ...]
"""Pairs of `SOURCE:NUMBER` and a value, such as ("work:weight", 0.2)."""


def read(by_source: BySource, numbers: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """All numbers of each source that is named: its own, else those of the stage (`numbers`).

    Raises UsageError for a name that is not SOURCE:NUMBER with a number of the stage.
    """
    read: dict[str, dict[str, float]] = {}
    for name, value in by_source:
        source, colon, number = name.rpartition(":")
        if not colon or not source:
            raise UsageError(f"{name!r}: SOURCE:NUMBER is expected, e.g. work:{next(iter(numbers))}")
        if number not in numbers:
            raise UsageError(f"{name!r}: no number {number}; {nearest(number, numbers)}")
        read.setdefault(source, dict(numbers))[number] = value
    return read


def check(by_source: BySource, numbers: Mapping[str, float], made: Callable[..., object]) -> None:
    """Raises UsageError for numbers of a source that are not accepted; `made` makes the stage of them, and
    refuses what it does not accept."""
    for source, own in read(by_source, numbers).items():
        try:
            made(**own)
        except (UsageError, ValueError) as error:
            raise UsageError(f"source {source}: {error}") from error


def parts(
    rows: NDArray[np.int64], view: View, by_source: BySource, numbers: Mapping[str, float]
) -> Iterator[tuple[NDArray[np.bool_], Mapping[str, float]]]:
    """The rows (n,) by their numbers: those of each source that is named, and all others. The parts are
    disjoint, and all rows are in one."""
    others = np.ones(len(rows), bool)
    own = read(by_source, numbers)
    head = view.column("head", rows) if own else np.zeros(len(rows), np.int64)
    for source, values in own.items():
        here = others & np.isin(head, _heads(view, source))
        others &= ~here
        yield here, values
    yield others, numbers


def _heads(view: View, source: str) -> NDArray[np.int64]:
    """The heads (attributes of versions of documents) of a source; kept with the rows of the view, whose
    heads never change."""
    key = f"heads of {source}"
    if key not in view.prefix.memo:
        view.prefix.memo[key] = np.array(matching_heads(view.store.db, source=source), np.int64)
    heads: NDArray[np.int64] = view.prefix.memo[key]
    return heads


class NumbersBySource:
    """A stage with other numbers for passages of some sources (`by_source`), within the same bounds."""

    __slots__ = ()
    by_source: BySource

    def __post_init__(self) -> None:
        if self.by_source:
            check(self.by_source, self._numbers, self._within)

    @property
    def _numbers(self) -> Mapping[str, float]:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "by_source"}  # type: ignore[arg-type]

    def _within(self, **own: float) -> None:
        """Refuses numbers outside of the bounds that the fields have; whole ones stay whole."""
        for name, value in own.items():
            number = int(value) if isinstance(getattr(self, name), int) and value == int(value) else value
            try:
                checked(self, name, number)
            except UsageError as error:
                raise UsageError(f"{name} = {value:g}: {error}") from error

    def _column(self, name: str, rows: NDArray[np.int64], view: View) -> NDArray[np.float64]:
        """A number (n,) of the stage, by the source of each row."""
        out = np.empty(len(rows))
        for here, values in parts(rows, view, self.by_source, self._numbers):
            out[here] = values[name]
        return out


# -- backlinks (component 2) -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Backlinks(NumbersBySource):
    """The column `linked`: score · (1 + weight · min(backlinks, cap)); all candidates.

    Backlinks are the other current documents in the view that link to the passage's document, each counted
    once. With `weight` 0 nothing changes. `by_source`: another weight or cap for passages of some sources,
    `("work:weight", 0.2)`.
    """

    weight: float = within(0.1, 0.0, 1.0)
    cap: int = within(10, 1, 100)
    by_source: BySource = ()
    traits: ClassVar = Traits(alone=True)

    @property
    def off(self) -> bool:
        """True if nothing changes."""
        return self.weight == 0.0 and not self.by_source

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        matches = ranking.matching()
        counts = backlinks(view, view.column("document", matches.rows))
        weight: Expression = Constant("weight", self.weight)
        if self.by_source:
            caps = self._column("cap", matches.rows, view)
            linking = Given(
                "documents that link to it, at most the cap of its source", np.minimum(counts, caps)
            )
            weight = Given("weight of its source", self._column("weight", matches.rows, view))
        else:
            capped = np.minimum(counts, self.cap).astype(np.float64)
            linking = Given(f"documents that link to it, at most {self.cap}", capped)
        gain = product("gain", weight, linking)
        factor = total("factor of its backlinks", Constant("one", 1.0), gain)
        return matches.with_column("linked", product("linked", matches.scores, factor))


# -- tiers of age (component 3) --------------------------------------------------------------------


DAYS, FACTORS = ("fresh_days", "recent_days", "old_days"), ("fresh", "recent", "old", "older")
"""The names of bounds and factors in `RecencyTiers.by_source`."""


@dataclass(frozen=True, slots=True)
class RecencyTiers:
    """The column `recent`: score · the factor of the age in whole days; all candidates, undated ones · 1.

    1.20 below 14 days, 1.10 below 60, 1.00 below 180, .95 from there on. With all factors 1 nothing changes.
    `by_source`: other bounds (DAYS) and factors (FACTORS) for some sources, `("work:fresh_days", 7.0)`.
    """

    bounds: tuple[float, ...] = (14.0, 60.0, 180.0)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)
    by_source: BySource = ()
    traits: ClassVar = Traits(by_age="factor")

    def __post_init__(self) -> None:
        _check_tiers(self.bounds, self.values)
        if self.by_source:
            check(self.by_source, self._numbers, lambda **own: _check_tiers(*_tiers(own)))

    @property
    def off(self) -> bool:
        """True if nothing changes."""
        own = read(self.by_source, self._numbers).values() if self.by_source else ()
        return set(self.values) == {1.0} and all({each[name] for name in FACTORS} == {1.0} for each in own)

    @property
    def _numbers(self) -> Mapping[str, float]:
        if len(self.values) != len(FACTORS):
            raise UsageError(f"by_source: steps with {len(FACTORS)} factors are expected, not {self.values}")
        return dict(zip((*DAYS, *FACTORS), (*self.bounds, *self.values), strict=True))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        ranking = ranking.matching()
        factor = Given("factor of its age", self._factors(ranking.rows, view))
        return ranking.with_column("recent", product("recent", ranking.scores, factor))

    def _factors(self, rows: NDArray[np.int64], view: View) -> NDArray[np.float64]:
        days = ages(view.as_of, view.column("visible", rows))
        factors = _tier_factors(days, self.bounds, self.values)
        if self.by_source:
            for here, own in parts(rows, view, self.by_source, self._numbers):
                factors[here] = _tier_factors(days[here], *_tiers(own))
        return np.where(view.column("dated", rows).astype(bool), factors, 1.0)


Tiers = tuple[tuple[float, ...], tuple[float, ...]]
"""Bounds in days, and the factors below each of them and from the last one on."""


def _tiers(own: Mapping[str, float]) -> Tiers:
    return tuple(own[name] for name in DAYS), tuple(own[name] for name in FACTORS)


def _check_tiers(bounds: Sequence[float], values: Sequence[float]) -> None:
    """Raises ValueError unless there is one value more than bounds, and bounds rise."""
    if len(values) != len(bounds) + 1:
        raise ValueError(f"{len(bounds)} bounds part {len(bounds) + 1} values, not {len(values)}")
    for bound in bounds:
        if not (math.isfinite(bound) and bound > 0):
            raise ValueError(f"each bound is a number above 0, not {bound!r}")
    if any(low >= high for low, high in pairwise(bounds)):
        raise ValueError(f"bounds rise from each to the next: {bounds!r}")
    for value in values:
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"each value is a number from 0 up, not {value!r}")


def _tier_factors(
    days: NDArray[np.float64], bounds: Sequence[float], values: Sequence[float]
) -> NDArray[np.float64]:
    """The factor of each age in days, by whole days."""
    tier = np.searchsorted(np.asarray(bounds, np.float64), np.floor(np.maximum(days, 0.0)), side="right")
    return np.asarray(values, np.float64)[tier]


# -- headings and tags -----------------------------------------------------------------------------


WORD = re.compile(r"[-_/\s]+")


@dataclass(frozen=True, slots=True)
class Headings(NumbersBySource):
    """The column `headed`: score · `h1`, `h2` or `h3` where the first, second or third heading over the
    passage, counted from the top, has a word of the question; the largest of them counts, once.

    In a document whose headings begin at the second level, those are the first. RAGtriever's code gives
    1.05, 1.03, 1.02 by the level as it was written; 1.0 is off. `by_source`: other factors for passages of
    some sources, `("work:h1", 1.1)`.
    """

    h1: float = within(1.0, 1.0, 2.0)
    h2: float = within(1.0, 1.0, 2.0)
    h3: float = within(1.0, 1.0, 2.0)
    by_source: BySource = ()

    @property
    def off(self) -> bool:
        """True if nothing changes."""
        return (self.h1, self.h2, self.h3) == (1.0, 1.0, 1.0) and not self.by_source

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            headings = record[0].split("\n")[: len(LEVELS)]
            named = [bool(query_stems & _stems(tokenize(each), record[2], view)) for each in headings]
            return tuple(map(float, (*named, *[False] * (len(LEVELS) - len(named)))))

        matches = ranking.matching()
        there = _found(found, matches.rows, view)
        factors = np.ones(len(matches.rows))
        for at, level in enumerate(LEVELS):
            boost = self._column(level, matches.rows, view)
            factors = np.maximum(factors, np.where(there[:, at] > 0, boost, 1.0))
        return _boosted("headed", "factor of its heading", factors, matches)


LEVELS = ("h1", "h2", "h3")


@dataclass(frozen=True, slots=True)
class Tags(NumbersBySource):
    """The column `tagged`: score · (1 + weight · min(tags with a word of the question, cap)).

    A tag is read as words, parted at hyphens, underscores and slashes. RAGtriever's code gives .03; 0 is off.
    `by_source`: another weight or cap for passages of some sources, `("work:weight", 0.05)`.
    """

    weight: float = within(0.0, 0.0, 1.0)
    cap: int = within(3, 1, 100)
    by_source: BySource = ()

    @property
    def off(self) -> bool:
        """True if nothing changes."""
        return self.weight == 0.0 and not self.by_source

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        query_stems = _query_stems(query, view)

        def found(record: tuple[str, str, str]) -> tuple[float, ...]:
            words = (WORD.split(tag.lower()) for tag in json.loads(record[1]))
            return (float(sum(bool(query_stems & _stems(each, record[2], view)) for each in words)),)

        matches = ranking.matching()
        weight, cap = (self._column(name, matches.rows, view) for name in ("weight", "cap"))
        factors = 1.0 + weight * np.minimum(_found(found, matches.rows, view)[:, 0], cap)
        return _boosted("tagged", "factor of its tags", factors, matches)


def _query_stems(query: Query, view: View) -> set[str]:
    """The stems of a question; stop words would find headings of their own."""
    content = replace(query, stop_words=False)
    return {term.word for term in query_terms(content, view.analyzer)}


def _stems(words: list[str], language: str, view: View) -> set[str]:
    return {view.analyzer.stem(word, language) for word in words if word}


def _boosted(name: str, label: str, factors: NDArray[np.float64], matches: Ranking) -> Ranking:
    """Scores times factors (n,)."""
    return matches.with_column(name, product(name, matches.scores, Given(label, factors)))


def _found(
    found: Callable[[tuple[str, str, str]], tuple[float, ...]], rows: NDArray[np.int64], view: View
) -> NDArray[np.float64]:
    """The findings (n, m) in the headings, tags and language of each row; each of them is read once."""
    read = view.store.labels(view.column("passage", rows).tolist())
    known = {record: found(record) for record in set(read.values())}
    width = len(next(iter(known.values()), (0.0,) * len(LEVELS)))
    values = [known[read[passage]] for passage in view.column("passage", rows).tolist()]
    return np.array(values, np.float64).reshape(len(rows), width)
