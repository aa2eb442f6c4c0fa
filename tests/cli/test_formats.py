"""Results to carry away: each command in each format has the rows of its JSON, whatever documents say."""

from __future__ import annotations

import csv
import io
import os
import pty
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook

from asof.cli import xlsx
from asof.cli.formats import CarriedTable, clean, content, escaped, link, quoted_lines, table, write_csv
from asof.cli.main import cli, run
from asof.cli.terminal import plain
from asof.cli.xlsx import Cell, write_xlsx
from asof.documents import SourcedTime
from asof.errors import UsageError
from asof.hits import Citation, VersionNumber, cite, place_name
from asof.time.moment import read

from .conftest import filled

HOSTILE = '=HYPERLINK("http://x")'
TEXT = f"""---
title: "{HOSTILE.replace('"', "'")}"
date: 2021-03-01
---
# Berths

A berth costs 3 euros | a \x1b[31mnight. \u202eevil <script>alert(1)</script> [x](javascript:y) _x0041_.

See [[mill]] and [[nowhere]].
"""


@filled
def quay(asof, write):
    """Notes with a hostile one, one with three versions, and a fact; indexed."""
    for day, fee in (("2020-01-10", 3), ("2021-05-01", 5), ("2022-02-01", 7)):
        write(
            "fees.md",
            f"---\ntitle: Fees\ndate: {day}\ntags: [money]\nteam: quay\n---\n## Dogs\n\nDogs are free.\n\n"
            f"## Mooring\n\nThe mooring fee is {fee} euros.\n",
        )
        assert asof("index", ".", "--index", ".").code == 0
    write("evil.md", TEXT)
    write(
        "mill.md",
        "---\ntitle: Mill\ndate: 2021-04-01\n---\nMay Hollis is the miller of Sundrey. See [[fees]].\n",
    )
    assert asof("index", ".", "--index", ".").code == 0


@pytest.fixture
def harbour(quay, here):
    """These notes: their folder."""
    return here


def sheet(data: bytes) -> list[list[Any]]:
    return CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0).to_python()


COMMANDS = {
    ("search", "berth"): ("hits", {"rank": "rank", "text": "text", "id": "id", "citation": "citation"}),
    ("ask", "What does a berth cost?"): (
        "citations", {"n": "n", "quote": "quote", "document": "document", "citation": "citation"},
    ),
    ("timeline", "mooring fee"): ("entries", {"statement": "sentence", "id": "id", "citation": "citation"}),
    ("diff", "mooring fee", "2020-06", "2023"): ("entries", {"statement": "sentence", "title": "title"}),
    ("list",): ("documents", {"document": "document", "title": "title"}),
    ("stale", "--kind", "unwritten"): ("stale", {"document": "document", "quote": "quote", "why": "why"}),
    ("links", "mill"): ("neighbours", {"document": "document", "distance": "distance"}),
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_each_command_in_each_format_has_the_rows_of_its_json(asof, harbour, words, monkeypatch):
    key, columns = COMMANDS[words]
    told = asof(*words, "--json").json()[key]
    assert told
    expected = [[" ".join(str(each[name]).split()) for name in columns.values()] for each in told]
    made = asof(*words, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(made.out)))[: len(told)]
    shown = [[row[name].removeprefix("'") for name in columns] for row in rows]
    assert shown == [clean(each) for each in expected]
    assert made.code == asof(*words, "--json").code
    out = io.TextIOWrapper(io.BytesIO())
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "argv", ["asof", *words, "--format", "xlsx"])
        assert run(cli) == made.code
    head, *cells = sheet(out.buffer.getvalue())
    named = [dict(zip(head, row, strict=True)) for row in cells][: len(told)]
    figures = [
        [str(int(row[name]) if isinstance(row[name], float) else row[name]) for name in columns]
        for row in named
    ]
    assert figures == [clean(each) for each in expected]
    markdown = asof(*words, "--format", "markdown").out
    titles = {each["title"] for each in told}
    assert all(f"[{escaped(plain(title))}](<" in markdown for title in titles)
    assert asof(*words, "--format", "json").json().keys() == asof(*words, "--json").json().keys()


def test_changes_have_a_row_for_each_edit(asof, harbour):
    words = "changes", "--since", "2020", "--as-of", "2023"
    told = [
        (each["document"], edit["at"][:10], edit["kind"])
        for each in asof(*words, "--json").json()["documents"]
        for edit in each["edits"]
    ]
    rows = csv.DictReader(io.StringIO(asof(*words, "--format", "csv").out))
    assert [(row["document"], row["date"], row["change"]) for row in rows] == told


def test_facts_and_reports_have_the_rows_of_their_json(asof, harbour):
    facts = asof("facts", "May Hollis", "--json").json()
    told = [
        (group["subject"], each["object"], each["document"])
        for group in facts["groups"] for each in group["facts"]
    ]  # fmt: skip
    rows = [*csv.DictReader(io.StringIO(asof("facts", "May Hollis", "--format", "csv").out))]
    assert [(row["subject"], row["object"], row["document"]) for row in rows] == told != []
    reports = asof("report", "2021", "--json").json()["reports"]
    cited = [
        (report["period"], *clean([each["sentence"]]), each["id"])
        for report in reports for point in report["points"] for each in point["citations"]
    ]  # fmt: skip
    rows = [*csv.DictReader(io.StringIO(asof("report", "2021", "--format", "csv").out))]
    assert [(row["period"], row["sentence"], row["id"]) for row in rows] == cited != []
    assert asof("report", "2021", "--format", "markdown").out.startswith("## ")


def test_no_text_is_a_formula_a_command_or_markup(asof, harbour):
    row = next(csv.DictReader(io.StringIO(asof("search", "berth night", "-k", "1", "--format", "csv").out)))
    assert row["title"] == "'=HYPERLINK('http://x')"  # the apostrophe makes it a text
    assert "3 euros | a ␛[31mnight. �evil alert(1) x x0041." in row["text"]
    assert "\n" not in row["text"]
    markdown = asof("search", "berth night", "-k", "1", "--format", "markdown").out
    assert r"3 euros \| a ␛\[31mnight. �evil" in markdown
    assert escaped("<script> [x](javascript:y) ![x](y)") == r"\<script\> \[x\](javascript:y) !\[x\](y)"
    assert escaped("---") == r"\---"  # no line below a heading, which would be one
    assert escaped("a --- b") == "a --- b"
    assert link("x", "javascript:alert(1)") == "x"
    assert quoted_lines("one\n\n# two") == ["> one", ">", r"> \# two"]


def test_cells_of_a_workbook():
    day, text = date(2024, 2, 29), "_x0041_ & <b> \x00 \ud800 end"
    out = io.BytesIO()
    made: list[list[Cell]] = [[HOSTILE, day, 2], [text, date(1066, 10, 14), None], ["", 0.5, "+1"]]
    assert write_xlsx(out, ("a", "b", "c"), made) == 3
    head, *rows = sheet(out.getvalue())
    assert head == ["a", "b", "c"]
    assert rows == [
        [HOSTILE, day, 2.0], ["_x0041_ & <b> � � end", "1066-10-14", ""], ["", 0.5, "+1"],
    ]  # fmt: skip
    with ZipFile(io.BytesIO(out.getvalue())) as package:
        data = package.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in data
    assert '<c r="A2" s="3" t="inlineStr">' in data  # a text, also where somebody edits it
    assert '<c r="B2" s="2"><v>45351</v></c>' in data  # (2024-02-29) - (1899-12-30) = 45,351 days
    assert (date(2024, 2, 29) - date(1899, 12, 30)).days == 45_351
    again = io.BytesIO()
    write_xlsx(again, ("a", "b", "c"), made)
    assert again.getvalue() == out.getvalue()


def test_columns_are_as_wide_as_their_cells():
    out = io.BytesIO()
    write_xlsx(out, ("a", "day", "text"), [[1, date(2024, 2, 29), "x" * 200], [None, None, "y"]])
    with ZipFile(io.BytesIO(out.getvalue())) as package:
        data = package.read("xl/worksheets/sheet1.xml").decode()
    assert [each.split('"')[5] for each in data.split("<col ")[1:]] == ["10", "12", "62"]  # 8, 10, 60 and 2


def test_a_workbook_gives_a_time_no_better_than_it_is_known(asof, here):
    """A month is no day, and what was superseded does not hold."""
    for name, month, fee in (("a", "2014-04", 45), ("b", "2016-05", 50)):
        (here / f"{name}.md").write_text(
            f"---\ntitle: Expenses policy\ndate: {month}\n---\nThe mileage rate is {fee} pence a mile.\n"
        )
    assert asof("index", ".", "--index", ".").code == 0
    for words in ("search", "timeline"):
        made = csv.DictReader(io.StringIO(asof(words, "mileage rate pence", "--format", "csv").out))
        rows = sorted(made, key=lambda each: each["published"])
        assert [row["published"] for row in rows] == ["2014-04", "2016-05"]
        assert [row["valid_from"] for row in rows] == ["2014-04", "2016-05"]
        if words == "search":
            assert [(row["holds"], row["superseded_on"]) for row in rows] == [
                ("no", "2016-05-31"), ("yes", "")
            ]  # fmt: skip
        else:
            assert [row["since"] for row in rows] == ["2014-04", "2016-05"]


def test_what_a_workbook_cannot_hold_is_said(monkeypatch):
    most = "😀" * 16_383 + "a"  # two units of UTF-16 each, and one: 32,767
    write_xlsx(io.BytesIO(), ("text",), [[most]])
    with pytest.raises(
        UsageError, match=r"cell A2 \(text\) would have 32,768 .* holds 32,767: use --format csv"
    ):
        write_xlsx(io.BytesIO(), ("text",), [[f"{most}a"]])
    monkeypatch.setattr(xlsx, "MOST_ROWS", 3)
    assert write_xlsx(io.BytesIO(), ("n",), [[1], [2]]) == 2
    with pytest.raises(UsageError, match="at most 2 rows, and there are more"):
        write_xlsx(io.BytesIO(), ("n",), [[1], [2], [3]])
    monkeypatch.setattr(xlsx, "MOST_BYTES", 1_000)
    with pytest.raises(UsageError, match="at most 2 GiB"):
        write_xlsx(io.BytesIO(), ("n",), [["a" * 1_000]])


def test_numbers_below_zero_are_no_formulas():
    out = io.BytesIO()
    write_csv(out, ("n", "text"), [[-1.5, "-1.5"], [None, date(2024, 1, 5)]])
    assert out.getvalue().decode() == "n,text\n-1.5,'-1.5\n,2024-01-05\n"


def test_a_workbook_is_not_written_to_a_terminal(asof, harbour):
    here, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "asof", "list", "--format", "xlsx"], stdout=terminal, stderr=subprocess.PIPE,
        check=False,
    )  # fmt: skip
    os.close(terminal)
    os.close(here)
    assert done.returncode == 2
    assert b"--format xlsx is no text: write it to a file" in done.stderr


def test_what_does_not_go_together_and_what_is_left_out_is_said(asof, harbour, refused):
    refused(["search", "berth", "--json", "--format", "csv"], "--json does not go with --format csv")
    refused(["search", "berth", "--explain", "--format", "csv"], "--explain does not go with --format csv")
    refused(["facts", "May Hollis", "--why", "--format", "csv"], "--why does not go with --format csv")
    shown = asof("list", "-k", "1", "--format", "csv")
    assert shown.out.count("\n") == 2
    assert shown.err == "note: 2 more documents left out; -k 3 takes all\n"
    assert asof("timeline", "mooring fee", "-k", "1", "--format", "csv").err.startswith(
        "note: 2 older statements"
    )
    no = asof("ask", "Who painted the moon?", "--format", "csv")
    assert (no.code, no.out.count("\n")) == (1, 1)
    assert no.err.startswith("note: no answer: ")
    with pytest.raises(UsageError, match="str is no table"):
        table("text")


# -- citations -------------------------------------------------------------------------------------------


def test_how_a_passage_is_cited():
    published = SourcedTime(read("2024-11-20"), "20 November 2024", "metadata")
    one = Citation(
        1, "p#1", "policy.pdf", "Travel policy", published, (), "Ask first.", headings=("Page 4",),
        version=VersionNumber(3, 5),
    )  # fmt: skip
    assert one.citation == "Travel policy, p. 4, 2024-11-20, version 3 of 5"
    bare = Citation(1, "p#1", "policy.pdf", "", None, (), "Ask first.", version=VersionNumber(1, 1))
    assert cite(bare) == ("policy.pdf", "undated")


@pytest.mark.parametrize(("headings", "place"), [
    ((), ""), (("Fees",), ""), (("Fees", "Mooring"), "Mooring"), (("Fees", "a | b"), ""),
    (("Slide 2: Costs",), "slide 2"), (("Page 12", "Costs"), "p. 12"), (("Pages 3",), "Pages 3"),
    (("Prices", "A1:D20"), "Prices A1:D20"), (("Prices", "A1:D20", "item | price"), "Prices A1:D20"),
])  # fmt: skip
def test_the_place_of_a_passage(headings, place):
    assert place_name(headings, "Fees") == place


def versions(asof: Any, *options: str) -> dict[str, tuple[int, int]]:
    """By the heading of a passage of fees.md its version."""
    found = asof("search", "dogs mooring fee", "--path", "fees.md", *options, "--json").json()["hits"]
    hits = [hit for hit in found if hit["location"]["headings"]]
    return {hit["location"]["headings"][-1]: (hit["version"]["number"], hit["version"]["of"]) for hit in hits}


def test_the_version_is_that_which_said_so_first_of_those_until_then(asof, harbour):
    assert versions(asof) == {"Dogs": (1, 3), "Mooring": (3, 3)}
    assert versions(asof, "--as-of", "2021-06") == {"Dogs": (1, 2), "Mooring": (2, 2)}
    assert versions(asof, "--as-of", "2020-06") == {"Dogs": (1, 1), "Mooring": (1, 1)}
    (harbour / "fees.md").unlink()
    asof("index", ".", "--index", ".")
    assert versions(asof, "--as-of", "2023") == {"Dogs": (1, 3), "Mooring": (3, 3)}  # no removal counts
    answer = asof("ask", "What is the mooring fee?", "--as-of", "2021-06").out
    assert "(Fees, Mooring, 2021-05-01, version 2 of 2)" in answer


def test_citations_of_reports_have_versions(asof, harbour):
    told = asof("ask", "What happened in 2022?", "--mode", "global", "--as-of", "2022-06", "--json").json()
    cited = {each["document"]: each["version"] for each in told["citations"]}
    assert told["mode"] == "global"
    assert cited["fees.md"] == {"number": 3, "of": 3}


# -- statements ------------------------------------------------------------------------------------------


def statements(file: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(file.read_text()))]


def test_statements_as_of_a_moment(asof, harbour):
    assert asof("export", "now.csv").code == 0
    assert asof("export", "then.csv", "--as-of", "2021-04-15").code == 0
    now, then = statements(harbour / "now.csv"), statements(harbour / "then.csv")
    assert [row["document"] for row in now] == sorted(row["document"] for row in now)
    fees = [row for row in now if row["document"] == "fees.md"]
    assert [(row["statement"], row["place"], row["citation"]) for row in fees] == [
        ("team: quay", "", "Fees, 2020-01-10, version 1 of 3"),
        ("Dogs › Dogs are free.", "Dogs", "Fees, Dogs, 2020-01-10, version 1 of 3"),
        ("The mooring fee is 7 euros.", "Mooring", "Fees, Mooring, 2022-02-01, version 3 of 3"),
    ]
    assert {(row["tags"], row["metadata"]) for row in fees} == {("money", '{"team": "quay"}')}
    assert [row["kind"] for row in fees] == ["field", "sentence", "sentence"]
    assert "The mooring fee is 3 euros." in {row["statement"] for row in then}
    assert "The mooring fee is 7 euros." not in {row["statement"] for row in then}
    assert asof("export", "then.xlsx", "--as-of", "2021-04-15").code == 0
    head, *rows = sheet((harbour / "then.xlsx").read_bytes())
    first = dict(zip(head, rows[-1], strict=True))
    assert (first["statement"], first["published"]) == (then[-1]["statement"], date(2021, 4, 1))
    assert len(rows) == len(then)


def test_statements_of_some_documents(asof, harbour, refused):
    for options, names in (
        (("--tag", "money"), {"fees.md"}), (("--path", "m*"), {"mill.md"}),
        (("--meta", "team=quay"), {"fees.md"}), (("--since", "2021-04", "--until", "2021"), {"mill.md"}),
        (("--known-at", "2020"), set()),
    ):  # fmt: skip
        done = asof("export", "some.csv", *options, "--force")
        assert {row["document"] for row in statements(harbour / "some.csv")} == names, options
        assert done.code == (0 if names else 1)
    refused(["export", "some.csv"], "some.csv is there already: overwrite it with --force")
    refused(["export", "all.jsonl", "--as-of", "2020"], "--as-of goes with a FILE that ends in .csv or .xlsx")
    refused(["export", "--backup", "all.csv", "--tag", "a"], "--tag goes with")
    refused(["export", "all.tsv"], "ends in .jsonl or .jsonl.gz (of statements in .csv or .xlsx)")
    assert not [*harbour.glob("*.part")]


def test_passages_that_overlap_give_each_statement_once(asof, here):
    said = [f"Sentence number {n} tells of the mill." for n in range(60)]
    (here / "asof.toml").write_text('[index]\nchunking = "40w/15"\n')
    (here / "long.md").write_text(f"---\ndate: 2021\n---\n{' '.join(said)}\n")
    assert asof("index", ".", "--index", ".").code == 0
    assert asof("export", "all.csv", "--path", "long.md").code == 0
    assert [row["statement"] for row in statements(here / "all.csv")] == said


def test_an_export_is_that_of_a_corpus_that_never_held_anything_later(asof, harbour, tmp_path, monkeypatch):
    """As of 2021-04-15, all formats: equal bytes."""

    def carried(folder: Path) -> dict[str, bytes]:
        monkeypatch.chdir(folder)
        found = {}
        for suffix in ("csv", "xlsx"):
            assert asof("export", f"a.{suffix}", "--as-of", "2021-04-15").code == 0
            found[suffix] = (folder / f"a.{suffix}").read_bytes()
        for words in (
            ("search", "mooring fee"),
            ("ask", "What is the mooring fee?"),
            ("timeline", "mooring fee"),
        ):
            for how in ("csv", "markdown"):
                found[f"{words} {how}"] = asof(*words, "--as-of", "2021-04-15", "--format", how).out.encode()
        return found

    whole = carried(harbour)
    (part := tmp_path / "part").mkdir()
    for name in ("evil.md", "mill.md"):
        (part / name).write_text((harbour / name).read_text())
    later = (harbour / "fees.md").read_text()
    (part / "fees.md").write_text(later.replace("2022-02-01", "2020-01-10").replace("7 euros", "3 euros"))
    monkeypatch.chdir(part)
    assert asof("index", ".", "--index", ".").code == 0
    assert carried(part) == whole


def test_a_table_of_values_has_a_row_for_each(asof, here):
    for year, fee in ((2019, 30), (2020, 40)):
        (here / f"{year}.md").write_text(
            f"---\ntitle: Ferry fee {year}\ndate: {year}-03-01\n---\nThe ferry fee is {fee} crowns.\n"
        )
    assert asof("index", ".", "--index", ".").code == 0
    words = "ask", "What was the ferry fee in 2019 and in 2020?"
    told = asof(*words, "--json").json()
    of = {each["n"]: each for each in told["citations"]}
    rows = [*csv.DictReader(io.StringIO(asof(*words, "--format", "csv").out))]
    assert [(row["period"], row["value"], row["document"]) for row in rows] == [
        (each["period"], each["value"], of[each["citation"]]["document"]) for each in told["values"]
    ]
    assert [row["period"] for row in rows] == ["2019", "2020"]
    assert r"| 2019 |" in asof(*words, "--format", "markdown").out


def test_dates_of_cells():
    made = CarriedTable(("day",), [(date(2024, 2, 29),)], "")
    assert sheet(content(made, "xlsx")) == [["day"], [date(2024, 2, 29)]]
    assert content(made, "csv") == b"day\n2024-02-29\n"
    assert not isinstance(sheet(content(made, "xlsx"))[1][0], datetime)
