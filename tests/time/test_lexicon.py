"""Words that say no time: a text is skipped where only such stand together, so none may say one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.time_runs import whole_run

from asof.lang import codes
from asof.time.expressions import match_time
from asof.time.lexicon import lexicon, runs
from asof.time.reading import reading_context

HERE = reading_context(datetime(2024, 5, 31, 12, 34, tzinfo=UTC), UTC)
SIGNS = st.sampled_from([" ", " ", " ", "-", "/", ". ", ", ", "'"])


@pytest.mark.parametrize("language", codes("time"))
@given(data=st.data())
def test_weak_words_say_no_time_in_any_order(language: str, data: st.DataObject) -> None:
    lexical = lexicon(language)
    weak = st.sampled_from(sorted(lexical.weak))
    words = data.draw(st.lists(st.tuples(weak, SIGNS), min_size=1, max_size=7))
    text = "".join(word + sign for word, sign in words)
    assert list(runs(text, lexical)) == []
    run = whole_run(text, lexical)
    assert [match for i in range(run.size) if (match := match_time(run, i, HERE)) is not None] == []


def test_what_is_weak() -> None:
    weak = lexicon("en de").weak
    assert {"the", "of", "year", "good", "morning", "to", "financial"} <= weak
    assert not weak & {"today", "last", "may", "nineties", "summer", "24", "noon", "end", "a", "next"}
