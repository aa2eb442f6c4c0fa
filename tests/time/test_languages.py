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
    assert FILES.keys() | {FIRST} == set(codes("time"))  # of which test_expressions.py is


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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("März 2021", "März 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("dated 15. März 2021, say", "15. März 2021 | 2021-03-15 | 2021-03-16 | day"),
        ("the 15. März of that", "15. März | 2024-03-15 | 2024-03-16 | day"),
        ("in Dezember 2020", "Dezember 2020 | 2020-12-01 | 2021-01-01 | month"),
        ("MÄRZ 2021", "MÄRZ 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("Mai 2021", "Mai 2021 | 2021-05-01 | 2021-06-01 | month"),
        ("3. Mai 2021", "3. Mai 2021 | 2021-05-03 | 2021-05-04 | day"),
        ("between Mai and Juni 2021", "between Mai and Juni 2021 | 2021-05-01 | 2021-07-01 | month"),
        ("on 3 mars 2021", "3 mars 2021 | 2021-03-03 | 2021-03-04 | day"),
        ("published mars 2021", "mars 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("août 2019", "août 2019 | 2019-08-01 | 2019-09-01 | month"),
        ("since décembre 2020", "since décembre 2020 | 2020-12-01 | .. | month"),
        ("marzo de 2021", "marzo de 2021 | 2021-03-01 | 2021-04-01 | month"),
        ("5 de marzo de 2021", "5 de marzo de 2021 | 2021-03-05 | 2021-03-06 | day"),
        ("the Mars 2020 rover", "2020 | 2020-01-01 | 2021-01-01 | year"),
        ("a Mayo Clinic study", ""),
        ("3 Mai Tais in mars, last mai", ""),
        ("Juli Zeh and 2 Mars bars", ""),
        ("this juin, as in juin", ""),
        ("until 4 mai", ""),
    ],
)
def test_months_of_other_languages_are_read_where_nothing_else_can_be_meant(text: str, meant: str) -> None:
    assert [told(mention) for mention in parse(text, ANCHOR)] == [meant][: bool(meant)]


@pytest.mark.parametrize(("text", "code"), [("depuis 9000 ans", "fr"), ("seit 9000 Jahren", "de")])
def test_what_has_lasted_since_before_the_calendar_is_no_time(text: str, code: str) -> None:
    assert parse(text, ANCHOR, TimeContext(language=code)) == ()
