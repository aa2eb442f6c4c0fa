"""The tools: what each takes, the verb that answers, and the text that an assistant reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.mcp import parameters as m
from asof.mcp import texts
from asof.serialize.documents import passage_json
from asof.verbs import parameters as p
from asof.verbs import verbs
from asof.verbs.wrong import wrong_parameters

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """`call` gives the text to read, and the JSON for programs."""

    name: str
    arguments: type[BaseModel]
    call: Callable[[Corpus, Any], tuple[str, Json]]

    @property
    def description(self) -> str:
        return (self.arguments.__doc__ or "").strip()

    def run(self, corpus: Corpus, given: Mapping[str, Any]) -> tuple[str, Json]:
        """The answer to a call. Raises UsageError for arguments that are wrong, and what verbs raise."""
        try:
            arguments = self.arguments.model_validate(dict(given), strict=False)
        except ValidationError as error:
            raise UsageError(wrong_parameters(error.errors(), self.arguments.model_fields)) from None
        return self.call(corpus, arguments)


def search(corpus: Corpus, asked: m.SearchArguments) -> tuple[str, Json]:
    found = verbs.search(corpus, p.Search(
        q=asked.query, as_of=asked.as_of, known_at=asked.known_at, since=asked.since, until=asked.until,
        k=asked.k, explain=asked.explain,
    ))  # fmt: skip
    return texts.hits(found, asked.tokens), found


def ask(corpus: Corpus, asked: m.AskArguments) -> tuple[str, Json]:
    found = verbs.ask(corpus, p.Ask(
        q=asked.question, as_of=asked.as_of, known_at=asked.known_at, since=asked.since, until=asked.until,
    ))  # fmt: skip
    return texts.answer_text(found, asked.tokens), found


def open_document(corpus: Corpus, asked: m.OpenArguments) -> tuple[str, Json]:
    then = corpus.at(asked.as_of, asked.known_at)
    passage = then.passage(asked.id)
    if passage is not None:
        found = passage_json(passage, then.as_of, then.known_at)
        return texts.passage_text(found, asked.tokens), found
    document = verbs.document(corpus, p.Document(
        document=asked.id, as_of=asked.as_of, known_at=asked.known_at, offset=asked.offset,
        characters=p.MOST_CHARACTERS,
    ))  # fmt: skip
    return texts.document_text(document, asked.tokens), document


def timeline(corpus: Corpus, asked: m.TimelineArguments) -> tuple[str, Json]:
    found = verbs.timeline(corpus, p.Timeline(
        q=asked.query, as_of=asked.as_of, known_at=asked.known_at, since=asked.since, until=asked.until,
        k=asked.k,
    ))  # fmt: skip
    return texts.timeline_text(found, asked.tokens), found


def compare(corpus: Corpus, asked: m.CompareArguments) -> tuple[str, Json]:
    found = verbs.diff(corpus, p.Diff(q=asked.query, a=asked.a, b=asked.b, k=asked.k))
    return texts.comparison(found, asked.tokens), found


def neighbors(corpus: Corpus, asked: m.NeighborsArguments) -> tuple[str, Json]:
    if (asked.document is None) == (asked.name is None):
        raise UsageError("give either a document or a name: the one has links, the other facts around it")
    if asked.document is not None:
        linked = verbs.links(
            corpus, p.Links(document=asked.document, as_of=asked.as_of, known_at=asked.known_at)
        )
        return texts.link_text(linked, asked.tokens), linked
    around = verbs.graph(corpus, p.Graph(around=asked.name or "", as_of=asked.as_of, known_at=asked.known_at))
    return texts.graph_text(around, asked.tokens), around


def stale(corpus: Corpus, asked: m.StaleArguments) -> tuple[str, Json]:
    found = verbs.stale(corpus, p.Stale(
        path=asked.documents, as_of=asked.as_of, known_at=asked.known_at, since=asked.since, k=asked.k
    ))  # fmt: skip
    return texts.stale_text(found, asked.tokens), found


def status(corpus: Corpus, asked: m.StatusArguments) -> tuple[str, Json]:  # noqa: ARG001
    found = verbs.status(corpus, p.Status())
    return texts.status_text(found), found


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("search", m.SearchArguments, search),
        Tool("ask", m.AskArguments, ask),
        Tool("open", m.OpenArguments, open_document),
        Tool("timeline", m.TimelineArguments, timeline),
        Tool("compare", m.CompareArguments, compare),
        Tool("neighbors", m.NeighborsArguments, neighbors),
        Tool("stale", m.StaleArguments, stale),
        Tool("status", m.StatusArguments, status),
    )
}  # fmt: skip
"""All tools, by name."""
