"""`asof evaluate`: tables, JSON, exit codes, one line for what is wrong."""

from __future__ import annotations

import json
import re

import pytest
from tests.support.json_schema import against

from asof.index.segment import Prefix
from asof.time.span import NEVER

DOCUMENTS = [
    {
        "id": "m1",
        "title": "Mayor",
        "text": "Ann is mayor of Brill.",
        "timestamp": "2001-05-01",
        "town": "Brill",
    },
    {
        "id": "m2",
        "title": "Mayor",
        "text": "Bob is mayor of Brill.",
        "timestamp": "2005-05-01",
        "town": "Brill",
    },
]
QUESTIONS = [
    {"id": "q1", "text": "mayor of [Brill]", "asked_at": "2002", "type": "a", "town": "Brill"},
    {"id": "q2", "text": "mayor of [Brill]", "asked_at": "2006", "type": "b", "town": "Brill"},
    {"id": "q3", "text": "nobody knows", "asked_at": "2006", "type": "b"},
]
EVIDENCE = [{"query_id": "q1", "doc_id": "m1", "sentence": "Ann is mayor of Brill."}]


@pytest.fixture
def mayors(write, here, monkeypatch):
    """A dataset, and the options that every command here needs."""

    def lines(values):
        return "".join(f"{json.dumps(value)}\n" for value in values)

    write("mayors/corpus.jsonl", lines(DOCUMENTS))
    write("mayors/queries.jsonl", lines(QUESTIONS))
    write("mayors/qrels.tsv", "q1\tm1\t1\nq2\tm1\t1\n")
    write("mayors/evidence.jsonl", lines(EVIDENCE))
    monkeypatch.setenv("XDG_CACHE_HOME", str(here / "cache"))
    return ["mayors"]


def test_a_table_for_a_reader(asof, mayors):
    result = asof("evaluate", *mayors, "--leakage", "2")
    assert result.code == 0
    assert result.err == ""
    assert "mayors: 2 questions as of 2002-12-31 to 2006-12-31 · 2 documents" in result.out
    assert re.search(r"^asof +\.500 +1\.000", result.out, re.MULTILINE)  # success@1: in 2006 it is Bob
    assert re.search(r"recall +recall +recall", result.out)
    assert "evidence" in result.out
    assert "leakage: none (2 questions, 2 corpora cut where they were asked" in result.out
    assert "note: 1 of 3 questions has no relevant document: left out" in result.out


def test_two_recipes_are_set_against_each_other(asof, mayors):
    result = asof("evaluate", *mayors, "--recipe", "asof", "--recipe", "asof")
    assert result.code == 0
    assert "against asof" in result.out
    assert re.search(r"^asof-2 +\+\.000 ", result.out, re.MULTILINE)
    assert "p=1.000" in result.out


def test_a_row_for_each_question(asof, mayors):
    result = asof("evaluate", *mayors, "--per-query")
    assert re.search(r"mayor of \[Brill\] +2002-12-31 +1\.000 +1\.000 +1\.000 +m1", result.out)
    assert re.search(r"mayor of \[Brill\] +2006-12-31 +\.000 +\.631 +1\.000 +m2", result.out)  # 1 / log2(3)


def test_no_line_is_wider_than_a_page(asof, mayors):
    result = asof("evaluate", *mayors, "--recipe", "asof", "--recipe", "asof", "--per-query")
    assert max(len(line.rstrip()) for line in result.out.splitlines()) <= 100


@pytest.mark.parametrize(
    "options", [[], ["--per-query", "--leakage", "1"], ["--recipe", "asof", "--recipe", "asof"]]
)
def test_the_json_keeps_its_schema(asof, mayors, options):
    result = asof("evaluate", *mayors, "--json", *options)
    assert result.code == 0
    assert against("evaluate", result.json()) == []


def test_what_the_json_says(asof, mayors, write):
    with (write("mayors/x", "").parent / "queries.jsonl").open("a") as file:
        file.write("{\n")
    result = asof("evaluate", *mayors, "--json", "--per-query", "--without", "title, metadata")
    assert result.code == 3
    found = result.json()
    (run,) = found["runs"]
    assert run["metrics"]["success@1"]["value"] == 0.5
    assert run["metrics"]["evidence@4000"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert run["scored"] == 2
    assert run["options"]["without"] == ["title", "metadata"]
    assert run["options"]["fields"]["lexical.k1"] == 1.2
    assert found["leakage"] is None
    assert found["problems"][0]["line"] == 4
    assert [each["query_id"] for each in found["per_query"]] == ["q1", "q2"]
    assert found["per_query"][1]["runs"][0]["first"] == ["m2", "m1"]
    assert found["per_query"][1]["runs"][0]["metrics"]["evidence@4000"] is None


def test_a_bad_line_is_shown_and_makes_code_3(asof, mayors, here):
    with (here / "mayors" / "qrels.tsv").open("a") as file:
        file.write("q1 m1 1\n")
    result = asof("evaluate", *mayors)
    assert result.code == 3
    assert "qrels.tsv:3: the line has 1 columns (query, document and a whole number" in result.err


def test_a_leak_makes_code_1(asof, mayors, monkeypatch):
    right = Prefix.of.__func__  # type: ignore[attr-defined]

    def wrong(cls, segments, as_of, known_at=NEVER):
        made = right(cls, segments, as_of, known_at)
        made.n = sum(segment.n for segment in segments)
        return made

    monkeypatch.setattr(Prefix, "of", classmethod(wrong))
    result = asof("evaluate", *mayors, "--leakage", "1")
    assert result.code == 1
    assert "leakage: 1 differences (1 questions, 1 corpora cut where they were asked)" in result.out
    assert "asof, question q1 as of 2002-12-31: " in result.out
    found = asof("evaluate", *mayors, "--leakage", "1", "--json")
    assert found.code == 1
    assert against("evaluate", found.json()) == []
    assert found.json()["leakage"]["differences"][0]["query_id"] == "q1"


def test_a_trec_run_is_written(asof, mayors, here):
    assert asof("evaluate", *mayors, "--run", "out.trec").code == 0
    first = (here / "out.trec").read_text().splitlines()[0].split(" ")
    assert first[:4] == ["q1", "Q0", "m1", "1"]
    assert first[5] == "asof"


def test_corpora_are_kept_in_the_cache(asof, mayors, here):
    for _ in range(2):
        assert asof("evaluate", *mayors).code == 0
        assert len(list((here / "cache" / "asof" / "evaluate").iterdir())) == 1
    assert asof("evaluate", *mayors, "--encoder", "hashed").code == 0
    assert len(list((here / "cache" / "asof" / "evaluate").iterdir())) == 2


def test_a_filter(asof, mayors):
    assert asof("evaluate", *mayors, "--filter-by", "town").code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--recipe", "asoff"], "no recipe 'asoff'; did you mean asof?"),
        (["--queries", "none.jsonl"], "--queries none.jsonl: no such file"),
        (["--without", "colour"], "--without colour: no document has this field; accepted: metadata, "),
        (["--filter-by", "colour"], "--filter-by colour: no question has this field"),
        (
            ["--run", "nowhere/out.trec"],
            "--run nowhere/out.trec: a file in an existing folder is expected",
        ),
        (["--encoder", "big"], "accepted: none, hashed, configured"),
        (["--limit", "0"], "--limit"),
        (["--leakage", "-1"], "--leakage"),
    ],
)
def test_wrong_usage_is_one_line(asof, mayors, options, message):
    result = asof("evaluate", *mayors, *options)
    assert result.code == 2
    assert result.out == ""
    assert message in result.err
    assert result.err.count("\n") == 1


def test_what_is_no_dataset(asof, here, write):
    write("empty/corpus.jsonl", '{"id": "a", "text": "b"}\n')
    for name, message in (
        ("nowhere", "nowhere is no folder; a dataset is"),
        ("empty", "empty has no qrels.tsv; "),
    ):
        result = asof("evaluate", name)
        assert (result.code, result.out) == (2, "")
        assert message in result.err
