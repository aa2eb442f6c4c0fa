"""A question about papers with its options, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.data import Answer
from asof.engine import Results
from asof.learn.ranking_metrics import RankingMetrics
from asof.time.coerce import When

if TYPE_CHECKING:
    from asof.arxiv.question import PaperRequest
    from asof.corpus.feedback import JudgingReport
    from asof.models.metered import Usage
    from asof.papers.statements import PaperStatement
    from asof.store.run import IndexReport


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question about papers. `categories`, `since` and `until` override those in the text of the question;
    `per_day`: the number of newest papers of a day that are fetched (None: the setting of asof.toml).

    `k`: the number of papers that are ranked (None: the number in the question, 10 by default); `read`: how
    many of the first are read in full. Without `fetch` nothing is requested from arXiv; without `record`
    nothing can be learned from it. `judge`: the language model grades the hits. `budget` (US dollars; tokens
    without prices; None: that of [ask] in asof.toml): what all calls of the language model for this question
    may cost, from its reading to the grades.
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
    and the numbers that it was ranked by. `metrics`: of what was shown, in that order, as it is judged now
    (None: not known)."""

    id: str
    question: str
    lost: float
    numbers: Mapping[str, float]
    metrics: RankingMetrics | None = None


@dataclass(frozen=True, slots=True)
class WeightUpdate:
    """How the numbers of the ranking moved. `stage` is that of this question, the `question`-th that is
    learned from; `before` and `now` are the numbers of the previous question and of this one.

    `losses`: the judged questions that the learner took, oldest first, unless they were erased since;
    `new`: how many are new. On `compared` judged questions the mean loss of `now` is `lost`, that
    of the initial numbers `began` (nan without such questions); `metrics` and `initial_metrics` are the means
    of all metrics on them (None without).
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
    metrics: RankingMetrics | None = None
    initial_metrics: RankingMetrics | None = None


@dataclass(frozen=True, slots=True)
class PaperAnswer:
    """The answer to a question: the `parsed` request, the ranked papers (`results`), the best sentence of
    each paper that was read (`statements`), the answer from them (None: no paper, or the model failed), and
    the update of the weights.

    `fetched`: abstracts, `texts`: full texts (None: none was fetched). `recorded`: the id of the recorded
    question, "" if it is not recorded. `incomplete`: arXiv did not deliver all that was requested. `cost`:
    what all calls of the language model took (None: there is no model).
    """

    request: PaperQuestion
    parsed: PaperRequest
    results: Results
    statements: tuple[PaperStatement, ...]
    answer: Answer | None
    learned: WeightUpdate
    fetched: IndexReport | None = None
    texts: IndexReport | None = None
    recorded: str = ""
    judging: JudgingReport | None = None
    notes: tuple[str, ...] = ()
    incomplete: bool = False
    cost: Usage | None = None
