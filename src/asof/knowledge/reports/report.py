"""The report of a period: points, each with its citations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from asof.data import SourcedTime
from asof.knowledge.reports.claims import PUBLISHED, Claim, key
from asof.knowledge.visible_facts import StatedFact
from asof.time.period import Period
from asof.time.span import Span


class Quote(NamedTuple):
    """A sentence of a document, and the time (`when`) of the fact that it states. `id` is the passage's, as
    hits have it; `sentence` is "" for a fact of a document's head."""

    id: str
    document: str
    title: str
    published: SourcedTime | None
    sentence: str
    when: SourcedTime | None

    @classmethod
    def of(cls, known: StatedFact) -> Quote:
        """The quote that states a fact."""
        sight = known.passage
        when = known.fact.when
        return cls(sight.id, sight.document, sight.title, sight.published, known.sentence, when)


def citations_of(claims: tuple[Claim, ...]) -> tuple[Quote, ...]:
    """A citation of each document that makes the first of these claims, the shown one first."""
    first = claims[0]
    lead_by_document = {first.lead.passage.document: first.lead}
    for each in first.facts:
        lead_by_document.setdefault(each.passage.document, each)
    return tuple(Quote.of(each) for each in lead_by_document.values())


MAX_RATING = 10
"""The highest rating of a report."""

BY_MODEL = "model"
"""`ReportPoint.because` of a point that a model wrote."""


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """One statement of a report: `text` is a sentence of the first citation, or a model's words.

    `subject` is the entity that a sentence is about; "" for a model's words, and where the report is about
    it. `changes`: its figures against the period before ("$3.4 billion -> $3.7 billion, +8.8% against
    2023-Q4"). `because`: why it was selected: corroborated, changed, new, whole, central, relevant (see
    `selection.select_claims`), or model (`BY_MODEL`). `facts`: those that it rests on.
    """

    text: str
    changes: tuple[str, ...]
    because: str
    citations: tuple[Quote, ...]
    facts: tuple[StatedFact, ...] = field(repr=False, compare=False)
    subject: str = ""

    @property
    def text_with_subject(self) -> str:
        """The text, after its subject if it has no word of that: `Quay Ltd: Revenue rose.`"""
        words = set(key(self.text).split())
        named = not self.subject or any(word in words for word in key(self.subject).split())
        return self.text if named else f"{self.subject}: {self.text}"


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """The report of a period, from its facts and those of the periods inside it.

    `facts` and `documents` are counts of all of these; `children` are the periods inside that have reports of
    their own. `labels` are other names of the period in the metadata and titles of documents (`fiscal 2024
    Q1`), at most three. `by`: "extract", or the name of the model that wrote it. `notes` say what is missing;
    `unsent`: the prompt was not sent, because the budget was used up. `rating`: how much the model holds the
    period to matter, 0 to MAX_RATING, and why (`rating_explanation`); None where no model rated it.
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
    rating: float | None = None
    rating_explanation: str = ""


@dataclass(frozen=True, slots=True)
class PeriodReports:
    """The reports of a span as of a moment, in order; none if it has no facts. `about`: the entity or
    topic."""

    span: Span
    about: str
    reports: tuple[PeriodReport, ...]
    as_of: int
    known_at: int
    notes: tuple[str, ...] = ()


def labels_of(facts: tuple[StatedFact, ...], period: Period) -> tuple[str, ...]:
    """The names of a period in metadata and titles of documents: at most three, the commonest first."""
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
