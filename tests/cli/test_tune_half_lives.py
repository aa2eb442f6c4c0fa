"""`asof tune --half-lives`: what it prints, what it writes, and what it leaves alone."""

from __future__ import annotations

import json

import pytest
from tests.support.half_lives_town import ASKED, STREETS, documents, question
from tests.support.json_schema import against

from asof import config
from asof.schema import plain


@pytest.fixture
def town(write):
    questions = [
        {"id": f"q{at}", "text": question(each), "asked_at": ASKED} for at, each in enumerate(STREETS)
    ]
    for name, values in (("corpus", documents()), ("queries", questions)):
        write(f"town/{name}.jsonl", "".join(f"{json.dumps(value)}\n" for value in values))
    write("town/qrels.tsv", "".join(f"q{at}\told-{at}\t1\n" for at in range(len(STREETS))))
    return [
        "--half-lives", "town", "--recipe", "papers", "--encoder", "hashed", "--folds", "2",
        "--cache", "cache",
    ]  # fmt: skip


def test_judged_written_and_taken_back(asof, town, here, write):
    write("asof.toml", "# of the town\n[search]\nk = 3\n")
    before = (here / "asof.toml").read_bytes()
    result = asof("tune", *town, "--json")
    assert (result.code, result.err) == (0, "")
    value = result.json()
    assert against("tune-half-lives", value) == []
    assert (value["judged"]["worse"], value["written"]) == (False, None)
    assert (here / "asof.toml").read_bytes() == before
    result = asof("tune", *town, "--write")
    assert result.code == 0
    assert "ndcg@10 .631 -> 1.000 on questions it did not see" in result.out
    assert "+[recipes.papers]" in result.out
    assert "asof tune --undo" in result.out
    written = config.load(here / "asof.toml").recipe_named("papers")
    assert plain(dict(written.fields())["freshness.half_lives"]) == value["values"]["freshness.half_lives"]
    again = asof("tune", *town, "--write")
    assert "the recipe has these half-lives already" in again.err
    assert asof("tune", "--undo").code == 0
    assert (here / "asof.toml").read_bytes() == before


def test_worse_is_not_written(asof, town, here, write):
    write("town/qrels.tsv", "".join(f"q{at}\tnew-{at}\t1\n" for at in range(len(STREETS))))
    result = asof("tune", *town, "--write")
    assert result.code == 1
    assert "worse, so nothing is proposed" in result.out
    assert "--anyway writes them all the same" in result.err
    assert not (here / "asof.toml").exists()
    assert asof("tune", *town, "--write", "--anyway").code == 0
    assert "freshness.half_lives" in (here / "asof.toml").read_text()


def test_of_a_corpus_without_questions(asof, town, here):
    assert asof("index", "town/corpus.jsonl").code == 0
    result = asof("tune", "--half-lives", "--recipe", "twe", "--write")
    assert result.code == 1
    assert "80 dated passages" in result.out or "100 dated passages" in result.out
    assert "not judged: give DATASET or --feedback" in result.out
    assert "they were not judged" in result.err
    assert not (here / "asof.toml").exists()
    assert against("tune-half-lives", asof("tune", "--half-lives", "--json").json()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--recipe", "tgrag"), "recipe tgrag goes by no age"),
        (("--field", "decay.delta"), "--half-lives has none"),
        (("--by", "lcb"), "--by is about numbers that are fitted"),
        (("--evaluations", "50"), "--evaluations is about numbers that are fitted"),
        (("--folds", "4"), "--folds is about judging: give DATASET or --feedback"),
        (("--anyway",), "--anyway goes with --write"),
        (("--undo",), "--undo goes alone"),
        (("--limit", "30"), "--limit is about questions: give DATASET or --feedback"),
        (("--group", "kind"), "--group is about datasets: give DATASET"),
        (("--feedback",), "0 judged questions"),
    ],
)
def test_what_is_refused(asof, notes, arguments, message):
    result = asof("tune", "--half-lives", *arguments)
    assert result.code == 2
    assert message in result.err


def test_a_corpus_in_which_nothing_differs(asof, notes):
    result = asof("tune", "--half-lives")
    assert result.code == 1
    assert "No source, tag or folder is outdated faster or slower than the rest." in result.out
