"""Adaptive decay with age (TWE-RAG, README 2.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.index.view import View
from asof.lang import every
from asof.rank.expression import Constant, Given, exp, product, ratio
from asof.rank.features.ages import ages
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import choice, within
from asof.time.intent import intent

RECENT = (
    "current", "currently", "latest", "new", "newest", "now", "recent", "recently", "this year", "today",
)  # fmt: skip
"""The README's "{current, latest, now, recent, …}", with those of its code that ask for the newest; not "who
is", "price", "schedule" and the like, which are subjects."""

WORDS, CONTINUOUS = "words", "continuous"


@dataclass(frozen=True, slots=True)
class Decay:
    """The column `decay`: delta(q) · exp(-age / tau(q)), age in days.

        delta(q) = delta · r        tau(q) = tau_max - (tau_max - tau_min) · r

    r is 1 where the question has one of the words `recent`, as whole words (the published code also finds
    "now" in "snow"), and `general` elsewhere; with `need` "continuous" between both there, by all words of
    the question (`recency_need`). The formula gives a general question 538 days; the README's "2 years" is
    not what it computes. An undated passage gets 0: no credit.
    """

    delta: float = within(2.5, 0.0, 10.0)
    tau_min: float = within(90.0, 0.1, 100_000.0)
    tau_max: float = within(730.0, 0.1, 100_000.0)
    general: float = within(0.3, 0.0, 1.0)
    recent: tuple[str, ...] = RECENT
    need: str = choice(WORDS, CONTINUOUS)
    traits: ClassVar = Traits(by_age="added", alone=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        share = self.recency(query.text)
        delta, tau = self.adapted(share)
        rows = ranking.rows
        taus = np.full(len(rows), tau)
        days = ages(view.as_of, view.column("visible", rows))
        dated = view.column("dated", rows).astype(bool)
        exponent = ratio("age over tau", Given("-age in days", -days), Given("tau in days", taus))
        decayed = product("decay", Constant("delta", delta), exp("exp", exponent))
        undated = Constant("decay: undated, no credit", 0.0)
        return ranking.with_column("decay", Where(dated, decayed, undated), by=False).note(
            f"decay: r = {share:.3g}, delta = {delta:.3g}, tau = {tau:.4g} days"
        )

    def recency(self, question: str) -> float:
        """r of a question, from `general` to 1."""
        if self._wishes(question):
            return 1.0
        need = recency_need(question) if self.need == CONTINUOUS else 0.0
        return self.general + (1.0 - self.general) * need

    def _wishes(self, question: str) -> bool:
        words = "|".join(re.escape(word) for word in self.recent)
        return bool(words) and re.search(rf"(?<!\w)(?:{words})(?!\w)", question, re.IGNORECASE) is not None

    def adapted(self, recency: float) -> tuple[float, float]:
        """delta and tau (days) for a question with this share of recency."""
        r = max(recency, self.general)
        return self.delta * r, self.tau_max - (self.tau_max - self.tau_min) * r


def recency_need(question: str) -> float:
    """How much the answer to a question has to be new, in [0, 1], by all of its words.

        1 - (1 - recency) (1 - volatility)      recency alone for a question that looks back or at no time

    of `asof.time.intent`: `recency` is in steps, by words of time and by structure; `volatility` is
    continuous, a logistic model of how fast answers to questions of this form change (the regression that
    TWE-RAG names as its future work, section 7). Languages are all that are known.
    """
    wanted = intent(question, language=every("intent"))
    if wanted.direction not in ("recent", "future"):
        return wanted.recency
    return 1.0 - (1.0 - wanted.recency) * (1.0 - wanted.volatility)
