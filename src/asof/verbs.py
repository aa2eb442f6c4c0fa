"""The verbs: what can be asked of a corpus, each with its parameters, its result and an example.

HTTP and tools of assistants follow from this table. An extension brings verbs by the entry point group
`asof.verbs`. Unknown parameters are refused, with the nearest name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from asof import plugins, wire
from asof.corpus.corpus import Corpus
from asof.corpus.memory import Forgotten, Memory, Remembered
from asof.corpus.snapshot import Context
from asof.errors import UsageError
from asof.hits import Answer
from asof.parameters import (
    AskParameters,
    CalendarParameters,
    ChangesParameters,
    ContextParameters,
    CorrectParameters,
    DiffParameters,
    DocumentParameters,
    DocumentsParameters,
    ForgetParameters,
    LinksParameters,
    ListParameters,
    RememberParameters,
    SearchParameters,
    StatusParameters,
    TimelineParameters,
    WhenParameters,
    WhyNotParameters,
    mistake,
)
from asof.results import (
    CalendarResult,
    DocumentList,
    DocumentPage,
    DocumentResult,
    LinksResult,
    ListedDocument,
    SearchResult,
    StatusResult,
    WhenResult,
    WhyNotResult,
)
from asof.revisions.edits import Changes
from asof.revisions.timeline import Timeline
from asof.wire import replace

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
        return self.encoded(asked, self.run(corpus, asked))

    def encoded(self, asked: Struct, value: object) -> dict[str, Any]:
        """The JSON of a value that `run` gave."""
        return wire.encode(value, *(["explain"] if getattr(asked, "explain", False) else []))

    def read(self, given: Mapping[str, Any]) -> Any:
        """The parameters from texts, or from JSON. Raises UsageError, which names what is wrong."""
        fields = _fields(self.parameters)
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
        return {**msgspec.json.decode(_schema(self.parameters)), "additionalProperties": False}


@cache
def _fields(parameters: type[Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """The fields of parameters by name: to find them takes a tenth of a search."""
    return {each.name: each for each in msgspec.structs.fields(parameters)}


@cache
def _schema(parameters: type[Struct]) -> bytes:
    """The JSON Schema of parameters, as a text that nobody can change."""
    return msgspec.json.encode(msgspec.json.schema(parameters)["$defs"][parameters.__name__])


SHOWN = 5
"""The number of mistakes that are named."""


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
    return SearchResult.of(*asked.results(corpus))


def ask(
    corpus: Corpus, asked: AskParameters, on_text: OnText | None = None, budget: float | None = None
) -> Answer:
    then = asked.at(corpus)
    return then.ask(
        asked.q, mode=asked.mode, on_text=on_text, budget=budget, filters=asked.filters(then),
        recipe=asked.recipe,
    )  # fmt: skip


def context(corpus: Corpus, asked: ContextParameters) -> Context:
    then = asked.at(corpus)
    return then.context(
        asked.q, asked.tokens, unit="passage", recipe=asked.recipe, filters=asked.filters(then)
    )  # fmt: skip


def timeline(corpus: Corpus, asked: TimelineParameters) -> Timeline:
    then = asked.at(corpus)
    filters = replace(asked.filters(then), since=None, until=None)
    return then.timeline(asked.q, asked.k, since=asked.since, until=asked.until, filters=filters)


def diff(corpus: Corpus, asked: DiffParameters) -> Timeline:
    before, after = corpus.at(asked.a), corpus.at(asked.b)
    return before.diff(asked.q, after, filters=asked.filters(after))


def list_documents(corpus: Corpus, asked: ListParameters) -> DocumentList:
    then = asked.at(corpus)
    documents, count = then.newest(asked.k, asked.filters(then))
    first = then.beginnings([each.id for each in documents])
    listed = tuple(ListedDocument.of(each, first.get(each.id)) for each in documents)
    return DocumentList(then.as_of, then.known_at, listed, count - len(documents))


def changes(corpus: Corpus, asked: ChangesParameters, *, learned: bool = False) -> Changes:
    then = asked.at(corpus)
    filters = replace(asked.filters(then), since=None)
    return then.changes(asked.q, asked.k, since=asked.since, filters=filters, learned=learned)


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


def remember(corpus: Corpus, asked: RememberParameters) -> Remembered:
    return Memory(corpus).remember(
        asked.text, asked.subject, valid_from=asked.valid_from, valid_until=asked.valid_until,
        source=asked.source, tags=asked.tag, key=asked.key, confirm=asked.confirm,
    )  # fmt: skip


def correct(corpus: Corpus, asked: CorrectParameters) -> Remembered:
    return Memory(corpus).correct(
        asked.document, asked.text, valid_from=asked.valid_from, valid_until=asked.valid_until,
        confirm=asked.confirm,
    )  # fmt: skip


def forget(corpus: Corpus, asked: ForgetParameters) -> Forgotten:
    return Memory(corpus).forget(asked.document, confirm=asked.confirm)


_WHO = {"q": "who is the harbour master", "as_of": "2019-06-01"}

VERBS = (
    Verb("search", SearchParameters, "search", search, {**_WHO, "k": 3}),
    Verb("ask", AskParameters, "ask", ask, _WHO),
    Verb("context", ContextParameters, "context", context, {**_WHO, "tokens": 500}),
    Verb("timeline", TimelineParameters, "timeline", timeline, {"q": "harbour master"}),
    Verb("diff", DiffParameters, "diff", diff, {"q": "harbour master", "a": "2018", "b": "2022"}),
    Verb("list", ListParameters, "list", list_documents, {"since": "2021", "k": 3}),
    Verb("changes", ChangesParameters, "changes", changes, {"since": "2021-06", "as_of": "2022", "k": 3}),
    Verb("links", LinksParameters, "links", links, {"document": "The Mole"}),
    Verb("why-not", WhyNotParameters, "why-not", why_not, {**_WHO, "document": "The Mole"}),
    Verb("when", WhenParameters, "when", when, {"q": "the latest fares as of June 2021"}),
    Verb("document", DocumentParameters, "document", document, {"document": "The Mole", "as_of": "2022"}),
    Verb("documents", DocumentsParameters, "documents", documents, {"k": 2}),
    Verb("calendar", CalendarParameters, "calendar", calendar, {}),
    Verb("status", StatusParameters, "status", status, {}),
)
"""The verbs of the core, all of which read."""


WRITES = (
    Verb("remember", RememberParameters, "remember", remember, {"text": "The office is in Ghent."}),
    Verb("correct", CorrectParameters, "remember", correct,
         {"document": "memory/key-1", "text": "The office is in Antwerp."}),
    Verb("forget", ForgetParameters, "forget", forget, {"document": "memory/key-1"}),
)  # fmt: skip
"""Those that write notes: by POST, and as tools of assistants that may write."""


@cache
def all_verbs() -> Mapping[str, Verb]:
    """The verbs of the core and of extensions, by name."""
    offered: Iterable[tuple[Verb, ...]] = plugins.load_all(plugins.VERBS).values()
    return {verb.name: verb for verbs in (VERBS, *offered) for verb in verbs}
