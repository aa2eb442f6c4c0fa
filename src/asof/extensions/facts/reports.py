"""The report of a period: claims, changes of figures, and the selection of what is shown, with citations.

A claim is a group of facts that state the same. Shown are the most central, the best corroborated, the
changed and the new. `WrittenReport`, the schema of a model's report, loads pydantic: it is imported where a
model is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from typing import Annotated, NamedTuple

from asof.documents import SourcedTime
from asof.extensions.facts.consistency import agree
from asof.extensions.facts.hierarchy import ancestors, nodes_of
from asof.extensions.facts.store import CHANGE, NAME, VALUE, Amount
from asof.extensions.facts.visible import StatedFact
from asof.text import query
from asof.time.span import Grain, Instant, Period, Span
from asof.wire import HIDDEN, As, AsText

# -- claims ----------------------------------------------------------------------------------------


Canonical = Callable[[str, str], str]
"""The one name of what a name means in a document (`names.EntityResolver.canonical`)."""

Measure = tuple[str, str]
"""The topic of a fact: the keys of its subject and of its relation."""

PUBLISHED = "published"
"""`SourcedTime.by` of a time that is only the publication date of the version."""


key = lru_cache(maxsize=65_536)(query.key)
"""`asof.text.query.key` with a cache, as the same names recur."""


def as_named(name: str, document: str = "") -> str:  # noqa: ARG001 - a Canonical has both
    """The `Canonical` without merged names: the name itself."""
    return name


@dataclass(frozen=True, slots=True)
class Claim:
    """Facts that state the same of the same time, in canonical order; at least one.

    The same: subject, relation and kind, with the same figure or else the same object. Of the same time:
    of the same periods, or known only by the date of a version. `entities` are the keys of its subject and,
    where no figure is stated, of its object. `lead` is the fact that is shown: one with a sentence, the most
    certain, the first of equals.
    """

    measure: Measure
    entities: tuple[str, ...]
    facts: tuple[StatedFact, ...]
    lead: StatedFact

    @property
    def figure(self) -> bool:
        """True if it states a figure."""
        return self.facts[0].fact.amount is not None

    @property
    def ends(self) -> tuple[str, ...]:
        """The keys that it connects: its entities, and the measure that a figure is of."""
        return (*self.entities, self.measure[1]) if self.figure else self.entities

    @property
    def documents(self) -> int:
        """The number of documents that state it."""
        return len({each.passage.document for each in self.facts})


def claims_of(facts: Iterable[StatedFact], canonical: Canonical = as_named) -> list[Claim]:
    """The claims that facts make, each fact in one, in the order of their first facts. Facts of kind NAME
    make none."""
    same: dict[tuple[object, ...], list[StatedFact]] = {}
    for each in sorted(facts, key=lambda each: each.order):
        if each.fact.kind != NAME:
            same.setdefault((measure_of(each, canonical), *_statement_key(each, canonical)), []).append(each)
    return [
        Claim(
            measure_of(group[0], canonical), _entities(group[0], canonical), tuple(group),
            min(group, key=lambda each: (not each.sentence, -each.fact.confidence)),
        )
        for group in same.values()
    ]  # fmt: skip


def measure_of(known: StatedFact, canonical: Canonical = as_named) -> Measure:
    """The keys of a fact's subject and relation."""
    return key(canonical(known.fact.subject, known.passage.document)), key(known.fact.relation)


def _statement_key(known: StatedFact, canonical: Canonical) -> tuple[object, ...]:
    fact = known.fact
    time: tuple[Period, ...] | str = ()
    if fact.when is not None:
        time = PUBLISHED if fact.when.by == PUBLISHED else nodes_of(fact.when.span)
    figure = fact.amount
    if figure is None:
        return fact.kind, time, key(canonical(fact.object, known.passage.document))
    return fact.kind, time, figure.value, figure.unit, figure.basis


def _entities(known: StatedFact, canonical: Canonical) -> tuple[str, ...]:
    fact = known.fact
    called = [fact.subject] if fact.kind in (VALUE, CHANGE) or fact.amount else [fact.subject, fact.object]
    return tuple(sorted({key(canonical(name, known.passage.document)) for name in called if key(name)}))


def about(facts: Iterable[StatedFact], name: str, canonical: Canonical = as_named) -> list[StatedFact]:
    """The facts of an entity or a topic: those whose subject or object has this name, or whose relation has
    the words of the name in a row."""
    entity_key, topic = key(canonical(name, "")), f" {key(name)} "
    return [
        each
        for each in facts
        if any(
            entity_key == key(canonical(called, each.passage.document))
            for called in (each.fact.subject, each.fact.object)
        )
        or topic in f" {key(each.fact.relation)} "
    ]


# -- changes of figures since the period before ----------------------------------------------------


POINTS = ("%", "bp")
"""Units whose change is a difference, not a ratio: from 50 % to 55 % are 5 points."""

_LONGEST = 40  # characters of a figure as it was written
_Series = tuple[Measure, str, Grain, int]


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure of a measure (`after`), and the one (`before`) that was stated for the period before,
    `since`."""

    before: StatedFact
    after: StatedFact
    since: Period

    @property
    def ratio(self) -> float | None:
        """The change as a share of the earlier figure; of percentages the difference itself; None from 0."""
        old, new = _figure(self.before), _figure(self.after)
        if new.unit in POINTS:
            return new.value - old.value
        return (new.value - old.value) / abs(old.value) if old.value else None

    def __str__(self) -> str:
        """As it is shown: `$3.4 billion -> $3.7 billion, +8.8% against 2023-Q4`."""
        ratio, unit, by = self.ratio, _figure(self.after).unit, ""
        if ratio is not None:
            many = (
                f"{ratio:+,.4g} {'points' if unit == '%' else 'bp'}" if unit in POINTS else f"{ratio:+,.1%}"
            )
            by = f", {many}" if ratio else ", unchanged"
        return f"{_written(self.before)} -> {_written(self.after)}{by} against {self.since}"


def _figure(known: StatedFact) -> Amount:
    amount = known.fact.amount
    assert amount is not None, "a change is made of facts with amounts"  # noqa: S101
    return amount


def _written(known: StatedFact) -> str:
    """A figure in the words of the text where these are short, else from the amount."""
    words = " ".join(known.fact.object.split())
    if words and len(words) <= _LONGEST:
        return words
    amount = _figure(known)
    return f"{amount.value:,.10g} {amount.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class FigureHistory:
    """The stated figures of each measure, by time. Made by `of`, once for the facts of a hierarchy.

    `figures` of each series, by the first day of their times. Figures are compared within a series: those of
    one measure and unit whose times are equally long (periods of one grain, as many of them), so that a
    year's revenue does not stand beside a quarter's. A document that gives several figures for one time (of
    parts that it does not name) gives none: `unclear`. `stated`: the periods of which, or inside which,
    something was stated of a measure; `periods`: of any.
    """

    figures: Mapping[_Series, tuple[tuple[date, StatedFact], ...]]
    unclear: frozenset[tuple[_Series, date, str]]
    stated: Mapping[Measure, frozenset[Period]]
    periods: frozenset[Period]
    canonical: Canonical

    @classmethod
    def of(cls, facts: Iterable[StatedFact], canonical: Canonical = as_named) -> FigureHistory:
        """The history of these facts; those in no period are left out."""
        figures: dict[_Series, dict[date, list[StatedFact]]] = {}
        stated: dict[Measure, set[Period]] = {}
        for each in sorted(facts, key=lambda each: each.order):
            when = each.fact.when
            nodes = nodes_of(when.span) if when else ()
            if each.fact.kind != NAME:
                stated.setdefault(measure_of(each, canonical), set()).update(
                    above for node in nodes for above in (node, *ancestors(node))
                )
            if nodes and (series := _series(each, nodes, canonical)):
                figures.setdefault(series, {}).setdefault(nodes[0].start, []).append(each)
        unclear: set[tuple[_Series, date, str]] = set()
        clear: dict[_Series, tuple[tuple[date, StatedFact], ...]] = {}
        for series, by_day in figures.items():
            several = {
                (series, day, name) for day, facts_of_day in by_day.items() for name in _unclear(facts_of_day)
            }
            unclear |= several
            sure = {
                day: [each for each in facts_of_day if (series, day, each.passage.document) not in several]
                for day, facts_of_day in by_day.items()
            }
            clear[series] = tuple((day, _most_frequent(sure[day])) for day in sorted(sure) if sure[day])
        return cls(
            clear, frozenset(unclear),
            {measure: frozenset(periods) for measure, periods in stated.items()},
            frozenset().union(*stated.values()), canonical,
        )  # fmt: skip

    def change(self, claim: Claim, period: Period) -> FigureChange | None:
        """A claim's figure in the period before this one: the last that was stated for a time in it
        which ended before the claim's begins. None where there is none, and for claims without a value."""
        after, before = claim.lead, period_before(period)
        when = after.fact.when
        if when is None or before is None:
            return None
        nodes = nodes_of(when.span)
        series = _series(after, nodes, self.canonical)
        if series is None or (series, nodes[0].start, after.passage.document) in self.unclear:
            return None
        for day, known in reversed(self.figures.get(series, ())):
            if day < before.start:
                break
            then = known.fact.when
            if day < period.start and then is not None and then.span.last < when.span.first:
                return FigureChange(known, after, before)
        return None

    def novel(self, claim: Claim, period: Period) -> bool:
        """True if nothing was stated of a claim's measure for the period before, when something was stated
        of others."""
        before = period_before(period)
        return before in self.periods and before not in self.stated.get(claim.measure, ())


def _series(known: StatedFact, nodes: tuple[Period, ...], canonical: Canonical) -> _Series | None:
    fact = known.fact
    if fact.kind != VALUE or fact.amount is None or not nodes:
        return None
    return measure_of(known, canonical), fact.amount.unit, nodes[0].grain, len(nodes)


@lru_cache(maxsize=4_096)
def period_before(period: Period) -> Period | None:
    """The one of the same grain; None at the calendar's beginning."""
    try:
        return period.previous
    except ValueError:
        return None


def _unclear(facts: Iterable[StatedFact]) -> set[str]:
    """The documents that give several figures, where one does not round to the other."""
    first: dict[str, StatedFact] = {}
    documents = set()
    for each in facts:
        if not agree(first.setdefault(each.passage.document, each).fact, each.fact):
            documents.add(each.passage.document)
    return documents


def _most_frequent(facts: list[StatedFact]) -> StatedFact:
    """The figure that most documents give; of those that as many give, the one that was published last."""
    documents: dict[float, set[str]] = {}
    for each in facts:
        documents.setdefault(_figure(each).value, set()).add(each.passage.document)
    return max(facts, key=lambda each: (len(documents[_figure(each).value]), each.order))


# -- selection -------------------------------------------------------------------------------------


Relevance = Callable[[str], float]
"""Relevance of a text (subject, relation and sentence of a claim) to a question; 0: none."""

Sentence = tuple[str, int, str]
"""A sentence of a version of a document: the document, since when it can be seen, the words."""

MAX_POINTS = 12
"""The most points of a report."""


class ClaimCandidate(NamedTuple):
    """A claim compared with the period before: its change, and whether its measure is new (`novel`). `whole`:
    it is of the period itself, where others are of periods inside it."""

    claim: Claim
    change: FigureChange | None = None
    novel: bool = False
    whole: bool = False


class ChosenClaims(NamedTuple):
    """Claims that one sentence states, the first of which was chosen `because` it is relevant, corroborated,
    changed, new, of the whole period, or central."""

    candidates: tuple[ClaimCandidate, ...]
    because: str


def select_claims(
    candidates: Sequence[ClaimCandidate], most: int = MAX_POINTS, relevance: Relevance | None = None
) -> list[ChosenClaims]:
    """At most so many of the claims, best first, no two from the same sentence.

    The weight of a claim is in how many claims of the period each of its ends stands, summed; each time that
    a subject is chosen, its claims count for less (weight // (1 + times), so that a period is not one
    subject). The lists take turns: claims of several documents (figures first, then those of most documents),
    changed figures, measures that the period before did not have, claims of the whole period, and all of
    them; each in order of weight, figures before the rest. With `relevance` the only list is that of the
    relevant claims, the most relevant first.
    """
    weighed = _weigh(candidates, relevance)
    together: dict[Sentence, list[ClaimCandidate]] = {}
    for each in weighed:
        together.setdefault(each.sentence, []).append(each.candidate)
    lists = _lists(weighed, relevance)
    times_chosen: dict[str, int] = {}
    chosen: list[ChosenClaims] = []
    while len(chosen) < most and any(lists.values()):
        for because, open_ in lists.items():
            if not open_ or len(chosen) == most:
                continue
            best = min(open_, key=partial(_rank, because, times_chosen))
            rest = [each for each in together[best.sentence] if each is not best.candidate]
            chosen.append(ChosenClaims((best.candidate, *rest), because))
            subject = best.candidate.claim.measure[0]
            times_chosen[subject] = times_chosen.get(subject, 0) + 1
            for others in lists.values():
                others[:] = [each for each in others if each.sentence != best.sentence]
    return chosen


class _Weighed(NamedTuple):
    """A candidate with its sort keys, computed once."""

    candidate: ClaimCandidate
    sentence: Sentence
    relevance: float
    documents: int
    weight: int
    order: tuple[object, ...]


def _weigh(candidates: Sequence[ClaimCandidate], relevance: Relevance | None) -> list[_Weighed]:
    degree = Counter(end for each in candidates for end in each.claim.ends)
    weighed = []
    for each in candidates:
        claim, lead, words = each.claim, each.claim.lead, claim_text(each.claim)
        sentence = lead.passage.document, lead.passage.visible, words
        score = 0.0 if relevance is None else relevance(f"{lead.fact.subject} {lead.fact.relation} {words}")
        weight = sum(degree[end] for end in claim.ends)
        order = not claim.figure, -lead.fact.confidence, lead.order
        weighed.append(_Weighed(each, sentence, score, claim.documents, weight, order))
    return weighed


def _lists(weighed: Sequence[_Weighed], relevance: Relevance | None) -> dict[str, list[_Weighed]]:
    if relevance is not None:
        return {"relevant": [each for each in weighed if each.relevance > 0]}
    changed = [(each, each.candidate.change) for each in weighed]
    return {
        "corroborated": [each for each in weighed if each.documents > 1],
        "changed": [each for each, change in changed if change is not None and change.ratio != 0],
        "new": [each for each in weighed if each.candidate.novel],
        "whole": [each for each in weighed if each.candidate.whole],
        "central": list(weighed),
    }


def _rank(because: str, times_chosen: Mapping[str, int], each: _Weighed) -> tuple[object, ...]:
    claim = each.candidate.claim
    first = (not claim.figure, -each.documents) if because == "corroborated" else ()
    share = each.weight // (1 + times_chosen.get(claim.measure[0], 0))
    return -each.relevance, first, -share, -each.documents, each.order


def claim_text(claim: Claim) -> str:
    """The words of a claim: its sentence, or the statement in the head of a document."""
    lead = claim.lead
    return lead.sentence or f"{lead.fact.subject}: {lead.fact.relation} {lead.fact.object}"


# -- points with citations -------------------------------------------------------------------------


class ReportCitation(NamedTuple):
    """A passage that a point rests on."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[SourcedTime | None, "when it was published; null: not known"]
    sentence: Annotated[str, 'what it says; "" for a title or metadata']
    when: Annotated[SourcedTime | None, As("time"), "the time that it holds of; null: not known"]
    headings: Annotated[tuple[str, ...], "those above the passage, from the top"] = ()

    @classmethod
    def of(cls, known: StatedFact) -> ReportCitation:
        """The quote that states a fact."""
        sight = known.passage
        when = known.fact.when
        return cls(
            sight.id, sight.document, sight.title, sight.published, known.sentence, when, sight.headings
        )


def citations_of(claims: tuple[Claim, ...]) -> tuple[ReportCitation, ...]:
    """A citation of each document that makes the first of these claims, the shown one first."""
    first = claims[0]
    lead_by_document = {first.lead.passage.document: first.lead}
    for each in first.facts:
        lead_by_document.setdefault(each.passage.document, each)
    return tuple(ReportCitation.of(each) for each in lead_by_document.values())


MAX_RATING = 10
"""The highest rating of a report."""

BY_MODEL = "model"
"""`ReportPoint.because` of a point that a model wrote."""


PeriodName = Annotated[Period, AsText(str)]


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """One thing that a report says.

    A change of its figures reads "$3.4 billion -> $3.7 billion, +8.8% against 2023-Q4". `facts`: those that
    it rests on.
    """

    text: Annotated[str, "a sentence of a document, or a model's words"]
    changes: Annotated[tuple[str, ...], "its figures against the period before"]
    because: Annotated[
        str, "why it was selected: corroborated, changed, new, whole, central, relevant, model"
    ]
    citations: tuple[ReportCitation, ...]
    facts: Annotated[tuple[StatedFact, ...], HIDDEN] = field(repr=False, compare=False)
    subject: Annotated[str, 'whom it is about; "" for a model\'s words, or whom the report is about'] = ""

    @property
    def passages(self) -> tuple[int, ...]:
        """The passages that state its facts, ascending."""
        return tuple(sorted({fact.passage.passage for fact in self.facts}))

    @property
    def text_with_subject(self) -> str:
        """The text, after its subject if it has no word of that: `Quay Ltd: Revenue rose.`"""
        words = set(key(self.text).split())
        named = not self.subject or any(word in words for word in key(self.subject).split())
        return self.text if named else f"{self.subject}: {self.text}"


@dataclass(frozen=True, slots=True)
class PeriodReport:
    """The report of a period, from its facts and those of the periods inside it."""

    period: Annotated[PeriodName, "`2024`, `2024-Q1`, `2024-03` or `2024-03-05`"]
    title: str
    summary: Annotated[str, "a model's words, or the period and its figures"]
    points: Annotated[tuple[ReportPoint, ...], "at most twelve"]
    facts: Annotated[int, "how many facts it and the periods inside it have"]
    documents: Annotated[int, "of how many documents"]
    children: Annotated[tuple[PeriodName, ...], "the periods inside it that have reports"]
    by: Annotated[str, "`extract`, or the name of the model"] = "extract"
    notes: Annotated[tuple[str, ...], "what is left out, and why"] = ()
    rating: Annotated[float | None, "how much the period matters, 0 to 10, by a model; null: not rated"] = (
        None
    )
    rating_explanation: Annotated[str, 'why; "" without a rating'] = ""


@dataclass(frozen=True, slots=True)
class PeriodReports:
    """The reports of a span of time."""

    span: Annotated[Span, "the time that was asked for"]
    about: Annotated[str, 'the name that was asked for; "": none']
    reports: Annotated[tuple[PeriodReport, ...], "of the coarsest periods inside that have facts, in order"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    notes: Annotated[tuple[str, ...], "what is left out, and why"] = ()
