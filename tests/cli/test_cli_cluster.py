"""`asof cluster`, and the other commands on a corpus in shards or at a URL."""

from __future__ import annotations

import pytest
from tests.support.json_schema import against

from asof.store.shard_layout import shard_of


@pytest.fixture
def url(here, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(here.parent / "cache"))
    return (here.parent / "bucket").as_uri()


@pytest.fixture
def texts(write):
    for number in range(9):
        write(
            f"notes/n{number}.md",
            f"---\ndate: 2020-01-0{number + 1}\n---\n# Note {number}\nA crane {number}.\n",
        )


def test_shards_of_a_folder(asof, here, texts):
    made = asof("index", "notes", "--shards", "3")
    assert (made.code, "new index in .asof, in 3 shards" in made.out) == (0, True)
    assert "9 unchanged" in asof("index", "notes").out
    assert "documents  9, and 0 removed" in asof("status", "--check").out
    assert asof("correct", "note 3", "--published", "2019-05").code == 0
    assert asof("purge", "notes/n4.md", "--yes").out.startswith("notes/n4.md: erased, 1 passage")
    assert asof("vacuum", "--before", "2018", "--yes").code == 0
    assert asof("export", "all.jsonl").out.startswith("all.jsonl: 8 documents, 8 versions")
    shown = asof("cluster", "status")
    held = [0, 0, 0]
    for number in {*range(9)} - {4}:
        held[shard_of(f"notes/n{number}.md", 3)] += 1
    assert [line.split(",")[0].split() for line in shown.out.splitlines() if "shard " in line] == [
        ["shard", str(at), str(count), "documents"] for at, count in enumerate(held)
    ]
    found = asof("cluster", "status", "--json").json()
    assert against("cluster-status", found) == []
    assert (found["documents"], found["storage"], found["partial"]) == (8, None, None)
    assert asof("cluster", "grow", "--shards", "5").out == "5 shards\n"
    assert len(asof("cluster", "status", "--json").json()["shards"]) == 5
    assert asof("export", "again.jsonl").code == 0
    assert sorted((here / "again.jsonl").read_text().splitlines()[:-1]) == sorted(
        (here / "all.jsonl").read_text().splitlines()[:-1]
    )


def test_a_corpus_in_one_piece_grows(asof, notes):
    before = asof("status", "--json").json()
    assert len(asof("cluster", "status", "--json").json()["shards"]) == 1
    assert asof("cluster", "grow", "--shards", "2").code == 0
    after = asof("status", "--json").json()
    kept = ("documents", "versions", "passages", "current_passages", "dated_by", "sources", "transactions")
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}


@pytest.mark.parametrize(
    "command",
    [["stale"], ["embed", "--none"], ["feedback"], ["papers", "crane"]],
    ids=lambda command: command[0],
)
def test_what_needs_one_piece_says_so(asof, here, texts, command):
    assert asof("index", "notes", "--shards", "2").code == 0
    refused = asof(*command)
    assert (refused.code, refused.out) == (2, "")
    assert "in one piece only (" in refused.err


@pytest.mark.parametrize(
    "command",
    [["search", "crane"], ["ask", "What is a crane?"], ["facts", "crane"], ["graph", "--around", "crane"],
     ["report", "2020"], ["timeline", "crane"], ["links", "n1"], ["why-not", "n1", "crane", "-k", "2"],
     ["open", "n1", "--print"]],
    ids=lambda command: command[0],
)  # fmt: skip
def test_what_shards_answer_as_one_corpus(asof, here, texts, command):
    assert asof("index", "notes").code == 0
    one = asof(*command, "--as-of", "2025")
    assert asof("cluster", "grow", "--shards", "2").code == 0
    sharded = asof(*command, "--as-of", "2025")
    assert (sharded.code, sharded.out, sharded.err) == (one.code, one.out, one.err)


def test_a_difference_is_that_of_one_corpus(asof, here, texts):
    assert asof("index", "notes").code == 0
    one = asof("diff", "crane", "2019", "2020-01-05", "--json").json()
    assert one["changes"]
    assert asof("cluster", "grow", "--shards", "2").code == 0
    assert asof("diff", "crane", "2019", "2020-01-05", "--json").json()["changes"] == one["changes"]


def test_a_corpus_at_a_url(asof, here, texts, url):
    assert asof("status", "--index", url).err.startswith("asof: no corpus at file:")
    made = asof("index", "notes", "--index", url, "--shards", "2")
    assert (made.code, f"new index at {url}, in 2 shards" in made.out) == (0, True)
    assert not (here / ".asof").exists()
    again = asof("index", "notes", "--index", url)
    assert "9 unchanged" in again.out
    assert again.err.count("takes the place of") == 1
    assert asof("purge", "n4", "--yes", "--index", url).code == 0
    assert "documents  8" in asof("status", "--index", url).out
    found = asof("cluster", "status", "--index", url, "--json").json()
    assert against("cluster-status", found) == []
    assert (found["documents"], found["storage"]["behind"]) == (8, 0)
    assert [shard["here"] for shard in found["shards"]] == [True, True]
    assert asof("index", "notes", "--index", url, "--shards", "3").code == 2
    assert asof("cluster", "grow", "--index", url, "--shards", "4").code == 0
    found = asof("cluster", "status", "--index", url, "--json").json()
    assert [shard["here"] for shard in found["shards"]] == [False] * 4
    assert "documents  8" in asof("status", "--index", url).out
    assert "nothing was fetched" not in asof("cluster", "status", "--index", url).out


def test_backup_restore_and_vacuum(asof, texts, url):
    other = f"{url}-copy"
    asof("index", "notes", "--index", url)
    first = asof("cluster", "status", "--index", url, "--json").json()["storage"]["state"]
    copied = asof("cluster", "backup", other, "--index", url, "--json").json()
    assert against("cluster-backup", copied) == []
    assert copied["state"] == first
    asof("index", "notes/n1.md", "--index", url)
    assert asof("search", "crane", "--index", other, "--json").json()["hits"]
    restored = asof("cluster", "restore", str(first), "--yes", "--index", url)
    assert restored.code == 0
    assert f"is what {first} was" in restored.out
    removed = asof("cluster", "vacuum", "--index", url, "--json")
    assert against("cluster-vacuum", removed.json()) == []
    assert asof("vacuum", "--storage", "--index", url).out.startswith("removed: 0 old states")
    for command in (["backup", other], ["restore", "1", "--yes"], ["vacuum"]):
        refused = asof("cluster", *command)
        assert refused.code == 2
        assert "works on a corpus at a URL" in refused.err
    assert "either --before T or --storage" in asof("vacuum", "--storage", "--before", "2020").err


def test_a_first_run_of_shards_that_indexes_nothing_leaves_nothing(asof, here):
    (here / "empty").mkdir()
    assert asof("index", "empty", "--shards", "2").code == 1
    assert not (here / ".asof").exists()
