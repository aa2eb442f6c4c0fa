"""The default recipe that scores the best passages by words alone, with limits that a few passages meet."""

from __future__ import annotations

from dataclasses import replace

from asof.index.max_score import MaxScoreLimits
from asof.rank.candidates.gather import Lexical
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.features.pseudo_relevance_feedback import PseudoRelevanceFeedback, RescoreLimits
from asof.rank.recipe import Recipe
from asof.rank.rerank.window import RerankWindow
from asof.rank.stage import Stage
from asof.recipes.asof import ASOF, FEEDBACK

LIMITS = MaxScoreLimits(passages=0, postings=99.0, candidates=1.0, promising=1.0)
WINDOW = RerankWindow(n=2, of_time=2)
FEW_FEEDBACK = replace(FEEDBACK, window=WINDOW, weight=0.05, passages=1, limits=RescoreLimits(1.0))
BY_WORDS = EarlyTermination(lexical=1.0, dense=2.0, then=FEW_FEEDBACK)


def _few(stage: Stage) -> Stage:
    if isinstance(stage, Lexical):
        return replace(stage, then=BY_WORDS, limits=LIMITS)
    small: dict[type, Stage] = {
        RerankWindow: WINDOW,
        PseudoRelevanceFeedback: FEW_FEEDBACK,
        EarlyTermination: BY_WORDS,
    }
    return small.get(type(stage), stage)


FEW: Recipe = replace(ASOF, stages=tuple(map(_few, ASOF.stages)))
"""Leaves passages unscored from the first on."""

ALL: Recipe = replace(
    FEW, stages=tuple(replace(each, then=None) if isinstance(each, Lexical) else each for each in FEW.stages)
)
"""The same, which scores all passages by words."""
