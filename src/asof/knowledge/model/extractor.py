"""Facts by a language model: one request for each passage, and further ones for missed facts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from asof.data import Fact
from asof.knowledge.extraction_config import ENTITY_TYPES
from asof.knowledge.fact_store import Excerpt, Extraction
from asof.knowledge.model.prompt import PACKAGE, PROMPTS, ExtractionPrompt
from asof.knowledge.model.reply import RepliedFacts, facts_of
from asof.models.ports import replies

if TYPE_CHECKING:
    from asof.models.ports import Model, Reply
from asof.models.prompts import prompt_text

READING = "1"
"""Changes when replies, or times and figures in them (`dating.py`, `figures.py`), are read in another way."""


@dataclass(slots=True)
class ModelExtractor:
    """An `Extractor` that prompts a model.

    `entity_types`: the types of entities named in the prompt. `gleaning`: how many further rounds ask for
    missed facts of a passage that has some. `dropped` counts the facts of replies that were not stored, by
    reason; see `reply.py`. `on_replies` is called with the number of replies of the current batch.
    """

    model: Model
    entity_types: tuple[str, ...] = ENTITY_TYPES
    gleaning: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    on_replies: Callable[[int], None] | None = None

    @property
    def name(self) -> str:
        """The model, and a digest of everything that affects the prompts and the reading of replies."""
        instructions = [prompt_text(PACKAGE, each) for each in PROMPTS]
        shaping = json.dumps([READING, self.entity_types, self.gleaning, *instructions])
        return f"model:{self.model.name}:{blake2b(shaping.encode(), digest_size=6).hexdigest()}"

    def extract(self, excerpts: Sequence[Excerpt]) -> Iterator[Extraction]:
        """The facts of each passage; each round sends the prompts of all passages at once.

        A reply that cannot be read becomes the passage's problem, in a later round too: the replies that were
        paid for are cached (`models/cached.py`). Raises ModelError.
        """
        prompt = ExtractionPrompt(self.entity_types)
        readings = [_PassageProgress(excerpt) for excerpt in excerpts]
        open_ = [reading for reading in readings if reading.excerpt.text.strip()]
        for rounds in range(self.gleaning + 1):
            if not open_:
                break
            prompts = [
                prompt.again(each.excerpt, each.facts) if rounds else prompt.first(each.excerpt)
                for each in open_
            ]
            for count, (at, reply) in enumerate(replies(self.model, prompts), 1):
                open_[at].take(reply, self.dropped)
                if self.on_replies is not None and not rounds:
                    self.on_replies(count)
            open_ = [reading for reading in open_ if reading.more]
        for reading in readings:
            facts = () if reading.problem else tuple(reading.facts)
            yield Extraction(reading.excerpt.passage, facts, reading.problem, reading.unsent)


@dataclass(slots=True)
class _PassageProgress:
    """The facts of a passage so far. `more`: the last round added some, so another one may add more."""

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
