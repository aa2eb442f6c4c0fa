"""Datasets: what is there, what cannot be used; their corpora and vectors, built once."""

from __future__ import annotations

import gzip
import json
import shutil

import numpy as np
import pytest
from tests.support.meanings import Meanings
from tests.support.rows import db_of

from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError
from asof.extensions.lab import datasets as corpora
from asof.extensions.lab.datasets import SOME_TIME, EncodedOnce, build, load, prepared
from asof.extensions.lab.evaluation import evaluate
from asof.extensions.lab.runs import EvaluationOptions
from asof.models.encoders import HashedNgrams
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.wire import replace

from .conftest import ASKED, MAYORS


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
    assert found.fields == {"town"}


def test_a_question_is_asked_at_the_last_instant_of_its_time_or_of_the_newest_date(dataset):
    found = load(dataset())
    assert found.as_of(found.questions[0]) == read("2002").last
    assert found.as_of(found.questions[1]) == read("2006-01-01").last
    assert found.as_of(found.questions[2]) == read("2005-05-01").last
    found = load(dataset([{"id": "a", "text": "b", "timestamp": None}]))  # no date at all
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


def test_what_files_may_be_like(dataset):
    """Gzipped documents, judgements below a header, and a sentence of evidence that stands there twice."""
    lines = [{"query_id": "q1", "doc_id": "m1", "sentence": "Ann is mayor."}] * 2
    folder = dataset(judged=[("query-id", "corpus-id", "score"), ("q1", "m1", 1)], evidence=lines)
    plain = folder / "corpus.jsonl"
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    found = load(folder)
    assert found.dates.keys() == {"m1", "m2", "m3", "m4", "u1"}
    assert (found.relevance, found.problems) == ({"q1": {"m1": 1}}, ())
    assert found.sentences == {"q1": [("m1", "Ann is mayor.")]}


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
        ("queries.jsonl", '{"id": "n", "text": "x", "asked_at": "soon"}', "that cannot be read: 'soon'"),
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
def test_what_is_no_dataset(dataset, tmp_path, file):
    folder = dataset()
    (folder / file).unlink()
    with pytest.raises(UsageError, match="a dataset is a folder with") as refused:
        load(folder)
    assert file.partition(".")[0] in str(refused.value)
    with pytest.raises(UsageError, match="is no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="holds no document"):
        load(dataset([]))


# -- the corpus is built once, and again when anything that it is made from changes --------------------


SETTINGS = CorpusSettings(undated="always")
WORDS = Recipe("words", "words alone", (Lexical(), TopK()))


@pytest.fixture
def built(monkeypatch):
    """How often a corpus was built."""
    calls = []

    def counting(*arguments, **more):
        calls.append(arguments)
        build(*arguments, **more)

    monkeypatch.setattr(corpora, "build", counting)
    return calls


def documents(dataset, settings, cache, **more):
    with prepared(dataset, settings, cache, **more) as corpus:
        hits = corpus.snapshot(dataset.newest, None).search("mayor", 10, recipe=WORDS).hits
        return {hit.document for hit in hits}


def test_it_is_made_anew_for_other_data_options_or_code(dataset, tmp_path, built, monkeypatch):
    folder = dataset()
    cache = tmp_path / "cache"
    for _ in range(2):
        assert documents(load(folder), SETTINGS, cache) == {"m1", "m2", "m3", "u1"}
    assert len(built) == 1, "it is used again"
    documents(load(folder), replace(SETTINGS, chunking="whole"), cache)
    documents(load(folder), replace(SETTINGS, encoder=HashedNgrams().name), cache)
    monkeypatch.setattr(corpora, "code_version", lambda: "another")
    documents(load(folder), SETTINGS, cache)
    monkeypatch.undo()
    assert len(built) == 4
    more = {"id": "m9", "text": "Dot is mayor of Brill.", "timestamp": "2005-05-01"}
    assert "m9" in documents(load(dataset([*MAYORS, more])), SETTINGS, cache)


def test_what_was_interrupted_is_not_taken_for_whole(dataset, tmp_path, monkeypatch):
    found, cache = load(dataset()), tmp_path / "cache"

    def interrupted(folder, *arguments, **more):
        build(folder, *arguments, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(corpora, "build", interrupted)
    with pytest.raises(KeyboardInterrupt):
        documents(found, SETTINGS, cache)
    assert list((cache / "evaluate").iterdir()) == []
    monkeypatch.undo()
    assert documents(found, SETTINGS, cache) == {"m1", "m2", "m3", "u1"}
    (folder,) = (cache / "evaluate").iterdir()
    shutil.rmtree(folder / ".asof")
    assert documents(found, SETTINGS, cache) == {"m1", "m2", "m3", "u1"}, "nor is one without its database"


def test_the_clock_is_that_of_the_dataset(dataset, tmp_path):
    """Built twice it is the same: ids of transactions are instants of the corpus's clock, after all dates."""
    found = load(dataset())
    ids = []
    for name in ("one", "two"):
        build(tmp_path / name, found, SETTINGS)
        with open_corpus(tmp_path / name, create=False) as corpus:
            ids.append(corpus.store.reader().execute("SELECT id FROM transactions").fetchall())
    assert ids[0] == ids[1] == [(found.newest + 1_000_000,)]


# -- vectors of a model: other code, other passages, cut corpora ask no more ---------------------------


ENCODED = CorpusSettings(undated="always", encoder="meanings")


class Restless(Meanings):
    """Other bits each time that it is asked for a text, as a server may give them."""

    def encode(self, texts, *, question=False):
        vectors = super().encode(texts, question=question)
        vectors[:, 0] += np.float32(0.001) * self.calls
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def passages(dataset, cache, encoder, settings=ENCODED):
    """The vectors of the corpus of a dataset."""
    with prepared(dataset, settings, cache, encoder) as corpus:
        return dict(db_of(corpus).execute("SELECT digest, vector FROM vectors").fetchall())


def test_another_corpus_of_the_same_texts(dataset, tmp_path):
    found, cache, inner = load(dataset()), tmp_path / "cache", Restless()
    encoder = EncodedOnce(inner)
    first = passages(found, cache, encoder)
    asked = len(inner.asked)
    assert asked == len(first) == 5
    assert passages(found, cache, encoder, replace(ENCODED, stem=False)) == first
    assert len(inner.asked) == asked
    assert (encoder.encode([]).shape, encoder.encode(["x"], question=True).shape) == ((0, 8), (1, 8))


def test_leakage_is_not_what_an_encoder_gives_twice(dataset, tmp_path):
    """A corpus that is cut, made anew, has the same vectors."""
    folder, inner = dataset(), Restless()
    found = evaluate(
        folder, ["tempralm", "asof"], EvaluationOptions(leakage=3), encoder=EncodedOnce(inner), cache=tmp_path
    )
    assert found.leakage is not None
    assert found.leakage.clean
    texts = [asked for asked in inner.asked if not asked[1]]
    assert len(texts) == len(set(texts)), "each text once"


def test_a_cache_that_cannot_be_made_says_what_to_do(dataset, tmp_path):
    (tmp_path / "cache").write_text("a file stands where the folder would be")
    with pytest.raises(UsageError, match=r"cannot be made: .*; set XDG_CACHE_HOME to a folder"):
        documents(load(dataset()), SETTINGS, tmp_path / "cache")
