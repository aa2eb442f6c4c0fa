"""Succession across shards is that of one corpus of all documents, at any (T, K).

Titles are of templates, so that many documents of several shards have one subject; dates are few, so that
many are of one day. Limits are narrow in half of the examples: then nearly every passage displaces another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.histories import ANY_HEALTH, Event, Histories, last_moment
from tests.support.histories import document as document_of
from tests.support.histories_in_shards import Layouts, layouts

from asof.corpus.corpus import Corpus
from asof.data import Document
from asof.graph.limits import DEFAULT, CandidateLimits, GraphLimits
from asof.graph.succession import succession, superseded
from asof.graph.succession_across import NONE, SuccessionAcross
from asof.graph.succession_cache import series_cache
from asof.index.view import View

NARROW = GraphLimits(
    candidates=CandidateLimits(window=2, window_of_words=1, edits=2, label_documents=2, words_titled=1)
)
SMALL = replace(NARROW, least_written=1, texts_at_once=2, most_postings=12, nodes_of_key=1)
"""As NARROW, with all in several batches, files that are always written, and every key one of many nodes."""

LIMITS = (DEFAULT, NARROW, SMALL)
TITLES = ("Harbour fee", "Mast 1.{}", "Ada Marsh", "", "Minutes of the {} meeting", "Harbour fee")


def templated(event: Event) -> Document:
    """A document of a history; its title is of one of a few templates."""
    title = TITLES[event.document % len(TITLES)].format(event.document)
    return replace(document_of(event), title=title)


TEMPLATED = Histories(document=templated)


def history(documents: int, words: int, dates: int, most: int) -> st.SearchStrategy[list[Event]]:
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=4).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 8 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1),
        st.integers(0, dates) | st.integers(0, dates) | st.integers(0, dates) | st.none(),
        st.lists(passage, min_size=1, max_size=2).map(tuple), st.integers(0, 2),
    )  # fmt: skip
    return st.lists(event, min_size=3, max_size=most)


Named = dict[int, Any]


def named(view: View, rows: Any) -> Named:
    """By number of the passage: document, key and since when it is visible; -1 is none."""
    names: Named = {
        passage: (record.document, record.key, visible)
        for passage, record, visible in zip(
            view.column("passage", rows).tolist(), view.records(rows), view.column("visible", rows).tolist(),
            strict=True,
        )
    }  # fmt: skip
    return names | {NONE: None}


def of_one(corpus: Corpus, moment: tuple[int, int]) -> dict[Any, Any]:
    """All that succession says, by what passages are."""
    view = corpus.snapshot(*moment).view()
    found = succession(view)
    rows = np.arange(view.prefix.rows)
    rows = rows[found.nodes(rows) >= 0]
    passages = view.column("passage", rows).tolist()
    passage_of = dict(zip(rows.tolist(), passages, strict=True)) | {NONE: NONE}
    names = named(view, rows)
    after = superseded(view, rows)
    return {
        names[passage]: (
            names[passage_of[before]], names[passage_of[NONE if later is None else later.row]],
            later and later.instant, inside, end, [names[passage_of[each]] for each in found.series(row)],
        )
        for row, passage, before, later, inside, end in zip(
            rows.tolist(), passages, found.predecessors(rows).tolist(), after,
            found.in_series(rows).tolist(), found.ends(rows), strict=True,
        )
    }  # fmt: skip


def across(
    here: Layouts, moment: tuple[int, int], limits: GraphLimits, *, fresh: bool = True
) -> dict[Any, Any]:
    """The same of the shards, each method by an object of its own if `fresh`."""
    ask = here.ask(*moment)
    names: Named = {NONE: None}
    for shard in here.shards:
        view = shard.snapshot(*moment).view()
        rows = np.arange(view.prefix.rows)
        names |= named(view, rows[succession(view).nodes(rows) >= 0])
    passages = np.array([each for each in names if each != NONE], np.int64)
    kept = SuccessionAcross(ask, limits)

    def found() -> SuccessionAcross:
        return SuccessionAcross(ask, limits) if fresh else kept

    after = found().superseded(passages)
    assert [NONE if each is None else each.row for each in after] == found().successors(passages).tolist()
    return {
        names[passage]: (
            names[before], names[NONE if later is None else later.row], later and later.instant, inside, end,
            [names[each] for each in found().series(passage).tolist()],
        )
        for passage, before, later, inside, end in zip(
            passages.tolist(), found().predecessors(passages).tolist(), after,
            found().in_series(passages).tolist(), found().ends(passages), strict=True,
        )
    }  # fmt: skip


def check(
    events: Sequence[Event], shards: int, as_of: int, back: int, limits: GraphLimits = DEFAULT,
    *, asked: bool = False, fresh: bool = True,
) -> int:  # fmt: skip
    """Compare; returns how many passages follow another. `asked`: also in the middle of the history."""
    with layouts(shards, TEMPLATED) as here:
        for corpus in (here.one, *here.shards):
            series_cache(corpus.session.derived, limits)
        for at, event in enumerate(events):
            here.play(event)
            if asked and at == len(events) // 2 and (moment := last_moment(here.one, as_of, 0)):
                across(here, moment, limits)
        moment = last_moment(here.one, as_of, back)
        if moment is None:
            return 0
        expected = of_one(here.one, moment)
        assert across(here, moment, limits, fresh=fresh) == expected
        return sum(each[0] is not None for each in expected.values())


def property_of(
    events: st.SearchStrategy[list[Event]], dates: int, examples: int, **options: Any
) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        events, st.sampled_from([1, 2, 2, 5]), st.integers(dates // 2, dates + 1),
        st.sampled_from([0, 0, 1, 2, 5]), st.sampled_from(LIMITS), st.booleans(), st.booleans(),
    )  # fmt: skip
    def property_(
        events: list[Event], shards: int, as_of: int, back: int, limits: GraphLimits, asked: bool, fresh: bool
    ) -> None:
        check(events, shards, as_of, back, limits, asked=asked, fresh=fresh)

    return property_


BROAD = history(12, 6, 12, 16)
CROWDED = history(12, 2, 5, 20)

test_broad = pytest.mark.slow(property_of(BROAD, 12, 25))
test_crowded = pytest.mark.slow(property_of(CROWDED, 5, 40))
