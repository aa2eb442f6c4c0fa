"""Commands on what changed: `changes`, `list`, and results to carry away."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from asof.cli.formats import escaped, link


def write(path: Path, date: str, text: str) -> None:
    path.write_text(f"---\ntitle: {path.stem.title()}\ndate: {date}\n---\n{text}\n")


@pytest.fixture
def notes(asof, here):
    """A folder of three notes, one of which was changed; indexed."""
    for name, date, text in (
        ("fees", "2020-01-10", "A berth costs 3 euros. Dogs are free."),
        ("mole", "2021-03-01", "The mole is =SUM(1)."), ("mill", "2021-04-01", "The mill | is old."),
    ):  # fmt: skip
        (here / f"{name}.md").write_text(f"---\ntitle: {name.title()}\ndate: {date}\n---\n{text}\n")
    asof("index", ".", "--index", ".")
    (here / "fees.md").write_text(
        "---\ntitle: Fees\ndate: 2021-05-01\n---\nA berth costs 5 euros. Dogs are free.\n"
    )
    asof("index", ".", "--index", ".")
    return here


def test_changes_by_document(asof, notes):
    result = asof("changes", "--since", "2021-04-15", "--as-of", "2021-06")
    assert result.code == 0
    head, document, old, new = result.out.splitlines()
    assert head == "2021-04-15 to 2021-06-30 · 1 document"
    assert document.split() == ["2021-05-01", "changed", "Fees", "fees.md"]
    assert old.split() == ["2021-05-01", "-", *["A", "berth", "costs", "3", "euros."]]
    assert new.split() == ["2021-05-01", "+", *["A", "berth", "costs", "5", "euros."]]
    assert asof("changes", "xylophone", "--since", "2020", "--as-of", "2021-06").code == 1


def test_changes_since_the_last_look(asof, notes, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert asof("changes").code == 1  # nothing within a week; the look is remembered
    looks = tmp_path / "state" / "asof" / "looks.json"
    assert list(json.loads(looks.read_text())) == [str(notes.resolve())]
    looks.write_text(json.dumps({str(notes.resolve()): "2021-04-15T00:00:00Z"}))
    assert "Fees" in asof("changes", "berth").out  # a look at a part is none at all
    assert asof("changes", "--path", "nothing.md").code == 1
    assert "Fees" in asof("changes").out
    assert asof("changes").code == 1
    looks.write_text("{")
    damaged = asof("changes")
    assert (damaged.code, damaged.out) == (2, "")
    assert "looks.json" in damaged.err
    assert "remove it" in damaged.err
    assert asof("changes", "--since", "2021").code == 0  # it is not read


def test_a_list_of_documents(asof, notes):
    result = asof("list", "--since", "2021-02", "-k", "2")
    assert result.out.splitlines() == [
        "2021-05-01  Fees  fees.md", "2021-04-01  Mill  mill.md", "(1 more; -k 3 lists all)",
    ]  # fmt: skip
    assert asof("list", "--path", "nothing/*").code == 1
    listed = [each["document"] for each in asof("list", "--json").json()["documents"]]
    assert listed == ["fees.md", "mill.md", "mole.md"]


def test_a_list_has_days_as_figures_whatever_a_text_calls_them(asof, here, write):
    write("vertrag.md", "---\nDatum: 12. März 2024\n---\nDer Vertrag.")
    asof("index", ".")
    assert asof("list").out.splitlines() == ["2024-03-12  vertrag  vertrag.md"]


def test_results_to_carry_away(asof, notes):
    rows = list(csv.reader(io.StringIO(asof("changes", "--since", "2021", "--format", "csv").out)))
    assert rows[0][:6] == ["date", "change", "before", "after", "document_change", "document"]
    changed = ["2021-05-01", "changed", "A berth costs 3 euros.", "A berth costs 5 euros.", "changed"]
    assert [*changed, "fees.md"] in [row[:6] for row in rows]
    timeline = asof("timeline", "berth", "--format", "markdown").out.splitlines()
    cited = "[Fees](<fees.md>), {}, version {} of 2"
    assert timeline[2:] == [
        f"| 2020-01-10 | 2021-05-01 | A berth costs 3 euros. | {cited.format('2020-01-10', 1)} |",
        f"| 2021-05-01 |  | A berth costs 5 euros. | {cited.format('2021-05-01', 2)} |",
    ]
    answer = asof("ask", "What does a berth cost?", "--format", "markdown").out
    assert "> A berth costs 5 euros. Dogs are free." in answer
    assert "1. [Fees](<fees.md>), 2021-05-01" in answer
    words = "ask", "What does a berth cost?", "--as-of", "2022"
    assert asof(*words, "--format", "json").json() == asof(*words, "--json").json()
    cells = next(csv.DictReader(io.StringIO(asof("ask", "What is the mole?", "--format", "csv").out)))
    assert (cells["quote"], cells["valid_from"]) == ("The mole is =SUM(1).", "2021-03-01")


def test_no_cell_is_a_formula_and_no_sign_is_markup(asof, here):
    (here / "sum.md").write_text("---\ntitle: =cmd()\ndate: 2021-03-01\n---\nThe sum.\n")
    asof("index", ".", "--index", ".")
    assert "'=cmd()" in asof("list", "--format", "csv").out
    assert escaped("a|b <i> [x](y)\n# z") == r"a\|b \<i\> \[x\](y) \# z"
    assert link("x", "javascript:alert(1)") == "x"
    assert link("x", "https://a.b/c d>e") == "[x](<https://a.b/c%20d%3Ee>)"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_home_that_cannot_be_written(asof, notes, monkeypatch, tmp_path):
    (tmp_path / "state").mkdir(mode=0o500)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert asof("changes").code == 2


def test_the_configuration_is_no_document(asof, here):
    (here / "part").mkdir()
    for name in ("asof.toml", "part/asof.toml"):
        (here / name).write_text('[index]\nlanguages = ["en"]\n')
    write(here / "mole.md", "2021-03-01", "The mole is old.")
    asof("index", ".")
    assert asof("list").out.splitlines() == ["2021-03-01  Mole  mole.md"]


def test_a_renamed_document_is_listed_by_its_date(asof, notes):
    (notes / "mill.md").rename(notes / "windmill.md")
    asof("index", ".", "--index", ".")
    listed = [each["document"] for each in asof("list", "--json").json()["documents"]]
    assert listed == ["fees.md", "windmill.md", "mole.md"]


def test_a_look_at_the_first_ones_is_no_look(asof, here, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("fees", "mole", "mill"):
        (here / f"{name}.md").write_text(f"The {name} is old.\n")
    asof("index", ".", "--trust-mtime")
    assert "(1 more; -k 3 lists all)" in asof("changes", "-k", "2").out
    assert "3 documents" in asof("changes", "-k", "5").out
    assert asof("changes").code == 1


def test_what_was_indexed_since_the_last_look_with_an_earlier_date(asof, notes, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    asof("changes")  # the look
    write(notes / "fees.md", "2021-06-01", "A berth costs 7 euros. Dogs are free.")
    write(notes / "quay.md", "2019-06-01", "The quay is new.")
    asof("index", ".", "--index", ".")
    lines = [line.split() for line in asof("changes").out.splitlines()[1:]]
    assert lines == [
        ["2021-06-01", "changed", "Fees", "fees.md"],
        ["2021-06-01", "-", "A", "berth", "costs", "5", "euros."],
        ["2021-06-01", "+", "A", "berth", "costs", "7", "euros."],
        ["2019-06-01", "new", "Quay", "quay.md"],
        ["2019-06-01", "+", "The", "quay", "is", "new."],
    ]
    assert asof("changes").code == 1


def test_a_document_that_supersedes_another_says_what_that_said(asof, here):
    for name, date, fee in (("n1", "2020-01-10", 3), ("n2", "2021-02-01", 5)):
        (here / f"{name}.md").write_text(f"---\ndate: {date}\n---\nThe fee for a berth is {fee} euros.\n")
    asof("index", ".")
    lines = asof("changes", "--since", "2021", "--as-of", "2021-06").out.splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["2021-02-01", "new", "n2", "n2.md"],
        ["2021-02-01", "-", *["The", "fee", "for", "a", "berth", "is", "3", "euros."], "n1.md"],
        ["2021-02-01", "+", *["The", "fee", "for", "a", "berth", "is", "5", "euros."]],
    ]
    before = asof("changes", "--since", "2020", "--as-of", "2020-06").out
    assert "5 euros" not in before
