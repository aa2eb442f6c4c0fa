"""Extraction of facts from a corpus by the configured extractor, and an estimate of its cost."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from asof.errors import UsageError
from asof.knowledge import fact_store
from asof.knowledge.extraction import BATCH_SIZE, ExtractionReport, Extractor, extract_all
from asof.knowledge.extraction_config import MODEL, Facts
from asof.knowledge.fact_store import Excerpt, Extraction
from asof.models.metered import HasCachedReplies, MeteredModel, Usage, worst
from asof.models.ports import Prompt, Reply
from asof.store.store import Store


def extract_facts(
    store: Store,
    db: sqlite3.Connection,
    facts: Facts,
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
        from asof.knowledge.rules.extractor import RuleExtractor

        return extract_all(store, db, RuleExtractor(), anew=True, batch_size=batch_size, progress=progress)
    from asof.knowledge.model.extractor import ModelExtractor

    metered = _present(model)
    extractor = ModelExtractor(metered, facts.entity_types, facts.gleaning)
    stopping = _Stopping(extractor)
    if progress is not None:
        adapter = _Progress(progress, len(fact_store.passages_without_facts(db, extractor.name)))
        extractor.on_replies, progress = adapter.on_replies, adapter.on_passages
    read = extract_all(store, db, stopping, anew=True, batch_size=batch_size, progress=progress)
    return ExtractionReport(
        read.passages, read.facts, read.problems, stopping.left, dict(extractor.dropped), metered.meter
    )  # fmt: skip


def estimate(db: sqlite3.Connection, facts: Facts, model: MeteredModel | None = None) -> Usage:
    """The highest cost of `extract_facts`: every reply of maximal length, every gleaning round requested.

    Cached replies cost nothing. Nothing is sent. Raises UsageError as `extract_facts` does.
    """
    if facts.extractor != MODEL:
        return Usage()
    from asof.knowledge.model.extractor import ModelExtractor

    estimating = _ExtractionEstimate(_present(model), facts.gleaning)
    extractor = ModelExtractor(estimating, facts.entity_types, facts.gleaning)
    unread = fact_store.passages_without_facts(db, extractor.name)
    for first in range(0, len(unread), BATCH_SIZE):
        estimating.rounds = 0
        for _ in extractor.extract(fact_store.excerpts(db, unread[first : first + BATCH_SIZE])):
            pass
    return estimating.meter


def _present(model: MeteredModel | None) -> MeteredModel:
    if model is None:
        raise UsageError(
            f'[facts] extractor = "{MODEL}", and no model is named: see [model], or set extractor = "rules"'
        )
    return model


@dataclass(slots=True)
class _Progress:
    """Progress by single replies, passed to a callback that otherwise hears of whole batches only."""

    callback: Callable[[int, int], None]
    total: int
    done: int = 0

    def on_replies(self, count: int) -> None:
        self.callback(self.done + count, self.total)

    def on_passages(self, done: int, total: int) -> None:
        self.done = done
        self.callback(done, total)


@dataclass(slots=True)
class _Stopping:
    """An extractor that omits passages whose prompts were not sent, and stops after a batch without any
    reply. `left` counts the omitted passages."""

    inner: Extractor
    left: int = 0
    _stopped: bool = False

    @property
    def name(self) -> str:
        return self.inner.name

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        if self._stopped:
            self.left += len(excerpts)
            return
        failed = 0
        for each in self.inner.extract(excerpts):
            if each.unsent:
                self.left += 1
            else:
                failed += bool(each.problem)
                self._stopped = failed == len(excerpts)
                yield each


@dataclass(slots=True)
class _ExtractionEstimate:
    """A model that returns cached replies only, and counts what the others would cost."""

    metered: MeteredModel
    gleaning: int
    meter: Usage = field(default_factory=Usage)
    rounds: int = 0

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        inner = self.metered.model
        cached = (
            inner.cached_replies(prompts) if isinstance(inner, HasCachedReplies) else [None] * len(prompts)
        )
        uncached = [prompt for prompt, reply in zip(prompts, cached, strict=True) if reply is None]
        further = self.gleaning - self.rounds
        self._count(uncached, len(prompts) - len(uncached), further)
        self.rounds += 1
        return [reply or Reply("", problem="not sent") for reply in cached]

    def _count(self, uncached: Sequence[Prompt], cached: int, further: int) -> None:
        """Count each uncached prompt and its `further` rounds; these repeat the facts of the replies so
        far."""
        prompt, reply = map(sum, zip(*map(worst, uncached), strict=True)) if uncached else (0, 0)
        rounds = 1 + further
        longer = reply * further * rounds // 2
        was, prices = self.meter, self.metered.prices
        tokens = was.prompt_tokens + prompt * rounds + longer, was.reply_tokens + reply * rounds
        self.meter = Usage(
            calls=was.calls + len(uncached) * rounds, cached=was.cached + cached,
            prompt_tokens=tokens[0], reply_tokens=tokens[1],
            cost=None if prices is None else prices.of(*tokens),
        )  # fmt: skip

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("an estimate sends no prompts")
