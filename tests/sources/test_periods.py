"""Periods by label: quarters and years, fiscal and not, where a record clearly names one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.documents import Document, Problem
from asof.errors import BadTime
from asof.sources.dates import month_of, periods
from asof.sources.history import open_source
from asof.sources.source import Fields


def told(record: dict[str, Any], fiscal_start: int = 1) -> list[tuple[str, str, str, str]]:
    """First day, the day after the last, words, field."""
    return [
        (str(time.span.start)[:10], str(time.span.end)[:10], time.text, time.by)
        for time in periods(record, Fields(), fiscal_start)
    ]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"year": 2024}, ("2024-01-01", "2025-01-01", "2024", "year")),
        ({"year": "2024"}, ("2024-01-01", "2025-01-01", "2024", "year")),
        ({"year": 2024, "quarter": "Q1"}, ("2024-01-01", "2024-04-01", "Q1 2024", "quarter")),
        ({"year": 2024, "quarter": 4}, ("2024-10-01", "2025-01-01", "Q4 2024", "quarter")),
        ({"quarter": "2024-Q2"}, ("2024-04-01", "2024-07-01", "2024-Q2", "quarter")),
        ({"quarter": "2Q24"}, ("2024-04-01", "2024-07-01", "2Q24", "quarter")),
        ({"fiscal_year": 2024}, ("2024-01-01", "2025-01-01", "FY 2024", "fiscal_year")),
        ({"fiscal_year": "FY24"}, ("2024-01-01", "2025-01-01", "FY24", "fiscal_year")),
        ({"fiscal_year": 2024, "fiscal_quarter": "q1"},
         ("2024-01-01", "2024-04-01", "q1 2024", "fiscal_quarter")),
        ({"fiscal_year": 2024, "fiscal_quarter": 1},
         ("2024-01-01", "2024-04-01", "Q1 2024", "fiscal_quarter")),
        ({"fiscal_year": 2024, "fiscal_quarter": "FY"},
         ("2024-01-01", "2025-01-01", "FY 2024", "fiscal_quarter")),
        ({"fiscal_year": 2023, "fiscal_period": "H2"},
         ("2023-07-01", "2024-01-01", "H2 2023", "fiscal_period")),
        ({"fiscal_period": "Q3 FY2023"}, ("2023-07-01", "2023-10-01", "Q3 FY2023", "fiscal_period")),
    ],
)  # fmt: skip
def test_without_a_known_start_a_label_means_its_calendar_period(record, expected) -> None:
    assert told(record) == [expected]


@pytest.mark.parametrize(
    ("record", "start", "expected"),
    [
        # the fiscal year 2024 that begins in July 2023: its first quarter is July to September 2023
        ({"fiscal_year": 2024}, 7, ("2023-07-01", "2024-07-01", "FY 2024", "fiscal_year")),
        ({"fiscal_year": 2024, "fiscal_quarter": "Q1"}, 7,
         ("2023-07-01", "2023-10-01", "Q1 2024", "fiscal_quarter")),
        # October: the third quarter is the seventh to ninth month from there, April to June
        ({"fiscal_period": "Q3 FY24"}, 10, ("2024-04-01", "2024-07-01", "Q3 FY24", "fiscal_period")),
        ({"fiscal_year": "2023/24"}, 4, ("2023-04-01", "2024-04-01", "2023/24", "fiscal_year")),
        ({"quarter": "Q2", "fiscal_year": 2022}, 7, ("2021-10-01", "2022-01-01", "Q2 2022", "quarter")),
        ({"quarter": "Q2", "year": 2022}, 7, ("2022-04-01", "2022-07-01", "Q2 2022", "quarter")),
        ({"year": 2022}, 7, ("2022-01-01", "2023-01-01", "2022", "year")),
    ],
)  # fmt: skip
def test_with_a_known_start_fiscal_labels_follow_it(record, start, expected) -> None:
    assert told(record, start) == [expected]


def test_a_year_is_told_beside_a_fiscal_quarter_of_another() -> None:
    record = {"fiscal_year": 2024, "fiscal_quarter": "Q1", "year": 2023}
    assert [time[2:] for time in told(record, 7)] == [("Q1 2024", "fiscal_quarter"), ("2023", "year")]


@pytest.mark.parametrize(
    "record",
    [
        {"year": 1}, {"year": 12.5}, {"year": True}, {"year": "many"}, {"year": "24"}, {"year": "2011-12"},
        {"year": None}, {"quarter": "Q1"}, {"quarter": "Q2", "year": "?"},
        {"fiscal_quarter": 1}, {"fiscal_year": "2023/25"}, {"fiscal_year": "the first"},
        {"fiscal_year": [2024]},
        {"quarter": "Latin"},
    ],
)  # fmt: skip
def test_what_is_no_period_is_left_alone(record) -> None:
    assert told(record) == []


@given(
    st.dictionaries(
        st.sampled_from(["year", "quarter", "fiscal_year", "fiscal_quarter", "fiscal_period"]),
        st.one_of(
            st.integers(), st.text(max_size=12), st.from_regex(r"(FY|Q[1-4]|H2)? ?[0-9]{2,4}", fullmatch=True)
        ),
    ),
    st.integers(1, 12),
)  # fmt: skip
def test_any_values_give_whole_months_or_nothing(record: dict[str, Any], start: int) -> None:
    for time in periods(record, Fields(), start):
        assert time.by in record
        start_day, end_day = time.span.start, time.span.end
        assert start_day is not None
        assert end_day is not None
        assert (start_day.day, end_day.day) == (1, 1)
        assert (end_day.year - start_day.year) * 12 + end_day.month - start_day.month in (3, 6, 12)


@pytest.mark.parametrize("value", [7, "7", "07", "July", "jul", "Juli", "07-01", "2023-07-01", "1 July"])
def test_a_month_by_number_name_or_day(value: object) -> None:
    assert month_of(value) == 7


@pytest.mark.parametrize("value", [0, 13, True, 7.0, "", "x", "2024", [7], None])
def test_what_is_no_month(value: object) -> None:
    with pytest.raises(BadTime, match="is no month; accepted are 1 to 12, and names"):
        month_of(value)


# -- in the sources ---------------------------------------------------------------------------------


def read_all(path: Path, **fields: Any) -> tuple[list[Document], list[str]]:
    items = list(open_source(path, root=path.parent, fields=Fields(**fields)).documents())
    problems = [item.message for item in items if isinstance(item, Problem)]
    return [item for item in items if isinstance(item, Document)], problems


def test_a_record_says_its_own_start_and_keeps_its_labels(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "t", "fiscal_year": 2024, "fiscal_quarter": "Q1", "fiscal_start": "July"},
        {"id": "b", "text": "t", "fiscal_year": 2024, "fiscal_quarter": "Q1"},
        {"id": "c", "text": "t", "fy": "FY2024"},
        {"id": "d", "text": "t", "fiscal_year_start": "Julember"},
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (a, b, c, d), problems = read_all(tmp_path / "x.jsonl", fiscal_start=10, fiscal_year=("fy",))
    assert [str(time.span.start)[:7] for time in a.about] == [], "`fiscal_year` is called `fy` here"
    assert [str(time.span.start)[:7] for time in c.about] == ["2023-10"]
    assert (a.fiscal_start, b.fiscal_start, d.fiscal_start) == (7, 10, 10)
    assert a.meta == {"fiscal_year": 2024, "fiscal_quarter": "Q1"}
    assert d.meta == {"fiscal_year_start": "Julember"}
    (problem,) = problems
    assert problem.startswith("'fiscal_year_start' cannot be read: 'Julember' is no month")


def test_a_note_names_its_period_in_its_frontmatter(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("---\nfiscal_year: 2024\nfiscal_quarter: Q1\n---\nWords.\n")
    front = "fiscal_year: 2024\nfiscal_start: 4\nabout: 2020\n"
    (tmp_path / "notes" / "b.md").write_text(f"---\n{front}---\nWords.\n")
    (a, b), problems = read_all(tmp_path / "notes", fiscal_start=7)
    assert not problems or all("fiscal" not in problem for problem in problems)
    assert [(str(t.span.start)[:7], t.by) for t in a.about] == [("2023-07", "fiscal_quarter")]
    periods = [(str(t.span.start)[:7], t.by) for t in b.about]
    assert periods == [("2020-01", "about"), ("2023-04", "fiscal_year")]
    assert b.meta == {"fiscal_year": 2024}
