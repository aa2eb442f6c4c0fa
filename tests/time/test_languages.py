"""Times in other languages: a file of cases for each, `expressions_<code>.txt`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.time.test_hard_expressions import told

from asof.lang import FIRST, codes
from asof.time import TimeContext, parse
from asof.time.intent import recency

ANCHOR = datetime(2024, 5, 31, 12, 34, tzinfo=UTC)  # a Friday
FILES = {
    path.stem.removeprefix("expressions_"): path for path in Path(__file__).parent.glob("expressions_*.txt")
}


def rows(*wanted: str) -> list[tuple[str, str]]:
    """Language and line of the sections of these names."""
    chosen = []
    for code, path in sorted(FILES.items()):
        for section in path.read_text("utf-8").split("\n[")[1:]:
            name, _, lines = section.partition("]")
            chosen += [(code, line) for line in lines.splitlines() if line and name in wanted]
    return chosen


def test_every_language_of_time_has_its_cases() -> None:
    assert FILES.keys() | {FIRST, "de"} == set(codes("time"))  # theirs are in test_expressions.py


@pytest.mark.parametrize(("language", "row"), rows("dates", "labels", "parts", "limits", "clock"))
def test_times_that_need_no_anchor(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    assert [told(mention) for mention in parse(text, ANCHOR, TimeContext(language=language))] == meant.split(
        " ; "
    )
    assert [told(mention) for mention in parse(text, context=TimeContext(language=language))] == meant.split(
        " ; "
    )


@pytest.mark.parametrize(("language", "row"), rows("relative"))
def test_times_that_count_from_the_anchor(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    found = parse(text, ANCHOR, TimeContext(language=language))
    assert [told(mention) for mention in found] == meant.split(" ; ")
    assert all(mention.relative for mention in found)
    assert parse(text, context=TimeContext(language=language)) == ()


@pytest.mark.parametrize(("language", "text"), rows("none"))
def test_what_is_no_time(language: str, text: str) -> None:
    assert parse(text, ANCHOR, TimeContext(language=language)) == ()


@pytest.mark.parametrize(("language", "row"), rows("wish"))
def test_wishes_for_the_newest(language: str, row: str) -> None:
    question, wanted = row.split(" => ")
    assert recency(question, language) == recency(question) == float(wanted)


@pytest.mark.parametrize(
    ("language", "row"),
    [row for row in rows("dates", "labels", "limits", "relative") if row[0] in ("ja", "zh")],
)
def test_languages_of_a_script_of_their_own_are_read_in_any_text(language: str, row: str) -> None:
    text, meant = row.split(" => ")
    for other in ("en", "de fr", ""):
        found = parse(text, ANCHOR, TimeContext(language=other))
        assert [told(mention) for mention in found] == meant.split(" ; ")
