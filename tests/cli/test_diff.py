"""`asof diff`: two answers side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.json_schema import against

from .conftest import filled


def note(date: str, title: str, text: str) -> str:
    return f"---\ndate: {date}\n---\n# {title}\n\n{text}\n"


@filled
def fees(asof, write):
    """The ferry's fee of each year in a note of its own, one that stays, one removed, one added."""
    for year, fee in ((2019, 30), (2020, 40), (2021, 45)):
        text = f"The ferry fee to the island is {fee} crowns."
        write(f"notes/fee-{year}.md", note(f"{year}-03-01", f"Ferry fee {year}", text))
    write("notes/dogs.md", note("2018-01-01", "Dogs", "A dog travels on the ferry without a ticket."))
    write("notes/night.md", note("2018-01-01", "Night", "The night ferry leaves from the mole at ten."))
    assert asof("index", "notes").code == 0
    (Path("notes") / "night.md").unlink()
    write("notes/bridge.md", note("2021-06-01", "Bridge", "The bridge replaces the ferry in winter."))
    assert asof("index", "notes").code == 0


def test_what_changed_and_was_added(asof, fees):
    result = asof("diff", "ferry fee", "2020-12-31", "2021-12-31")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "as of 2020-12-31 · as of 2021-12-31 · ranks: before -> after"
    assert lines[1:6] == [
        "~ changed   1 -> 1    Ferry fee 2021",
        "    before  The ferry fee to the island is 40 crowns.",
        "            notes/fee-2020.md  2020-03-01",
        "    after   The ferry fee to the island is 45 crowns.",
        "            notes/fee-2021.md  2021-03-01",
    ]
    kinds = [line.split()[1] for line in lines if line[0] in "~+-="]
    assert kinds == ["changed", "added", "unchanged", "unchanged"]


def test_the_other_way_round(asof, fees):
    """What was added is removed, and 40 crowns follow 45."""
    result = asof("diff", "ferry fee", "2021-12-31", "2020-12-31", "--json").json()
    assert [each["kind"] for each in result["changes"]] == ["changed", "removed", "unchanged", "unchanged"]
    assert (result["changes"][0]["words_added"], result["changes"][0]["words_removed"]) == (["40"], ["45"])


def test_what_was_removed(asof, fees):
    """The night ferry's note was deleted when it was indexed again: now."""
    result = asof("diff", "night ferry", "2020", "now", "--json").json()
    removed = [each["before"]["document"] for each in result["changes"] if each["kind"] == "removed"]
    assert removed == ["notes/night.md"]


def test_a_version_of_a_document(asof, write):
    write("notes/a.md", note("2020-01-01", "Harbour master", "The harbour master is Ada Marsh."))
    asof("index", "notes")
    write("notes/a.md", note("2021-01-01", "Harbour master", "Tom Reed looks after the harbour now."))
    asof("index", "notes")
    result = asof("diff", "harbour master", "2020", "2021", "--json").json()
    assert [each["kind"] for each in result["changes"]] == ["changed"]
    assert result["changes"][0]["before"]["visible"] == "2020-01-01T23:59:59.999999Z"


def test_nothing_changed(asof, fees):
    result = asof("diff", "dog ticket", "2018-02", "2018-03", "--json").json()
    assert {each["kind"] for each in result["changes"]} == {"unchanged"}
    assert all(each["before"]["id"] == each["after"]["id"] for each in result["changes"])


def test_both_are_empty(asof, fees):
    result = asof("diff", "ferry", "2001", "2002")
    assert (result.code, result.out.splitlines()[1:]) == (1, ["nothing found"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([" ", "2020", "2021"], "QUERY is empty"),
        (["ferry", "blue", "2021"], "A: "),
        (["ferry", "2020", "blue"], "B: "),
        (["ferry", "2020"], "'B'"),
        (["ferry", "2020", "2021", "--recipe", "nobody"], "nobody"),
    ],
)
def test_wrong_usage(asof, fees, arguments, told):
    result = asof("diff", *arguments)
    assert result.code == 2
    assert told in result.err


def test_the_json_keeps_its_schema(asof, fees):
    for days in (("2020", "2021"), ("2001", "now"), ("now", "2018-02")):
        assert against("diff", asof("diff", "ferry fee", *days, "--json").json()) == []
