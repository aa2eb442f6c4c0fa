"""`asof tune`: what it prints, what it writes, and what it leaves alone."""

from __future__ import annotations

import json

import pytest
from tests.support.json_schema import against

STREETS = (
    "Alder", "Birch", "Cedar", "Damson", "Elder", "Gorse", "Hazel", "Juniper", "Kerria", "Larch", "Maple",
    "Nettle", "Olive", "Poplar", "Quince", "Rowan", "Sorrel", "Thistle", "Vetch", "Willow",
)  # fmt: skip
QUICK = (
    "--recipe",
    "papers",
    "--by",
    "coordinates",
    "--folds",
    "2",
    "--evaluations",
    "40",
    "--cache",
    "cache",
)


@pytest.fixture
def town(write):
    """For each street an old report that is right, and a note of yesterday that leads as long as freshness
    weighs as much as it does."""
    documents, questions, judged = [], [], []
    for at, street in enumerate(STREETS):
        asked = f"{street}lamp {street}wick {street}oil"
        noted = f"{street}lamp {street}wick and plums"
        documents.append({"id": f"old-{at}", "timestamp": "2021-03-01", "text": asked})
        documents.append({"id": f"new-{at}", "timestamp": "2024-01-30", "text": noted})
        questions.append({"id": f"q{at}", "text": asked, "asked_at": "2024-01-31"})
        judged.append(f"q{at}\told-{at}\t1\n")
    for name, values in (("corpus", documents), ("queries", questions)):
        write(f"town/{name}.jsonl", "".join(f"{json.dumps(value)}\n" for value in values))
    write("town/qrels.tsv", "".join(judged))
    return ["town", "--encoder", "hashed", *QUICK]


def test_a_gain_is_told_and_nothing_is_written(asof, town, here):
    result = asof("tune", *town)
    assert result.code == 0
    assert result.err == ""
    assert "papers on town: 20 questions of 20 kinds" in result.out
    assert "combine.weights.freshness" in result.out
    assert "ndcg@10 .631 -> 1.000 on questions it did not see (+.369" in result.out
    assert sorted(each.name for each in here.iterdir()) == ["cache", "town"]


def test_json_keeps_its_schema(asof, town):
    result = asof("tune", *town, "--json")
    assert result.code == 0
    value = result.json()
    assert against("tune", value) == []
    assert value["gain"]
    assert value["written"] is None


def test_written_read_and_taken_back(asof, town, here, write):
    write("asof.toml", "# of the town\n[search]\nk = 3\n")
    before = (here / "asof.toml").read_bytes()
    result = asof("tune", *town, "--write")
    assert result.code == 0
    assert "+[recipes.papers]" in result.out
    assert "asof tune --undo" in result.out
    after = asof("recipes", "papers", "--json").json()
    assert (here / "asof.toml").read_text().startswith("# of the town\n[search]\nk = 3\n")
    assert after
    result = asof("tune", "--undo", "--json")
    assert result.code == 0
    assert against("tune-undo", result.json()) == []
    assert (here / "asof.toml").read_bytes() == before
    again = asof("tune", "--undo")
    assert again.code == 2
    assert "nothing can be undone" in again.err


def test_no_gain_is_not_written_unless_it_is_wanted_anyway(asof, town, here, write):
    # the new notes are right now: the published weights find them already
    write("town/qrels.tsv", "".join(f"q{at}\tnew-{at}\t1\n" for at in range(len(STREETS))))
    result = asof("tune", *town, "--write")
    assert result.code == 1
    assert "No gain: ndcg@10 1.000 -> 1.000" in result.out
    assert "--anyway writes the values all the same" in result.err
    assert not (here / "asof.toml").exists()
    result = asof("tune", *town, "--field", "freshness.rate=0.01..0.1", "--write", "--anyway", "--json")
    assert result.code == 1
    assert result.json()["written"] is None
    assert "the recipe has these values already" in result.err  # the start is as good as anything
    assert not (here / "asof.toml").exists()


def test_feedback_below_twenty_questions_is_refused(asof, notes):
    result = asof("tune", "--feedback", "--recipe", "papers")
    assert result.code == 2
    assert "0 judged questions of recipe papers" in result.err
    assert "asof search --record" in result.err


@pytest.mark.slow
def test_what_was_said_of_hits_is_learned_from(asof, here, town):
    write = here / "asof.toml"
    write.write_text('[index]\nencoder = "hashed"\n', encoding="utf-8")
    (here / "corpus").mkdir()
    assert asof("index", "town/corpus.jsonl").code == 0
    for at, street in enumerate(STREETS):
        asked = f"{street}lamp {street}wick {street}oil"
        found = asof(
            "search", asked, "--recipe", "papers", "-k", "4", "--as-of", "2024-01-31", "--record", "--json"
        )
        query = found.json()["recorded"]
        assert asof("feedback", query, f"old-{at}", "3").code == 0
        assert asof("feedback", query, f"new-{at}", "0").code == 0
    result = asof("tune", "--feedback", *QUICK[:-2], "--field", "combine.weights.similarity",
                "--field", "combine.weights.freshness", "--json")  # fmt: skip
    assert result.code == 0, result.err
    assert result.json()["material"] == "feedback"
    assert result.json()["values"]["combine.weights.freshness"] < 0.25


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "give either DATASET or --feedback"),
        (["town", "--feedback"], "give either DATASET or --feedback"),
        (["town", "--anyway"], "--anyway goes with --write"),
        (["--undo", "--feedback"], "--undo goes alone"),
        (["--feedback", "--group", "town"], "--group is about datasets"),
        (["town", "--metric", "map"], "accepted: ndcg@K"),
        (["town", "--field", "nothing"], "has no number nothing"),
        (["nowhere", "--recipe", "papers"], "nowhere is no folder"),
        (["town", "--recipe", "paper"], "did you mean papers?"),
    ],
)
def test_wrong_usage_is_one_line(asof, town, arguments, told):
    result = asof("tune", *arguments)
    assert result.code == 2
    assert told in result.err
    assert result.err.count("\n") == 1


def test_help_loads_nothing_heavy(asof):
    result = asof("tune", "--help")
    assert result.code == 0
    assert "--undo" in result.out
