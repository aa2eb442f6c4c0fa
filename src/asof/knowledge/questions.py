"""What can be asked of the facts of a corpus as of a moment: a subject, an entity, a period."""

from __future__ import annotations

from asof.arguments import checked
from asof.corpus.query_reader import refuse_long
from asof.corpus.snapshot import Snapshot
from asof.knowledge.indexer import ensure_facts
from asof.knowledge.neighbourhood import Neighbourhood, neighbourhood
from asof.knowledge.reports.build import ReportSelection
from asof.knowledge.reports.report import PeriodReports
from asof.knowledge.reports.span_reports import reports
from asof.knowledge.resolve import Entities
from asof.knowledge.timeline import FactLine, timeline_of
from asof.time.coerce import When
from asof.time.moment import read_bounded
from asof.time.span import nearest_moment


@checked
def facts(
    then: Snapshot, subject: str, most: int = 40, *, relation: str = "", since: When | None = None,
    until: When | None = None,
) -> FactLine:  # fmt: skip
    """What is known of a subject under all of its names: facts with their times, and what replaced what.

    `relation`: only those whose relation has these words. Raises UsageError, BeforeHorizon.
    """
    refuse_long(subject, "the subject")
    filters = then.filters(since, until)
    ensure_facts(then.session)
    return then.use(
        lambda view: timeline_of(
            view, subject, relation=relation, since=filters.since, until=filters.until, most=most
        )
    )


@checked
def graph(then: Snapshot, around: str, depth: int = 1, most: int = 20) -> Neighbourhood:
    """The entities and measures up to `depth` facts away from an entity. Raises UsageError."""
    refuse_long(around, "the name")
    ensure_facts(then.session)
    return then.use(lambda view: neighbourhood(view, around, depth, most))


@checked
def report(then: Snapshot, period: str, about: str = "") -> PeriodReports:
    """What happened in a period: its central facts, against the period before; `about` a name only.

    Written by the language model where one is configured. Raises BadTime, BeforeHorizon, ModelError.
    """
    refuse_long(about, "the name")
    span = read_bounded(period, nearest_moment(then.as_of), fiscal_start=then.session.fiscal_start)
    ensure_facts(then.session)
    with then.models.language(then.session.config.asking.budget) as model:
        return then.use(
            lambda view: reports(view, span, ReportSelection(Entities.of(view).canonical, about), model)
        )
