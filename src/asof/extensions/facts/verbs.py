"""The verbs of the extension `facts`: facts, reports, stale statements."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from asof.corpus.corpus import Corpus
from asof.extensions.facts import (
    indexer,
    tables,  # noqa: F401  registers how these results look in rows
)
from asof.extensions.facts.reports import PeriodReports
from asof.extensions.facts.stale import StaleReport, documents_meant, find_stale, stale_report
from asof.extensions.facts.timeline import FactLine
from asof.parameters import Explain, Moment, Name, Parameters, Word
from asof.verbs import Verb


class FactsParameters(Parameters, frozen=True, kw_only=True):
    """The facts about a subject, with their times and what replaced what."""

    subject: Annotated[Name, Meta(description="any name of it")]
    relation: Annotated[Word, Meta(description="only facts with this in their relation")] = ""
    since: Annotated[Moment | None, Meta(description="only facts that hold after the start of this")] = None
    until: Annotated[Moment | None, Meta(description="only facts that hold before the end of this")] = None
    k: Annotated[int, Meta(ge=1, le=1_000, description="the newest k facts")] = 40


class ReportParameters(Parameters, frozen=True, kw_only=True):
    """The report of a period."""

    period: Annotated[Name, Meta(description="2021, 2021-Q2, 2021-05 ...")]
    about: Annotated[Word, Meta(description="only what is known of this name or topic")] = ""


MOST_STALE = 1_000


class StaleParameters(Parameters, frozen=True, kw_only=True):
    """Statements of current documents that are no longer true, worst first."""

    path: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=1_000)], ...],
        Meta(max_length=20, description="only these: a document's id or title, a folder, notes/*"),
    ] = ()
    since: Annotated[Moment | None, Meta(description="only what became stale since then")] = None
    kind: Annotated[
        tuple[Literal["link", "time", "unwritten"], ...], Meta(max_length=2, description="only these")
    ] = ()
    k: Annotated[int, Meta(ge=1, le=MOST_STALE, description="how many, worst first")] = 20
    explain: Explain = False


def facts(corpus: Corpus, asked: FactsParameters) -> FactLine:
    return indexer.facts(
        asked.at(corpus), asked.subject, asked.k, relation=asked.relation, since=asked.since,
        until=asked.until,
    )  # fmt: skip


def report(corpus: Corpus, asked: ReportParameters) -> PeriodReports:
    return indexer.report(asked.at(corpus), asked.period, asked.about)


def stale(corpus: Corpus, asked: StaleParameters) -> StaleReport:
    then = asked.at(corpus)
    listed = find_stale(then, documents_meant(then, asked.path), since=asked.since, kinds=asked.kind)
    now = asked.as_of is None and asked.known_at is None
    return stale_report(then, listed, asked.k, files=corpus.root if now else None)


VERBS = (
    Verb("facts", FactsParameters, "facts", facts, {"subject": "Runa Osterby"}),
    Verb("report", ReportParameters, "report", report, {"period": "2021-Q2"}),
    Verb("stale", StaleParameters, "stale", stale, {"as_of": "2024-06-01", "k": 2}),
)
