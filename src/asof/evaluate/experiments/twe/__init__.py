"""The experiments of TWE-RAG (README, sections 4 and 6)."""

SHARED = ("corpus", "rows")
