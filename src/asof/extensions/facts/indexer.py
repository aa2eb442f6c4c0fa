"""Facts of a corpus, read ahead of questions; facts and reports, asked for as of a moment."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from asof.arguments import checked
from asof.corpus.asking import refuse_long
from asof.corpus.session import Session
from asof.corpus.snapshot import Snapshot
from asof.errors import CorpusError
from asof.extensions.facts import extraction
from asof.extensions.facts.build import ReportSelection, reports
from asof.extensions.facts.extraction import ExtractionReport
from asof.extensions.facts.model import MODEL, ExtractionSettings
from asof.extensions.facts.names import EntityResolver
from asof.extensions.facts.reports import PeriodReports
from asof.extensions.facts.store import passages_without_facts
from asof.extensions.facts.timeline import FactLine, timeline_of
from asof.store.schema import exclusive_lock
from asof.store.store import translate_errors
from asof.time.moment import When, read_bounded
from asof.time.span import nearest_moment

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.models.metered import MeteredModel


# -- results of making them ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Precomputed:
    """What was read ahead of questions."""

    facts: ExtractionReport


# -- making them -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _ReadUntil:
    """The last passage of a corpus until which all are read for facts. One thread reads at a time."""

    passage: int = -1
    lock: threading.Lock = field(default_factory=threading.Lock)


@checked
def precompute_facts(
    corpus: Corpus, progress: Callable[[int, int], None] | None = None, budget: float | None = None
) -> ExtractionReport:
    """Read for facts all passages that the extractor of asof.toml has not read: by rules, or by the
    model within a `budget` (US dollars; tokens without prices). Raises UsageError, Busy, NoSpace,
    ModelError; what was read stays. One process learns at a time: two would pay for the same twice."""
    report = ExtractionReport()
    with _reader(corpus, budget) as model:
        for session in corpus.session.shards or (corpus.session,):
            store, settings = session.store, ExtractionSettings.of(session.config.tables)
            alone = exclusive_lock(store.folder / "learn.lock", store.wait)
            with translate_errors(store.database), alone, session.writing() as db:
                report.add(extraction.extract_facts(store, db, settings, model, progress=progress))
    return report


@contextmanager
def _reader(corpus: Corpus, budget: float | None) -> Iterator[MeteredModel | None]:
    """The model that reads facts; None where rules do, whatever model is named."""
    if ExtractionSettings.of(corpus.config.tables).extractor != MODEL:
        yield None
        return
    with corpus.models.language(budget) as model:
        yield model


def ensure_facts(session: Session) -> None:
    """Extract facts, by rules, from the passages without an extraction; what is known of facts
    is then complete. It is quick where that was done before. Raises CorpusError where they cannot be
    written."""
    for each in session.shards or (session,):
        until: _ReadUntil = each.derived.memo.setdefault("read for facts", _ReadUntil())
        with until.lock:
            with each.connection() as db:
                last: int = db.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()[0]
                todo = len(passages_without_facts(db)) if last != until.passage else 0
            if todo:
                _read_all(each, todo, session.waiting)
            until.passage = last


def _read_all(session: Session, todo: int, waiting: Callable[[str, str, int, int], None] | None) -> None:
    from asof.extensions.facts.rules import RuleExtractor

    store = session.store
    progress = None if waiting is None else partial(waiting, "reading facts, once", "passages")
    try:
        with session.writing() as db:
            extraction.extract_all(store, db, RuleExtractor(), progress=progress)
    except CorpusError as error:
        if not os.access(store.folder, os.W_OK):
            raise CorpusError(
                f"{todo:,} passages were not read for facts yet, and {store.folder} cannot be "
                "written: run `asof precompute` where it can"
            ) from error
        raise


# -- questions: a subject, an entity, a period -----------------------------------------------------


@checked
def facts(
    then: Snapshot, subject: str, most: int = 40, *, relation: str = "", since: When | None = None,
    until: When | None = None,
) -> FactLine:  # fmt: skip
    """The facts of a subject under all of its names, with their times and what replaced what.

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
def report(then: Snapshot, period: str, about: str = "") -> PeriodReports:
    """The report of a period: its central facts, against the period before; `about` a name only.

    Written by the language model where one is configured. Raises BadTime, BeforeHorizon, ModelError.
    """
    refuse_long(about, "the name")
    span = read_bounded(period, nearest_moment(then.as_of), how=then.session.times)
    ensure_facts(then.session)
    with then.models.language(then.session.config.asking.budget) as model:
        return then.use(
            lambda view: reports(view, span, ReportSelection(EntityResolver.of(view).canonical, about), model)
        )
