"""The verbs: what can be asked of a corpus, each with its parameters, its result and an example.

Surfaces follow from this table: options of commands (`asof.cli.main.verb_command`), HTTP parameters and their
description, and tools of assistants. An extension brings verbs by the entry point group `asof.verbs`. Unknown
parameters are refused, with the nearest name.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from asof import plugins, wire
from asof.corpus.asking import LONGEST_QUESTION
from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.results import (
    CalendarResult,
    DocumentPage,
    DocumentResult,
    LinksResult,
    SearchResult,
    StatusResult,
    WhenResult,
    WhyNotResult,
)
from asof.revisions.timeline import Difference, Timeline
from asof.values import Answer, Filters

# -- parameters ----------------------------------------------------------------------------------------

MOST_HITS = 100
MOST_DOCUMENTS = 1_000
MOST_NAME = 4_200
"""Characters of a document's id, or of a hit's."""
MOST_CHARACTERS = 1_000_000

PAIR = r"^[^=\x00]+=[^\x00]+$"

Text = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_QUESTION, description="the question, or some words")
]
Name = Annotated[str, Meta(min_length=1, max_length=MOST_NAME)]
Moment = Annotated[str, Meta(min_length=1, max_length=100, extra={"metavar": "T"})]
"""A date, a period or a moment: 2024-03-05, 2024-Q1, spring 2021, 2024-03-05T12:00Z."""
Word = Annotated[str, Meta(max_length=1_000)]
RecipeName = Annotated[
    Annotated[str, Meta(max_length=100)] | None,
    Meta(description="what ranks, see asof recipes (default: asof)", extra={"metavar": "NAME"}),
]
Hits = Annotated[
    Annotated[int, Meta(ge=1, le=MOST_HITS)] | None, Meta(description="number of hits (default: 10)")
]
Unit = Annotated[Literal["passage", "document"] | None, Meta(description="what is ranked")]
Explain = Annotated[bool, Meta(description="with the tree of each score")]
Document = Annotated[
    str,
    Meta(min_length=1, max_length=MOST_NAME, description="its id, title, file name or part of its path"),
]


class Parameters(Struct, frozen=True, kw_only=True):
    """The two moments at which a corpus is asked."""

    as_of: Annotated[
        Moment | None, Meta(description="what was current then (a date: the end of that day)")
    ] = None
    known_at: Annotated[Moment | None, Meta(description="only what the index contained by then")] = None

    def at(self, corpus: Corpus) -> Snapshot:
        """The state of the corpus that is asked."""
        return corpus.at(self.as_of, self.known_at)


class Question(Parameters, frozen=True, kw_only=True):
    """A question, and which passages may answer it."""

    q: Text
    since: Annotated[Moment | None, Meta(description="only passages published since then")] = None
    until: Annotated[Moment | None, Meta(description="only passages published until then")] = None
    about: Annotated[Moment | None, Meta(description="only passages about that time")] = None
    recipe: RecipeName = None


class FilteredQuestion(Question, frozen=True, kw_only=True):
    """A question to documents of a kind, and what is ranked how."""

    source: Annotated[
        Word, Meta(description="only this source, see asof status", extra={"metavar": "NAME"})
    ] = ""
    path: Annotated[
        Word, Meta(description="only documents whose id fits: notes/*", extra={"metavar": "GLOB"})
    ] = ""
    tag: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(max_length=20, description="only documents with all of these tags"),
    ] = ()
    meta: Annotated[
        tuple[Annotated[str, Meta(pattern=PAIR, max_length=1_000)], ...],
        Meta(max_length=20, description="only documents with this metadata", extra={"metavar": "KEY=VALUE"}),
    ] = ()
    unit: Unit = None
    rerank: Annotated[bool | None, Meta(description="re-rank the first hits with the model of asof.toml")] = (
        None
    )
    k: Hits = None

    def ranking(self) -> dict[str, Any]:
        """What is ranked how, as `Snapshot.search` takes it."""
        return {"unit": self.unit, "recipe": self.recipe, "rerank": self.rerank}

    def filters(self, then: Snapshot) -> Filters:
        return then.filters(
            self.since, self.until, self.source, self.path, self.tag, map(_pair, self.meta), self.about
        )


class SearchParameters(FilteredQuestion, frozen=True, kw_only=True):
    """Find the best passages."""

    explain: Explain = False


class AskParameters(Question, frozen=True, kw_only=True):
    """Answer a question with citations, or refuse and say why."""

    mode: Annotated[
        Literal["auto", "local", "global"] | None,
        Meta(description="local (single passages), global (reports over periods), auto (whichever fits)"),
    ] = None
    tokens: Annotated[
        Annotated[int, Meta(ge=100, le=100_000)] | None,
        Meta(description="how much is read (default: 12000, global 24000)"),
    ] = None


class TimelineParameters(Parameters, frozen=True, kw_only=True):
    """The answers to a question over time."""

    q: Text
    since: Annotated[Moment | None, Meta(description="only what was current after the start of this")] = None
    until: Annotated[Moment | None, Meta(description="only what was current before the end of this")] = None
    recipe: RecipeName = None
    k: Annotated[int, Meta(ge=1, le=1_000, description="the newest k statements")] = 20


class DiffParameters(Struct, frozen=True, kw_only=True):
    """Compare the answers as of two moments."""

    q: Text
    a: Annotated[Moment, Meta(description="the one moment")]
    b: Annotated[Moment, Meta(description="the other moment")]
    recipe: RecipeName = None
    k: Hits = None


class LinksParameters(Parameters, frozen=True, kw_only=True):
    """The links of a document, in both directions."""

    document: Document
    depth: Annotated[int, Meta(ge=1, le=5, description="so many links away")] = 1


class WhyNotParameters(FilteredQuestion, frozen=True, kw_only=True):
    """Why a document is not among the hits, or at which rank it is."""

    document: Annotated[Name, Meta(description="a document's id or title, or a hit's id")]


class WhenParameters(Parameters, frozen=True, kw_only=True):
    """The times of a question, as they are read."""

    q: Text


class DocumentParameters(Parameters, frozen=True, kw_only=True):
    """A document as it stood, with its versions until then."""

    document: Document
    offset: Annotated[int, Meta(ge=0, le=2**40, description="the character to begin with")] = 0
    characters: Annotated[int, Meta(ge=1, le=MOST_CHARACTERS, description="how many to return")] = 100_000


class DocumentsParameters(Parameters, frozen=True, kw_only=True):
    """The current documents in order of id, a page at a time."""

    after: Annotated[str, Meta(max_length=MOST_NAME, description="`next` of the page before")] = ""
    contains: Annotated[Word, Meta(description="only those with this in id or title")] = ""
    k: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS, description="documents of a page")] = 100


class CalendarParameters(Parameters, frozen=True, kw_only=True):
    """The number of versions of documents published in each month."""


class StatusParameters(Struct, frozen=True, kw_only=True):
    """The contents of the corpus."""


# -- verbs ---------------------------------------------------------------------------------------------

OnText = Callable[[str], None]


class Verb(NamedTuple):
    """`result`: the name of the JSON Schema of the answer (`asof.results.all_shapes`), which `run` makes;
    `example`: parameters for the documentation."""

    name: str
    parameters: type[Struct]
    result: str
    run: Callable[[Corpus, Any], object]
    example: Mapping[str, Any]

    @property
    def summary(self) -> str:
        return (self.parameters.__doc__ or "").strip()

    def answer(self, corpus: Corpus, asked: Struct) -> dict[str, Any]:
        """The JSON of the answer."""
        return wire.encode(
            self.run(corpus, asked), *(["explain"] if getattr(asked, "explain", False) else [])
        )

    def read(self, given: Mapping[str, Any]) -> Any:
        """The parameters from texts, or from JSON. Raises UsageError, which names what is wrong."""
        fields = {each.name: each for each in msgspec.structs.fields(self.parameters)}
        values, wrong = {}, []
        for name in fields.keys() & given.keys():
            try:
                values[name] = msgspec.convert(given[name], fields[name].type, strict=False)
            except msgspec.ValidationError as error:
                wrong.append(mistake(name, given[name], str(error)))
        unknown = [name for name in given if name not in fields]
        wrong += [f"{name} is missing" for name in fields if fields[name].required and name not in given]
        if unknown or wrong:
            raise UsageError(_mistakes(unknown, sorted(wrong), list(fields)))
        return self.parameters(**values)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the parameters."""
        whole = msgspec.json.schema(self.parameters)
        found: dict[str, Any] = whole["$defs"][self.parameters.__name__]
        listed: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))  # tuples become lists
        return {**listed, "additionalProperties": False}


SHOWN = 5
"""The number of mistakes that are named."""


def mistake(name: str, given: Any, error: str) -> str:
    """What is wrong with the value of a parameter, by an error of msgspec."""
    expected, _, place = error.partition(" - at `$")
    at = re.sub(r"\[(\d+)\]", r".\1", place.rstrip("`"))
    for part in at.split(".")[1:]:
        given = given[int(part)]
    expected = "key=value is expected" if "matching regex" in expected else expected
    shown = "" if isinstance(given, dict | list | tuple) else f" {given!r:.80}"
    return f"{name}{at}{shown}: {expected[:1].lower()}{expected[1:]}"


def _mistakes(unknown: list[str], wrong: list[str], known: list[str]) -> str:
    """The faults of parameters; the nearest name for an unknown one, or once all that are accepted."""
    said = wrong[:SHOWN]
    shown = unknown[: SHOWN - len(said)]
    for name in shown:
        near = get_close_matches(name, known, 1, 0.5)
        said.append(f"no parameter {name[:80]!r}" + (f"; did you mean {near[0]}?" if near else ""))
        if not near and name == shown[-1]:
            said.append(f"accepted: {', '.join(known) or 'none'}")
    more = len(unknown) + len(wrong) - SHOWN
    return "; ".join([*said, f"and {more:,} more"] if more > 0 else said)


def search(corpus: Corpus, asked: SearchParameters) -> SearchResult:
    started = time.perf_counter()
    then = asked.at(corpus)
    results = then.search(asked.q, asked.k, filters=asked.filters(then), **asked.ranking())
    return SearchResult.of(results, 1000 * (time.perf_counter() - started))


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def ask(
    corpus: Corpus, asked: AskParameters, on_text: OnText | None = None, budget: float | None = None
) -> Answer:
    then = asked.at(corpus)
    return then.ask(
        asked.q, mode=asked.mode, filters=then.filters(asked.since, asked.until, about=asked.about),
        recipe=asked.recipe, tokens=asked.tokens, on_text=on_text, budget=budget,
    )  # fmt: skip


def timeline(corpus: Corpus, asked: TimelineParameters) -> Timeline:
    return asked.at(corpus).timeline(
        asked.q, asked.k, since=asked.since, until=asked.until, recipe=asked.recipe
    )


def diff(corpus: Corpus, asked: DiffParameters) -> Difference:
    return corpus.at(asked.a).diff(asked.q, corpus.at(asked.b), asked.k, recipe=asked.recipe)


def links(corpus: Corpus, asked: LinksParameters) -> LinksResult:
    then = asked.at(corpus)
    return LinksResult(then.links(asked.document, asked.depth), then.as_of, then.known_at)


def why_not(corpus: Corpus, asked: WhyNotParameters) -> WhyNotResult:
    then = asked.at(corpus)
    verdict = then.why_not(asked.document, asked.q, asked.k, filters=asked.filters(then), **asked.ranking())
    return WhyNotResult(verdict, then.as_of, then.known_at)


def when(corpus: Corpus, asked: WhenParameters) -> WhenResult:
    then = asked.at(corpus)
    return WhenResult.of(then.read(asked.q), then.as_of)


def document(corpus: Corpus, asked: DocumentParameters) -> DocumentResult:
    then = asked.at(corpus)
    return DocumentResult.of(then.document(asked.document), then, asked.offset, asked.characters)


def documents(corpus: Corpus, asked: DocumentsParameters) -> DocumentPage:
    then = asked.at(corpus)
    return DocumentPage.of(then.documents(asked.after, asked.k + 1, asked.contains), asked.k, then)


def calendar(corpus: Corpus, asked: CalendarParameters) -> CalendarResult:
    then = asked.at(corpus)
    return CalendarResult.of(then.calendar(), then)


def status(corpus: Corpus, asked: StatusParameters) -> StatusResult:  # noqa: ARG001
    return StatusResult(corpus.status())


_WHO = {"q": "who is the harbour master", "as_of": "2019-06-01"}

VERBS = (
    Verb("search", SearchParameters, "search", search, {**_WHO, "k": 3}),
    Verb("ask", AskParameters, "ask", ask, _WHO),
    Verb("timeline", TimelineParameters, "timeline", timeline, {"q": "harbour master"}),
    Verb("diff", DiffParameters, "diff", diff, {"q": "harbour master", "a": "2018", "b": "2022"}),
    Verb("links", LinksParameters, "links", links, {"document": "The Mole"}),
    Verb("why-not", WhyNotParameters, "why-not", why_not, {**_WHO, "document": "The Mole"}),
    Verb("when", WhenParameters, "when", when, {"q": "the latest fares as of June 2021"}),
    Verb("document", DocumentParameters, "document", document, {"document": "The Mole", "as_of": "2022"}),
    Verb("documents", DocumentsParameters, "documents", documents, {"k": 2}),
    Verb("calendar", CalendarParameters, "calendar", calendar, {}),
    Verb("status", StatusParameters, "status", status, {}),
)
"""The verbs of the core, all of which read."""


@cache
def all_verbs() -> Mapping[str, Verb]:
    """The verbs of the core and of extensions, by name."""
    offered: Iterable[tuple[Verb, ...]] = plugins.load_all(plugins.VERBS).values()
    return {verb.name: verb for verbs in (VERBS, *offered) for verb in verbs}
