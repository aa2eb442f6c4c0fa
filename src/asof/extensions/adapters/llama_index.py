"""A retriever of LlamaIndex. Needs llama-index-core: the extra `llama-index`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Self, Unpack

from asof.corpus.corpus import Corpus
from asof.errors import missing_extra
from asof.extensions.adapters.retrieval import (
    TECHNICAL,
    CorpusHandle,
    FoundPassage,
    Retrieval,
    SearchOptions,
)

try:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )
except ModuleNotFoundError as error:
    raise missing_extra("asof.extensions.adapters.llama_index", "llama-index", "llama_index.core") from error

NOT_EMBEDDED = [*TECHNICAL, "published", "superseded", "in_force", "tags", "meta", "citation"]


class LlamaIndexRetriever(BaseRetriever):
    """Nodes of an asof corpus, as of any date.

    `index`: the folder in which `.asof` lies; or `corpus`, an open one. `options`: those of
    `asof.extensions.adapters.retrieval.SearchOptions`. `retrieve` takes a question and nothing else, so
    another date is asked by `retriever.with_options(as_of="2020").retrieve(...)`. The metadata of a node:
    `asof.extensions.adapters.retrieval.metadata`; a language model is shown title, dates and headings of it.
    Raises UsageError, and with a question what `Snapshot.search` raises.
    """

    def __init__(
        self, index: str | Path | None = None, *, corpus: Corpus | None = None,
        callback_manager: CallbackManager | None = None, **options: Unpack[SearchOptions],
    ) -> None:  # fmt: skip
        self.retrieval = Retrieval(CorpusHandle(index, corpus), options)
        super().__init__(callback_manager=callback_manager)

    def with_options(self, **options: Unpack[SearchOptions]) -> Self:
        """A retriever that asks the same corpus with other options. Raises UsageError."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.retrieval = self.retrieval.changed(options)
        return other

    def insert_nodes(self, nodes: Sequence[BaseNode]) -> list[str]:
        """Add nodes, new versions where their ids are known; returns the ids. See `CorpusHandle.add`."""
        return self.retrieval.handle.add(nodes)

    def delete_nodes(self, node_ids: Sequence[str]) -> None:
        """Erase nodes with all of their versions. Raises UsageError."""
        self.retrieval.handle.delete(node_ids)

    def close(self) -> None:
        """Close the corpus, if it was opened here."""
        self.retrieval.handle.close()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self.retrieval.search(query_bundle.query_str)
        return [NodeWithScore(node=_node(each), score=each.hit.score) for each in found.passages]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _node(found: FoundPassage) -> TextNode:
    hit = found.hit
    return TextNode(
        id_=hit.id, text=hit.text, metadata=found.metadata, start_char_idx=hit.place.start,
        end_char_idx=hit.place.end, excluded_llm_metadata_keys=list(TECHNICAL),
        excluded_embed_metadata_keys=list(NOT_EMBEDDED),
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.document)},
    )  # fmt: skip
