"""Answers from facts and reports: what of the graph a question is about, and how much of it a reader gets.

Read `score.py` (TG-RAG, section III-B: from entities to edges to passages), then `pack.py` (a budget of
tokens).
"""
