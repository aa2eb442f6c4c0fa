"""A retriever of DSPy, as a module and as a tool. Needs dspy: the extra `dspy`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Unpack

from asof.corpus.corpus import Corpus
from asof.errors import missing_extra
from asof.extensions.adapters.retrieval import CorpusHandle, Found, Retrieval, SearchOptions

try:
    import dspy
except ModuleNotFoundError as error:
    raise missing_extra("asof.extensions.adapters.dspy", "dspy", "dspy") from error


class DspyRetriever(dspy.Module):
    """Passages of an asof corpus, as of any date.

    `index`: the folder in which `.asof` lies; or `corpus`, an open one. `options`: those of
    `asof.extensions.adapters.retrieval.SearchOptions`; each can be given with a question, too:
    `retriever("who is the harbour master?", as_of="2020")`. The prediction has `passages`, texts below their
    titles and dates, `documents`, the metadata of each (`asof.extensions.adapters.retrieval.metadata`), and
    `notes` of the search. `search` is a tool for an agent.
    Raises UsageError, and with a question what `Snapshot.search` raises.
    """

    def __init__(
        self, index: str | Path | None = None, *, corpus: Corpus | None = None,
        **options: Unpack[SearchOptions],
    ) -> None:  # fmt: skip
        super().__init__()
        self.retrieval = Retrieval(CorpusHandle(index, corpus), options)

    def forward(self, query: str, **overrides: Unpack[SearchOptions]) -> dspy.Prediction:
        """The passages for a question, best first."""
        return _prediction(self.retrieval.search(query, overrides))

    async def aforward(self, query: str, **overrides: Unpack[SearchOptions]) -> dspy.Prediction:
        """The same, in a thread."""
        return _prediction(await asyncio.to_thread(self.retrieval.search, query, overrides))

    def search(self, question: str, as_of: str | None = None) -> list[str]:
        """Search documents. Each result is a passage below its title and its date, best first.

        as_of: a date such as 2020, 2020-03 or 2020-03-05, to search the documents as they stood then.
        Without it they are searched as they stand at the latest date that is open to you; a later one is not.
        """
        limited = self.retrieval.not_later(as_of or None)
        return [each.headed for each in self.retrieval.search(question, {"as_of": limited}).passages]

    def close(self) -> None:
        """Close the corpus, if it was opened here."""
        self.retrieval.handle.close()


def _prediction(found: Found) -> dspy.Prediction:
    return dspy.Prediction(
        passages=[each.headed for each in found.passages],
        documents=[each.metadata for each in found.passages],
        notes=list(found.notes),
    )
