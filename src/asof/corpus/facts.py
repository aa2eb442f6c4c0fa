"""Facts and reports of a corpus, made ahead of questions."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asof.corpus.models import ModelProvider
from asof.corpus.session import Session
from asof.errors import CorpusError, UsageError
from asof.knowledge.extraction_config import MODEL, Facts
from asof.store.facts import passages_without_facts
from asof.store.lock import exclusive_lock
from asof.store.store import translate_errors

if TYPE_CHECKING:
    from asof.knowledge.extraction import ExtractionReport
    from asof.knowledge.reports.batch import GeneratedReports, ReportMaterial
    from asof.models.metered import MeteredModel, Usage


@dataclass(slots=True)
class FactIndexer:
    """Reads the passages of a corpus for facts, and lets a model write the reports on periods.

    `progress` is told how many passages are read for facts, of how many, when a question has to wait for it.
    """

    session: Session
    models: ModelProvider
    progress: Callable[[int, int], None] | None = None
    _read_until: int = field(default=-1, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def learn(
        self, progress: Callable[[int, int], None] | None = None, budget: float | None = None
    ) -> ExtractionReport:
        """Read for facts all passages that the extractor of asof.toml has not read: by rules, or by the
        model within a `budget` (US dollars; tokens without prices). Raises UsageError, Busy, NoSpace,
        ModelError; what was read stays. One process learns at a time: two would pay for the same twice."""
        from asof.knowledge.configured_extraction import extract_facts

        session, store = self.session, self.session.store
        alone = exclusive_lock(store.folder / "learn.lock", store.wait)
        with translate_errors(store.database), alone, self._reader(budget) as model, session.writing() as db:
            return extract_facts(store, db, Facts.of(session.config.tables), model, progress=progress)

    def estimate(self) -> Usage:
        """What `learn` would cost at most. Nothing is sent. Raises UsageError."""
        from asof.knowledge.configured_extraction import estimate

        with self._reader(None) as model, self.session.connection() as db:
            return estimate(db, Facts.of(self.session.config.tables), model)

    def report_all(
        self, progress: Callable[[int, int], None] | None = None, budget: float | None = None
    ) -> GeneratedReports:
        """Let the model tell the reports of all periods, as of now and within a `budget` (see `learn`, which
        comes before it), so that no question has to wait for one. Raises UsageError, Busy, NoSpace,
        ModelError; what was told stays."""
        from asof.knowledge.reports.batch import generate_all

        with self._telling(budget) as (material, model):
            return generate_all(material, model, progress)

    def estimate_reports(self) -> Usage | None:
        """What `report_all` would cost at most; None while a model has still to read passages for facts.
        Nothing is sent. Raises UsageError."""
        from asof.knowledge.reports.batch import worst_cost

        unread = self.estimate()
        if unread.calls or unread.cached:
            return None
        with self._telling(None) as (material, model):
            return worst_cost(material, model)

    @contextmanager
    def _telling(self, budget: float | None) -> Iterator[tuple[ReportMaterial, MeteredModel]]:
        """What reports are made of, as of now, and the model that tells them."""
        from asof.knowledge.reports.batch import ReportMaterial

        with self.models.language(budget) as model:
            if model is None:
                raise UsageError("reports without a model are made when asked; name one: see [model]")
            self.ensure_facts()
            yield self.session.use(self.session.present(), None, ReportMaterial.of), model

    @contextmanager
    def _reader(self, budget: float | None) -> Iterator[MeteredModel | None]:
        """The model that reads facts; None where rules do, whatever model is named."""
        if Facts.of(self.session.config.tables).extractor != MODEL:
            yield None
            return
        with self.models.language(budget) as model:
            yield model

    def ensure_facts(self) -> None:
        """Read for facts, by rules, the passages that nothing has read for facts yet; what is known of facts
        is then complete. It is quick where that was done before. Raises CorpusError where they cannot be
        written."""
        with self._lock:
            with self.session.connection() as db:
                last: int = db.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()[0]
                if last == self._read_until:
                    return
                todo = len(passages_without_facts(db))
            if todo:
                self._read_all(todo)
            self._read_until = last

    def _read_all(self, todo: int) -> None:
        from asof.knowledge.extraction import extract_all
        from asof.knowledge.rules.extractor import RuleExtractor

        store = self.session.store
        try:
            with self.session.writing() as db:
                extract_all(store, db, RuleExtractor(), progress=self.progress)
        except CorpusError as error:
            if not os.access(store.folder, os.W_OK):
                raise CorpusError(
                    f"{todo:,} passages were not read for facts yet, and {store.folder} cannot be "
                    "written: run `asof precompute` where it can"
                ) from error
            raise
