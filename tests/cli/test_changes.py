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
    assert asof("changes", "--path", "mole.md").code == 1
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
