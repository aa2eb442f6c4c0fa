"""Which rules are tried at an item: every one that can read a time there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.time_runs import whole_run

from asof.time.dates import _TABLES, _able
from asof.time.lexicon import lexicon
from asof.time.reading import reading_context

HERE = reading_context(datetime(2024, 5, 31, 12, 34, tzinfo=UTC), UTC)
FIGURES = st.integers(0, 40).map(str) | st.integers(1990, 2030).map(str) | st.sampled_from(["20240305", "05"])
SIGNS = st.sampled_from([" ", " ", " ", " ", "-", "/", ".", ". ", ", ", "'", ":", ""])
SUFFIXES = st.sampled_from(["1st", "22nd", "5th", "1990s", "Q3", "3pm", "2024-W09"])


@pytest.mark.parametrize("language", ["en", "de"])
@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_a_rule_that_reads_a_time_is_among_those_that_are_tried(language: str, data: st.DataObject) -> None:
    lexical = lexicon(language)
    phrases = sorted(
        {*lexical.senses, *(" ".join(words) for first in lexical.phrases.values() for words, _ in first)}
    )
    words = data.draw(
        st.lists(st.tuples(FIGURES | SUFFIXES | st.sampled_from(phrases), SIGNS), min_size=1, max_size=6)
    )
    run = whole_run("".join(word + sign for word, sign in words), lexical)
    for i, item in enumerate(run.items):
        for rule in dict.fromkeys(row.rule for row in _TABLES["day"] if row.begins & item.kind):
            try:
                match = rule(run, i, HERE)
            except (ValueError, OverflowError):
                match = None
            if match is not None:
                assert rule in _able("day", item.kind, run[i + 1].kind, min(run.size - i, 4)), rule
