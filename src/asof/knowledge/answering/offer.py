"""What `asof ask` takes from here (`asof.answer.ask.Answering`): facts of sentences, and overviews."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.answer.ask import AnswerOptions, RetrievedPassages
from asof.answer.extractive import AnswerContext
from asof.answer.sentence_facts import SentenceFact
from asof.config import Config
from asof.corpus.session import Session
from asof.data import Answer
from asof.index.view import View
from asof.knowledge.consistency.agreement import agree, at_the_same_time, comparable
from asof.knowledge.consistency.validity import is_state, one_at_a_time
from asof.knowledge.extraction_config import extractor_note
from asof.knowledge.indexer import ensure_facts
from asof.knowledge.visible_facts import StatedFact, facts_of
from asof.text.names import key


@dataclass(frozen=True, slots=True)
class FactOfSentence(StatedFact):
    """A fact as an answer looks at it."""

    @property
    def is_state(self) -> bool:
        """Whether it holds from its time on until another one is stated."""
        return is_state(self.fact)

    def contradicts(self, other: SentenceFact) -> bool:
        """Whether both cannot be right: one subject and relation have different objects for the same time."""
        one, two = self.fact, other.fact
        return (
            one.kind == two.kind
            and key(one.subject) == key(two.subject)
            and key(one.relation) == key(two.relation)
            and one_at_a_time(one)
            and one_at_a_time(two)
            and comparable(one, two)
            and at_the_same_time(one, two)
            and not agree(one, two)
        )


class FactAnswers:
    """What facts and reports add to answers."""

    def facts_of(self, view: View, rows: NDArray[np.int64]) -> list[FactOfSentence]:
        """The facts that these rows of a view state, in canonical order."""
        return [FactOfSentence(each.fact, each.number, each.passage) for each in facts_of(view, rows)]

    def overview(
        self, retrieved: RetrievedPassages, context: AnswerContext, options: AnswerOptions, *, requested: bool
    ) -> Answer | None:
        """See `overview.overview`."""
        from asof.knowledge.answering.overview import overview

        return overview(retrieved, context, options, requested=requested)

    def prepare(self, session: Session) -> None:
        """See `ensure_facts`."""
        ensure_facts(session)

    def note(self, config: Config) -> str:
        """See `extractor_note`."""
        return extractor_note(config)


FACTS = FactAnswers()
