"""Facts by a language model: one request a passage, and further ones for what was missed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from asof.data import Fact
from asof.knowledge.extraction_config import ENTITY_TYPES
from asof.knowledge.model.prompt import PACKAGE, PROMPTS, ExtractionPrompt
from asof.knowledge.model.reply import RepliedFacts, facts_of
from asof.models.ports import replies
from asof.store.facts import Excerpt, Extraction

if TYPE_CHECKING:
    from asof.models.ports import Model, Reply
from asof.models.prompts import prompt_text

READING = "1"
"""Changes when replies, or times and figures in them (`dating.py`, `figures.py`), are read in another way."""


@dataclass(slots=True)
class ModelExtractor:
    """An `Extractor` that asks a model.

    `entity_types`: what it is told to look for. `gleaning`: how often a passage in which something was found
    is read again for what was missed. `dropped` counts the facts of replies that were not kept, by reason;
    see `reply.py`. `arrived` is told how many passages of a batch have been replied to.
    """

    model: Model
    entity_types: tuple[str, ...] = ENTITY_TYPES
    gleaning: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    arrived: Callable[[int], None] | None = None

    @property
    def name(self) -> str:
        """The model, and a digest of all that shapes what it is asked and how its replies are read."""
        told = [prompt_text(PACKAGE, each) for each in PROMPTS]
        shaping = json.dumps([READING, self.entity_types, self.gleaning, *told])
        return f"model:{self.model.name}:{blake2b(shaping.encode(), digest_size=6).hexdigest()}"

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """What was found, passage by passage; each round asks for all of them at once.

        A reply that cannot be used makes the passage's problem, in a later round too: what was paid for is
        kept with the replies (`models/cached.py`). Raises ModelError.
        """
        asking = ExtractionPrompt(self.entity_types)
        readings = [_PassageProgress(excerpt) for excerpt in excerpts]
        open_ = [reading for reading in readings if reading.excerpt.text.strip()]
        for rounds in range(self.gleaning + 1):
            if not open_:
                break
            prompts = [
                asking.again(each.excerpt, each.facts) if rounds else asking.first(each.excerpt)
                for each in open_
            ]
            for count, (at, reply) in enumerate(replies(self.model, prompts), 1):
                open_[at].take(reply, self.dropped)
                if self.arrived is not None and not rounds:
                    self.arrived(count)
            open_ = [reading for reading in open_ if reading.more]
        for reading in readings:
            facts = () if reading.problem else tuple(reading.facts)
            yield Extraction(reading.excerpt.passage, facts, reading.problem, reading.unsent)


@dataclass(slots=True)
class _PassageProgress:
    """How far a passage was read. `more`: the last round found something, so that there may be more."""

    excerpt: Excerpt
    facts: list[Fact] = field(default_factory=list)
    problem: str = ""
    unsent: bool = False
    more: bool = False

    def take(self, reply: Reply, dropped: Counter[str]) -> None:
        if not isinstance(reply.value, RepliedFacts):
            self.problem, self.more = reply.problem or "the reply was not read as facts", False
            self.unsent = reply.unsent
            return
        before = len(self.facts)
        self.facts, left_out = facts_of(self.excerpt, reply.value.facts, self.facts)
        dropped.update(left_out)
        self.more = len(self.facts) > before
