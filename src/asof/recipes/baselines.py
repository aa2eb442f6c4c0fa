"""The two baselines that TG-RAG (section V-B) compares itself with and that need no graph.

    naive-rag    passages by the nearness of their vectors to the question's (NaiveRAG; Lewis et al. 2020)
    qd-rag       the same for each part of the question, the lists joined (QD-RAG; Ammann et al. 2025)

Vectors are those of the corpus's encoder, or of latent semantic analysis without one. `asof ask` packs what
they find into a budget of tokens. The parts of a question are found by the language model of the
configuration where one answers, else by rules.
"""

from __future__ import annotations

from asof.rank.candidates.top_k import TopK
from asof.rank.features.latent import Similarity
from asof.rank.features.sub_questions import SubQuestions
from asof.rank.recipe import Recipe

NAIVE_RAG = Recipe(
    "naive-rag", "NaiveRAG: passages by vectors alone, a baseline of TG-RAG", (Similarity("half"), TopK()),
    typed=True,
)  # fmt: skip

QD_RAG = Recipe(
    "qd-rag", "QD-RAG: each part of a question by vectors alone, a baseline of TG-RAG",
    (SubQuestions(), TopK()), typed=True,
)  # fmt: skip
