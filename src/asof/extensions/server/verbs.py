"""The verbs of the HTTP interface: for each its parameters, the type of its answer, an example, the function.

Unknown parameters are refused, with the nearest name that is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from asof.corpus.asking import LONGEST_QUESTION
from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.extensions.facts.stale import documents_meant, find_stale, stale_report
from asof.results import (
    CalendarResult,
    DocumentPage,
    DocumentResult,
    LinksResult,
    QuestionTimes,
    SearchResult,
    StatusResult,
    WhyNotResult,
)
from asof.wire import encode

# -- parameters ------------------------------------------------------------------------------------


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
    """The answers to a question over time."""

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
    """The facts about a subject, with their times and what replaced what."""

    subject: Annotated[Name, Field(description="any name of it")]
    relation: Annotated[
        str, Field(max_length=1_000, description="only facts with this in their relation")
    ] = ""
    since: Annotated[Time, Field(description="only facts that hold after the start of this")] = None
    until: Annotated[Time, Field(description="only facts that hold before the end of this")] = None
    k: Annotated[int, Field(ge=1, le=1_000, description="at most k facts")] = 40


class Report(Parameters):
    """The report of a period."""

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
    """The links of a document, in both directions."""

    document: Annotated[Name, Field(description="its id, title, file name or part of its path")]
    depth: Annotated[int, Field(ge=1, le=5, description="so many links away")] = 1


class Stale(Parameters):
    """Statements of current documents that are no longer true, worst first."""

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
    """The times of a question, as they are read."""

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
    """The number of versions of documents published in each month."""


class Status(BaseModel):
    """The contents of the corpus."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# -- verbs -----------------------------------------------------------------------------------------


OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Verb:
    """`schema`: the name of the JSON Schema of the answer (`asof.results.SHAPES`); `example`: its
    parameters in the documentation."""

    name: str
    parameters: type[BaseModel]
    schema: str
    answer: Callable[[Corpus, Any], Mapping[str, Any]]
    example: Mapping[str, Any]

    @property
    def summary(self) -> str:
        return (self.parameters.__doc__ or "").strip()


def _at(corpus: Corpus, asked: Parameters) -> Snapshot:
    return corpus.at(asked.as_of, asked.known_at)


def search(corpus: Corpus, asked: Search) -> Mapping[str, Any]:
    started = time.perf_counter()
    results = _at(corpus, asked).search(
        asked.q, asked.k, since=asked.since, until=asked.until, about=asked.about, source=asked.source,
        path=asked.path, tags=asked.tag, meta=[_pair(each) for each in asked.meta], unit=asked.unit,
        recipe=asked.recipe,
    )  # fmt: skip
    took = 1000 * (time.perf_counter() - started)
    return encode(SearchResult.of(results, took), *(["explain"] if asked.explain else []))


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def ask(corpus: Corpus, asked: Ask, on_text: OnText | None = None) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return encode(then.ask(
        asked.q, mode=asked.mode, filters=then.filters(asked.since, asked.until, about=asked.about),
        recipe=asked.recipe, tokens=asked.tokens, on_text=on_text,
    ))  # fmt: skip


def timeline(corpus: Corpus, asked: Timeline) -> Mapping[str, Any]:
    return encode(
        _at(corpus, asked).timeline(
            asked.q, asked.k, since=asked.since, until=asked.until, recipe=asked.recipe
        )
    )


def diff(corpus: Corpus, asked: Diff) -> Mapping[str, Any]:
    return encode(corpus.at(asked.a).diff(asked.q, corpus.at(asked.b), asked.k, recipe=asked.recipe))


def facts(corpus: Corpus, asked: Facts) -> Mapping[str, Any]:
    from asof.extensions.facts.indexer import facts as known_facts

    return encode(
        known_facts(
            _at(corpus, asked), asked.subject, asked.k, relation=asked.relation, since=asked.since,
            until=asked.until,
        )
    )  # fmt: skip


def report(corpus: Corpus, asked: Report) -> Mapping[str, Any]:
    from asof.extensions.facts.indexer import report as report_on

    return encode(report_on(_at(corpus, asked), asked.period, asked.about))


def graph(corpus: Corpus, asked: Graph) -> Mapping[str, Any]:
    from asof.extensions.facts.indexer import graph as around_entity

    return encode(around_entity(_at(corpus, asked), asked.around, asked.depth, asked.k))


def links(corpus: Corpus, asked: Links) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return encode(LinksResult(then.links(asked.document, asked.depth), then.as_of, then.known_at))


def stale(corpus: Corpus, asked: Stale) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    listed = find_stale(then, documents_meant(then, asked.path), since=asked.since, kinds=asked.kind)
    now = asked.as_of is None and asked.known_at is None
    report = stale_report(then, listed, asked.k, files=corpus.root if now else None)
    return encode(report, *(["explain"] if asked.explain else []))


def why_not(corpus: Corpus, asked: WhyNot) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    verdict = then.why_not(
        asked.document, asked.q, asked.k,
        filters=then.filters(asked.since, asked.until, about=asked.about), unit=asked.unit,
        recipe=asked.recipe,
    )  # fmt: skip
    return encode(WhyNotResult(verdict, then.as_of, then.known_at))


def when(corpus: Corpus, asked: When) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return encode(QuestionTimes.of(then.read(asked.q), then.as_of))


def document(corpus: Corpus, asked: Document) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return encode(DocumentResult.of(then.document(asked.document), then, asked.offset, asked.characters))


def documents(corpus: Corpus, asked: Documents) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    page = then.documents(asked.after, asked.k + 1, asked.contains)
    return encode(DocumentPage.of(page, asked.k, then))


def calendar(corpus: Corpus, asked: Calendar) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return encode(CalendarResult.of(then.calendar(), then))


def status(corpus: Corpus, asked: Status) -> Mapping[str, Any]:  # noqa: ARG001
    return encode(StatusResult(corpus.status()))


_WHO = {"q": "who is the harbour master", "as_of": "2019-06-01"}

VERBS = {
    verb.name: verb
    for verb in (
        Verb("search", Search, "search", search, {**_WHO, "k": 3}),
        Verb("ask", Ask, "ask", ask, _WHO),
        Verb("timeline", Timeline, "timeline", timeline, {"q": "harbour master"}),
        Verb("diff", Diff, "diff", diff, {"q": "harbour master", "a": "2018", "b": "2022"}),
        Verb("facts", Facts, "facts", facts, {"subject": "Runa Osterby"}),
        Verb("report", Report, "report", report, {"period": "2021-Q2"}),
        Verb("graph", Graph, "graph", graph, {"around": "May Hollis"}),
        Verb("links", Links, "links", links, {"document": "The Mole"}),
        Verb("stale", Stale, "stale", stale, {"as_of": "2024-06-01", "k": 2}),
        Verb("why-not", WhyNot, "why-not", why_not, {**_WHO, "document": "The Mole"}),
        Verb("when", When, "when", when, {"q": "the latest fares as of June 2021"}),
        Verb("document", Document, "document", document, {"document": "The Mole", "as_of": "2022"}),
        Verb("documents", Documents, "documents", documents, {"k": 2}),
        Verb("calendar", Calendar, "calendar", calendar, {}),
        Verb("status", Status, "status", status, {}),
    )
}  # fmt: skip
"""All verbs that read, by name."""


# -- messages for wrong parameters -----------------------------------------------------------------


SHOWN = 5
"""The number of mistakes that are named."""

FORMS = {PAIR: "key=value"}
"""The patterns of parameters in words."""


def wrong_parameters(errors: Sequence[Mapping[str, Any]], known: Iterable[str]) -> str:
    """The faults of parameters, a sentence for each; the nearest name for an unknown one, or once all
    that are accepted."""
    names, shown = list(known), errors[:SHOWN]
    unknown = [_name(each) for each in shown if each["type"] == "extra_forbidden"]
    said = [_sentence(each) for each in shown if each["type"] != "extra_forbidden"]
    for name in unknown:
        near = get_close_matches(name, names, 1, 0.5)
        said.append(f"no parameter {name[:80]!r}" + (f"; did you mean {near[0]}?" if near else ""))
        if not near and name == unknown[-1]:
            said.append(f"accepted: {', '.join(names) or 'none'}")
    if len(errors) > SHOWN:
        said.append(f"and {len(errors) - SHOWN:,} more")
    return "; ".join(said)


def _name(error: Mapping[str, Any]) -> str:
    path = [str(part) for part in error["loc"]]
    place = path[1:] if len(path) > 1 and path[0] in ("query", "body") else path
    return ".".join(place)


def _sentence(error: Mapping[str, Any]) -> str:
    name, given = _name(error), error.get("input")
    if error["type"] == "missing":
        return f"{name} is missing"
    if error["type"] == "json_invalid":
        return f"the body is no JSON: {error.get('ctx', {}).get('error', 'it ends too early')}"
    shown = "" if isinstance(given, dict | list) else f" {given!r:.80}"
    form = FORMS.get(error.get("ctx", {}).get("pattern", ""))
    message = f"{form} is expected" if form else str(error["msg"])
    return f"{name[:80]}{shown}: {message[:1].lower()}{message[1:]}"
