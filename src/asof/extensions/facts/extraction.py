"""Extraction of facts from passages that were not read yet, in batches that are committed one by one.

An interruption loses at most the current batch; replies of a model are cached even then
(`asof.models.cached`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Protocol

from asof.documents import Problem
from asof.errors import UsageError
from asof.extensions.facts import store as fact_store
from asof.extensions.facts.model import MODEL, ExtractionSettings
from asof.extensions.facts.store import Extraction, ExtractorInput
from asof.hits import Usage
from asof.models.metered import MeteredModel
from asof.store.reader import existing_passages
from asof.store.store import Store
from asof.wire import As

# -- batches ---------------------------------------------------------------------------------------


BATCH_SIZE = 512
"""Passages per commit."""


class Extractor(Protocol):
    """Anything that extracts facts. The facts of a passage are a function of its `ExtractorInput` alone."""

    @property
    def name(self) -> str:
        """A name that changes exactly when the results may change (`rules-2`): passages that were read under
        another name are read again."""
        ...

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        """One `Extraction` for each excerpt, in any order; an unreadable reply is its `problem`."""
        ...


@dataclass(slots=True)
class ExtractionReport:
    """The outcome of extracting facts. The next run continues with what is `left`."""

    passages: Annotated[int, "that were read"] = 0
    facts: Annotated[int, "in them"] = 0
    problems: Annotated[list[Problem], "passages that could not be read"] = field(default_factory=list)
    left: Annotated[
        int, As("remaining"), "passages that were not read (the budget, a server that is down)"
    ] = 0
    dropped: Annotated[Mapping[str, int], "facts of a model's replies that were not kept, by reason"] = field(
        default_factory=dict
    )
    cost: Annotated[Usage | None, "null: no model was asked"] = None

    def add(self, other: ExtractionReport) -> None:
        """Add what was read in another shard of a corpus, by the same model."""
        self.passages += other.passages
        self.facts += other.facts
        self.problems += other.problems
        self.left += other.left
        self.dropped = dict(Counter(self.dropped) + Counter(other.dropped))
        self.cost = other.cost

    @property
    def complete(self) -> bool:
        """True if every passage has been read."""
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
    """Read every passage that no extractor has read (`anew`: that this extractor has not), past ones too;
    after a batch without any reply no further one is begun.

    `progress(done, total)` is called with numbers of passages. Raises Busy, NoSpace, ModelError; facts
    committed so far are kept.
    """
    unread = fact_store.passages_without_facts(db, extractor.name if anew else "")
    report, replied = ExtractionReport(), True
    if unread and progress is not None:
        progress(0, len(unread))
    for first in range(0, len(unread), batch_size):
        batch = unread[first : first + batch_size]
        if replied:
            replied = _extract_batch(store, db, extractor, batch, report)
        else:
            report.left += len(batch)
        if progress is not None:
            progress(first + len(batch), len(unread))
    return report


def _extract_batch(
    store: Store,
    db: sqlite3.Connection,
    extractor: Extractor,
    passages: Sequence[int],
    report: ExtractionReport,
) -> bool:
    """Read passages; returns False if none of them got a reply. One whose prompt was not sent is left."""
    excerpts = fact_store.excerpts(db, passages)
    document_of = {excerpt.passage: excerpt.document for excerpt in excerpts}
    found = list(islice(extractor.extract(excerpts), len(excerpts)))
    extractions = [each for each in found if not each.unsent]
    report.left += len(found) - len(extractions)
    with store.transaction(db):
        # passages that were erased while the model replied are not written back
        alive = existing_passages(db, [each.passage for each in extractions])
        fact_store.save_extractions(
            db, extractor.name, (each for each in extractions if each.passage in alive and not each.problem)
        )
    report.passages += sum(not each.problem for each in extractions)
    report.facts += sum(len(each.facts) for each in extractions)
    failed = [each for each in extractions if each.problem]
    report.problems += [
        Problem(
            each.problem, remedy="run the same command again", document=document_of[each.passage], lost=False
        )
        for each in failed
    ]
    return not excerpts or len(failed) < len(excerpts)


# -- by the configured extractor -------------------------------------------------------------------


def extract_facts(
    store: Store,
    db: sqlite3.Connection,
    facts: ExtractionSettings,
    model: MeteredModel | None = None,
    *,
    batch_size: int = BATCH_SIZE,
    progress: Callable[[int, int], None] | None = None,
) -> ExtractionReport:
    """Extract facts from every passage that the configured extractor has not read, past versions included.

    `model`: the one of [model] with its cache and its meter; its budget is not exceeded. `progress(done,
    total)` is called with numbers of passages. Raises UsageError where a model is required and none is
    configured, Busy, NoSpace, ModelError; facts committed so far are kept.
    """
    if facts.extractor != MODEL:
        from asof.extensions.facts.rules import RuleExtractor

        return extract_all(store, db, RuleExtractor(), anew=True, batch_size=batch_size, progress=progress)
    from asof.extensions.facts.model import ModelExtractor

    if model is None:
        raise UsageError(
            f'[facts] extractor = "{MODEL}", and no model is named: see [model], or set extractor = "rules"'
        )
    extractor = ModelExtractor(model)
    on_passages = None
    if progress is not None:
        total, done = len(fact_store.passages_without_facts(db, extractor.name)), 0

        def on_passages(passages: int, total: int) -> None:
            nonlocal done
            done = passages
            progress(done, total)

        extractor.on_replies = lambda replies: progress(done + replies, total)
    report = extract_all(store, db, extractor, anew=True, batch_size=batch_size, progress=on_passages)
    report.dropped, report.cost = dict(extractor.dropped), model.meter
    return report
