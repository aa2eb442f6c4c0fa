"""What a question gives: hits with their explanations, citations, answers. All are frozen."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add, attrgetter, mul
from typing import Annotated, Any, NamedTuple, Protocol

from msgspec import Struct

from asof.documents import DATED_BY, PASSIVE, SourcedTime, force_words, shortened
from asof.time.span import DAY, NEVER, Instant, iso, label
from asof.wire import FLAT, HIDDEN, UNLESS_EMPTY, As, Only, field_values, one_of

# -- explanations: numbers with their formula ----------------------------------------------------------

_OPS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda parts: reduce(add, parts) if parts else 0.0,
    "product": lambda parts: reduce(mul, parts) if parts else 1.0,
    "ratio": lambda parts: parts[0] / parts[1],
    "max": max,
    "exp": lambda parts: math.exp(parts[0]),
    "log": lambda parts: math.log(parts[0]),
}
_COMPARED = attrgetter("label", "value", "op", "parts")


class MadeAt(Struct, frozen=True):
    """From what a node was made at a threshold, so that it can be made again at another: the stage (its name,
    in a recorded tree) and the field of the threshold, its value, and the numbers `of` which it was made,
    those below the threshold too."""

    stage: object
    field: str
    value: float
    of: tuple[float, ...]


class Why(Struct, frozen=True, eq=False):
    """A number that explains itself: `value` is `op` applied to the values of `parts`, left to right.

    `op` is one of given, sum, product, ratio, max, exp, log. A leaf (`given`) is a statistic that is stored
    (a count, a length, a date), a value of the query, or a constant of the recipe. `constant`: the stage (its
    name, in a recorded tree) and the field of a leaf whose number can be replaced, and the tree be computed
    again with another. `made`: the same of a node that depends on a threshold. Neither is compared.
    """

    label: Annotated[str, "what the number is"]
    value: Annotated[float, "`op` of the values of `parts`"]
    op: Annotated[str, one_of("given", "sum", "product", "ratio", "max", "exp", "log"), "a leaf: `given`"] = (
        "given"
    )
    parts: Annotated[tuple[Why, ...], UNLESS_EMPTY, "absent in a leaf"] = ()
    constant: Annotated[tuple[object, str] | None, HIDDEN] = None
    made: Annotated[MadeAt | None, HIDDEN] = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Why) and _COMPARED(self) == _COMPARED(other)

    @classmethod
    def of(cls, label: str, op: str, *parts: Why) -> Why:
        """The node that applies `op` to `parts`; its value is computed here."""
        return cls(label, _OPS[op]([part.value for part in parts]), op, parts)

    def recomputed(self) -> float:
        """The value computed anew from the leaves; equal to `value`, bit for bit, in every tree we make."""
        return self.value if self.op == "given" else _OPS[self.op]([*map(Why.recomputed, self.parts)])


# -- where a passage stands: its place and version, and how it is cited ---------------------------------


class VersionNumber(Struct, frozen=True):
    """Which version of a document something is of, of those until the moment asked; removals do not count."""

    number: Annotated[int, "from 1, the oldest"]
    of: Annotated[int, "how many versions there are"]


_PAGE = re.compile(r"(Page|Slide) ([0-9]+)(?::|$)")
_CELLS = re.compile(r"[A-Z]{1,3}[0-9]+:[A-Z]{1,3}[0-9]+")
LONGEST_PLACE = 80


def heading_above(headings: Sequence[str]) -> str:
    """The innermost of the headings above a passage that is no range of cells; "" without any."""
    return next((each for each in reversed(headings) if not _CELLS.fullmatch(each)), "")


def place_path(headings: Iterable[str], title: str = "") -> tuple[str, ...]:
    """The headings above a passage, without the header of a table that goes on, and the title itself."""
    path = [each for each in headings if " | " not in each]
    return tuple(path[1:] if path[:1] == [title] else path)


def place_name(headings: Iterable[str], title: str = "") -> str:
    """The place of a passage in a few words: its page, slide, sheet with cells, or innermost heading; "" at
    the top of a document.

    >>> place_name(["Page 4"]), place_name(["Slide 2: Costs"]), place_name(["2024", "A1:D20"])
    ('p. 4', 'slide 2', '2024 A1:D20')
    """
    path = place_path(headings, title)
    for heading in reversed(path):
        if page := _PAGE.match(heading):
            return f"p. {page[2]}" if page[1] == "Page" else f"slide {page[2]}"
    if not path:
        return ""
    return shortened(" ".join(path[-2:]) if _CELLS.fullmatch(path[-1]) else path[-1], LONGEST_PLACE)


FIRST_SAID = "the version of its document that said so first; null: not known"
STATUS = "when it is in force, or what supersedes it; then what amends it; nothing: no more is stated"
CITED = "how to cite it: title; page, slide, cells or heading; date; version, where there are several"

LONGEST_TITLE = 120
"""The most characters of a title in a citation."""


class Citable(Protocol):
    """What `cite` reads of a passage."""

    @property
    def document(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def published(self) -> SourcedTime | None: ...
    @property
    def headings(self) -> tuple[str, ...]: ...
    @property
    def version(self) -> VersionNumber | None: ...


def cite(one: Citable) -> tuple[str, ...]:
    """The parts of the citation of a passage: the title, the place, the date (ISO 8601, a period by its
    name), and the version where there are several."""
    parts = [shortened(one.title or one.document, LONGEST_TITLE), place_name(one.headings, one.title)]
    parts.append("undated" if one.published is None else label(one.published.span))
    if one.version is not None and one.version.of > 1:
        parts.append(f"version {one.version.number} of {one.version.of}")
    return tuple(filter(None, parts))


# -- hits ----------------------------------------------------------------------------------------------


class Superseded(Struct, frozen=True):
    """A later passage that states the same of the same subject."""

    at: Annotated[Instant, As("visible"), "since when it is in force"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]


class Amendment(Struct, frozen=True):
    """A document that amends or corrects another one, or a part of it."""

    kind: Annotated[str, one_of("amends", "corrects", "supersedes"), "what it does; a part is superseded"]
    at: Annotated[Instant, As("since"), "since when that counts"]
    document: Annotated[str, 'its id; "": only the amended document tells of it']
    title: Annotated[str, "its title"]
    part: Annotated[str, 'what it is on ("Article 4"); "": all']


class HitForce(NamedTuple):
    """What a view knows of the force of a hit: the fields of `Hit` of the same names."""

    superseded: Superseded | None = None
    in_force: SourcedTime | None = None
    amended: tuple[Amendment, ...] = ()
    holds: bool = True
    as_of: int = NEVER
    at: int = NEVER


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A passage that was found.

    `superseded`: see `asof.revisions.chains`. `as_of`: the instant of the view in which it was found; `at`:
    that of its status (`Query.date_of_status`)."""

    rank: Annotated[int, "from 1, best first"]
    score: Annotated[float, "the value of `why`"]
    id: Annotated[str, "the document's id, `#`, a digest of the passage: it survives edits elsewhere"]
    document: Annotated[str, "the id of its document"]
    title: Annotated[str, "the document's title"]
    uri: Annotated[str, "where the document is from"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    dated_by: Annotated[str, one_of(*DATED_BY), "where `published` was found"]
    about: Annotated[tuple[SourcedTime, ...], "the times that it speaks of, at most 16"]
    place: Annotated[Location, As("location"), "where it stands in the document"]
    text: Annotated[str, "the passage"]
    explain: Annotated[Callable[[], Why], HIDDEN] = field(repr=False, compare=False)
    superseded: Annotated[Superseded | None, As("superseded_by"), "null: it is current"] = None
    in_force: Annotated[
        SourcedTime | None,
        "when it holds; `by`: a field of the metadata, section, statement, document or published",
    ] = None
    amended: Annotated[tuple[Amendment, ...], As("amended_by"), "what changes it, in order of time"] = ()
    holds: Annotated[bool, "whether it is in force at the moment for which it was asked"] = True
    as_of: Annotated[int, HIDDEN] = field(default=NEVER, repr=False, compare=False)
    tags: Annotated[tuple[str, ...], "those of its document"] = ()
    meta: Annotated[Mapping[str, Any], "the metadata of its document, without dates that were read"] = field(
        default_factory=dict
    )
    version: Annotated[VersionNumber | None, FIRST_SAID] = None
    language: Annotated[str, "the one, of those of the corpus, by whose stems its words are found"] = ""
    at: Annotated[int, HIDDEN] = field(default=NEVER, repr=False, compare=False)

    def __repr__(self) -> str:
        return (
            f"Hit({self.rank}, {self.score:.4g}, {self.document!r}, {self.published or 'undated'!s}, "
            f"{shortened(self.text)!r})"
        )

    @property
    def why(self) -> Annotated[Why, Only("explain"), "how the score came about; only with `--explain`"]:
        """The tree whose root value is `score`."""
        return self.explain()

    @property
    def headings(self) -> tuple[str, ...]:
        """Those above the passage, from the top."""
        return self.place.headings

    @property
    def citation(self) -> Annotated[str, CITED]:
        """Title, place, date, version: "Travel policy, p. 4, 2024-11-20, version 3 of 5"."""
        return ", ".join(cite(self))

    @property
    def status(self) -> Annotated[tuple[str, ...], STATUS]:
        """When it is in force at the date that is asked for, or what supersedes it, and what amends it."""
        return status_of(self)


class Location(Struct, frozen=True):
    """The location of a passage in its document."""

    number: Annotated[int, "its number in the document, from 0"]
    start: Annotated[int, "the offset of its first character"]
    end: Annotated[int, "the offset behind its last character"]
    headings: Annotated[tuple[str, ...], "from the top; last the header of a table that goes on"] = ()


# -- answers -------------------------------------------------------------------------------------------

LOCAL, GLOBAL = "local", "global"
MODES = ("auto", LOCAL, GLOBAL)
"""The modes of an answer: from single passages, from reports over periods, or whichever fits the question."""


class Citation(Struct, frozen=True):
    """A passage that an answer rests on."""

    n: Annotated[int, "its number in the answer, from 1"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    about: Annotated[tuple[SourcedTime, ...], "the times that it speaks of"]
    quote: Annotated[str, "what is taken from it"]
    emphasis: Annotated[
        tuple[int, int] | None, "from, to: the characters of the quote that answer; null: all"
    ] = None
    superseded: Annotated[Superseded | None, As("superseded_by"), "null: it is current"] = None
    in_force: Annotated[
        SourcedTime | None,
        "when it holds; `by`: a field of the metadata, section, statement, document or published",
    ] = None
    amended: Annotated[tuple[Amendment, ...], As("amended_by"), "what changes it, in order of time"] = ()
    holds: Annotated[bool, "whether it is in force at the moment for which it was asked"] = True
    headings: Annotated[
        tuple[str, ...], "those above the passage, from the top; the page, slide or sheet of an office file"
    ] = ()
    version: Annotated[VersionNumber | None, FIRST_SAID] = None
    at: Annotated[int, HIDDEN] = NEVER

    @property
    def citation(self) -> Annotated[str, CITED]:
        """Title, place, date, version, as of a hit."""
        return ", ".join(cite(self))

    @property
    def status(self) -> Annotated[tuple[str, ...], STATUS]:
        """As of a hit."""
        return status_of(self)

    @classmethod
    def of(cls, n: int, hit: Hit, quote: str, emphasis: tuple[int, int] | None = None) -> Citation:
        """The citation of a hit, with its number in the answer."""
        return cls(
            n, hit.id, hit.document, hit.title, hit.published, hit.about, quote, emphasis, hit.superseded,
            hit.in_force, hit.amended, hit.holds, hit.place.headings, hit.version, hit.at,
        )  # fmt: skip


def status_of(one: Hit | Citation) -> tuple[str, ...]:
    """When a passage is in force, or what supersedes it, and what amends it; () where nothing is stated."""
    words, later = force_words(one.in_force, one.at), one.superseded
    if later is not None and (one.in_force is None or one.in_force.span.last + DAY >= later.at):
        words = f"superseded on {iso(later.at)[:10]} by {later.title or later.document}"
    acts = (
        f"{by.part} {PASSIVE[by.kind]} since {iso(by.at)[:10]} by {by.title or by.document}".strip()
        for by in one.amended
    )
    return tuple(filter(None, (words, *acts)))


class Value(Struct, frozen=True):
    """A cell of an answer's table."""

    name: Annotated[str, 'the subject; "": the only one']
    period: Annotated[str, 'the label of its period; "": none']
    measure: Annotated[str, "what was measured"]
    value: Annotated[str, "as it was written, or the beginning of the quote; or `not found`"]
    citation: Annotated[int | None, "the number of its citation; null: not found"]


class NotedPoint(Struct, frozen=True):
    """A point that a model noted in the evidence of an answer over periods (TG-RAG, section III-B4)."""

    text: str
    importance: Annotated[float, "how much it matters to the question, 0 to 100"]
    confidence: Annotated[float, "how sure the model is, 0 to 1"]
    periods: Annotated[tuple[str, ...], "what it is about, as `2024-Q1`"]
    read: Annotated[bool, "whether the answer was written from it; the least sure are left out first"] = True


class Usage(Struct, frozen=True):
    """The usage of models."""

    calls: Annotated[int, "requests that were answered"] = 0
    cached: Annotated[int, "replies that were kept from before"] = 0
    failed: Annotated[int, "prompts without a usable reply"] = 0
    refused: Annotated[int, "those of them that did not fit into the budget"] = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: Annotated[float | None, As("usd"), "US dollars; null: no prices are set"] = None

    def plus(self, other: Usage, times: int = 1) -> Usage:
        """The sum of both; `times` -1: the usage since `other`, an earlier state of the same meter."""
        own, more = field_values(self), field_values(other)
        cost = None if None in (self.cost, other.cost) else own["cost"] + times * more["cost"]
        counts = {name: own[name] + times * more[name] for name in own if name != "cost"}
        return Usage(**counts, cost=cost)


class StepUsage(Struct, frozen=True):
    """The usage of models in one step of a question."""

    step: Annotated[
        str, one_of("reports", "points", "answer"),
        "reports on periods, points of the evidence, the answer",
    ]  # fmt: skip
    usage: Annotated[Usage, FLAT]


class QuestionUsage(Struct, frozen=True):
    """The usage of models for one question."""

    usage: Annotated[Usage, FLAT]
    steps: Annotated[tuple[StepUsage, ...], "the same, for each step in which the model was asked"]


class Answer(Struct, frozen=True):
    """An answer with citations, or a refusal with its reason.

    `text` of a refusal says why. The moment is an earlier one, if what answers the question held at a time
    that it names, and holds no more.
    """

    question: Annotated[str, "as it was asked"]
    text: Annotated[str, As("answer"), "what to read: `[n]` stands behind what citation n says"]
    refused: Annotated[bool, "whether there is no answer; the exit code is then 1"]
    reason: Annotated[str, 'why it was refused; "" else']
    mode: Annotated[str, one_of(LOCAL, GLOBAL), "from single passages, or from reports over periods"]
    as_of: Annotated[
        Instant, "the moment whose state of the documents answers: an earlier one, if the question names it"
    ]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    citations: tuple[Citation, ...]
    values: Annotated[tuple[Value, ...], "the table of an answer, by name, then time"] = ()
    notes: Annotated[
        tuple[str, ...], "how the question was read, what was left out or not found or contradicted"
    ] = ()
    by: Annotated[str, "`extractive`, or the name of the model"] = "extractive"
    cost: Annotated[QuestionUsage | None, "null: no model was asked"] = None
    points: Annotated[tuple[NotedPoint, ...], "what a model noted in the evidence, most important first"] = ()
    in_force: Annotated[Instant | None, "the date at which it has to hold; null: none was given"] = None


# -- halting: how many candidates a budgeted stage examined, and why it stopped ------------------------


class Halting(Struct, frozen=True):
    """The number of candidates that a recipe with a budget examined, and why it stopped."""

    examined: Annotated[int, As("k"), "how many candidates were ranked by the whole score"]
    candidates: Annotated[int, "of so many"]
    budget: Annotated[int, "the most that would have been"]
    halted: Annotated[bool, "whether margin and agreement exceed their thresholds"]
    margin: Annotated[float, "the best score less that of the last of the first few"]
    agreement: Annotated[float, "the share of the first few that corroborate the best"]
    reason: str
