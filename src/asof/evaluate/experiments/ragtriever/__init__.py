"""The experiment of RAGtriever's ranking design (2026-01-25, section Evaluation)."""
