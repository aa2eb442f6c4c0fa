"""The retriever of LlamaIndex."""

from __future__ import annotations

from pathlib import Path

import pytest
from adapters.example import QUESTION
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, TextNode

import asof
from asof.errors import UsageError
from asof.extensions.adapters.llama_index import LlamaIndexRetriever


def test_nodes_are_the_hits(corpus: asof.Corpus) -> None:
    hits = corpus.at("2020").search(QUESTION, 3)
    found = LlamaIndexRetriever(corpus=corpus, k=3, as_of="2020").retrieve(QUESTION)
    assert [(each.node.node_id, each.score, each.text) for each in found] == [
        (hit.id, hit.score, hit.text) for hit in hits
    ]
    node, hit = found[0].node, hits[0]
    assert (node.ref_doc_id, node.metadata["document"]) == (hit.document, hit.document)
    assert (node.start_char_idx, node.end_char_idx) == (hit.place.start, hit.place.end)


def test_a_model_is_shown_the_date_and_no_numbers(corpus: asof.Corpus) -> None:
    (found,) = LlamaIndexRetriever(corpus=corpus, k=1, as_of="2017").retrieve(QUESTION)
    assert found.node.get_content(MetadataMode.LLM).splitlines()[:5] == [
        "title: Harbour office notice 2016", "published: 2016-01-11",
        "headings: ['Harbour office notice 2016']", "superseded: None", "in_force: None",
    ]  # fmt: skip
    assert found.node.get_content(MetadataMode.EMBED).splitlines()[:3] == [
        "title: Harbour office notice 2016", "headings: ['Harbour office notice 2016']", "",
    ]  # fmt: skip


def test_nodes_are_inserted_and_deleted(tmp_path: Path) -> None:
    retriever = LlamaIndexRetriever(index=tmp_path)
    quay = TextNode(id_="quay", text="The quay is long.", metadata={"team": "port"})
    assert retriever.insert_nodes([quay]) == ["quay"]
    (found,) = retriever.retrieve("how long is the quay")
    assert (found.node.ref_doc_id, found.node.metadata["meta"]) == ("quay", {"team": "port"})
    retriever.delete_nodes(["quay"])
    assert retriever.retrieve("how long is the quay") == []
    retriever.close()


async def test_other_options_on_the_same_corpus(corpus: asof.Corpus, index: Path) -> None:
    retriever = LlamaIndexRetriever(index, k=3)
    earlier = retriever.with_options(as_of="2017")
    assert earlier.retrieval.handle is retriever.retrieval.handle
    expected = [hit.id for hit in corpus.at("2017").search(QUESTION, 3)]
    assert [each.node_id for each in earlier.retrieve(QUESTION)] == expected
    assert [each.node_id for each in await earlier.aretrieve(QUESTION)] == expected
    assert [each.node_id for each in retriever.retrieve(QUESTION)] != expected
    retriever.close()


def test_in_a_query_engine(corpus: asof.Corpus) -> None:
    retriever = LlamaIndexRetriever(corpus=corpus, k=2, as_of="2017")
    answer = RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query(QUESTION)
    assert [each.node.metadata["published"] for each in answer.source_nodes] == ["2016-01-11", "2017"]
    assert "published: 2016-01-11" in str(answer)  # the model that is none says its prompt


def test_an_unknown_option(corpus: asof.Corpus) -> None:
    with pytest.raises(UsageError, match="accepted: k, as_of"):
        LlamaIndexRetriever(corpus=corpus, asof="2020")  # type: ignore[call-arg]
