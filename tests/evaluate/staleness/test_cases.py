"""Reading cases: what is wrong with a line is a problem with its place, without a file it is an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluate.staleness.conftest import CASE, Lines

from asof.data import Problem
from asof.errors import UsageError
from asof.evaluate.staleness.cases import load_cases
from asof.time.moment import read


def test_a_case(lines: Lines) -> None:
    problems: list[Problem] = []
    (case,) = load_cases(lines(), problems)
    assert problems == []
    assert (case.name, case.documents.name, case.line) == ("pier", "pier.jsonl", 1)
    assert case.as_of == read("2022-12-31").last
    assert [(each.kind, each.by, each.old_value) for each in case.expected] == [
        ("value", ("pier.md",), "17:00")
    ]
    assert [each.why for each in case.harmless] == ["other subject"]
    assert case.held_out == frozenset()


def test_a_co_change_holds_its_expected_documents_out(lines: Lines) -> None:
    (case,) = load_cases(lines(CASE | {"commit": "ccd8e95f"}), [])
    assert case.held_out == {"visit.md"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"documents": "none.jsonl"}, "has documents 'none.jsonl': no file of JSON lines"),
        ({"documents": "../pier.jsonl"}, "has documents outside the dataset"),
        ({"as_of": "yesteryear"}, "has an as_of that cannot be read"),
        ({"as_of": None}, "has no as_of"),
        ({"expected": [{"document": "a", "quote": "b", "kind": "time"}]}, "expects the kind 'time'"),
        ({"expected": [{"document": "a", "quote": "b", "kind": "value", "by": "c"}]}, "has a by"),
        ({"harmless": [{"document": "a", "quote": "b"}]}, "has no why"),
        ({"neutral": "all"}, "has a field neutral that is no list of objects"),
    ],
)
def test_a_line_that_cannot_be_used_is_a_problem(
    lines: Lines, change: dict[str, object], message: str
) -> None:
    problems: list[Problem] = []
    cases = load_cases(lines(CASE, CASE | {"case": "second"} | change, "{"), problems)
    assert [case.name for case in cases] == ["pier"]
    assert [(each.file, each.line) for each in problems] == [("cases.jsonl", 2), ("cases.jsonl", 3)]
    assert f"the case {message}" in problems[0].message
    assert all(problem.remedy and problem.lost for problem in problems)


def test_two_cases_of_one_name(lines: Lines) -> None:
    problems: list[Problem] = []
    assert len(load_cases(lines(CASE, CASE), problems)) == 1
    assert [problem.message for problem in problems] == [
        "another case is called 'pier': the first one counts"
    ]


def test_no_dataset(lines: Lines, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder; a dataset of --stale is"):
        load_cases(tmp_path / "none", [])
    with pytest.raises(UsageError, match=r"has no cases\.jsonl"):
        load_cases(tmp_path, [])
    with pytest.raises(UsageError, match="holds no case that can be used"):
        load_cases(lines("[]"), [])
