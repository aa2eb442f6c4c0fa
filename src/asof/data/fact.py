"""A statement as a temporal quadruple (TG-RAG, section III-A): subject, relation, object, time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.data.sourced_time import SourcedTime

if TYPE_CHECKING:
    from asof.time.span import Span

VALUE, CHANGE, EVENT, NAME = "value", "change", "event", "name"
KINDS = (VALUE, CHANGE, EVENT, NAME)
"""What a fact is: a measure has a value; a measure changed by so much; somebody did something to somebody or
something; two names mean the same (an alias, an acronym that the text defines, a ticker)."""


EXPECTED = "expected"
"""The first word of the relation of a figure that was not there yet when it was said: a forecast."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A figure: `value` in whole units of `unit` (`USD`, `%`, `bp`, `shares`, `` for a bare count), so that
    "$3.7 billion" is 3.7e9 USD. A decrease is negative where a change is meant ("down 17%" is -17 %).
    `basis`: what a change counts from, as it was written ("sequentially", "year over year"); else ``."""

    value: float
    unit: str
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that one sentence of a passage states.

    `subject`, `relation` and `object` are words of the text or of its document's title and metadata. `when`
    is the time that it holds of, with the words and the place that say so (`by`: text, title, heading, the
    name of a metadata field, or `published` where nothing but the date of the version is known); None where
    nothing is known. `start` and `end` are the offsets of the sentence in the passage's text. `confidence` in
    (0, 1] is the extractor's own.
    """

    subject: str
    relation: str
    object: str
    when: SourcedTime | None
    start: int
    end: int
    kind: str = EVENT
    amount: Amount | None = None
    confidence: float = 1.0

    @property
    def forecast(self) -> bool:
        """Whether it is a forecast."""
        return self.relation.split(" ", 1)[0] == EXPECTED

    @property
    def span(self) -> Span | None:
        """The time that it holds of."""
        return None if self.when is None else self.when.span
