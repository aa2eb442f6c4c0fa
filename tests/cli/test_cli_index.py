"""`asof index`: every kind of source, settings, problems and exit codes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

LINES = [
    {"id": "a", "text": "the first line about cranes", "timestamp": "2020-05-01"},
    {"id": "b", "text": "the second line about oaks", "timestamp": "2021-05-01"},
]


def documents(result) -> list[str]:
    return [hit["document"] for hit in result.json()["hits"]]


def test_a_folder_and_again(asof, here, notes):
    result = asof("index", "notes")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("notes: 3 unchanged in ")
    (notes / "red.md").write_text("---\ndate: 2020-02-01\n---\n# Red\n\nThe crane is pink.\n")
    (notes / "blue.md").unlink()
    result = asof("index", "notes")
    assert result.code == 0
    assert result.out.startswith("notes: 1 changed, 1 unchanged, 1 removed; 1 new passage in ")


def test_the_first_run_says_where_the_index_is(asof, here, write):
    write("a.md", "# A\n\ncrane\n")
    first, second = asof("index", "."), asof("index", ".")
    assert first.out.startswith("new index in .asof\n")
    assert "index in" not in second.out
    elsewhere = asof("index", "a.md", "--index", here.parent / "other")
    assert elsewhere.out.startswith(f"new index in {here.parent / 'other' / '.asof'}\n")


@pytest.mark.parametrize("zipped", [False, True])
def test_lines_of_json(asof, here, zipped):
    text = "".join(json.dumps(line) + "\n" for line in LINES).encode()
    name = "lines.jsonl.gz" if zipped else "lines.jsonl"
    (here / name).write_bytes(gzip.compress(text) if zipped else text)
    result = asof("index", name)
    assert (result.code, result.err) == (0, "")
    assert "2 added" in result.out
    assert documents(asof("search", "oaks", "--json"))[0] == "b"


def test_a_vault_with_links_and_hidden_folders(asof, here, write):
    write("vault/.obsidian/app.json", "{}")
    write("vault/.trash/old.md", "a crane in the bin")
    write("vault/Crane.md", "---\ntags: [yard]\ndate: 2020-01-01\n---\nSee [[Oak]].\n")
    write("vault/Oak.md", "---\ndate: 2020-01-01\n---\nA tree beside the crane.\n")
    assert asof("index", "vault").code == 0
    assert sorted(documents(asof("search", "crane", "--json"))) == ["vault/Crane.md", "vault/Oak.md"]
    assert documents(asof("search", "crane", "--tag", "#yard", "--json")) == ["vault/Crane.md"]


def test_several_sources_and_into(asof, here, write):
    write("one/a.md", "a crane")
    write("two/b.md", "an oak")
    write("c.txt", "a willow")
    reports = asof("index", "one", "two", "c.txt", "--into", "kept", "--json").json()["sources"]
    assert [(report["source"], report["added"]) for report in reports] == [
        ("one", 1),
        ("two", 1),
        ("c.txt", 1),
    ]
    assert (here / "kept/.asof/corpus.db").is_file()
    assert not (here / ".asof").exists()
    assert len(documents(asof("search", "willow", "--index", "kept", "--json"))) == 1
    assert len(documents(asof("search", "willow", "--index", "kept/.asof", "--json"))) == 1


def test_into_names_the_folder_or_its_index(asof, here, write):
    write("a.md", "a crane")
    asof("index", "a.md", "--into", "kept/.asof")
    assert (here / "kept/.asof/corpus.db").is_file()


def commit(folder: Path, day: str) -> None:
    when = {"GIT_AUTHOR_DATE": f"{day}T12:00:00Z", "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for words in (["add", "-A"], [*who, "commit", "-q", "-m", day]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, env={**os.environ, **when})


def test_the_history_of_a_git_repository(asof, here, write):
    write("docs/fare.md", "The fare is four euros.\n")
    write("docs/gone.md", "Tickets are sold on the pier.\n")
    subprocess.run(["git", "init", "-q", str(here / "docs")], check=True)
    commit(here / "docs", "2020-03-01")
    write("docs/fare.md", "The fare is five euros.\n")
    (here / "docs/gone.md").unlink()
    commit(here / "docs", "2021-03-01")
    assert asof("index", "docs", "--history").code == 0

    def texts(question: str, date: str) -> list[str]:
        return [
            hit["text"].strip() for hit in asof("search", question, "--as-of", date, "--json").json()["hits"]
        ]

    assert texts("fare", "2019") == []
    assert texts("fare", "2020-06") == ["The fare is four euros."]
    assert texts("fare", "2021-06") == ["The fare is five euros."]
    assert texts("pier", "2020-06") == ["Tickets are sold on the pier."]
    assert texts("pier", "2021-06") == []


SETTINGS = [
    (["--language", "de"], "--language: this corpus was made with en, not de"),
]


@pytest.mark.parametrize(("options", "message"), SETTINGS)
def test_other_settings_are_refused(asof, notes, options, message):
    result = asof("index", "notes", *options)
    assert result.code == 2
    assert message in result.err
    assert "--index" in result.err


def test_the_same_settings_are_not(asof, notes):
    assert asof("index", "notes", "--language", "en").code == 0


@pytest.mark.parametrize(
    ("options", "accepted"),
    [(["--language", "xx"], "en")],
)
def test_bad_settings_make_no_corpus(asof, here, write, options, accepted):
    write("a.md", "a crane")
    result = asof("index", "a.md", *options)
    assert result.code == 2
    assert options[0] in result.err
    assert accepted in result.err
    assert len(result.err.splitlines()) == 1
    assert not (here / ".asof").exists()


def test_settings_of_a_new_corpus(asof, here, write):
    write("a.md", "Die Häfen und der Hafen.")
    write("asof.toml", '[index]\nchunking = "50w"\nundated = "always"\n')
    asof("index", "a.md", "--language", "de, en")
    settings = asof("status", "--json").json()["settings"]
    assert settings["languages"] == ["de", "en"]
    assert (settings["chunking"], settings["undated"]) == ("50w", "always")


def test_asof_toml_that_comes_too_late_is_said(asof, notes, write):
    write("asof.toml", '[index]\nchunking = "50w"\n')
    result = asof("index", "notes")
    assert result.code == 0
    assert "says chunking = 50w; this corpus was made with 120w, which stays" in result.err


def test_problems_have_place_and_remedy_and_code_3(asof, here, write):
    write("lines.jsonl", json.dumps(LINES[0]) + "\n{not json\n" + json.dumps(LINES[1]) + "\n")
    result = asof("index", "lines.jsonl")
    assert result.code == 3
    assert "2 added, 1 failed" in result.out
    assert "  lines.jsonl:2: " in result.err
    result = asof("index", "lines.jsonl", "--json")
    (report,) = result.json()["sources"]
    assert (result.code, result.err) == (3, "")
    (problem,) = report["problems"]
    assert (problem["file"], problem["line"], problem["lost"]) == ("lines.jsonl", 2, True)


def test_a_problem_that_loses_nothing_is_no_failure(asof, here, write):
    write("notes/a.md", "---\ndate: nonsense\n---\nA crane.\n")
    result = asof("index", "notes")
    assert result.code == 0
    assert "notes/a.md:2: 'date' cannot be read: 'nonsense' is not a time" in result.err


def test_many_problems_are_counted(asof, here, write):
    write("alike.jsonl", "{not json\n" * 30)
    result = asof("index", "alike.jsonl")
    assert result.code == 3
    line, left = result.err.splitlines()
    assert left == "nothing was indexed, and no index is left behind"
    assert line.startswith("  alike.jsonl:1: ")
    assert line.endswith(" [and 29 more like this: --json lists them]")
    for number in range(30):
        write(f"notes/{number}.md", f"---\ndate: bad {number}\n---\nA crane.\n")
    result = asof("index", "notes")
    assert len(result.err.splitlines()) == 21  # twenty of them, and how many more there are
    assert "more problems: --json lists them all" in result.err


def test_the_index_is_never_indexed(asof, here, notes):
    for source in (".", here, here.parent):
        report = asof("index", source, "--into", here, "--json").json()["sources"][0]
        assert report["added"] == 0 or source == here.parent
    assert not [name for name in documents(asof("search", "crane", "--json")) if ".asof" in name]
    for source in (".asof", ".asof/corpus.db"):
        result = asof("index", source)
        assert result.code == 2
        assert "index itself" in result.err


def test_the_folder_of_the_corpus_itself(asof, here, write):
    write("deep/a.md", "a crane")
    assert asof("index", ".").code == 0
    assert documents(asof("search", "crane", "--json")) == ["deep/a.md"]


def test_nested_corpora_the_nearest_one_answers(asof, here, write, monkeypatch):
    write("a.md", "an outer crane")
    write("sub/b.md", "an inner crane")
    asof("index", ".")
    monkeypatch.chdir(here / "sub")
    assert len(documents(asof("search", "crane", "--json"))) == 2  # the parent's
    asof("index", ".", "--into", ".")
    assert documents(asof("search", "crane", "--json")) == ["b.md"]


def test_nothing_is_made_for_a_source_that_is_not_there(asof, here, write):
    write("a.md", "a crane")
    result = asof("index", "a.md", "nowhere")
    assert result.code == 2
    assert result.err.startswith("asof: nowhere does not exist; accepted are a folder")
    assert not (here / ".asof").exists()


def test_a_folder_without_anything_to_read(asof, here, write):
    write("pictures/a.png", "")
    result = asof("index", "pictures")
    assert result.code == 1
    assert "pictures: nothing to read in " in result.out
    assert "1 .png file is not read" in result.err


def test_a_folder_that_was_emptied_ends_nothing_unless_told(asof, notes):
    for file in notes.rglob("*.md"):
        file.unlink()
    result = asof("index", "notes")
    assert result.code == 2
    assert "nothing was removed" in result.err
    assert "--yes" in result.err
    assert asof("search", "crane").code == 0
    result = asof("index", "notes", "--yes")
    assert (result.code, "3 removed" in result.out) == (0, True)
    assert asof("search", "crane").code == 1
    assert asof("search", "crane", "--as-of", "2022-06").code == 0


def test_a_long_line_is_no_matter(asof, here):
    (here / "long.txt").write_text("crane word " * 100_000)
    assert asof("index", "long.txt").code == 0
    result = asof("search", "crane", "-k", "1")
    assert len(result.out) < 600
