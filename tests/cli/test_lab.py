"""`asof evaluate` and `experiment`: tables, JSON, exit codes, one line for what is wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import against

from asof.extensions.lab.published import EXPERIMENTS
from asof.index.segment import Prefix
from asof.time.span import NEVER

from .conftest import jsonl

# -- evaluate ----------------------------------------------------------------------------------------------

MAYORS = [
    {"id": f"m{n}", "title": "Mayor", "text": f"{name} is mayor of Brill.", "timestamp": f"{year}-05-01",
     "town": "Brill"}
    for n, name, year in ((1, "Ann", 2001), (2, "Bob", 2005))
]  # fmt: skip
ASKED = [
    {"id": "q1", "text": "mayor of [Brill]", "asked_at": "2002", "type": "a", "town": "Brill"},
    {"id": "q2", "text": "mayor of [Brill]", "asked_at": "2006", "type": "b", "town": "Brill"},
    {"id": "q3", "text": "nobody knows", "asked_at": "2006", "type": "b"},
]


@pytest.fixture
def mayors(dataset, write):
    dataset("mayors", MAYORS, ASKED, [("q1", "m1", 1), ("q2", "m1", 1)])
    sentence = {"query_id": "q1", "doc_id": "m1", "sentence": "Ann is mayor of Brill."}
    write("mayors/evidence.jsonl", jsonl([sentence]))
    return ["mayors"]


def test_a_table_for_a_reader(asof, mayors):
    result = asof("evaluate", *mayors, "--leakage", "2", "--filter-by", "town")
    assert (result.code, result.err) == (0, "")
    assert "mayors: 2 questions as of 2002-12-31 to 2006-12-31 · 2 documents" in result.out
    assert "\nasof as published\n" in result.out
    assert re.search(r"^asof +\.500 +1\.000", result.out, re.MULTILINE)  # success@1: in 2006 it is Bob
    assert re.search(r"recall +recall +recall", result.out)
    assert "evidence" in result.out
    assert "leakage: none (2 questions, 2 corpora cut where they were asked" in result.out
    assert "note: 1 of 3 questions has no relevant document: left out" in result.out


def test_two_recipes_are_set_against_each_other_question_by_question(asof, mayors):
    result = asof("evaluate", *mayors, "--recipe", "asof", "--recipe", "asof")
    assert result.code == 0
    assert "against asof" in result.out
    assert re.search(r"^asof-2 +\+\.000 ", result.out, re.MULTILINE)
    assert "p=1.000" in result.out
    assert max(len(line.rstrip()) for line in result.out.splitlines()) <= 100, "a page is as wide"
    assert "by type (n: questions)" in result.out
    assert re.search(r"^b, asof-2 +1 +\.000 ", result.out, re.MULTILINE)


def test_the_dataset_of_the_guide(asof, dataset, write):
    """Its files are written as they stand there."""
    page = (Path(__file__).parents[2] / "docs/guides/evaluate.md").read_text("utf-8")
    files = re.findall(r"^`(library/[\w.]+)`[^\n]*:\n\n```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(files) == 3
    for name, text in files:
        write(name, text)
    for options in ((), ("--answers", "quotes", "--leakage", "3")):
        found = asof("evaluate", "library", "--json", *options)
        assert found.code == 0, found.err
        assert found.json()["runs"][0]["metrics"]["success@1"]["value"] == 1.0
    assert found.json()["leakage"]["clean"]
    assert found.json()["answers"]["runs"][0]["metrics"]["answer@1"]["value"] == 1.0


@pytest.mark.parametrize("options", [[], ["--leakage", "1"], ["--recipe", "asof", "--recipe", "asof"]])
def test_the_json_keeps_its_schema(asof, mayors, options):
    result = asof("evaluate", *mayors, "--json", *options)
    assert (result.code, against("evaluate", result.json())) == (0, [])
    assert result.json()["answers"] is None


def test_what_the_json_says_and_a_bad_line(asof, mayors):
    for name, line in (("queries.jsonl", "{\n"), ("qrels.tsv", "q1 m1 1\n")):
        with Path("mayors", name).open("a") as file:
            file.write(line)
    result = asof("evaluate", *mayors)
    assert result.code == 3
    assert "qrels.tsv:3: the line has 1 columns; query, document and a whole number" in result.err
    result = asof("evaluate", *mayors, "--json")
    assert result.code == 3
    found = result.json()
    (run,) = found["runs"]
    assert run["metrics"]["success@1"]["value"] == 0.5
    assert run["metrics"]["evidence@4000"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert (found["questions"], found["options"]["limit"]) == (2, None)
    assert run["fields"]["lexical.k1"] == 1.2
    assert found["leakage"] is None
    assert found["problems"][0]["line"] == 4


def test_a_leak_makes_code_1(asof, mayors, monkeypatch):
    right = Prefix.of.__func__  # type: ignore[attr-defined]

    def wrong(cls, segments, as_of, known_at=NEVER, *, past=False):
        made = right(cls, segments, as_of, known_at, past=past)
        made.n = sum(segment.n for segment in segments)
        return made

    monkeypatch.setattr(Prefix, "of", classmethod(wrong))
    result = asof("evaluate", *mayors, "--leakage", "1")
    assert result.code == 1
    assert "leakage: 1 differences (1 questions, 1 corpora cut where they were asked)" in result.out
    assert "asof, question q1 as of 2002-12-31: " in result.out
    found = asof("evaluate", *mayors, "--leakage", "1", "--json")
    assert (found.code, against("evaluate", found.json())) == (1, [])
    assert found.json()["leakage"]["differences"][0]["query_id"] == "q1"


def test_corpora_are_kept(asof, mayors, here):
    for _ in range(2):
        assert asof("evaluate", *mayors).code == 0
        assert len(list((here / "cache" / "asof" / "evaluate").iterdir())) == 1
    assert asof("evaluate", *mayors, "--encoder", "hashed").code == 0
    assert len(list((here / "cache" / "asof" / "evaluate").iterdir())) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "asoff"], "no recipe 'asoff'; did you mean asof?"),
        (["--queries", "none.jsonl"], "--queries none.jsonl: no such file"),
        (["--encoder", "big"], "accepted: none, hashed, english, multilingual, configured"),
        (["--limit", "0"], "--limit"),
        (["--leakage", "-1"], "--leakage"),
        (["--answers", "model"], "--answers model: no language model is named"),
        (["--figures", "mayors/qrels.tsv"], "qrels.tsv: a folder for figures cannot be made"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line(refused, mayors, options, message):
    refused(["evaluate", *mayors, *options], message)


def test_asof_toml_of_the_folder_holds(asof, mayors, write):
    command = ("evaluate", *mayors, "--recipe", "twe")
    write("asof.toml", '[recipes.twe]\ndecay.tau_min = 365\n[index]\nchunking = "whole"\nstem = false\n')
    told = r"^twe as published, but for decay\.tau_min = 365\.0 \(asof\.toml\)$"
    assert re.search(told, asof(*command).out, re.MULTILINE)
    found = asof(*command, "--json").json()
    assert found["runs"][0]["fields"]["decay.tau_min"] == 365.0
    assert (found["options"]["chunking"], found["options"]["stem"]) == ("whole", False)


@pytest.mark.slow
def test_figures_are_drawn_beside_the_table(asof, mayors, here, monkeypatch):
    command = ("evaluate", *mayors, "--figures", "drawn")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", None)
        patch.delitem(sys.modules, "matplotlib.figure", raising=False)
        result = asof(*command)
        assert result.code == 2
        assert result.err.strip() == "asof: a figure needs matplotlib: install asof with its extra `lab`"
        assert not (here / "cache").exists()
    result = asof(*command, "--recipe", "twe")
    assert (result.code, result.err.strip()) == (0, "figures in drawn: metrics")
    assert {each.name for each in (here / "drawn").iterdir()} == {"metrics.csv", "metrics.png"}


# -- evaluate --answers ------------------------------------------------------------------------------------

SALES = [
    {"id": "s1", "text": "The bakery sold 1,204 loaves in May 2001.", "timestamp": "2001-06-01"},
    {"id": "s2", "text": "The bakery sold 990 loaves in July 2001.", "timestamp": "2001-08-01"},
]
LOAVES = "How many loaves did the bakery sell in"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "may", "text": f"{LOAVES} May 2001?", "type": "one", "answer": "1,204", "hops": 1},
    {"id": "july", "text": f"{LOAVES} July 2001?", "type": "one", "answer": "990", "hops": 2},
    {"id": "moon", "text": "Who [first] walked on the moon?", "type": "two", "answer": "unanswerable"},
]
MODEL = '[model]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n'


@pytest.fixture
def shop(dataset, write):
    dataset("shop", SALES, QUESTIONS, [("may", "s1", 1), ("july", "s2", 1)])
    sentence = {"query_id": "may", "doc_id": "s1", "sentence": SALES[0]["text"]}
    write("shop/evidence.jsonl", jsonl([sentence]))
    return ["evaluate", "shop"]


def test_a_table_of_answers(asof, shop):
    result = asof(*shop, "--answers", "quotes")
    assert (result.code, result.err) == (0, "")
    assert "answers: 3 questions, 2 of them answerable" in result.out
    assert re.search(r"^ +answer +answer +when ", result.out, re.MULTILINE)
    assert "by type (n: questions)" in result.out
    assert re.search(r"^two +1 ", result.out, re.MULTILINE)
    assert max(len(line.rstrip()) for line in result.out.splitlines()) <= 100
    groups = asof(*shop, "--json").json()["runs"][0]["groups"]
    assert [(each["type"], each["questions"], each["metrics"]["success@1"]["value"]) for each in groups] == [
        ("one", 2, 1.0)
    ]


def test_answers_without_any_judgement(asof, shop, write):
    """Nothing is ranked; without `answerable` no question can be answered from these documents then."""
    write("shop/qrels.tsv", "may\ts1\t0\n")
    result = asof(*shop, "--answers", "quotes")
    assert result.code == 0
    assert result.out.startswith("shop: 0 questions · 2 documents\n")
    assert "answers: 3 questions, 0 of them answerable" in result.out


@pytest.mark.parametrize("options", [[], ["--recipe", "asof", "--recipe", "twe"]])
def test_the_json_of_answers_keeps_its_schema(asof, shop, options):
    result = asof(*shop, "--answers", "quotes", "--json", *options)
    assert (result.code, against("evaluate", result.json())) == (0, [])
    answers = result.json()["answers"]
    assert (answers["questions"], answers["answerable"]) == (3, 2)
    assert answers["runs"][0]["metrics"]["refused_when_answerable"]["value"] in (0, 0.5, 1)


def test_a_model_is_refused_where_it_cannot_be_checked_or_asked(asof, refused, shop, users, monkeypatch):
    users(MODEL)
    refused([*shop, "--answers", "model", "--leakage", "1"], "check it with --answers quotes")
    for name in ("openai", "pydantic"):
        monkeypatch.setitem(sys.modules, name, None)
    extra = "asof: a language model needs pydantic: install asof with its extra `llm`\n"
    assert asof(*shop, "--answers", "model") == (2, "", extra)


# -- experiment --------------------------------------------------------------------------------------------


@pytest.fixture
def towns(dataset):
    found = [
        {"id": f"{town}{year}", "text": f"{name} is mayor of {town}.", "timestamp": f"{year}-01-01"}
        for town in ("Brill", "Thame")
        for year, name in ((2001, "Ann"), (2002, "Bob"))
    ]
    asked = [
        {"id": town, "text": f"current mayor of {town}", "type": "temporal"} for town in ("Brill", "Thame")
    ]
    dataset("towns", found, asked, [("Brill", "Brill2002", 1), ("Thame", "Thame2002", 1)])
    return ["towns"]


def test_all_are_listed_and_one_says_what_it_is(asof):
    result = asof("experiment")
    assert result.code == 0
    names = [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")]
    assert names == list(EXPERIMENTS)
    shown = asof("experiment", "twe/4.1").out
    assert "source: TWE-RAG, README section 4.1, table" in shown
    assert "Hybrid" in shown
    shown = " ".join(asof("experiment", "twe/4.3").out.split())
    assert "--set temporal=: types of the questions that are temporal" in shown
    assert "options: --limit, --queries, --filter-by" in shown
    assert "options: none that changes the table" in asof("experiment", "tgrag/VIII").out
    assert "options: " not in asof("experiment", "ragtriever/components").out


def test_both_tables_stand_side_by_side(asof, towns, here):
    result = asof("experiment", "twe/4.1", *towns, "--figures", "drawn")
    assert result.code == 0
    assert "towns: 2 questions" in result.out
    assert "paper" in result.out
    assert "latency_ms: best of the printed rows is BM25 only in" in result.out
    assert "how the paper is read" in result.out
    assert result.err.strip() == "figures in drawn: twe-4.1"
    assert (here / "drawn" / "twe-4.1.csv").is_file()
    found = asof("experiment", "twe/4.1", *towns, "--json").json()
    assert against("experiment", found) == []
    row, ours = found["rows"][0], found["rows"][0]["ours"]["recall@5"]
    assert (row["label"], row["paper"]["recall@5"]) == ("BM25 only", 0.68)
    assert 0 <= ours["low"] <= ours["high"]


def test_a_result_says_how_it_was_made(asof, towns):
    assert "\ntowns: 2 questions\n" in asof("experiment", "twe/4.2", *towns).out
    shown = asof("experiment", "twe/4.2", *towns, "--set", "decay=true").out
    assert "\ntowns: 2 questions, decay=True\n" in shown
    command = ("experiment", "ragtriever/components", *towns, "--encoder", "hashed", "--limit", "1",
               "--queries", "queries.jsonl")  # fmt: skip
    plain = asof(*command).out
    assert "towns: 1 question, limit 1, queries queries.jsonl, encoder hashed\n" in plain, plain
    found = asof(*command, "--json").json()
    assert found["options"] == {"limit": 1, "queries": "queries.jsonl", "encoder": "hashed"}
    assert against("experiment", found) == []


def test_what_cannot_be_run(refused, towns, write):
    refused(["experiment", "twe/4.1", *towns, "--set", "delta"], "name=value is expected")
    write("towns/qrels.tsv", "")
    refused(["experiment", "twe/4.1", *towns], "none of the 2 questions")
