"""What is measured of others: bm25s, tantivy, and the stack of TWE-RAG's published code (rank-bm25,
scikit-learn)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpora import pieces, questions_of
from bench.measure import bytes_in, latency, milliseconds, one_core
from numpy.typing import NDArray

K = 10
DIMENSIONS = 128


# -- bm25s --------------------------------------------------------------------------------------------


def build_bm25s(folder: str, documents: str) -> dict[str, Any]:
    """Its tokenizer with PyStemmer, its index, its files; on one core."""
    import bm25s
    import Stemmer

    one_core()
    corpus = [f"{title} {text}" for title, text in pieces(documents)]
    begin, busy = time.perf_counter(), time.process_time()
    tokens = bm25s.tokenize(corpus, stopwords=None, stemmer=Stemmer.Stemmer("english"), show_progress=False)
    index = bm25s.BM25(k1=1.5, b=0.75, backend="numpy")
    index.index(tokens, show_progress=False)
    index.save(folder)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    return {
        "rate": len(corpus) / seconds, "rate_busy": len(corpus) / busy, "seconds": seconds,
        "disk": bytes_in(Path(folder)),
    }  # fmt: skip


def open_bm25s(folder: str) -> dict[str, float]:
    """Milliseconds to load an index, imports not counted."""
    import bm25s

    return {"open": milliseconds(lambda: bm25s.BM25.load(folder))}


def search_bm25s(folder: str, questions: str) -> dict[str, Any]:
    """Latencies of its numpy retrieval."""
    import bm25s
    import Stemmer

    index, stemmer = bm25s.BM25.load(folder), Stemmer.Stemmer("english")

    def ask(question: str) -> object:
        words = bm25s.tokenize(
            [question], stopwords=None, stemmer=stemmer, return_ids=False, show_progress=False
        )
        return index.retrieve(words, k=K, backend_selection="numpy", show_progress=False)

    return {"lexical, whole": latency(ask, questions_of(questions))}


# -- tantivy ------------------------------------------------------------------------------------------


def _tantivy(folder: str) -> Any:
    import tantivy

    schema = tantivy.SchemaBuilder()
    for name in ("title", "text"):
        schema.add_text_field(name, stored=True, tokenizer_name="en_stem")
    return tantivy.Index(schema.build(), path=folder)


def build_tantivy(folder: str, documents: str) -> dict[str, Any]:
    """Titles and texts with English stems, stored; on one core, one thread."""
    import tantivy

    one_core()
    corpus = pieces(documents)
    Path(folder).mkdir()
    begin, busy = time.perf_counter(), time.process_time()
    writer = _tantivy(folder).writer(256_000_000, 1)
    for title, text in corpus:
        writer.add_document(tantivy.Document(title=title, text=text))
    writer.commit()
    writer.wait_merging_threads()
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    return {
        "rate": len(corpus) / seconds, "rate_busy": len(corpus) / busy, "seconds": seconds,
        "disk": bytes_in(Path(folder)),
    }  # fmt: skip


def open_tantivy(folder: str) -> dict[str, float]:
    """Milliseconds to open an index and have a searcher, imports not counted."""
    import tantivy  # noqa: F401

    return {"open": milliseconds(lambda: _tantivy(folder).searcher())}


def search_tantivy(folder: str, questions: str) -> dict[str, Any]:
    """Latencies of a query over titles and texts; the documents of its hits are fetched."""
    index = _tantivy(folder)
    searcher = index.searcher()

    def ask(question: str) -> object:
        words = " ".join(re.findall(r"\w+", question.lower()))
        hits = searcher.search(index.parse_query(words, ["title", "text"]), K).hits
        return [searcher.doc(address).to_dict() for _, address in hits]

    return {"lexical, whole": latency(ask, questions_of(questions))}


# -- rank-bm25 and scikit-learn ------------------------------------------------------------------------

Scores = NDArray[np.float64]


def published(documents: str, questions: str) -> dict[str, Any]:
    """Build on one core, then ask. It has no files: every process builds anew."""
    one_core()
    corpus = [f"{title} {text}" for title, text in pieces(documents)]
    begin, busy = time.perf_counter(), time.process_time()
    lexical, dense = published_stack(corpus)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    asked = questions_of(questions)
    return {
        "rate": len(corpus) / seconds, "rate_busy": len(corpus) / busy, "seconds": seconds,
        "lexical, whole": latency(lambda question: best(lexical(question)), asked),
        "dense, whole": latency(lambda question: best(dense(question)), asked),
        "fused, whole": latency(
            lambda question: best(lexical(question) + dense(question)), asked
        ),
    }  # fmt: skip


def published_stack(corpus: list[str]) -> tuple[Callable[[str], Scores], Callable[[str], Scores]]:
    """Normalised scores of all passages: Okapi BM25 over its maximum, cosines in LSA from min to max."""
    from rank_bm25 import BM25Okapi
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    okapi = BM25Okapi([text.lower().split() for text in corpus])
    vectorizer, svd = TfidfVectorizer(), TruncatedSVD(DIMENSIONS, random_state=0)
    vectors = normalize(svd.fit_transform(vectorizer.fit_transform(corpus)))

    def lexical(question: str) -> Scores:
        scores: Scores = okapi.get_scores(question.lower().split())
        return scores / (float(scores.max()) or 1.0)

    def dense(question: str) -> Scores:
        query = normalize(svd.transform(vectorizer.transform([question])))
        scores: Scores = (vectors @ query.T).ravel()
        return (scores - float(scores.min())) / (float(np.ptp(scores)) or 1.0)

    return lexical, dense


def best(scores: Scores) -> NDArray[np.int64]:
    return np.argsort(scores)[::-1][:K]
