"""How TWE-RAG's corpus is indexed for its experiments: whole documents, words as they are written."""

from __future__ import annotations

from asof.store.settings import CorpusSettings

SETTINGS = CorpusSettings(chunking="whole", stem=False, undated="always")

DATA = "5,000 documents of its own, which are not published; here any folder as of asof evaluate with dates"
SIZE = "The paper's 5,000 documents and its questions are not published: figures are of another corpus."
DOCUMENTS = "Documents are indexed whole and words are not stemmed, as in its code."
PAST = "A question sees only what was published before it; the paper's search sees all documents."
MRR = "MRR counts a first relevant document up to rank 100; the paper does not say how far it looks."
LATENCY = (
    "Latency is the median of a search for ten documents as of the moment of the question; the paper does "
    "not say what its milliseconds hold."
)
