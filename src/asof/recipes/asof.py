"""`asof`, the default: words, vectors where there are any, words of the best passages; newer among equals."""

from __future__ import annotations

from asof.rank.certify import Certified
from asof.rank.cut import Cut
from asof.rank.feedback import Feedback
from asof.rank.gather import Lexical
from asof.rank.recency import Recency
from asof.rank.recipe import Recipe

RECENCY = Recency()
FEEDBACK = Feedback(then=RECENCY)

ASOF = Recipe(
    "asof",
    "fused relevance, and among near-equals the newer one where the question asks for it",
    (Lexical(), Certified(then=FEEDBACK), FEEDBACK, RECENCY, Cut()),
)
