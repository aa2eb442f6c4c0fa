"""The retriever of LangChain: LangChain's own tests for retrievers, and what is asof's."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from adapters.example import QUESTION
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import ConfigurableField
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import ValidationError

import asof
from asof.errors import UsageError
from asof.extensions.adapters.langchain import LangChainRetriever


class TestStandard(RetrieversIntegrationTests):
    """What LangChain wants of every retriever."""

    @pytest.fixture(autouse=True)
    def _corpus_of_examples(self, index: Path) -> None:
        self.index = index

    @property
    def retriever_constructor(self) -> type[LangChainRetriever]:
        return LangChainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"index": self.index, "as_of": "2020"}

    @property
    def retriever_query_example(self) -> str:
        return QUESTION


def test_documents_are_added_given_new_versions_and_deleted(tmp_path: Path) -> None:
    """As the ids say; parts of one source are numbered. Metadata comes back, with a date that was read."""
    retriever = LangChainRetriever(index=tmp_path, k=5)
    quay = Document(
        page_content="The quay is 40 metres long.", id="quay", metadata={"team": "port", "date": "2020"}
    )
    parts = [Document(page_content=f"Part {n} is wet.", metadata={"source": "a.txt"}) for n in (1, 2)]
    assert retriever.add_documents([quay, *parts]) == ["quay", "a.txt", "a.txt#2"]
    (found,) = retriever.invoke("how long is the quay")
    assert (found.metadata["document"], found.metadata["meta"]) == ("quay", {"team": "port"})
    parted = retriever.invoke("part wet", where={"meta": {"source": {"exists": True}}})
    assert sorted(each.metadata["document"] for each in parted) == ["a.txt", "a.txt#2"]
    longer = Document(page_content="The quay is 50 metres long.", metadata={"date": "2022"})
    retriever.add_documents([longer], ids=["quay"])
    assert "40" in retriever.invoke("how long is the quay", as_of="2021")[0].page_content
    assert "50" in retriever.invoke("how long is the quay")[0].page_content
    retriever.delete(["quay"])
    assert retriever.invoke("how long is the quay") == []
    retriever.close()


class Heard(BaseCallbackHandler):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def on_retriever_start(self, serialized: Any, query: str, **more: Any) -> None:
        self.told.append(query)

    def on_retriever_end(self, documents: Any, **more: Any) -> None:
        self.told.append(len(documents))

    def on_retriever_error(self, error: BaseException, **more: Any) -> None:
        self.told.append(type(error))


def ids(found: list[Any]) -> list[str]:
    return [each.id for each in found]


def then(corpus: asof.Corpus, as_of: Any, k: int) -> list[str]:
    return [hit.id for hit in corpus.at(as_of).search(QUESTION, k)]


def test_options_and_overrides(corpus: asof.Corpus) -> None:
    retriever = LangChainRetriever(corpus=corpus, k=3, as_of="2017")
    found = retriever.invoke(QUESTION)
    assert ids(found) == then(corpus, "2017", 3) == [each.metadata["id"] for each in found]
    assert ids(retriever.invoke(QUESTION, as_of="2020", k=2)) == then(corpus, "2020", 2)
    assert ids(retriever.bind(as_of="2020").invoke(QUESTION)) == then(corpus, "2020", 3)
    noon = datetime(2019, 1, 14, 12, tzinfo=UTC)  # the notice of that day is seen at its end
    assert ids(retriever.invoke(QUESTION, as_of=noon)) == then(corpus, noon, 3)
    retriever.as_of = "2020"
    assert ids(retriever.invoke(QUESTION, verbose=False)) == then(corpus, "2020", 3)


def test_in_a_chain_the_date_can_be_configured(corpus: asof.Corpus) -> None:
    chain = LangChainRetriever(corpus=corpus, k=3).configurable_fields(as_of=ConfigurableField(id="as_of"))
    found = chain.invoke(QUESTION, config={"configurable": {"as_of": "2017"}})
    assert ids(found) == then(corpus, "2017", 3)
    assert ids(chain.batch([QUESTION] * 3)[2]) == then(corpus, None, 3)


async def test_asynchronously_with_overrides(corpus: asof.Corpus) -> None:
    retriever = LangChainRetriever(corpus=corpus, k=3)
    assert ids(await retriever.ainvoke(QUESTION, as_of="2017")) == then(corpus, "2017", 3)


def test_callbacks_hear_of_it(corpus: asof.Corpus) -> None:
    heard, retriever = Heard(), LangChainRetriever(corpus=corpus, k=3)
    retriever.invoke(QUESTION, {"callbacks": [heard]})
    with pytest.raises(UsageError, match="accepted: k, as_of"):
        retriever.invoke(QUESTION, {"callbacks": [heard]}, asof="2020")
    assert heard.told == [QUESTION, 3, QUESTION, UsageError]


def test_what_is_wrong_is_said_when_it_is_made(corpus: asof.Corpus, index: Path) -> None:
    with pytest.raises(ValidationError, match="asof"):
        LangChainRetriever(index=index, asof="2020")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="either index"):
        LangChainRetriever()
    with pytest.raises(UsageError, match="accepted: an open corpus"):
        LangChainRetriever(corpus="notes")
    with pytest.raises(UsageError, match="there is no filter 'tag'"):
        LangChainRetriever(corpus=corpus, where={"tag": "x"})
    with pytest.raises(ValidationError, match="frozen"):
        LangChainRetriever(corpus=corpus).index = "elsewhere"
