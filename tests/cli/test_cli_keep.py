"""`asof status | correct | purge | vacuum | demo`."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def answer(monkeypatch):
    """What is typed when a command asks."""

    def typed(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return typed


def found(asof, question: str, *options: str) -> list[str]:
    return [hit["document"] for hit in asof("search", question, *options, "--json").json()["hits"]]


def test_status(asof, notes):
    result = asof("status")
    assert result.code == 0
    rows = {line[:10].strip(): line[12:] for line in result.out.splitlines()}
    assert rows["documents"] == "3, and 0 removed"
    assert rows["published"] == "2020-01-10 to 2022-01-10"
    assert rows["dated by"] == "3 frontmatter"
    assert rows["undated"] == "0 (visible since they were indexed)"
    assert rows["languages"] == "en; words by their stems"
    assert rows["chunking"] == "120w (size of a passage)"
    assert rows["source"] == "notes (folder): 3 documents"
    figures = asof("status", "--json").json()
    assert (figures["documents"], figures["dated_by"], figures["horizon"]) == (3, {"frontmatter": 3}, None)


def test_check_of_a_sound_corpus(asof, notes):
    result = asof("status", "--check")
    assert (result.code, result.out.splitlines()[-1]) == (0, "checked: store and index are sound")
    assert asof("status", "--check", "--json").json()["check"] == []


def test_check_mends_a_damaged_segment(asof, here, notes):
    (segment,) = (here / ".asof/segments").glob("*.seg")
    segment.write_bytes(segment.read_bytes()[:100] + b"x" * 50 + segment.read_bytes()[150:])
    result = asof("status", "--check")
    assert result.code == 3
    assert segment.stem in result.out
    assert asof("status", "--check").code == 0
    assert len(found(asof, "crane")) == 3


def test_correct_is_undone_by_known_at_and_survives_indexing(asof, notes):
    result = asof("correct", "notes/blue.md", "2019-05-01")
    assert (result.code, result.out.startswith("notes/blue.md: published 2019-05-01")) == (0, True)
    assert found(asof, "blue", "--as-of", "2019-06")[0] == "notes/blue.md"
    assert found(asof, "blue", "--as-of", "2019-06", "--known-at", "1 hour ago") == []
    assert asof("index", "notes").out.startswith("notes: 3 unchanged")
    assert found(asof, "blue", "--as-of", "2019-06")[0] == "notes/blue.md"


def test_correct_wants_a_document_and_a_date(asof, notes):
    result = asof("correct", "notes/nope.md", "2019")
    assert result.code == 2
    assert "'notes/nope.md'" in result.err
    result = asof("correct", "notes/red.md", "soon")
    assert result.code == 2
    assert result.err.startswith("asof correct: T: 'soon' is not a time")
    assert asof("correct", "notes/red.md").code == 2


def test_purge(asof, here, notes, answer):
    answer("n\n")
    result = asof("purge", "notes/blue.md")
    assert (result.code, "nothing was erased; --yes" in result.err) == (1, True)
    answer("")  # nobody is there
    assert asof("purge", "notes/blue.md").code == 1
    assert "notes/blue.md" in found(asof, "blue")
    answer("y\n")
    result = asof("purge", "notes/blue.md")
    assert (result.code, result.out.startswith("notes/blue.md: erased, 1 passage;")) == (0, True)
    assert "notes/blue.md" not in found(asof, "blue", "--as-of", "2021-06")
    result = asof("purge", "notes/blue.md", "--yes")
    assert result.code == 2
    held = b"".join(file.read_bytes() for file in (here / ".asof").rglob("*") if file.is_file())
    assert b"blue now" not in held
    assert b"The crane is red" in held  # it can be seen that way at all


def test_purge_of_a_paper(asof, here, answer):
    result = [
        {"id": f"arxiv:{id_}", "text": f"The crane of {id_}.", "date": "2024-01-01"}
        for id_ in ("2401.00001", "2401.00001/full", "2401.00002")
    ]
    (here / "papers.jsonl").write_text("\n".join(map(json.dumps, result)))
    asof("index", "papers.jsonl")
    paper, full, other = (each["id"] for each in result)
    assert sorted(found(asof, "crane")) == [paper, full, other]
    answer("n\n")
    refused = asof("purge", paper)
    assert f"Erase {paper} with {full} and all its history?" in refused.err + refused.out
    erased = asof("purge", paper, "--yes")
    assert erased.out == (
        f"{paper} with {full}: erased, 2 passages; it is fetched again only if you index it by its id\n"
    )
    assert found(asof, "crane") == [other]


def test_vacuum(asof, notes, answer):
    (notes / "red.md").write_text("---\ndate: 2021-06-01\n---\n# Red\n\nThe crane is pink.\n")
    asof("index", "notes")
    answer("n\n")
    result = asof("vacuum", "--before", "now")
    assert (result.code, "nothing was dropped" in result.err) == (1, True)
    result = asof("vacuum", "--before", "now", "--yes")
    assert (result.code, result.out.startswith("1 passage dropped; ")) == (0, True)
    result = asof("search", "crane", "--as-of", "2021-06")
    assert result.code == 2
    assert "was dropped by `asof vacuum`" in result.err
    assert len(found(asof, "crane")) == 3
    assert asof("status", "--json").json()["horizon"] is not None


def test_vacuum_drops_history_that_was_learned_late(asof, notes):
    (notes / "red.md").write_text("---\ndate: 2021-06-01\n---\n# Red\n\nThe crane is pink.\n")
    asof("index", "notes")
    assert asof("vacuum", "--before", "2021-12", "--yes").out.startswith("1 passage dropped; ")
    assert asof("search", "crane", "--as-of", "2021-06").code == 2
    assert asof("search", "crane", "--known-at", "2022-06").code == 2
    assert len(found(asof, "crane", "--as-of", "2022-06")) == 3
    assert "since 2021-12-01 00:00Z; what was before was dropped" in asof("status").out


@pytest.mark.parametrize(
    ("before", "says"), [("2999", "only the past can be dropped"), ("soon", "--before: ")]
)
def test_vacuum_refuses(asof, notes, before, says):
    result = asof("vacuum", "--before", before, "--yes")
    assert result.code == 2
    assert says in result.err


def test_demo_leaves_nothing_behind(asof, here, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    result = asof("demo")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line.startswith("$ ")] == [
        f'$ asof search "Who is the current harbour master?" --as-of {date} -k 1'
        for date in ("2017-06-01", "2020-06-01", "2024-06-01")
    ] + [
        '$ asof timeline "harbour master"',
        '$ asof ask "How much did an adult single ticket cost in 2019 and in 2023?"',
        '$ asof ask "How much will an adult single ticket cost in 2031?"',
    ]
    assert (
        "2019  adult single ticket cost: €4.50 [1]\n2023  adult single ticket cost: €5.40 [2]\n" in result.out
    )
    assert "No answer: nothing is known of 2031; the nearest times that are known: 2024" in result.out
    assert [name in result.out for name in ("Ebbe Calloway", "Runa Osterby", "Jesper Quant")] == [True] * 3
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list(here.iterdir()) == []


@pytest.mark.slow
def test_demo_that_is_kept_can_be_asked(asof, here):
    result = asof("demo", "--keep", "island")
    assert result.code == 0
    assert result.out.splitlines()[-1].endswith('asof search --index island "your question"')
    assert Path("island/notes/ferry").is_dir()
    assert asof("search", "--index", "island", "ferry").code == 0
    assert asof("demo", "--keep", "island").code == 0  # again, into the same folder
