"""Extraction of facts from the passages that were not read yet, in batches that are committed one by one.

An interruption loses at most the current batch; replies of a model are cached even then (`models/cached.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from asof.data import Problem
from asof.knowledge import fact_store
from asof.knowledge.fact_store import Excerpt, Extraction
from asof.store.lock import exclusive_lock
from asof.store.passages import existing_passages
from asof.store.store import Store, translate_errors

if TYPE_CHECKING:
    from asof.models.metered import Usage

BATCH_SIZE = 512
"""Passages per commit."""


class Extractor(Protocol):
    """Anything that extracts facts. The facts of a passage are a function of its `Excerpt` alone."""

    @property
    def name(self) -> str:
        """A name that changes exactly when the results may change (`rules-2`): passages that were read under
        another name are read again."""
        ...

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """One `Extraction` for each excerpt, in any order; what cannot be read has its `problem`."""
        ...


@dataclass(slots=True)
class ExtractionReport:
    """The outcome of an extraction: how many passages were read, how many facts they have, and problems.

    `left`: passages that were not sent to the model, because the budget was used up or the model did not
    reply; the next run continues with them. `dropped`: facts of replies that were not stored, by reason.
    `cost`: usage of the model, None for rules.
    """

    passages: int = 0
    facts: int = 0
    problems: list[Problem] = field(default_factory=list)
    left: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    cost: Usage | None = None

    @property
    def complete(self) -> bool:
        """Whether every passage has been read."""
        return not (self.left or self.problems)


def extract_all(
    store: Store,
    db: sqlite3.Connection,
    extractor: Extractor,
    *,
    anew: bool = False,
    batch_size: int = BATCH_SIZE,
    progress: Callable[[int, int], None] | None = None,
) -> ExtractionReport:
    """Read every passage that no extractor has read (`anew`: that this extractor has not), past ones too.

    `progress(done, total)` is called with numbers of passages. Raises Busy, NoSpace, ModelError; facts
    committed so far are kept.
    """
    unread = fact_store.passages_without_facts(db, extractor.name if anew else "")
    report = ExtractionReport()
    if unread and progress is not None:
        progress(0, len(unread))
    for first in range(0, len(unread), batch_size):
        batch = unread[first : first + batch_size]
        _extract_batch(store, db, extractor, batch, report)
        if progress is not None:
            progress(first + len(batch), len(unread))
    return report


def _extract_batch(
    store: Store,
    db: sqlite3.Connection,
    extractor: Extractor,
    passages: Sequence[int],
    report: ExtractionReport,
) -> None:
    excerpts = fact_store.excerpts(db, passages)
    document_of = {excerpt.passage: excerpt.document for excerpt in excerpts}
    extractions = list(islice(extractor.extract(excerpts), len(excerpts)))
    with translate_errors(store.database), exclusive_lock(store.folder / "write.lock", store.wait):
        db.execute("BEGIN IMMEDIATE")
        try:
            # passages that were erased while the model replied are not written back
            alive = existing_passages(db, [each.passage for each in extractions])
            fact_store.save_extractions(
                db,
                extractor.name,
                (each for each in extractions if each.passage in alive and not each.problem),
            )
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk has rolled it back
                db.execute("ROLLBACK")
            raise
    report.passages += sum(not each.problem for each in extractions)
    report.facts += sum(len(each.facts) for each in extractions)
    report.problems += [
        Problem(
            each.problem, remedy="run the same command again", document=document_of[each.passage], lost=False
        )
        for each in extractions
        if each.problem
    ]
