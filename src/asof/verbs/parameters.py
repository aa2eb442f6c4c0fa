"""The parameters of the verbs; what is not named here is refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from asof.corpus.query_reader import LONGEST_QUESTION

MOST_HITS = 100
MOST_DOCUMENTS = 1_000
MOST_NAME = 4_200
"""Characters of a document's id, or of a hit's."""
MOST_CHARACTERS = 1_000_000

PAIR = r"^[^=\x00]+=[^\x00]+$"

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
Name = Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
Time = Annotated[
    str | None,
    Field(
        min_length=1, max_length=100,
        description="a date, a period or a moment: 2024-03-05, 2024-Q1, spring 2021, 2024-03-05T12:00Z",
    ),
]  # fmt: skip
Recipe = Annotated[str | None, Field(max_length=100, description="what ranks (default: asof)")]


class Parameters(BaseModel):
    """The two moments at which a corpus is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: Annotated[Time, Field(description="what was current then (a date: the end of that day)")] = None
    known_at: Annotated[Time, Field(description="only what the index contained by then")] = None


class Question(Parameters):
    """A question, and which passages may answer it."""

    q: Annotated[Text, Field(description="the question, or some words")]
    since: Annotated[Time, Field(description="only passages published since then")] = None
    until: Annotated[Time, Field(description="only passages published until then")] = None
    about: Annotated[Time, Field(description="only passages about that time")] = None
    recipe: Recipe = None


class Search(Question):
    """Find the best passages."""

    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of hits")] = 10
    source: Annotated[str, Field(max_length=1_000, description="only this source")] = ""
    path: Annotated[str, Field(max_length=1_000, description="only documents whose id fits: notes/*")] = ""
    tag: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(max_length=20, description="only documents with all of these tags"),
    ] = []
    meta: Annotated[
        list[Annotated[str, Field(pattern=PAIR, max_length=1_000)]],
        Field(max_length=20, description="only documents with this metadata: key=value"),
    ] = []
    unit: Annotated[Literal["passage", "document"] | None, Field(description="what is ranked")] = None
    explain: Annotated[bool, Field(description="with the tree of each score")] = False


class Ask(Question):
    """Answer a question with citations, or refuse and say why."""

    mode: Annotated[
        Literal["auto", "local", "global"] | None, Field(description="single passages or reports")
    ] = None
    tokens: Annotated[int | None, Field(ge=100, le=100_000, description="how much is read")] = None


class Timeline(Parameters):
    """How the answer changed over time."""

    q: Annotated[Text, Field(description="the question, or some words")]
    since: Annotated[Time, Field(description="only what was current after the start of this")] = None
    until: Annotated[Time, Field(description="only what was current before the end of this")] = None
    recipe: Recipe = None
    k: Annotated[int, Field(ge=1, le=1_000, description="the newest k statements")] = 20


class Diff(BaseModel):
    """Compare the answers as of two moments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    q: Annotated[Text, Field(description="the question, or some words")]
    a: Annotated[str, Field(min_length=1, max_length=100, description="the one moment")]
    b: Annotated[str, Field(min_length=1, max_length=100, description="the other moment")]
    recipe: Recipe = None
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of hits of each")] = 10


class Facts(Parameters):
    """What is known of a subject: facts with their times, and what replaced what."""

    subject: Annotated[Name, Field(description="any name of it")]
    relation: Annotated[
        str, Field(max_length=1_000, description="only facts with this in their relation")
    ] = ""
    since: Annotated[Time, Field(description="only facts that hold after the start of this")] = None
    until: Annotated[Time, Field(description="only facts that hold before the end of this")] = None
    k: Annotated[int, Field(ge=1, le=1_000, description="at most k facts")] = 40


class Report(Parameters):
    """What happened in a period."""

    period: Annotated[Name, Field(description="2021, 2021-Q2, 2021-05 ...")]
    about: Annotated[str, Field(max_length=1_000, description="only what is known of this name or topic")] = (
        ""
    )


class Graph(Parameters):
    """The entities around one, and the facts between them."""

    around: Annotated[Name, Field(description="the one in the middle, by any of its names")]
    depth: Annotated[int, Field(ge=1, le=3, description="so many facts away")] = 1
    k: Annotated[int, Field(ge=1, le=1_000, description="at most k neighbours")] = 20


class Links(Parameters):
    """What a document links to, and what links to it."""

    document: Annotated[Name, Field(description="its id, title, file name or part of its path")]
    depth: Annotated[int, Field(ge=1, le=5, description="so many links away")] = 1


class Stale(Parameters):
    """What current documents say that rests on what is no longer so, worst first."""

    path: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=1_000)]],
        Field(max_length=20, description="only these: a document's id or title, a folder, notes/*"),
    ] = []
    since: Annotated[Time, Field(description="only what became stale since then")] = None
    kind: Annotated[
        list[Literal["quote", "link", "time"]], Field(max_length=3, description="only these")
    ] = []
    k: Annotated[int, Field(ge=1, le=1_000, description="at most k")] = 20
    explain: Annotated[bool, Field(description="with the tree of each score")] = False


class WhyNot(Question):
    """Why a document is not among the hits, or at which rank it is."""

    document: Annotated[Name, Field(description="a document's id or title, or a hit's id")]
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="number of hits")] = 10
    unit: Annotated[Literal["passage", "document"] | None, Field(description="what is ranked")] = None


class When(Parameters):
    """How the times of a question are read."""

    q: Annotated[Text, Field(description="the question")]


class Document(Parameters):
    """A document as it stood, with its versions until then."""

    document: Annotated[Name, Field(description="its id, title, file name or part of its path")]
    offset: Annotated[int, Field(ge=0, le=2**40, description="the character to begin with")] = 0
    characters: Annotated[int, Field(ge=1, le=MOST_CHARACTERS, description="how many to return")] = 100_000


class Documents(Parameters):
    """The current documents in order of id, a page at a time."""

    after: Annotated[str, Field(max_length=MOST_NAME, description="`next` of the page before")] = ""
    contains: Annotated[str, Field(max_length=1_000, description="only those with this in id or title")] = ""
    k: Annotated[int, Field(ge=1, le=MOST_DOCUMENTS, description="documents of a page")] = 100


class Calendar(Parameters):
    """How many versions of documents were published in each month."""


class Status(BaseModel):
    """What the corpus holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)
