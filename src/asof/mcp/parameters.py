"""The arguments of the tools. What an assistant reads of them stands in their descriptions."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from asof.verbs.parameters import MOST_HITS, Name, Text, Time

Tokens = Annotated[int, Field(ge=50, le=50_000, description="at most so many tokens of text are returned")]


class Arguments(BaseModel):
    """The two moments at which the corpus is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: Annotated[Time, Field(description="what was current then; nothing published later is seen")] = None
    known_at: Annotated[Time, Field(description="only what the index contained by then")] = None


class SearchArguments(Arguments):
    """Find the best passages of documents, as they stood on any date."""

    query: Annotated[Text, Field(description="a question, or some words")]
    since: Annotated[Time, Field(description="only passages published since then")] = None
    until: Annotated[Time, Field(description="only passages published until then")] = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of passages")] = 5
    tokens: Tokens = 2_000
    explain: Annotated[bool, Field(description="structured content with the tree of each score")] = False


class AskArguments(Arguments):
    """Answer a question with quotes of documents as they stood, or say why there is no answer."""

    question: Annotated[Text, Field(description="the question")]
    since: Annotated[Time, Field(description="only passages published since then")] = None
    until: Annotated[Time, Field(description="only passages published until then")] = None
    tokens: Tokens = 2_000


class OpenArguments(Arguments):
    """Read a document as it stood, or a passage that was cited."""

    id: Annotated[Name, Field(description="a document's id or title, or the id of a passage in brackets")]
    offset: Annotated[int, Field(ge=0, le=2**40, description="the character to begin with")] = 0
    tokens: Tokens = 2_000


class ResourceArguments(Arguments):
    """What the address of a document says."""

    document: Name


class TimelineArguments(Arguments):
    """How the answer to a question changed over time, oldest first."""

    query: Annotated[Text, Field(description="a question, or some words")]
    since: Annotated[Time, Field(description="only what was current after the start of this")] = None
    until: Annotated[Time, Field(description="only what was current before the end of this")] = None
    k: Annotated[int, Field(ge=1, le=1_000, description="the newest k statements")] = 20
    tokens: Tokens = 2_000


class CompareArguments(BaseModel):
    """What changed in the answer to a question between two dates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: Annotated[Text, Field(description="a question, or some words")]
    a: Annotated[str, Field(min_length=1, max_length=100, description="the earlier date")]
    b: Annotated[str, Field(min_length=1, max_length=100, description="the later date")]
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of passages of each")] = 5
    tokens: Tokens = 2_000


class NeighborsArguments(Arguments):
    """What is linked with a document, or known around a name."""

    document: Annotated[Name | None, Field(description="a document, for its links in and out")] = None
    name: Annotated[Name | None, Field(description="a name, for the entities around it and their facts")] = (
        None
    )
    tokens: Tokens = 2_000


class StaleArguments(Arguments):
    """What current documents say that rests on what is no longer so: stale links, times that have passed."""

    documents: Annotated[
        list[Name], Field(max_length=100, description="only these: ids, titles, folders, patterns (notes/*)")
    ] = []
    since: Annotated[Time, Field(description="only what became stale since then")] = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of sentences")] = 10
    tokens: Tokens = 2_000


class StatusArguments(BaseModel):
    """What the corpus holds: documents, how they are dated, from when to when."""

    model_config = ConfigDict(extra="forbid", frozen=True)
