"""A retriever of LangChain. Needs langchain-core: the extra `langchain`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from asof.errors import missing_extra
from asof.extensions.adapters.retrieval import NAMES, CorpusHandle, Retrieval

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables.config import run_in_executor
    from pydantic import ConfigDict, Field, PrivateAttr
except ModuleNotFoundError as error:
    raise missing_extra("asof.extensions.adapters.langchain", "langchain", "langchain_core") from error


class LangChainRetriever(BaseRetriever):
    """Documents of an asof corpus, as of any date.

    `index`: the folder in which `.asof` lies; or `corpus`, an open one. The other options are those of
    `asof.extensions.adapters.retrieval.SearchOptions`; each can be given with a question, too:
    `retriever.invoke("who is the harbour master?", as_of="2020")`. The metadata of a result:
    `asof.extensions.adapters.retrieval.metadata`. Raises UsageError, and with a question what
    `Snapshot.search` raises.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    # Any: pydantic would take values of asof apart and make new ones; asof looks at them itself
    index: str | Path | None = Field(default=None, frozen=True)
    corpus: Any = Field(default=None, frozen=True, exclude=True, repr=False)
    k: int | None = None
    as_of: Any = None
    known_at: Any = None
    since: Any = None
    until: Any = None
    recipe: Any = None
    unit: str | None = None
    where: Any = None
    _handle: CorpusHandle = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Refuse what is wrong when the retriever is made, not at the first question."""
        self._handle = CorpusHandle(self.index, self.corpus)
        self._retrieval()

    def add_documents(self, documents: list[Document], ids: list[str] | None = None) -> list[str]:
        """Add documents, new versions where their ids are known; returns the ids. See `CorpusHandle.add`."""
        return self._handle.add(documents, ids)

    def delete(self, ids: list[str]) -> None:
        """Erase documents with all of their versions. Raises UsageError."""
        self._handle.delete(ids)

    def close(self) -> None:
        """Close the corpus, if it was opened here."""
        self._handle.close()

    def _retrieval(self) -> Retrieval:
        return Retrieval(self._handle, {name: getattr(self, name) for name in NAMES})

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **overrides: Any
    ) -> list[Document]:
        overrides.pop("verbose", None)  # `invoke` reads it, and hands it on
        found = self._retrieval().search(query, overrides)
        return [
            Document(page_content=each.hit.text, id=each.hit.id, metadata=each.metadata)
            for each in found.passages
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **overrides: Any
    ) -> list[Document]:
        documents: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), **overrides
        )
        return documents
