"""What is asked for in one question about papers, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.data import Answer
from asof.engine import Results
from asof.time.coerce import When

if TYPE_CHECKING:
    from asof.arxiv.question import PaperRequest
    from asof.corpus.feedback import JudgingReport
    from asof.papers.statements import PaperStatement
    from asof.store.run import IndexReport


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question about papers. `categories`, `since` and `until` stand before what the question says of them;
    `per_day`: only so many of the newest papers of a day are fetched (None: as asof.toml says).

    `k`: papers that are ranked (None: as many as the question wants, at most 10); `read`: how many of the
    first are read in full. Without `fetch` nothing is asked of arXiv; without `record` nothing can be learned
    from it. `judge`: the language model grades what was found, within a `budget` (US dollars; tokens without
    prices).
    """

    question: str
    categories: tuple[str, ...] = ()
    since: When | None = None
    until: When | None = None
    per_day: int | None = None
    k: int | None = None
    read: int = 3
    fetch: bool = True
    record: bool = True
    judge: bool = False
    budget: float | None = None
    as_of: When | None = None
    known_at: When | None = None


@dataclass(frozen=True, slots=True)
class LossReport:
    """A judged question that the learner took: the loss of its ranking (1 - nDCG@10) at that time,
    and the numbers that it was ranked by."""

    id: str
    question: str
    lost: float
    numbers: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class WeightUpdate:
    """How the numbers of the ranking moved. `stage` is that of this question, the `question`-th of which
    something is learned; `before` and `now` are the numbers of the question before and of this one.

    `losses`: the judged questions that the learner took, oldest first, unless they were erased since;
    `new`: how many are new. On `compared` judged questions `now` loses `lost` on average, and the numbers
    that were there at first lose `began` (nan: there is none).
    """

    stage: str
    question: int
    before: Mapping[str, float]
    now: Mapping[str, float]
    losses: tuple[LossReport, ...] = ()
    new: int = 0
    compared: int = 0
    lost: float = float("nan")
    began: float = float("nan")


@dataclass(frozen=True, slots=True)
class PaperAnswer:
    """What came of a question: what was wanted of arXiv (`wish`), the papers by rank (`found`), what those
    that were read say of it, each its sentence (`says`), the answer out of them (None: there is no paper, or
    the model failed), and what was learned.

    `fetched`: abstracts, `texts`: full texts (None: nothing had to be asked, or could be). `recorded`: under
    which id the question is recorded, "" if it is not. `incomplete`: arXiv did not give all that was asked.
    """

    request: PaperQuestion
    wish: PaperRequest
    found: Results
    says: tuple[PaperStatement, ...]
    answer: Answer | None
    learned: WeightUpdate
    fetched: IndexReport | None = None
    texts: IndexReport | None = None
    recorded: str = ""
    judging: JudgingReport | None = None
    notes: tuple[str, ...] = ()
    incomplete: bool = False
