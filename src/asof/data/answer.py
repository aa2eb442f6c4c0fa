"""What `ask` returns: an answer with citations, or a refusal with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from asof.data.hit import Hit, Superseded
from asof.data.sourced_time import SourcedTime
from asof.time.span import Span

LOCAL, GLOBAL = "local", "global"
MODES = ("auto", LOCAL, GLOBAL)
"""How an answer is found: from single passages, from reports over periods, or whichever fits the question."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that an answer rests on: `n` is its number in the answer, `quote` what is taken from it, `id`
    that of the passage (as hits have it). `about` are the times that it speaks of. `emphasis`: from which to
    which character of the quote the answer stands, where a part of it does. `superseded`: as hits have it.
    `valid`: from when to when the passage was in force, where the answer is of a past time that the question
    names."""

    n: int
    id: str
    document: str
    title: str
    published: SourcedTime | None
    about: tuple[SourcedTime, ...]
    quote: str
    emphasis: tuple[int, int] | None = None
    superseded: Superseded | None = None
    valid: Span | None = None

    @classmethod
    def of(cls, n: int, hit: Hit, quote: str, emphasis: tuple[int, int] | None = None) -> Citation:
        """The citation of a hit, with its number in the answer."""
        return cls(
            n, hit.id, hit.document, hit.title, hit.published, hit.about, quote, emphasis, hit.superseded
        )


@dataclass(frozen=True, slots=True)
class Value:
    """A cell of a table: what a source says of `name` (a subject, "" for the only one) in `period` (its
    label, "" without one) about `measure`; `value` as it was written, and the number of the citation."""

    name: str
    period: str
    measure: str
    value: str
    citation: int


@dataclass(frozen=True, slots=True)
class NotedPoint:
    """What a model noted in the evidence of an answer over periods (TG-RAG, section III-B4): how much it
    matters to the question (`importance`, 0 to 100), how sure the model is (`confidence`, 0 to 1), the labels
    of the periods that it is about. `read`: it fitted into the tokens from which the answer was written."""

    text: str
    importance: float
    confidence: float
    periods: tuple[str, ...]
    read: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as of `as_of`, known at `known_at` (instants).

    `as_of` is the moment whose state of the documents answers: that of the question, or an earlier one that
    the question names, if what answers it held then and holds no more.

    `text` is what to read: with `[n]` behind what citation n says; for a refusal, why. `refused`: no answer
    is given, because of `reason` ("" else). `by`: "extractive", or the name of the model that wrote it.
    `values` are the figures of a table in time order. `cost`: what models took (None: none was asked).
    `points`: what a model noted for an answer over periods, the most important first.
    """

    question: str
    text: str
    refused: bool
    reason: str
    mode: str
    as_of: int
    known_at: int
    citations: tuple[Citation, ...]
    values: tuple[Value, ...] = ()
    notes: tuple[str, ...] = ()
    by: str = "extractive"
    cost: Mapping[str, Any] | None = None
    points: tuple[NotedPoint, ...] = ()
