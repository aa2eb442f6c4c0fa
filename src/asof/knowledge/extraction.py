"""Reading passages for facts: those that were not read yet, in batches, each committed as soon as it is done.

A stop loses at most the batch under way; replies of a model are kept even then (`models/cached.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from asof.data import Problem
from asof.store import facts as kept
from asof.store.facts import Excerpt, Extraction
from asof.store.lock import exclusive_lock
from asof.store.passages import existing_passages
from asof.store.store import Store, translate_errors

if TYPE_CHECKING:
    from asof.models.metered import Usage

BATCH = 512
"""So many passages are read for one commit."""


class Extractor(Protocol):
    """Anything that finds facts. What it finds in a passage is a function of that `Excerpt` alone."""

    @property
    def name(self) -> str:
        """A name that changes exactly when the results may change (`rules-2`): what was read under another
        name is read again."""
        ...

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """One `Extraction` for each excerpt, in any order; what cannot be read has its `problem`."""
        ...


@dataclass(slots=True)
class ExtractionReport:
    """What an extraction did: passages read, facts found, and what could not be read.

    `left`: passages that were not sent to the model, because the budget was used up or no reply could be had;
    the next run goes on with them. `dropped`: facts of replies that were not stored, by reason. `cost`: what
    the model took, None for rules.
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
    progress: Callable[[int, int], None] | None = None,
) -> ExtractionReport:
    """Read every passage that no extractor has read (`anew`: that this extractor has not), past ones too.

    `progress` is told how many are done, of how many. Raises Busy, NoSpace, ModelError; what was committed
    stays.
    """
    wanted = kept.passages_without_facts(db, extractor.name if anew else "")
    learned = ExtractionReport()
    if wanted and progress is not None:
        progress(0, len(wanted))
    for first in range(0, len(wanted), BATCH):
        batch = wanted[first : first + BATCH]
        _extract_batch(store, db, extractor, batch, learned)
        if progress is not None:
            progress(first + len(batch), len(wanted))
    return learned


def _extract_batch(
    store: Store,
    db: sqlite3.Connection,
    extractor: Extractor,
    passages: Sequence[int],
    learned: ExtractionReport,
) -> None:
    given = kept.excerpts(db, passages)
    document_of = {excerpt.passage: excerpt.document for excerpt in given}
    found = list(islice(extractor.extract(given), len(given)))
    with translate_errors(store.database), exclusive_lock(store.folder / "write.lock", store.wait):
        db.execute("BEGIN IMMEDIATE")
        try:
            # what was erased while a model was thinking is not written back
            alive = existing_passages(db, [each.passage for each in found])
            kept.save_extractions(
                db, extractor.name, (each for each in found if each.passage in alive and not each.problem)
            )
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk has rolled it back
                db.execute("ROLLBACK")
            raise
    learned.passages += sum(not each.problem for each in found)
    learned.facts += sum(len(each.facts) for each in found)
    learned.problems += [
        Problem(
            each.problem, remedy="run the same command again", document=document_of[each.passage], lost=False
        )
        for each in found
        if each.problem
    ]
