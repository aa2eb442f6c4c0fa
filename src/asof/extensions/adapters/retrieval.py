"""What all adapters do: ask `Snapshot.search` with their options, and give hits with their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from asof.extensions.adapters.corpus_handle import CorpusHandle
from asof.extensions.adapters.metadata import metadata
from asof.extensions.adapters.options import merged
from asof.models.ports import one_line
from asof.text.passages import passage_header
from asof.values import Hit


class FoundPassage(NamedTuple):
    """A hit and its metadata (see `asof.extensions.adapters.metadata`)."""

    hit: Hit
    metadata: dict[str, Any]

    @property
    def headed(self) -> str:
        """The passage below its title and its date, as a language model should see it."""
        head = passage_header(self.hit.title or self.hit.document, self.hit.published)
        return f"{one_line(head)}\n{self.hit.text}"


class Found(NamedTuple):
    """What was found for a question, best first, and the notes of the search."""

    passages: tuple[FoundPassage, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A corpus and the options with which it is asked (`asof.extensions.adapters.options.SearchOptions`).

    Raises UsageError for options that are not known.
    """

    handle: CorpusHandle
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", merged(self.options, {}))

    def changed(self, overrides: Mapping[str, Any]) -> Retrieval:
        """The same corpus, asked with other options."""
        return replace(self, options=merged(self.options, overrides))

    def search(self, question: str, overrides: Mapping[str, Any] | None = None) -> Found:
        """The passages for a question. `overrides` stand in place of the options, for this question.

        Raises UsageError, BadTime, BeforeHorizon, ModelError, NoCorpus.
        """
        asked = merged(self.options, overrides or {})
        as_of, known_at = asked.pop("as_of", None), asked.pop("known_at", None)
        explain, where = asked.pop("explain", False), asked.pop("where", {})
        results = self.handle.corpus().at(as_of, known_at).search(question, **asked, **where)
        passages = (FoundPassage(hit, metadata(hit, explain=explain)) for hit in results.hits)
        return Found(tuple(passages), results.notes)

    def not_later(self, as_of: str | None) -> Any:
        """`as_of`, or that of the options where it is earlier, or the only one that is given."""
        own = self.options.get("as_of")
        if own is None or as_of is None:
            return own if as_of is None else as_of
        corpus = self.handle.corpus()
        return as_of if corpus.at(as_of).as_of <= corpus.at(own).as_of else own
