"""Reading a corpus for facts by the configured extractor: what it costs, what it came to, what is left."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from asof.errors import UsageError
from asof.knowledge.extraction import BATCH, ExtractionReport, Extractor, extract_all
from asof.knowledge.extraction_config import MODEL, Facts
from asof.models.metered import HasCachedReplies, MeteredModel, Usage, worst
from asof.models.ports import Prompt, Reply
from asof.store import facts as kept
from asof.store.facts import Excerpt, Extraction
from asof.store.store import Store


def extract_facts(
    store: Store,
    db: sqlite3.Connection,
    facts: Facts,
    model: MeteredModel | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ExtractionReport:
    """Read every passage that the configured extractor has not read, past ones too.

    `model`: the one of [model], around it what keeps and counts its replies; its budget is not exceeded.
    `progress` is told how many passages are done, of how many. Raises UsageError where a model is wanted and
    there is none, Busy, NoSpace, ModelError; what was committed stays.
    """
    if facts.extractor != MODEL:
        from asof.knowledge.rules.extractor import RuleExtractor

        return extract_all(store, db, RuleExtractor(), anew=True, progress=progress)
    from asof.knowledge.model.extractor import ModelExtractor

    metered = _present(model)
    asking = ModelExtractor(metered, facts.entity_types, facts.gleaning)
    stopping = _Stopping(asking)
    if progress is not None:
        fine = _Progress(progress, len(kept.passages_without_facts(db, asking.name)))
        asking.arrived, progress = fine.arrived, fine.settled
    read = extract_all(store, db, stopping, anew=True, progress=progress)
    return ExtractionReport(
        read.passages, read.facts, read.problems, stopping.left, dict(asking.dropped), metered.meter
    )  # fmt: skip


def estimate(db: sqlite3.Connection, facts: Facts, model: MeteredModel | None = None) -> Usage:
    """What `extract_facts` would cost at worst: every reply as long as it may be, every further round asked
    for.

    Replies that are kept cost nothing. Nothing is sent. Raises UsageError as `extract_facts` does.
    """
    if facts.extractor != MODEL:
        return Usage()
    from asof.knowledge.model.extractor import ModelExtractor

    estimating = _ExtractionEstimate(_present(model), facts.gleaning)
    asking = ModelExtractor(estimating, facts.entity_types, facts.gleaning)
    wanted = kept.passages_without_facts(db, asking.name)
    for first in range(0, len(wanted), BATCH):
        estimating.rounds = 0
        for _ in asking.extract(kept.excerpts(db, wanted[first : first + BATCH])):
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
    """How far a run is, reply by reply, for one who is told of whole batches."""

    told: Callable[[int, int], None]
    wanted: int
    done: int = 0

    def arrived(self, count: int) -> None:
        self.told(self.done + count, self.wanted)

    def settled(self, done: int, wanted: int) -> None:
        self.done = done
        self.told(done, wanted)


@dataclass(slots=True)
class _Stopping:
    """An extractor that leaves out passages which were not asked about, and stops asking when a whole batch
    had no reply."""

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
    """A model that gives the replies that are kept, and counts what the others would cost."""

    metered: MeteredModel
    gleaning: int
    meter: Usage = field(default_factory=Usage)
    rounds: int = 0

    @property
    def name(self) -> str:
        return self.metered.name

    def complete(self, prompts: Sequence[Prompt]) -> list[Reply]:
        inner = self.metered.model
        found = (
            inner.cached_replies(prompts) if isinstance(inner, HasCachedReplies) else [None] * len(prompts)
        )
        asked = [prompt for prompt, reply in zip(prompts, found, strict=True) if reply is None]
        further = self.gleaning - self.rounds
        self._count(asked, len(prompts) - len(asked), further)
        self.rounds += 1
        return [reply or Reply("", problem="not asked") for reply in found]

    def _count(self, asked: Sequence[Prompt], found: int, further: int) -> None:
        """Each of these prompts and so many rounds after it, in which it holds what was found before."""
        prompt, reply = map(sum, zip(*map(worst, asked), strict=True)) if asked else (0, 0)
        rounds = 1 + further
        longer = reply * further * rounds // 2
        was, prices = self.meter, self.metered.prices
        tokens = was.prompt_tokens + prompt * rounds + longer, was.reply_tokens + reply * rounds
        self.meter = Usage(
            calls=was.calls + len(asked) * rounds, cached=was.cached + found,
            prompt_tokens=tokens[0], reply_tokens=tokens[1],
            cost=None if prices is None else prices.of(*tokens),
        )  # fmt: skip

    def stream(self, prompt: Prompt) -> Iterator[str]:
        raise NotImplementedError("an estimate asks nothing")
