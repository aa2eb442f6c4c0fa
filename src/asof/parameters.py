"""The parameters of the verbs: name, type, bounds, default and purpose of each, once for all surfaces.

Commands have them as options (`asof.cli.main.verb_command`), HTTP and tools of assistants by their JSON
Schema (`asof.verbs`).
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from asof.corpus.asking import LONGEST_KEY, LONGEST_NOTE, LONGEST_QUESTION, LONGEST_SUBJECT, MOST_TAGS
from asof.queries import metadata_condition

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.corpus.snapshot import Snapshot
    from asof.engine import Results
    from asof.queries import Filters

MOST_HITS = 100
MOST_DOCUMENTS = 1_000
MOST_NAME = 4_200
"""Characters of a document's id, or of a hit's."""
MOST_CHARACTERS = 1_000_000

PAIR = r"^[^=<>!\x00]+(=|!=|<|>|<=|>=)[^\x00]+$"

Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_QUESTION,
        description='the question, or some words; with "a phrase", -word, a OR b, tag:, path:, after: ...',
    ),
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


AsOf = Annotated[Moment | None, Meta(description="what was current then (a date: the end of that day)")]
KnownAt = Annotated[Moment | None, Meta(description="only what the index contained by then")]


class Parameters(Struct, frozen=True, kw_only=True):
    """The two moments at which a corpus is asked."""

    as_of: AsOf = None
    known_at: KnownAt = None

    def at(self, corpus: Corpus) -> Snapshot:
        """The state of the corpus that is asked."""
        return corpus.at(self.as_of, self.known_at)


class OfDocuments(Struct, frozen=True, kw_only=True):
    """Which documents are meant."""

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
        Meta(
            max_length=20,
            description="only documents with this metadata: team=harbour, team=a|b, year>=2024, team!=*",
            extra={"metavar": "KEY=VALUE"},
        ),
    ] = ()

    def filters(self, then: Snapshot) -> Filters:
        """The filters, with those of time that there are."""
        since, until, about, in_force = (
            getattr(self, name, None) for name in ("since", "until", "about", "in_force")
        )
        meta = map(metadata_condition, self.meta)
        return then.filters(since, until, self.source, self.path, self.tag, meta, about, in_force)


class OfDocumentsThen(OfDocuments, frozen=True, kw_only=True):
    """Which documents are meant, and the two moments at which a corpus is asked."""

    as_of: AsOf = None
    known_at: KnownAt = None

    def at(self, corpus: Corpus) -> Snapshot:
        """The state of the corpus that is asked."""
        return corpus.at(self.as_of, self.known_at)


class Question(OfDocumentsThen, frozen=True, kw_only=True):
    """A question, and which passages may answer it."""

    q: Text
    since: Annotated[Moment | None, Meta(description="only passages published since then")] = None
    until: Annotated[Moment | None, Meta(description="only passages published until then")] = None
    about: Annotated[Moment | None, Meta(description="only passages about that time")] = None
    in_force: Annotated[Moment | None, Meta(description="what is in force then comes first")] = None
    recipe: RecipeName = None


class FilteredQuestion(Question, frozen=True, kw_only=True):
    """A question to documents of a kind, and what is ranked how."""

    unit: Unit = None
    rerank: Annotated[bool | None, Meta(description="re-rank the first hits with the model of asof.toml")] = (
        None
    )
    k: Hits = None

    def ranking(self) -> dict[str, Any]:
        """What is ranked how, as `Snapshot.search` takes it."""
        return {"unit": self.unit, "recipe": self.recipe, "rerank": self.rerank}


class SearchParameters(FilteredQuestion, frozen=True, kw_only=True):
    """Find the best passages."""

    explain: Explain = False

    def results(self, corpus: Corpus) -> tuple[Results, float]:
        """The results, and the milliseconds that the search took."""
        started = time.perf_counter()
        then = self.at(corpus)
        results = then.search(self.q, self.k, filters=self.filters(then), **self.ranking())
        return results, 1000 * (time.perf_counter() - started)


class AskParameters(Question, frozen=True, kw_only=True):
    """Answer a question with citations, or refuse and say why."""

    mode: Annotated[
        Literal["auto", "local", "global"] | None,
        Meta(description="local (single passages), global (reports over periods), auto (whichever fits)"),
    ] = None


class ContextParameters(Question, frozen=True, kw_only=True):
    """The best passages for a question as one text for a prompt, by rank."""

    tokens: Annotated[int, Meta(ge=50, le=100_000, description="its size at most")] = 4_000


class TimelineParameters(OfDocumentsThen, frozen=True, kw_only=True):
    """The answers to a question over time."""

    q: Text
    since: Annotated[Moment | None, Meta(description="only what was current after the start of this")] = None
    until: Annotated[Moment | None, Meta(description="only what was current before the end of this")] = None
    k: Annotated[int, Meta(ge=1, le=1_000, description="the newest k statements")] = 20


class DiffParameters(OfDocuments, frozen=True, kw_only=True):
    """The answers to a question as of two moments and between them."""

    q: Text
    a: Annotated[Moment, Meta(description="the one moment")]
    b: Annotated[Moment, Meta(description="the other moment")]


class ListParameters(OfDocumentsThen, frozen=True, kw_only=True):
    """The current documents of a time or a kind, the newest first."""

    since: Annotated[Moment | None, Meta(description="only those published since then")] = None
    until: Annotated[Moment | None, Meta(description="only those published until then")] = None
    k: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS, description="documents")] = 50


class ExportParameters(OfDocumentsThen, frozen=True, kw_only=True):
    """The statements of the current documents of a time or a kind."""

    since: Annotated[Moment | None, Meta(description="only what was published since then")] = None
    until: Annotated[Moment | None, Meta(description="only what was published until then")] = None


class ChangesParameters(OfDocumentsThen, frozen=True, kw_only=True):
    """What was added, changed or removed in documents since a date."""

    q: Annotated[Text, Meta(description="what the changes are about")] = ""
    since: Annotated[Moment | None, Meta(description="from then on (default: a week)")] = None
    k: Annotated[int, Meta(ge=1, le=MOST_DOCUMENTS, description="documents")] = 50


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


_TOO_LONG = re.compile(r"Expected `str` of length <= (\d+)")


def mistake(name: str, given: Any, error: str) -> str:
    """What is wrong with the value of a parameter, by an error of msgspec."""
    expected, _, place = error.partition(" - at `$")
    at = re.sub(r"\[(\d+)\]", r".\1", place.rstrip("`"))
    for part in at.split(".")[1:]:
        given = given[int(part)]
    if isinstance(given, str) and (most := _TOO_LONG.fullmatch(expected)):
        return f"the {name}{at} has {len(given):,} characters; accepted: up to {int(most[1]):,}"
    expected = "key=value is expected (or !=, <, <=, >, >=)" if "matching regex" in expected else expected
    shown = "" if isinstance(given, dict | list | tuple) else f" {given!r:.80}"
    return f"{name}{at}{shown}: {expected[:1].lower()}{expected[1:]}"


# -- notes (`asof.corpus.memory`) ----------------------------------------------------------------------

Note = Annotated[
    str,
    Meta(
        min_length=1, max_length=LONGEST_NOTE,
        description=f"one statement, in full words, up to {LONGEST_NOTE:,} characters",
    ),
]  # fmt: skip
NoteId = Annotated[
    str,
    Meta(
        min_length=1, max_length=MOST_NAME, description="its id (memory/...), that of its passage, or title"
    ),
]
Since = Annotated[Moment | None, Meta(description="since when it holds: 2027-05-01, friday")]
Until = Annotated[Moment | None, Meta(description="the last day on which it holds")]
Confirm = Annotated[bool, Meta(description="do it, after what it changes was shown")]


class RememberParameters(Struct, frozen=True, kw_only=True):
    """Store a note. One that would supersede something comes back with that, and is stored with `confirm`."""

    text: Note
    subject: Annotated[str, Meta(max_length=LONGEST_SUBJECT, description="what it is about: its title")] = ""
    valid_from: Since = None
    valid_until: Until = None
    source: Annotated[str, Meta(max_length=300, description="who said so")] = ""
    tag: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...],
        Meta(max_length=MOST_TAGS, description="tags"),
    ] = ()
    key: Annotated[
        str, Meta(max_length=LONGEST_KEY, description="sent twice with a key, a note is stored once")
    ] = ""
    confirm: Confirm = False


class CorrectParameters(Struct, frozen=True, kw_only=True):
    """Give a note another text from now on; what it said before stays as of then."""

    document: NoteId
    text: Note
    valid_from: Since = None
    valid_until: Until = None
    confirm: Confirm = False


class ForgetParameters(Struct, frozen=True, kw_only=True):
    """Erase a note with all its versions for good, with `confirm`; else show it."""

    document: NoteId
    confirm: Confirm = False
