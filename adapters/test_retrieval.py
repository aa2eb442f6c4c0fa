"""What all adapters share: which options are taken, which corpus is asked, what is told of a hit."""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from adapters.example import QUESTION

import asof
from asof.errors import MissingExtra, NoCorpus, UsageError
from asof.extensions.adapters.retrieval import CorpusHandle, Retrieval, metadata

MODULES = {"langchain": "langchain_core", "llama_index": "llama_index", "haystack": "haystack"}


def documents(retrieval: Retrieval, **overrides: object) -> list[str]:
    return [each.hit.document for each in retrieval.search(QUESTION, overrides).passages]


def test_it_gives_the_hits_of_search(corpus: asof.Corpus) -> None:
    retrieval = Retrieval(CorpusHandle(corpus=corpus), {"k": 5, "as_of": "2020"})
    found = retrieval.search(QUESTION).passages
    assert [each.hit for each in found] == list(corpus.at("2020").search(QUESTION, 5))


def test_an_override_stands_in_place_of_an_option_and_none_does_not(corpus: asof.Corpus) -> None:
    retrieval = Retrieval(CorpusHandle(corpus=corpus), {"k": 3, "as_of": "2017"})
    then = corpus.at("2020").search(QUESTION, 2)
    assert documents(retrieval, as_of="2020", k=2) == [hit.document for hit in then]
    assert documents(retrieval, as_of=None, k=None) == documents(retrieval)
    assert documents(retrieval.changed({"as_of": "2020", "k": 2})) == [hit.document for hit in then]


def test_filters(corpus: asof.Corpus) -> None:
    retrieval = Retrieval(CorpusHandle(corpus=corpus), {"where": {"path": "notes/harbour/*"}, "k": 50})
    assert all(each.startswith("notes/harbour/") for each in documents(retrieval))
    (found, *_) = retrieval.search(QUESTION, {"since": "2022", "until": "2022"}).passages
    assert found.hit.document == "notes/harbour/Harbour office notice 2022.md"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"asof": "2020"}, "there is no option 'asof'; accepted: k, as_of"),
        ({"where": {"tag": "x"}}, "there is no filter 'tag'; accepted: about"),
        ({"where": "x"}, "where is 'x'"),
    ],
)
def test_what_is_not_known_is_refused(corpus: asof.Corpus, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Retrieval(CorpusHandle(corpus=corpus), options)
    with pytest.raises(UsageError, match=message):
        Retrieval(CorpusHandle(corpus=corpus)).search(QUESTION, options)


def test_what_is_told_of_a_hit(corpus: asof.Corpus) -> None:
    hit = next(each for each in corpus.at("2020").search(QUESTION, 3) if "notice 2016" in each.document)
    told = metadata(hit)
    assert json.loads(json.dumps(told)) == told
    assert told == {
        "id": hit.id, "document": "notes/harbour/Harbour office notice 2016.md",
        "title": "Harbour office notice 2016", "uri": hit.uri, "published": "2016-01-11",
        "published_from": "2016-01-11T00:00:00Z", "dated_by": hit.dated_by,
        "headings": ["Harbour office notice 2016"], "score": hit.score,
        "superseded": {
            "id": "notes/harbour/Harbour office notice 2019.md#6bae382f55ba",
            "document": "notes/harbour/Harbour office notice 2019.md", "title": "Harbour office notice 2019",
            "at": "2019-01-14T23:59:59.999999Z",
        },
        "in_force": "ended on 2019-01-14", "holds": False, "tags": ["harbour", "notice"], "meta": {},
        "citation": "Harbour office notice 2016, 2016-01-11", "version": {"number": 1, "of": 1},
    }  # fmt: skip


def test_an_undated_document(tmp_path: Path) -> None:
    with asof.open(tmp_path) as corpus:
        corpus.add(asof.Document("a", "A red crane."))
        told = metadata(corpus.search("crane")[0])
    assert (told["published"], told["published_from"], told["superseded"]) == (None, None, None)


def test_a_folder_or_a_corpus_and_not_both(corpus: asof.Corpus, index: Path, tmp_path: Path) -> None:
    for given in ({}, {"index": index, "corpus": corpus}):
        with pytest.raises(UsageError, match="either index, the folder in which"):
            CorpusHandle(**given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="accepted: an open corpus"):
        CorpusHandle(corpus="notes")  # type: ignore[arg-type]
    with pytest.raises(NoCorpus):
        CorpusHandle(tmp_path).corpus()


def test_a_handle_opens_once_closes_what_it_opened_and_nothing_else(index: Path, corpus: asof.Corpus) -> None:
    handle = CorpusHandle(index)
    opened = handle.corpus()
    assert handle.corpus() is opened
    assert copy.deepcopy(handle) is handle
    handle.close()
    assert opened.closed
    assert not handle.corpus().closed
    again = handle.corpus()
    del handle
    assert again.closed, "who lets go of a retriever need not close it"
    CorpusHandle(corpus=corpus).close()
    assert not corpus.closed


def test_a_pickled_handle_is_the_folder(corpus: asof.Corpus, index: Path) -> None:
    retrieval = pickle.loads(pickle.dumps(Retrieval(CorpusHandle(corpus=corpus), {"k": 2})))  # noqa: S301
    assert retrieval.handle.folder == index
    assert len(retrieval.search(QUESTION).passages) == 2


def test_what_another_process_adds_is_seen(tmp_path: Path) -> None:
    with asof.open(tmp_path) as writing:
        writing.add(asof.Document("a", "A red crane.", published="2020"))
        retrieval = Retrieval(CorpusHandle(tmp_path))
        assert len(retrieval.search("crane").passages) == 1
        writing.add(asof.Document("b", "A blue crane.", published="2021"))
        assert len(retrieval.search("crane").passages) == 2
        retrieval.handle.close()


@pytest.mark.parametrize(("name", "package"), MODULES.items())
def test_a_library_that_is_not_there(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"asof.extensions.adapters.{name}", raising=False)
    with pytest.raises(MissingExtra, match=rf"its extra `{name.replace('_', '-')}`"):
        importlib.import_module(f"asof.extensions.adapters.{name}")


def test_the_package_loads_nothing() -> None:
    program = (
        "import asof.extensions.adapters, sys; "
        f"print([each for each in ('numpy', 'pydantic', {', '.join(map(repr, MODULES.values()))}) "
        "if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
