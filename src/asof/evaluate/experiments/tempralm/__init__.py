"""The experiments of TempRALM (Gade and Jetcheva 2024, arXiv 2401.13222)."""

SHARED = ("forms",)
"""The forms of its questions, and its retriever without the temporal score."""
