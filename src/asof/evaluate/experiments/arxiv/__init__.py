"""The experiments of Adaptive RAG for arXiv (its README)."""

SHARED = ("judged", "online_run")
"""Questions with what their documents are worth, and learning from one after the other."""
