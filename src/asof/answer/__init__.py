"""Answers with citations, quoted from passages or written by a language model. Read `ask.py` first."""
