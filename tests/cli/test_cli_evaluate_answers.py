"""`asof evaluate --answers` and its options, from the command line."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.support.json_schema import against

DOCUMENTS = [
    {"id": "s1", "text": "The bakery sold 1,204 loaves in May 2001.", "timestamp": "2001-06-01", "part": "A"},
    {
        "id": "s2",
        "text": "The bakery sold 990 loaves in July 2001.",
        "timestamp": "2001-08-01",
        "part": "New",
    },
]
LOAVES = "How many loaves did the bakery sell in"
QUESTIONS = [
    {"id": "may", "text": f"{LOAVES} May 2001?", "type": "one", "answer": "1,204", "hops": 1},
    {"id": "july", "text": f"{LOAVES} July 2001?", "type": "one", "answer": "990", "hops": 2},
    {"id": "moon", "text": "Who [first] walked on the moon?", "type": "two", "answer": "unanswerable"},
]
EVIDENCE = [{"query_id": "may", "doc_id": "s1", "sentence": DOCUMENTS[0]["text"]}]
MODEL = '[model]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n'


@pytest.fixture
def shop(write, here, monkeypatch):
    """A dataset, and the options that every command here needs."""

    def lines(values):
        return "".join(f"{json.dumps(value)}\n" for value in values)

    write("shop/corpus.jsonl", lines(DOCUMENTS))
    write("shop/queries.jsonl", lines(QUESTIONS))
    write("shop/qrels.tsv", "may\ts1\t1\njuly\ts2\t1\n")
    write("shop/evidence.jsonl", lines(EVIDENCE))
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    return ["shop"]


def test_a_table_of_answers(asof, shop):
    result = asof("evaluate", *shop, "--answers", "quotes", "--by", "hops", "--per-query")
    assert (result.code, result.err) == (0, "")
    assert "answers: 3 questions, 2 of them answerable" in result.out
    assert re.search(r"^ +answer +answer +refused when +answered ", result.out, re.MULTILINE)
    assert "by type (n: questions, below it those that are answerable)" in result.out
    assert re.search(r"^two +1 ", result.out, re.MULTILINE)
    assert "by hops" in result.out
    assert "Who [first] walked on the moon?\n  right: (unanswerable) unanswerable" in result.out
    assert (
        max(len(line.rstrip()) for line in result.out.splitlines() if not line.startswith("  asof:")) <= 100
    )


def test_rankings_by_a_field(asof, shop):
    """Each of the two judged questions has a row: may has 1 hop, july 2; both documents lead."""
    result = asof("evaluate", *shop, "--by", "hops")
    assert (result.code, result.err) == (0, "")
    assert "by hops (n: questions)" in result.out
    assert re.search(r"^1 +1 +1\.000", result.out, re.MULTILINE)
    groups = asof("evaluate", *shop, "--by", "hops", "--json").json()["runs"][0]["groups"]
    assert [(each["value"], each["questions"], each["metrics"]["success@1"]["value"]) for each in groups] == [
        ("1", 1, 1.0), ("2", 1, 1.0),
    ]  # fmt: skip


def test_no_table_of_one_row(asof, shop, here):
    """All questions have one type: the figures of the type are those of the whole."""
    text = (here / "shop" / "queries.jsonl").read_text()
    (here / "shop" / "queries.jsonl").write_text(text.replace('"two"', '"one"'))
    result = asof("evaluate", *shop, "--answers", "quotes")
    assert "answers: 3 questions" in result.out
    assert "by type" not in result.out


def test_answers_without_any_judgement(asof, shop, write):
    """Nothing is ranked then; without `answerable` no question can be answered from these documents."""
    write("shop/qrels.tsv", "may\ts1\t0\n")
    result = asof("evaluate", *shop, "--answers", "quotes")
    assert result.code == 0
    assert result.out.startswith("shop: 0 questions · 2 documents\n")
    assert "answers: 3 questions, 0 of them answerable" in result.out


@pytest.mark.parametrize(
    "options", [[], ["--per-query", "--by", "hops"], ["--recipe", "asof", "--recipe", "twe"]]
)
def test_the_json_of_answers_keeps_its_schema(asof, shop, options):
    result = asof("evaluate", *shop, "--answers", "quotes", "--json", *options)
    assert result.code == 0
    assert against("evaluate", result.json()) == []
    answers = result.json()["answers"]
    assert (answers["questions"], answers["answerable"], answers["judge"]) == (3, 2, None)
    assert answers["runs"][0]["metrics"]["refused_when_answerable"]["value"] in (0, 0.5, 1)
    assert answers["runs"][0]["metrics"]["correct"] is None


def test_without_answers_there_are_none(asof, shop):
    assert asof("evaluate", *shop, "--json").json()["answers"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--answers", "quotes", "--by", "colour"], "--by colour: no question has this field; there are: "),
        (["--judge"], "--judge is about answers"),
        (["--answers", "quotes", "--judge"], "--judge: no language model is named: see [model] in asof.toml"),
        (["--answers", "model"], "--answers model: no language model is named"),
    ],
)
def test_wrong_usage_of_answers_is_one_line(asof, shop, options, message):
    result = asof("evaluate", *shop, *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_leakage_is_checked_without_a_model(asof, shop, users):
    users(MODEL)
    result = asof("evaluate", *shop, "--answers", "model", "--leakage", "1")
    assert result.code == 2
    assert "check it with --answers quotes" in result.err


@pytest.mark.parametrize("option", [("quotes", "--judge"), ("model",)])
def test_a_missing_extra_is_one_line_before_anything_is_indexed(asof, shop, users, monkeypatch, option):
    users('[model]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    for name in ("openai", "pydantic"):
        monkeypatch.setitem(sys.modules, name, None)
    result = asof("evaluate", *shop, "--answers", *option)
    assert (result.code, result.out) == (2, "")
    assert result.err == "asof: a language model needs pydantic and openai: pip install 'asof-search[llm]'\n"
