"""A retriever of Haystack. Needs haystack-ai: the extra `haystack`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from asof.corpus.corpus import Corpus
from asof.errors import UsageError, missing_extra
from asof.extensions.adapters.retrieval import CorpusHandle, Retrieval
from asof.rank.stage import Recipe
from asof.time.moment import When
from asof.time.span import Period

try:
    from haystack import Document, component, default_to_dict
except ModuleNotFoundError as error:
    raise missing_extra("asof.extensions.adapters.haystack", "haystack", "haystack") from error


@component
class HaystackRetriever:
    """Documents of an asof corpus, as of any date, in a pipeline.

    `index`: the folder in which `.asof` lies; or `corpus`, an open one. `top_k` is the number of documents;
    the other options are those of `asof.extensions.adapters.retrieval.SearchOptions`. What a document's
    `meta` holds is said in `asof.extensions.adapters.retrieval.metadata`. Raises UsageError.
    """

    def __init__(
        self, index: str | Path | None = None, *, corpus: Corpus | None = None, top_k: int | None = None,
        as_of: When | None = None, known_at: When | None = None, since: When | None = None,
        until: When | None = None, recipe: str | Recipe | None = None, unit: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.retrieval = Retrieval(CorpusHandle(index, corpus), {
            "k": top_k, "as_of": as_of, "known_at": known_at, "since": since, "until": until,
            "recipe": recipe, "unit": unit, "where": where,
        })  # fmt: skip

    def warm_up(self) -> None:
        """Open the corpus. Raises NoCorpus, and what else `asof.open` does."""
        self.retrieval.handle.corpus()

    def close(self) -> None:
        """Close the corpus, if it was opened here."""
        self.retrieval.handle.close()

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, top_k: int | None = None, as_of: str | None = None, known_at: str | None = None,
        since: str | None = None, until: str | None = None,
    ) -> dict[str, list[Document]]:  # fmt: skip
        """The documents for a query, best first. Other arguments replace the options.

        Raises what `Snapshot.search` raises.
        """
        overrides = {"k": top_k, "as_of": as_of, "known_at": known_at, "since": since, "until": until}
        found = self.retrieval.search(query, overrides)
        return {
            "documents": [
                Document(id=each.hit.id, content=each.hit.text, meta=each.metadata, score=each.hit.score)
                for each in found.passages
            ]
        }

    def to_dict(self) -> dict[str, Any]:
        """The component as plain values; an open corpus is written as its folder.

        Raises UsageError for a recipe that is not given by its name.
        """
        options = json.loads(json.dumps(dict(self.retrieval.options), default=_plain))
        if "k" in options:
            options["top_k"] = options.pop("k")
        written: dict[str, Any] = default_to_dict(self, index=str(self.retrieval.handle.folder), **options)
        return written


def _plain(value: object) -> object:
    """A value that JSON can hold. Raises UsageError for one that has no such form."""
    if isinstance(value, Period | date):
        return str(value) if isinstance(value, Period) else value.isoformat()
    if isinstance(value, set | frozenset):
        return list(value)
    raise UsageError(f"{value!r:.60} cannot be written: give it by its name, as a text")
