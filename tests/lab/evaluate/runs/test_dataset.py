"""Reading datasets: what is there, what is missing, what cannot be used."""

from __future__ import annotations

import dataclasses
import gzip
import json

import pytest

from asof.errors import UsageError
from asof.extensions.lab.datasets import _BLANK, SOME_TIME, blanked, load
from asof.time.moment import read
from asof.values import Document

from ..conftest import ASKED, MAYORS


def test_what_is_there(dataset):
    found = load(dataset())
    assert found.name == "mayors"
    assert found.dates["m1"] == read("2001-05-01").last
    assert found.dates["u1"] is None
    assert [question.id for question in found.questions] == ["q1", "q2", "q3", "q4"]
    assert found.questions[0].type == "early"
    assert found.relevance["q3"] == {"m4": 2}
    assert found.sentences == {}
    assert found.problems == ()
    assert {"title", "timestamp", "town"} <= found.fields


def test_a_question_is_asked_at_the_last_instant_of_its_time_or_of_the_newest_date(dataset):
    found = load(dataset())
    assert found.as_of(found.questions[0]) == read("2002").last
    assert found.as_of(found.questions[1]) == read("2006-01-01").last
    assert found.as_of(found.questions[2]) == read("2005-05-01").last


def test_without_any_date_there_is_still_a_time(dataset):
    found = load(dataset([{"id": "a", "text": "b", "timestamp": None}]))
    assert found.as_of(found.questions[2]) == SOME_TIME
    assert [document.id for document in found.documents(SOME_TIME)] == ["a"]


def test_the_last_year_of_the_calendar_is_not_the_newest_date(dataset):
    """The end of 9999 is no instant at which anything can be asked."""
    late = {"id": "x", "text": "end of days", "timestamp": "9999-12-31"}
    assert load(dataset([*MAYORS, late])).newest == read("2005-05-01").last


def test_documents_until(dataset):
    found = load(dataset())
    assert [each.id for each in found.documents(read("2003-05-01").last)] == ["m1", "m3", "u1"]
    assert [each.id for each in found.documents(read("2003-05-01").last - 1)] == ["m1", "u1"]
    assert [each.id for each in found.documents(read("1900").first)] == ["u1"]


def test_only_the_timestamp_dates_a_document(dataset):
    line = {"id": "a", "text": "b", "timestamp": "2001", "published": "2009", "date": "2008"}
    (document,) = load(dataset([line])).documents()
    assert document.published is not None
    assert document.published.text == "2001"
    assert document.meta == {"published": "2009", "date": "2008"}


def test_gzip(dataset):
    folder = dataset()
    plain = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert load(folder).dates.keys() == {"m1", "m2", "m3", "m4", "u1"}


def test_a_header_may_stand_above_the_judgements(dataset):
    folder = dataset(judged=[("query-id", "corpus-id", "score"), ("q1", "m1", 1)])
    found = load(folder)
    assert (found.relevance, found.problems) == ({"q1": {"m1": 1}}, ())


def test_all_files_of_questions_are_read_or_the_one_that_is_named(dataset):
    folder = dataset()
    (folder / "queries-more.jsonl").write_text(
        json.dumps({"id": "z", "text": "zed"}) + "\n" + json.dumps(ASKED[0])
    )
    other = folder.parent / "mine.jsonl"
    other.write_text(json.dumps({"id": "y", "text": "why"}))
    ids = [question.id for question in load(folder).questions]
    assert sorted(ids) == ["q1", "q2", "q3", "q4", "z"]
    assert load(folder).problems == ()
    assert [question.id for question in load(folder, queries="queries-more.jsonl").questions] == ["z", "q1"]
    assert [question.id for question in load(folder, queries=str(other)).questions] == ["y"]
    with pytest.raises(UsageError, match=r"has: queries-more\.jsonl, queries\.jsonl"):
        load(folder, queries="none.jsonl")


def test_evidence(dataset):
    lines = [{"query_id": "q1", "doc_id": "m1", "sentence": "Ann is mayor."}] * 2
    assert load(dataset(evidence=lines)).sentences == {"q1": [("m1", "Ann is mayor.")]}


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("corpus.jsonl", "{", "corpus.jsonl:6: the line is not JSON"),
        ("corpus.jsonl", '{"id": "n"}', "corpus.jsonl:6: the record has no text"),
        (
            "corpus.jsonl",
            '{"id": "m1", "text": "x", "timestamp": "2001-05-01"}',
            "occurs twice with the same",
        ),
        ("queries.jsonl", "[]", "queries.jsonl:5: the line is JSON, but no object: list"),
        ("queries.jsonl", '{"id": "n"}', "queries.jsonl:5: the question has no text"),
        (
            "queries.jsonl",
            '{"id": "n", "text": "x", "asked_at": "soon"}',
            "asked_at that cannot be read: 'soon'",
        ),
        ("queries.jsonl", '{"id": "n", "text": "x", "asked_at": "yesterday"}', "counts from an anchor"),
        ("queries.jsonl", '{"id": "q1", "text": "x"}', "another question has the id 'q1'"),
        ("queries.jsonl", '{"id": "n", "text": "' + "x " * 10_001 + '"}', "20,002 characters"),
        ("queries.jsonl", '{"id": "n", "text": "\\xff"}', "not UTF-8"),
        ("qrels.tsv", "q1 m1 1", "qrels.tsv:4: the line has 1 columns"),
        ("qrels.tsv", "q1\tm2\tgood", "qrels.tsv:4: the line has the relevance 'good'"),
        ("qrels.tsv", "q1\tm1\t0", "'m1' had another relevance for 'q1' before"),
        ("evidence.jsonl", '{"query_id": "q1"}', "evidence.jsonl:1: the evidence has no doc_id"),
    ],
)
def test_a_line_that_cannot_be_used_is_a_problem_and_stops_nothing(dataset, file, line, message):
    folder = dataset()
    with (folder / file).open("ab") as out:
        out.write(line.encode().replace(rb"\xff", b"\xff") + b"\n")
    found = load(folder)
    (problem,) = found.problems
    assert message in str(problem)
    assert problem.lost
    assert len(found.dates) == 5
    assert len(found.questions) == 4
    assert sum(map(len, found.relevance.values())) == 3


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_wrong_usage(dataset, file):
    folder = dataset()
    (folder / file).unlink()
    with pytest.raises(UsageError, match="a dataset is a folder with") as refused:
        load(folder)
    assert file.partition(".")[0] in str(refused.value)


def test_no_folder_or_no_document_is_wrong_usage(dataset, tmp_path):
    with pytest.raises(UsageError, match="is no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no document"):
        load(dataset([]))


def test_fields_are_blanked(dataset):
    line = {
        "id": "a", "text": "b", "title": "T", "timestamp": "2001", "town": "X", "mill": "Y", "url": "http://a",
        "keywords": ["k"], "updated": "2002",
    }  # fmt: skip
    folder = dataset([line])

    def left(*without):
        (document,) = load(folder, without=without).documents()
        return document

    whole = left()
    assert left("title") == dataclasses.replace(whole, title="")
    assert left("timestamp") == dataclasses.replace(whole, published=None)
    assert left("town") == dataclasses.replace(whole, meta={"mill": "Y"})
    assert left("url") == dataclasses.replace(whole, uri="")
    assert left("keywords") == dataclasses.replace(whole, tags=())
    bare = Document("a", "b", "T", whole.published)
    assert left("metadata") == bare
    assert left("title", "metadata") == dataclasses.replace(bare, title="")
    with pytest.raises(UsageError, match=r"--without colour: no document has this field; accepted: .*town"):
        left("colour")
    with pytest.raises(UsageError, match="--without text"):
        left("text")


def test_nothing_of_a_document_is_forgotten_when_blanking():
    """A new field of `Document` has to be blanked with the metadata, too; the first month of the fiscal year
    is none of it: it says how words are read."""
    names = {each.name for each in dataclasses.fields(Document)}
    assert names == _BLANK.keys() | {"id", "text", "meta", "outline", "fiscal_start"}
    assert blanked(Document("a", "b"), ["metadata", "title", "timestamp"]) == Document("a", "b")
