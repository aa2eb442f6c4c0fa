"""Answers with citations: from passages, or from reports on periods. Read `ask.py` first."""
