"""The published systems but TG-RAG: TWE-RAG, RAGtriever, TempRALM, Adaptive RAG for arXiv, and baselines.

Read `recipes.py` first (all but `vault`, which is in `vault.py`), then `stages.py`. `evidence.py` and
`overlap.py` have the evidence graph, `latent.py` and `lsa.py` the latent space. `papers.py` is `asof papers`,
with arXiv (`arxiv_source.py`), recorded judgements (`judgements.py`) and learned weights (`online.py`,
`learning.py`). The extra `systems` brings scipy.
"""
