"""What is told of a period: points, each with what states it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from asof.data import SourcedTime
from asof.knowledge.reports.claims import PUBLISHED, Claim, key
from asof.knowledge.visible_facts import StatedFact
from asof.time.period import Period
from asof.time.span import Span


class Quote(NamedTuple):
    """A sentence of a document, and the time that what it says holds of. `id` is the passage's, as hits have
    it; `sentence` is "" for what the head of a document states."""

    id: str
    document: str
    title: str
    published: SourcedTime | None
    sentence: str
    when: SourcedTime | None

    @classmethod
    def of(cls, known: StatedFact) -> Quote:
        """Where a fact is stated."""
        sight = known.passage
        when = known.fact.when
        return cls(sight.id, sight.document, sight.title, sight.published, known.sentence, when)


def citations_of(claims: tuple[Claim, ...]) -> tuple[Quote, ...]:
    """A citation of each document that makes the first of these claims, the shown one first."""
    first = claims[0]
    found = {first.lead.passage.document: first.lead}
    for each in first.facts:
        found.setdefault(each.passage.document, each)
    return tuple(Quote.of(each) for each in found.values())


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """One thing that is told of a period: `text` is a sentence of the first citation, or a model's words.

    `subject` is whom a sentence is about; "" for a model's words, and for him whom the report is about.
    `changes`: its figures against the period before ("$3.4 billion -> $3.7 billion, +8.8% against 2023-Q4").
    `because`: corroborated, changed, new, whole, central, relevant (see `central.choose`), or told (by a
    model). `facts` are what it rests on.
    """

    text: str
    changes: tuple[str, ...]
    because: str
    citations: tuple[Quote, ...]
    facts: tuple[StatedFact, ...] = field(repr=False, compare=False)
    subject: str = ""

    @property
    def said(self) -> str:
        """The text, behind its subject if no word of that stands in it: `Quay Ltd: Revenue rose.`"""
        words = set(key(self.text).split())
        named = not self.subject or any(word in words for word in key(self.subject).split())
        return self.text if named else f"{self.subject}: {self.text}"


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """What is told of a period, from the facts of it and of the periods inside it.

    `facts` and `documents` are counts of all of these; `children` are the periods inside that have reports of
    their own. `labels` are other names of the period in the metadata and titles of documents (`fiscal 2024
    Q1`), at most three. `by`: "extract", or the name of the model that told it. `notes` say what is missing;
    `unsent`: a budget did not reach to a model.
    """

    period: Period
    title: str
    summary: str
    points: tuple[ReportPoint, ...]
    facts: int
    documents: int
    children: tuple[Period, ...]
    labels: tuple[str, ...] = ()
    by: str = "extract"
    notes: tuple[str, ...] = ()
    unsent: bool = False


@dataclass(frozen=True, slots=True)
class PeriodReports:
    """The reports of a span as a corpus stood, in order; none if it holds no facts. `about`: of what."""

    span: Span
    about: str
    reports: tuple[PeriodReport, ...]
    as_of: int
    known_at: int
    notes: tuple[str, ...] = ()


def labels_of(facts: tuple[StatedFact, ...], period: Period) -> tuple[str, ...]:
    """What documents call a period in their metadata and titles: at most three names, the commonest first."""
    documents: dict[str, set[str]] = {}
    for each in sorted(facts, key=lambda each: each.order):
        when = each.fact.when
        if when is None or when.by in ("text", "heading", PUBLISHED) or when.span != period.span:
            continue
        documents.setdefault(" ".join(when.text.split()), set()).add(each.passage.document)
    names = sorted(
        (name for name in documents if name and name != str(period)),
        key=lambda name: (-len(documents[name]), name),
    )
    return tuple(names[:3])
