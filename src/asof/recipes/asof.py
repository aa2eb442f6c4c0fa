"""`asof`, the default: words, words of the best passages, vectors where there are any; newer among equals."""

from __future__ import annotations

from asof.rank.cut import Cut
from asof.rank.feedback import Feedback
from asof.rank.fuse import Weighted
from asof.rank.gather import Dense, Lexical
from asof.rank.group import ByDocument
from asof.rank.recency import Recency
from asof.rank.stage import Recipe, Stage

GATHER: tuple[Stage, ...] = (
    Lexical(),
    Feedback(),
    Dense(),
    Weighted((("lexical", 1.0), ("feedback", 0.15), ("dense", 0.5))),
)
FINISH: tuple[Stage, ...] = (Recency(), Cut())

ASOF = Recipe(
    "asof", "fused relevance, and among near-equals the newer one where the question asks", (*GATHER, *FINISH)
)

ASOF_DOCUMENTS = Recipe(
    "asof-documents", "the same with documents as units", (*GATHER, ByDocument(), *FINISH)
)
