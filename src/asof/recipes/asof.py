"""`asof`, the default: words, vectors where there are any, words of the best passages; newer among equals."""

from __future__ import annotations

from dataclasses import replace

from asof.rank.cut import Cut
from asof.rank.feedback import Feedback
from asof.rank.fuse import Weighted
from asof.rank.gather import Dense, Lexical
from asof.rank.group import ByDocument
from asof.rank.recency import Recency
from asof.rank.stage import Recipe, Stage

GATHER: tuple[Stage, ...] = (Lexical(), Dense(), Weighted((("lexical", 1.0), ("dense", 0.5))))
RECENCY = Recency()
FEEDBACK = Feedback(then=RECENCY)

ASOF = Recipe(
    "asof",
    "fused relevance, and among near-equals the newer one where the question asks for it",
    (*GATHER, FEEDBACK, RECENCY, Cut()),
)

ASOF_DOCUMENTS = Recipe(
    "asof-documents",
    "the same with documents as units",
    (*GATHER, replace(FEEDBACK, prune=False), ByDocument(), RECENCY, Cut()),
)
