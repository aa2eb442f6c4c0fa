"""The retriever of Haystack."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from adapters.example import QUESTION
from haystack import Pipeline
from haystack.core.errors import DeserializationError

import asof
from asof.errors import NoCorpus, UsageError
from asof.extensions.adapters.haystack import HaystackRetriever
from asof.recipes import ASOF
from asof.time.span import Period


def pipeline(retriever: HaystackRetriever) -> Pipeline:
    made = Pipeline()
    made.add_component("retriever", retriever)
    return made


def run(made: Pipeline, **more: Any) -> list[Any]:
    found: list[Any] = made.run({"retriever": {"query": QUESTION, **more}})["retriever"]["documents"]
    return found


def then(corpus: asof.Corpus, as_of: str, k: int, **more: Any) -> list[tuple[str, float, str]]:
    return [(hit.id, hit.score, hit.text) for hit in corpus.at(as_of).search(QUESTION, k, **more)]


def told(documents: list[Any]) -> list[tuple[str, float, str]]:
    return [(each.id, each.score, each.content) for each in documents]


def test_documents_are_the_hits(corpus: asof.Corpus) -> None:
    made = pipeline(HaystackRetriever(corpus=corpus, top_k=3, as_of="2017"))
    found = run(made)
    assert told(found) == then(corpus, "2017", 3)
    assert found[0].score == found[0].meta["score"]
    assert told(run(made, as_of="2020", top_k=2)) == then(corpus, "2020", 2)
    assert told(run(made, as_of="2020", since="2019")) == then(corpus, "2020", 3, since="2019")


def test_a_pipeline_is_written_and_read(corpus: asof.Corpus, index: Path) -> None:
    made = pipeline(HaystackRetriever(
        corpus=corpus, top_k=3, as_of=date(2020, 6, 1), since=Period.parse("2016"), recipe="tempralm",
        where={"path": "notes/harbour/*", "tags": ("harbour",)},
    ))  # fmt: skip
    text = made.dumps()
    with pytest.raises(DeserializationError):  # Haystack reads only what it is told to
        Pipeline.loads(text)
    read = Pipeline.loads(text, allowed_modules=["asof.*"])
    assert read.to_dict()["components"]["retriever"]["init_parameters"] == {
        "index": str(index), "top_k": 3, "as_of": "2020-06-01", "since": "2016", "recipe": "tempralm",
        "where": {"path": "notes/harbour/*", "tags": ["harbour"]},
    }  # fmt: skip
    assert told(run(read)) == told(run(made)) != []


def test_a_recipe_that_is_a_value_cannot_be_written(corpus: asof.Corpus) -> None:
    retriever = HaystackRetriever(corpus=corpus, recipe=ASOF)
    assert retriever.run(QUESTION)["documents"]
    with pytest.raises(UsageError, match=r"Recipe.*give it by its name"):
        retriever.to_dict()


def test_warming_up_opens_the_corpus(index: Path, tmp_path: Path) -> None:
    retriever = HaystackRetriever(index)
    retriever.warm_up()
    opened = retriever.retrieval.handle.corpus()
    retriever.close()
    assert opened.closed
    with pytest.raises(NoCorpus):
        HaystackRetriever(tmp_path).warm_up()
