"""`asof tune`: what it prints; it writes nothing."""

from __future__ import annotations

import json
import re

import pytest
from tests.support.json_schema import against

from asof.extensions.lab import tuning

STREETS = (
    "Alder", "Birch", "Cedar", "Damson", "Elder", "Gorse", "Hazel", "Juniper", "Kerria", "Larch", "Maple",
    "Nettle", "Olive", "Poplar", "Quince", "Rowan", "Sorrel", "Thistle", "Vetch", "Willow",
)  # fmt: skip


@pytest.fixture
def town(write, here, monkeypatch):
    """For each street an old report that is right, and a note of yesterday that leads as long as freshness
    weighs as much as it does."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
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
    write("asof.toml", '[index]\nencoder = "hashed"\n')
    monkeypatch.setattr(tuning, "FOLDS", 2)
    monkeypatch.setattr(tuning, "TRIALS", 100)
    return ["town", "--recipe", "papers"]


def test_a_gain_is_printed_as_lines_to_paste(asof, town, here, write):
    result = asof("tune", *town)
    assert result.code == 0
    assert result.err == ""
    assert "papers on town: 20 questions" in result.out
    assert re.search(r"nDCG@10 \.631; fitted \S+ \(\+\.\d+\); held out \S+ \(\+\.\d+, 95% \+", result.out)
    assert sorted(each.name for each in here.iterdir()) == ["asof.toml", "cache", "town"]
    lines = result.out.partition("paste into asof.toml\n")[2]
    assert lines.startswith("[recipes.papers]\n")
    before = asof("recipes", "papers").out
    write("asof.toml", f'[index]\nencoder = "hashed"\n{lines}')
    assert asof("recipes", "papers").out != before


def test_json_keeps_its_schema(asof, town):
    result = asof("tune", *town, "--json")
    assert result.code == 0
    value = result.json()
    assert against("tune", value) == []
    assert value["gain"]
    assert value["lines"].startswith("[recipes.papers]\n")


def test_no_gain_prints_nothing_to_paste(asof, town, write):
    # the new notes are right now: the published weights find them already
    write("town/qrels.tsv", "".join(f"q{at}\tnew-{at}\t1\n" for at in range(len(STREETS))))
    result = asof("tune", *town)
    assert result.code == 1
    assert "No gain: " in result.out
    assert "[recipes" not in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'DATASET'"),
        (["nowhere", "--recipe", "papers"], "nowhere is no folder"),
        (["town", "--recipe", "paper"], "did you mean papers?"),
        (["town", "--recipe", "dense"], "recipe dense declares no numbers that can be tuned"),
    ],
)
def test_wrong_usage_is_one_line(asof, town, arguments, message):
    result = asof("tune", *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
