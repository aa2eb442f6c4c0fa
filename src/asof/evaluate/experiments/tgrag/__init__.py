"""The experiments of TG-RAG (arXiv 2510.13590, sections V and VI): tables III to X.

Tables I, II, XI and XII are a comparison of datasets, statistics of ECT-QA and two worked examples; figures 1
and 2 are diagrams, and the entities of figure 3 are what `asof graph --dot` has.
"""

SHARED = ("answering", "protocol", "questions")
