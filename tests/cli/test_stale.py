"""`asof stale`: both sides, exit codes, revisions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import against

from .conftest import Asof, filled, note

FERRY = "The new ferry will be released in March 2023."


@filled
def quay(asof: Asof, write: Any) -> None:
    """A note with a time that has passed, and one that links to a note that was removed in 2024."""
    write("notes/ferry.md", note("2022-05-01", "Ferry", FERRY))
    write("notes/quay.md", note("2022-05-02", "Quay", "Pay at [the office](office.md) of the harbour first."))
    write("notes/office.md", note("2022-05-03", "Office", "It is open from eight to noon."))
    assert asof("index", "notes").code == 0
    Path("notes/office.md").unlink()
    assert asof("index", "notes").code == 0


def test_both_sides_the_reason_and_where_it_stands(asof, quay):
    result = asof("stale", "notes/ferry.md")
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == "as of now · 1 stale sentence"
    assert lines[1].startswith("  1. notes/ferry.md:6  Ferry  2022-05-01  time 0.")
    assert lines[2:] == [
        f"     “{FERRY}”",
        "     it speaks of 'March 2023' as to come, which ended on 2023-03-31",
        "     because it speaks from its own time: it has stood here unchanged since 2022-05-01",
    ]


def test_nothing_is_stale(asof, quay):
    result = asof("stale", "--as-of", "2022-06-01")
    assert (result.code, result.out) == (0, "as of 2022-06-01 · nothing is stale\n")


def test_the_worst_first_and_how_many_more(asof, quay):
    result = asof("stale", "-k", "1")
    assert result.code == 1
    assert result.out.splitlines()[-1] == "1 more: -k 2"
    assert "notes/quay.md:6" in result.out
    assert "'notes/office.md' was removed" in result.out


def test_json(asof, quay):
    value = asof("stale", "--json").json()
    assert against("stale", value) == []
    assert [each["document"] for each in value["stale"]] == ["notes/quay.md", "notes/ferry.md"]
    assert value["stale"][1]["line"] == 6, "frontmatter counts"
    past = asof("stale", "notes/ferry.md", "--as-of", "2024-01-01", "--json").json()
    assert past["stale"][0]["line"] == 3, "lines of the text as it stood"


def test_a_path_counts_from_the_current_folder_and_times_and_kinds_hold(asof, quay, here, monkeypatch):
    monkeypatch.chdir(here / "notes")
    assert asof("stale", "quay.md").out.splitlines()[1].startswith("  1. quay.md:6  Quay")
    told = asof("stale", "--since", "2023", "--kind", "time", "--explain").out
    assert (told.count("  1. "), told.count("\n     0.") >= 1) == (1, True)
    assert asof("stale", "--since", "2023-05", "--kind", "time").code == 0


WRONG = [
    (["nope.md"], "no document 'nope.md' as of"),
    (["nope.md"], "accepted: a file or folder that is indexed, a document's id or title, a pattern"),
    (["--since", "soonish"], "'soonish' is not a time"),
    (["--kind", "tiem"], "'tiem' is not one of 'link', 'time'"),
    (["-k", "0"], "0 is not between 1 and 1000"),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_wrong_usage(refused, quay, options, said):
    refused(["stale", *options], said)
