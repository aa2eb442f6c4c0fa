"""Which rules are tried at an item: every one that can read a time there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.time_runs import whole_run

from asof.lang import codes
from asof.time.dates import _TABLES, _able, day_point
from asof.time.lexicon import TimeLexicon, lexicon
from asof.time.reading import ReadingContext, anchor_at

HERE = ReadingContext(anchor_at(datetime(2024, 5, 31, 12, 34, tzinfo=UTC), UTC))
FIGURES = st.integers(0, 40).map(str) | st.integers(1990, 2030).map(str) | st.sampled_from(["20240305", "05"])
SIGNS = st.sampled_from([" ", " ", " ", " ", "-", "/", ".", ". ", ", ", "'", ":", ""])
SUFFIXES = st.sampled_from(["1st", "22nd", "5th", "1990s", "Q3", "3pm", "2024-W09"])


def words_by_sense(lexical: TimeLexicon) -> list[list[str]]:
    """The words and phrases of each sense, so that rare and frequent senses are drawn alike."""
    by_sense: dict[str, list[str]] = {}
    for word, senses in lexical.senses.items():
        for sense in senses:
            by_sense.setdefault(sense, []).append(word)
    for phrases in lexical.phrases.values():
        for words, senses in phrases:
            for sense in senses:
                by_sense.setdefault(sense, []).append(" ".join(words))
    return [sorted(words) for _, words in sorted(by_sense.items())]


@pytest.mark.parametrize("language", codes("time"))
@given(data=st.data())
def test_a_rule_that_reads_a_time_is_among_those_that_are_tried(language: str, data: st.DataObject) -> None:
    lexical = lexicon(language)
    listed = st.sampled_from(words_by_sense(lexical)).flatmap(st.sampled_from)
    words = data.draw(st.lists(st.tuples(FIGURES | SUFFIXES | listed, SIGNS), min_size=2, max_size=5))
    run = whole_run("".join(word + sign for word, sign in words), lexical)
    for i, item in enumerate(run.items):
        for rule in dict.fromkeys(row.rule for row in _TABLES["day"] if row.begins & item.kind):
            try:
                match = rule(run, i, HERE)
            except (ValueError, OverflowError):
                match = None
            if match is not None:
                after = run[i + 1]
                assert rule in _able("day", item.kind, after.kind, after.glue, min(run.size - i, 4)), rule


FORMS = """
5th March; 5 March; March 5; 2024 March 5; 2024 Q3; 5th of March; the third quarter; 3Q24;
twenty first of May; 2024-W09; FY24; the 1990s; 1990s; nineteen nineties; 19th century;
the 19th century; 2 weeks ago; in two weeks; the day after Easter; 3 days after 5 March;
2 weeks starting 20 May; the week of March 4; first Friday of March; 3 last weeks;
two Sundays from now; the week before last; month after next; the 18th; early 2024;
within 10 months; 20240305; 5/3/2024; nineteen eighty six; year 2000; past year;
two hours and 5 minutes ago
"""


@pytest.mark.parametrize("text", [form.strip() for form in FORMS.split(";")])
def test_each_form_is_read_whole_by_a_rule_that_is_tried(text: str) -> None:
    run = whole_run(text, lexicon("en"))
    match = day_point(run, 0, HERE)
    assert match is not None
    assert match[1] == run.size
