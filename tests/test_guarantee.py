"""The guarantee: a question as of (T, K) sees what a corpus sees that never held anything else.

A random history (`tests/support/histories.py`) is played into a corpus. Then a second corpus is given only
those versions that were published by T and known (and not yet retired) at K, and both are asked: ids, scores
and trees must be equal to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.histories import (
    ANY_HEALTH,
    BROAD,
    DAY,
    DENSE,
    HISTORIES,
    PLANTED,
    WORDS,
    Event,
    hits_in_full,
    last_moment,
)  # fmt: skip
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import DamagedStore
from asof.index import segment as prefix_module
from asof.index.segment import Prefix
from asof.index.view import View
from asof.rank.stage import Recipe
from asof.recipes import ASOF, NAMES, named
from asof.store.digest import layout_places
from asof.time.span import EPOCH, NEVER, instant, moment
from asof.values import Filters

pytestmark = pytest.mark.slow

ASKED = (
    "{}", "{}", "{} latest", "who leads the {}", "{} on 3 January 1970", "latest {} as of 2 January 1970",
    "who led the {} as of 3 January 1970", "what was the {} yesterday", "title 1 {} in January 1970",
    "{} this week", "who led the {} this month as of 3 January 1970",
)  # fmt: skip
"""How words are asked for: with times, with wishes, with titles."""

TIGHT = ASOF.replaced({"rerank_window.n": 10})
"""The default recipe with a closer look at ten only."""

FURTHER = named("twe-hops").replaced({
    "evidence_hops.hops": 3, "evidence_hops.best": 2, "centrality.bands": 2, "centrality.exact_up_to": 1,
    "budgeted_rerank.sizes": [2, 3, 9], "budgeted_rerank.margin": 0.1, "decay.need": "continuous",
    "latent.dimensions": 3, "latent.min_df": 1,
})  # fmt: skip
"""twe with all that its authors leave to the future, and a budget that small corpora meet."""


def check(
    history: Sequence[Event], as_of: int, back: int, words: Sequence[int], asked: str, recipe: str | Recipe
) -> None:
    question = asked.format(" ".join(WORDS[word] for word in words))
    with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
        HISTORIES.play(corpus, history)
        at_moment = last_moment(corpus, as_of, back)
        if at_moment is None:
            return
        with HISTORIES.only_visible(corpus, folder / "part", *at_moment) as part:
            here, there = corpus.snapshot(*at_moment), part.snapshot(at_moment[0], None)
            since, about = moment(max(as_of - 2, 0) * DAY), moment((as_of + back) % 5 * DAY)
            options: list[dict[str, Any]] = [
                {}, {"recipe": recipe}, {"unit": "document"}, {"since": since},
                {"about": about},
            ]  # fmt: skip
            for each in options:
                assert hits_in_full(here, question, **each) == hits_in_full(there, question, **each), each
            assert _timeless(here) == _timeless(there)
            mine, theirs = here.view().prefix, there.view().prefix
            assert (mine.n, mine.tokens) == (theirs.n, theirs.tokens)
            assert mine.n == sum(in_force(corpus, *at_moment))


def _timeless(snapshot: Snapshot) -> int:
    view = snapshot.view()
    return view.timeless(Filters())


def in_force(corpus: Corpus, at: int, known_at: int) -> list[int]:
    """Numbers of passages of the versions in force, by looking at each document's versions one by one."""
    counts = []
    for (name,) in db_of(corpus).execute("SELECT id FROM documents"):
        visible = (
            db_of(corpus)
            .execute(
                "SELECT visible, added, id, layout FROM versions WHERE document = ? AND visible <= ?"
                " AND added <= ? AND (retired IS NULL OR retired > ?)",
                (name, at, known_at, known_at),
            )
            .fetchall()
        )
        if visible:
            counts.append(len(layout_places(max(visible)[3])))
    return counts


def property_of(
    history: st.SearchStrategy[list[Event]], words: int, dates: int, examples: int, **options: Any
) -> Callable[[], None]:
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        history,
        st.integers(-1, dates + 2),
        st.one_of(st.just(0), st.integers(0, 6)),
        st.lists(st.integers(0, words - 1), min_size=1, max_size=3),
        st.sampled_from(ASKED),
        st.sampled_from([*NAMES, TIGHT, FURTHER]),
    )
    def property_(
        history: list[Event], as_of: int, back: int, words: list[int], asked: str, recipe: str | Recipe
    ) -> None:
        check(history, as_of, back, words, asked, recipe)

    return property_


test_guarantee_broad = property_of(BROAD, 12, 30, 120)
test_guarantee_dense = property_of(DENSE, 3, 4, 250)


# -- planted faults: the property must be able to fail ------------------------------------------------


def test_a_statistic_over_all_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Prefix.of.__func__  # type: ignore[attr-defined]

    def wrong(cls: type[Prefix], segments: Any, as_of: int, known_at: int = NEVER) -> Prefix:
        made: Prefix = right(cls, segments, as_of, known_at)
        made.n = sum(segment.n for segment in segments)
        return made

    monkeypatch.setattr(Prefix, "of", classmethod(wrong))
    with pytest.raises((AssertionError, DamagedStore)):
        property_of(DENSE, 3, 4, 500, **PLANTED)()


def test_one_end_for_each_row_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last known end wins, as if each row had a field `ended` that is overwritten."""

    def wrong(segments: Any, as_of: int, known_at: int) -> Any:
        last: dict[int, tuple[int, int]] = {}
        for segment in segments:
            for row, at, added in zip(segment["end_passage"].tolist(), segment["end_at"].tolist(),
                                      segment["end_added"].tolist(), strict=True):  # fmt: skip
                last[row] = max(last.get(row, (-1, 0)), (added, at))
        return np.array(
            sorted(row for row, (added, at) in last.items() if at <= as_of and added <= known_at), np.int64
        )

    # published on day 3, superseded on day 8; then a version of day 5 arrives: the first ended on day 5. As
    # was known before, it ended on day 8, which an overwritten end has forgotten
    history = [Event("state", 0, date, ((word,),), 1) for word, date in enumerate((3, 8, 5))]
    check(history, 9, 1, [0], "{}", "asof")
    monkeypatch.setattr(prefix_module, "ended_by", wrong)
    with pytest.raises((AssertionError, DamagedStore)):
        check(history, 9, 1, [0], "{}", "asof")


def test_a_tie_broken_by_row_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: View, scores: Any, rows: Any) -> Any:
        return np.lexsort((rows, -scores))

    monkeypatch.setattr(View, "tie_order", wrong)
    with pytest.raises((AssertionError, DamagedStore)):
        property_of(DENSE, 3, 4, 2000, **PLANTED)()


def test_epoch_is_where_days_are_counted_from() -> None:
    assert instant(EPOCH) == 0
    assert math.isclose(DAY, 24 * 3600 * 1e6)
