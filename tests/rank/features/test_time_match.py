"""Which candidates are about a time: one by one, and among all of a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.index.segment import Window
from asof.index.view import View
from asof.rank import times
from asof.rank.times import MENTIONS_TIME, OF_TIME, match_times, of_time
from asof.time.moment import read
from asof.values import Filters

Make = Callable[..., Any]
SPANS = st.lists(st.sampled_from(["2001", "2002", "Q2 2003", "2003-05", "1990"]), max_size=2)
DOCUMENTS = st.lists(
    st.tuples(
        st.sampled_from(["mill", "mill in 2001", "in May 2003", "since 2002 and in 2005", "2001-05-05"]),
        st.sampled_from(["", "2001", "Notes of 2003"]),
        st.sampled_from([None, "2001-05-05", "2002", "2003-06-01", "2004"]),
    ),
    min_size=1,
    max_size=10,
)


def in_the_window(
    view: View, window: Window, places: np.ndarray, spans: Any, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """What is found where places are looked up among all."""
    with monkeypatch.context() as patch:
        patch.setattr(times, "FEW", -1)
        patch.setattr(times, "MANY", 1_000_000)
        found: list[int] = of_time(view, window, places, spans).tolist()
        return found


def test_about_or_published_or_mentioned(fresh: Make, document: Make) -> None:
    """Of 2001: one that says so in its title (whenever it was published), one published then without a time
    in its title. One that speaks of it mentions it, as one published then whose title has another year."""
    documents = [
        document("a", "mill", "1999", title="Notes of 2001"), document("b", "mill", "2001-05-05"),
        document("c", "mill in 2001", "2004"), document("d", "mill", "2001-06-05", title="Notes of 1997"),
        document("e", "mill in 2002", "2004"),
    ]  # fmt: skip
    with fresh(*documents) as corpus:
        view = corpus.at().view()
        window = view.window(Filters())
        rows = np.arange(window.n)
        named = [record.document for record in view.records(rows)]
        values = dict(zip(named, match_times(view, rows, [read("2001")]).tolist(), strict=True))
        assert values == {"a": OF_TIME, "b": OF_TIME, "c": MENTIONS_TIME, "d": MENTIONS_TIME, "e": 0.0}
        found = of_time(view, window, None, [read("2001")])
        assert sorted(named[at] for at in found.tolist()) == ["a", "b", "c", "d"]


@given(DOCUMENTS, SPANS, st.sampled_from([None, "2002"]), st.data())
def test_all_of_a_window_are_matched_as_each(
    fresh: Make, document: Make, drawn: list[Any], spans: list[str], since: str | None, data: st.DataObject
) -> None:
    """In several segments, in windows that begin later, for some places and for all."""
    asked = [read(span) for span in spans]
    made = [document(f"d{at}", text, date, title=title) for at, (text, title, date) in enumerate(drawn)]
    cut = data.draw(st.integers(0, len(made)))
    with fresh() as corpus, pytest.MonkeyPatch.context() as monkeypatch:
        for part in (made[:cut], made[cut:]):
            corpus.add(part)
        view = corpus.at(data.draw(st.sampled_from(["2003", None]))).view()
        window = view.window(Filters(since=read(since).first if since else None))
        every = np.arange(window.n)
        expected = np.flatnonzero(match_times(view, window.rows(every), asked) > 0).tolist()
        assert of_time(view, window, every, asked).tolist() == expected
        assert in_the_window(view, window, every, asked, monkeypatch) == expected
        assert of_time(view, window, None, asked).tolist() == expected
        some = every[:: data.draw(st.integers(1, 3))]
        assert (some[in_the_window(view, window, some, asked, monkeypatch)]).tolist() == [
            place for place in some.tolist() if place in expected
        ]
