"""The data that flows: what a source states, what the corpus keeps, what a search and an answer return.

Sources give `Document`s (and `Ended`s and `Problem`s); the store cuts them into `Passage`s; a `Query` over
them gives `Hit`s, each with a `Why`; sentences of passages state `Fact`s. All of it is frozen.
`docs/explanation/data.md` shows the same as a table.
"""

from asof.data.answer import GLOBAL, LOCAL, MODES, Answer, Citation, NotedPoint, Value
from asof.data.document import (
    DATED_BY,
    Checkpoint,
    Document,
    Ended,
    Heading,
    Link,
    Problem,
    SafeToCommit,
    Statement,
    Unchanged,
)
from asof.data.fact import CHANGE, EVENT, EXPECTED, KINDS, NAME, VALUE, Amount, Fact
from asof.data.halting import Halting
from asof.data.hit import Hit, Location, Superseded
from asof.data.query import Filters, Query
from asof.data.sourced_time import SourcedTime
from asof.data.why import Why

__all__ = [
    "CHANGE",
    "DATED_BY",
    "EVENT",
    "EXPECTED",
    "GLOBAL",
    "KINDS",
    "LOCAL",
    "MODES",
    "NAME",
    "VALUE",
    "Amount",
    "Answer",
    "Checkpoint",
    "Citation",
    "Document",
    "Ended",
    "Fact",
    "Filters",
    "Halting",
    "Heading",
    "Hit",
    "Link",
    "Location",
    "NotedPoint",
    "Problem",
    "Query",
    "SafeToCommit",
    "SourcedTime",
    "Statement",
    "Superseded",
    "Unchanged",
    "Value",
    "Why",
]  # fmt: skip
