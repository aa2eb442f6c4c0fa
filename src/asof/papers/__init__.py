"""A question about papers, from fetching to learning: Adaptive RAG for arXiv as a whole."""
